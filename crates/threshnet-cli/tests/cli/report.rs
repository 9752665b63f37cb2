//! `report.html`, `report.json` and the figures: what they hold, whatever the data.

use super::{json, listing, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

const QUICK: &str = "--ridges 0.01 --lambdas 0.02:0.3:6 --epochs 60 --first-epochs 200 --quiet";

/// Fits `data.csv` in a folder and gives the page.
fn page(home: &Path, flags: &str) -> String {
    let line = format!("fit data.csv {flags} {QUICK} --out fit");
    stdout(home, &words(&line));
    fs::read_to_string(home.join("fit/report.html")).unwrap()
}

/// The page without scripts, as text with tags.
fn body(page: &str) -> String {
    let mut rest = page;
    let mut text = String::new();
    while let Some(start) = rest.find("<script") {
        text.push_str(&rest[..start]);
        rest = rest[start..].split_once("</script>").unwrap().1;
    }
    text + rest
}

#[test]
fn the_report_is_made_again_from_its_record_alone() {
    for (design, flags) in [
        ("regression", "--target y"),
        ("classification", "--target y --validation cv:3"),
        ("survival", "--time time --event event --protocol paper"),
    ] {
        let home = simulated(design, 120, 6, &[]);
        let first = page(home.path(), &format!("{flags} --svg"));
        assert!(first.len() < 6_000_000, "{}", first.len());
        let folder = home.path().join("fit");
        let files = listing(&folder);
        let methods = fs::read_to_string(folder.join("methods.md")).unwrap();
        fs::remove_file(home.path().join("data.csv")).unwrap();
        let is_figure = |file: &&std::path::PathBuf| file.extension().is_some_and(|e| e == "svg");
        let figures: Vec<(_, String)> = (files.iter().filter(is_figure))
            .map(|file| (file, fs::read_to_string(folder.join(file)).unwrap()))
            .collect();
        assert!(figures.len() >= 4, "{files:?}");
        for file in files
            .iter()
            .filter(|file| file.as_os_str() != "report.json")
        {
            fs::remove_file(folder.join(file)).unwrap();
        }
        stdout(home.path(), &["report", "fit", "--svg"]);
        assert_eq!(listing(&folder).len(), 3 + figures.len());
        assert!(fs::read_to_string(folder.join("report.html")).unwrap() == first);
        assert!(fs::read_to_string(folder.join("methods.md")).unwrap() == methods);
        for (figure, drawn) in figures {
            assert!(drawn.starts_with("<svg ") && drawn.trim_end().ends_with("</svg>"));
            assert!(fs::read_to_string(folder.join(figure)).unwrap() == drawn);
        }
    }
}

#[test]
fn the_answer_names_columns_quality_and_doubt() {
    let home = simulated("regression", 300, 8, &[]);
    let text = body(&page(home.path(), "--target y --validation draws:4"));
    for piece in [
        "What predicts y?",
        "of 8 columns predict y: ",
        "of its variance",
        "chosen by at least three quarters of",
        "Would I believe it?",
        "Does it predict better than chance?",
        "Is a network needed",
        "From dense to sparse",
        "Columns that matter together",
        "How well, honestly",
        "The calibration slope is ",
        "For the methods section",
        "TRIPOD+AI",
        "SHA-256",
        "threshnet fit data.csv --target y",
        "settings that were given",
        "on its own training rows (too good)",
    ] {
        assert!(text.contains(piece), "{piece}");
    }
    let record = json(&home.path().join("fit"), "report.json");
    assert_eq!(record["schema"], 2);
    assert_eq!(record["held_out"]["rows"], 300);
    let score = &record["held_out"]["metrics"]["r2"];
    assert_eq!(record["settings"]["validation"], "draws:4");
    // what validation says, in other words: 1 − mse / variance
    let summary = json(&home.path().join("fit"), "summary.json");
    let deviation = record["outcome"]["sd"].as_f64().unwrap();
    let mse = summary["validation"]["value"].as_f64().unwrap();
    let expected = 1.0 - mse / (deviation * deviation);
    assert!(
        (score["value"].as_f64().unwrap() - expected).abs() < 1e-6,
        "{score}"
    );
}

#[test]
fn names_that_look_like_html_are_text() {
    let home = simulated("regression", 120, 4, &[]);
    let data = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let (header, rows) = data.split_once('\n').unwrap();
    let evil = "\"<img src=x onerror=alert(1)>&\"\"'</script>\"";
    let header = header.replace("x3", evil);
    fs::write(home.path().join("data.csv"), format!("{header}\n{rows}")).unwrap();
    let page = page(home.path(), "--target y --validation holdout:0.2 --svg");
    assert!(!page.contains("<img"), "a name is markup");
    // three scripts, and no name ends one
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(body(&page).contains("&#60;img src=x onerror=alert(1)&#62;"));
    for file in listing(&home.path().join("fit")) {
        if file.extension().is_some_and(|extension| extension == "svg") {
            let drawing = fs::read_to_string(home.path().join("fit").join(file)).unwrap();
            assert!(!drawing.contains("<img"));
        }
    }
}

#[test]
fn a_null_model_and_a_fit_without_validation_are_said() {
    let home = simulated("classification", 120, 4, &[]);
    let line = "fit data.csv --target y --lambdas 9,10 --ridges 0.01 --first-epochs 20 \
                --validation holdout:0.2 --linear leave --out null";
    stdout(home.path(), &words(line));
    let page = body(&fs::read_to_string(home.path().join("null/report.html")).unwrap());
    assert!(page.contains("None of 4 columns predicts y"));
    assert!(page.contains("this is the null model"));

    let line = "fit data.csv --target y --lambdas 0.02 --ridges 0.01 --first-epochs 200 \
                --validation none --out none";
    stdout(home.path(), &words(line));
    let page = body(&fs::read_to_string(home.path().join("none/report.html")).unwrap());
    assert!(page.contains("Nothing was held out"));
    assert!(!page.contains("id=\"held-out\"") && !page.contains("id=\"path\""));
}

#[test]
fn a_lambda_at_the_end_of_its_grid_is_warned_of() {
    let home = simulated("regression", 120, 4, &[]);
    let line = "fit data.csv --target y --lambdas 0.03,0.04 --ridges 0.01 --epochs 100 \
                --first-epochs 800 --validation holdout:0.2 --linear leave --out fit";
    stdout(home.path(), &words(line));
    let record = json(&home.path().join("fit"), "report.json");
    let page = body(&fs::read_to_string(home.path().join("fit/report.html")).unwrap());
    let chosen = record["path"]["chosen"].as_u64().unwrap();
    assert_eq!(chosen, 1, "a test of nothing");
    assert!(page.contains("at the largest value tried"));
}

#[test]
fn many_columns_make_no_large_report() {
    let home = simulated("regression", 60, 3000, &[]);
    let line = "fit data.csv --target y --ridges 0.01 --lambdas 0.0001:0.1:6 --epochs 60 \
                --first-epochs 200 --validation holdout:0.2 --linear leave --quiet --out fit";
    stdout(home.path(), &words(line));
    let page = fs::read_to_string(home.path().join("fit/report.html")).unwrap();
    assert!(page.len() < 5_500_000, "{}", page.len());
    let record = json(&home.path().join("fit"), "report.json");
    let columns = record["path"]["columns"].as_array().unwrap().len();
    assert!((1..=60).contains(&columns), "{columns}");
    assert!(record["path"]["sizes"][0].as_u64().unwrap() > 60);
}

#[test]
fn what_is_no_fit_has_no_report() {
    let home = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], code: i32, piece: &str| {
        let run = threshnet()
            .current_dir(home.path())
            .args(arguments)
            .assert()
            .code(code);
        let stderr = String::from_utf8_lossy(&run.get_output().stderr).to_string();
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
        assert!(stderr.contains(piece), "{stderr}");
    };
    refused(&["report", "nowhere"], 1, "report.json");
    fs::create_dir(home.path().join("fit")).unwrap();
    for (text, says) in [
        ("{}", "report.json: this is not what a fit leaves"),
        (
            r#"{"schema": 1, "command": ["threshnet"]}"#,
            "report.json: threshnet 0.1.0 wrote it with schema 1",
        ),
        (
            r#"{"schema": 3, "version": "9.8.7"}"#,
            "report.json: threshnet 9.8.7 wrote it with schema 3",
        ),
        (r#"{"schema": 2}"#, "fit again"),
    ] {
        fs::write(home.path().join("fit/report.json"), text).unwrap();
        refused(&["report", "fit"], 1, says);
    }
    refused(&["fit", "data.csv", "--target", "y", "--svg"], 2, "--out");
    assert_eq!(listing(&home.path().join("fit")).len(), 1);
}
