//! Ctrl-C ends a fit cleanly and soon.

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_and_says_so() {
    use super::{listing, simulated};
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    let home = simulated("regression", 400, 50, &[]);
    let before = listing(home.path());
    // Far more work than the test waits for.
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("threshnet"))
        .current_dir(home.path())
        .args([
            "fit",
            "data.csv",
            "--target",
            "y",
            "--out",
            "fit",
            "--first-epochs",
            "1000000",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_secs(1));
    assert!(
        child.try_wait().unwrap().is_none(),
        "the fit ended too early to be interrupted"
    );
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    // Generous for a busy machine; the promise is a second.
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr).trim(),
        "error: interrupted; nothing was written"
    );
    assert!(output.stdout.is_empty());
    assert_eq!(listing(home.path()), before);
}

#[cfg(unix)]
#[test]
fn stopped_half_samples_go_on_where_they_were() {
    use super::{simulated, stdout, threshnet, words};
    use std::fs;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    let home = simulated("regression", 200, 10, &[]);
    let flags = words(
        "fit data.csv --target y --stability 60 --ridges 0.01 --lambdas 0.02:0.3:6 --epochs 100 \
         --first-epochs 400 --jobs 1 --quiet",
    );
    let whole = [&flags[..], &["--out", "whole"]].concat();
    let stopped = [&flags[..], &["--out", "stopped"]].concat();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("threshnet"))
        .current_dir(home.path())
        .args(&stopped)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ledger = home.path().join(".stopped.runs");
    let done = || fs::read_to_string(&ledger).map_or(0, |text| text.lines().count());
    while done() < 4 {
        sleep(Duration::from_millis(5));
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
    }
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("runs are kept in .stopped.runs"), "{said}");
    assert!(!home.path().join("stopped").exists());
    let kept = done();
    assert!((4..121).contains(&kept), "{kept}");

    // The lines that are there are used: a marked one shows in the frequencies.
    let text = fs::read_to_string(&ledger).unwrap();
    let marked: Vec<String> = (text.lines().enumerate())
        .map(|(i, line)| match (i, line.split_once(':')) {
            (0, _) | (_, None) => line.to_string(),
            (_, Some((number, columns))) => format!("{number}:{columns} 9"),
        })
        .collect();
    let lines = |marked: &[String]| marked.join("\n") + "\n";
    let resume = |text: &str, out: &[&str]| {
        fs::write(&ledger, text).unwrap();
        stdout(home.path(), out);
        assert!(!ledger.exists(), "nothing is left to go on with");
        fs::read_to_string(home.path().join("stopped/summary.json")).unwrap()
    };
    let mean_size = |summary: &str| -> f64 {
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        summary["stability"]["mean_size"].as_f64().unwrap()
    };
    stdout(home.path(), &whole);
    let uninterrupted = fs::read_to_string(home.path().join("whole/summary.json")).unwrap();
    let resumed = resume(&text, &stopped);
    assert_eq!(mean_size(&resumed), mean_size(&uninterrupted));
    let model = |out: &str| fs::read(home.path().join(out).join("model.json")).unwrap();
    assert_eq!(model("stopped"), model("whole"));
    let more = mean_size(&resume(&lines(&marked), &stopped)) - mean_size(&resumed);
    let added = (kept - 1) as f64 / 120.0;
    assert!(0.0 < more && more <= added + 1e-9, "{more} {added}");

    // Other numbers of threads and other bounds are the same fit; another seed is not,
    // and what is kept is not lost to it.
    let same = [&flags[..], &["--out", "stopped", "--max-false", "3"]].concat();
    let again = resume(&lines(&marked), &same);
    assert!(mean_size(&again) > mean_size(&uninterrupted));
    fs::write(&ledger, &text).unwrap();
    let seeded = [&stopped[..], &["--seed", "1"]].concat();
    let refused = threshnet()
        .current_dir(home.path())
        .args(&seeded)
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("runs of another fit"), "{said}");
    assert_eq!(fs::read_to_string(&ledger).unwrap(), text);
}
