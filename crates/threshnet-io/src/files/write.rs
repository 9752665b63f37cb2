//! Writing a file.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Writes a file that is either complete or as it was, even after a power cut: beside its place
/// first, so that an earlier one is not lost to a full disk.
pub fn write_whole(target: &Path, bytes: &[u8]) -> Result<()> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let written = File::create(&partial)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, target));
    written
        .inspect(|()| sync_folder(target.parent().unwrap_or(Path::new(""))))
        .with_context(|| format!("{}: cannot write", target.display()))
        .inspect_err(|_| {
            // The clean-up after a failure; its own failure has no one to be told to.
            let _ = fs::remove_file(&partial);
        })
}

/// Has what was made, renamed or removed in a folder reach the disk, where that can be asked for.
pub fn sync_folder(folder: &Path) {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    // (some disks do not offer it for folders, and some systems do not let a folder be opened)
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
