//! An output folder that is either complete or absent.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The files by which an earlier fit's folder is known, and may be replaced.
const SIGNATURE: [&str; 2] = ["model.json", "summary.json"];

/// A folder being written beside its final place.
pub struct OutputFolder {
    target: PathBuf,
    partial: PathBuf,
}

impl OutputFolder {
    /// Refuses a target that holds anything but an earlier fit. Call it before
    /// the work, so that a fit is not lost to a mistyped folder.
    pub fn check(target: &Path) -> Result<()> {
        if !target.exists() {
            return Ok(());
        }
        let name = target.display();
        if !target.is_dir() {
            bail!("{name}: there is a file of this name; choose another --out");
        }
        let mut entries = fs::read_dir(target).with_context(|| format!("{name}: cannot read"))?;
        let earlier_fit = SIGNATURE.iter().all(|file| target.join(file).is_file());
        if entries.next().is_some() && !earlier_fit {
            bail!("{name}: the folder holds something else than a fit; choose another --out");
        }
        Ok(())
    }

    /// Starts writing.
    pub fn create(target: &Path) -> Result<Self> {
        Self::check(target)?;
        let name = target.file_name().with_context(|| {
            format!(
                "{}: not the name of a folder; choose another --out",
                target.display()
            )
        })?;
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
        if self.target.exists() {
            let old = self.partial.with_extension("old");
            fs::rename(&self.target, &old).with_context(context)?;
            fs::rename(&self.partial, &self.target).with_context(context)?;
            return fs::remove_dir_all(&old).with_context(context);
        }
        fs::rename(&self.partial, &self.target).with_context(context)
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
    }
}
