//! An output folder that is either complete or as it was.
//!
//! Files are written into `.NAME.partial` beside it, each synced to disk, and the two change
//! places in one step where the system can do that (else by two renames through `.NAME.old`). What a
//! killed run has left is put right by the next one, which holds the lock of
//! [`Ledger`](super::ledger::Ledger).

use super::log::warn;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use threshnet_io::sync_folder;
use threshnet_report::is_figure;

/// The ensemble that `predict --ensemble` reads.
pub const ENSEMBLE: &str = "ensemble.json";

/// The methods section of a paper on the fit.
pub const METHODS: &str = "methods.md";

/// Only of some fits, or not of those by earlier versions.
const SOMETIMES: [&str; 7] = [
    ENSEMBLE,
    "coefficients.csv",
    "frequencies.csv",
    "knockoffs.csv",
    METHODS,
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

/// A file of ours beside the folder, hidden: what it is for is its ending.
pub fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{what}"))
}

/// Refuses a target that cannot be made or replaced, or that holds anything but an earlier fit.
/// Called before the work, so that a fit is not lost to a mistyped folder.
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
        holds.retain(|file| !is_leftover(file));
        if holds.len() > FILES.len() {
            holds.retain(|file| !SOMETIMES.contains(&file.as_str()) && !is_figure(file));
        }
        if !holds.is_empty() && holds != FILES {
            let other = holds.iter().find(|file| !FILES.contains(&file.as_str()));
            let what = other.map_or("some files of a fit only".into(), |f| format!("{f:?}"));
            bail!("{name}: the folder holds {what}; choose another --out");
        }
        if !may_be_emptied(target) {
            bail!("{name}: the folder may not be written; allow it, or choose another --out");
        }
    } else if target.exists() {
        bail!("{name}: there is a file of this name; choose another --out");
    }
    Ok(())
}

/// Puts right what a killed run has left: an earlier fit is back in its place, and what was
/// written of a new one is gone.
pub fn recover(target: &Path) -> Result<()> {
    let [partial, old] = ["partial", "old"].map(|what| beside(target, what));
    let shown = target.display();
    if old.is_dir() && !target.exists() {
        fs::rename(&old, target).with_context(|| {
            format!(
                "{shown}: an earlier fit is in {}; cannot put it back",
                old.display()
            )
        })?;
    }
    for left in [partial, old].iter().filter(|left| left.is_dir()) {
        discard(left, target).with_context(|| format!("{}: cannot remove", left.display()))?;
    }
    if target.is_dir() {
        let holds = contents(target).with_context(|| format!("{shown}: cannot read"))?;
        for file in holds.iter().filter(|file| is_leftover(file)) {
            let path = target.join(file);
            fs::remove_file(&path).with_context(|| format!("{}: cannot remove", path.display()))?;
        }
    }
    Ok(())
}

/// A folder being written beside its final place.
pub struct OutputFolder {
    target: PathBuf,
    partial: PathBuf,
}

impl OutputFolder {
    /// Starts writing.
    pub fn create(target: &Path) -> Result<Self> {
        check(target)?;
        let partial = beside(target, "partial");
        fs::create_dir_all(&partial)
            .with_context(|| format!("{}: cannot make the folder", target.display()))?;
        Ok(OutputFolder {
            target: target.to_path_buf(),
            partial,
        })
    }

