//! `methods.md` and what the report says of calibration, net benefit and null models: true to the run.

use super::{json, simulated, stdout, words};
use std::fs;
use std::path::Path;

const QUICK: &str = "--ridges 0.01 --lambdas 0.02:0.3:6 --epochs 60 --first-epochs 200 --quiet";

/// Fits `data.csv` and gives `methods.md`.
fn methods(home: &Path, flags: &str) -> String {
    stdout(
        home,
        &words(&format!("fit data.csv {flags} {QUICK} --out fit")),
    );
    fs::read_to_string(home.join("fit/methods.md")).unwrap()
}

/// The page without scripts.
fn page(home: &Path) -> String {
    let page = fs::read_to_string(home.join("fit/report.html")).unwrap();
    page.split("<script").next().unwrap().to_string()
}

/// Every statement follows what was asked for, and is not there where that was not.
#[test]
fn statements_follow_the_settings() {
    let home = simulated("regression", 120, 6, &[]);
    let told = [
        (
            "repeated 3 times, each time without 15 % of the rows",
            "--target y --validation draws:3",
        ),
        (
            "sparse-input neural network",
            "--target y --validation draws:3 --linear leave",
        ),
        ("Adam", "--target y --validation holdout:0.2 --linear leave"),
        ("the published procedure", "--target y --protocol paper"),
        (
            "20 % of the rows, not stratified",
            "--target y --protocol paper",
        ),
        ("3-fold cross-validation", "--target y --validation cv:3"),
        (
            "within one standard error of the smallest",
            "--target y --validation cv:3 --rule 1se",
        ),
        (
            "The model is a linear model",
            "--target y --hidden none --validation cv:3",
        ),
        (
            "nested cross-validation with 3 outer folds",
            "--target y --hidden none --validation cv:3 --outer cv:3",
        ),
        (
            "3 outer folds repeated 2 times",
            "--target y --hidden none --validation cv:3 --outer cv:3x2",
        ),
        (
            ".632+ estimates",
            "--target y --hidden none --validation cv:3 --outer boot:10",
        ),
        (
            "stability selection",
            "--target y --hidden none --stability 3",
        ),
        (
            "without standardisation",
            "--target y --hidden none --validation cv:3 --no-standardize",
        ),
        (
            "LASSO",
            "--target y --hidden none --validation cv:3 --penalty lasso",
        ),
        (
            "(SCAD, a = 4)",
            "--target y --hidden none --validation cv:3 --penalty scad --concavity 4",
        ),
        (
            "to stay in the model, without a penalty: x2",
            "--target y --hidden none --validation cv:3 --keep x2",
        ),
        (
            "is lost where models",
            "--target y --hidden none --validation cv:3 --importance yes",
        ),
        (
            "seed 7",
            "--target y --hidden none --validation cv:3 --seed 7",
        ),
    ];
    let made: Vec<String> = told
        .iter()
        .map(|(_, flags)| methods(home.path(), flags))
        .collect();
    for (number, (statement, flags)) in told.iter().enumerate() {
        assert!(
            made[number].contains(statement),
            "{flags}: {}",
            made[number]
        );
        assert!(
            made.iter().any(|other| !other.contains(statement)),
            "{statement}: always there"
        );
        assert!(
            made[number].contains("## References\n\n1. "),
            "{}",
            made[number]
        );
        // as many publications as marks, each cited
        let (text, rest) = made[number].split_once("## References").unwrap();
        let sources = rest
            .split("## TRIPOD")
            .next()
            .unwrap()
            .matches("\n")
            .count();
        for mark in 1..30 {
            let is_cited = text.contains(&format!("\\[{mark}\\]"));
            assert_eq!(
                is_cited,
                rest.contains(&format!("\n{mark}. ")),
                "{mark} of {sources}: {flags}"
            );
        }
    }
    let plain = &made[0];
    for other in [
        "nested cross-validation with",
        "stability selection",
        "knockoffs",
        "imputed",
        ".632+ estimates",
    ] {
        assert!(!plain.contains(other), "{other}");
    }
    assert!(
        plain.contains("no missing cells")
            && plain.contains("120 rows with 6 candidate predictors")
    );
    let record = json(&home.path().join("fit"), "report.json");
    assert!(
        made.last()
            .unwrap()
            .contains(record["origin"]["file"]["sha256"].as_str().unwrap())
    );
}

