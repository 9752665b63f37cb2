//! Predictions of rows that are not as the fit had them.

use super::{cells, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

const FIT: &str = "fit data.csv --lambdas 0.02 --ridges 0.01 --first-epochs 80 --validation none --quiet \
                   --linear leave --out fit";

/// Runs a prediction; the exit code, stdout and stderr.
fn predict(home: &Path, line: &str) -> (i32, String, String) {
    let run = threshnet()
        .current_dir(home)
        .args(words(line))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        run.status.code().unwrap(),
        text(&run.stdout),
        text(&run.stderr),
    )
}

#[test]
fn identifiers_go_along_and_bad_rows_are_counted_or_left_empty() {
    let home = simulated("regression", 60, 4, &[]);
    let home = home.path();
    stdout(home, &words(&format!("{FIT} --target y")));
    let rows = cells(&fs::read_to_string(home.join("data.csv")).unwrap());
    let mut good = "patient,ward,x1,x2,x3,x4\n".to_string();
    let mut bad = good.clone();
    for (i, row) in rows[1..].iter().enumerate() {
        let values = row[..4].join(",");
        good += &format!("P{i},,{values}\n");
        bad += &match i {
            3 => format!("P{i},,,{}\n", row[1..4].join(",")),
            7 | 9 => format!("P{i},,unknown,{}\n", row[1..4].join(",")),
            _ => format!("P{i},,{values}\n"),
        };
    }
    fs::write(home.join("good.csv"), good).unwrap();
    fs::write(home.join("bad.csv"), bad).unwrap();
    let plain = cells(&stdout(home, &words("predict fit good.csv")));
    let with_ids = cells(&stdout(
        home,
        &words("predict fit good.csv --id patient,ward"),
    ));
    assert_eq!(with_ids[0], ["patient", "ward", "prediction"]);
    assert_eq!(with_ids[6], ["P5", "", &plain[6][0]]);

    let (code, said, told) = predict(home, "predict fit bad.csv --id patient");
    assert_eq!((code, said.as_str()), (1, ""));
    assert!(
        told.contains("line 5, column \"x1\": a missing or infinite cell; fill in every cell")
            && told
                .contains("; the first of 3 bad rows; --skip-bad leaves their predictions empty"),
        "{told}"
    );
    let (code, said, told) = predict(home, "predict fit bad.csv --id patient --skip-bad");
    let skipped = cells(&said);
    assert_eq!((code, skipped.len()), (0, 61));
    assert!(
        told.contains("note: 3 rows left without a prediction"),
        "{told}"
    );
    for (i, row) in skipped[1..].iter().enumerate() {
        match i {
            3 | 7 | 9 => {
                assert!(row[1].is_empty() && said.contains(&format!("\nP{i},,\"line {}", i + 2)))
            }
            _ => assert_eq!((&row[1], &row[2][..]), (&plain[i + 1][0], "")),
        }
    }
    assert!(said.contains("\"\"unknown\"\" is not a number"), "{said}");
    for (line, piece) in [
        (
            "predict fit good.csv --id x1",
            "--id: \"x1\" is a column of the model",
        ),
        (
            "predict fit good.csv --id name",
            "there is no column \"name\"",
        ),
    ] {
        let (code, _, told) = predict(home, line);
        assert!(code == 1 && told.contains(piece), "{told}");
    }
}

/// Where a fit imputes, a cell of text is still none that it can take.
#[test]
fn text_among_numbers_is_not_imputed() {
    let home = simulated("regression", 60, 4, &[]);
    let home = home.path();
    stdout(home, &words(&format!("{FIT} --target y --missing impute")));
    fs::write(home.join("new.csv"), "x1,x2,x3,x4\n0,,1,0\n0,late,1,0\n").unwrap();
    let (code, _, told) = predict(home, "predict fit new.csv");
    assert!(
        code == 1 && told.contains("line 3, column \"x2\": \"late\" is not a number"),
        "{told}"
    );
    let (code, said, told) = predict(home, "predict fit new.csv --skip-bad");
    assert_eq!((code, said.lines().count()), (0, 3));
    assert!(
        told.contains("note: 1 cell imputed as in the fit"),
        "{told}"
    );
}

#[test]
fn what_the_fit_knows_nothing_of_gets_a_note() {
    let home = simulated("survival", 80, 4, &[]);
    let home = home.path();
    stdout(home, &words(&format!("{FIT} --time time --event event")));
    let (_, _, told) = predict(home, "predict fit data.csv --times 0.01,1e6");
    assert!(
        told.contains("note: survival at 1000000 is that at "),
        "{told}"
    );
    assert!(
        told.contains("the time of the last event of the fit"),
        "{told}"
    );
    let (_, _, told) = predict(home, "export fit --onnx model.onnx --times 0.01,1e6");
    assert!(
        told.contains("note: survival at 1000000 is that at "),
        "{told}"
    );
    let (_, _, told) = predict(home, "predict fit data.csv --times 0.01");
    assert_eq!(told, "");
    let line = "x1,x2,x3,x4\n500,0,0,0\n0,0,0,0\n-500,0,1,0\n";
    fs::write(home.join("far.csv"), line).unwrap();
    let (code, _, told) = predict(home, "predict fit far.csv");
    let note =
        "note: \"x1\" is more than 10 standard deviations from the mean of the fit in 2 rows";
    assert!(code == 0 && told.contains(note), "{told}");
}
