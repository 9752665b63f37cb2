//! Manual pages and completions say what the flag definitions say.

use super::{listing, stdout, threshnet};
use std::collections::BTreeSet;
use std::fs;

/// The commands that `--help` lists, but for `help` itself.
fn commands() -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    let help = stdout(home.path(), &["--help"]);
    let listed = help.split("Commands:").nth(1).unwrap();
    let listed = listed.split("Options:").next().unwrap();
    let names = (listed.lines())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_string());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() >= 10, "{names:?}");
    names
}

/// The long flags that a command's `--help` defines.
fn flags(command: &str) -> BTreeSet<String> {
    let home = tempfile::tempdir().unwrap();
    let help = stdout(home.path(), &[command, "--help"]);
    let defined = help.lines().filter_map(|line| {
        let words = line.trim_start().trim_start_matches("-h, ");
        let flag = words.split([' ', '[']).next()?;
        (flag.starts_with("--")).then(|| flag.to_string())
    });
    defined.collect()
}

#[test]
fn every_command_has_a_page_with_all_its_flags() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("share/man1");
    stdout(home.path(), &["man", "share/man1"]);
    let commands = commands();
    assert_eq!(listing(&folder).len(), commands.len() + 1);
    let main = fs::read_to_string(folder.join("threshnet.1")).unwrap();
    for command in &commands {
        assert!(
            main.contains(&format!("threshnet\\-{command}(1)")),
            "{command}"
        );
        let page = fs::read_to_string(folder.join(format!("threshnet-{command}.1"))).unwrap();
        for flag in flags(command) {
            assert!(page.contains(&flag.replace('-', "\\-")), "{command} {flag}");
        }
    }
    let fit = flags("fit");
    assert!(
        fit.len() > 30 && fit.contains("--stability") && fit.contains("--help"),
        "{fit:?}"
    );
    // again over what is there
    stdout(home.path(), &["man", "share/man1"]);
}

#[test]
fn every_shell_completes_all_flags() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(home.path(), &["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell} {command}");
            for flag in flags(&command) {
                let name = flag.trim_start_matches('-');
                let there = script.contains(&flag) || script.contains(&format!("-l {name}"));
                assert!(there, "{shell} {command} {flag}");
            }
        }
    }
}

#[test]
fn a_shell_or_folder_that_cannot_be_is_refused() {
    let home = tempfile::tempdir().unwrap();
    threshnet().args(["completions", "ksh"]).assert().code(2);
    threshnet().arg("man").assert().code(2);
    fs::write(home.path().join("file"), "").unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(["man", "file/man1"])
        .assert()
        .code(1);
    let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        error.contains("file/man1") && error.lines().count() == 1,
        "{error}"
    );
}
