//! `--fold-by`: the rows of a cluster stay together, and the held-out figures are honest.

use super::{json, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use threshnet::random::{Purpose, Random};

const FIT: &str = "fit data.csv --target y --hidden none --penalty lasso --validation cv:4";

/// In `data.csv` twenty-four patients of five visits each, others in `new.csv`: columns tell
/// patients apart, and nothing else.
fn visits() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("data.csv"), drawn(5)).unwrap();
    fs::write(home.path().join("new.csv"), drawn(6)).unwrap();
    home
}

fn drawn(seed: u64) -> String {
    let mut random = Random::new(seed, Purpose::Simulation, 0, 0);
    let own: Vec<Vec<f64>> = (0..24)
        .map(|_| (0..21).map(|_| random.normal()).collect())
        .collect();
    let names: Vec<String> = (1..21).map(|j| format!("x{j}")).collect();
    let mut text = format!("patient,y,{}\n", names.join(","));
    for visit in 0..120 {
        let patient = visit % 24;
        text += &format!("p{patient}");
        for value in &own[patient] {
            text += &format!(",{:.4}", value + 0.05 * random.normal());
        }
        text += "\n";
    }
    text
}

fn r2(home: &Path, flags: &str, out: &str) -> f64 {
    stdout(home, &words(&format!("{FIT} {flags} --out {out}")));
    let summary: Value = json(home, &format!("{out}/summary.json"));
    assert!(summary["selected"].as_array().is_some());
    summary["held_out"]["metrics"]["r2"]["value"]
        .as_f64()
        .unwrap()
}

#[test]
fn the_held_out_loss_of_repeats_is_honest() {
    let home = visits();
    let home = home.path();
    let (rows, patients) = (
        r2(home, "--drop patient", "rows"),
        r2(home, "--fold-by patient", "patients"),
    );
    assert!(rows > 0.4 && patients < 0.1, "{rows} {patients}");
    // and what they promise is kept on other patients
    let evaluated: Value =
        serde_json::from_str(&stdout(home, &words("evaluate patients new.csv"))).unwrap();
    let new = evaluated["r2"].as_f64().unwrap();
    assert!(
        (patients - new).abs() < 0.5 * (rows - new).abs(),
        "{patients} {rows} {new}"
    );
    let model = json(home, "patients/model.json");
    let features = model["features"].as_array().unwrap();
    assert!(
        !features.contains(&Value::from("patient")),
        "it is no feature"
    );
    assert_eq!(json(home, "patients/summary.json")["clusters"], 24);
    let card = fs::read_to_string(home.join("patients/model-card.md")).unwrap();
    assert!(card.contains("24 clusters"), "{card}");
    assert!(json(home, "rows/summary.json").get("clusters").is_none());
}

#[test]
fn what_clusters_do_not_allow_is_refused() {
    let home = visits();
    let home = home.path();
    let data = fs::read_to_string(home.join("data.csv")).unwrap();
    // one centre has most rows, another file has three
    let centre = |name: &str, of: fn(usize) -> usize| {
        let with = data.lines().enumerate().map(|(at, line)| match at {
            0 => format!("{line},centre,one\n"),
            _ => format!("{line},{},1\n", of(at)),
        });
        fs::write(home.join(name), with.collect::<String>()).unwrap();
    };
    centre("large.csv", |row| if row < 70 { 0 } else { row });
    centre("three.csv", |row| row % 3);
    fs::write(
        home.join("folds.csv"),
        format!("fold\n{}", "1\n2\n3\n4\n".repeat(30)),
    )
    .unwrap();
    let quick = "--target y --hidden none --drop patient";
    for (line, code, says) in [
        (
            "fit large.csv --validation cv:4 --fold-by centre",
            1,
            "a cluster has 69 of 120 rows",
        ),
        (
            "fit three.csv --validation cv:4 --fold-by centre",
            1,
            "4 folds of 3 clusters",
        ),
        (
            "fit large.csv --fold-by one",
            1,
            "column \"one\": all rows are in one cluster",
        ),
        (
            "fit large.csv --fold-by nowhere",
            1,
            "there is no column \"nowhere\"",
        ),
        (
            "fit large.csv --fold-by y",
            2,
            "--fold-by: \"y\" is the outcome",
        ),
        (
            "fit large.csv --fold-by centre --features centre,x1",
            2,
            "says which rows are a cluster",
        ),
        (
            "fit three.csv --fold-by centre --folds folds.csv",
            1,
            "both sides of a split",
        ),
    ] {
        let run = threshnet()
            .current_dir(home)
            .args(words(&format!("{line} {quick}")))
            .assert()
            .code(code);
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(said.contains(says), "{line}: {said}");
    }
    // fewer clusters than the default has groups of draws are no problem
    let line = format!("fit three.csv --validation draws:4 --fold-by centre {quick} --json");
    let printed: Value = serde_json::from_str(&stdout(home, &words(&line))).unwrap();
    assert_eq!(printed["held_out"]["folds"], 3);
}
