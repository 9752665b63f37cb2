//! The other commands.

use super::bad_input::refused;
use super::{cells, json, simulated, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use threshnet::settings::TABLE;

#[test]
fn the_demo_finds_and_explains() {
    let home = tempfile::tempdir().unwrap();
    let text = stdout(home.path(), &["demo"]);
    for piece in [
        "y = log(|x1| + 0.1)",
        "as lambda grows",
        "x20",
        "▲ lambda",
        "non-linear? yes",
        "held out    R² 0.",
        "R² on 300 new rows",
        "threshnet fit data.csv",
    ] {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    let table = text.split("Selected, and").nth(1).unwrap();
    for column in ["x1", "x2", "x3", "x4"] {
        let line = table
            .lines()
            .find(|line| line.trim().starts_with(&format!("{column} ")));
        assert!(
            line.is_some_and(|line| line.ends_with("matters")),
            "{column}: {table}"
        );
    }
    let page = fs::read_to_string(home.path().join("threshnet-demo/report.html")).unwrap();
    assert!(page.contains("What predicts y?"));
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        1,
        "it leaves its report and nothing else"
    );
}

#[test]
fn without_arguments_it_greets_and_what_it_names_exists() {
    let home = tempfile::tempdir().unwrap();
    let text = stdout(home.path(), &[]);
    let commands: Vec<&str> = (text.lines())
        .filter_map(|line| line.strip_prefix("  threshnet "))
        .collect();
    assert_eq!(commands.len(), 3, "{text}");
    for command in commands {
        let command = command.split("  ").next().unwrap();
        let shown = stdout(home.path(), &words(&format!("{command} --help")));
        assert!(shown.contains("Usage:"), "{command}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn the_demo_on_real_data_is_the_fit_it_shows() {
    let home = tempfile::tempdir().unwrap();
    let quick = ["demo", "--task", "survival", "--quiet", "--out", "first"];
    let text = stdout(home.path(), &quick);
    for piece in ["96 of them died", "CC BY 4.0", "ejection_fraction", "Next:"] {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    let held_out = &json(home.path(), "first/summary.json")["held_out"]["metrics"];
    assert!(
        held_out["c_index"]["value"].as_f64().unwrap() > 0.65,
        "{held_out}"
    );
    let page = fs::read_to_string(home.path().join("first/report.html")).unwrap();
    assert!(page.contains("ejection_fraction"));

    let shown = text
        .lines()
        .find_map(|line| line.strip_prefix("$ threshnet "));
    let typed = shown.unwrap().replace("--out first", "--out typed --quiet");
    stdout(home.path(), &words(&typed));
    for file in ["model.json", "path.csv", "selected.csv"] {
        let of = |folder: &str| fs::read(home.path().join(folder).join(file)).unwrap();
        assert_eq!(of("first"), of("typed"), "{file}");
    }
    let next = text
        .lines()
        .find_map(|line| line.strip_prefix("  threshnet predict "));
    let curves = stdout(home.path(), &words(&format!("predict {}", next.unwrap())));
    assert!(
        curves.starts_with("risk,survival_30,survival_90,survival_180\n"),
        "{curves}"
    );

    // A file of the user is never written over.
    fs::write(home.path().join("heart-failure.csv"), "mine").unwrap();
    refused(
        home.path(),
        &quick,
        1,
        &["heart-failure.csv", "another file is there"],
    );
    assert_eq!(
        fs::read_to_string(home.path().join("heart-failure.csv")).unwrap(),
        "mine"
    );
}

#[test]
fn the_data_of_every_demo_are_what_it_says_of_them() {
    let home = tempfile::tempdir().unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for (file, rows, outcome) in [
        (
            "heart-failure.csv",
            299,
            "survival, 96 events, 203 censored",
        ),
        ("breast-cancer.csv", 569, "357 × benign, 212 × malignant"),
        ("cars.csv", 392, "regression, from 9.000 to 46.60"),
    ] {
        let path = folder.join(file);
        let mut arguments = vec!["inspect", path.to_str().unwrap()];
        if file == "cars.csv" {
            arguments.extend(["--target", "mpg"]);
        }
        let text = stdout(home.path(), &arguments);
        assert!(text.contains(&format!("{rows} rows")), "{text}");
        assert!(text.contains(outcome), "{text}");
    }
}

/// Mean and standard deviation of every column, as they are published for the UCI's file.
#[test]
fn the_heart_failure_data_are_those_of_their_source() {
    let text = include_str!("../../data/heart-failure.csv");
    let rows = cells(text);
    for (column, mean, sd) in [
        ("age", 60.833893, 11.894809),
        ("anaemia", 0.431438, 0.496107),
        ("creatinine_phosphokinase", 581.839465, 970.287881),
        ("diabetes", 0.418060, 0.494067),
        ("ejection_fraction", 38.083612, 11.834841),
        ("high_blood_pressure", 0.351171, 0.478136),
        ("platelets", 263358.029264, 97804.236869),
        ("serum_creatinine", 1.393880, 1.034510),
        ("serum_sodium", 136.625418, 4.412477),
        ("sex", 0.648829, 0.478136),
        ("smoking", 0.321070, 0.467670),
        ("time", 130.260870, 77.614208),
        ("DEATH_EVENT", 0.321070, 0.467670),
    ] {
        let at = rows[0].iter().position(|name| name == column).unwrap();
        let values: Vec<f64> = rows[1..]
            .iter()
            .map(|row| row[at].parse().unwrap())
            .collect();
        let n = values.len() as f64;
        let found = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - found).powi(2)).sum();
        assert!((found - mean).abs() < 1e-6, "{column}: {found}");
        let found = (squares / (n - 1.0)).sqrt();
        assert!((found - sd).abs() < 1e-6, "{column}: {found}");
    }
}

#[test]
fn simulated_files_have_the_stated_columns() {
    for (design, last) in [
        ("regression", "x7,y"),
        ("xor", "x7,y"),
        ("survival", "x7,time,event"),
    ] {
        let home = simulated(design, 30, 7, &["--correlation", "0.5", "--seed", "4"]);
        let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
        assert!(text.lines().next().unwrap().ends_with(last), "{design}");
        assert_eq!(text.lines().count(), 31);
        let again = [
            "simulate",
            design,
            "-n",
            "30",
            "-d",
            "7",
            "--correlation",
            "0.5",
            "--seed",
            "4",
        ];
        assert_eq!(text, stdout(home.path(), &again));
    }
}

#[test]
fn survival_is_predicted_and_scored() {
    let home = simulated("survival", 150, 6, &["--censoring", "0.3"]);
    let arguments = words(
        "fit data.csv --time time --event event --out fit --lambdas 0.02:0.3:6 --ridges 0.01 --ties efron --no-standardize",
    );
    stdout(home.path(), &arguments);
    let rows = cells(&stdout(
        home.path(),
        &["predict", "fit", "data.csv", "--times", "0,0.2,1.5"],
    ));
    assert_eq!(
        rows[0],
        ["risk", "survival_0", "survival_0.2", "survival_1.5"]
    );
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    for row in &rows[1..] {
        let curve: Vec<f64> = row[1..].iter().map(number).collect();
        assert!(curve.iter().all(|s| (0.0..=1.0).contains(s)));
        assert!(curve.windows(2).all(|pair| pair[0] >= pair[1]), "{curve:?}");
    }
    // a higher risk has a lower curve
    let mut sorted: Vec<(f64, f64)> = rows[1..]
        .iter()
        .map(|r| (number(&r[0]), number(&r[2])))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(sorted.windows(2).all(|pair| pair[0].1 >= pair[1].1));

    let plain: Value =
        serde_json::from_str(&stdout(home.path(), &["evaluate", "fit", "data.csv"])).unwrap();
    // `metrics` says the same of the printed risks
    let data = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let joined: String = (data.lines().zip(&rows))
        .map(|(line, row)| format!("{line},{}\n", row[0]))
        .collect();
    fs::write(home.path().join("risks.csv"), joined).unwrap();
    let flags = words("metrics risks.csv --time time --event event --risk risk");
    let scores: Value = serde_json::from_str(&stdout(home.path(), &flags)).unwrap();
    assert_eq!(scores["c_index"], plain["c_index"]);
    let more = [&flags[..], &["--train", "data.csv", "--times", "0.1,0.3"]].concat();
    let scores: Value = serde_json::from_str(&stdout(home.path(), &more)).unwrap();
    assert!(scores["uno_c"].as_f64().unwrap() > 0.5);
    assert_eq!(scores["tauc"].as_array().unwrap().len(), 2);
    assert!(scores["tauc_mean"].is_number());
}

#[test]
fn metrics_of_given_predictions() {
    let home = tempfile::tempdir().unwrap();
    fs::write(
        home.path().join("p.csv"),
        "y,p,c,q\n1,1.5,no,0.2\n2,2,yes,0.9\n3,2,yes,0.4\n4,5,no,0.4\n",
    )
    .unwrap();
    let scores = |flags: &[&str]| -> Value {
        serde_json::from_str(&stdout(
            home.path(),
            &[&["metrics", "p.csv"], flags].concat(),
        ))
        .unwrap()
    };
    let regression = scores(&["--target", "y", "--prediction", "p"]);
    // residuals −0.5, 0, 1, −1: sum of squares 2.25, around the mean 5
    assert_eq!(regression["mse"].as_f64(), Some(2.25 / 4.0));
    assert_eq!(regression["r2"].as_f64(), Some(1.0 - 2.25 / 5.0));
    let binary = scores(&["--target", "c", "--probability", "q"]);
    assert_eq!(binary["accuracy"].as_f64(), Some(0.75));
    // pairs (yes, no): 0.9 beats both; 0.4 beats 0.2 and ties 0.4
    assert_eq!(binary["auc"].as_f64(), Some(3.5 / 4.0));
}

#[test]
fn an_undefined_metric_is_null_with_a_note() {
    let home = simulated("classification", 100, 4, &[]);
    let flags = words("fit data.csv --target y --out fit --lambdas 0.05 --ridges 0.01");
    stdout(home.path(), &flags);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let ones: String = text
        .lines()
        .filter(|line| !line.ends_with(",0"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(home.path().join("ones.csv"), ones).unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(["evaluate", "fit", "ones.csv"])
        .assert()
        .success();
    let scores: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert!(scores["auc"].is_null() && scores["accuracy"].is_number());
    assert!(String::from_utf8_lossy(&run.get_output().stderr).contains("note: auc is undefined"));
}

#[test]
fn a_gzipped_tsv_is_read_by_its_name() {
    use std::io::Write;
    let home = simulated("regression", 80, 4, &[]);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let file = fs::File::create(home.path().join("data.tsv.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    gz.write_all(text.replace(',', "\t").as_bytes()).unwrap();
    gz.finish().unwrap();
    let flags = words("--target y --lambdas 0.05 --ridges 0.01 --first-epochs 50 --out");
    stdout(
        home.path(),
        &[&["fit", "data.csv"], &flags[..], &["a"]].concat(),
    );
    stdout(
        home.path(),
        &[&["fit", "data.tsv.gz"], &flags[..], &["b"]].concat(),
    );
    assert_eq!(
        json(&home.path().join("a"), "model.json"),
        json(&home.path().join("b"), "model.json")
    );
}

#[test]
fn help_and_version() {
    let home = tempfile::tempdir().unwrap();
    assert!(stdout(home.path(), &["--version"]).starts_with("threshnet "));
    // alone it greets
    assert!(stdout(home.path(), &[]).contains("Three things to try"));
    threshnet().arg("fly").assert().code(2);
}

#[test]
fn every_setting_is_a_flag_and_the_short_help_is_short() {
    let home = tempfile::tempdir().unwrap();
    let help = stdout(home.path(), &["fit", "--help"]);
    let flags = TABLE.iter().map(|setting| setting.name.replace('_', "-"));
    let others = [
        "task",
        "features",
        "drop",
        "no-standardize",
        "out",
        "quiet",
        "json",
    ];
    for flag in flags.chain(others.map(String::from)) {
        assert!(help.contains(&format!("--{flag}")), "{flag}");
    }
    for setting in TABLE {
        assert!(help.contains(setting.group.heading()), "{}", setting.name);
    }
    let short = stdout(home.path(), &["fit", "-h"]);
    let options = short
        .lines()
        .filter(|line| line.trim_start().starts_with('-'));
    assert!(options.count() <= 16, "{short}");
}

#[test]
fn yes_and_no_are_said_in_one_way() {
    let home = simulated("regression", 60, 4, &[]);
    let fit = |flags: &str| {
        let line = format!(
            "fit data.csv --target y --lambdas 0.05 --ridges 0.01 --first-epochs 20 --out fit {flags}"
        );
        stdout(home.path(), &words(line.trim()));
        json(&home.path().join("fit"), "model.json")
    };
    let (raw, standardized) = (fit("--no-standardize"), fit(""));
    assert_eq!(raw, fit("--standardize no"));
    assert_eq!(standardized, fit("--standardize yes"));
    assert_ne!(raw, standardized);
    refused(
        home.path(),
        &words("fit data.csv --target y --no-refit --refit yes"),
        2,
        &["--no-refit", "--refit"],
    );
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let home = simulated("regression", 60, 4, &[]);
    let fit = "fit data.csv --target y --lambdas 0.05 --ridges 0.01 --first-epochs 20";
    for arguments in ["demo", fit, "simulate regression -n 2000 -d 20"] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("threshnet"))
            .current_dir(home.path())
            .args(arguments.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        assert!(output.stderr.is_empty(), "{arguments}");
    }
}
