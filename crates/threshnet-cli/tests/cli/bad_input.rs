//! Bad input: a clear line, the right exit code, nothing left behind.

use super::{listing, simulated, stdout, threshnet};
use std::fs;
use std::path::Path;

/// Runs and expects exactly one line on stderr that has all the pieces, the
/// exit code, nothing on stdout and no new file.
fn refused(folder: &Path, arguments: &[&str], code: i32, pieces: &[&str]) {
    let before = listing(folder);
    let run = threshnet()
        .current_dir(folder)
        .args(arguments)
        .assert()
        .code(code);
    let output = run.get_output();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        stderr.trim_end().lines().count(),
        1,
        "{arguments:?}: {stderr}"
    );
    for piece in pieces {
        assert!(
            stderr.contains(piece),
            "{arguments:?}: {piece:?} is not in {stderr}"
        );
    }
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(
        before,
        listing(folder),
        "{arguments:?} left something behind"
    );
}

/// A file `bad.csv` with this text, and a fit of its column y.
fn refused_file(text: &str, flags: &[&str], pieces: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("bad.csv"), text).unwrap();
    let outcome: &[&str] = if text.contains("time") {
        &["--time", "time", "--event", "event"]
    } else {
        &["--target", "y"]
    };
    let arguments = [&["fit", "bad.csv", "--out", "fit"], outcome, flags].concat();
    refused(home.path(), &arguments, 1, &[&["bad.csv"], pieces].concat());
}

#[test]
fn files() {
    let home = tempfile::tempdir().unwrap();
    refused(
        home.path(),
        &["fit", "none.csv", "--target", "y"],
        1,
        &["none.csv"],
    );
    refused_file("", &[], &["empty"]);
    refused_file("a,y\n", &[], &["row"]);
    refused_file("a,y\n1,2\n", &[], &["1 row", "at least 2"]);
    refused_file("a,y\n1,2\n1,2,3\n4,5\n", &[], &["line 3", "3", "2"]);
    refused_file("a,b,a,y\n1,2,3,4\n2,3,4,5\n", &[], &["\"a\"", "1", "3"]);
    refused_file("a,z\n1,2\n2,3\n", &[], &["\"y\""]);
}

#[test]
fn cells() {
    refused_file(
        "a,y\n1,2\nx,3\n4,5\n",
        &[],
        &["line 3", "\"a\"", "\"x\"", "--drop a"],
    );
    for missing in ["", "NA", "NaN", "inf", "-inf"] {
        let text = format!("a,b,y\n1,2,3\n4,{missing},6\n7,8,9\n,1,2\n");
        refused_file(&text, &[], &["line 3", "\"b\"", "2"]);
    }
    refused_file("a,y\n1,2\n2,\n3,4\n", &[], &["line 3", "\"y\""]);
    refused_file("a,y\n5,1\n5,2\n5,3\n", &[], &["constant"]);
}

#[test]
fn outcomes() {
    refused_file("a,y\n1,2\n2,2\n3,2\n", &[], &["\"y\"", "2"]);
    refused_file("a,y\n1,u\n2,u\n3,u\n", &[], &["\"y\"", "u"]);
    refused_file(
        "a,y\n1,1\n2,2\n3,3\n",
        &["--task", "binary"],
        &["\"y\"", "3"],
    );
    refused_file(
        "a,time,event\n1,2,1\n2,3,2\n3,1,0\n",
        &[],
        &["line 3", "\"event\"", "2"],
    );
    refused_file(
        "a,time,event\n1,2,1\n2,3,yes\n3,1,0\n",
        &[],
        &["line 3", "\"event\"", "yes"],
    );
    refused_file("a,time,event\n1,2,0\n2,3,0\n3,1,0\n", &[], &["event"]);
    refused_file(
        "a,time,event\n1,2,1\n2,-3,0\n3,1,0\n",
        &[],
        &["line 3", "\"time\"", "-3"],
    );
}

#[test]
fn splits() {
    let rows: String = (0..10)
        .map(|i| format!("{},{},{}\n", i * i % 7, i + 1, u8::from(i == 3)))
        .collect();
    let text = format!("a,time,event\n{rows}");
    // One event cannot be on both sides of a split.
    refused_file(&text, &[], &["event"]);
    refused_file(&text, &["--protocol", "paper"], &["event"]);
    let home = simulated("regression", 10, 4, &[]);
    let arguments = ["fit", "data.csv", "--target", "y", "--validation", "cv:11"];
    refused(
        home.path(),
        &arguments,
        2,
        &["--validation", "11 folds of 10 rows"],
    );
}

