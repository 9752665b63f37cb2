//! An output folder that is either complete or absent.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a fit: a folder that holds nothing else may be replaced.
const FILES: [&str; 5] = [
    "model.json",
    "norms.csv",
    "path.csv",
    "selected.csv",
    "summary.json",
];

/// A folder being written beside its final place.
pub struct OutputFolder {
    target: PathBuf,
    partial: PathBuf,
}

impl OutputFolder {
    /// Refuses a target that cannot be made, or that holds anything but an
    /// earlier fit. Call it before the work, so that a fit is not lost to a
    /// mistyped folder.
    pub fn check(target: &Path) -> Result<()> {
        let name = target.display();
        if target.file_name().is_none() {
            bail!("{name}: not the name of a new folder; choose another --out");
        }
        if target.is_dir() {
            let entries = fs::read_dir(target).with_context(|| format!("{name}: cannot read"))?;
            for entry in entries {
                let file = entry
                    .with_context(|| format!("{name}: cannot read"))?
                    .file_name();
                if !FILES.iter().any(|known| file == *known) {
                    let file = file.to_string_lossy();
                    bail!(
                        "{name}: the folder holds {file:?}, which is no file of a fit; choose another --out"
                    );
                }
            }
        } else if target.exists() {
            bail!("{name}: there is a file of this name; choose another --out");
        }
        // The folder will be made in the nearest one that exists: try that.
        let there = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
        let home = target.ancestors().skip(1).find(there).unwrap_or(target);
        let trial = home.join(format!(".threshnet.{}.trial", std::process::id()));
        fs::create_dir(&trial)
            .and_then(|()| fs::remove_dir(&trial))
            .with_context(|| format!("{name}: cannot make a folder there; choose another --out"))
    }

    /// Starts writing.
    pub fn create(target: &Path) -> Result<Self> {
        Self::check(target)?;
        let name = target.file_name().unwrap_or_default();
        let hidden = format!(".{}.{}.partial", name.to_string_lossy(), std::process::id());
        let partial = target.with_file_name(hidden);
        fs::create_dir_all(&partial)
            .with_context(|| format!("{}: cannot make the folder", target.display()))?;
        Ok(OutputFolder {
            target: target.to_path_buf(),
            partial,
        })
    }

    /// Writes one file.
    pub fn write(&self, file: &str, text: &[u8]) -> Result<()> {
        fs::write(self.partial.join(file), text)
            .with_context(|| format!("{}: cannot write", self.target.join(file).display()))
    }

    /// Puts the folder in its place, replacing an earlier fit.
    pub fn finish(self) -> Result<()> {
        let context = || format!("{}: cannot put the folder in place", self.target.display());
        if !self.target.exists() {
            return fs::rename(&self.partial, &self.target).with_context(context);
        }
        let old = self.partial.with_extension("old");
        fs::rename(&self.target, &old).with_context(context)?;
        if let Err(error) = fs::rename(&self.partial, &self.target) {
            fs::rename(&old, &self.target).with_context(context)?;
            return Err(error).with_context(context);
        }
        fs::remove_dir_all(&old).with_context(context)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // After `finish` there is nothing at this path; after a failure this
        // is the clean-up, whose own failure has no one to be told to.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_or_absent() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/fit");
        let folder = OutputFolder::create(&target).unwrap();
        folder.write("model.json", b"1").unwrap();
        drop(folder);
        assert!(!target.exists());
        assert_eq!(fs::read_dir(home.path().join("deep")).unwrap().count(), 0);

        for content in ["1", "2"] {
            let folder = OutputFolder::create(&target).unwrap();
            folder.write("model.json", content.as_bytes()).unwrap();
            folder.write("summary.json", b"{}").unwrap();
            folder.finish().unwrap();
            assert_eq!(
                fs::read_to_string(target.join("model.json")).unwrap(),
                content
            );
            assert_eq!(fs::read_dir(home.path().join("deep")).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_is_not_a_fit_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        assert!(OutputFolder::check(home.path()).is_ok());
        fs::write(home.path().join("thesis.txt"), "years of work").unwrap();
        assert!(OutputFolder::check(home.path()).is_err());
        assert!(OutputFolder::check(&home.path().join("thesis.txt")).is_err());
        assert!(OutputFolder::check(&home.path().join("thesis.txt/fit")).is_err());
        // not even beside the files of a fit
        for file in FILES {
            fs::write(home.path().join(file), "").unwrap();
        }
        assert!(OutputFolder::check(home.path()).is_err());
        fs::remove_file(home.path().join("thesis.txt")).unwrap();
        assert!(OutputFolder::check(home.path()).is_ok());
    }
}
