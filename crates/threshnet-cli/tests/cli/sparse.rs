//! Files that have only the cells that are not zero.

use super::formats::{compress, write_mtx, write_npz};
use super::{cells, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A linear fit with one solution, which does not depend on rounding.
const LINEAR: &str = "--hidden none --solver proximal --tolerance 1e-9 --lambdas 0.02 --ridges 0.02 \
                      --validation none --first-epochs 20000";

/// Counts of which one in ten is not zero, by column; the last has none.
fn counts(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    };
    let mut cell = |j: usize| match random() % 10 {
        0 if j + 1 < columns => (1 + random() % 5) as f64,
        _ => 0.0,
    };
    (0..columns)
        .map(|j| (0..rows).map(|_| cell(j)).collect())
        .collect()
}

/// The same counts as CSV with an outcome, without their zeros, and the outcome alone.
fn in_every_form() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let columns = counts(200, 30);
    let y: Vec<f64> = (0..200)
        .map(|i| columns[0][i] - 0.8 * columns[1][i] + 0.1 * columns[2][i])
        .collect();
    let names: Vec<String> = (1..=30).map(|j| format!("x{j}")).collect();
    let mut text = names.join(",") + ",y\n";
    let mut outcome = "y\n".to_string();
    for (i, y) in y.iter().enumerate() {
        let row: Vec<String> = columns.iter().map(|c| c[i].to_string()).collect();
        text += &format!("{},{y}\n", row.join(","));
        outcome += &format!("{y}\n");
    }
    let at = |name: &str| home.path().join(name);
    fs::write(at("data.csv"), text).unwrap();
    fs::write(at("y.csv"), outcome).unwrap();
    write_mtx(&at("data.mtx"), &columns, false);
    compress(&at("data.mtx"));
    write_npz(&at("csc.npz"), &columns, "csc", false);
    write_npz(&at("coo.npz"), &columns, "coo", false);
    home
}

/// What a command says that fails.
fn complaint(folder: &Path, line: &str) -> String {
    let run = threshnet()
        .current_dir(folder)
        .args(words(line))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

fn numbers(csv: &str) -> Vec<f64> {
    let rows = cells(csv);
    rows[1..]
        .iter()
        .map(|row| row[0].parse().unwrap())
        .collect()
}

#[test]
fn a_linear_fit_is_that_of_the_table_with_zeros() {
    let home = in_every_form();
    stdout(
        home.path(),
        &words(&format!("fit data.csv --target y {LINEAR} --out dense")),
    );
    let read = |path: String| fs::read_to_string(home.path().join(path)).unwrap();
    let selected = |fit: &str| -> Vec<String> {
        let rows = cells(&read(format!("{fit}/selected.csv")));
        rows[1..].iter().map(|row| row[0].clone()).collect()
    };
    let expected = numbers(&stdout(home.path(), &words("predict dense data.csv")));
    let mut models = vec![];
    for file in ["data.mtx", "data.mtx.gz", "csc.npz", "coo.npz"] {
        let fit = file.replace('.', "-");
        stdout(
            home.path(),
            &words(&format!("fit {file} --outcome y.csv {LINEAR} --out {fit}")),
        );
        assert_eq!(selected(&fit), selected("dense"));
        let found = stdout(home.path(), &words(&format!("predict {fit} {file}")));
        for (found, expected) in numbers(&found).iter().zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-4,
                "{file}: {found} {expected}"
            );
        }
        assert_eq!(
            stdout(home.path(), &words(&format!("predict dense {file}"))),
            stdout(home.path(), &words("predict dense data.csv"))
        );
        assert_eq!(
            stdout(
                home.path(),
                &words(&format!("evaluate dense {file} --outcome y.csv"))
            ),
            stdout(home.path(), &words("evaluate dense data.csv"))
        );
        models.push(read(format!("{fit}/model.json")));
    }
    assert!(models.iter().all(|model| *model == models[0]));
}

#[test]
fn they_are_inspected() {
    let home = tempfile::tempdir().unwrap();
    let mut columns = counts(60, 6);
    columns[3] = columns[1].clone();
    columns[4] = vec![7.0; 60];
    columns[2][9] = f64::NAN;
    write_mtx(&home.path().join("d.mtx"), &columns, false);
    let y: String = (0..60).map(|i| format!("{}\n", i % 2)).collect();
    fs::write(home.path().join("y.csv"), format!("status\n{y}")).unwrap();
    let said = stdout(home.path(), &words("inspect d.mtx --outcome y.csv"));
    for line in [
        "d.mtx: 60 rows, 6 columns, read in 0.",
        "  numbers     6 columns\n",
        "  missing     1 cell in 1 column: x3 (1)\n",
        "  constant    2 columns: x5, x6\n",
        "  duplicate   1 column: x4 = x2\n",
        "  outcome     status: binary, 2 classes: 30 × 0, 30 × 1\n",
        "threshnet fit d.mtx --outcome y.csv --target status --missing impute --out fit",
    ] {
        assert!(said.contains(line), "{line:?} is not in\n{said}");
    }
    let json: Value =
        serde_json::from_str(&stdout(home.path(), &words("inspect d.mtx --json"))).unwrap();
    assert_eq!(json["missing_cells"], 1);
    assert_eq!(json["columns"][5]["constant"], true);
}

#[test]
fn the_outcome_may_be_one_of_the_columns() {
    let home = tempfile::tempdir().unwrap();
    let mut columns = counts(120, 5);
    columns[4] = (0..120)
        .map(|i| f64::from(u8::from(columns[0][i] > 0.0)))
        .collect();
    write_npz(&home.path().join("d.npz"), &columns, "csc", false);
    fs::write(home.path().join("names.txt"), "a\nb\nc\nd\ndied\n").unwrap();
    let line = format!("fit d.npz --names names.txt --target died {LINEAR} --out fit --json");
    let said: Value = serde_json::from_str(&stdout(home.path(), &words(&line))).unwrap();
    assert_eq!((&said["task"], &said["d"]), (&"binary".into(), &4.into()));
    assert_eq!(said["selected"][0]["name"], "a");
}

