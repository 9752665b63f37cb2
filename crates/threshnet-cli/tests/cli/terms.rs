//! `--keep`, `--penalty-factors` and `--groups`: what was asked of columns is in every file of a
//! fit, and what cannot be is refused by file and line.

use super::{cells, json, simulated, stdout, threshnet, words};
use serde_json::json;
use std::fs;

/// A fit of a moment.
const QUICK: &str = "--target y --hidden none --validation cv:3 --lambdas 0.02,0.1";

#[test]
fn what_is_asked_of_columns_is_told_everywhere() {
    let home = simulated("regression", 80, 8, &["--seed", "3"]);
    let home = home.path();
    fs::write(home.join("factors.csv"), "column,factor\nx3,0\nx6,inf\n").unwrap();
    fs::write(home.join("groups.csv"), "x1,pair\nx5,pair\n").unwrap();
    let command = format!(
        "fit data.csv {QUICK} --keep x[78] --penalty-factors factors.csv --groups groups.csv --out fit"
    );
    let printed = stdout(home, &words(&command));
    assert!(
        printed.contains("x7 (kept)") && printed.contains("x1 (group pair)"),
        "{printed}"
    );
    let model = json(home, "fit/model.json");
    let factors = json!([
        {"feature": 2, "factor": 0.0},
        {"feature": 5, "factor": null},
        {"feature": 6, "factor": 0.0},
        {"feature": 7, "factor": 0.0},
    ]);
    assert_eq!(model["penalty_factors"], factors);
    assert_eq!(
        model["groups"],
        json!([{"name": "pair", "features": [0, 4]}])
    );
    for network in model["networks"].as_array().unwrap() {
        let inputs: Vec<u64> = serde_json::from_value(network["inputs"].clone()).unwrap();
        assert!([2, 6, 7].iter().all(|j| inputs.contains(j)) && !inputs.contains(&5));
        assert_eq!(inputs.contains(&0), inputs.contains(&4));
    }
    let table = cells(&fs::read_to_string(home.join("fit/selected.csv")).unwrap());
    assert_eq!(table[0].join(","), "name,index,norm,kept,group");
    let row = |name: &str| table.iter().find(|row| row[0] == name).unwrap();
    assert_eq!((&row("x7")[3][..], &row("x7")[4][..]), ("1", ""));
    assert_eq!((&row("x1")[3][..], &row("x1")[4][..]), ("0", "pair"));
    let summary = json(home, "fit/summary.json");
    let selected = summary["selected"].as_array().unwrap();
    let of = |name: &str| {
        selected
            .iter()
            .find(|column| column["name"] == name)
            .unwrap()
    };
    assert_eq!(
        (&of("x3")["kept"], &of("x1")["group"]),
        (&json!(true), &json!("pair"))
    );
    assert!(of("x1").get("kept").is_none());
    let card = fs::read_to_string(home.join("fit/model-card.md")).unwrap();
    let page = fs::read_to_string(home.join("fit/report.html")).unwrap();
    assert!(card.contains("x3 (kept)") && page.contains("x1 (group pair)"));
    // the model predicts from its columns, whatever was dropped
    let predicted = stdout(home, &words("predict fit data.csv"));
    assert_eq!(predicted.lines().count(), 81);
}

#[test]
fn kept_columns_are_beside_what_error_control_selects() {
    let home = simulated("regression", 80, 8, &["--seed", "3"]);
    for control in ["--stability 3 --max-false 2", "--fdr 0.5"] {
        let command = format!(
            "fit data.csv --target y --hidden none --lambdas 0.02,0.1,2 {control} --keep x8 --json"
        );
        let printed: serde_json::Value =
            serde_json::from_str(&stdout(home.path(), &words(&command))).unwrap();
        let selected = printed["selected"].as_array().unwrap();
        assert!(
            selected
                .iter()
                .any(|column| column["name"] == "x8" && column["kept"] == true)
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let home = simulated("regression", 30, 4, &[]);
    let home = home.path();
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    let constant: String = (data.lines().enumerate())
        .map(|(at, line)| format!("{line},{}\n", if at == 0 { "k" } else { "1" }))
        .collect();
    fs::write(home.join("data.csv"), constant).unwrap();
    fs::write(home.join("negative.csv"), "x1,1\nx2,-1\n").unwrap();
    fs::write(home.join("nan.csv"), "x2,nan\n").unwrap();
    fs::write(home.join("unknown.csv"), "x1,1\nz,2\n").unwrap();
    fs::write(home.join("overlap.csv"), "x1,a\nx2,a\nx1,b\n").unwrap();
    fs::write(home.join("pair.csv"), "x1,a\nx2,a\n").unwrap();
    for (flags, says) in [
        (
            "--keep k",
            "data.csv: column \"k\" is to stay but has one value in all rows",
        ),
        ("--keep z", "data.csv: --keep: no column matches \"z\""),
        ("--keep y", "--keep: no column matches \"y\""),
        (
            "--penalty-factors negative.csv",
            "negative.csv: line 2: \"-1\" is no penalty factor",
        ),
        (
            "--penalty-factors nan.csv",
            "nan.csv: line 1: \"nan\" is no penalty factor",
        ),
        (
            "--penalty-factors unknown.csv",
            "unknown.csv: line 2: there is no feature column \"z\"",
        ),
        (
            "--groups unknown.csv",
            "unknown.csv: line 2: there is no feature column \"z\"",
        ),
        (
            "--groups overlap.csv",
            "overlap.csv: line 3: column \"x1\" is in group \"b\" here",
        ),
        ("--groups pair.csv --keep x1", "a group has one"),
        (
            "--groups pair.csv --fdr 0.5",
            "--fdr: columns are in groups",
        ),
        ("--groups none.csv", "none.csv: cannot read it"),
    ] {
        let quick = QUICK.replace("--validation cv:3 ", "");
        let run = threshnet()
            .current_dir(home)
            .args(words(&format!("fit data.csv {quick} {flags}")))
            .assert()
            .failure();
        let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(said.contains(says), "{flags}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
