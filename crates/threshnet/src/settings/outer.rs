//! How the whole procedure is validated from outside.

use super::Range;
use super::setting::Takes;
use super::value::{SPLITS, Typed, Value};
use serde_json::json;
use std::fmt;

/// How often folds may be drawn anew.
const REPEATS: Range = Range::from_to(1.0, 1000.0);
/// How many bootstrap samples there can be.
const SAMPLES: Range = Range::from_to(10.0, 10_000.0);

/// The outer splits, in each of which everything is done again (see
/// [`validate`](mod@crate::validate)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outer {
    /// Stratified folds, drawn `repeats` times.
    Folds {
        /// At least 2.
        count: usize,
        /// At least 1.
        repeats: usize,
    },
    /// So many bootstrap samples.
    Bootstrap {
        /// At least 10.
        count: usize,
    },
}

impl Outer {
    /// How many times the procedure is run.
    pub fn splits(self) -> usize {
        match self {
            Outer::Folds { count, repeats } => count * repeats,
            Outer::Bootstrap { count } => count,
        }
    }
}

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Outer::Folds { count, repeats: 1 } => write!(f, "cv:{count}"),
            Outer::Folds { count, repeats } => write!(f, "cv:{count}x{repeats}"),
            Outer::Bootstrap { count } => write!(f, "boot:{count}"),
        }
    }
}

/// `cv:5`, `cv:5x10` or `boot:200`.
impl Typed for Outer {
    const TAKES: Takes = Takes::Form;

    fn read(value: Value) -> Result<Self, String> {
        let problem = "give `cv:FOLDS`, `cv:FOLDSxREPEATS` or `boot:SAMPLES`";
        let Value::Text(text) = value else {
            return Err(problem.into());
        };
        let count = |what: &str, range: Range, text: &str| -> Result<usize, String> {
            match text.parse::<i128>() {
                Ok(count) if range.contains(count as f64) => Ok(count as usize),
                Ok(count) => Err(format!("{what} {range} are possible, not {count}")),
                Err(_) => Err(problem.into()),
            }
        };
        match text.split_once(':') {
            Some(("cv", folds)) => {
                let (folds, repeats) = folds.split_once('x').unwrap_or((folds, "1"));
                Ok(Outer::Folds {
                    count: count("folds", SPLITS, folds)?,
                    repeats: count("repeats", REPEATS, repeats)?,
                })
            }
            Some(("boot", samples)) => Ok(Outer::Bootstrap {
                count: count("bootstrap samples", SAMPLES, samples)?,
            }),
            _ => Err(problem.into()),
        }
    }

    fn shown(&self) -> serde_json::Value {
        json!(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_splits_are_read_as_they_are_shown() {
        let read = |text: &str| Outer::read(Value::Text(text.into()));
        for (text, splits) in [("cv:5", 5), ("cv:5x10", 50), ("boot:200", 200)] {
            let outer = read(text).unwrap();
            assert_eq!((outer.to_string(), outer.splits()), (text.into(), splits));
            assert_eq!(outer.shown(), text);
        }
        for bad in [
            "cv",
            "cv:1",
            "cv:5x0",
            "cv:5x",
            "cv:x5",
            "boot",
            "boot:5",
            "boot:20000",
            "draws:12",
            "none",
            "cv:5x10x2",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(Outer::read(Value::Whole(5)).is_err());
    }
}
