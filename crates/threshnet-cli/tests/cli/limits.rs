//! Little memory: whatever the limit, a fit is whole or refused in one line.
#![cfg(target_os = "linux")]

use super::interrupt::said;
use super::simulated;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const QUICK: &str = "fit data.csv --target y --validation draws:3 --ridges 0.01 --lambdas 0.05:0.3:4 \
                     --first-epochs 40 --epochs 20 --no-ensemble --jobs 2 --quiet --out fit";

/// Runs with so many kilobytes of addresses.
fn limited(home: &Path, kilobytes: usize, arguments: &str) -> Output {
    Command::new("bash")
        .current_dir(home)
        .args([
            "-c",
            &format!("ulimit -v {kilobytes}; exec \"$0\" {arguments}"),
        ])
        .arg(assert_cmd::cargo::cargo_bin("threshnet"))
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap()
}

/// From limits under which the program just starts, to ample ones: also where a thread cannot be
/// started, a report cannot be made, or an allocation fails halfway.
#[test]
fn under_any_limit_a_fit_is_whole_or_refused_in_one_line() {
    let home = simulated("regression", 60, 5, &[]);
    let steps = |start: usize| std::iter::successors(Some(start), |limit| Some(limit + limit / 16));
    let starts = |&limit: &usize| limited(home.path(), limit, "--version").status.success();
    let least = steps(8_000).find(starts).unwrap();
    let (mut whole, mut refused) = (0, 0);
    for limit in steps(least).take_while(|&limit| limit < 600_000) {
        let ended = limited(home.path(), limit, QUICK);
        let (text, model) = (said(&ended), home.path().join("fit/model.json"));
        match ended.status.code() {
            Some(0) => {
                assert!(model.exists() && text.is_empty(), "{limit}: {text}");
                fs::remove_dir_all(home.path().join("fit")).unwrap();
                whole += 1;
            }
            code => {
                assert!(
                    matches!(code, Some(1 | 2)),
                    "{limit}: {:?}: {text}",
                    ended.status
                );
                assert!(text.starts_with("error: "), "{limit}: {text}");
                assert_eq!(text.lines().count(), 1, "{limit}: {text}");
                assert!(!model.exists());
                refused += 1;
            }
        }
    }
    assert!(whole > 5 && refused > 5, "{whole} {refused}");
}

/// The first rows bring buffers and threads with them, which the others do not.
#[test]
fn a_file_that_fits_is_read() {
    let home = tempfile::tempdir().unwrap();
    let (rows, columns) = (300_usize, 10_000_usize);
    let header =
        format!("{{'descr': '<i2', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let cells = (0..rows * columns).map(|cell| (cell * 7919 % 1999) as i16);
    bytes.extend(cells.flat_map(i16::to_le_bytes));
    fs::write(home.path().join("data.npy"), bytes).unwrap();
    // (they take 24 MB)
    let read = limited(home.path(), 200_000, "inspect data.npy --quiet");
    assert!(read.status.success(), "{}", said(&read));
}
