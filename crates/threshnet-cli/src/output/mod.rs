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

/// A column of names is no wider than this, in characters; what is longer sticks out.
pub const WIDEST: usize = 60;

/// Writes what a person reads to stdout: names of columns steer no terminal.
pub fn show(text: &str) -> io::Result<()> {
    print(&visible_lines(text))
}

/// A line on stderr beside the result, such as a note.
pub fn tell(kind: &str, text: impl Display) {
    say(&format!("{kind}: {}\n", visible(&text.to_string())));
}

/// Writes to stderr. Unlike `eprint!` it does not panic where stderr is a file on a full disk.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes to stdout as it is. Unlike `print!` it gives a closed pipe back as an error,
/// which is how `head` says that it has seen enough.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
