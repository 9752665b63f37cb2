//! Finds a public file in the folder that `--data` names.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The first of these names in a folder or in one of its subfolders.
pub fn find(folder: &Path, names: &[&str]) -> Result<PathBuf> {
    let shown = folder.display();
    let mut places = vec![folder.to_path_buf()];
    let entries = folder
        .read_dir()
        .with_context(|| format!("{shown}: cannot read the folder that --data names"))?;
    let mut inside: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    inside.sort();
    places.append(&mut inside);
    let files = places
        .iter()
        .flat_map(|place| names.iter().map(move |name| place.join(name)));
    match files.into_iter().find(|file| file.is_file()) {
        Some(file) => Ok(file),
        None => bail!(
            "{shown}: {} is not there or one folder below; docs/reproduction.md says where to get it",
            names.join(" or ")
        ),
    }
}
