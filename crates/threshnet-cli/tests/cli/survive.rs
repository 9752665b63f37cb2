//! What a killed run leaves is put right by the next one; folders, locks, memory, shares, the log.
#![cfg(unix)]

use super::interrupt::{end, said, same_fit, size, start, wait_until};
use super::{listing, simulated, stdout, threshnet, words};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const QUICK: &str = "fit data.csv --target y --validation draws:3 --ridges 0.01 \
                     --lambdas 0.05:0.3:4 --first-epochs 40 --epochs 20 --no-ensemble --jobs 2";

fn quick() -> Vec<&'static str> {
    QUICK.split_whitespace().collect()
}

fn refused(home: &Path, arguments: &[&str], code: i32) -> String {
    let run = threshnet()
        .current_dir(home)
        .args(arguments)
        .assert()
        .code(code);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

#[test]
fn two_fits_for_one_folder_are_not_made() {
    let home = simulated("regression", 300, 30, &[]);
    let long = words("fit data.csv --target y --first-epochs 1000000 --out fit");
    let mut child = start(home.path(), &long);
    wait_until(&mut child, || home.path().join(".fit.runs").exists());
    let said = refused(home.path(), &long, 1);
    assert!(
        said.contains("another fit is working for this folder"),
        "{said}"
    );
    end(child, "-KILL");
}

#[test]
fn a_users_file_in_the_folder_is_kept() {
    let home = simulated("regression", 60, 5, &[]);
    let fit = [&quick()[..], &["--out", "fit", "--svg"]].concat();
    stdout(home.path(), &fit);
    stdout(home.path(), &fit);
    fs::write(home.path().join("fit/figure-mine.svg"), "<svg/>").unwrap();
    let said = refused(home.path(), &fit, 1);
    assert!(said.contains("figure-mine.svg"), "{said}");
    assert!(home.path().join("fit/figure-mine.svg").exists());
    assert_eq!(
        listing(home.path()),
        [PathBuf::from("data.csv"), "fit".into()]
    );
}

/// Of a user who may write beside a folder, but not in it.
#[test]
fn a_folder_that_cannot_be_emptied_is_refused_before_the_work() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let home = simulated("regression", 60, 5, &[]);
    let fit = [&quick()[..], &["--out", "fit"]].concat();
    stdout(home.path(), &fit);
    let model = fs::read(home.path().join("fit/model.json")).unwrap();
    let allow = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&home.path().join("fit"), 0o555);
    allow(home.path(), 0o777);
    let binary = assert_cmd::cargo::cargo_bin("threshnet");
    // (the root may write everywhere)
    let mut command = match fs::metadata(home.path()).unwrap().uid() {
        0 => {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid", "65534", "--clear-groups"])
                .arg(binary);
            command
        }
        _ => Command::new(binary),
    };
    let ended = command
        .current_dir(home.path())
        .args(&fit)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    assert!(
        said(&ended).contains("may not be written"),
        "{}",
        said(&ended)
    );
    assert_eq!(fs::read(home.path().join("fit/model.json")).unwrap(), model);
    assert_eq!(
        listing(home.path()),
        [PathBuf::from("data.csv"), "fit".into()]
    );
    allow(&home.path().join("fit"), 0o755);
}

