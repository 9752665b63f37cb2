//! Writing a file.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Writes a file that is either complete or as it was: beside its place first, so that an
/// earlier one is not lost to a full disk.
pub fn write_whole(target: &Path, bytes: &[u8]) -> Result<()> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, target));
    written
        .with_context(|| format!("{}: cannot write", target.display()))
        .inspect_err(|_| {
            // The clean-up after a failure; its own failure has no one to be told to.
            let _ = fs::remove_file(&partial);
        })
}
