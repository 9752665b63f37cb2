//! What flags take beyond what the library reads: names as clap lists them, and values of
//! the command line alone.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use threshnet::error::Error;
use threshnet::metrics::IntervalMethod;
use threshnet::model::{CensoredCells, Decimal, Recalibrate};
use threshnet::settings::{LONGEST_GRID, Named, Typed, Value, setting};
use threshnet::simulate::Scenario;
use threshnet_io::Encoding;
use threshnet_study::StudyName;

/// A choice of the library by its name.
pub fn named<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| choice.name()))
        .map(|name| T::named(&name).expect("only names of choices pass"))
}

/// One of these by its name.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    choices: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(choices.map(|(name, _)| name)).map(move |typed| {
        let found = choices.iter().find(|(name, _)| *name == typed);
        found.expect("only names of choices pass").1
    })
}

/// An encoding by its name.
pub fn encoding() -> impl TypedValueParser<Value = Encoding> {
    one_of(Encoding::ALL.map(|encoding| (encoding.name(), encoding)))
}

/// What stands before decimals.
pub fn decimal() -> impl TypedValueParser<Value = Decimal> {
    one_of([(",", Decimal::Comma), (".", Decimal::Point)])
}

/// What becomes of cells that are limits.
pub fn censored_cells() -> impl TypedValueParser<Value = CensoredCells> {
    one_of([("half", CensoredCells::Half)])
}

/// A correction of predictions.
pub fn recalibrate() -> impl TypedValueParser<Value = Recalibrate> {
    one_of(Recalibrate::ALL.map(|how| (how.name(), how)))
}

/// How intervals are made of bootstrap samples.
pub fn interval() -> impl TypedValueParser<Value = IntervalMethod> {
    one_of([
        ("bca", IntervalMethod::Bca),
        ("percentile", IntervalMethod::Percentile),
    ])
}

/// Bootstrap samples: none, or enough for an interval.
pub fn samples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count == 0 || (100..=1_000_000).contains(&count) => Ok(count),
        _ => Err("a whole number from 100 to 1000000 is needed, or 0 for no intervals".into()),
    }
}

/// A design by its name.
pub fn design() -> impl TypedValueParser<Value = Scenario> {
    let names = Scenario::ALL.map(Scenario::name);
    PossibleValuesParser::new(names)
        .map(|name| Scenario::named(&name).expect("only names of designs pass"))
}

/// A study by its name.
pub fn study() -> impl TypedValueParser<Value = StudyName> {
    let described = |study: StudyName| PossibleValue::new(study.name()).help(study.about());
    PossibleValuesParser::new(StudyName::ALL.iter().copied().map(described))
        .map(|name| StudyName::named(&name).expect("only names of studies pass"))
}

/// A count: 1 and above.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".into()),
        Ok(number) => Ok(number),
    }
}

/// A whole number from 1 to the most there can be.
fn up_to(text: &str, most: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("a whole number from 1 to {most} is needed")),
    }
}

/// Replicates of a study: their list is made before the first begins.
pub fn reps(text: &str) -> Result<u64, String> {
    up_to(text, 100_000)
}

/// Ridges of a grid, as many as a list of them may have.
pub fn ridges(text: &str) -> Result<usize, String> {
    up_to(text, LONGEST_GRID as u64).map(|count| count as usize)
}

/// Threads, as the setting of `fit` has them.
pub fn jobs(text: &str) -> Result<usize, String> {
    as_setting("jobs", text)
}

/// A seed, likewise.
pub fn seed(text: &str) -> Result<u64, String> {
    as_setting("seed", text)
}

fn as_setting<T: Typed>(name: &str, text: &str) -> Result<T, String> {
    let read = setting(name).read(Value::Text(text.into()));
    read.map_err(|error| match error {
        Error::Setting { problem, .. } => problem,
        other => other.to_string(),
    })
}

/// A folder by its plain name, without `.` and a slash at its end.
pub fn folder(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(text).components().collect())
}
