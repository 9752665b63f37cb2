//! What fuzzing runs: a function per reader, which takes any bytes. It may refuse them, in one line;
//! it must not panic, run away or abort.
//!
//! libFuzzer runs them from `fuzz/fuzz_targets/` (`make fuzz`); the test of this crate runs them on
//! the seeds in `fuzz/corpus/` and on changed ones, with no more than stable Rust.

pub mod mutate;
mod readers;
mod reports;

use std::path::PathBuf;

/// A function that is fuzzed.
pub struct Target {
    /// Its name, that of its program and of its folder of seeds.
    pub name: &'static str,
    /// What it does with bytes.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 12] = [
    target("csv", readers::csv),
    target("csv_gz", readers::csv_gz),
    target("csv_manner", readers::csv_manner),
    target("mtx", readers::mtx),
    target("npy", readers::npy),
    target("npz", readers::npz),
    target("arrow", readers::arrow),
    target("parquet", readers::parquet),
    target("lists", readers::lists),
    target("cell", readers::cell),
    target("model", reports::model),
    target("report", reports::report),
];

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// Runs the target of this name, as its program does.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target of this name").run)(bytes);
}

/// Where the seeds are.
pub fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}