/// A cell that no one can use matters only where it is needed.
#[test]
fn a_prediction_needs_the_columns_of_its_model_alone() {
    let home = in_every_form();
    stdout(
        home.path(),
        &words(&format!(
            "fit csc.npz --outcome y.csv {} --out fit",
            LINEAR.replace("--lambdas 0.02", "--lambdas 0.3")
        )),
    );
    let model = fs::read_to_string(home.path().join("fit/selected.csv")).unwrap();
    assert!(model.contains("x1,") && !model.contains("x9,"), "{model}");
    let expected = stdout(home.path(), &words("predict fit csc.npz"));
    let mut columns = counts(200, 30);
    columns[8][3] = f64::INFINITY;
    for file in ["odd.mtx", "odd.npz"] {
        match file {
            "odd.mtx" => write_mtx(&home.path().join(file), &columns, false),
            _ => write_npz(&home.path().join(file), &columns, "coo", false),
        }
        assert_eq!(
            stdout(home.path(), &words(&format!("predict fit {file}"))),
            expected
        );
        let said = complaint(
            home.path(),
            &format!("fit {file} --outcome y.csv --out other"),
        );
        let place = format!("{file}: row 4, column \"x9\": a missing or infinite cell");
        assert!(said.contains(&place), "{said}");
    }
}

/// They are predicted some tens of thousands at a time.
#[test]
fn many_rows_are_predicted_as_those_of_the_table() {
    let home = in_every_form();
    stdout(
        home.path(),
        &words(&format!("fit data.csv --target y {LINEAR} --out fit")),
    );
    let mut columns = counts(200, 30);
    columns
        .iter_mut()
        .for_each(|column| *column = column.repeat(700));
    write_mtx(&home.path().join("long.mtx"), &columns, false);
    write_npz(&home.path().join("long.npz"), &columns, "csc", false);
    let few = stdout(home.path(), &words("predict fit data.csv"));
    let (header, rows) = few.split_once('\n').unwrap();
    let expected = format!("{header}\n{}", rows.repeat(700));
    for file in ["long.mtx", "long.npz"] {
        assert!(
            stdout(home.path(), &words(&format!("predict fit {file}"))) == expected,
            "{file}"
        );
    }
    columns[0][100_000] = f64::NAN;
    write_mtx(&home.path().join("bad.mtx"), &columns, false);
    let said = complaint(home.path(), "predict fit bad.mtx");
    assert!(
        said.contains("bad.mtx: row 100001, column \"x1\""),
        "{said}"
    );
}

#[test]
fn what_cannot_be_read_is_told() {
    let home = in_every_form();
    fs::write(
        home.path().join("cut.mtx"),
        "%%MatrixMarket matrix coordinate real general\n9 9 2\n1 1 1\n",
    )
    .unwrap();
    fs::write(
        home.path().join("genes.csv"),
        format!("y\n{}", "1\n2\n".repeat(15)),
    )
    .unwrap();
    for (line, message) in [
        (
            "fit cut.mtx --outcome y.csv",
            "cut.mtx: line 4: the size line says 2 cells, but the file ends after 1; write it again",
        ),
        ("inspect cut.mtx", "cut.mtx: line 4: the size line says"),
        (
            "fit data.mtx --target y",
            "data.mtx: there is no column \"y\"",
        ),
        (
            "fit data.mtx --outcome genes.csv",
            "genes.csv: 30 rows, but the features have 200 rows and 30 columns; a single-cell file is often genes × cells: transpose it",
        ),
        (
            "fit csc.npz --outcome genes.csv",
            "a single-cell file is often genes × cells",
        ),
    ] {
        let said = complaint(home.path(), line);
        assert!(said.contains(message), "{line}: {said}");
    }
    // Text can come through a pipe, a zip file cannot.
    let text = fs::read(home.path().join("data.mtx")).unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(["inspect", "/dev/stdin"])
        .write_stdin(text)
        .assert()
        .success();
    let said = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(said.contains("200 rows, 30 columns"), "{said}");
}

/// A table of these rows and columns would have 8 GB.
#[cfg(target_os = "linux")]
#[test]
fn memory_grows_with_the_cells_that_are_stored() {
    let home = tempfile::tempdir().unwrap();
    let (rows, columns, cells) = (10_000, 100_000, 200_000);
    let mut text =
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {cells}\n");
    for cell in 0..cells {
        text += &format!(
            "{} {} {}\n",
            cell * 7919 % rows + 1,
            cell % columns + 1,
            1 + cell % 5
        );
    }
    fs::write(home.path().join("wide.mtx"), text).unwrap();
    let y: String = (0..rows).map(|i| format!("{}\n", i % 97)).collect();
    fs::write(home.path().join("y.csv"), format!("y\n{y}")).unwrap();
    let fit = "fit wide.mtx --outcome y.csv --lambdas 0.9 --ridges 0.01 --validation none --hidden none \
               --first-epochs 2 --jobs 2 --out fit";
    for line in [
        "inspect wide.mtx",
        fit,
        "predict fit wide.mtx",
        "evaluate fit wide.mtx --outcome y.csv",
    ] {
        let limited = format!("ulimit -v 2500000; exec \"$0\" {line}");
        let binary = threshnet().get_program().to_os_string();
        let run = std::process::Command::new("sh")
            .current_dir(home.path())
            .arg("-c")
            .arg(limited)
            .arg(binary)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
