//! `evaluate`, `metrics` and `compare`: intervals, calibration, decisions, recalibration. That the
//! figures are right is shown by the library's tests.

use super::{simulated, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const QUICK: &str = "--lambdas 0.02,0.1 --ridges 0.01 --epochs 20 --first-epochs 100 --validation cv:3 \
                     --linear leave --quiet";

/// `data.csv`, `fit`, and `other`, a fit that knows one column.
fn fitted(design: &str, outcome: &str) -> TempDir {
    let home = simulated(design, 150, 5, &[]);
    for (flags, out) in [("", "fit"), (" --features x5", "other")] {
        let line = format!("fit data.csv {outcome} {QUICK}{flags} --out {out}");
        stdout(home.path(), &words(&line));
    }
    home
}

fn said(home: &Path, line: &str) -> Value {
    serde_json::from_str(&stdout(home, &words(line))).unwrap()
}

/// Refused with this code in one line that says this.
fn refused(home: &Path, line: &str, code: i32, says: &str) {
    let run = threshnet()
        .current_dir(home)
        .args(words(line))
        .assert()
        .code(code);
    let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        error.contains(says) && error.lines().count() == 1,
        "{line}: {error}"
    );
    assert!(run.get_output().stdout.is_empty(), "{line}");
}

#[test]
fn every_figure_of_two_classes_has_an_interval() {
    let home = fitted("classification", "--target y");
    let home = home.path();
    let found = said(
        home,
        "evaluate fit data.csv --thresholds 0.2,0.5 --curves --samples 200",
    );
    assert_eq!(found.as_object().unwrap().keys().next().unwrap(), "auc");
    let figures = found["intervals"]["figures"].as_object().unwrap();
    for (name, method) in [
        ("auc", "delong"),
        ("brier", "bca"),
        ("brier_scaled", "bca"),
        ("calibration.slope", "bca"),
        ("calibration.ici", "bca"),
        ("thresholds[0.2].sensitivity", "bca"),
        ("confusion.macro.f1", "bca"),
    ] {
        let interval = &figures[name];
        assert_eq!(interval["method"], method, "{name}");
        assert!(
            interval["low"].as_f64() <= interval["high"].as_f64(),
            "{name}"
        );
    }
    let curve = &found["decision_curve"];
    let at = |p: usize| curve["net_benefit"][p - 1].as_f64().unwrap();
    let table = &found["thresholds"]["at"];
    assert_eq!(table[1]["net_benefit"].as_f64().unwrap(), at(50));
    // who treats all at 50 % gains the share of events less that of the others
    let all = 2.0 * curve["prevalence"].as_f64().unwrap() - 1.0;
    assert!((curve["treat_all"][49].as_f64().unwrap() - all).abs() < 1e-12);
    assert!(
        found["calibration"]["curve"]["low"][0].as_f64()
            <= found["calibration"]["curve"]["high"][0].as_f64()
    );
    // the same seed says the same, another one something else, and none is quiet
    let again = |flags: &str| said(home, &format!("evaluate fit data.csv --samples 200{flags}"));
    assert_eq!(again("")["intervals"], again("")["intervals"]);
    assert_ne!(again(" --seed 1")["intervals"], again("")["intervals"]);
    let percentile = again(" --interval percentile");
    assert_eq!(
        percentile["intervals"]["figures"]["brier"]["method"],
        "percentile"
    );
    assert!(
        said(home, "evaluate fit data.csv --samples 0")
            .get("intervals")
            .is_none()
    );
    // `metrics` says the same of the printed probabilities
    let printed = stdout(home, &words("predict fit data.csv"));
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    let joined: String = (data.lines().zip(printed.lines()))
        .map(|(row, said)| format!("{row},{said}\n"))
        .collect();
    fs::write(home.join("p.csv"), joined).unwrap();
    let same = said(
        home,
        "metrics p.csv --target y --probability probability --samples 0",
    );
    let plain = said(home, "evaluate fit data.csv --samples 0");
    for name in ["auc", "brier", "brier_null"] {
        let difference = same[name].as_f64().unwrap() - plain[name].as_f64().unwrap();
        assert!(difference.abs() < 1e-12, "{name}");
    }
}

#[test]
fn survival_is_judged_at_times() {
    let home = fitted("survival", "--time time --event event");
    let home = home.path();
    let line = "evaluate fit data.csv --times 0.2,0.5 --tau 0.5 --thresholds 0.3 --samples 100";
    let found = said(home, line);
    for name in ["tauc", "brier", "brier_null", "brier_scaled"] {
        assert_eq!(found[name].as_array().unwrap().len(), 2, "{name}");
    }
    assert!(found["uno_c"].is_number() && found["ibs"].is_number());
    assert!(found["d_calibration"]["p"].is_number());
    assert_eq!(found["calibration"][1]["time"], 0.5);
    assert!(found["calibration"][1]["slope"].is_number());
    assert!(found["thresholds"][0]["at"][0]["net_benefit"].is_number());
    let intervals = &found["intervals"]["figures"];
    for name in [
        "uno_c",
        "tauc[0.2]",
        "ibs",
        "calibration[0.5].slope",
        "thresholds[0.2, 0.3].ppv",
    ] {
        assert!(intervals[name]["low"].is_number(), "{name}");
    }
    // and so is what any program predicts
    let printed = stdout(home, &words("predict fit data.csv --times 0.2,0.5"));
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    let joined: String = (data.lines().zip(printed.lines()))
        .map(|(row, said)| format!("{row},{said}\n"))
        .collect();
    fs::write(home.join("p.csv"), joined).unwrap();
    let metrics = "metrics p.csv --time time --event event --risk risk --times 0.2,0.5 --samples 0";
    let same = said(
        home,
        &format!("{metrics} --survival survival_0.2,survival_0.5"),
    );
    let difference = same["ibs"].as_f64().unwrap() - found["ibs"].as_f64().unwrap();
    assert!(difference.abs() < 1e-12);
    assert!(said(home, metrics).get("ibs").is_none());
    refused(
        home,
        &format!("{metrics} --survival survival_0.2"),
        2,
        "1 columns for 2 --times",
    );
    refused(
        home,
        "evaluate fit data.csv --tau -1",
        2,
        "--tau: -1 is not a time",
    );
    let none = "evaluate fit data.csv --thresholds 0.3";
    refused(home, none, 2, "--thresholds are risks");
    let one = "evaluate fit data.csv --times 0.2 --thresholds 1";
    refused(home, one, 2, "--thresholds: 1 is no risk");
}

