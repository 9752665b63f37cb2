//! What flags take: names of the library's enums, and values that are read from text.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use threshnet::activation::Activation;
use threshnet::dataset::Task;
use threshnet::loss::Ties;
use threshnet::path::Direction;
use threshnet::settings::{Linear, Merit, Protocol, Rule, Starts, log_grid};
use threshnet::simulate::Design;
use threshnet::stability::FEWEST_PAIRS;

/// Defines the names of a library enum on the command line.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident for $target:ty { $($variant:ident $(= $spelling:literal)? => $value:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($(#[value(name = $spelling)])? $variant),+ }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => $value),+ }
            }
        }
    };
}

names! {
    /// `--task`
    TaskName for Task {
        Regression => Task::Regression,
        Binary => Task::Binary,
        Multiclass => Task::Multiclass,
        Cox => Task::Cox,
    }
}
names! {
    /// `--activation`
    ActivationName for Activation {
        Relu => Activation::Relu,
        Softplus => Activation::Softplus,
        Gelu => Activation::Gelu,
        Tanh => Activation::Tanh,
        Sigmoid => Activation::Sigmoid,
        Selu => Activation::Selu,
    }
}
names! {
    /// `--linear`
    LinearName for Linear {
        Leave => Linear::Leave,
        Compare => Linear::Compare,
        Choose => Linear::Choose,
    }
}
names! {
    /// `--ties`
    TiesName for Ties { Breslow => Ties::Breslow, Efron => Ties::Efron }
}
names! {
    /// `--path`
    PathName for Direction {
        Backward => Direction::Backward,
        Forward => Direction::Forward,
        Cold => Direction::Cold,
    }
}
names! {
    /// `--rule`
    RuleName for Rule { Min => Rule::Min, OneSe = "1se" => Rule::OneStandardError }
}
names! {
    /// `--protocol`
    ProtocolName for Protocol { Paper => Protocol::Paper, Default => Protocol::Default }
}
names! {
    /// Of flags that turn something on or off.
    YesNo for bool { Yes => true, No => false }
}
/// `--penalty`; its concavity is a flag of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PenaltyName {
    Lasso,
    Mcp,
    Scad,
}

/// `--solver`; its settings are flags of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolverName {
    Adam,
    Proximal,
}

/// `--validation`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValidationName {
    Holdout(f64),
    Folds { count: usize, repeats: usize },
    Draws(usize),
    None,
}

/// `--hidden`
#[derive(Debug, Clone)]
pub struct Hidden(pub Vec<usize>);

/// `--ridges`
#[derive(Debug, Clone)]
pub struct Grid(pub Vec<f64>);

/// `--lambdas`
#[derive(Debug, Clone)]
pub enum Lambdas {
    Grid(Grid),
    Auto,
}

/// `--rival`
#[derive(Debug, Clone, PartialEq)]
pub struct RivalName {
    pub penalty: Option<PenaltyName>,
    pub hidden: Option<Vec<usize>>,
}

pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".into()),
        Ok(number) => Ok(number),
    }
}

