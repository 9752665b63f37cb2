//! What `inspect` suggests runs as printed, and leaks nothing of the outcome.

use super::real_data::data_folder;
use super::{json, stdout, threshnet, words};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A command as a shell takes it: words, some of them quoted.
fn shell_words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (vec![], String::new(), false, false);
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            '\\' if !quoted => word.extend(characters.next()),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

const QUICK: &str =
    "--validation none --lambdas 0.05 --ridges 0.05 --first-epochs 3 --hidden 3 --quiet";

/// Inspects a file, runs what is suggested with a quick protocol, and gives what was found and the
/// features of the model.
fn suggested(home: &Path, file: &Path) -> (Value, Vec<String>) {
    let file = file.to_str().unwrap();
    let said = stdout(home, &["inspect", file, "--json"]);
    let found: Value = serde_json::from_str(&said).unwrap();
    let command = found["fit"].as_str().unwrap();
    let mut arguments = shell_words(command);
    assert_eq!(arguments.remove(0), "threshnet");
    arguments.extend(words(QUICK).into_iter().map(String::from));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = threshnet()
        .current_dir(home)
        .args(&arguments)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{file}: {command}\n{stderr}");
    let model = json(home, "fit/model.json");
    let names = model["features"].as_array().unwrap().iter();
    let names = names
        .map(|name| name.as_str().unwrap().to_string())
        .collect();
    let notes = json(home, "fit/summary.json")["notes"].to_string();
    assert!(
        !notes.contains("known before the outcome is"),
        "{file}: {notes}"
    );
    (found, names)
}

fn alarm(found: &Value, name: &str) -> String {
    let columns = found["columns"].as_array().unwrap();
    let column = columns
        .iter()
        .find(|column| column["name"] == name)
        .unwrap();
    column["alarm"].as_str().unwrap_or_default().to_string()
}

fn inspected(text: &[u8]) -> (Value, Vec<String>) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("raw data.csv");
    fs::write(&file, text).unwrap();
    suggested(home.path(), &file)
}

/// A number without a pattern, from 0 to below 1.
fn noise(i: usize, column: usize) -> f64 {
    let x = (i as f64 * 12.9898 + column as f64 * 78.233).sin() * 43758.5453;
    x - x.floor()
}

#[test]
fn a_german_file_of_a_hospital() {
    let mut text = "Fallnummer;Größe;CRP;Eintritt;time;status\n".to_string();
    for i in 0..80 {
        let crp = if i % 9 == 0 {
            "<0,5".to_string()
        } else {
            format!("{:.1}", 50.0 * noise(i, 1))
        };
        let size = if i % 11 == 0 {
            "k.A.".into()
        } else {
            format!("{:.1}", 150.0 + 40.0 * noise(i, 2))
        };
        let (day, months) = (
            format!("{:02}.03.2019", i % 28 + 1),
            1.0 + 60.0 * noise(i, 3),
        );
        let status = ["lebt", "tot"][usize::from(noise(i, 4) < 0.5)];
        let status = if status == "tot" { "dead" } else { "alive" };
        let row = format!("F-{i};{size};{crp};{day};{months:.1};{status}\n");
        text += &row
            .replace('.', ",")
            .replace(",03,2019", ".03.2019")
            .replace("k,A,", "k.A.");
    }
    let latin: Vec<u8> = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let (found, names) = inspected(&latin);
    let command = found["fit"].as_str().unwrap();
    for flag in [
        "--time time --event status",
        "--decimal ,",
        "--censored-cells half",
        "--missing impute",
    ] {
        assert!(command.contains(flag), "{flag}: {command}");
    }
    assert_eq!(names, ["Größe", "CRP"]);
    let types: Vec<&str> = (found["columns"].as_array().unwrap().iter())
        .map(|column| column["type"].as_str().unwrap())
        .collect();
    assert_eq!((types[0], types[3]), ("identifiers", "dates"));
}

