//! Bad input: a clear line, the right exit code, nothing left behind.

use super::{listing, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

/// Runs and expects exactly one line on stderr that has all the pieces, the
/// exit code, nothing on stdout and no new file.
pub fn refused(folder: &Path, arguments: &[&str], code: i32, pieces: &[&str]) {
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
        &["none.csv: no such file"],
    );
    refused_file("", &[], &["the file is empty"]);
    refused_file("a,y\n", &[], &["a header, but no rows"]);
    refused_file("a,y\n1,2\n", &[], &["1 row of data", "at least 2"]);
    refused_file(
        "a,y\n1,2\n1,2,3\n4,5\n",
        &[],
        &["line 3: 3 cells, but the header has 2"],
    );
    refused_file(
        "a,b,a,y\n1,2,3,4\n2,3,4,5\n",
        &[],
        &["header: columns 1 and 3 are both named \"a\"; rename one"],
    );
    refused_file(
        "a,b,b,a,y\n1,2,3,4,5\n2,3,4,5,6\n",
        &[],
        &[
            "2 names occur more than once (\"b\", \"a\")",
            "columns 2 and 3 are both named \"b\"",
        ],
    );
    refused_file("a,z\n1,2\n2,3\n", &[], &["there is no column \"y\""]);
}

#[test]
fn cells() {
    refused_file(
        "a,y\n1,2\nx,3\n4,5\n",
        &[],
        &["line 3, column \"a\": \"x\" is not a number", "--drop a"],
    );
    let patients: String = (0..30)
        .map(|i| format!("p{i},q{i},{i},{}\n", i % 7))
        .collect();
    refused_file(
        &format!("a,b,x,y\n{patients}"),
        &[],
        &[
            "column \"a\": 30 different texts",
            "the 2 columns like it",
            "--drop a,b\n",
        ],
    );
    for missing in ["", "NA", "NaN", "inf", "-inf"] {
        let text = format!("a,b,y\n1,2,3\n4,{missing},6\n7,8,9\n,1,2\n");
        refused_file(
            &text,
            &[],
            &["line 3, column \"b\": the first of 2 missing or infinite cells in 2 columns"],
        );
    }
    refused_file(
        "a,y\n1,2\n2,\n3,4\n",
        &[],
        &["line 3, column \"y\": a missing or infinite cell"],
    );
    refused_file(
        "a,y\n5,1\n5,2\n5,3\n",
        &[],
        &["every feature column is constant"],
    );
}

/// The suggested flag, as a shell would pass it on, makes the fit run.
#[test]
fn the_suggested_drop_runs() {
    let home = tempfile::tempdir().unwrap();
    let mut text = "\"a,b\",c*,cd,-e,y\n".to_string();
    text.extend((0..30).map(|i| format!("u{i},v{i},{i},w{i},{}\n", i * 7 % 5)));
    fs::write(home.path().join("bad.csv"), text).unwrap();
    let fit = ["fit", "bad.csv", "--target", "y", "--json"];
    refused(home.path(), &fit, 1, &["with --drop 'a?b,c*,-e'\n"]);
    let single = "--validation none --lambdas 0.1 --ridges 0.1 --first-epochs 5";
    let single: Vec<&str> = single.split(' ').collect();
    let summary = stdout(
        home.path(),
        &[&fit[..], &["--drop", "a?b,c*,-e"], &single].concat(),
    );
    // The name c* is a column here, and no glob that would take cd along.
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&summary).unwrap()["d"],
        1
    );
}

#[test]
fn outcomes() {
    for value in ["2", "u"] {
        let text = format!("a,y\n1,{value}\n2,{value}\n3,{value}\n");
        let piece = format!("column \"y\": every row is \"{value}\"; there is nothing to fit");
        refused_file(&text, &[], &[&piece]);
    }
    refused_file(
        "a,y\n1,1\n2,2\n3,3\n",
        &["--task", "binary"],
        &["column \"y\": 3 distinct values", "--task binary needs 2"],
    );
    refused_file(
        "a,y\n1,A7\n2,A8\n3,A9\n4,A9\n",
        &[],
        &["line 2, column \"y\": \"A7\" is the first of 2 classes of 1 row"],
    );
    refused_file(
        "a,y\n1,1\n2,2\n3,3\n",
        &["--task", "multiclass"],
        &["the first of 3 classes of 1 row", "say --task regression"],
    );
    refused_file(
        "a,time,event\n1,2,1\n2,3,2\n3,1,0\n",
        &[],
        &["line 3, column \"event\": \"2\" is not an event indicator"],
    );
    refused_file(
        "a,time,event\n1,2,1\n2,3,yes\n3,1,0\n",
        &[],
        &["line 3, column \"event\": \"yes\" is not an event indicator"],
    );
    refused_file(
        "a,time,event\n1,2,0\n2,3,0\n3,1,0\n",
        &[],
        &["column \"event\": no event happened"],
    );
    refused_file(
        "a,time,event\n1,2,1\n2,-3,0\n3,1,0\n",
        &[],
        &["line 3, column \"time\": the time -3 is negative"],
    );
}

