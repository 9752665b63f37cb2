//! An output folder that is either complete or absent.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::{fs, io};
use threshnet_report::FIGURE;

/// The ensemble that `predict --ensemble` reads.
pub const ENSEMBLE: &str = "ensemble.json";

/// Only of some fits, or not of those by earlier versions.
const SOMETIMES: [&str; 6] = [
    ENSEMBLE,
    "coefficients.csv",
    "frequencies.csv",
    "knockoffs.csv",
    "report.html",
    "report.json",
];

/// The files of a fit: a folder that holds just these may be replaced.
const FILES: [&str; 6] = [
    "model-card.md",
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
        if target.is_symlink() {
            bail!("{name}: this is a link; give the folder itself as --out");
        }
        if target.is_dir() {
            let mut holds = contents(target).with_context(|| format!("{name}: cannot read"))?;
            if holds.len() > FILES.len() {
                holds.retain(|file| !SOMETIMES.contains(&file.as_str()) && !is_figure(file));
            }
            if !holds.is_empty() && holds != FILES {
                let other = holds.iter().find(|file| !FILES.contains(&file.as_str()));
                let what = other.map_or("some files of a fit only".into(), |f| format!("{f:?}"));
                bail!("{name}: the folder holds {what}; choose another --out");
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
        // By name, so that nothing else can go with them.
        for file in contents(&old).with_context(context)? {
            fs::remove_file(old.join(file)).with_context(context)?;
        }
        fs::remove_dir(&old).with_context(context)
    }
}

fn is_figure(file: &str) -> bool {
    file.starts_with(FIGURE.0) && file.ends_with(FIGURE.1)
}

/// What is in a folder, sorted; a name that is not a plain file ends in `/`.
fn contents(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok(if entry.file_type()?.is_file() {
                name
            } else {
                name + "/"
            })
        })
        .collect::<io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
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
            for file in FILES {
                folder.write(file, content.as_bytes()).unwrap();
            }
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
        // not even beside the files of a fit, whichever they are
        fs::write(home.path().join(SOMETIMES[0]), "").unwrap();
        assert!(OutputFolder::check(home.path()).is_err());
        for file in FILES {
            fs::write(home.path().join(file), "").unwrap();
        }
        assert!(OutputFolder::check(home.path()).is_err());
        fs::remove_file(home.path().join("thesis.txt")).unwrap();
        assert!(OutputFolder::check(home.path()).is_ok());
        // nor a user's file or folder that has the name of one of ours
        fs::remove_file(home.path().join("path.csv")).unwrap();
        assert!(OutputFolder::check(home.path()).is_err());
        fs::create_dir(home.path().join("path.csv")).unwrap();
        assert!(OutputFolder::check(home.path()).is_err());
    }
}
