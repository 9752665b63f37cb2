//! One answer on every processor: a model is the same file whichever vectors it was fitted with, and
//! so is the summary, which also tells of networks that were not chosen.

use super::{cells, json, simulated, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use threshnet::kernel::{ISA_VARIABLE, InstructionSet};

/// The paper's protocol, the default and stability selection, with less to do.
const SELECTIONS: [&str; 3] = [
    "--protocol paper --validation holdout:0.2 --lambdas 0.01:0.5:8 --first-epochs 40 --epochs 20",
    "--validation draws:4 --lambdas 0.01:0.5:8 --first-epochs 40 --epochs 20",
    "--stability 3 --max-false 3 --lambdas 0.01:0.5:8 --first-epochs 40 --epochs 20",
];

/// Fits on both sets of a machine that has them, for every way to select.
fn check(folder: &TempDir, outcome: &str) {
    let sets = [InstructionSet::Avx512, InstructionSet::Avx2];
    let available = InstructionSet::available();
    if !sets.iter().all(|set| available.contains(set)) {
        println!("SKIPPED: this machine has {available:?}, not both of {sets:?}");
        return;
    }
    for selection in SELECTIONS {
        let [wide, narrow] = sets.map(|set| fitted(folder.path(), set, outcome, selection));
        assert_eq!(wide, narrow, "{outcome} {selection}");
    }
}

/// The model of a fit, and its summary but for what tells of this run.
fn fitted(folder: &Path, set: InstructionSet, outcome: &str, selection: &str) -> (String, Value) {
    let out = tempfile::tempdir().unwrap();
    let line = format!("fit data.csv --ridges 0.01,0.03 --quiet {outcome} {selection} --out");
    threshnet()
        .current_dir(folder)
        .env(ISA_VARIABLE, set.name())
        .args(words(&line))
        .arg(out.path().join("fit"))
        .assert()
        .success();
    let mut summary = json(&out.path().join("fit"), "summary.json");
    assert_eq!(summary["instruction_set"], set.name());
    for own in ["instruction_set", "seconds"] {
        summary[own] = Value::Null;
    }
    let model = fs::read_to_string(out.path().join("fit/model.json")).unwrap();
    (model, summary)
}

#[test]
fn regressions_are_the_same_on_all_processors() {
    check(&simulated("regression", 150, 12, &[]), "--target y");
}

#[test]
fn two_classes_are_the_same_on_all_processors() {
    check(&simulated("classification", 150, 12, &[]), "--target y");
}

#[test]
fn survival_is_the_same_on_all_processors() {
    let folder = simulated("survival", 150, 12, &["--censoring", "0.2"]);
    check(&folder, "--time time --event event");
}

#[test]
fn three_classes_are_the_same_on_all_processors() {
    let folder = simulated("regression", 150, 12, &[]);
    let file = folder.path().join("data.csv");
    let mut rows = cells(&fs::read_to_string(&file).unwrap());
    let place = rows[0].iter().position(|name| name == "y").unwrap();
    let outcome = |row: &[String]| row[place].parse::<f64>().unwrap();
    let mut sorted: Vec<f64> = rows[1..].iter().map(|row| outcome(row)).collect();
    sorted.sort_by(f64::total_cmp);
    for row in &mut rows[1..] {
        let below = sorted.partition_point(|&y| y < outcome(row));
        row[place] = ["low", "middle", "high"][3 * below / sorted.len()].into();
    }
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    check(&folder, "--target y");
}
