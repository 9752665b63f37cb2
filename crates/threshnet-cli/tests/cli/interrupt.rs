//! Signals end a fit cleanly and soon, and what was done is kept.
#![cfg(unix)]

use super::{json, listing, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Starts a command in a folder. It hears signals even where whoever runs these tests ignores them
/// (`nohup`, a job in the background), which a program respects.
pub fn start(home: &Path, arguments: &[&str]) -> Child {
    let binary = assert_cmd::cargo::cargo_bin("threshnet");
    let mut command = Command::new(&binary);
    if cfg!(target_os = "linux") {
        command = Command::new("env");
        command.arg("--default-signal=HUP,INT,TERM").arg(&binary);
    }
    command
        .current_dir(home)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a signal by its name and waits for the end.
pub fn end(child: Child, signal: &str) -> Output {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.unwrap().success());
    child.wait_with_output().unwrap()
}

/// Waits until something is so, while the command runs.
pub fn wait_until(child: &mut Child, is_so: impl Fn() -> bool) {
    while !is_so() {
        sleep(Duration::from_millis(3));
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none() || is_so(), "it ended too early");
    }
}

/// What an ended command said on stderr.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_string()
}

/// Bytes of a file, 0 where there is none.
pub fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len())
}

const LONG: &str = "fit data.csv --target y --first-epochs 1000000 --epochs 1000000 --linear leave";

#[test]
fn an_interrupt_leaves_nothing_and_says_so() {
    let home = simulated("regression", 400, 50, &[]);
    let before = listing(home.path());
    let long = words(LONG);
    for (more, text) in [
        (
            &["--out", "deep/fit"][..],
            "error: interrupted; nothing was written",
        ),
        (
            &[],
            "error: interrupted; nothing was written (--out keeps what is finished)",
        ),
    ] {
        // Far more work than the test waits for; the log tells when it has begun.
        let arguments = [&long[..], more, &["--log", "log"]].concat();
        let mut child = start(home.path(), &arguments);
        let log = home.path().join("log");
        let begun = || fs::read_to_string(&log).is_ok_and(|log| log.contains("\"memory\""));
        wait_until(&mut child, begun);
        let output = end(child, "-INT");
        assert_eq!(
            (output.status.code(), said(&output).as_str()),
            (Some(130), text)
        );
        assert!(output.stdout.is_empty());
        fs::remove_file(&log).unwrap();
        assert_eq!(listing(home.path()), before);
    }
}

/// Queues and closed terminals end programs in their own ways.
#[test]
fn other_signals_end_a_fit_likewise() {
    let home = simulated("regression", 400, 50, &[]);
    let log = home.path().join("log");
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        let arguments = [&words(LONG)[..], &["--out", "fit", "--log", "log"]].concat();
        let mut child = start(home.path(), &arguments);
        let begun = || fs::read_to_string(&log).is_ok_and(|log| log.contains("\"memory\""));
        wait_until(&mut child, begun);
        let output = end(child, signal);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert_eq!(said(&output), "error: interrupted; nothing was written");
        let lines = fs::read_to_string(&log).unwrap();
        let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert_eq!(last["exit"], code);
        fs::remove_file(&log).unwrap();
    }
}

/// Whoever starts a program with `nohup` wants it to go on.
#[test]
fn what_is_to_be_ignored_is_ignored() {
    let home = simulated("regression", 60, 5, &[]);
    let binary = assert_cmd::cargo::cargo_bin("threshnet");
    let script = "trap '' HUP; \"$0\" fit data.csv --target y --linear leave --ridges 0.01 \
                  --lambdas 0.02:0.3:6 --jobs 1 --out fit & child=$!; \
                  while [ ! -e .fit.runs ]; do sleep 0.01; done; kill -HUP $child; wait $child";
    let ended = Command::new("sh")
        .current_dir(home.path())
        .args(["-c", script])
        .arg(binary)
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    assert!(home.path().join("fit/model.json").exists());
}