#[test]
fn splits() {
    let rows: String = (0..10)
        .map(|i| format!("{},{},{}\n", i * i % 7, i + 1, u8::from(i == 3)))
        .collect();
    let text = format!("a,time,event\n{rows}");
    // One event cannot be on both sides of a split.
    refused_file(&text, &[], &["no event among the"]);
    refused_file(&text, &["--protocol", "paper"], &["no event among the"]);
    let home = simulated("regression", 10, 4, &[]);
    let arguments = ["fit", "data.csv", "--target", "y", "--validation", "cv:11"];
    refused(
        home.path(),
        &arguments,
        2,
        &["--validation", "11 folds of 10 rows"],
    );
}

/// The flags alone say that these cannot be meant, so no file is needed.
#[test]
fn outcome_flags_that_contradict_each_other() {
    let home = tempfile::tempdir().unwrap();
    let refuse = |flags: &str, piece: &str| {
        let arguments: Vec<&str> = flags.split(' ').collect();
        refused(home.path(), &arguments, 2, &[piece]);
    };
    refuse(
        "fit none.csv --target y --task cox",
        "--task cox needs --time COL and --event COL, not --target",
    );
    for task in ["binary", "multiclass", "regression"] {
        refuse(
            &format!("fit none.csv --time t --event e --task {task}"),
            &format!("--task {task} needs --target COL, not --time and --event"),
        );
    }
    refuse(
        "fit none.csv --target y --features x1,y",
        "--features: \"y\" is the outcome",
    );
    refuse(
        "fit none.csv --time t --event e --features e,x1",
        "--features: \"e\" is the outcome",
    );
    let risk = "metrics none.csv --time t --event e --risk r --train none.csv";
    for time in ["-1", "nan", "inf"] {
        refuse(&format!("{risk} --times=1,{time}"), "is not a time; give");
    }
    refuse(&format!("{risk} --times=-1"), "--times: -1 is not a time");
    refuse(
        "metrics none.csv --target y --prediction p --train none.csv",
        "--train and --times are for survival outcomes",
    );
}

/// Runs `metrics` on a file of this text; what it found and its notes.
fn metrics_of(text: &str, flags: &str) -> (serde_json::Value, String) {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("p.csv"), text).unwrap();
    fs::write(home.path().join("train.csv"), "t,e\n1,1\n2,0\n3,1\n").unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(["metrics", "p.csv"])
        .args(flags.split(' '))
        .assert()
        .success();
    let output = run.get_output();
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_slice(&output.stdout).unwrap(), notes)
}

#[test]
fn undefined_metrics_are_null_with_a_note() {
    let rows = "t,e,r\n1,1,3\n2,0,2\n5,1,1\n6,0,0\n";
    let flags = "--time t --event e --risk r --train";
    // The event at 5 is later than the training rows reach.
    let (found, notes) = metrics_of(rows, &format!("{flags} train.csv --times 1,2"));
    let nulls = serde_json::json!({"c_index": 1.0, "uno_c": null, "tauc": null, "tauc_mean": null});
    for (name, value) in nulls.as_object().unwrap() {
        assert_eq!(found[name], *value, "{name}");
    }
    let why = "the training rows end at 3, so the censoring weight of the event at time 5 is \
               unknown; leave out later rows or use more training rows";
    assert_eq!(
        notes,
        format!("note: uno_c is undefined: {why}\nnote: tauc and tauc_mean are undefined: {why}\n")
    );
    let (found, notes) = metrics_of(rows, &format!("{flags} p.csv --times 1,9"));
    assert_eq!(found["uno_c"], 1.0);
    assert!(found["tauc"].is_null() && found["tauc_mean"].is_null());
    assert_eq!(
        notes,
        "note: tauc and tauc_mean are undefined: time 9 has no cases or no controls among the \
         scored rows; give times from 1 to below 6\n"
    );

    let (found, notes) = metrics_of("y,p\n1,1e200\n2,1\n", "--target y --prediction p");
    assert!(found["r2"].is_null() && found["mse"].is_null());
    for name in ["r2", "mse"] {
        let note = format!("note: {name} is undefined: the squared errors leave the range");
        assert!(notes.contains(&note), "{notes}");
    }

    let flags = "--target y --probability q";
    let (found, notes) = metrics_of("y,q\n1,0.75\n1,0.25\n", flags);
    assert_eq!(found["accuracy"], 0.5);
    assert!(found["log_loss"].is_number() && found["auc"].is_null());
    assert_eq!(
        notes,
        "note: auc is undefined: the scored rows are all of one class, so there are no pairs to \
         rank\nnote: average_precision is undefined: the scored rows are all of one class, so a \
         threshold separates nothing\n"
    );
}