    /// Writes one file, to the disk.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        File::create(self.partial.join(name))
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .with_context(|| format!("{}: cannot write", self.target.join(name).display()))
    }

    /// Puts the folder in its place, replacing an earlier fit.
    pub fn finish(self) -> Result<()> {
        let (target, partial) = (&self.target, &self.partial);
        let context = || format!("{}: cannot put the folder in place", target.display());
        sync_folder(partial);
        let earlier = match target.exists() {
            true => Some(replace(target, partial).with_context(context)?),
            false => fs::rename(partial, target)
                .map(|()| None)
                .with_context(context)?,
        };
        let home = target.parent().unwrap_or(Path::new(""));
        sync_folder(home);
        // The new fit is in place: what remains to be done is no reason to say that it failed.
        if let Some(Err((earlier, error))) =
            earlier.map(|earlier| discard(&earlier, target).map_err(|error| (earlier, error)))
        {
            warn(&format!(
                "{}: cannot remove the earlier fit ({error})",
                earlier.display()
            ));
        }
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // After `finish` there is nothing at this path; after a failure this
        // is the clean-up, whose own failure has no one to be told to.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

/// Puts `partial` into the place of `target`; where that is now.
fn replace(target: &Path, partial: &Path) -> io::Result<PathBuf> {
    if exchange(target, partial)? {
        return Ok(partial.to_path_buf());
    }
    let old = beside(target, "old");
    fs::rename(target, &old)?;
    if let Err(error) = fs::rename(partial, target) {
        fs::rename(&old, target)?;
        return Err(error);
    }
    Ok(old)
}

/// Two folders change places in one step; false where the system or the disk cannot do that.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Whether files can be removed from a folder, as far as can be told without trying.
#[cfg(unix)]
fn may_be_emptied(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_be_emptied(_: &Path) -> bool {
    true
}

/// Removes a folder of ours by the names of its files, so that nothing else can go with them: what
/// someone has put there meanwhile goes to `target`.
fn discard(folder: &Path, target: &Path) -> io::Result<()> {
    for name in contents(folder)? {
        match is_ours(&name) || is_leftover(&name) {
            true => fs::remove_file(folder.join(name))?,
            false => {
                let name = name.trim_end_matches('/');
                fs::create_dir_all(target)?;
                fs::rename(folder.join(name), target.join(name))?;
            }
        }
    }
    fs::remove_dir(folder)
}

fn is_ours(file: &str) -> bool {
    FILES.contains(&file) || SOMETIMES.contains(&file) || is_figure(file)
}

/// Whether a killed command has left this of a file of ours.
fn is_leftover(file: &str) -> bool {
    let whole = |of: &str| {
        is_ours(
            of.trim_end_matches(|c: char| c.is_ascii_digit())
                .trim_end_matches('.'),
        )
    };
    (file
        .strip_prefix('.')
        .and_then(|rest| rest.strip_suffix(".partial")))
    .is_some_and(whole)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(target: &Path, content: &str) -> OutputFolder {
        let folder = OutputFolder::create(target).unwrap();
        for file in FILES {
            folder.write(file, content.as_bytes()).unwrap();
        }
        folder
    }

    fn model(folder: &Path) -> String {
        fs::read_to_string(folder.join("model.json")).unwrap()
    }

    #[test]
    fn complete_or_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/fit");
        let folder = OutputFolder::create(&target).unwrap();
        folder.write("model.json", b"1").unwrap();
        drop(folder);
        assert!(!target.exists());
        let entries = || fs::read_dir(home.path().join("deep")).unwrap().count();
        assert_eq!(entries(), 0);
        for content in ["1", "2"] {
            whole(&target, content).finish().unwrap();
            assert_eq!((model(&target).as_str(), entries()), (content, 1));
        }
        drop(whole(&target, "3"));
        assert_eq!((model(&target).as_str(), entries()), ("2", 1));
    }

    #[test]
    fn where_nothing_can_be_exchanged_two_renames_do_it() {
        let home = tempfile::tempdir().unwrap();
        let (one, other) = (home.path().join("one"), home.path().join("other"));
        fs::create_dir(&one).unwrap();
        assert!(
            exchange(&one, &other).is_err(),
            "there is nothing to exchange with"
        );
        assert!(!other.exists());
    }

    /// At every moment of a replacement, by one step or two.
    #[test]
    fn what_a_killed_run_has_left_is_put_right() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("fit");
        let [partial, old] = ["partial", "old"].map(|what| beside(&target, what));
        let fill = |folder: &Path, content: &str, files: usize| {
            fs::create_dir_all(folder).unwrap();
            for file in &FILES[..files] {
                fs::write(folder.join(file), content).unwrap();
            }
        };
        let recovered = |expected: Option<&str>| {
            recover(&target).unwrap();
            assert!(!partial.exists() && !old.exists());
            assert_eq!(target.exists().then(|| model(&target)).as_deref(), expected);
            let _ = fs::remove_dir_all(&target);
        };
        recovered(None);
        fill(&partial, "new", 3);
        recovered(None);
        fill(&target, "before", 6);
        fill(&partial, "new", 6);
        recovered(Some("before"));
        fill(&partial, "new", 6);
        fill(&old, "before", 6);
        recovered(Some("before"));
        fill(&target, "new", 6);
        fill(&old, "before", 4);
        recovered(Some("new"));
        // what is not ours is not removed with it
        fill(&target, "new", 6);
        fill(&partial, "before", 6);
        fs::write(partial.join("thesis.txt"), "years of work").unwrap();
        fs::create_dir(partial.join("photos")).unwrap();
        recover(&target).unwrap();
        assert!(target.join("thesis.txt").exists() && target.join("photos").is_dir());
        assert!(!partial.exists());
    }

    #[test]
    fn what_is_not_a_fit_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let refused = || check(home.path()).is_err();
        assert!(!refused());
        fs::write(home.path().join("thesis.txt"), "years of work").unwrap();
        assert!(refused());
        assert!(check(&home.path().join("thesis.txt")).is_err());
        // not even beside the files of a fit, whichever they are
        fs::write(home.path().join(SOMETIMES[0]), "").unwrap();
        assert!(refused());
        for file in FILES {
            fs::write(home.path().join(file), "").unwrap();
        }
        assert!(refused());
        fs::remove_file(home.path().join("thesis.txt")).unwrap();
        assert!(!refused());
        // a figure is ours by its whole name alone, and so is what was begun of a file
        for (name, ours) in [
            ("figure-path.svg", true),
            ("figure-effect-12.svg", true),
            ("figure-mine.svg", false),
            ("figure-effect-mine.svg", false),
            (".report.html.partial", true),
            (".report.html.4711.partial", true),
            (".figure-path.svg.4711.partial", true),
            (".thesis.txt.partial", false),
        ] {
            fs::write(home.path().join(name), "").unwrap();
            assert_eq!(refused(), !ours, "{name}");
            fs::remove_file(home.path().join(name)).unwrap();
        }
        // nor a user's file or folder that has the name of one of ours
        fs::remove_file(home.path().join("path.csv")).unwrap();
        assert!(refused());
        fs::create_dir(home.path().join("path.csv")).unwrap();
        assert!(refused());
    }
}
