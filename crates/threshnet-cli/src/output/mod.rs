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
