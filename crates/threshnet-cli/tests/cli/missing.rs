//! Missing cells and unseen levels, from the file to the prediction.

use super::bad_input::refused;
use super::{cells, json, stdout, threshnet, words};
use std::fs;
use std::path::Path;

/// 90 rows with gaps in a number and a text; the same with medians and most frequent levels by
/// hand: `d.csv` and `filled.csv`.
fn files(home: &Path) {
    let (mut holes, mut filled) = (
        "dose,stage,x,y\n".to_string(),
        "dose,stage,x,y\n".to_string(),
    );
    let dose = |i: usize| (i * 37 % 101) as f64 / 10.0;
    let mut known: Vec<f64> = (0..90).filter(|i| i % 9 != 4).map(dose).collect();
    known.sort_by(f64::total_cmp);
    let median = (known[39] + known[40]) / 2.0;
    for i in 0..90 {
        let stage = ["I", "II", "I"][i % 3];
        let y = 2.0 * dose(i) + if stage == "I" { 3.0 } else { 0.0 } + (i * 13 % 7) as f64 / 10.0;
        let (hole, stage_hole) = (i % 9 == 4, i % 10 == 7);
        let tail = format!("{},{y}\n", i * 29 % 31);
        let (gap, text) = (
            if hole {
                "NA".into()
            } else {
                dose(i).to_string()
            },
            if stage_hole { "" } else { stage },
        );
        holes += &format!("{gap},{text},{tail}");
        let (dose, text) = (
            if hole { median } else { dose(i) },
            if stage_hole { "I" } else { stage },
        );
        filled += &format!("{dose},{text},{tail}");
    }
    fs::write(home.join("d.csv"), holes).unwrap();
    fs::write(home.join("filled.csv"), filled).unwrap();
}

const QUICK: &str = "--target y --validation none --lambdas 0.02 --ridges 0.01 --first-epochs 80";

/// What a command says on stderr.
fn told(home: &Path, line: &str) -> String {
    let run = threshnet()
        .current_dir(home)
        .args(words(line))
        .assert()
        .success();
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

#[test]
fn gaps_are_refused_with_a_count_and_the_flags_that_help() {
    let home = tempfile::tempdir().unwrap();
    files(home.path());
    let pieces = [
        "line 6, column \"dose\": the first of 19 missing or infinite cells in 2 columns: dose (10), stage (9)",
        "--missing impute fills them in, --missing drop leaves out their rows",
    ];
    refused(home.path(), &words("fit d.csv --target y"), 1, &pieces);
    let alone = "fit d.csv --target y --missing-indicators yes --missing drop";
    refused(
        home.path(),
        &words(alone),
        2,
        &["--missing-indicators: nothing is imputed"],
    );
}

#[test]
fn imputed_files_are_those_filled_by_hand() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    files(home);
    stdout(
        home,
        &words(&format!(
            "fit d.csv {QUICK} --missing impute --quiet --out fit"
        )),
    );
    stdout(
        home,
        &words(&format!("fit filled.csv {QUICK} --quiet --out by-hand")),
    );
    let (own, theirs) = (
        json(home, "fit/model.json"),
        json(home, "by-hand/model.json"),
    );
    for part in ["networks", "standardisation", "texts", "target"] {
        assert_eq!(own[part], theirs[part], "{part}");
    }
    assert!(theirs.get("imputation").is_none());
    let said = stdout(home, &words("predict fit d.csv"));
    assert_eq!(said, stdout(home, &words("predict by-hand filled.csv")));
    assert!(told(home, "predict fit d.csv").contains("note: 19 cells imputed as in the fit"));
    assert!(told(home, "evaluate fit d.csv").contains("note: 19 cells imputed as in the fit"));
    assert_eq!(told(home, "predict fit filled.csv"), "");
    let summary = json(home, "fit/summary.json");
    let notes = json(home, "fit/report.json")["notes"].to_string();
    assert!(notes.contains("\"kind\":\"imputed\""), "{notes}");
    assert_eq!(summary["settings"]["missing"], "impute");
    // a model that imputes nothing needs every cell
    let predict = "predict by-hand d.csv";
    let run = threshnet()
        .current_dir(home)
        .args(words(predict))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains("line 6, column \"dose\": a missing or infinite cell"),
        "{said}"
    );
}

#[test]
fn indicators_say_where_cells_are_missing() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    // the outcome follows where the cell is missing, and nothing else
    let row = |i: usize| match i % 4 {
        0 => format!(",{},{}\n", i * 7 % 13, 9 + i % 3),
        _ => format!("{},{},{}\n", i * 31 % 17, i * 7 % 13, i % 3),
    };
    let rows: String = (0..80).map(row).collect();
    fs::write(home.join("d.csv"), format!("a,b,y\n{rows}")).unwrap();
    let fit = format!("fit d.csv {QUICK} --missing impute --quiet --out");
    stdout(home, &words(&format!("{fit} plain")));
    stdout(
        home,
        &words(&format!("{fit} with --missing-indicators yes")),
    );
    let model = json(home, "with/model.json");
    assert_eq!(model["imputation"]["indicators"], serde_json::json!([0]));
    assert_eq!(json(home, "with/summary.json")["d"], 2);
    let r2 = |folder: &str| {
        let said = stdout(home, &words(&format!("evaluate {folder} d.csv")));
        serde_json::from_str::<serde_json::Value>(&said).unwrap()["r2"]
            .as_f64()
            .unwrap()
    };
    assert!(
        r2("with") > 0.9 && r2("plain") < 0.6,
        "{} {}",
        r2("with"),
        r2("plain")
    );
}

