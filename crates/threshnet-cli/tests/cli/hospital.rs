//! Files as hospitals write them: read like the plain file of the same numbers, or refused with all
//! that is wrong with them.

use super::bad_input::refused;
use super::{json, stdout, threshnet, words};
use std::fs;
use std::path::Path;

const ROWS: usize = 60;

/// The same numbers in two ways of writing, `plain.csv` and `messy.csv`; the bytes of the latter.
fn files(home: &Path) -> Vec<u8> {
    let mut plain = "größe,anteil,kreatinin,leukozyten,geschlecht,y\n".to_string();
    let mut messy = plain.replace(',', ";");
    for i in 0..ROWS {
        let (size, share) = (
            150.0 + (i * 37 % 41) as f64 / 4.0,
            (i * 29 % 97) as f64 / 2.0,
        );
        let (creatinine, cells) = ((i * 53 % 31) as f64 / 10.0, 1000 + i * 113 % 4001);
        let sex = ["männlich", "weiblich"][i % 2];
        let y = size / 10.0 + creatinine + (i * 7 % 5) as f64 / 10.0;
        let (low, limit) = (creatinine < 0.5, "0.25");
        let plain_creatinine = if low {
            limit.into()
        } else {
            creatinine.to_string()
        };
        plain += &format!("{size},{share},{plain_creatinine},{cells},{sex},{y}\n");
        let comma = |x: f64| x.to_string().replace('.', ",");
        let messy_creatinine = if low {
            "<0,5".into()
        } else {
            comma(creatinine)
        };
        let thousands = format!("{}.{:03}", cells / 1000, cells % 1000);
        messy += &format!(
            "{};{}%;{messy_creatinine};{thousands};{sex};{}\n",
            comma(size),
            comma(share),
            comma(y)
        );
    }
    fs::write(home.join("plain.csv"), plain).unwrap();
    // (every character of it is one of Latin-1)
    let bytes: Vec<u8> = messy
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    fs::write(home.join("messy.csv"), &bytes).unwrap();
    bytes
}

const QUICK: &str = "--target y --validation none --lambdas 0.02 --ridges 0.01 --first-epochs 60";

fn fit(home: &Path, file: &str, flags: &str) -> serde_json::Value {
    let line = format!("fit {file} {QUICK} {flags} --quiet --out {file}.fit");
    stdout(home, &words(line.replace("  ", " ").as_str()));
    json(home, &format!("{file}.fit/model.json"))
}

#[test]
fn a_messy_file_is_read_as_the_plain_one_of_the_same_numbers() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let bytes = files(home);
    let plain = fit(home, "plain.csv", "");
    let messy = fit(home, "messy.csv", "--decimal , --censored-cells half");
    assert!(plain.get("reading").is_none());
    assert_eq!(
        messy["reading"],
        serde_json::json!({"decimal": ",", "censored_cells": "half"})
    );
    for part in ["features", "texts", "standardisation", "target", "networks"] {
        assert_eq!(plain[part], messy[part], "{part}");
    }
    // the model knows how the next file is written, whatever its encoding
    let predicted = stdout(home, &words("predict plain.csv.fit plain.csv"));
    assert_eq!(
        stdout(home, &words("predict messy.csv.fit messy.csv")),
        predicted
    );
    let utf_16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(bytes.iter().map(|&byte| u16::from(byte)))
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(home.join("wide.csv"), &utf_16).unwrap();
    let latin = "predict messy.csv.fit messy.csv --encoding latin1";
    for line in [latin, "predict messy.csv.fit wide.csv"] {
        assert_eq!(stdout(home, &words(line)), predicted, "{line}");
    }
    let scores = stdout(home, &words("evaluate plain.csv.fit plain.csv"));
    assert_eq!(
        stdout(home, &words("evaluate messy.csv.fit messy.csv")),
        scores
    );
    // what is said goes before what the model knows
    let plainly = "predict messy.csv.fit plain.csv --decimal .";
    assert_eq!(stdout(home, &words(plainly)), predicted);
}

