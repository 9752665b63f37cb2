//! Cells that are neither a number nor missing: what they look like.

use super::{decimal_point, has_thousands, parse};

/// What a cell of text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// A number with a decimal comma, or with commas between thousands.
    Comma,
    /// A limit that the value is below, such as `<5`.
    Below,
    /// A limit that it is above, such as `>100`.
    Above,
    /// A date.
    Date,
    /// Anything else.
    Text,
}

impl Oddity {
    /// What this cell looks like.
    pub fn of(cell: &str) -> Oddity {
        match cell.chars().next() {
            Some('<' | '≤') if limit_above(cell).is_some_and(is_number) => Oddity::Below,
            Some('>' | '≥') if limit_below(cell).is_some_and(is_number) => Oddity::Above,
            Some('0'..='9' | '-' | '+' | ',' | '.') if is_number(cell) => Oddity::Comma,
            Some('0'..='9') if is_date(cell) => Oddity::Date,
            _ => Oddity::Text,
        }
    }
}

/// The limit that a cell says its value is below.
pub fn limit_above(cell: &str) -> Option<&str> {
    limit(cell, ['<', '≤'])
}

fn limit_below(cell: &str) -> Option<&str> {
    limit(cell, ['>', '≥'])
}

fn limit(cell: &str, signs: [char; 2]) -> Option<&str> {
    let rest = cell.strip_prefix(signs)?;
    Some(rest.strip_prefix('=').unwrap_or(rest).trim_start())
}

/// Whether this is a number in one of the ways in which files write numbers.
fn is_number(cell: &str) -> bool {
    parse(cell).is_some_and(f64::is_finite) || decimal_point(cell).is_some() || has_thousands(cell)
}

/// Whether this is a date: a day, a month and a year in any order, and maybe a time behind it.
fn is_date(cell: &str) -> bool {
    let date = cell.split(['T', ' ']).next().unwrap_or_default();
    let divider = date.chars().find(|c| !c.is_ascii_digit());
    let Some(divider) = divider.filter(|c| ['-', '/', '.'].contains(c)) else {
        return false;
    };
    let parts: Vec<&str> = date.trim_end_matches('.').split(divider).collect();
    let [first, middle, last] = parts[..] else {
        return false;
    };
    let within = |part: &str, most: u32| {
        part.len() <= 2 && part.parse::<u32>().is_ok_and(|n| (1..=most).contains(&n))
    };
    let day = |part: &str| within(part, 31);
    let month = |part: &str| {
        within(part, 12) || (part.chars().count() >= 3 && part.chars().all(char::is_alphabetic))
    };
    let year =
        |part: &str| [2, 4].contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
    (year(first) && first.len() == 4 && month(middle) && day(last))
        || (day(first) && month(middle) && year(last))
        || (month(first) && day(middle) && year(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_cells_are_told_apart() {
        for (cell, oddity) in [
            ("1,5", Oddity::Comma),
            ("1,234.5", Oddity::Comma),
            ("29,3%", Oddity::Comma),
            ("<5", Oddity::Below),
            ("<= 0,5", Oddity::Below),
            ("≤3", Oddity::Below),
            (">100", Oddity::Above),
            ("2019-03-12", Oddity::Date),
            ("12.03.2019", Oddity::Date),
            ("3/12/19", Oddity::Date),
            ("12-Mar-2019", Oddity::Date),
            ("2019-03-12T10:30:00", Oddity::Date),
            ("2019-03-12 10:30", Oddity::Date),
            ("1.2.3", Oddity::Text),
            ("10-20", Oddity::Text),
            ("1-5-12345", Oddity::Text),
            ("<high", Oddity::Text),
            ("II", Oddity::Text),
            ("10/12", Oddity::Text),
            ("-", Oddity::Text),
        ] {
            assert_eq!(Oddity::of(cell), oddity, "{cell}");
        }
    }
}
