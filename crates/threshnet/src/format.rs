//! Numbers and names as text: for files, and for a person. Every front end writes them alike.

use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt::Write;

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

/// A text of one line with nothing in it but what can be seen: characters that steer a terminal, end
/// a line or turn its direction are written as escapes such as `\u{1b}`. Names come from files, and
/// files from anywhere; a drawing with such a character is no XML.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_unseen(c) {
            true => {
                let _ = write!(seen, "{}", c.escape_default());
            }
            false => seen.push(c),
        }
    }
    Cow::Owned(seen)
}

/// The same of every line of a text.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    match text.split('\n').all(|line| !line.contains(is_unseen)) {
        true => Cow::Borrowed(text),
        false => {
            let lines: Vec<Cow<'_, str>> = text.split('\n').map(visible).collect();
            Cow::Owned(lines.join("\n"))
        }
    }
}

/// Control characters, line ends, those that turn the direction of a text (Unicode's bidirectional
/// algorithm, UAX 9), and what is no character of XML.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Reads a number that is undefined where it is null: JSON has no NaN.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::{number, short, visible, visible_lines};

    #[test]
    fn nothing_hides_in_a_text() {
        for (text, seen) in [
            ("IL-6 (µg)\u{301}", "IL-6 (µg)\u{301}"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("two\nlines\r\t", "two\\nlines\\r\\t"),
            ("\u{202e}txt.exe\u{9b}", "\\u{202e}txt.exe\\u{9b}"),
            ("\u{ffff}", "\\u{ffff}"),
        ] {
            assert_eq!(visible(text), seen);
        }
        assert_eq!(visible_lines("a\nb\u{8}\n"), "a\nb\\u{8}\n");
        assert_eq!(visible_lines("a\r\n"), "a\\r\n");
        assert_eq!(visible_lines("a\nb\n"), "a\nb\n");
    }

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
