//! Model files of every version so far are read, and predict what they always did.
//!
//! `old_models/make.py` wrote them and, with NumPy and what docs/files.md says of the format,
//! the predictions.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use threshnet::model::{Model, Prediction};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn columns(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).unwrap()
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let size = expected.abs().max(1.0);
        assert!(
            (found - expected).abs() < 1e-12 * size,
            "{what}: {found} {expected}"
        );
    }
}

/// Reads one file and compares its predictions with those beside it.
fn check(file: &Path) {
    let name = file.display().to_string();
    let model = Model::from_json(&fs::read_to_string(file).unwrap()).expect(&name);
    let beside = fs::read_to_string(file.with_extension("expected.json")).expect(&name);
    let expected: Value = serde_json::from_str(&beside).unwrap();
    let raw = columns(&expected["columns"]);
    let used: Vec<Vec<f64>> = (model.selected().into_iter())
        .map(|j| raw[j].clone())
        .collect();
    let found = match model.predict(&used, raw[0].len()) {
        Prediction::Numbers(values) | Prediction::Risk(values) => vec![values],
        Prediction::Probabilities(mut classes) if classes.len() == 2 => vec![classes.remove(1)],
        Prediction::Probabilities(classes) => classes,
    };
    let predictions = columns(&expected["predictions"]);
    assert_eq!(found.len(), predictions.len(), "{name}");
    for (found, expected) in found.iter().zip(&predictions) {
        close(found, expected, &name);
    }
    if let Some(curves) = expected.get("survival") {
        let times: Vec<f64> = serde_json::from_value(curves["times"].clone()).unwrap();
        for (&time, expected) in times.iter().zip(columns(&curves["values"])) {
            let survival: Vec<f64> = (found[0].iter())
                .map(|&risk| model.survival(risk, time))
                .collect();
            close(&survival, &expected, &name);
        }
    }
}

#[test]
fn files_of_every_version_predict_what_they_did() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_models");
    let versions = files(&home).into_iter().filter(|path| path.is_dir());
    let mut count = 0;
    for version in versions {
        for file in files(&version) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".json") && !name.ends_with(".expected.json") {
                check(&file);
                count += 1;
            }
        }
    }
    assert!(count >= 12, "{count} files");
}
