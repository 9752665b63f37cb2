//! What a fit leaves: files in a folder, a summary on stdout.

pub mod fitted;
pub mod folder;
pub mod ledger;
pub mod log;
pub mod plot;
pub mod source;
pub mod tables;
pub mod text;

use std::fmt::Display;
use std::io::{self, Write};
use threshnet::format::{visible, visible_lines};

/// Writes what a person reads to stdout: names of columns steer no terminal.
pub fn show(text: &str) -> io::Result<()> {
    print(&visible_lines(text))
}

/// A line on stderr beside the result, such as a note.
pub fn tell(kind: &str, text: impl Display) {
    eprintln!("{kind}: {}", visible(&text.to_string()));
}

/// Writes to stdout as it is. Unlike `print!` it gives a closed pipe back as an error,
/// which is how `head` says that it has seen enough.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
