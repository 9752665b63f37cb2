//! Real files, where they are at hand: in the folder `THRESHNET_DATA`, or
//! `shared/data` beside the repository.

use super::{json, stdout, words};
use std::path::{Path, PathBuf};

/// The folder, or word that `what` is not tested for want of it: where `CI` is
/// set that is a failure, for there nobody reads what was skipped.
pub fn data_folder(what: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("THRESHNET_DATA").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        let missing = format!("no data folder, set THRESHNET_DATA to test {what}");
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci.is_empty()),
            "{missing}"
        );
        eprintln!("skipped: {missing}");
        return None;
    }
    Some(folder)
}

/// Fits a file of the data folder and gives the summary.
fn fit(file: &str, flags: &[&str]) -> Option<serde_json::Value> {
    let folder = data_folder(file)?;
    let home = tempfile::tempdir().unwrap();
    let file = folder.join(file);
    let base = [
        "fit",
        file.to_str().unwrap(),
        "--out",
        "fit",
        "--ridges",
        "0.03",
    ];
    stdout(home.path(), &[&base[..], flags].concat());
    Some(json(&home.path().join("fit"), "summary.json"))
}

#[test]
fn riboflavin_71_rows_of_4088_genes() {
    let target = ["--target", "log2_riboflavin_rate"];
    let Some(summary) = fit("reg_riboflavin71/riboflavin.csv.gz", &target) else {
        return;
    };
    assert_eq!(
        (summary["n"].as_u64(), summary["d"].as_u64()),
        (Some(71), Some(4088))
    );
    let selected = summary["selected"].as_array().unwrap().len();
    assert!((1..200).contains(&selected), "{selected}");
    assert!(summary["train"]["r2"].as_f64().unwrap() > 0.5);
}

#[test]
fn colon_classes_are_text() {
    let Some(summary) = fit("cls_colon_alon62/alon.csv.gz", &["--target", "class"]) else {
        return;
    };
    assert_eq!(summary["task"], "binary");
    assert_eq!(summary["positive_class"], "t");
    assert!(summary["train"]["accuracy"].as_f64().unwrap() > 0.8);
}

#[test]
fn gbsg2_is_censored_and_tied() {
    let flags = [
        "--time",
        "time",
        "--event",
        "event",
        "--features",
        "num_*",
        "--ties",
        "efron",
    ];
    let Some(summary) = fit("surv_lowdim/GBSG2.csv", &flags) else {
        return;
    };
    assert_eq!(summary["n"], 686);
    assert!(
        summary["train"]["c_index"].as_f64().unwrap() > 0.62,
        "{summary}"
    );
}

#[test]
fn riboflavin_is_predicted_from_other_rows() {
    let Some(folder) = data_folder("the study of real data") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let line = "study battery --only riboflavin,default --reps 1 --quiet --out out";
    let data = ["--data", folder.to_str().unwrap()];
    let table = stdout(home.path(), &[&words(line)[..], &data].concat());
    let line = "| riboflavin | R² | GMCPNet, default | 1 | 0.";
    assert!(table.contains(line), "{table}");
}
