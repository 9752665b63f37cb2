//! A single fit uses the threads it was given, and says the same whatever their number.

use super::{simulated, stdout, words};
use std::fs;

/// One path over all rows, long enough to be looked at.
const ONE_PATH: &str = "fit data.csv --target y --validation none --lambdas 0.05 --ridges 0.01 \
                        --first-epochs 3000";

#[test]
fn a_single_path_is_the_same_on_any_number_of_threads() {
    let home = simulated("regression", 1200, 300, &[]);
    let model = |jobs: &str| {
        let flags = [&words(ONE_PATH)[..], &["--jobs", jobs, "--out", jobs]].concat();
        stdout(home.path(), &flags);
        fs::read(home.path().join(jobs).join("model.json")).unwrap()
    };
    assert!(model("1") == model("3"), "the bits depend on the threads");
}

/// The most threads that worked on the fit at a time: others read, or wait for signals.
#[cfg(target_os = "linux")]
fn threads_seen(folder: &std::path::Path, jobs: &str) -> usize {
    use std::collections::BTreeSet;
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("threshnet"))
        .current_dir(folder)
        .args(words(ONE_PATH))
        .args(["--jobs", jobs, "--quiet"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let tasks = format!("/proc/{}/task", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let named = fs::read_dir(&tasks).into_iter().flatten().flatten();
        let names = named.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        // (those of a pool that has ended may linger beside those of the next, which have the same names)
        let of_fit: BTreeSet<String> = names.filter(|name| name.starts_with("fit-")).collect();
        most = most.max(of_fit.len());
    }
    most
}

#[cfg(target_os = "linux")]
#[test]
fn a_single_path_has_the_threads_it_was_given() {
    let home = simulated("regression", 1200, 300, &[]);
    let seen = ["1", "5"].map(|jobs| threads_seen(home.path(), jobs));
    assert_eq!(seen, [1, 5]);
}
