//! What a stopped fit has done so far, beside its output folder.
//!
//! The file is hidden (`.NAME.runs`), begins with a fingerprint of the data, the
//! settings and this version, and has a line per run: its number, then the numbers it
//! found. It goes once the fit is complete; one of another fit is written over.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use threshnet::dataset::Dataset;
use threshnet::settings::Settings;

/// The runs that are done, kept in a file if there is an output folder.
pub struct Ledger {
    file: Option<(PathBuf, File)>,
    known: BTreeMap<usize, Vec<f64>>,
}

impl Ledger {
    /// Of the fit that goes to `target`, with what an earlier run has left.
    pub fn open(target: Option<&Path>, fingerprint: &str) -> Result<Ledger> {
        let Some(target) = target else {
            return Ok(Ledger {
                file: None,
                known: BTreeMap::new(),
            });
        };
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.runs"));
        let cannot = |what: &str| format!("{}: cannot {what}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| cannot("make its folder"))?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .with_context(|| cannot("open"))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!(
                "{}: another fit is writing there; wait for it, or choose another --out",
                target.display()
            );
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .with_context(|| cannot("read"))?;
        // A line that a killed run left unfinished is done again.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let mut lines = text.lines();
        let known = match lines.next() {
            Some(first) if first == fingerprint => lines.filter_map(run).collect(),
            _ => {
                text = format!("{fingerprint}\n");
                BTreeMap::new()
            }
        };
        file.set_len(0).with_context(|| cannot("write"))?;
        file.write_all(text.as_bytes())
            .with_context(|| cannot("write"))?;
        Ok(Ledger {
            file: Some((path, file)),
            known,
        })
    }

    /// How many runs are done.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether this one is.
    pub fn has(&self, number: usize) -> bool {
        self.known.contains_key(&number)
    }

    /// Where it is kept.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Adds what a run found.
    pub fn add(&mut self, number: usize, found: Vec<f64>) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let values: Vec<String> = found.iter().map(f64::to_string).collect();
            file.write_all(format!("{number}:{}\n", values.join(" ")).as_bytes())
                .with_context(|| format!("{}: cannot write", path.display()))?;
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
        match self.file {
            Some((path, _)) => {
                fs::remove_file(&path).with_context(|| format!("{}: cannot remove", path.display()))
            }
            None => Ok(()),
        }
    }
}

/// A line as a number and what its run found.
fn run(line: &str) -> Option<(usize, Vec<f64>)> {
    let (number, values) = line.split_once(':')?;
    let values: Result<Vec<f64>, _> = values.split_whitespace().map(str::parse).collect();
    Some((number.parse().ok()?, values.ok()?))
}

/// Tells fits apart: what decides about a run.
pub fn fingerprint(data: &Dataset, settings: &Settings) -> String {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    format!("{settings:?} {:?}", data.outcome()).hash(&mut hasher);
    data.names().hash(&mut hasher);
    for column in data.columns() {
        for value in column {
            value.to_bits().hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_comes_back_unless_it_is_of_another_fit() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/fit");
        let open = |print: &str| Ledger::open(Some(&target), print);
        let mut ledger = open("one").unwrap();
        assert!(open("one").is_err(), "locked");
        ledger.add(3, vec![0.1, 1.0]).unwrap();
        ledger.add(0, vec![]).unwrap();
        let path = ledger.path().unwrap().to_path_buf();
        drop(ledger);
        // a line that was not finished
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"5:1 2").unwrap();
        let again = open("one").unwrap();
        assert_eq!((again.len(), again.has(3), again.has(5)), (2, true, false));
        assert_eq!(again.found(), [vec![], vec![0.1, 1.0]]);
        drop(again);
        assert_eq!(open("two").unwrap().len(), 0);
        assert_eq!(open("one").unwrap().len(), 0);
        open("one").unwrap().remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let mut ledger = Ledger::open(None, "one").unwrap();
        ledger.add(0, vec![2.0]).unwrap();
        assert_eq!(ledger.path(), None);
        assert_eq!(ledger.found(), [[2.0]]);
    }
}