#[test]
fn flags() {
    let home = simulated("regression", 30, 4, &[]);
    let refuse = |flags: &[&str], pieces: &[&str]| {
        let arguments = [&["fit", "data.csv", "--target", "y", "--out", "fit"], flags].concat();
        refused(home.path(), &arguments, 2, pieces);
    };
    refuse(&["--lambdas", "0.2,0.1"], &["lambdas", "ascending"]);
    refuse(&["--lambdas=-0.1,0.1"], &["lambdas", "-0.1"]);
    refuse(&["--lambdas", "NaN"], &["lambdas", "NaN"]);
    refuse(&["--lambdas", "0.1;0.2"], &["lambdas", "0.1;0.2"]);
    refuse(&["--lambdas", "0:1:5"], &["lambdas", "MIN"]);
    refuse(&["--ridges", "0.2,0.1"], &["ridges", "ascending"]);
    refuse(&["--hidden", "0"], &["hidden", "none"]);
    refuse(&["--hidden", "10,0"], &["hidden"]);
    refuse(&["--validation", "none"], &["validation", "one lambda"]);
    refuse(&["--validation", "holdout:1.5"], &["validation", "1.5"]);
    refuse(
        &["--threshold-step", "3"],
        &["threshold-step", "MCP", "concavity"],
    );
    refuse(
        &["--penalty", "scad", "--threshold-step", "2.7"],
        &["threshold-step", "SCAD"],
    );
    refuse(
        &["--penalty", "scad", "--concavity", "2"],
        &["concavity", "2"],
    );
    refuse(&["--penalty", "lasso", "--concavity", "3"], &["concavity"]);
    refuse(&["--learning-rate", "0"], &["learning-rate"]);
    refuse(
        &["--solver", "proximal", "--learning-rate", "0.1"],
        &["learning-rate"],
    );
    refuse(&["--epochs", "0"], &["epochs"]);
    refuse(&["--jobs", "0"], &["jobs"]);
    refuse(&["--penalty", "ridge"], &["penalty", "ridge"]);
    refuse(&["--nonsense"], &["--nonsense"]);
    refused(home.path(), &["fit", "data.csv"], 2, &["--target"]);
    refused(
        home.path(),
        &["fit", "data.csv", "--time", "y"],
        2,
        &["--event"],
    );
    refused(
        home.path(),
        &["simulate", "regression", "-n", "10", "-d", "3"],
        2,
        &["-d", "4"],
    );
    refused(
        home.path(),
        &["metrics", "data.csv", "--target", "y"],
        2,
        &["--prediction"],
    );
    let features = ["fit", "data.csv", "--target", "y", "--features", "x1,z*"];
    refused(home.path(), &features, 1, &["data.csv", "z*"]);
}

#[test]
fn divergence_is_told_not_written() {
    let home = simulated("regression", 60, 4, &[]);
    let arguments = [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--out",
        "fit",
        "--learning-rate",
        "1e30",
        "--lambdas",
        "0.01,0.1",
        "--ridges",
        "0.01",
    ];
    refused(
        home.path(),
        &arguments,
        1,
        &["data.csv", "diverged", "--learning-rate"],
    );
}

#[test]
fn model_files() {
    let home = simulated("regression", 60, 4, &[]);
    let flags = [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--out",
        "fit",
        "--lambdas",
        "0.005",
        "--ridges",
        "0.01",
    ];
    stdout(home.path(), &flags);
    let good = fs::read_to_string(home.path().join("fit/model.json")).unwrap();
    let refuse = |text: &str, pieces: &[&str]| {
        fs::write(home.path().join("model.json"), text).unwrap();
        refused(
            home.path(),
            &["predict", "model.json", "data.csv"],
            1,
            pieces,
        );
    };
    refuse(
        &good.replace("\"schema\": 1", "\"schema\": 2"),
        &["model.json", "schema 2", "schema 1"],
    );
    refuse(&good[..good.len() / 2], &["model.json", "line"]);
    refuse("", &["model.json"]);
    refuse("{}", &["model.json", "schema"]);
    let mut shorter: serde_json::Value = serde_json::from_str(&good).unwrap();
    shorter["networks"][0]["layers"][1]["bias"]
        .as_array_mut()
        .unwrap()
        .pop();
    refuse(&shorter.to_string(), &["model.json", "layer 2"]);
    let mut narrower: serde_json::Value = serde_json::from_str(&good).unwrap();
    narrower["networks"][0]["inputs"]
        .as_array_mut()
        .unwrap()
        .pop();
    refuse(&narrower.to_string(), &["model.json", "layer 1"]);
    refused(
        home.path(),
        &["predict", "nowhere", "data.csv"],
        1,
        &["nowhere"],
    );

    let model: serde_json::Value = serde_json::from_str(&good).unwrap();
    let used = model["networks"][0]["inputs"][0].as_u64().unwrap() + 1;
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let name = format!("x{used}");
    fs::write(
        home.path().join("less.csv"),
        text.replacen(&name, "other", 1),
    )
    .unwrap();
    refused(
        home.path(),
        &["predict", "fit", "less.csv"],
        1,
        &["less.csv", &name],
    );
    refused(
        home.path(),
        &["predict", "fit", "data.csv", "--times", "1"],
        2,
        &["--times"],
    );
    refused(
        home.path(),
        &["evaluate", "fit", "less.csv", "--target", "w"],
        1,
        &["less.csv"],
    );
}
