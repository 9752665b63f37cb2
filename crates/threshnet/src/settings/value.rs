//! Values of settings as front ends have them, typed or written, and what becomes of them: so
//! that every front end reads the same words, and refuses them in the same words.

use super::request::ValidationName;
use super::setting::{Range, Takes};
use super::{LONGEST_GRID, log_grid};
use crate::dataset::Missing;
use crate::model::Model;
use serde_json::json;
use std::fmt;

/// A value on its way from a user to a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A word or a text form such as `cv:5`; every setting but a model can be written.
    Text(String),
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i128),
    /// Yes or no.
    YesNo(bool),
    /// Numbers.
    Numbers(Vec<f64>),
    /// A model.
    Model(Box<Model>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{text}"),
            // (200.0 is refused as a whole number for its point)
            Value::Number(x) => write!(f, "{x:?}"),
            Value::Whole(x) => write!(f, "{x}"),
            Value::YesNo(yes) => write!(f, "{}", if *yes { "yes" } else { "no" }),
            Value::Numbers(values) => write!(f, "{values:?}"),
            Value::Model(_) => write!(f, "a model"),
        }
    }
}

/// What a setting can be.
pub trait Typed: Sized {
    /// What it takes.
    const TAKES: Takes;

    /// From what a front end has; else what is wrong, or nothing where the range says enough.
    fn read(value: Value) -> Result<Self, String>;

    /// For the record; null where it is left to the protocol.
    fn shown(&self) -> serde_json::Value;

    /// The numbers in it that a range is for.
    fn numbers(&self) -> Vec<f64> {
        vec![]
    }
}

impl<T: Typed> Typed for Option<T> {
    const TAKES: Takes = T::TAKES;

    fn read(value: Value) -> Result<Self, String> {
        T::read(value).map(Some)
    }

    fn shown(&self) -> serde_json::Value {
        self.as_ref().map_or(serde_json::Value::Null, T::shown)
    }

    fn numbers(&self) -> Vec<f64> {
        self.as_ref().map_or(vec![], T::numbers)
    }
}

impl Typed for f64 {
    const TAKES: Takes = Takes::Number;

    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::Number(x) => Ok(x),
            Value::Whole(x) => Ok(x as f64),
            Value::Text(text) => text.trim().parse().map_err(|_| String::new()),
            _ => Err(String::new()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(self)
    }

    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

/// Whole numbers are read wide, so that one beyond its range is refused as such.
macro_rules! whole {
    ($($type:ty),+) => {$(
        impl Typed for $type {
            const TAKES: Takes = Takes::Whole;

            fn read(value: Value) -> Result<Self, String> {
                let number = match value {
                    Value::Whole(x) => Some(x),
                    Value::Text(text) => text.trim().parse().ok(),
                    _ => None,
                };
                number.and_then(|x| x.try_into().ok()).ok_or_else(String::new)
            }

            fn shown(&self) -> serde_json::Value {
                json!(self)
            }

            fn numbers(&self) -> Vec<f64> {
                vec![*self as f64]
            }
        }
    )+};
}

whole!(usize, u64);

impl Typed for bool {
    const TAKES: Takes = Takes::YesNo;

    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::YesNo(yes) => Ok(yes),
            Value::Text(text) if text == "yes" => Ok(true),
            Value::Text(text) if text == "no" => Ok(false),
            other => Err(format!("{other} is neither yes nor no")),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(self)
    }
}

/// Widths of hidden layers: `10,5`, or `none`.
impl Typed for Vec<usize> {
    const TAKES: Takes = Takes::Widths;

