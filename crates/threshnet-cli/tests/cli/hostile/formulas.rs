//! Names and classes that a spreadsheet would run, or a terminal, or a browser.

use super::super::{cells, stdout, threshnet, words};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const RUN: &str = "=cmd|' /C calc'!A0";
const STEERING: &str = "\x1b[2J\x07bell";

/// A fit to two classes with such names, of columns with such names.
fn fitted() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let mut text = format!("{RUN},@two,{STEERING},-1.5,id,y\n");
    for i in 0..60 {
        let (a, b) = (i % 7, i * i % 11);
        let class = if a * 3 > b { "=yes" } else { "+no" };
        text += &format!("{a},{b},{},{},-{i}x,{class}\n", i % 5, i % 3);
    }
    fs::write(home.path().join("data.csv"), text).unwrap();
    let fit = "fit data.csv --target y --drop id --hidden 3 --lambdas 0.001,0.01 --ridges 0.001 \
               --validation draws:2 --epochs 20 --first-epochs 100 --keep * --svg --quiet --out fit";
    let said = stdout(home.path(), &words(fit));
    assert!(said.contains("\\u{1b}[2J\\u{7}bell"), "{said}");
    assert!(!said.contains('\x1b') && !said.contains('\x07'), "{said}");
    home
}

/// What a spreadsheet would run in a table.
fn run_by_spreadsheets(text: &str) -> Option<String> {
    let rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes())
        .into_records()
        .map(|row| row.unwrap())
        .collect::<Vec<_>>();
    let runs = |cell: &&str| {
        cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
    };
    rows.iter()
        .flat_map(|row| row.iter())
        .find(runs)
        .map(String::from)
}

#[test]
fn nothing_in_a_table_is_run() {
    let home = fitted();
    let mut tables = 0;
    for file in fs::read_dir(home.path().join("fit")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(run_by_spreadsheets(&text), None, "{path:?}");
            tables += 1;
        }
    }
    assert!(tables >= 4);
    let selected = fs::read_to_string(home.path().join("fit/selected.csv")).unwrap();
    assert!(selected.contains("'=cmd|"), "{selected}");
    // the predictions: labels, and what is carried through; numbers stay numbers
    let predicted = stdout(home.path(), &words("predict fit data.csv --id id"));
    assert_eq!(run_by_spreadsheets(&predicted), None);
    assert!(
        predicted.contains("'=yes") && predicted.contains("'-3x"),
        "{predicted}"
    );
    let norms = fs::read_to_string(home.path().join("fit/norms.csv")).unwrap();
    assert!(cells(&norms)[0].contains(&"-1.5".to_string()), "{norms}");
}

/// What was guarded is what it was when it is read again.
#[test]
fn names_and_classes_come_back() {
    let home = fitted();
    let predicted = stdout(home.path(), &words("predict fit data.csv --id id,y"));
    fs::write(home.path().join("p.csv"), predicted).unwrap();
    let found = stdout(
        home.path(),
        &words("metrics p.csv --target y --probability probability"),
    );
    let of_model = stdout(home.path(), &words("evaluate fit data.csv"));
    let value = |text: &str, name: &str| -> f64 {
        serde_json::from_str::<serde_json::Value>(text).unwrap()[name]
            .as_f64()
            .unwrap()
    };
    assert_eq!(value(&found, "auc"), value(&of_model, "auc"));
    let found = stdout(home.path(), &["inspect", "p.csv"]);
    assert!(
        found.contains("=yes") && !found.contains("'=yes"),
        "{found}"
    );
}

/// Whether a drawing is well-formed: tags that close, entities that are known, characters of XML.
fn is_well_formed(drawing: &str) -> bool {
    let mut open: Vec<&str> = vec![];
    let mut rest = drawing;
    let is_character = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if !drawing.chars().all(is_character) {
        return false;
    }
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
        let entities = text.match_indices('&');
        let mut entities =
            entities.map(|(at, _)| known.iter().any(|of| text[at..].starts_with(of)));
        if text.contains('>') || !entities.all(|is_known| is_known) {
            return false;
        }
        let Some(end) = rest[start..].find('>') else {
            return false;
        };
        let tag = &rest[start + 1..start + end];
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(closed), _) => {
                if open.pop() != Some(closed) {
                    return false;
                }
            }
            (None, true) => {}
            (None, false) if tag.starts_with(['?', '!']) => {}
            (None, false) => open.push(tag.split_whitespace().next().unwrap_or_default()),
        }
        rest = &rest[start + end + 1..];
    }
    open.is_empty() && rest.trim().is_empty()
}

#[test]
fn figures_are_well_formed_whatever_a_column_is_called() {
    let home = fitted();
    let mut drawings = 0;
    for file in fs::read_dir(home.path().join("fit")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "svg") {
            let drawing = fs::read_to_string(&path).unwrap();
            assert!(is_well_formed(&drawing), "{path:?}: {drawing}");
            drawings += 1;
        }
    }
    assert!(drawings >= 3, "{drawings}");
    assert!(!is_well_formed("<svg>\x1b</svg>") && !is_well_formed("<svg><b></svg>"));
    assert!(!is_well_formed("<svg>a & b</svg>") && is_well_formed("<svg><b/>&lt;</svg>"));
}

/// A page runs its own scripts and loads nothing, whatever got into it.
#[test]
fn a_page_has_a_policy() {
    let home = fitted();
    let page = fs::read_to_string(home.path().join("fit/report.html")).unwrap();
    let policy = page
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe-eval") && !policy.contains("http"),
        "{policy}"
    );
    let scripts = policy
        .split(';')
        .find(|part| part.contains("script-src"))
        .unwrap();
    assert!(!scripts.contains("unsafe-inline"), "{policy}");
    // each script that runs is one of those that may
    let sources: Vec<&str> = page.split("<script>").skip(1).collect();
    assert_eq!(sources.len(), scripts.matches("sha256-").count());
    let before = page.find("Content-Security-Policy").unwrap();
    assert!(before < page.find("<script").unwrap() && before < page.find("<style").unwrap());
}

/// A width for more characters than 16 bits count was a panic.
#[test]
fn a_name_of_any_length_is_printed() {
    let home = tempfile::tempdir().unwrap();
    let name = "n".repeat(70_000);
    let rows = (0..60).map(|i| format!("{},{},{}\n", i % 7, i * i % 11, i % 7 * 3 + i * i % 11));
    let text = format!("{name},b,y\n{}", rows.collect::<String>());
    fs::write(home.path().join("data.csv"), text).unwrap();
    let fit = "fit data.csv --target y --hidden 3 --lambdas 0.001,0.01 --ridges 0.001 --keep * \
               --validation draws:2 --epochs 20 --first-epochs 100 --svg --quiet --out fit";
    let said = stdout(home.path(), &words(fit));
    assert!(said.contains(&name));
}

#[test]
fn messages_steer_no_terminal() {
    let home = tempfile::tempdir().unwrap();
    let path = Path::new("\x1b[31mred.csv");
    fs::write(home.path().join(path), "a,y\n1,2\n2,3\n").unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .arg("fit")
        .arg(path)
        .args(["--target", "\x1b[0m"])
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains("\\u{1b}[31mred.csv") && !said.contains('\x1b'),
        "{said:?}"
    );
}
