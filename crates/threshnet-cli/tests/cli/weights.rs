//! `--weights`: a row of weight 2 is the row twice, one of weight 0 is not there.

use super::{json, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Converges to a minimum that only the data decide.
const LINEAR: &str = "--target y --hidden none --penalty lasso --lambdas 0.05 --ridges 0.01 \
                      --validation none --solver proximal --epochs 5000";

/// `weighted.csv`, whose column `w` says how often each row stands in `repeated.csv`.
fn both() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let drawn = stdout(
        home.path(),
        &words("simulate regression -n 60 -d 4 --seed 3"),
    );
    let (header, rows) = drawn.split_once('\n').unwrap();
    let (mut weighted, mut repeated) = (format!("{header},w\n"), format!("{header}\n"));
    for (number, row) in rows.lines().enumerate() {
        let weight = number * 7 % 4;
        weighted += &format!("{row},{weight}\n");
        repeated += &format!("{row}\n").repeat(weight);
    }
    fs::write(home.path().join("weighted.csv"), weighted).unwrap();
    fs::write(home.path().join("repeated.csv"), repeated).unwrap();
    home
}

fn evaluated(home: &Path, flags: &str) -> Value {
    serde_json::from_str(&stdout(home, &words(flags))).unwrap()
}

fn near(a: &Value, b: &Value, within: f64) {
    let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
    assert!(
        (a - b).abs() <= within * b.abs().max(1.0),
        "{a} against {b}"
    );
}

#[test]
fn weights_are_repeated_rows_in_a_fit_and_its_evaluation() {
    let home = both();
    let home = home.path();
    stdout(
        home,
        &words(&format!("fit weighted.csv --weights w --out few {LINEAR}")),
    );
    stdout(
        home,
        &words(&format!("fit repeated.csv --out many {LINEAR}")),
    );
    let (few, many) = (json(home, "few/model.json"), json(home, "many/model.json"));
    assert_eq!(
        few["features"], many["features"],
        "the weights are no feature"
    );
    let layer = |model: &Value| model["networks"][0]["layers"][0]["weight"][0].clone();
    let (few_weights, many_weights) = (layer(&few), layer(&many));
    let pairs = few_weights.as_array().unwrap().iter();
    for (a, b) in pairs.zip(many_weights.as_array().unwrap()) {
        near(a, b, 1e-6);
    }
    let weighted = evaluated(home, "evaluate few weighted.csv --weights w");
    let repeated = evaluated(home, "evaluate few repeated.csv");
    let plain = evaluated(home, "evaluate few weighted.csv");
    for metric in ["r2", "mse"] {
        near(&weighted[metric], &repeated[metric], 1e-10);
        assert_ne!(weighted[metric], plain[metric]);
    }
    let summary = json(home, "few/summary.json");
    near(&summary["train"]["r2"], &weighted["r2"], 1e-10);
}

#[test]
fn metrics_of_given_predictions_count_rows_by_their_weights() {
    let home = tempfile::tempdir().unwrap();
    let rows = "t,e,r,w\n1,1,3,2\n2,1,1,1\n3,0,2,0.5\n4,1,0,0\n";
    fs::write(home.path().join("p.csv"), rows).unwrap();
    let flags = "metrics p.csv --time t --event e --risk r --weights w";
    let scores = evaluated(home.path(), flags);
    // pairs: row 1 before rows 2 and 3, 2·1 + 2·½, all right; row 2 before row 3, 1·½, wrong
    assert_eq!(scores["c_index"].as_f64(), Some(3.0 / 3.5));
}

#[test]
fn weights_may_stand_beside_an_outcome_of_its_own() {
    let home = both();
    let home = home.path();
    let text = fs::read_to_string(home.join("weighted.csv")).unwrap();
    let (mut features, mut outcome) = (String::new(), String::new());
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        features += &format!("{}\n", cells[..4].join(","));
        outcome += &format!("{}\n", cells[4..].join(","));
    }
    fs::write(home.join("x.csv"), features).unwrap();
    fs::write(home.join("yw.csv"), outcome).unwrap();
    stdout(
        home,
        &words(&format!("fit weighted.csv --weights w --out one {LINEAR}")),
    );
    let apart = format!("fit x.csv --outcome yw.csv --weights w --out two {LINEAR}");
    stdout(home, &words(&apart));
    let model = |fit: &str| fs::read(home.join(fit).join("model.json")).unwrap();
    assert!(model("one") == model("two"));
}

#[test]
fn what_is_no_weight_is_refused_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let file = |weights: [&str; 4]| {
        let rows = (weights.iter().enumerate()).map(|(i, w)| format!("{i},{},{w}\n", i * i % 3));
        let text = String::from("x,y,w\n") + &rows.collect::<String>();
        fs::write(home.path().join("data.csv"), text).unwrap();
    };
    let refused = |flags: &str, code: i32, said: &str| {
        let run = threshnet()
            .current_dir(home.path())
            .args(words(flags))
            .assert()
            .code(code);
        let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            error.contains(said) && error.lines().count() == 1,
            "{error}"
        );
    };
    let fit = "fit data.csv --target y --weights w";
    file(["1", "1", "-2", "1"]);
    refused(fit, 1, "data.csv: line 4, column \"w\": -2 is no weight");
    file(["1", "1", "many", "1"]);
    refused(fit, 1, "data.csv: line 4, column \"w\"");
    file(["1", "", "1", "1"]);
    refused(fit, 1, "column \"w\"");
    file(["0", "0", "0", "0"]);
    refused(fit, 1, "every row has weight 0");
    file(["1", "1", "1", "1"]);
    refused("fit data.csv --target y --weights z", 1, "\"z\"");
    refused("fit data.csv --target y --weights y", 2, "is the outcome");
    refused(
        &format!("{fit} --features x,w"),
        2,
        "says what each row counts",
    );
    refused(
        "metrics data.csv --target y --prediction x --weights z",
        1,
        "\"z\"",
    );
}