    fn read(value: Value) -> Result<Self, String> {
        let problem = || "give the width of each hidden layer, such as 10,5".to_string();
        match value {
            Value::Text(text) if text == "none" => Ok(vec![]),
            Value::Text(text) => text
                .split(',')
                .map(|width| width.trim().parse().map_err(|_| problem()))
                .collect(),
            Value::Whole(width) => usize::try_from(width)
                .map(|w| vec![w])
                .map_err(|_| problem()),
            Value::Numbers(widths) if widths.iter().all(|w| *w >= 0.0 && w.fract() == 0.0) => {
                Ok(widths.into_iter().map(|width| width as usize).collect())
            }
            _ => Err(problem()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(self)
    }

    fn numbers(&self) -> Vec<f64> {
        self.iter().map(|&width| width as f64).collect()
    }
}

/// Values of λ or the ridge: `0.01,0.05`, or `MIN:MAX:COUNT` on a log scale.
impl Typed for Vec<f64> {
    const TAKES: Takes = Takes::Grid;

    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::Numbers(values) => Ok(values),
            Value::Number(value) => Ok(vec![value]),
            Value::Whole(value) => Ok(vec![value as f64]),
            Value::Text(text) => grid(&text),
            _ => Err("give numbers such as 0.01,0.05, or MIN:MAX:COUNT".into()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(self)
    }

    fn numbers(&self) -> Vec<f64> {
        self.clone()
    }
}

fn grid(text: &str) -> Result<Vec<f64>, String> {
    let number = |text: &str| -> Result<f64, String> {
        (text.trim().parse()).map_err(|_| format!("{text:?} is not a number"))
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [list] => list.split(',').map(number).collect(),
        [min, max, count] => {
            let (min, max) = (number(min)?, number(max)?);
            let counts = Range::from_to(1.0, LONGEST_GRID as f64);
            let count = match count.trim().parse::<i128>() {
                Ok(count) if counts.contains(count as f64) => count as usize,
                _ => return Err(format!("COUNT is a whole number {counts}, not {count}")),
            };
            let ordered = if count == 1 { min == max } else { min < max };
            if !(min > 0.0 && max.is_finite() && ordered) {
                return Err(
                    "MIN:MAX:COUNT needs 0 < MIN < MAX, since it is a log scale (and MIN = MAX for \
                     a COUNT of 1)"
                        .into(),
                );
            }
            Ok(log_grid(min, max, count))
        }
        _ => Err("give a list such as 0.01,0.05 or MIN:MAX:COUNT".into()),
    }
}

/// How many folds or draws there can be.
pub(super) const SPLITS: Range = Range::from_to(2.0, 1000.0);

/// How λ and ridge are chosen: `holdout:0.2`, `cv:5`, `draws:12` or `none`.
impl Typed for ValidationName {
    const TAKES: Takes = Takes::Form;

    fn read(value: Value) -> Result<Self, String> {
        let problem = "give `holdout:SHARE` (such as holdout:0.2), `cv:FOLDS`, `draws:COUNT` or \
                       `none`";
        let Value::Text(text) = value else {
            return Err(problem.into());
        };
        let count = |what: &str, count: &str| -> Result<usize, String> {
            match count.parse::<i128>() {
                Ok(count) if SPLITS.contains(count as f64) => Ok(count as usize),
                Ok(count) => Err(format!("{what} {SPLITS} are possible, not {count}")),
                Err(_) => Err(problem.into()),
            }
        };
        match text.split_once(':') {
            None if text == "none" => Ok(ValidationName::None),
            Some(("holdout", share)) => match share.parse() {
                Ok(share) if Range::between(0.0, 1.0).contains(share) => {
                    Ok(ValidationName::Holdout(share))
                }
                Ok(share) => Err(format!("cannot hold out a share of {share}")),
                Err(_) => Err(problem.into()),
            },
            Some(("cv", folds)) => count("folds", folds).map(ValidationName::Folds),
            Some(("draws", draws)) => count("draws", draws).map(ValidationName::Draws),
            _ => Err(problem.into()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(match self {
            ValidationName::Holdout(share) => format!("holdout:{share}"),
            ValidationName::Folds(count) => format!("cv:{count}"),
            ValidationName::Draws(count) => format!("draws:{count}"),
            ValidationName::None => "none".into(),
        })
    }
}

/// `error`, `impute`, `multiple:CHAINS` or `drop`.
impl Typed for Missing {
    const TAKES: Takes = Takes::Form;

    fn read(value: Value) -> Result<Self, String> {
        const CHAINS: Range = Range::from_to(2.0, 1000.0);
        let problem = || {
            format!(
                "{value} is none of error, impute, drop and multiple:CHAINS (such as multiple:10)"
            )
        };
        let Value::Text(text) = &value else {
            return Err(problem());
        };
        match (&text[..], text.strip_prefix("multiple:")) {
            ("error", _) => Ok(Missing::Error),
            ("impute", _) => Ok(Missing::Impute),
            ("drop", _) => Ok(Missing::Drop),
            (_, Some(chains)) => match chains.parse::<usize>() {
                Ok(chains) if CHAINS.contains(chains as f64) => Ok(Missing::Multiple(chains)),
                Ok(chains) => Err(format!("chains {CHAINS} are possible, not {chains}")),
                Err(_) => Err(problem()),
            },
            _ => Err(problem()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(match self {
            Missing::Error => "error".into(),
            Missing::Impute => "impute".into(),
            Missing::Multiple(chains) => format!("multiple:{chains}"),
            Missing::Drop => "drop".into(),
        })
    }
}

impl Typed for Model {
    const TAKES: Takes = Takes::Model;

    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::Model(model) => Ok(*model),
            _ => Err("a fitted model is needed".into()),
        }
    }

    /// What it is, not all of its weights.
    fn shown(&self) -> serde_json::Value {
        json!(format!("a model of {} columns", self.selected().len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: Typed>(text: &str) -> Result<T, String> {
        T::read(Value::Text(text.into()))
    }

    #[test]
    fn grids() {
        assert_eq!(grid("0.1,0.2").unwrap(), [0.1, 0.2]);
        assert_eq!(grid("0.5:0.5:1").unwrap(), [0.5]);
        let log = grid("0.01:1:3").unwrap();
        assert!((log[1] - 0.1).abs() < 1e-15 && log[2] == 1.0);
        for bad in [
            "",
            "a",
            "auto",
            "0.1,,0.2",
            "0:1:5",
            "1:0.1:5",
            "0.1:1:0",
            "0.1:1",
            "1:2:3:4",
            "0.1:0.2:1",
            "nan:1:3",
            "1e-3:0.5:1000000000",
        ] {
            assert!(grid(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn widths_and_validation() {
        assert_eq!(text::<Vec<usize>>("10,5").unwrap(), [10, 5]);
        assert!(text::<Vec<usize>>("none").unwrap().is_empty());
        for bad in ["", "10,", "-1", "x", "1.5"] {
            assert!(text::<Vec<usize>>(bad).is_err(), "{bad}");
        }
        let folds = ValidationName::Folds(5);
        assert_eq!(text("cv:5"), Ok(folds));
        assert_eq!(text("draws:10"), Ok(ValidationName::Draws(10)));
        assert_eq!(text("holdout:0.3"), Ok(ValidationName::Holdout(0.3)));
        for bad in [
            "cv",
            "cv:x",
            "cv:1",
            "cv:5x3",
            "holdout",
            "holdout:1",
            "hold:0.2",
            "none:1",
            "draws",
            "draws:-1",
            "draws:1000000000",
        ] {
            assert!(text::<ValidationName>(bad).is_err(), "{bad}");
        }
        for name in ["cv:5", "draws:10", "holdout:0.3", "none"] {
            let read: ValidationName = text(name).unwrap();
            assert_eq!(read.shown(), name);
        }
    }

    #[test]
    fn numbers_beyond_all_bounds_are_no_numbers() {
        for bad in ["1e19", "99999999999999999999", "-1", "1.5", "many"] {
            assert!(text::<usize>(bad).is_err(), "{bad}");
        }
        assert!(usize::read(Value::Number(2.0)).is_err());
        assert!(f64::read(Value::Whole(2)) == Ok(2.0) && text::<f64>("x").is_err());
        assert!(text::<bool>("true").is_err() && bool::read(Value::Whole(1)).is_err());
    }
}
