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
            "100000000",
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
