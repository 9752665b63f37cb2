//! The commands of the guide for raw public files, run as they are printed.

use super::real_data::data_folder;
use super::{cells, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What makes a fit cheap: it is put behind every command.
const CHEAP: &str = "--validation draws:2 --lambdas 0.02,0.2 --ridges 0.05 --epochs 3 \
                     --first-epochs 3 --hidden 3 --linear leave --ensemble no --quiet";

/// Where a file of the guide is in the data folder, and how many rows and features its fit has.
const FILES: [(&str, u64, u64); 5] = [
    ("surv_lowdim/rott2.csv", 2982, 11),
    ("surv_lowdim/stagec.csv", 146, 7),
    ("surv_lowdim/prostate.csv", 502, 15),
    ("surv_metabric/metabric1980_clin_mut.csv.gz", 1980, 188),
    ("cls_mice_protein/Data_Cortex_Nuclear.csv.gz", 1080, 77),
];

/// The commands of the section on raw files.
fn commands() -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let guide = fs::read_to_string(guide).unwrap();
    let section = guide
        .split("## Raw files, one command each")
        .nth(1)
        .unwrap();
    let block = section.split("```").nth(1).unwrap();
    block
        .lines()
        .filter(|line| !line.is_empty())
        .map(String::from)
        .collect()
}

/// Runs a line in a shell that finds the binary; what it printed.
fn shell(home: &Path, line: &str) -> String {
    let binary = assert_cmd::cargo::cargo_bin("threshnet");
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("sh")
        .current_dir(home)
        .env(
            "PATH",
            format!("{}:{path}", binary.parent().unwrap().display()),
        )
        .args(["-c", line])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{line}\n{stderr}");
    String::from_utf8(run.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_guide_run_on_the_raw_files() {
    let Some(folder) = data_folder("the commands of the guide") else {
        return;
    };
    let commands = commands();
    assert_eq!(commands.len(), FILES.len());
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for (command, (file, n, d)) in commands.iter().zip(FILES) {
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        assert!(command.contains(name), "{command}");
        std::os::unix::fs::symlink(folder.join(file), home.join(name)).unwrap();
        shell(home, &format!("{command} {CHEAP}"));
        let out = command.split("--out ").nth(1).unwrap();
        let summary = json(home, &format!("{out}/summary.json"));
        assert_eq!(
            (summary["n"].as_u64(), summary["d"].as_u64()),
            (Some(n), Some(d)),
            "{file}"
        );
        let notes = summary["notes"].to_string();
        assert!(
            !notes.contains("known before the outcome is"),
            "{file}: {notes}"
        );
        // the same rows are new ones to the model: gaps and all
        let (read, rest) = command.split_once("threshnet fit ").unwrap();
        let from = rest.split(' ').next().unwrap();
        let predicted = cells(&shell(
            home,
            &format!("{read}threshnet predict {out} {from}"),
        ));
        assert_eq!(predicted.len() as u64, n + 1, "{file}");
        assert!(
            predicted.iter().flatten().all(|cell| !cell.is_empty()),
            "{file}"
        );
    }
}
