//! All that is wrong with a file, told at once, and what to do about cells that are no numbers.

use super::column::Column;
use super::header::Header;
use super::wording::{count, quoted};
use crate::cell::{Oddity, decimal_point, has_thousands};
use anyhow::{Result, bail};

/// How many columns are listed with their counts.
const LISTED: usize = 20;

/// Cells of a column of which something holds.
pub struct Spread<'a> {
    /// The column's name.
    pub name: &'a str,
    /// The row of the first of them.
    pub row: usize,
    /// How many there are.
    pub count: usize,
    /// What is in the first.
    pub cell: &'a str,
    /// The column.
    pub column: &'a Column,
}

/// That a cell is one of many, and how many each column has; nothing if it is the only one.
pub fn tally(spread: &[Spread]) -> String {
    match spread.iter().map(|of| of.count).sum() {
        1 => String::new(),
        all => format!(", the first of {all} such cells {}", by_column(spread)),
    }
}

/// How many cells each column has.
pub fn by_column(spread: &[Spread]) -> String {
    let each: Vec<String> = (spread.iter().take(LISTED))
        .map(|of| format!("{} ({})", of.name.replace('\n', " "), of.count))
        .collect();
    let more = if spread.len() > LISTED { ", …" } else { "" };
    let columns = count(spread.len(), "column");
    format!("in {columns}: {}{more}", each.join(", "))
}

/// What is wrong with a cell that looks like this and should be a number, and what to do about it.
pub fn explained(oddity: Oddity, cell: &str) -> (String, String) {
    let shown = quoted(cell);
    match oddity {
        Oddity::Comma => {
            let mut ways = vec![];
            if decimal_point(cell).is_some() {
                ways.push("--decimal , if it stands before decimals");
            }
            if has_thousands(cell) {
                ways.push("--decimal . if it divides thousands");
            }
            (
                format!("{shown} has a comma"),
                format!("say {}", ways.join(", ")),
            )
        }
        Oddity::Below => (
            format!("{shown} is no more than a limit"),
            "write a number there, or say --censored-cells half for half of the limit".into(),
        ),
        Oddity::Above => (
            format!("{shown} is no more than a limit"),
            "write a number there".into(),
        ),
        Oddity::Date => (
            format!("{shown} is a date"),
            "write a number in its place, such as the days since a fixed day".into(),
        ),
        Oddity::Text => (
            format!("{shown} is not a number"),
            "write a number there".into(),
        ),
    }
}

impl Header {
    /// One error for all that is wrong with this file, if something is.
    pub fn refuse(&self, troubles: &[String]) -> Result<()> {
        match troubles {
            [] => Ok(()),
            [only] => Err(self.error(only)),
            many => {
                let listed: Vec<String> = (many.iter().enumerate())
                    .map(|(number, trouble)| format!("({}) {trouble}", number + 1))
                    .collect();
                Err(self.error(format_args!(
                    "{} problems: {}",
                    many.len(),
                    listed.join("; ")
                )))
            }
        }
    }

    /// The same with what is wrong with an outcome, which may be in another file.
    pub fn refuse_all<T>(&self, outcome: Result<T>, mut troubles: Vec<String>) -> Result<T> {
        let error = match outcome {
            Ok(outcome) => {
                self.refuse(&troubles)?;
                return Ok(outcome);
            }
            Err(error) => error,
        };
        if troubles.is_empty() {
            return Err(error);
        }
        let own = format!("{}: ", self.path().display());
        let problem = format!("{error:#}");
        troubles.insert(
            0,
            problem.strip_prefix(&own).unwrap_or(&problem).to_string(),
        );
        self.refuse(&troubles)?;
        bail!("{problem}")
    }
}