/// Work that does not ask is not waited for: here the screening of many columns.
#[test]
fn screening_is_ended_soon() {
    let home = simulated("regression", 300, 3000, &[]);
    let log = home.path().join("log");
    let arguments = [
        &words(LONG)[..],
        &["--screen", "1000", "--out", "fit", "--log", "log"],
    ];
    let mut child = start(home.path(), &arguments.concat());
    let begun = || fs::read_to_string(&log).is_ok_and(|log| log.contains("\"memory\""));
    wait_until(&mut child, begun);
    let output = end(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(said(&output), "error: interrupted; nothing was written");
}

/// A fit that is stopped, by whatever, goes on where it was and ends as if nothing had happened.
#[test]
fn stopped_paths_go_on_where_they_were() {
    let home = simulated("regression", 120, 8, &[]);
    let flags = words("fit data.csv --target y --validation draws:4 --ridges 0.01,0.03 --jobs 1");
    goes_on(home.path(), &flags);
}

#[test]
fn stopped_half_samples_go_on_where_they_were() {
    let home = simulated("regression", 200, 10, &[]);
    let flags = words(
        "fit data.csv --target y --stability 30 --ridges 0.01 --lambdas 0.02:0.3:6 --epochs 100 \
         --first-epochs 400 --jobs 1",
    );
    goes_on(home.path(), &flags);
    // Other bounds are the same runs.
    let mut child = start(home.path(), &[&flags[..], &["--out", "again"]].concat());
    wait_until(&mut child, || size(&home.path().join(".again.runs")) > 500);
    end(child, "-KILL");
    let more = ["--out", "again", "--max-false", "3", "--log", "log"];
    stdout(home.path(), &[&flags[..], &more].concat());
    let log = fs::read_to_string(home.path().join("log")).unwrap();
    assert!(log.contains("\"resumed\""), "{log}");
}

fn goes_on(home: &Path, flags: &[&str]) {
    let fit = |out: &str| stdout(home, &[flags, &["--out", out]].concat());
    fit("whole");
    let stopped = [flags, &["--out", "stopped"]].concat();
    let ledger = home.join(".stopped.runs");
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let before = size(&ledger);
        let mut child = start(home, &stopped);
        wait_until(&mut child, || size(&ledger) > before + 400);
        let output = end(child, signal);
        assert_eq!(output.status.code(), code);
        if code.is_some() {
            let said = said(&output);
            assert!(
                said.contains("finished parts are kept in .stopped.runs, from where"),
                "{said}"
            );
        }
        assert!(!home.join("stopped").exists());
        assert!(size(&ledger) > before);
    }
    // Another seed and other data are other fits, and what is kept is not lost to them.
    let kept = fs::read(&ledger).unwrap();
    let other = |arguments: &[&str], what: &str| {
        let refused = threshnet()
            .current_dir(home)
            .args(arguments)
            .assert()
            .code(1);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(said.contains(what), "{said}");
        assert_eq!(fs::read(&ledger).unwrap(), kept);
    };
    other(
        &[&stopped[..], &["--seed", "1"]].concat(),
        "another fit has done (with other settings)",
    );
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    let (others, _) = data.trim_end().rsplit_once(',').unwrap();
    fs::write(home.join("data.csv"), format!("{others},0.25\n")).unwrap();
    other(&stopped, "(of other data");
    fs::write(home.join("data.csv"), data).unwrap();

    fs::write(home.join("log"), "").unwrap();
    stdout(home, &[&stopped[..], &["--log", "log"]].concat());
    let log = fs::read_to_string(home.join("log")).unwrap();
    assert!(log.contains("\"resumed\""), "{log}");
    fs::remove_file(home.join("log")).unwrap();
    assert!(!ledger.exists(), "nothing is left to go on with");
    same_fit(&home.join("whole"), &home.join("stopped"));
}

/// Two folders have the same bytes, but for what tells of their making.
pub fn same_fit(one: &Path, other: &Path) {
    assert_eq!(listing(one), listing(other));
    for file in listing(one) {
        let name = file.to_str().unwrap();
        match name {
            "summary.json" | "report.json" => {
                let timeless = |folder: &Path| {
                    let mut content = json(folder, name);
                    content["seconds"] = 0.into();
                    content["run"]["seconds"] = 0.into();
                    content["origin"] = 0.into();
                    content
                };
                assert_eq!(timeless(one), timeless(other), "{name}");
            }
            // (they show the command)
            "report.html" | "model-card.md" | "methods.md" => {}
            _ => {
                let same = fs::read(one.join(name)).unwrap() == fs::read(other.join(name)).unwrap();
                assert!(same, "{name} differs");
            }
        }
    }
}