/// Kills at random moments and at every call of the system that the last write makes (a small
/// version of bench/kills.py).
#[test]
fn killed_anywhere_the_same_command_ends_with_the_same_files() {
    let home = simulated("regression", 60, 5, &[]);
    let fit = [&quick()[..], &["--quiet"]].concat();
    stdout(home.path(), &[&fit[..], &["--out", "whole"]].concat());
    let binary = assert_cmd::cargo::cargo_bin("threshnet");
    let again = [&fit[..], &["--out", "fit"]].concat();
    let (mut killed, mut replaced) = (0, 0);
    for replaces in [false, true] {
        for call in ["fsync", "renameat2", "rename", "unlink", "rmdir"] {
            for when in 1..40 {
                if !replaces {
                    let _ = fs::remove_dir_all(home.path().join("fit"));
                }
                let ended = Command::new("strace")
                    .current_dir(home.path())
                    .args(["-f", "-qq", "-o", "/dev/null", "-e"])
                    .arg(format!("inject={call}:signal=KILL:when={when}"))
                    .arg(&binary)
                    .args(&again)
                    .output()
                    .expect("strace is installed: apt-get install strace");
                if ended.status.success() {
                    break;
                }
                killed += 1;
                replaced += usize::from(replaces);
                // There is a whole fit in place, or (before the first) none.
                let model = home.path().join("fit/model.json");
                assert!(model.exists() || !home.path().join("fit").exists());
                assert!(
                    model.exists() || !replaces,
                    "{call} {when}: no fit is in place"
                );
                stdout(home.path(), &again);
                same_fit(&home.path().join("whole"), &home.path().join("fit"));
                let left = ["data.csv", "fit", "whole"].map(PathBuf::from);
                assert_eq!(listing(home.path()), left, "{call} {when}");
            }
        }
    }
    assert!(killed > 20 && replaced > 10, "{killed} {replaced}");
}

#[test]
fn a_full_disk_says_so_and_the_same_command_goes_on() {
    let home = simulated("regression", 60, 5, &[]);
    let fit = [&quick()[..], &["--out", "fit"]].concat();
    stdout(home.path(), &[&quick()[..], &["--out", "whole"]].concat());
    // (files of this size are all that the disk takes)
    let script = "trap '' XFSZ; ulimit -f 40; exec \"$0\" \"$@\"";
    let ended = Command::new("bash")
        .current_dir(home.path())
        .args(["-c", script])
        .arg(assert_cmd::cargo::cargo_bin("threshnet"))
        .args(&fit)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    let text = said(&ended);
    assert!(
        text.contains("cannot write") && text.contains("kept in .fit.runs"),
        "{text}"
    );
    assert!(size(&home.path().join(".fit.runs")) > 0);
    stdout(home.path(), &fit);
    same_fit(&home.path().join("whole"), &home.path().join("fit"));
}

#[test]
fn a_fit_beyond_the_memory_is_refused_with_what_would_fit() {
    let home = simulated("regression", 200, 2000, &[]);
    let limited = |kilobytes: usize, more: &[&str]| {
        Command::new("bash")
            .current_dir(home.path())
            .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")])
            .arg(assert_cmd::cargo::cargo_bin("threshnet"))
            .args(words("fit data.csv --target y --out fit --jobs 2"))
            .args(more)
            .output()
            .unwrap()
    };
    let ended = limited(
        1_500_000,
        &["--hidden", "6000,300", "--validation", "holdout:0.2"],
    );
    let text = said(&ended);
    assert_eq!(ended.status.code(), Some(1), "{text}");
    assert!(
        text.contains("this fit needs about") && text.contains("ulimit -v has"),
        "{text}"
    );
    for way in ["--jobs 1", "--hidden ", "--screen "] {
        assert!(text.contains(way), "{text}");
    }
    assert_eq!(listing(home.path()), [PathBuf::from("data.csv")]);
    // widths out of range, and tables that are no tables
    let wide = words("fit data.csv --target y --hidden 1000000,1000000");
    assert!(refused(home.path(), &wide, 2).contains("--hidden"));
    let many = words("simulate regression -n 1000000000000 -d 1000000");
    assert!(refused(home.path(), &many, 2).contains("ask for fewer"));
}