#[test]
fn missing_cells_and_texts_are_told() {
    let home = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let x = (i * 7 % 31) as f64 / 10.0;
        let level = ["low", "middle", "high"][i % 3];
        let gap = if i.is_multiple_of(10) {
            "NA".into()
        } else {
            format!("{}", i * 5 % 13)
        };
        format!(
            "{x},{level},{gap},{}\n",
            x * 2.0 + (i % 3) as f64 + (i % 5) as f64 / 9.0
        )
    };
    let rows: String = (0..120).map(row).collect();
    fs::write(home.path().join("data.csv"), format!("a,grade,b,y\n{rows}")).unwrap();
    let text = methods(
        home.path(),
        "--target y --hidden none --validation cv:3 --missing impute",
    );
    for piece in [
        "1 of them categorical",
        "12 missing cells in 1 predictors were imputed by the median",
        "Missing input is imputed as in the fit",
    ] {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    let text = methods(
        home.path(),
        "--target y --hidden none --validation cv:3 --missing drop",
    );
    assert!(
        text.contains("12 of 120 rows were left out because of a missing cell"),
        "{text}"
    );
    // levels of a linear model have a row each, and no figure of straight lines
    let page = page(home.path());
    assert!(page.contains("The model, in full") && page.contains("<td>middle</td>"));
    assert!(!page.contains("data-figure=\"effect-"));
}

#[test]
fn every_item_is_filled_or_left_to_the_authors() {
    let home = simulated("survival", 150, 5, &[]);
    let text = methods(
        home.path(),
        "--time time --event event --hidden none --validation cv:3",
    );
    let (_, table) = text.split_once("| --- | --- | --- |").unwrap();
    let items: Vec<&str> = table.trim().lines().collect();
    assert_eq!(items.len(), 52);
    for item in &items {
        let cells: Vec<&str> = item.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{item}");
        assert!(cells[2].trim().len() > 3, "{item}");
    }
    let known = |number: &str| {
        let begins = format!("| {number} |");
        items
            .iter()
            .find(|item| item.starts_with(&begins))
            .unwrap()
            .to_string()
    };
    assert!(known("17").contains("**Authors must add**"));
    assert!(!known("12c").contains("Authors must add"));
    let summary = json(&home.path().join("fit"), "summary.json");
    let c_index = summary["held_out"]["metrics"]["c_index"]["value"]
        .as_f64()
        .unwrap();
    assert!(
        known("23a").contains(&format!("C-index {c_index:.3}")),
        "{}",
        known("23a")
    );
    let record = json(&home.path().join("fit"), "report.json");
    let events = record["outcome"]["events"].as_u64().unwrap();
    assert!(
        known("10").contains(&format!("{events} events")),
        "{}",
        known("10")
    );
}

#[test]
fn survival_has_calibration_and_net_benefit_at_its_times() {
    let home = simulated("survival", 200, 5, &[]);
    methods(
        home.path(),
        "--time time --event event --hidden none --validation cv:3 --svg",
    );
    let page = page(home.path());
    for id in [
        "kaplan-meier",
        "observed-survival",
        "calibration",
        "decision-1",
        "decision-3",
    ] {
        assert!(page.contains(&format!("data-figure=\"{id}\"")), "{id}");
        assert!(
            home.path().join(format!("fit/figure-{id}.svg")).exists(),
            "{id}"
        );
    }
    let record = json(&home.path().join("fit"), "report.json");
    let evidence = &record["held_out"]["evidence"];
    let times: Vec<f64> = (evidence["at"].as_array().unwrap().iter())
        .map(|at| at["time"].as_f64().unwrap())
        .collect();
    assert_eq!(times.len(), 3);
    for (at, part) in times
        .iter()
        .zip(evidence["calibration"].as_array().unwrap())
    {
        assert_eq!(part["time"].as_f64(), Some(*at));
        // risks are counted from the mean, the level comes from other rows: near 1, whatever the model
        let ratio = part["observed_expected"].as_f64().unwrap();
        assert!((0.8..1.25).contains(&ratio), "{part}");
    }
    assert!(page.contains("treating all or nobody"));
}

#[test]
fn a_null_model_says_what_came_closest_and_what_rows_could_show() {
    let home = tempfile::tempdir().unwrap();
    let row = |i: u64| {
        let noise = |k: u64| (i * k * 2_654_435_761 + k * k * 40_503) % 10_007;
        format!(
            "{},{},{},{},{}\n",
            noise(3),
            noise(5),
            noise(7),
            noise(11),
            noise(13) ^ noise(17)
        )
    };
    let rows: String = (0..150).map(row).collect();
    fs::write(home.path().join("data.csv"), format!("a,b,c,d,y\n{rows}")).unwrap();
    let text = methods(home.path(), "--target y --validation draws:4");
    assert!(
        text.contains("none was retained") && text.contains("No predictor was selected"),
        "{text}"
    );
    let page = page(home.path());
    assert!(page.contains("this is the null model"), "{page}");
    // √(2 ln 8 / 150), and (√(2 ln 8) / 0.2)²
    assert!(
        page.contains("from a correlation of about 0.17 with the outcome on"),
        "{page}"
    );
    assert!(
        page.contains("A single column of 0.2 would take about 104 rows, one of 0.1 about 416.")
    );
    assert!(page.contains("What came closest") || page.contains("No fit chose any column."));
    for contradiction in [
        "data-figure=\"predicted-observed\"",
        "Is it worth acting by?",
        "class=\"warnings\"",
    ] {
        assert!(!page.contains(contradiction), "{contradiction}");
    }
}
