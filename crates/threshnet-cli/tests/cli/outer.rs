//! `fit --outer`, `--importance`, `predict --interval` and `coefficients.csv`.

use super::{cells, json, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

const FIT: &str = "fit data.csv --target y --hidden none --penalty lasso --validation cv:3 --quiet";

fn refused(home: &Path, line: &str, code: i32) -> String {
    let run = threshnet()
        .current_dir(home)
        .args(words(line))
        .assert()
        .code(code);
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

#[test]
fn nested_figures_come_first_everywhere_whatever_the_threads() {
    let data = simulated("regression", 120, 6, &[]);
    let home = data.path();
    let text = stdout(
        home,
        &words(&format!("{FIT} --outer cv:4x2 --jobs 1 --out one")),
    );
    stdout(
        home,
        &words(&format!("{FIT} --outer cv:4x2 --jobs 3 --out three")),
    );
    let summary = json(&home.join("one"), "summary.json");
    let nested = &summary["nested"];
    assert_eq!(nested, &json(&home.join("three"), "summary.json")["nested"]);
    assert_eq!(
        (nested["outer"].as_str(), nested["runs"].as_u64()),
        (Some("cv:4x2"), Some(8))
    );
    assert_eq!(nested["by_run"].as_array().unwrap().len(), 8);
    assert!(nested["selected"][0]["frequency"].as_f64().unwrap() > 0.5);
    let r2 = nested["metrics"]["r2"]["value"].as_f64().unwrap();
    let shown = format!("nested      R² {r2:.3}");
    let (nested_at, held_out_at) = (text.find(&shown).unwrap(), text.find("held out").unwrap());
    assert!(nested_at < held_out_at, "{text}");
    let card = fs::read_to_string(home.join("one/model-card.md")).unwrap();
    assert!(
        card.contains(&format!("Nested validation: R² {r2:.3}")),
        "{card}"
    );
    let page = fs::read_to_string(home.join("one/report.html")).unwrap();
    assert!(page.contains("Nested validation") && page.contains("cv:4x2"));
    let report = json(&home.join("one"), "report.json");
    assert_eq!(report["nested"]["curves"]["task"], "regression");
    // the model is the one of a fit without it
    stdout(home, &words(&format!("{FIT} --out plain")));
    let model = |out: &str| fs::read(home.join(out).join("model.json")).unwrap();
    assert_eq!(model("one"), model("plain"));
    assert!(
        !home.join(".one.outer").exists(),
        "nothing is left to go on with"
    );
}

#[test]
fn a_bootstrap_says_what_it_corrects() {
    let data = simulated("classification", 120, 8, &[]);
    let home = data.path();
    let text = stdout(home, &words(&format!("{FIT} --outer boot:20 --json")));
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let auc = &summary["nested"]["metrics"]["auc"];
    let of = |name: &str| auc["bootstrap"][name].as_f64().unwrap();
    assert_eq!(auc["value"], auc["bootstrap"]["plus_632"]);
    assert!(of("out_of_bag") < of("plus_632") && of("plus_632") < of("apparent"));
    assert!(of("harrell") < of("apparent"));
}

#[cfg(unix)]
#[test]
fn a_stopped_validation_goes_on_without_a_lost_split() {
    use super::interrupt::{end, start};
    let data = simulated("regression", 90, 5, &[]);
    let home = data.path();
    let flags = format!("{FIT} --outer cv:3x20 --jobs 1");
    stdout(home, &words(&format!("{flags} --out whole")));
    let line = format!("{flags} --out fit");
    let mut child = start(home, &words(&line));
    let ledger = home.join(".fit.runs");
    // (a run of thirty rows takes some three hundred bytes)
    let done = || fs::metadata(&ledger).map_or(0, |file| file.len() / 300);
    while done() < 4 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
    }
    let output = end(child, "-INT");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("parts are kept in .fit.runs"), "{said}");
    assert!(!home.join("fit").exists());
    // what another setting left is not touched
    let other = refused(home, &format!("{line} --seed 1"), 1);
    assert!(other.contains("what another fit has done"), "{other}");
    // runs that are there are used
    stdout(home, &words(&format!("{line} --log log")));
    let log = fs::read_to_string(home.join("log")).unwrap();
    let resumed = log.lines().find(|line| line.contains("\"resumed\""));
    let resumed: serde_json::Value = serde_json::from_str(resumed.expect("it is told")).unwrap();
    assert!(resumed["finished"].as_u64().unwrap() >= 3, "{resumed}");
    assert!(!ledger.exists(), "nothing is left to go on with");
    let nested = |folder: &str| json(&home.join(folder), "summary.json")["nested"].clone();
    assert_eq!(nested("fit"), nested("whole"));
}

#[test]
fn outer_splits_that_cannot_be_are_refused() {
    let data = simulated("regression", 30, 4, &[]);
    for (outer, code, says) in [
        ("cv:1", 2, "folds from 2 to 1000 are possible"),
        ("cv", 2, "cv:FOLDSxREPEATS"),
        ("boot:3", 2, "bootstrap samples from 10 to 10000"),
        ("cv:31", 2, "31 folds of 30 rows"),
    ] {
        let said = refused(data.path(), &format!("{FIT} --outer {outer}"), code);
        assert!(
            said.contains("--outer") && said.contains(says),
            "{outer}: {said}"
        );
    }
}

