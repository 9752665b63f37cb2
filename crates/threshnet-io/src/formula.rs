//! Texts that a spreadsheet would run as formulas.
//!
//! Whoever opens a CSV file in a spreadsheet runs the cells that begin like a formula, such as
//! `=HYPERLINK(…)`. In the tables that are written such a text stands behind an apostrophe, which a
//! spreadsheet takes as the sign of a text; readers take it off again, so that names and classes are
//! the same afterwards. Numbers are numbers: `-1.5` stays as it is.

use std::borrow::Cow;

/// What stands before a text that would be run.
const GUARD: char = '\'';

/// Whether a text begins like a formula, as it is or in full-width characters.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
        && text.parse::<f64>().is_err()
}

/// Whether a text is a formula behind guards, or without any.
fn is_guarded(text: &str) -> bool {
    is_formula(text.trim_start_matches(GUARD))
}

/// A text as it stands in a table: nothing that a spreadsheet would run.
pub fn guarded(text: &str) -> Cow<'_, str> {
    match is_guarded(text) {
        // (one that has guards of its own gets another, so that they come back)
        true => Cow::Owned(format!("{GUARD}{text}")),
        false => Cow::Borrowed(text),
    }
}

/// A text of a table as it was.
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix(GUARD) {
        Some(text) if is_guarded(text) => text,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for (text, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-2+3", "'-2+3"),
            ("+49 30", "'+49 30"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("-1.5", "-1.5"),
            ("+1e-3", "+1e-3"),
            ("-inf", "-inf"),
            ("CD3+", "CD3+"),
            ("'quoted'", "'quoted'"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), cell);
            assert_eq!(unguarded(cell), text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_text_comes_back(text in "['=+@a1\\t-]{0,6}|.{0,6}") {
            let cell = guarded(&text);
            prop_assert_eq!(unguarded(&cell), &text);
        }

        #[test]
        fn nothing_is_run(text in "['=+@a1\\t-]{0,6}") {
            prop_assert!(!is_formula(&guarded(&text)));
        }
    }
}
