//! What a single cell says: a number, a text, or that its value is not known.

mod odd;

pub use odd::Oddity;

use threshnet::model::{CensoredCells, Decimal, Reading};

/// How a cell says that its value is not known, whatever else a file uses.
pub const MISSING: [&str; 13] = [
    "", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "k.A.", "k. A.",
];

/// The number in a cell, a percentage as it is written, NaN if it is missing or not finite; `None` if it is text.
pub fn parse(cell: &str) -> Option<f64> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Some(value),
        Ok(_) => Some(f64::NAN),
        Err(_) => match without_percent(cell) {
            Some(number) => number.parse().ok().filter(|value: &f64| value.is_finite()),
            None => MISSING.contains(&cell).then_some(f64::NAN),
        },
    }
}

/// What stands before the percent sign of a cell.
fn without_percent(cell: &str) -> Option<&str> {
    cell.strip_suffix('%').map(str::trim_end)
}

/// How the cells of a file are read.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    reading: Reading,
    /// The markers of missing values that are numbers, such as -99.
    markers: Vec<f64>,
}

impl Rules {
    /// As this says.
    pub fn of(reading: &Reading) -> Rules {
        let markers = reading.na.iter().filter_map(|marker| marker.parse().ok());
        Rules {
            markers: markers.collect(),
            reading: reading.clone(),
        }
    }

    /// As [`parse`], but for what is said of the file.
    pub fn parse(&self, cell: &str) -> Option<f64> {
        if self.reading.na.iter().any(|marker| marker == cell) {
            return Some(f64::NAN);
        }
        let found = match self.reading.decimal {
            None => parse(cell),
            Some(decimal) => match number(cell, decimal) {
                None => parse(cell).filter(|value| value.is_nan()),
                found => found,
            },
        };
        match (found, self.reading.censored_cells) {
            (None, Some(CensoredCells::Half)) => self.below(cell).map(|limit| limit / 2.0),
            (Some(value), _) if self.is_marker(value) => Some(f64::NAN),
            _ => found,
        }
    }

    /// Whether a number says that a value is missing.
    #[inline]
    pub fn is_marker(&self, value: f64) -> bool {
        !self.markers.is_empty() && self.markers.contains(&value)
    }

    /// Whether a number whose text holds a point may be something else.
    #[inline]
    pub fn points_divide_thousands(&self) -> bool {
        self.reading.decimal == Some(Decimal::Comma)
    }

    /// The limit that a cell says its value is below.
    fn below(&self, cell: &str) -> Option<f64> {
        let limit = odd::limit_above(cell)?;
        match self.reading.decimal {
            None => parse(limit),
            Some(decimal) => number(limit, decimal),
        }
    }
}

/// The number in a cell whose decimals are divided like this, thousands maybe by the other sign, a
/// blank or an apostrophe.
fn number(cell: &str, decimal: Decimal) -> Option<f64> {
    let cell = without_percent(cell).unwrap_or(cell);
    let (point, comma) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let unsigned = cell.trim_start_matches(['-', '+']);
    let sign = &cell[..cell.len() - unsigned.len()];
    let (whole, rest) = match unsigned.find([point, 'e', 'E']) {
        Some(end) => unsigned.split_at(end),
        None => (unsigned, ""),
    };
    let divides = |c: char| c == comma || ['\'', '’', ' ', '\u{a0}', '\u{202f}'].contains(&c);
    let whole = match whole
        .find(divides)
        .and_then(|at| whole[at..].chars().next())
    {
        None => whole.to_string(),
        Some(divider) => {
            let groups: Vec<&str> = whole.split(divider).collect();
            let (first, others) = groups.split_first()?;
            let grouped = (1..=3).contains(&first.len()) && others.iter().all(|g| g.len() == 3);
            grouped.then(|| groups.concat())?
        }
    };
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    // (what is no digit after all this is not for a number's parser to guess at)
    if !plain(&whole) || rest.contains(comma) {
        return None;
    }
    let rest = rest.replacen(point, ".", 1);
    let value: f64 = format!("{sign}{whole}{rest}").parse().ok()?;
    value.is_finite().then_some(value)
}

