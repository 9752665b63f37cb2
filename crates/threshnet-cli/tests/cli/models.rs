//! What goes with a model: its card, and its export. That an export predicts what `predict` does
//! is shown in onnxruntime, by python/tests/test_export.py.

use super::{json, listing, simulated, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const QUICK: &str = "--lambdas 0.02,0.1 --ridges 0.01 --epochs 20 --first-epochs 100 --quiet";

/// A folder with a fit of a simulated task, quickly made.
fn fitted(design: &str, flags: &str) -> TempDir {
    let home = simulated(design, 120, 5, &[]);
    let outcome = match design {
        "survival" => "--time time --event event",
        _ => "--target y",
    };
    let line = format!("fit data.csv {outcome} {QUICK} {flags} --out fit");
    stdout(home.path(), &words(&line));
    home
}

fn card(home: &Path) -> String {
    fs::read_to_string(home.join("fit/model-card.md")).unwrap()
}

/// Refused with this code, in one line that says this.
fn refused(home: &Path, arguments: &[&str], code: i32, says: &str) {
    let run = threshnet()
        .current_dir(home)
        .args(arguments)
        .assert()
        .code(code);
    let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        error.contains(says) && error.lines().count() == 1,
        "{arguments:?}: {error}"
    );
}

#[test]
fn an_export_is_complete_or_absent() {
    let home = fitted("survival", "--protocol paper");
    let export = words("export fit --onnx model.onnx --times 0.2,1.5");
    stdout(home.path(), &export);
    let first = fs::read(home.path().join("model.onnx")).unwrap();
    let text = String::from_utf8_lossy(&first);
    for name in ["threshnet", "risk", "survival_0.2", "survival_1.5"] {
        assert!(text.contains(name), "{name}");
    }
    // the file by itself will do, and what is there is replaced by the same
    stdout(
        home.path(),
        &words("export fit/model.json --onnx model.onnx --times 0.2,1.5"),
    );
    assert_eq!(fs::read(home.path().join("model.onnx")).unwrap(), first);
    let there = ["data.csv", "fit", "model.onnx"].map(std::path::PathBuf::from);
    assert_eq!(listing(home.path()), there);
}

#[test]
fn an_export_that_cannot_be_is_refused() {
    let home = fitted("regression", "--protocol paper");
    let refuse = |line: &str, code, says: &str| refused(home.path(), &words(line), code, says);
    refuse("export fit", 2, "--onnx");
    refuse(
        "export fit --onnx m.onnx --times 1",
        2,
        "only a survival model",
    );
    refuse("export nothing --onnx m.onnx", 1, "nothing");
    refuse("export data.csv --onnx m.onnx", 1, "data.csv");
    refuse("export fit --onnx nowhere/m.onnx", 1, "nowhere/m.onnx");
    refuse("export fit --onnx fit", 1, "fit: cannot write");
    assert_eq!(
        listing(home.path()),
        ["data.csv", "fit"].map(std::path::PathBuf::from)
    );
    let survival = fitted("survival", "--protocol paper");
    for (times, says) in [
        ("1,2,1.0", "1 is given twice"),
        ("-1", "not a time"),
        ("nan", "not a time"),
    ] {
        let line = format!("export fit --onnx m.onnx --times {times}");
        refused(survival.path(), &words(&line), 2, says);
    }
}

#[test]
fn a_column_without_a_name_of_its_own_cannot_be_exported() {
    let home = fitted("regression", "--protocol paper");
    let file = home.path().join("fit/model.json");
    let mut model = json(&home.path().join("fit"), "model.json");
    let names = model["features"].as_array_mut().unwrap();
    names.fill("same".into());
    fs::write(&file, model.to_string()).unwrap();
    refused(
        home.path(),
        &words("export fit --onnx m.onnx"),
        1,
        "\"same\"",
    );
}