#[test]
fn a_model_is_scored_as_far_as_the_training_rows_allow() {
    let home = simulated("survival", 80, 5, &["--censoring", "0.2"]);
    fs::write(
        home.path().join("train.csv"),
        "time,event\n0.01,1\n0.02,0\n0.03,1\n",
    )
    .unwrap();
    let fit = "fit data.csv --time time --event event --lambdas 0.05 --ridges 0.01 --out fit";
    stdout(home.path(), &fit.split(' ').collect::<Vec<_>>());
    let evaluate = ["evaluate", "fit", "data.csv", "--train", "train.csv"];
    let run = threshnet()
        .current_dir(home.path())
        .args(evaluate)
        .assert()
        .success();
    let found: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert!(found["c_index"].is_number() && found["uno_c"].is_null());
    let notes = String::from_utf8_lossy(&run.get_output().stderr);
    assert!(notes.starts_with("note: uno_c is undefined: "), "{notes}");
    refused(
        home.path(),
        &[&evaluate[..], &["--times", "inf"]].concat(),
        2,
        &["--times: inf is not a time"],
    );
}

#[test]
fn bad_predictions() {
    let home = tempfile::tempdir().unwrap();
    let refuse = |text: &str, pieces: &[&str]| {
        fs::write(home.path().join("p.csv"), text).unwrap();
        let arguments = ["metrics", "p.csv", "--target", "y", "--probability", "q"];
        refused(home.path(), &arguments, 1, pieces);
    };
    refuse(
        "y,q\n0,0.5\n1,1.5\n",
        &["p.csv: line 3, column \"q\": 1.5 is not a probability; give a number between 0 and 1"],
    );
    refuse(
        "y,q\na,0.5\nb,0.5\nc,0.5\n",
        &[
            "p.csv: column \"y\": 3 distinct values",
            "one of 2 classes; write 1",
        ],
    );
    refuse(
        "y,q\na,0.5\na,0.5\n",
        &["p.csv: column \"y\": every row is \"a\"", "write 1 for"],
    );
}

#[test]
fn divergence_is_told_not_written() {
    let home = simulated("regression", 60, 4, &[]);
    let arguments = words(
        "fit data.csv --target y --out fit --learning-rate 1e6 --lambdas 0.01,0.1 --ridges 0.01",
    );
    refused(
        home.path(),
        &arguments,
        1,
        &["data.csv: the fit diverged", "lower the learning rate"],
    );
}

#[test]
fn model_files() {
    let home = simulated("regression", 60, 4, &[]);
    let flags = words("fit data.csv --target y --out fit --lambdas 0.005 --ridges 0.01");
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
    refuse(
        &good[..good.len() / 2],
        &["model.json: not a complete threshnet model", "at line"],
    );
    refuse("", &["model.json: not a complete threshnet model"]);
    refuse("{}", &["model.json", "missing field `schema`"]);
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
        &["nowhere: cannot read the model"],
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
        &[&format!(
            "less.csv: the file lacks column \"{name}\", which the model needs; add it"
        )],
    );
    refused(
        home.path(),
        &["predict", "fit", "data.csv", "--times", "1"],
        2,
        &["--times: only a survival model"],
    );
    refused(
        home.path(),
        &["evaluate", "fit", "data.csv", "--target", "w"],
        1,
        &["data.csv: there is no column \"w\""],
    );
}

#[test]
fn an_instruction_set_the_machine_does_not_have() {
    let run = threshnet()
        .env("THRESHNET_ISA", "mmx")
        .args(words("simulate regression -n 4 -d 4"))
        .assert()
        .code(2);
    let stderr = String::from_utf8_lossy(&run.get_output().stderr).to_string();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    for piece in ["THRESHNET_ISA is \"mmx\"", "portable", "or not at all"] {
        assert!(stderr.contains(piece), "{stderr}");
    }
}
