//! Text columns: one feature of several columns, with its levels in the model.

use crate::{cells, json, stdout, threshnet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// 120 rows: the outcome follows `stage`, whose levels have no order, and `dose`.
fn data(home: &Path) {
    let levels = ["II", "\"I, early\"", "IV", "III"];
    let effect = [2.0, -2.0, -1.5, 1.5];
    let mut text = "stage,dose,site,noise,y\n".to_string();
    for i in 0..120usize {
        let dose = ((i * 37) % 41) as f64 / 10.0;
        let (noise, site) = ((i * 53) % 29, ["a", "b"][(i * 7 / 3) % 2]);
        let y = effect[i % 4] + dose + ((i * 29) % 13) as f64 / 30.0;
        let _ = writeln!(text, "{},{dose},{site},{noise},{y}", levels[i % 4]);
    }
    fs::write(home.join("d.csv"), text).unwrap();
}

/// Runs expecting a failure; its code and what it said.
fn refused(home: &Path, arguments: &[&str]) -> (i32, String) {
    let run = threshnet()
        .current_dir(home)
        .args(arguments)
        .assert()
        .failure();
    let output = run.get_output();
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    (output.status.code().unwrap(), text)
}

const FIT: [&str; 9] = [
    "fit",
    "d.csv",
    "--target",
    "y",
    "--validation",
    "draws:4",
    "--quiet",
    "--out",
    "fit",
];

#[test]
fn a_text_is_one_feature_from_the_fit_to_the_prediction() {
    let home = tempfile::tempdir().unwrap();
    data(home.path());
    stdout(home.path(), &FIT);
    let summary = json(home.path(), "fit/summary.json");
    assert_eq!(summary["d"], 4);
    let selected: Vec<&str> = (summary["selected"].as_array().unwrap().iter())
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert!(
        selected.contains(&"stage") && selected.contains(&"dose"),
        "{selected:?}"
    );
    let model = json(home.path(), "fit/model.json");
    assert_eq!(model["features"].as_array().unwrap().len(), 4);
    let levels = serde_json::json!(["I, early", "II", "III", "IV"]);
    assert_eq!(model["texts"][0]["levels"], levels);
    assert_eq!(
        model["standardisation"]["scale"].as_array().unwrap().len(),
        8
    );
    let norms = fs::read_to_string(home.path().join("fit/norms.csv")).unwrap();
    assert!(norms.starts_with("lambda,stage,dose"), "{norms}");

    let predicted = stdout(home.path(), &["predict", "fit", "d.csv"]);
    let scores = stdout(home.path(), &["evaluate", "fit", "d.csv"]);
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    assert!(scores["r2"].as_f64().unwrap() > 0.8, "{scores}");
    assert_eq!(cells(&predicted).len(), 121);
    // columns in another order, and a level that looks like nothing else
    let rows = "y,noise,site,dose,stage\n0,1,a,2.5,IV\n0,1,b,2.5,\"I, early\"\n";
    fs::write(home.path().join("new.csv"), rows).unwrap();
    assert_eq!(
        cells(&stdout(home.path(), &["predict", "fit", "new.csv"])).len(),
        3
    );
}

#[test]
fn levels_that_the_fit_never_saw_are_refused_with_their_place() {
    let home = tempfile::tempdir().unwrap();
    data(home.path());
    stdout(home.path(), &FIT);
    for (cell, said) in [
        (
            "V",
            "line 3, column \"stage\": \"V\" is none of the levels the model knows",
        ),
        (
            "7",
            "line 3, column \"stage\": \"7\" is none of the levels the model knows",
        ),
        ("", "line 3, column \"stage\": a missing"),
    ] {
        let rows = format!("stage,dose,site,noise\nII,1,a,1\n{cell},1,a,1\n");
        fs::write(home.path().join("new.csv"), rows).unwrap();
        let (code, text) = refused(home.path(), &["predict", "fit", "new.csv"]);
        assert_eq!(code, 1);
        assert!(text.contains(said), "{text}");
    }
    let fdr = [&FIT[..], &["--fdr", "0.2"]].concat();
    let (code, text) = refused(home.path(), &fdr);
    assert!(code != 0 && text.contains("\"stage\" is a text"), "{text}");
}
