//! What flags take beyond what the library reads: names as clap lists them, and values of
//! the command line alone.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use threshnet::settings::Named;
use threshnet::simulate::Scenario;
use threshnet::stability::FEWEST_PAIRS;

/// `--hidden`. Not by the name of `Vec`, which clap takes for a flag that is given again.
pub type Hidden = Vec<usize>;

/// `--ridges`, likewise.
pub type Grid = Vec<f64>;

/// Of flags that turn something on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

impl From<YesNo> for bool {
    fn from(answer: YesNo) -> Self {
        answer == YesNo::Yes
    }
}

/// A choice of the library by its name.
pub fn named<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| choice.name()))
        .map(|name| T::named(&name).expect("only names of choices pass"))
}

/// A design by its name.
pub fn design() -> impl TypedValueParser<Value = Scenario> {
    let names = Scenario::ALL.map(Scenario::name);
    PossibleValuesParser::new(names)
        .map(|name| Scenario::named(&name).expect("only names of designs pass"))
}

pub fn pairs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count >= FEWEST_PAIRS => Ok(count),
        _ => Err(format!(
            "at least {FEWEST_PAIRS} pairs of half-samples are needed"
        )),
    }
}

pub fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if f64::is_finite(value) && value > 0.0 => Ok(value),
        _ => Err("give a number above 0".into()),
    }
}

/// A folder by its plain name, without `.` and a slash at its end.
pub fn folder(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(text).components().collect())
}
