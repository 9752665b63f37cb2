//! Pipes, and outputs that take nothing.
#![cfg(target_os = "linux")]

use super::interrupt::said;
use super::{json, simulated};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const QUICK: &str = "fit data.csv --target y --validation draws:2 --ridges 0.01 --lambdas 0.05:0.3:3 \
                     --first-epochs 10 --epochs 5 --no-ensemble --quiet";

/// Runs a line of the shell, in which `$0` is the program.
fn shell(home: &Path, line: &str) -> Output {
    Command::new("bash")
        .current_dir(home)
        .args(["-c", line])
        .arg(assert_cmd::cargo::cargo_bin("threshnet"))
        .output()
        .unwrap()
}

/// Errors go nowhere where the disk is full, but the exit code does not change.
#[test]
fn a_full_stderr_is_no_panic() {
    let home = simulated("regression", 60, 5, &[]);
    for (line, code) in [
        ("\"$0\" fit none.csv --target y 2> /dev/full", 1),
        ("\"$0\" fit data.csv --target y --nonsense 2> /dev/full", 2),
        ("\"$0\" predict none data.csv 2> /dev/full", 1),
        ("\"$0\" study table9 2> /dev/full", 2),
    ] {
        assert_eq!(shell(home.path(), line).status.code(), Some(code), "{line}");
    }
}

#[test]
fn a_full_stdout_is_named() {
    let home = simulated("regression", 60, 5, &[]);
    for line in [
        "simulate regression -n 20 -d 4",
        "inspect data.csv",
        "inspect data.csv --json",
        "completions bash",
        QUICK,
    ] {
        let ended = shell(home.path(), &format!("\"$0\" {line} > /dev/full"));
        let text = said(&ended);
        assert_eq!(ended.status.code(), Some(1), "{line}: {text}");
        assert!(
            text.starts_with("error: standard output: cannot write: No space left"),
            "{line}: {text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

/// A pipe of a name cannot be opened again: whoever tries waits for ever.
#[test]
fn a_pipe_is_read_once() {
    let home = simulated("regression", 60, 5, &[]);
    let through = |command: &str| {
        let line = format!(
            "rm -f pipe; mkfifo pipe; cat data.csv > pipe & exec timeout 100 \"$0\" {command}"
        );
        let ended = shell(home.path(), &line);
        assert_eq!(ended.status.code(), Some(0), "{command}: {}", said(&ended));
        String::from_utf8(ended.stdout).unwrap()
    };
    let found = through("inspect pipe");
    assert!(
        found.contains("60 rows, 6 columns") && found.contains("threshnet fit pipe --target y"),
        "{found}"
    );
    assert!(!found.contains("corrected first"), "{found}");
    through(&format!("{} --out fit", QUICK.replace("data.csv", "pipe")));
    // of what cannot be read again, nothing is said
    let report = json(&home.path().join("fit"), "report.json");
    assert!(report["origin"]["file"].is_null(), "{}", report["origin"]);
    fs::write(home.path().join("data.csv"), "a;y\n1,5;1\n2,5;2\n3,5;4\n").unwrap();
    let line = "mkfifo second; cat data.csv > second & exec timeout 100 \"$0\" inspect second";
    let ended = shell(home.path(), line);
    let text = said(&ended);
    assert_eq!(ended.status.code(), Some(1), "{text}");
    assert!(text.contains("a pipe cannot be read again"), "{text}");
}
