//! What a stopped fit has done so far, beside its output folder.
//!
//! The file is hidden (`.NAME.runs`; `.NAME.outer` for nested validation), begins with a fingerprint of
//! the data, the settings and this version, and has a line per run: its number, then the numbers it
//! found. It is made with the first run and goes once the fit is complete.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use threshnet::dataset::Dataset;
use threshnet::kernel::InstructionSet;

/// The runs that are done, kept in a file if there is an output folder.
pub struct Ledger {
    fingerprint: String,
    path: Option<PathBuf>,
    /// Once there is a run to keep.
    file: Option<File>,
    known: BTreeMap<usize, Vec<f64>>,
}

impl Ledger {
    /// Of the fit that goes to `target`, with what an earlier command has left of it in the file
    /// with this ending: the runs whose numbers are `valid`. What another fit has left is not touched.
    pub fn open(
        target: Option<&Path>,
        ending: &str,
        fingerprint: String,
        valid: impl Fn(usize, &[f64]) -> bool,
    ) -> Result<Ledger> {
        let path = target.map(|target| {
            let name = target.file_name().unwrap_or_default().to_string_lossy();
            target.with_file_name(format!(".{name}.{ending}"))
        });
        let mut ledger = Ledger {
            fingerprint,
            path,
            file: None,
            known: BTreeMap::new(),
        };
        if let Some(path) = ledger.path.clone().filter(|path| path.exists()) {
            ledger.resume(&path, valid)?;
        }
        Ok(ledger)
    }

    fn resume(&mut self, path: &Path, valid: impl Fn(usize, &[f64]) -> bool) -> Result<()> {
        let shown = path.display();
        let mut file = opened(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)
            .with_context(|| format!("{shown}: cannot read"))?;
        // A line that a killed command left unfinished is done again.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let mut lines = text.lines();
        let first = lines.next();
        let known: BTreeMap<usize, Vec<f64>> = lines.filter_map(run).collect();
        let ours = first == Some(&self.fingerprint);
        if !ours && !known.is_empty() {
            bail!(
                "{shown}: it keeps {} runs of another fit (other data, settings or version); remove \
                 it, or choose another --out",
                known.len()
            );
        }
        let whole = if ours { text.len() as u64 } else { 0 };
        file.set_len(whole)
            .with_context(|| format!("{shown}: cannot write"))?;
        if ours {
            self.known = known
                .into_iter()
                .filter(|(number, found)| valid(*number, found))
                .collect();
            self.file = Some(file);
        }
        Ok(())
    }

    /// How many runs are done.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether this one is.
    pub fn has(&self, number: usize) -> bool {
        self.known.contains_key(&number)
    }

    /// Where runs are kept, if there are any.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.file.is_some())
    }

    /// Adds what a run found.
    pub fn add(&mut self, number: usize, found: Vec<f64>) -> Result<()> {
        if let Some(path) = &self.path {
            let cannot = || format!("{}: cannot write", path.display());
            if self.file.is_none() {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder).with_context(cannot)?;
                }
                let mut file = opened(path)?;
                writeln!(file, "{}", self.fingerprint).with_context(cannot)?;
                self.file = Some(file);
            }
            if let Some(file) = &mut self.file {
                let values: Vec<String> = found.iter().map(f64::to_string).collect();
                let line = format!("{number}:{}\n", values.join(" "));
                file.write_all(line.as_bytes()).with_context(cannot)?;
            }
        }
        self.known.insert(number, found);
        Ok(())
    }

    /// What every run found, in their order; the file stays.
    pub fn found(&self) -> Vec<Vec<f64>> {
        self.known.values().cloned().collect()
    }

    /// The fit is complete: nothing is left to go on with.
    pub fn remove(self) -> Result<()> {
        let Some(path) = self.path() else {
            return Ok(());
        };
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{}: cannot remove", path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Opens or makes the file, for one command at a time.
fn opened(path: &Path) -> Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .with_context(|| format!("{}: cannot open", path.display()))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        bail!(
            "{}: another fit is writing there; wait for it, or choose another --out",
            path.display()
        );
    }
    Ok(file)
}

/// A line as a number and what its run found.
fn run(line: &str) -> Option<(usize, Vec<f64>)> {
    let (number, values) = line.split_once(':')?;
    let values: Result<Vec<f64>, _> = values.split_whitespace().map(str::parse).collect();
    Some((number.parse().ok()?, values.ok()?))
}

/// Tells fits apart: what decides about a run, beside the data.
pub fn fingerprint(data: &Dataset, settings: &impl Debug) -> String {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    InstructionSet::in_use().name().hash(&mut hasher);
    format!("{settings:?} {:?}", data.response()).hash(&mut hasher);
    data.features().hash(&mut hasher);
    for column in data.columns() {
        for value in column.iter() {
            value.to_bits().hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_comes_back_and_what_another_fit_did_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/fit");
        let open = |print: &str| Ledger::open(Some(&target), "runs", print.into(), |_, _| true);
        let mut ledger = open("one").unwrap();
        assert_eq!(ledger.path(), None, "no file before there is a run");
        assert!(!home.path().join("deep").exists());
        ledger.add(3, vec![0.1, 1.0]).unwrap();
        assert!(open("one").is_err(), "locked");
        ledger.add(0, vec![]).unwrap();
        let path = ledger.path().unwrap().to_path_buf();
        drop(ledger);
        let before = fs::read_to_string(&path).unwrap();
        // a line that was not finished
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"5:1 2").unwrap();
        let again = open("one").unwrap();
        assert_eq!((again.len(), again.has(3), again.has(5)), (2, true, false));
        assert_eq!(again.found(), [vec![], vec![0.1, 1.0]]);
        drop(again);
        let problem = open("two").err().expect("it is another fit's").to_string();
        assert!(problem.contains("2 runs of another fit"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        // runs that cannot be are done again
        let few = Ledger::open(Some(&target), "runs", "one".into(), |_, found| {
            found.len() == 2
        })
        .unwrap();
        assert_eq!(few.found(), [[0.1, 1.0]]);
        few.remove().unwrap();
        assert!(!path.exists());
        open("one").unwrap().remove().unwrap();
    }

    #[test]
    fn a_file_without_runs_is_anyones() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("fit");
        fs::write(home.path().join(".fit.runs"), "one\n3:0.").unwrap();
        let mut ledger = Ledger::open(Some(&target), "runs", "two".into(), |_, _| true).unwrap();
        ledger.add(1, vec![2.0]).unwrap();
        drop(ledger);
        let text = fs::read_to_string(home.path().join(".fit.runs")).unwrap();
        assert_eq!(text, "two\n1:2\n");
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let mut ledger = Ledger::open(None, "runs", "one".into(), |_, _| true).unwrap();
        ledger.add(0, vec![2.0]).unwrap();
        assert_eq!(ledger.path(), None);
        assert_eq!(ledger.found(), [[2.0]]);
        ledger.remove().unwrap();
    }
}
