//! `inspect`: what it says, and that the command it suggests runs.

use super::{simulated, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Writes a file with something of everything, and its name.
fn odd_file(folder: &Path) -> &'static str {
    let mut text = "patient id,sex,age,x1,x2,x3,k,gaps,none,status\n".to_string();
    for i in 0..40 {
        let sex = ["m", "f"][i % 2];
        let age = if i == 6 {
            "unknown".into()
        } else {
            (40 + i).to_string()
        };
        let gap = if i % 10 == 3 {
            "NA".into()
        } else {
            (i * 7 % 5).to_string()
        };
        let (a, b) = (i * 37 % 11, i * 17 % 13);
        text += &format!(
            "P-{i},{sex},{age},{a},{b},{a}.0,5,{gap},,{}\n",
            ["dead", "alive"][i / 2 % 2]
        );
    }
    fs::write(folder.join("odd data.csv"), text).unwrap();
    "odd data.csv"
}

#[test]
fn everything_odd_is_told_and_the_command_runs() {
    let home = tempfile::tempdir().unwrap();
    let file = odd_file(home.path());
    let said = stdout(home.path(), &["inspect", file]);
    for line in [
        "odd data.csv: 40 rows, 10 columns, read in 0.",
        "  numbers     5 columns\n",
        "  text        2 columns: sex (2 levels), status (2 levels)\n",
        "  identifiers 1 column: patient id\n",
        "  mixed       1 column: age (line 8: \"unknown\", line 2: 40)\n",
        "  empty       1 column: none\n",
        "  missing     44 cells in 2 columns: gaps (4), none (40)\n",
        "  constant    1 column: k\n",
        "  duplicate   1 column: x3 = x1\n",
        "  outcome     status (a guess, by the name): binary, 2 classes: 20 × alive, 20 × dead\n",
    ] {
        assert!(said.contains(line), "{line:?} is not in\n{said}");
    }
    let command = said.trim_end().lines().last().unwrap();
    assert_eq!(
        command,
        "threshnet fit 'odd data.csv' --target status --drop 'patient id,age,none' --missing impute --out fit"
    );
    // as a shell would take it
    let arguments = [
        "fit",
        file,
        "--target",
        "status",
        "--drop",
        "patient id,age,none",
        "--missing",
        "impute",
        "--out",
        "fit",
    ];
    let quick = [
        "--lambdas",
        "0.1",
        "--ridges",
        "0.1",
        "--first-epochs",
        "5",
        "--validation",
        "none",
    ];
    stdout(home.path(), &[&arguments[..], &quick].concat());

    let json: Value =
        serde_json::from_str(&stdout(home.path(), &["inspect", file, "--json"])).unwrap();
    assert_eq!(json["rows"], 40);
    assert_eq!(json["fit"], command);
    assert_eq!(json["missing_cells"], 44);
    assert_eq!(json["duplicates"][0]["name"], "x3");
    assert_eq!(json["outcome"]["guessed"], true);
    assert_eq!(json["outcome"]["classes"][1]["name"], "dead");
    let types: Vec<&str> = (json["columns"].as_array().unwrap().iter())
        .map(|column| column["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types.join(" "),
        "identifiers text mixed numbers numbers numbers numbers numbers empty text"
    );
}

#[test]
fn outcomes_are_described_and_checked() {
    let home = simulated("survival", 50, 4, &["--censoring", "0.4"]);
    let said = stdout(home.path(), &words("inspect data.csv"));
    assert!(
        said.contains("  outcome     time, event (a guess, by the name): survival, "),
        "{said}"
    );
    assert!(said.contains(" censored ("), "{said}");
    assert!(
        said.ends_with("threshnet fit data.csv --time time --event event --out fit\n"),
        "{said}"
    );

    let said = stdout(home.path(), &words("inspect data.csv --target x1"));
    assert!(
        said.contains("  outcome     x1: regression, from "),
        "{said}"
    );
    let said = stdout(
        home.path(),
        &words("inspect data.csv --time x1 --event event"),
    );
    assert!(said.contains("is negative; times start at 0"), "{said}");
    assert!(
        said.contains("A fit needs the outcome corrected first"),
        "{said}"
    );
    fs::write(home.path().join("plain.csv"), "a,b\n1,2\n3,4\n").unwrap();
    let said = stdout(home.path(), &words("inspect plain.csv"));
    assert!(said.contains("no usual name; say --target COL"), "{said}");
    assert!(
        said.contains("in place of COL; then:\nthreshnet fit plain.csv --target COL"),
        "{said}"
    );
    let said = stdout(home.path(), &words("inspect plain.csv --json"));
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&said["outcome"], &said["fit"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    // of an outcome in a file of its own, too, names are told, or taken for what they are
    fs::write(home.path().join("odd.csv"), "months,gone\n3,1\n4,0\n").unwrap();
    let said = stdout(home.path(), &words("inspect plain.csv --outcome odd.csv"));
    assert!(
        said.contains("no usual name among months, gone; say"),
        "{said}"
    );
    fs::write(
        home.path().join("usual.csv"),
        "id,OS_time,OS_event\n7,3,1\n8,4,0\n",
    )
    .unwrap();
    let said = stdout(home.path(), &words("inspect plain.csv --outcome usual.csv"));
    assert!(
        said.contains("OS_time, OS_event (a guess, by the name): survival"),
        "{said}"
    );
    let fit =
        "threshnet fit plain.csv --outcome usual.csv --time OS_time --event OS_event --out fit\n";
    assert!(said.ends_with(fit), "{said}");
    for (line, code, piece) in [
        (
            "inspect data.csv --target q",
            1,
            "data.csv: there is no column \"q\"",
        ),
        ("inspect none.csv", 1, "none.csv: no such file"),
        ("inspect data.csv --time time", 2, "--event <COL>"),
    ] {
        let run = threshnet()
            .current_dir(home.path())
            .args(words(line))
            .assert()
            .code(code);
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            said.contains(piece) && said.lines().count() == 1,
            "{line}: {said}"
        );
    }
}
