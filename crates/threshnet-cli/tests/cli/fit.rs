//! `fit`: its files, its promises.

use super::{cells, json, listing, simulated, stdout, threshnet, words};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Few λs and epochs: these tests are about the outside.
const QUICK: [&str; 10] = [
    "--lambdas",
    "0.01:0.3:8",
    "--ridges",
    "0.01,0.03",
    "--epochs",
    "60",
    "--first-epochs",
    "300",
    "--hidden",
    "6,3",
];

/// A quick fit of `data.csv`.
pub fn fit(folder: &Path, more: &[&str]) -> String {
    stdout(folder, &[&["fit", "data.csv"], &QUICK[..], more].concat())
}

#[test]
fn a_folder_holds_what_the_contract_says() {
    let home = simulated("regression", 120, 6, &[]);
    let printed = fit(
        home.path(),
        &["--target", "y", "--out", "fit", "--seed", "3"],
    );
    assert!(printed.contains("written to fit"), "{printed}");
    let folder = home.path().join("fit");
    let files = [
        "ensemble.json",
        "frequencies.csv",
        "methods.md",
        "model-card.md",
        "model.json",
        "norms.csv",
        "path.csv",
        "report.html",
        "report.json",
        "selected.csv",
        "summary.json",
    ];
    assert_eq!(listing(&folder), files.map(std::path::PathBuf::from));

    let summary = json(&folder, "summary.json");
    for key in [
        "task",
        "n",
        "d",
        "selected",
        "lambda",
        "ridge",
        "validation",
        "held_out",
        "train",
        "seed",
        "version",
        "seconds",
        "protocol",
        "certificate",
    ] {
        assert!(!summary[key].is_null(), "{key}");
    }
    assert_eq!(
        (summary["n"].as_u64(), summary["d"].as_u64()),
        (Some(120), Some(6))
    );
    assert_eq!(summary["validation"]["metric"], "mse");
    assert!(summary["train"]["r2"].as_f64().unwrap() > 0.5);
    assert_eq!(summary["settings"]["seed"], 3);

    let selected = cells(&fs::read_to_string(folder.join("selected.csv")).unwrap());
    assert_eq!(selected[0], ["name", "index", "norm", "frequency"]);
    let listed = summary["selected"].as_array().unwrap();
    assert_eq!(selected.len() - 1, listed.len());
    let mut last = f64::INFINITY;
    for (row, entry) in selected[1..].iter().zip(listed) {
        assert_eq!(row[0], entry["name"].as_str().unwrap());
        assert_eq!(row[0], format!("x{}", entry["index"].as_u64().unwrap() + 1));
        let norm: f64 = row[2].parse().unwrap();
        assert!(norm > 0.0 && norm <= last, "strongest first");
        last = norm;
    }

    let path = cells(&fs::read_to_string(folder.join("path.csv")).unwrap());
    assert_eq!(
        path[0].join(","),
        "ridge,lambda,size,train_loss,validation_loss,validation_se,epochs,status"
    );
    assert_eq!(path.len(), 1 + 2 * 8);
    let norms = cells(&fs::read_to_string(folder.join("norms.csv")).unwrap());
    assert_eq!(norms[0][0], "lambda");
    assert_eq!(norms.len(), 1 + 8);
}

#[test]
fn what_one_hold_out_chose_is_in_its_tables() {
    let home = simulated("regression", 120, 6, &[]);
    let flags = words("--target y --validation holdout:0.2 --linear leave --out fit --seed 3");
    fit(home.path(), &flags);
    let folder = home.path().join("fit");
    let summary = json(&folder, "summary.json");
    let selected = cells(&fs::read_to_string(folder.join("selected.csv")).unwrap());
    assert_eq!(selected[0], ["name", "index", "norm"]);
    let path = cells(&fs::read_to_string(folder.join("path.csv")).unwrap());
    let best = path[1..]
        .iter()
        .min_by(|a, b| {
            a[4].parse::<f64>()
                .unwrap()
                .total_cmp(&b[4].parse().unwrap())
        })
        .unwrap();
    assert_eq!(
        best[1].parse::<f64>().unwrap(),
        summary["lambda"].as_f64().unwrap()
    );
    assert_eq!(
        best[0].parse::<f64>().unwrap(),
        summary["ridge"].as_f64().unwrap()
    );
    assert_eq!(
        best[4].parse::<f64>().unwrap(),
        summary["validation"]["value"].as_f64().unwrap()
    );
    assert_eq!(best[2].parse::<usize>().unwrap(), selected.len() - 1);

    let norms = cells(&fs::read_to_string(folder.join("norms.csv")).unwrap());
    assert_eq!(norms[0][0], "lambda");
    assert_eq!(norms.len(), 1 + 8);
    let at = norms.iter().find(|row| row[0] == best[1]).unwrap();
    for row in &selected[1..] {
        let column = norms[0].iter().position(|name| *name == row[0]).unwrap();
        assert_eq!(at[column], row[2]);
    }
}