#[test]
fn the_log_is_lines_of_json() {
    let home = simulated("regression", 60, 5, &[]);
    let fit = [&quick()[..], &["--out", "fit", "--log", "log.jsonl"]].concat();
    stdout(home.path(), &fit);
    let text = fs::read_to_string(home.path().join("log.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = (text.lines())
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let of = |event: &str| {
        lines
            .iter()
            .filter(|line| line["event"] == event)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("start")[0]["command"][1], "fit");
    assert_eq!(
        (&of("read")[0]["rows"], &of("read")[0]["columns"]),
        (&60.into(), &5.into())
    );
    assert!(of("memory")[0]["needed_bytes"].as_f64().unwrap() > 1e6);
    let progress = of("progress");
    assert!(
        progress
            .iter()
            .all(|line| line["done"].as_u64() <= line["total"].as_u64())
    );
    assert!(!progress.is_empty());
    let end = lines.last().unwrap();
    assert_eq!((&end["event"], &end["exit"]), (&"end".into(), &0.into()));
    assert!(
        lines
            .windows(2)
            .all(|two| two[0]["time"].as_f64() <= two[1]["time"].as_f64())
    );
    // what fails is the last line, too
    refused(
        home.path(),
        &["fit", "none.csv", "--target", "y", "--log", "failed"],
        1,
    );
    let text = fs::read_to_string(home.path().join("failed")).unwrap();
    assert!(text.lines().last().unwrap().contains("none.csv"), "{text}");
}

#[test]
fn shares_of_a_study_are_the_study() {
    let home = tempfile::tempdir().unwrap();
    let study = |more: &str| {
        let common = "study table1 --reps 2 --only regression,glasso,300x20 --quiet ";
        stdout(home.path(), &words(&format!("{common}{more}")))
    };
    study("--out whole");
    for share in 1..=2 {
        study(&format!("--shard {share}/2 --out share{share}"));
        assert_eq!(rows(&home.path().join(format!("share{share}"))).len(), 1);
    }
    let some = study("--merge share1 --out merged");
    assert!(
        some.contains("1 of 2 fits") && some.contains("1 are missing"),
        "{some}"
    );
    let all = study("--merge share1 share2 --out merged");
    assert!(all.contains("2 fits in"), "{all}");
    assert_eq!(
        rows(&home.path().join("merged")),
        rows(&home.path().join("whole"))
    );
    let table = |folder: &str| fs::read(home.path().join(folder).join("table.md")).unwrap();
    assert_eq!(table("merged"), table("whole"));
    // another result for the same fit is no share of this study
    let results = home.path().join("share2/results.csv");
    let text = fs::read_to_string(&results).unwrap();
    let mut cells: Vec<String> = text
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .map(String::from)
        .collect();
    cells[12] = "0.123".into();
    fs::write(
        &results,
        format!("{}\n{}\n", text.lines().next().unwrap(), cells.join(",")),
    )
    .unwrap();
    let base = words("study table1 --reps 2 --only regression,glasso,300x20 --out merged --merge");
    let said = refused(home.path(), &[&base[..], &["share2"]].concat(), 1);
    assert!(said.contains("has another result"), "{said}");
    let said = refused(home.path(), &[&base[..], &["nowhere"]].concat(), 1);
    assert!(said.contains("no results.csv"), "{said}");
}

/// The rows of a study, sorted, without their seconds.
fn rows(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("results.csv")).unwrap();
    let timeless = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[15] = "";
        cells.join(",")
    };
    let mut rows: Vec<String> = text.lines().skip(1).map(timeless).collect();
    rows.sort();
    rows
}

/// A study that is killed goes on, too.
#[test]
fn a_killed_study_ends_with_the_same_rows() {
    let home = tempfile::tempdir().unwrap();
    let study =
        words("study table1 --reps 3 --only regression,glasso,300x20 --quiet --jobs 1 --out");
    stdout(home.path(), &[&study[..], &["whole"]].concat());
    let killed = [&study[..], &["killed"]].concat();
    let mut child = start(home.path(), &killed);
    let results = home.path().join("killed/results.csv");
    let lines = || fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    wait_until(&mut child, || lines() > 1);
    end(child, "-KILL");
    stdout(home.path(), &killed);
    assert_eq!(
        rows(&home.path().join("killed")),
        rows(&home.path().join("whole"))
    );
    let summary = |folder: &str| listing(&home.path().join(folder));
    assert_eq!(summary("killed"), summary("whole"));
}