/// A design by its name.
pub fn design() -> impl TypedValueParser<Value = Design> {
    let names = Design::ALL.map(Design::name);
    PossibleValuesParser::new(names)
        .map(|name| Design::named(&name).expect("only names of designs pass"))
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

pub fn hidden(text: &str) -> Result<Hidden, String> {
    if text == "none" {
        return Ok(Hidden(vec![]));
    }
    let widths: Result<Vec<usize>, String> = text.split(',').map(|w| positive(w.trim())).collect();
    widths.map(Hidden).map_err(|_| {
        "give the width of each hidden layer, at least 1, such as 10,5; or `none` for a linear model"
            .into()
    })
}

pub fn grid(text: &str) -> Result<Grid, String> {
    let number = |text: &str| -> Result<f64, String> {
        text.trim()
            .parse()
            .map_err(|_| format!("{text:?} is not a number"))
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [list] => list
            .split(',')
            .map(number)
            .collect::<Result<_, _>>()
            .map(Grid),
        [min, max, count] => {
            let (min, max, count) = (number(min)?, number(max)?, positive(count)?);
            let ordered = if count == 1 { min == max } else { min < max };
            if !(min > 0.0 && max.is_finite() && ordered) {
                return Err("MIN:MAX:COUNT needs 0 < MIN < MAX, since it is a log scale".into());
            }
            Ok(Grid(log_grid(min, max, count)))
        }
        _ => Err("give a list such as 0.01,0.05 or MIN:MAX:COUNT".into()),
    }
}

pub fn lambdas(text: &str) -> Result<Lambdas, String> {
    match text {
        "auto" => Ok(Lambdas::Auto),
        _ => grid(text).map(Lambdas::Grid),
    }
}

pub fn starts(text: &str) -> Result<Starts, String> {
    let (count, by) = text.split_once(':').unwrap_or((text, "validation"));
    let by = match by {
        "validation" => Merit::Validation,
        "objective" => Merit::Objective,
        _ => return Err("give a number, or one with `:objective` or `:validation`".into()),
    };
    positive(count).map(|count| Starts { count, by })
}

pub fn rival(text: &str) -> Result<RivalName, String> {
    let penalty = |name: &str| PenaltyName::from_str(name, false);
    let widths = |text: &str| match hidden(text) {
        Ok(Hidden(widths)) if !widths.is_empty() => Ok(widths),
        Ok(_) => Err("linear models take part by --linear".into()),
        Err(_) => Err(format!(
            "{text:?} is neither widths such as 10,5 nor lasso, mcp or scad"
        )),
    };
    match (text.split_once(':'), penalty(text)) {
        (Some((name, rest)), _) => Ok(RivalName {
            penalty: Some(penalty(name)?),
            hidden: Some(widths(rest)?),
        }),
        (None, Ok(penalty)) => Ok(RivalName {
            penalty: Some(penalty),
            hidden: None,
        }),
        (None, Err(_)) => Ok(RivalName {
            penalty: None,
            hidden: Some(widths(text)?),
        }),
    }
}

pub fn validation(text: &str) -> Result<ValidationName, String> {
    let problem = || {
        "give `holdout:SHARE` (such as holdout:0.2), `cv:FOLDS`, `cv:FOLDSxREPEATS`, `draws:COUNT` or `none`"
            .to_string()
    };
    match text.split_once(':') {
        None if text == "none" => Ok(ValidationName::None),
        Some(("holdout", share)) => share
            .parse()
            .map(ValidationName::Holdout)
            .map_err(|_| problem()),
        Some(("cv", folds)) => {
            let (count, repeats) = folds.split_once('x').unwrap_or((folds, "1"));
            match (count.parse(), repeats.parse()) {
                (Ok(count), Ok(repeats)) => Ok(ValidationName::Folds { count, repeats }),
                _ => Err(problem()),
            }
        }
        Some(("draws", count)) => count
            .parse()
            .map(ValidationName::Draws)
            .map_err(|_| problem()),
        _ => Err(problem()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids() {
        assert_eq!(grid("0.1,0.2").unwrap().0, [0.1, 0.2]);
        assert_eq!(grid("0.5:0.5:1").unwrap().0, [0.5]);
        let log = grid("0.01:1:3").unwrap().0;
        assert!((log[1] - 0.1).abs() < 1e-15 && log[2] == 1.0);
        for bad in [
            "",
            "a",
            "0.1,,0.2",
            "0:1:5",
            "1:0.1:5",
            "0.1:1:0",
            "0.1:1",
            "1:2:3:4",
            "0.1:0.2:1",
            "nan:1:3",
        ] {
            assert!(grid(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn starts_and_rivals() {
        let of = |count, by| Starts { count, by };
        assert_eq!(starts("3").unwrap(), of(3, Merit::Validation));
        assert_eq!(starts("5:objective").unwrap(), of(5, Merit::Objective));
        for bad in ["0", "x", "3:", "3:luck", ":objective"] {
            assert!(starts(bad).is_err(), "{bad}");
        }
        let of = |penalty, hidden: Option<&[usize]>| RivalName {
            penalty,
            hidden: hidden.map(<[usize]>::to_vec),
        };
        let scad = Some(PenaltyName::Scad);
        assert_eq!(rival("scad").unwrap(), of(scad, None));
        assert_eq!(rival("20,10").unwrap(), of(None, Some(&[20, 10])));
        assert_eq!(rival("scad:10").unwrap(), of(scad, Some(&[10])));
        for bad in ["", "none", "ridge", "scad:", "scad:none", "10:scad", "0"] {
            assert!(rival(bad).is_err(), "{bad}");
        }
        assert!(matches!(lambdas("auto"), Ok(Lambdas::Auto)));
    }

    #[test]
    fn widths_and_validation() {
        assert_eq!(hidden("10,5").unwrap().0, [10, 5]);
        assert!(hidden("none").unwrap().0.is_empty());
        for bad in ["0", "10,0", "", "10,", "-1", "x"] {
            assert!(hidden(bad).is_err(), "{bad}");
        }
        let folds = |count, repeats| ValidationName::Folds { count, repeats };
        assert_eq!(validation("cv:5").unwrap(), folds(5, 1));
        assert_eq!(validation("cv:10x3").unwrap(), folds(10, 3));
        assert_eq!(validation("draws:10").unwrap(), ValidationName::Draws(10));
        assert_eq!(
            validation("holdout:0.3").unwrap(),
            ValidationName::Holdout(0.3)
        );
        for bad in [
            "cv", "cv:x", "cv:5x", "cv:5x2x2", "holdout", "hold:0.2", "none:1", "draws", "draws:-1",
        ] {
            assert!(validation(bad).is_err(), "{bad}");
        }
    }
}