#[test]
fn predictions_follow_from_the_model_file() {
    for more in ["", "--shortcut yes"] {
        predictions_follow(more);
    }
}

fn predictions_follow(more: &str) {
    let home = simulated("regression", 100, 5, &[]);
    let flags = "--target y --validation holdout:0.2 --linear leave --out fit ".to_string() + more;
    fit(home.path(), &words(flags.trim()));
    let model = json(&home.path().join("fit"), "model.json");
    let data = cells(&fs::read_to_string(home.path().join("data.csv")).unwrap());
    let predicted = cells(&stdout(home.path(), &["predict", "fit", "data.csv"]));
    assert_eq!(predicted[0], ["prediction"]);
    assert_eq!(predicted.len(), data.len());
    for (row, prediction) in data[1..].iter().zip(&predicted[1..]) {
        let expected = by_hand(&model, row);
        let prediction: f64 = prediction[0].parse().unwrap();
        assert!((prediction - expected).abs() < 1e-10 * (1.0 + expected.abs()));
    }
}

/// The documented meaning of `model.json`, for a ReLU regression.
fn by_hand(model: &Value, row: &[String]) -> f64 {
    let numbers = |v: &Value| -> Vec<f64> {
        v.as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect()
    };
    let center = numbers(&model["standardisation"]["center"]);
    let scale = numbers(&model["standardisation"]["scale"]);
    let network = &model["networks"][0];
    let mut units: Vec<f64> = (network["inputs"].as_array().unwrap().iter())
        .map(|j| j.as_u64().unwrap() as usize)
        .map(|j| (row[j].parse::<f64>().unwrap() - center[j]) / scale[j])
        .collect();
    let straight: f64 = (network["shortcut"].as_array().into_iter().flatten())
        .map(|row| {
            numbers(row)
                .iter()
                .zip(&units)
                .map(|(w, x)| w * x)
                .sum::<f64>()
        })
        .sum();
    let layers = network["layers"].as_array().unwrap();
    for (l, layer) in layers.iter().enumerate() {
        let weight = layer["weight"].as_array().unwrap();
        units = (weight.iter().zip(numbers(&layer["bias"])))
            .map(|(row, b)| {
                b + numbers(row)
                    .iter()
                    .zip(&units)
                    .map(|(w, u)| w * u)
                    .sum::<f64>()
            })
            .map(|z| if l + 1 < layers.len() { z.max(0.0) } else { z })
            .collect();
    }
    model["target"]["center"].as_f64().unwrap()
        + model["target"]["scale"].as_f64().unwrap() * (units[0] + straight)
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_threads() {
    let home = simulated("survival", 100, 8, &["--censoring", "0.2"]);
    let mut models = Vec::new();
    for (out, jobs) in [("a", "1"), ("b", "2"), ("c", "1"), ("d", "2")] {
        let outcome = ["--time", "time", "--event", "event", "--validation", "cv:3"];
        fit(
            home.path(),
            &[&outcome[..], &["--out", out, "--jobs", jobs]].concat(),
        );
        models.push(fs::read(home.path().join(out).join("model.json")).unwrap());
    }
    assert!(models.iter().all(|model| *model == models[0]));
    fit(
        home.path(),
        &[
            "--time", "time", "--event", "event", "--out", "e", "--seed", "1",
        ],
    );
    assert_ne!(
        fs::read(home.path().join("e/model.json")).unwrap(),
        models[0]
    );
}

#[test]
fn every_task_goes_from_file_to_score() {
    for (design, flags, keys) in [
        ("regression", &["--target", "y"][..], &["r2", "mse"][..]),
        (
            "classification",
            &["--target", "y"],
            &["auc", "average_precision", "accuracy", "log_loss", "brier"],
        ),
        (
            "survival",
            &["--time", "time", "--event", "event"],
            &["c_index"],
        ),
        ("xor", &["--target", "y"], &["r2", "mse"]),
        ("hierarchical", &["--target", "y"], &["r2", "mse"]),
    ] {
        let home = simulated(design, 150, 5, &[]);
        fit(home.path(), &[flags, &["--out", "fit"]].concat());
        let scores: Value = serde_json::from_str(&stdout(
            home.path(),
            &["evaluate", "fit/model.json", "data.csv"],
        ))
        .unwrap();
        let found: Vec<&String> = scores.as_object().unwrap().keys().collect();
        assert_eq!(found[..keys.len()], *keys, "{design}");
        assert!(
            keys.iter().all(|key| scores[key].is_number()),
            "{design}: {scores}"
        );
    }
}

#[test]
fn classes_may_be_text() {
    let home = simulated("classification", 150, 5, &[]);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let named: String = (text.lines().enumerate())
        .map(|(i, line)| match (i, line.rsplit_once(',').unwrap()) {
            (0, _) => format!("{line}\n"),
            (_, (x, "0")) => format!("{x},healthy\n"),
            (i, (x, _)) if i % 3 == 0 => format!("{x},severe\n"),
            (_, (x, _)) => format!("{x},mild\n"),
        })
        .collect();
    fs::write(
        home.path().join("data.csv"),
        named.replace("severe", "mild"),
    )
    .unwrap();
    let printed = fit(home.path(), &["--target", "y", "--out", "two"]);
    assert!(printed.contains("positive class: mild"), "{printed}");
    let predicted = cells(&stdout(home.path(), &["predict", "two", "data.csv"]));
    assert_eq!(predicted[0], ["probability", "label"]);
    for row in &predicted[1..] {
        assert_eq!(row[1] == "mild", row[0].parse::<f64>().unwrap() > 0.5);
    }

    fs::write(home.path().join("data.csv"), named).unwrap();
    fit(home.path(), &["--target", "y", "--out", "three"]);
    let predicted = cells(&stdout(home.path(), &["predict", "three", "data.csv"]));
    assert_eq!(
        predicted[0],
        [
            "probability_healthy",
            "probability_mild",
            "probability_severe",
            "label"
        ]
    );
    for row in &predicted[1..] {
        let sum: f64 = row[..3].iter().map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn columns_may_come_in_another_order_and_number() {
    let home = simulated("regression", 100, 5, &[]);
    fit(home.path(), &["--target", "y", "--out", "fit"]);
    let rows = cells(&fs::read_to_string(home.path().join("data.csv")).unwrap());
    let turned: String = rows
        .iter()
        .map(|row| row.iter().rev().cloned().collect::<Vec<_>>().join("\t") + "\n")
        .collect();
    fs::write(home.path().join("turned.tsv"), turned).unwrap();
    let straight = stdout(home.path(), &["predict", "fit", "data.csv"]);
    assert_eq!(
        straight,
        stdout(home.path(), &["predict", "fit", "turned.tsv"])
    );
}

#[test]
fn a_constant_column_is_dropped_with_a_note_and_keeps_the_numbering() {
    let home = simulated("regression", 100, 4, &[]);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let with: String = (text.lines().enumerate())
        .map(|(i, line)| {
            if i == 0 {
                format!("flat,{line}\n")
            } else {
                format!("7,{line}\n")
            }
        })
        .collect();
    fs::write(home.path().join("data.csv"), with).unwrap();
    let printed = fit(home.path(), &["--target", "y", "--json"]);
    let summary: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["notes"][0], "1 constant column dropped: flat");
    assert!(!summary["selected"].as_array().unwrap().is_empty());
    for column in summary["selected"].as_array().unwrap() {
        let (name, index) = (
            column["name"].as_str().unwrap(),
            column["index"].as_u64().unwrap(),
        );
        assert_eq!(name, format!("x{index}"));
    }
}

#[test]
fn validation_none_refit_rules_and_init() {
    let home = simulated("regression", 120, 6, &[]);
    let one = [
        "--lambdas",
        "0.05",
        "--ridges",
        "0.01",
        "--validation",
        "none",
    ];
    let base = [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--hidden",
        "6,3",
        "--first-epochs",
        "300",
    ];
    let printed = stdout(home.path(), &[&base[..], &one, &["--out", "one"]].concat());
    assert!(printed.contains("held out    nothing"), "{printed}");
    let summary = json(&home.path().join("one"), "summary.json");
    assert!(summary["validation"].is_null() && summary["held_out"].is_null());
    // From its own weights a fit goes on where it was; the columns that left stay out.
    stdout(
        home.path(),
        &[&base[..], &one, &["--out", "two", "--init", "one"]].concat(),
    );
    let size = |fit: &str| {
        json(&home.path().join(fit), "summary.json")["selected"]
            .as_array()
            .unwrap()
            .len()
    };
    assert!(size("two") <= size("one"));
    let min = fit(
        home.path(),
        &["--target", "y", "--validation", "cv:4", "--json"],
    );
    let sparse = fit(
        home.path(),
        &[
            "--target",
            "y",
            "--validation",
            "cv:4",
            "--rule",
            "1se",
            "--json",
        ],
    );
    let lambda = |text: &str| {
        serde_json::from_str::<Value>(text).unwrap()["lambda"]
            .as_f64()
            .unwrap()
    };
    assert!(lambda(&sparse) >= lambda(&min));
    assert_eq!(serde_json::from_str::<Value>(&min).unwrap()["refit"], true);
}

#[test]
fn a_skipped_ridge_has_its_rows_and_a_note() {
    let home = simulated("regression", 120, 6, &[]);
    let run = |folder: &str, more: &str| {
        let line = "fit data.csv --target y --lambdas 0.01,0.1 --ridges 0.003,0.01,3,10,30 \
                    --validation holdout:0.2 --linear leave --out";
        let flags = [words(line), vec![folder], words(more)].concat();
        stdout(home.path(), &flags);
        let path = fs::read_to_string(home.path().join(folder).join("path.csv")).unwrap();
        (path, json(&home.path().join(folder), "summary.json"))
    };
    let (whole, exact) = run("exact", "--skip-ridges no");
    let (less, skipped) = run("skip", "--skip-ridges yes");
    let (whole, less) = (cells(&whole), cells(&less));
    assert_eq!(less.len(), 1 + 5 * 2);
    for (row, (before, after)) in whole.iter().zip(&less).enumerate() {
        // The fourth ridge is beside two that are far too large.
        if ![7, 8].contains(&row) {
            assert_eq!(before, after);
            continue;
        }
        assert_eq!(before[..2], after[..2]);
        assert_eq!(after[2..], ["", "", "", "", "0", "skipped"]);
    }
    assert_eq!(skipped["notes"][0], "1 of 5 ridges skipped");
    assert_eq!(exact["selected"], skipped["selected"]);
}

#[test]
fn a_linear_proximal_fit_certifies_itself() {
    let home = simulated("regression", 100, 6, &[]);
    let arguments = words(
        "fit data.csv --target y --hidden none --solver proximal --penalty scad --lambdas 0.2 --ridges 0.01 --validation none --tolerance 1e-7 --json",
    );
    let summary: Value = serde_json::from_str(&stdout(home.path(), &arguments)).unwrap();
    assert_eq!(summary["status"], "converged");
    for kind in ["active", "inactive", "rest"] {
        assert!(
            summary["certificate"][kind].as_f64().unwrap() <= 1e-7,
            "{summary}"
        );
    }
}

#[test]
fn an_earlier_fit_is_replaced_and_nothing_else() {
    let home = simulated("regression", 100, 4, &[]);
    fit(home.path(), &["--target", "y", "--out", "fit"]);
    let first = fs::read(home.path().join("fit/model.json")).unwrap();
    fit(
        home.path(),
        &["--target", "y", "--out", "fit", "--seed", "9"],
    );
    assert_ne!(fs::read(home.path().join("fit/model.json")).unwrap(), first);
    // not even a fit's folder, once it holds something of the user's
    fs::write(home.path().join("fit/thesis.txt"), "years of work").unwrap();
    threshnet()
        .current_dir(home.path())
        .args(["fit", "data.csv", "--target", "y", "--out", "fit"])
        .assert()
        .code(1);
    assert!(home.path().join("fit/thesis.txt").exists());
    fs::create_dir(home.path().join("mine")).unwrap();
    fs::write(home.path().join("mine/notes.txt"), "keep").unwrap();
    threshnet()
        .current_dir(home.path())
        .args(["fit", "data.csv", "--target", "y", "--out", "mine"])
        .assert()
        .code(1);
    assert_eq!(
        listing(&home.path().join("mine")),
        ["notes.txt"].map(std::path::PathBuf::from)
    );
}

#[test]
fn what_was_asked_for_is_told_by_name() {
    let home = simulated("regression", 120, 6, &[]);
    let usual =
        "fit data.csv --target y --epochs 100 --first-epochs 400 --validation holdout:0.2 --json";
    let settings = |flags: &str| -> Value {
        let line = format!("{usual} {flags}");
        let printed = stdout(home.path(), &words(line.trim()));
        serde_json::from_str::<Value>(&printed).unwrap()["settings"].clone()
    };
    let always = json!({"validation": "holdout:0.2", "epochs": 100, "first_epochs": 400});
    // (the number of threads is no part of a fit)
    assert_eq!(settings("--jobs 1"), always);
    let more = settings("--tolerance 0.05 --batch-size 50 --skip-ridges yes --no-standardize");
    for (name, value) in [
        ("tolerance", json!(0.05)),
        ("batch_size", json!(50)),
        ("skip_ridges", json!(true)),
        ("standardize", json!(false)),
    ] {
        assert_eq!(more[name], value, "{name}");
    }
    assert_eq!(more.as_object().unwrap().len(), 7);
}

/// The metrics of each task that are above all others, and where each stands.
#[test]
fn held_out_figures_come_first_with_an_interval_each() {
    for (design, outcome, names, title) in [
        ("regression", "--target y", &["r2", "mse"][..], "R²"),
        (
            "classification",
            "--target y",
            &["auc", "average_precision", "accuracy", "log_loss", "brier"],
            "AUC",
        ),
        (
            "survival",
            "--time time --event event",
            &["c_index"],
            "C-index",
        ),
    ] {
        let home = simulated(design, 150, 5, &[]);
        for (validation, kind) in [
            ("draws:3", "unseen_folds"),
            ("cv:3", "cross_validation"),
            ("holdout:0.3", "holdout"),
        ] {
            let flags = format!("{outcome} --validation {validation} --linear leave --out fit");
            let printed = fit(home.path(), &words(&flags));
            let summary = json(&home.path().join("fit"), "summary.json");
            let held_out = &summary["held_out"];
            assert_eq!(held_out["kind"], kind);
            assert_eq!(held_out["used_in_selection"], false);
            let rows = if kind == "holdout" { 45 } else { 150 };
            assert_eq!(held_out["rows"], rows, "{design} {validation}");
            let metrics = held_out["metrics"].as_object().unwrap();
            assert_eq!(metrics.keys().collect::<Vec<_>>(), names);
            for (name, metric) in metrics {
                let number = |value: &Value| value.as_f64().unwrap();
                let value = number(&metric["value"]);
                let (low, high) = (
                    number(&metric["interval"][0]),
                    number(&metric["interval"][1]),
                );
                assert!(
                    low <= value && value <= high,
                    "{design} {validation} {name}"
                );
                assert!(!summary["train"][name].is_null());
            }
            // before columns and training figures, wherever people look
            let at = |text: &str, piece: &str| {
                text.find(piece)
                    .unwrap_or_else(|| panic!("{piece}: {text}"))
            };
            let first = at(&printed, &format!("held out    {title} 0."));
            assert!(first < at(&printed, "column  index"), "{printed}");
            assert!(first < at(&printed, "on its own training rows: too good"));
            assert_eq!(printed.matches("(95 % ").count(), names.len(), "{printed}");
            let card = fs::read_to_string(home.path().join("fit/model-card.md")).unwrap();
            let opening = &card[..at(&card, "## Intended use")];
            assert!(opening.contains(&format!("Held out: {title} 0.")), "{card}");
            let performance = &card[at(&card, "## Performance")..];
            let first = at(performance, &format!("| {title} | 0."));
            assert!(first < at(performance, "On its own training rows"));
        }
    }
}

#[test]
fn an_instruction_set_can_be_forced() {
    let home = simulated("regression", 60, 4, &[]);
    for name in ["portable", "PORTABLE", ""] {
        let run = threshnet()
            .current_dir(home.path())
            .env("THRESHNET_ISA", name)
            .args(words(
                "fit data.csv --target y --epochs 20 --first-epochs 20 --json",
            ))
            .assert()
            .success();
        let summary: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let used = summary["instruction_set"].as_str().unwrap();
        assert!(name.is_empty() || used == "portable", "{used}");
    }
}