#[test]
fn the_encoding_that_was_detected_is_said() {
    let home = tempfile::tempdir().unwrap();
    files(home.path());
    let said = stdout(home.path(), &words("inspect messy.csv --decimal ,"));
    assert!(
        said.contains("  encoding    windows-1252, by its first bytes"),
        "{said}"
    );
    fit(
        home.path(),
        "messy.csv",
        "--decimal , --censored-cells half",
    );
    let run = threshnet()
        .current_dir(home.path())
        .args(words("predict messy.csv.fit messy.csv"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.starts_with("note: messy.csv: the text is windows-1252"),
        "{said}"
    );
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let home = tempfile::tempdir().unwrap();
    let mut text = "id;age;dose;crea;when;grade;lab;y\n".to_string();
    for i in 0..30 {
        let crea = if i % 10 == 4 {
            "<5".to_string()
        } else {
            i.to_string()
        };
        let grade = if i == 7 {
            "unk".to_string()
        } else {
            (i % 4).to_string()
        };
        let lab = if i % 6 == 0 {
            String::new()
        } else {
            i.to_string()
        };
        let y = if i == 3 {
            "NA".to_string()
        } else {
            i.to_string()
        };
        text += &format!(
            "P{i};{},5;{i};{crea};2019-03-{:02};{grade};{lab};{y}\n",
            40 + i,
            i % 28 + 1
        );
    }
    fs::write(home.path().join("bad.csv"), text).unwrap();
    let pieces = [
        "bad.csv: 7 problems: (1) line 5, column \"y\": a missing or infinite cell",
        "line 2, column \"age\": \"40,5\" has a comma, the first of 30 such cells in 1 column: age (30); \
         say --decimal , if",
        "line 6, column \"crea\": \"<5\" is no more than a limit, the first of 3 such cells in 1 column: \
         crea (3); write a number there, or say --censored-cells half",
        "line 9, column \"grade\": \"unk\" is not a number; line 2 has the number 0",
        "say --na unk if that stands for a missing value",
        "line 2, column \"when\": \"2019-03-01\" is a date, the first of 30 such cells",
        "or leave it out with --drop when",
        "column \"id\": 30 different texts in 30 rows look like identifiers; leave the column out with \
         --drop id",
        "line 2, column \"lab\": the first of 5 missing or infinite cells",
    ];
    refused(home.path(), &words("fit bad.csv --target y"), 1, &pieces);
}

/// A category with a level for every other row tells nothing, and numbers with a sign behind them
/// are no category.
#[test]
fn numbers_with_percent_signs_are_numbers_and_many_levels_are_none() {
    let home = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("{}.{}%,L{},{}\n", i * 7 % 100, i % 10, i / 2, i * 3 % 17);
    let rows: String = (0..100).map(row).collect();
    fs::write(home.path().join("d.csv"), format!("share,ward,y\n{rows}")).unwrap();
    let said = stdout(home.path(), &words("inspect d.csv"));
    assert!(said.contains("  numbers     2 columns\n"), "{said}");
    assert!(said.contains("  identifiers 1 column: ward\n"), "{said}");
    let pieces = [
        "column \"ward\": 50 different texts in 100 rows",
        "--drop ward",
    ];
    refused(home.path(), &words("fit d.csv --target y"), 1, &pieces);
}

#[test]
fn markers_of_missing_values_may_be_numbers() {
    let home = tempfile::tempdir().unwrap();
    let text = "a,b,y\n1,2,3\n-99,3,4\n3,unk,5\n4,5,7\n";
    fs::write(home.path().join("d.csv"), text).unwrap();
    let piece =
        "line 3, column \"a\": the first of 2 missing or infinite cells in 2 columns: a (1), b (1)";
    let fit = "fit d.csv --target y --na=-99,unk";
    refused(home.path(), &words(fit), 1, &[piece]);
    let limits = "fit d.csv --target y --censored-cells third";
    refused(home.path(), &words(limits), 2, &["invalid value 'third'"]);
}