/// R's coding, an identifier that is a number, a date that is one, and a second time.
#[test]
fn the_status_of_r_with_numbers_that_are_none() {
    let mut text = "pid,entry,age,rtime,time,status\n".to_string();
    for i in 0..60 {
        let (months, pid) = (1.0 + 60.0 * noise(i, 1), 1000 + (i * 37) % 61);
        let (day, age) = (20190100 + i % 28 + 1, 40.0 + 40.0 * noise(i, 2));
        let status = 1 + usize::from(noise(i, 3) < 0.5);
        text += &format!(
            "{pid},{day},{age:.0},{:.1},{months:.1},{status}\n",
            months * noise(i, 4)
        );
    }
    let (found, names) = inspected(text.as_bytes());
    assert_eq!(names, ["age"]);
    assert_eq!(alarm(&found, "pid"), "looks like an identifier");
    assert_eq!(alarm(&found, "entry"), "looks like dates");
    assert_eq!(alarm(&found, "rtime"), "looks like another outcome");
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("d.csv"), text).unwrap();
    let said = stdout(home.path(), &words("inspect d.csv"));
    assert!(
        said.contains("read as 2 = happened, 1 = censored"),
        "{said}"
    );
    assert!(
        said.contains("  alarm       pid looks like an identifier; not suggested"),
        "{said}"
    );
}

/// cBioPortal's words, with the outcomes of another endpoint beside.
#[test]
fn a_second_endpoint_is_no_feature() {
    let header = "OS_MONTHS\tOS_STATUS\tDFS_MONTHS\tDFS_STATUS\tER_STATUS\tGRADE";
    let mut text = header.to_string() + "\n";
    for i in 0..70 {
        let dead = noise(i, 1) < 0.5;
        let (os, months) = (
            ["0:LIVING", "1:DECEASED"][usize::from(dead)],
            1.0 + 90.0 * noise(i, 2),
        );
        let dfs = ["0:DiseaseFree", "1:Recurred"][usize::from(dead || noise(i, 3) < 0.3)];
        let er = ["Positive", "Negative"][usize::from(noise(i, 4) < 0.4)];
        let earlier = months * noise(i, 6);
        text += &format!(
            "{months:.2}\t{os}\t{earlier:.2}\t{dfs}\t{er}\t{}\n",
            (3.0 * noise(i, 5)) as u8
        );
    }
    let (found, names) = inspected(text.as_bytes());
    assert_eq!(
        found["outcome"]["columns"],
        serde_json::json!(["OS_MONTHS", "OS_STATUS"])
    );
    assert_eq!(names, ["ER_STATUS", "GRADE"]);
    for name in ["DFS_MONTHS", "DFS_STATUS"] {
        assert_eq!(alarm(&found, name), "looks like another outcome");
    }
}

#[test]
fn percent_signs_duplicates_empty_columns_and_true_or_false() {
    let mut text = "rownames;share;share again;nothing;constant;lab;y\n".to_string();
    for i in 0..50 {
        let share = format!("{:.1}%", 100.0 * noise(i, 1));
        let lab = if i % 7 == 2 {
            "NULL".into()
        } else {
            format!("{:.2}", noise(i, 2))
        };
        let y = ["TRUE", "FALSE"][usize::from(noise(i, 3) < 0.5)];
        text += &format!("{};{share};{share};;5;{lab};{y}\n", i + 1);
    }
    let (found, names) = inspected(text.as_bytes());
    assert_eq!(names, ["share", "share again", "constant", "lab"]);
    assert_eq!(found["duplicates"][0]["name"], "share again");
    assert!(found["fit"].as_str().unwrap().contains("--missing impute"));
}

