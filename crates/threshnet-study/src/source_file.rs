//! Finds a public file in the folder that `--data` names.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The first of these names in a folder or in one of its subfolders.
pub fn find(folder: &Path, names: &[&str]) -> Result<PathBuf> {
    let shown = folder.display();
    let entries = folder
        .read_dir()
        .with_context(|| format!("{shown}: cannot read the folder that --data names"))?;
    let mut places: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    places.sort();
    places.insert(0, folder.to_path_buf());
    let mut files = (places.iter()).flat_map(|place| names.iter().map(|name| place.join(name)));
    files.find(|file| file.is_file()).with_context(|| {
        let names = names.join(" or ");
        format!(
            "{shown}: {names} is not there or one folder below; docs/reproduction.md says where to get it"
        )
    })
}