/// The draws are the imputations: networks of all chains, from the file to the prediction.
#[test]
fn draws_learn_from_several_imputations() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    files(home);
    let draws = QUICK.replace("--validation none", "--validation draws:4");
    let line = format!("fit d.csv {draws} --linear leave --missing multiple:3 --quiet --out fit");
    stdout(home, &words(&line));
    let model = json(home, "fit/model.json");
    let chains = model["imputation"]["chains"].as_array().unwrap();
    assert_eq!(chains.len(), 3);
    let networks = model["networks"].as_array().unwrap();
    for number in 0..3 {
        assert!(networks.iter().any(|network| network["chain"] == number));
    }
    assert_eq!(
        json(home, "fit/summary.json")["settings"]["missing"],
        "multiple:3"
    );
    let said = "were imputed in 3 ways by chained equations";
    let notes = json(home, "fit/summary.json")["notes"].to_string();
    assert!(notes.contains(said), "{notes}");
    for file in ["fit/report.html", "fit/model-card.md"] {
        let page = fs::read_to_string(home.join(file)).unwrap();
        assert!(page.contains(said), "{file}");
    }
    assert!(told(home, "predict fit d.csv").contains(" cells imputed as in the fit"));
    assert_eq!(told(home, "predict fit filled.csv"), "");
    let predicted = cells(&stdout(home, &words("predict fit d.csv")));
    assert!(predicted.len() == 91 && predicted.iter().all(|row| !row[0].is_empty()));
    let single = draws.replace("draws:4", "cv:3");
    let pieces =
        ["--missing: the repeated fits of the default protocol are the multiple imputations"];
    let refusal = format!("fit d.csv {single} --missing multiple:3");
    refused(home, &words(&refusal), 2, &pieces);
    for (wrong, said) in [
        ("multiple:1", "chains from 2 to 1000 are possible, not 1"),
        (
            "multiple",
            "none of error, impute, drop and multiple:CHAINS (such as multiple:10)",
        ),
    ] {
        let line = format!("fit d.csv --target y --missing {wrong}");
        refused(home, &words(&line), 2, &["--missing", said]);
    }
}

#[test]
fn rows_with_gaps_are_left_out_and_counted() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    files(home);
    stdout(
        home,
        &words(&format!(
            "fit d.csv {QUICK} --missing drop --quiet --out fit"
        )),
    );
    let complete: String = (fs::read_to_string(home.join("d.csv")).unwrap().lines())
        .filter(|line| !line.contains("NA") && !line.contains(",,"))
        .map(|line| format!("{line}\n"))
        .collect();
    let left = complete.lines().count() - 1;
    fs::write(home.join("complete.csv"), complete).unwrap();
    stdout(
        home,
        &words(&format!("fit complete.csv {QUICK} --quiet --out same")),
    );
    let model = |folder: &str| fs::read(home.join(folder).join("model.json")).unwrap();
    assert_eq!(model("fit"), model("same"));
    let text = stdout(home, &words(&format!("fit d.csv {QUICK} --missing drop")));
    let note = format!(
        "note: {} of 90 rows were left out for a missing cell",
        90 - left
    );
    assert!(text.contains(&note), "{text}");
}

#[test]
fn a_file_without_a_complete_row_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let row = |i: usize| match i % 2 {
        0 => format!(",{i},{}\n", i % 5),
        _ => format!("{i},,{}\n", i % 3),
    };
    let rows: String = (0..30).map(row).collect();
    fs::write(home.join("d.csv"), format!("a,b,y\n{rows}")).unwrap();
    let none = ["d.csv: every row has a missing cell, so that none is left"];
    refused(
        home,
        &words("fit d.csv --target y --missing drop"),
        1,
        &none,
    );
    let nothing: String = (0..30).map(|i| format!("{i},NA,{}\n", i % 4)).collect();
    fs::write(home.join("e.csv"), format!("a,b,y\n{nothing}")).unwrap();
    for how in ["impute", "multiple:3"] {
        let line = format!("fit e.csv --target y --missing {how}");
        refused(home, &words(&line), 1, &["e.csv", "\"b\""]);
    }
}

#[test]
fn unseen_levels_are_errors_or_zeros() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    files(home);
    fs::write(home.join("new.csv"), "dose,stage,x\n3,I,1\n3,III,1\n").unwrap();
    let fit = format!("fit filled.csv {QUICK} --quiet --out");
    stdout(home, &words(&format!("{fit} strict")));
    let run = threshnet()
        .current_dir(home)
        .args(words("predict strict new.csv"))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains("line 3, column \"stage\": \"III\" is none of the levels"),
        "{said}"
    );
    assert!(said.contains("--unseen zero"), "{said}");
    stdout(home, &words(&format!("{fit} lenient --unseen zero")));
    assert_eq!(json(home, "lenient/model.json")["unseen"], "zero");
    assert!(json(home, "strict/model.json").get("unseen").is_none());
    let note = "note: 1 cell whose level the fit did not know: all columns of the text are zero";
    assert!(told(home, "predict lenient new.csv").contains(note));
    let rows = cells(&stdout(home, &words("predict lenient new.csv")));
    assert!(rows.len() == 3 && rows[1] != rows[2], "{rows:?}");
}
