//! Settings that are typed as text, such as `cv:5` or `0.01,0.05`: so that every front end
//! reads them, and refuses them, in the same words.

use super::request::{Lambdas, PenaltyName, ValidationName};
use super::{Merit, Named, Rival, Starts, log_grid};

/// What is wrong with the text where it cannot be read.
type Read<T> = Result<T, String>;

/// A count: `1` and above.
pub fn positive(text: &str) -> Read<usize> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".into()),
        Ok(number) => Ok(number),
    }
}

/// Widths of hidden layers: `10,5`, or `none`.
pub fn hidden(text: &str) -> Read<Vec<usize>> {
    if text == "none" {
        return Ok(vec![]);
    }
    let widths: Read<Vec<usize>> = text.split(',').map(|w| positive(w.trim())).collect();
    widths.map_err(|_| {
        "give the width of each hidden layer, at least 1, such as 10,5; or `none` for a linear model"
            .into()
    })
}

/// Values of λ or the ridge: `0.01,0.05`, or `MIN:MAX:COUNT` on a log scale.
pub fn grid(text: &str) -> Read<Vec<f64>> {
    let number = |text: &str| -> Read<f64> {
        text.trim()
            .parse()
            .map_err(|_| format!("{text:?} is not a number"))
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [list] => list.split(',').map(number).collect(),
        [min, max, count] => {
            let (min, max, count) = (number(min)?, number(max)?, positive(count)?);
            let ordered = if count == 1 { min == max } else { min < max };
            if !(min > 0.0 && max.is_finite() && ordered) {
                return Err("MIN:MAX:COUNT needs 0 < MIN < MAX, since it is a log scale".into());
            }
            Ok(log_grid(min, max, count))
        }
        _ => Err("give a list such as 0.01,0.05 or MIN:MAX:COUNT".into()),
    }
}

/// λs: `auto`, or a [`grid`].
pub fn lambdas(text: &str) -> Read<Lambdas> {
    match text {
        "auto" => Ok(Lambdas::Auto),
        _ => grid(text).map(Lambdas::Grid),
    }
}

/// Random starts: `3`, or `5:objective`.
pub fn starts(text: &str) -> Read<Starts> {
    let (count, by) = text.split_once(':').unwrap_or((text, "validation"));
    let by = match by {
        "validation" => Merit::Validation,
        "objective" => Merit::Objective,
        _ => return Err("give a number, or one with `:objective` or `:validation`".into()),
    };
    positive(count).map(|count| Starts { count, by })
}

/// A rival network: widths as `10`, a penalty as `scad`, or both as `scad:10,5`.
pub fn rival(text: &str) -> Read<Rival> {
    let penalty = |name: &str| PenaltyName::named(name).map(PenaltyName::usual);
    let widths = |text: &str| match hidden(text) {
        Ok(widths) if !widths.is_empty() => Ok(widths),
        Ok(_) => Err("linear models take part by --linear".into()),
        Err(_) => Err(format!(
            "{text:?} is neither widths such as 10,5 nor lasso, mcp or scad"
        )),
    };
    match (text.split_once(':'), penalty(text)) {
        (Some((name, rest)), _) => Ok(Rival {
            penalty: Some(penalty(name).ok_or_else(|| format!("invalid variant: {name}"))?),
            hidden: Some(widths(rest)?),
        }),
        (None, Some(penalty)) => Ok(Rival {
            penalty: Some(penalty),
            hidden: None,
        }),
        (None, None) => Ok(Rival {
            penalty: None,
            hidden: Some(widths(text)?),
        }),
    }
}

/// How λ and ridge are chosen: `holdout:0.2`, `cv:5`, `cv:5x3`, `draws:12` or `none`.
pub fn validation(text: &str) -> Read<ValidationName> {
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
    use crate::penalty::Penalty;

    #[test]
    fn grids() {
        assert_eq!(grid("0.1,0.2").unwrap(), [0.1, 0.2]);
        assert_eq!(grid("0.5:0.5:1").unwrap(), [0.5]);
        let log = grid("0.01:1:3").unwrap();
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
        assert_eq!(lambdas("auto"), Ok(Lambdas::Auto));
        assert_eq!(lambdas("0.1"), Ok(Lambdas::Grid(vec![0.1])));
    }

    #[test]
    fn starts_and_rivals() {
        let of = |count, by| Starts { count, by };
        assert_eq!(starts("3").unwrap(), of(3, Merit::Validation));
        assert_eq!(starts("5:objective").unwrap(), of(5, Merit::Objective));
        for bad in ["0", "x", "3:", "3:luck", ":objective"] {
            assert!(starts(bad).is_err(), "{bad}");
        }
        let of = |penalty, hidden: Option<&[usize]>| Rival {
            penalty,
            hidden: hidden.map(<[usize]>::to_vec),
        };
        let scad = Some(Penalty::SCAD);
        assert_eq!(rival("scad").unwrap(), of(scad, None));
        assert_eq!(rival("20,10").unwrap(), of(None, Some(&[20, 10])));
        assert_eq!(rival("scad:10").unwrap(), of(scad, Some(&[10])));
        for bad in ["", "none", "ridge", "scad:", "scad:none", "10:scad", "0"] {
            assert!(rival(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn widths_and_validation() {
        assert_eq!(hidden("10,5").unwrap(), [10, 5]);
        assert!(hidden("none").unwrap().is_empty());
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