/// The outcome again, on another scale and in other words.
#[test]
fn a_planted_leak_raises_the_alarm() {
    let mut text = "x,risk score,verdict,y\n".to_string();
    for i in 0..60 {
        let ill = noise(i, 1) < 0.5;
        let score = noise(i, 2) + if ill { 3.0 } else { 0.0 };
        let verdict = if ill { "treated" } else { "sent home" };
        text += &format!(
            "{:.3},{score:.3},{verdict},{}\n",
            noise(i, 3),
            ["well", "ill"][usize::from(ill)]
        );
    }
    let (found, names) = inspected(text.as_bytes());
    assert_eq!(names, ["x"]);
    for name in ["risk score", "verdict"] {
        assert!(
            alarm(&found, name).contains("alone predicts the outcome with an AUC of 1.000"),
            "{found}"
        );
    }
    // a fit that takes it all the same is told so
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("d.csv"), text).unwrap();
    let fit = format!("fit d.csv --target y {QUICK} --lambdas 0.001 --first-epochs 100 --out fit");
    let fit = fit
        .replace("--lambdas 0.05 ", "")
        .replace("--first-epochs 3 ", "");
    let run = threshnet()
        .current_dir(home.path())
        .args(words(&fit))
        .assert()
        .success();
    let stderr = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        stderr.contains("warning: \"risk score\" alone predicts the outcome"),
        "{stderr}"
    );
    let notes = json(home.path(), "fit/summary.json")["notes"].to_string();
    assert!(notes.contains("known before the outcome is"), "{notes}");
    let page = fs::read_to_string(home.path().join("fit/report.html")).unwrap();
    assert!(page.contains("alone predicts the outcome"));
}

/// An event of any cause beside the event of one: known by its name, and without it by what it does.
#[test]
fn death_of_any_cause_beside_death_of_the_disease() {
    let mut text = "months,event_dss,event_os,extra,age\n".replace("months", "time");
    for i in 0..300 {
        let dss = noise(i, 1) < 0.35;
        let os = dss || noise(i, 2) < 0.3;
        let number = u8::from(os);
        text += &format!(
            "{:.1},{},{number},{number},{:.0}\n",
            1.0 + 99.0 * noise(i, 3),
            u8::from(dss),
            90.0 * noise(i, 4)
        );
    }
    let (found, names) = inspected(text.as_bytes());
    assert_eq!(
        found["outcome"]["columns"],
        serde_json::json!(["time", "event_dss"])
    );
    assert_eq!(names, ["age"]);
    assert_eq!(alarm(&found, "event_os"), "looks like another outcome");
    assert!(alarm(&found, "extra").contains("no row ever has the event"));
}

/// Raw public files with outcomes of usual names.
const PUBLIC: [&str; 20] = [
    "surv_lowdim/rott2.csv",
    "surv_lowdim/stagec.csv",
    "surv_lowdim/prostate.csv",
    "surv_lowdim/GBSG2.csv",
    "surv_lowdim/veteran.csv",
    "surv_nki70/nki70.csv.gz",
    "surv_lowdim/whas500.csv",
    "surv_std877/std.csv.gz",
    "surv_vlbw617/vlbw.csv.gz",
    "surv_cat_adoption2257/cat_adoption.csv.gz",
    "surv_colon929/colon.csv.gz",
    "surv_brca_tcga150/brca_multiomic.csv.gz",
    "surv_metabric/metabric1980_clin_mut.csv.gz",
    "surv_metabric/metabric1558_clin_mut_expr.csv.gz",
    "cls_mice_protein/Data_Cortex_Nuclear.csv.gz",
    "cls_colon_alon62/alon.csv.gz",
    "cls_srbct_khan63/khan.csv.gz",
    "cls_cns_pomeroy60/pomeroy.csv.gz",
    "reg_chemprocess176/chemprocess.csv.gz",
    "reg_permeability165/permeability.csv.gz",
];

#[test]
fn every_suggestion_for_raw_public_files_runs() {
    let Some(folder) = data_folder("what inspect suggests for raw files") else {
        return;
    };
    for file in PUBLIC {
        let home = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.join(file);
        let (found, names) = suggested(home.path(), &path);
        let outcome: Vec<&str> = (found["outcome"]["columns"].as_array())
            .map_or(vec![], |all| all.iter().filter_map(Value::as_str).collect());
        assert!(!outcome.is_empty() && !names.is_empty(), "{file}");
        let leaks = |name: &&String| {
            let lower = name.to_lowercase();
            [
                "time",
                "event",
                "death",
                "recur",
                "rtime",
                "dtime",
                "status",
                "event_dss",
                "event_os",
                "genotype",
                "behavior",
            ]
            .contains(&&lower[..])
        };
        assert_eq!(names.iter().find(leaks), None, "{file}: {names:?}");
    }
}