#[test]
fn every_fit_has_a_card_with_its_figures() {
    for (design, flags, pieces) in [
        (
            "regression",
            "--validation draws:3",
            &["a number", "mean squared error", "| x3 |", "frequency"][..],
        ),
        (
            "regression",
            "--protocol paper",
            &["one hold-out of 20 %", "trained on | 96 rows"],
        ),
        (
            "regression",
            "--validation cv:3",
            &["cross-validation with 3 folds"],
        ),
        (
            "classification",
            "--hidden none",
            &["one of 2 classes", "class 1", "log loss", "linear model"],
        ),
        (
            "survival",
            "--validation draws:3",
            &[
                "survival (time and event)",
                "| censored | 0 rows",
                "--times",
                "proportional",
            ],
        ),
        (
            "regression",
            "--stability 5",
            &["on average at most", "selected with all rows"],
        ),
    ] {
        let home = fitted(design, flags);
        let (card, summary) = (
            card(home.path()),
            json(&home.path().join("fit"), "summary.json"),
        );
        let headings = [
            "# Model card",
            "## Intended use",
            "Not intended",
            "## Data",
            "| rows | 120 |",
            "## How it was fitted",
            "## Selected columns",
            "## Performance",
            "standard error",
            "## Limits",
            "## How to use it",
            "threshnet predict DIR",
            "## How to make it again",
            "Settings that were given:",
            "- first\\_epochs: 100",
        ];
        for piece in headings.iter().chain(pieces) {
            assert!(card.contains(piece), "{design} {flags}, {piece}: {card}");
        }
        for column in summary["selected"].as_array().unwrap() {
            let strength = format!(
                "| {} | {:.3} |",
                column["name"].as_str().unwrap(),
                column["norm"].as_f64().unwrap()
            );
            assert!(card.contains(&strength), "{strength}: {card}");
        }
        assert!(!card.contains("NaN"), "{card}");
    }
}

#[test]
fn a_card_tells_of_a_model_without_columns_and_of_one_without_validation() {
    let home = simulated("regression", 60, 4, &[]);
    let line =
        "fit data.csv --target y --validation none --lambdas 50 --ridges 0.01 --quiet --out fit";
    stdout(home.path(), &words(line));
    let card = card(home.path());
    for piece in [
        "0 of 4 columns",
        "same for every row",
        "Nothing was held out",
        "null model",
    ] {
        assert!(card.contains(piece), "{piece}: {card}");
    }
}

#[test]
fn a_card_shows_names_as_they_are_and_depends_on_no_thread() {
    let home = simulated("regression", 120, 5, &[]);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let text = text.replacen("x3,", "<b>a|b_1*,", 1);
    fs::write(home.path().join("data.csv"), text).unwrap();
    let cards = ["1", "2"].map(|jobs| {
        let line = format!("fit data.csv --target y {QUICK} --jobs {jobs} --out fit");
        stdout(home.path(), &words(&line));
        card(home.path())
    });
    assert!(cards[0].contains("| \\<b\\>a\\|b\\_1\\* |"), "{}", cards[0]);
    assert_eq!(cards[0], cards[1]);
}

/// What a fit leaves for `predict --ensemble`, and what it says when there is none.
#[test]
fn the_ensemble_predicts_in_place_of_the_sparse_model_where_there_is_one() {
    let folder = simulated("regression", 60, 8, &[]);
    let at = folder.path();
    let quick =
        "fit data.csv --target y --quiet --ridges 0.01 --validation draws:4 --lambdas 0.02:0.4:6";
    stdout(at, &words(&format!("{quick} --out with")));
    stdout(at, &words(&format!("{quick} --no-ensemble --out without")));
    let sparse = stdout(at, &words("predict with data.csv"));
    assert_eq!(sparse, stdout(at, &words("predict without data.csv")));
    let all = stdout(at, &words("predict with data.csv --ensemble"));
    assert_eq!(all.lines().count(), 61);
    assert_ne!(all, sparse);
    let score = stdout(at, &words("evaluate with data.csv --ensemble"));
    let score: Value = serde_json::from_str(&score).unwrap();
    assert!(score["r2"].as_f64().unwrap() > 0.5, "{score}");
    let summary = fs::read_to_string(at.join("with/summary.json")).unwrap();
    let price = serde_json::from_str::<Value>(&summary).unwrap()["price_of_sparsity"].clone();
    assert!(
        price["dense"].is_number() && price["members"].is_array(),
        "{price}"
    );

    for none in ["without", "with/model.json"] {
        let refused = threshnet()
            .current_dir(at)
            .args(["predict", none, "data.csv", "--ensemble"])
            .assert()
            .code(1);
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains("no ensemble is there"), "{said}");
    }
    // a fit without one takes the place of a fit with one, and leaves none of it
    stdout(at, &words(&format!("{quick} --no-ensemble --out with")));
    assert!(!at.join("with/ensemble.json").exists());
}
