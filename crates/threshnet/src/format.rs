//! Numbers as text: for files, and for a person. Every front end writes them alike.

use serde::{Deserialize, Deserializer};

/// The shortest text that reads back as the same number, with an exponent
/// where the plain digits would be many.
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Four significant digits for a person, with an exponent where plain digits
/// would be many.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    let before = if size < 1.0 {
        0
    } else {
        size.log10() as usize + 1
    };
    let after = 4usize.saturating_sub(before);
    // Adding 0 makes 0 of −0.
    format!("{:.after$}", value + 0.0)
}

/// Reads a number that is undefined where it is null: JSON has no NaN.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::{number, short};

    #[test]
    fn a_person_reads_four_digits() {
        for (value, text) in [
            (0.0123456, "0.0123"),
            (-0.0, "0.0000"),
            (1.0, "1.000"),
            (45.6789, "45.68"),
            (123456.7, "123457"),
            (1e-6, "1.000e-6"),
            (1e150, "1.000e150"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn numbers_are_short_and_read_back() {
        for (value, text) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (-3.0, "-3"),
            (1e-300, "1e-300"),
            (-2.5e17, "-2.5e17"),
        ] {
            assert_eq!(number(value), text);
            assert_eq!(text.parse::<f64>().unwrap(), value);
        }
    }
}