#[test]
fn two_models_are_compared_on_the_same_rows() {
    let home = fitted("classification", "--target y");
    let home = home.path();
    let found = said(home, "compare fit other data.csv --samples 200");
    let auc = &found["figures"]["auc"];
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(
        number(&auc["difference"]),
        number(&auc["a"]) - number(&auc["b"])
    );
    assert!(number(&auc["p"]) < 0.01 && number(&auc["interval"]["low"]) > 0.0);
    assert_eq!(
        (&auc["interval"]["method"], &found["rows"]),
        (&"delong".into(), &150.into())
    );
    assert_eq!(found["figures"]["brier"]["interval"]["method"], "bca");
    let back = said(home, "compare other fit data.csv --samples 200");
    assert_eq!(
        number(&back["figures"]["auc"]["difference"]),
        -number(&auc["difference"])
    );
    refused(
        home,
        "compare fit other data.csv --samples 0",
        2,
        "--samples",
    );
    refused(
        home,
        "compare fit other data.csv --samples 5",
        2,
        "from 100",
    );
    refused(home, "compare fit none data.csv", 1, "none");
    let regression = simulated("regression", 60, 5, &[]);
    let line = format!("fit {} --target y {QUICK} --out numbers", "numbers.csv");
    fs::copy(regression.path().join("data.csv"), home.join("numbers.csv")).unwrap();
    stdout(home, &words(&line));
    refused(
        home,
        "compare fit numbers data.csv",
        1,
        "compare models of one outcome",
    );
}

#[test]
fn clusters_are_drawn_together() {
    let home = fitted("regression", "--target y");
    let home = home.path();
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    let rows = data.lines().enumerate().map(|(row, line)| match row {
        0 => format!("{line},patient\n"),
        row => format!("{line},p{}\n", row % 30),
    });
    fs::write(home.join("visits.csv"), rows.collect::<String>()).unwrap();
    let found = said(
        home,
        "evaluate fit visits.csv --clusters patient --samples 200",
    );
    assert_eq!(found["intervals"]["drawn"], "clusters");
    assert!(found["intervals"]["figures"]["r2"]["low"].is_number());
    assert!(found["calibration"]["slope"].is_number());
    refused(home, "evaluate fit visits.csv --clusters none", 1, "none");
    let first = data.lines().next().unwrap();
    fs::write(home.join("empty.csv"), format!("{first}\n")).unwrap();
    refused(home, "evaluate fit empty.csv", 1, "empty.csv");
}

#[test]
fn recalibration_is_stored_by_the_fit_and_applied_on_request() {
    let home = fitted("classification", "--target y");
    let home = home.path();
    let slope = |flags: &str| {
        let found = said(home, &format!("evaluate fit data.csv --samples 0{flags}"));
        found["calibration"]["slope"].as_f64().unwrap()
    };
    let model: Value =
        serde_json::from_str(&fs::read_to_string(home.join("fit/model.json")).unwrap()).unwrap();
    let learned = model["recalibration"]["logistic"]["slope"]
        .as_f64()
        .unwrap();
    // a slope of the log-odds divides the slope of what is left to correct
    assert!((slope(" --recalibrate logistic") * learned - slope("")).abs() < 1e-6);
    let plain = stdout(home, &words("predict fit data.csv"));
    for how in ["logistic", "isotonic"] {
        let other = stdout(
            home,
            &words(&format!("predict fit data.csv --recalibrate {how}")),
        );
        assert!(other != plain && other.lines().count() == plain.lines().count());
    }
    refused(
        home,
        "evaluate fit data.csv --recalibrate baseline",
        1,
        "baseline does not correct",
    );
    refused(
        home,
        "evaluate fit data.csv --recalibrate platt",
        2,
        "platt",
    );
    // a model of an earlier version has none
    let mut old = model.clone();
    old.as_object_mut().unwrap().remove("recalibration");
    fs::write(home.join("old.json"), old.to_string()).unwrap();
    refused(
        home,
        "predict old.json data.csv --recalibrate logistic",
        1,
        "old.json: the model has no",
    );
    let mut damaged = model;
    damaged["recalibration"]["logistic"]["intercepts"] = Value::from(vec![0.0]);
    fs::write(home.join("damaged.json"), damaged.to_string()).unwrap();
    refused(
        home,
        "predict damaged.json data.csv",
        1,
        "a recalibration that is none",
    );
    let survival = fitted("survival", "--time time --event event");
    let line = "predict fit data.csv --times 0.3 --recalibrate baseline";
    assert_ne!(
        stdout(survival.path(), &words(line)),
        stdout(survival.path(), &words("predict fit data.csv --times 0.3"))
    );
}
