//! Settings that are typed as text, such as `cv:5` or `0.01,0.05`: so that every front end
//! reads them, and refuses them, in the same words.

use super::log_grid;
use super::request::ValidationName;

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

/// How λ and ridge are chosen: `holdout:0.2`, `cv:5`, `draws:12` or `none`.
pub fn validation(text: &str) -> Read<ValidationName> {
    let problem = || {
        "give `holdout:SHARE` (such as holdout:0.2), `cv:FOLDS`, `draws:COUNT` or `none`"
            .to_string()
    };
    match text.split_once(':') {
        None if text == "none" => Ok(ValidationName::None),
        Some(("holdout", share)) => share
            .parse()
            .map(ValidationName::Holdout)
            .map_err(|_| problem()),
        Some(("cv", count)) => count
            .parse()
            .map(ValidationName::Folds)
            .map_err(|_| problem()),
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
    }

    #[test]
    fn widths_and_validation() {
        assert_eq!(hidden("10,5").unwrap(), [10, 5]);
        assert!(hidden("none").unwrap().is_empty());
        for bad in ["0", "10,0", "", "10,", "-1", "x"] {
            assert!(hidden(bad).is_err(), "{bad}");
        }
        assert_eq!(validation("cv:5").unwrap(), ValidationName::Folds(5));
        assert_eq!(validation("draws:10").unwrap(), ValidationName::Draws(10));
        assert_eq!(
            validation("holdout:0.3").unwrap(),
            ValidationName::Holdout(0.3)
        );
        for bad in [
            "cv", "cv:x", "cv:5x3", "holdout", "hold:0.2", "none:1", "draws", "draws:-1",
        ] {
            assert!(validation(bad).is_err(), "{bad}");
        }
    }
}
