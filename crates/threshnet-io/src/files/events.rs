//! How files say that an event happened: 1 and 0, R's 2 and 1, true and false, words.

use std::collections::BTreeSet;

/// Words that an event begins with, in lower case.
const HAPPENED: [&str; 10] = [
    "dead", "deceased", "died", "death", "true", "yes", "event", "recur", "relaps", "progress",
];

/// Words that a censored row begins with.
const CENSORED: [&str; 8] = [
    "alive",
    "living",
    "censored",
    "false",
    "no",
    "disease free",
    "diseasefree",
    "disease-free",
];

/// How the cells of a column say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// 1 and 0.
    OneZero,
    /// 2 and 1.
    TwoOne,
    /// Words, maybe with 1: or 0: before them.
    Words,
}

impl Coding {
    /// That of these cells.
    pub fn of<S: AsRef<str>>(cells: &[S]) -> Coding {
        let numbers: Option<Vec<f64>> = distinct(cells)
            .iter()
            .map(|cell| cell.parse().ok())
            .collect();
        match numbers {
            None if cells
                .iter()
                .any(|cell| cell.as_ref().parse::<f64>().is_ok()) =>
            {
                Coding::OneZero
            }
            None => Coding::Words,
            Some(numbers) => {
                let is_r = numbers.contains(&2.0) && numbers.iter().all(|n| [1.0, 2.0].contains(n));
                if is_r {
                    Coding::TwoOne
                } else {
                    Coding::OneZero
                }
            }
        }
    }

    /// Whether a cell says that the event happened; nothing if it says neither.
    pub fn event(self, cell: &str) -> Option<bool> {
        let number = |yes: f64, no: f64| match cell.parse::<f64>() {
            Ok(value) if value == yes => Some(true),
            Ok(value) if value == no => Some(false),
            _ => None,
        };
        match self {
            Coding::OneZero => number(1.0, 0.0),
            Coding::TwoOne => number(2.0, 1.0),
            Coding::Words => word(cell),
        }
    }

    /// How these cells are read, in words, if it is not 1 and 0.
    pub fn said<S: AsRef<str>>(cells: &[S]) -> Option<String> {
        let coding = Coding::of(cells);
        let of = |wanted: bool| -> Vec<String> {
            let all = distinct(cells).into_iter();
            all.filter(|cell| coding.event(cell) == Some(wanted))
                .map(String::from)
                .collect()
        };
        (coding != Coding::OneZero).then(|| {
            let list = |cells: Vec<String>| match cells.is_empty() {
                true => "nothing".to_string(),
                false => cells.join(", "),
            };
            format!(
                "read as {} = happened, {} = censored",
                list(of(true)),
                list(of(false))
            )
        })
    }
}

fn distinct<S: AsRef<str>>(cells: &[S]) -> BTreeSet<&str> {
    cells.iter().map(AsRef::as_ref).collect()
}

/// What a word says.
fn word(cell: &str) -> Option<bool> {
    let lower = cell.trim().to_lowercase();
    match lower.split_once([':', '=']) {
        Some(("1", _)) => return Some(true),
        Some(("0", _)) => return Some(false),
        _ => {}
    }
    match &lower[..] {
        "t" | "y" => return Some(true),
        "f" | "n" => return Some(false),
        _ => {}
    }
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    match (begins(&HAPPENED), begins(&CENSORED)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_in_every_usual_way() {
        for (cells, events) in [
            ("1 0 1", Some(vec![true, false, true])),
            ("1.0 0", Some(vec![true, false])),
            ("2 1 2", Some(vec![true, false, true])),
            ("1 1", Some(vec![true, true])),
            ("TRUE FALSE", Some(vec![true, false])),
            ("0:LIVING 1:DECEASED", Some(vec![false, true])),
            (
                "1:Recurred/Progressed 0:DiseaseFree",
                Some(vec![true, false]),
            ),
            ("alive dead", Some(vec![false, true])),
            ("Died Living", Some(vec![true, false])),
            ("0 1 2", None),
            ("1 yes 0", None),
            ("maybe dead", None),
        ] {
            let cells: Vec<&str> = cells.split(' ').collect();
            let coding = Coding::of(&cells);
            let found: Option<Vec<bool>> = cells.iter().map(|cell| coding.event(cell)).collect();
            assert_eq!(found, events, "{cells:?}");
        }
        assert_eq!(Coding::said(&["1", "0"]), None);
        let said = Coding::said(&["2", "1", "1"]).unwrap();
        assert_eq!(said, "read as 2 = happened, 1 = censored");
    }
}
