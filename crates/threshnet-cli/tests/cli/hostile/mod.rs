//! Hostile input, a line for each: what it is, the command, its exit code and what it says.
//!
//! Every case has a folder and a process of its own, with so little memory that nothing can be set
//! aside because a file says so; they run side by side. One line on stderr, nothing on stdout,
//! nothing left behind.

mod cases;
mod formulas;

use super::{listing, simulated, stdout, words};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use tempfile::TempDir;

/// What a process may have, in kilobytes of addresses.
const MEMORY: usize = 6_000_000;

/// A case.
pub struct Case {
    /// A file that is written before, by its name.
    pub file: Option<(&'static str, Vec<u8>)>,
    /// The command, without quotes; FILE stands for that file.
    pub command: String,
    pub code: i32,
    /// Pieces of what it says.
    pub says: &'static [&'static str],
}

/// A file that is refused by `fit`.
pub fn file(name: &'static str, bytes: impl Into<Vec<u8>>, says: &'static [&'static str]) -> Case {
    read_by("fit FILE --target y --out new", name, bytes, says)
}

/// A file that is refused by a command.
pub fn read_by(
    command: &str,
    name: &'static str,
    bytes: impl Into<Vec<u8>>,
    says: &'static [&'static str],
) -> Case {
    Case {
        file: Some((name, bytes.into())),
        command: command.into(),
        code: 1,
        says,
    }
}

/// A command line that is refused, with what is in the folder.
pub fn line(code: i32, command: impl Into<String>, says: &'static [&'static str]) -> Case {
    Case {
        file: None,
        command: command.into(),
        code,
        says,
    }
}

/// Flags of a fit that are refused before any work.
pub fn flags(flags: &str, says: &'static [&'static str]) -> Case {
    line(
        2,
        format!("fit data.csv --target y --out new {flags}"),
        says,
    )
}

/// Quick fits of every task that cases begin with, and their data.
pub struct Fits {
    home: TempDir,
}

impl Fits {
    fn new() -> Fits {
        let home = tempfile::tempdir().unwrap();
        let quick = "--hidden 3 --validation draws:2 --lambdas 0.01,0.1 --ridges 0.01 --epochs 10 \
                     --first-epochs 60 --keep * --quiet --out fit";
        for (task, design, outcome) in [
            ("number", "regression", "--target y"),
            ("class", "classification", "--target y"),
            ("survival", "survival", "--time time --event event"),
        ] {
            let folder = simulated(design, 60, 4, &[]);
            let fit = format!("fit data.csv {outcome} {quick}");
            stdout(folder.path(), &words(&fit));
            copy(folder.path(), &home.path().join(task));
        }
        Fits { home }
    }

    /// A file of the fit of a task.
    pub fn read(&self, task: &str, file: &str) -> String {
        fs::read_to_string(self.home.path().join(task).join("fit").join(file)).unwrap()
    }

    /// The same with a change.
    pub fn changed(&self, task: &str, file: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
        let mut value: Value = serde_json::from_str(&self.read(task, file)).unwrap();
        change(&mut value);
        value.to_string().into_bytes()
    }

    /// A folder with data and fits.
    fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        copy(&self.home.path().join("number"), folder.path());
        for task in ["class", "survival"] {
            copy(&self.home.path().join(task), &folder.path().join(task));
        }
        folder
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Everything below a folder.
fn all(folder: &Path) -> Vec<PathBuf> {
    let below = listing(folder).into_iter().flat_map(|name| {
        let path = folder.join(name);
        match path.is_dir() {
            true => all(&path),
            false => vec![path],
        }
    });
    below.collect()
}

/// Runs a case; what is wrong with it.
fn failure(case: &Case, fits: &Fits) -> Option<String> {
    let folder = fits.folder();
    let mut name = "data.csv";
    if let Some((own, bytes)) = &case.file {
        fs::write(folder.path().join(own), bytes).unwrap();
        name = own;
    }
    let before = all(folder.path());
    let command = case.command.replace("FILE", name);
    let run = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")])
        .arg(assert_cmd::cargo::cargo_bin("threshnet"))
        .args(words(&command))
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let out = String::from_utf8_lossy(&run.stdout);
    let lacks = case.says.iter().find(|piece| !said.contains(**piece));
    let wrong = if run.status.code() != Some(case.code) {
        format!("{:?} in place of exit code {}", run.status, case.code)
    } else if said.trim_end().lines().count() != 1 {
        "not one line".into()
    } else if said.contains("panicked") || said.contains("internal") {
        "a panic".into()
    } else if let Some(piece) = lacks {
        format!("it does not say {piece:?}")
    } else if said.chars().any(|c| c.is_control() && c != '\n') {
        "control characters".into()
    } else if !out.is_empty() {
        format!("stdout: {out}")
    } else if all(folder.path()) != before {
        "something is left behind".into()
    } else {
        return None;
    };
    let beginning: String = said.chars().take(400).collect();
    Some(format!("{command}\n  {wrong}\n  {beginning}"))
}

#[test]
fn every_case_is_refused_in_one_line() {
    let fits = Fits::new();
    let cases = cases::all(&fits);
    assert!(cases.len() >= 120, "{} cases", cases.len());
    let (next, failures) = (Mutex::new(cases.iter()), Mutex::new(vec![]));
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else {
                        return;
                    };
                    failures.lock().unwrap().extend(failure(case, &fits));
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    let all = failures.join("\n");
    assert!(
        failures.is_empty(),
        "{} of {}:\n{all}",
        failures.len(),
        cases.len()
    );
}
