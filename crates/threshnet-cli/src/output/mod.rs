//! What a fit leaves: files in a folder, a summary on stdout.

pub mod card;
pub mod contest;
pub mod control;
pub mod fitted;
pub mod folder;
pub mod ledger;
pub mod plot;
pub mod summary;
pub mod tables;

use anyhow::{Context, Result};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes to stdout. Unlike `print!` it gives a closed pipe back as an error,
/// which is how `head` says that it has seen enough.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a file that is either complete or absent, replacing one that is there.
pub fn whole_file(target: &Path, bytes: &[u8]) -> Result<()> {
    let context = || format!("{}: cannot write", target.display());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, target));
    written.with_context(context).inspect_err(|_| {
        // The clean-up after a failure; its own failure has no one to be told to.
        let _ = fs::remove_file(&partial);
    })
}

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
