//! `fit --folds`: cross-validation on folds that are given.

use super::{cells, json, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

const FIT: &str = "fit data.csv --target y --protocol paper --hidden none --penalty lasso \
                   --lambdas 0.001:0.1:4 --ridges 0.01 --solver proximal --quiet";

fn write_folds(home: &Path, name: &str, fold_of: impl Fn(usize) -> usize) {
    let folds: String = (0..60).map(|row| format!("{}\n", fold_of(row))).collect();
    fs::write(home.join(name), format!("fold\n{folds}")).unwrap();
}

/// The held-out loss at every λ of a fit with these flags.
fn losses(home: &Path, flags: &str) -> Vec<f64> {
    let _ = fs::remove_dir_all(home.join("out"));
    stdout(home, &words(&format!("{FIT} {flags} --out out")));
    let rows = cells(&fs::read_to_string(home.join("out/path.csv")).unwrap());
    let at = rows[0].iter().position(|name| name == "validation_loss");
    (rows[1..].iter())
        .map(|row| row[at.unwrap()].parse().unwrap())
        .collect()
}

/// Whether a convex fit was scored on the same folds, from whatever start.
fn same(a: &[f64], b: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-4 * a.abs();
    a.iter().zip(b).all(close)
}

#[test]
fn lambda_is_chosen_on_the_folds_of_the_file() {
    let data = simulated("regression", 60, 5, &[]);
    let home = data.path();
    write_folds(home, "thirds.csv", |row| 1 + row / 20);
    write_folds(home, "mixed.csv", |row| 1 + row % 3);
    let thirds = losses(home, "--folds thirds.csv");
    let summary = json(&home.join("out"), "summary.json");
    assert_eq!(summary["settings"]["validation"], "cv:3");
    // the seed draws no fold
    assert!(same(&thirds, &losses(home, "--folds thirds.csv --seed 9")));
    assert!(!same(&thirds, &losses(home, "--folds mixed.csv")));
    assert!(!same(&thirds, &losses(home, "--validation cv:3")));
    // rows of weight 0 are in no fold
    let text = fs::read_to_string(home.join("data.csv")).unwrap();
    let weighted = |(row, line): (usize, &str)| match row {
        0 => format!("{line},w\n"),
        row => format!("{line},{}\n", u8::from(row != 7)),
    };
    let lines: String = text.lines().enumerate().map(weighted).collect();
    fs::write(home.join("data.csv"), lines).unwrap();
    assert!(!same(
        &thirds,
        &losses(home, "--folds thirds.csv --weights w")
    ));
}

#[test]
fn what_are_no_folds_of_these_rows_is_refused() {
    let data = simulated("regression", 60, 5, &[]);
    let home = data.path();
    write_folds(home, "folds.csv", |row| 1 + row % 3);
    fs::write(home.join("short.csv"), "fold\n1\n2\n").unwrap();
    fs::write(
        home.join("gap.csv"),
        format!("fold\n{}", "1\n3\n".repeat(30)),
    )
    .unwrap();
    fs::write(
        home.join("words.csv"),
        format!("fold\n{}", "1\ntwo\n".repeat(30)),
    )
    .unwrap();
    for (flags, code, says) in [
        ("--folds folds.csv --validation cv:3", 2, "--validation"),
        ("--folds short.csv", 1, "2 folds for 60 rows"),
        ("--folds gap.csv", 1, "no row is in fold 2"),
        ("--folds words.csv", 1, "words.csv: line 3"),
        ("--folds none.csv", 1, "none.csv"),
        ("--folds data.csv", 1, "6 columns"),
    ] {
        let run = threshnet()
            .current_dir(home)
            .args(words(&format!("{FIT} {flags} --out out")))
            .assert()
            .code(code);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(says), "{flags}: {text}");
        assert!(code == 2 || text.trim_end().lines().count() == 1, "{text}");
        assert!(!home.join("out").exists());
    }
}
