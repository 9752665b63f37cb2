//! What a fit leaves: files in a folder, a summary on stdout.

pub mod fitted;
pub mod folder;
pub mod ledger;
pub mod log;
pub mod plot;
pub mod source;
pub mod tables;
pub mod text;

use std::io::{self, Write};

/// Writes to stdout. Unlike `print!` it gives a closed pipe back as an error,
/// which is how `head` says that it has seen enough.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