#[test]
fn intervals_sets_and_bounds_are_columns_of_predictions() {
    for (design, outcome, expected) in [
        ("regression", "--target y", "prediction,lower,upper"),
        (
            "classification",
            "--target y",
            "probability,label,set_0,set_1",
        ),
        ("survival", "--time time --event event", "risk,lower"),
    ] {
        let data = simulated(design, 120, 4, &[]);
        let home = data.path();
        let fit =
            format!("fit data.csv {outcome} --hidden none --validation cv:3 --quiet --out fit");
        stdout(home, &words(&fit));
        let text = stdout(home, &words("predict fit data.csv --interval 0.9"));
        assert_eq!(text.lines().next(), Some(expected));
        let rows = cells(&text);
        let number = |row: &[String], name: &str| -> f64 {
            let at = rows[0].iter().position(|column| column == name).unwrap();
            row[at].parse().unwrap()
        };
        for row in &rows[1..] {
            match design {
                "regression" => assert!(
                    number(row, "lower") < number(row, "prediction")
                        && number(row, "prediction") < number(row, "upper")
                ),
                "classification" => {
                    assert!(
                        ["set_0", "set_1"]
                            .iter()
                            .all(|set| [0.0, 1.0].contains(&number(row, set)))
                    );
                }
                _ => assert!(number(row, "lower") >= 0.0),
            }
        }
        let said = refused(home, "predict fit data.csv --interval 0.999", 1);
        assert!(
            said.starts_with("error: fit: a coverage of 0.999 takes at least 999"),
            "{said}"
        );
        let said = refused(home, "predict fit data.csv --interval 1.5", 2);
        assert!(said.contains("--interval: 1.5 is no coverage"), "{said}");
    }
}

#[test]
fn a_linear_model_is_shown_as_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    // y = 3 + 2x, and 5 more where the colour is red
    let row = |i: usize| {
        let (x, red) = ((i * 7 % 11) as f64, i.is_multiple_of(3));
        let colour = if red { "red" } else { "blue" };
        format!(
            "{x},{colour},{}\n",
            3.0 + 2.0 * x + if red { 5.0 } else { 0.0 }
        )
    };
    let rows: String = (0..60).map(row).collect();
    fs::write(home.join("data.csv"), format!("x,colour,y\n{rows}")).unwrap();
    let line = "fit data.csv --target y --hidden none --lambdas 0 --ridges 1e-9 --validation none --quiet --out fit";
    let text = stdout(home, &words(line));
    assert!(text.contains("a linear model: its coefficients"), "{text}");
    let shown = text.split("its coefficients").nth(1).unwrap();
    let line = shown.lines().find(|line| line.starts_with("  x ")).unwrap();
    let numbers: Vec<&str> = line.split_whitespace().collect();
    let sd: f64 = numbers[2].parse().unwrap();
    assert!(
        numbers[1] == "2.000" && sd > 2.0 * 3.0 && sd < 2.0 * 3.5,
        "{text}"
    );
    let table = cells(&fs::read_to_string(home.join("fit/coefficients.csv")).unwrap());
    assert_eq!(
        table[0],
        ["name", "level", "coefficient", "coefficient_per_sd"]
    );
    let of = |name: &str, level: &str| -> f64 {
        let row = table
            .iter()
            .find(|row| row[0] == name && row[1] == level)
            .unwrap();
        row[2].parse().unwrap()
    };
    assert!((of("x", "") - 2.0).abs() < 1e-4);
    assert!((of("colour", "red") - of("colour", "blue") - 5.0).abs() < 1e-3);
    assert!((of("(intercept)", "") + of("colour", "blue") - 3.0).abs() < 1e-3);
    // odds and hazards have ratios, a network has no coefficients
    let data = simulated("survival", 120, 4, &[]);
    let home = data.path();
    let line = "fit data.csv --time time --event event --validation cv:3 --quiet --out fit";
    stdout(home, &words(&format!("{line} --hidden none")));
    let table = cells(&fs::read_to_string(home.join("fit/coefficients.csv")).unwrap());
    assert_eq!(
        table[0][2..].join(","),
        "coefficient,coefficient_per_sd,hazard_ratio,hazard_ratio_per_sd"
    );
    let number = |at: usize| -> f64 { table[2][at].parse().unwrap() };
    assert!(
        (number(4) - number(2).exp()).abs() < 1e-12 && (number(5) - number(3).exp()).abs() < 1e-12
    );
    stdout(
        home,
        &words(&format!(
            "{line} --hidden 3 --lambdas 0.05 --ridges 0.01 --epochs 50"
        )),
    );
    assert!(!home.join("fit/coefficients.csv").exists());
}

#[test]
fn importance_is_told_after_selection() {
    let data = simulated("regression", 120, 5, &[]);
    let text = stdout(
        data.path(),
        &words(&format!("{FIT} --importance yes --out fit")),
    );
    assert!(
        text.contains("importance on held-out rows, after selection"),
        "{text}"
    );
    let summary = json(&data.path().join("fit"), "summary.json");
    let columns = summary["importance"]["columns"].as_array().unwrap();
    assert_eq!(columns.len(), summary["selected"].as_array().unwrap().len());
    assert!(columns[0]["dropped"]["value"].as_f64() >= columns[1]["dropped"]["value"].as_f64());
}
