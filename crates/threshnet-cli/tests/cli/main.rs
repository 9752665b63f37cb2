//! The real binary, run as a user runs it.

mod bad_input;
mod bad_settings;
mod clusters;
mod commands;
mod evidence;
mod fit;
mod folds;
mod formats;
mod hospital;
mod hostile;
mod inspect;
mod interrupt;
mod leaks;
mod limits;
mod manuals;
mod methods;
mod missing;
mod models;
mod outer;
mod predicting;
mod processors;
mod raw_files;
mod real_data;
mod report;
mod selection;
mod sparse;
mod streams;
mod study;
mod survive;
mod terms;
mod texts;
mod threads;
mod weights;

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The binary.
fn threshnet() -> Command {
    Command::cargo_bin("threshnet").expect("the binary is built")
}

/// A command line without quotes, as arguments.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Runs with arguments in a folder, expecting success; what it printed.
fn stdout(folder: &Path, arguments: &[&str]) -> String {
    let run = threshnet()
        .current_dir(folder)
        .args(arguments)
        .assert()
        .success();
    String::from_utf8(run.get_output().stdout.clone()).expect("the output is text")
}

/// A temporary folder with simulated data: `data.csv`.
fn simulated(design: &str, n: usize, d: usize, more: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (n, d) = (n.to_string(), d.to_string());
    let arguments = [&["simulate", design, "-n", &n, "-d", &d], more].concat();
    fs::write(
        folder.path().join("data.csv"),
        stdout(folder.path(), &arguments),
    )
    .unwrap();
    folder
}

/// A file of a folder as JSON.
fn json(folder: &Path, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap()
}

/// A CSV text as rows of cells, the header first.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .map(|line| line.split(',').map(String::from).collect())
        .collect()
}

/// Everything in a folder, by name.
fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into())
        .collect();
    names.sort();
    names
}