/// A number with a decimal comma, such as `-1,5`, as it should be written.
pub fn decimal_point(cell: &str) -> Option<String> {
    let cell = without_percent(cell).unwrap_or(cell);
    cell.contains(',')
        .then(|| number(cell, Decimal::Comma))
        .flatten()
        .map(|value| value.to_string())
}

/// Whether the commas of a number may divide thousands, as in `1,234`.
pub fn has_thousands(cell: &str) -> bool {
    let cell = without_percent(cell).unwrap_or(cell);
    cell.contains(',') && number(cell, Decimal::Point).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(decimal: Option<Decimal>, na: &[&str], half: bool) -> Rules {
        Rules::of(&Reading {
            decimal,
            na: na.iter().map(|marker| marker.to_string()).collect(),
            censored_cells: half.then_some(CensoredCells::Half),
        })
    }

    #[test]
    fn numbers_are_read_as_a_file_writes_them() {
        let (point, comma) = (Some(Decimal::Point), Some(Decimal::Comma));
        for (decimal, cell, value) in [
            (None, "1.5", Some(1.5)),
            (None, "29.3%", Some(29.3)),
            (None, "-5 %", Some(-5.0)),
            (None, "1,5", None),
            (None, "1,234.5", None),
            (None, "%", None),
            (point, "1,234.5", Some(1234.5)),
            (point, "1,234,567", Some(1234567.0)),
            (point, "1'234.5", Some(1234.5)),
            (point, "12,34", None),
            (point, "1,5", None),
            (point, "1.5e3", Some(1500.0)),
            (point, ".5", Some(0.5)),
            (comma, "1,5", Some(1.5)),
            (comma, "-1,5e3", Some(-1500.0)),
            (comma, ",5", Some(0.5)),
            (comma, "1.234,5", Some(1234.5)),
            (comma, "1.234", Some(1234.0)),
            (comma, "1 234,5", Some(1234.5)),
            (comma, "1\u{a0}234,5", Some(1234.5)),
            (comma, "29,3%", Some(29.3)),
            (comma, "1.5", None),
            (comma, "1.234.5", None),
            (comma, "1,2,3", None),
            (comma, "7", Some(7.0)),
            (comma, "1,5x", None),
            (comma, "", Some(f64::NAN)),
            (comma, "NA", Some(f64::NAN)),
            (comma, "inf", Some(f64::NAN)),
        ] {
            let found = rules(decimal, &[], false).parse(cell);
            let same = found == value
                || found
                    .zip(value)
                    .is_some_and(|(a, b)| a.is_nan() && b.is_nan());
            assert!(same, "{decimal:?} {cell:?}: {found:?}");
        }
    }

    #[test]
    fn missing_values_have_markers_some_of_them_numbers() {
        let usual = Rules::default();
        for marker in MISSING {
            assert!(usual.parse(marker).is_some_and(f64::is_nan), "{marker}");
        }
        assert_eq!(
            (usual.parse("-99"), usual.parse("unk")),
            (Some(-99.0), None)
        );
        let more = rules(None, &["-99", "unk"], false);
        for marker in ["-99", "-99.0", "unk", "NULL"] {
            assert!(more.parse(marker).is_some_and(f64::is_nan), "{marker}");
        }
        assert_eq!(more.parse("99"), Some(99.0));
    }

    #[test]
    fn half_of_a_limit_stands_for_what_is_below_it() {
        let half = rules(None, &[], true);
        for (cell, value) in [
            ("<5", Some(2.5)),
            ("< 0.2", Some(0.1)),
            ("≤3", Some(1.5)),
            (">5", None),
        ] {
            assert_eq!(half.parse(cell), value, "{cell}");
        }
        assert_eq!(
            rules(Some(Decimal::Comma), &[], true).parse("<0,5"),
            Some(0.25)
        );
        assert_eq!(Rules::default().parse("<5"), None);
    }

    #[test]
    fn a_comma_is_explained() {
        assert_eq!(decimal_point("-1,5").as_deref(), Some("-1.5"));
        assert_eq!(decimal_point("1.5"), None);
        assert_eq!(decimal_point("a,b"), None);
        assert!(has_thousands("1,234") && !has_thousands("1,5"));
    }
}
