//! `--log FILE`: what happens as lines of JSON, for programs that watch.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use threshnet::memory::limits;

/// Between two lines of progress.
const INTERVAL: Duration = Duration::from_secs(1);

struct Log {
    file: File,
    started: Instant,
    told: Option<Instant>,
}

/// Where lines go, if anywhere.
static LOG: Mutex<Option<Log>> = Mutex::new(None);

/// Lines are added to this file from now on, beginning with the command.
pub fn open(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let file = (OpenOptions::new().append(true).create(true).open(path))
        .with_context(|| format!("--log: {}: cannot open", path.display()))?;
    *LOG.lock().expect("nobody panics with it") = Some(Log {
        file,
        started: Instant::now(),
        told: None,
    });
    let command: Vec<String> = std::env::args().collect();
    let version = env!("CARGO_PKG_VERSION");
    let process = std::process::id();
    event(
        "start",
        json!({"version": version, "command": command, "process": process}),
    );
    Ok(())
}

/// Adds a line: when it is, in seconds since 1970 and since the start, what happened, and more
/// about it.
pub fn event(what: &str, more: Value) {
    if let Some(log) = LOG.lock().expect("nobody panics with it").as_mut() {
        log.write(what, more);
    }
}

/// Adds a line about how many are done, unless there was one a moment ago.
pub fn progress(what: &str, done: u64, total: u64) {
    let mut log = LOG.lock().expect("nobody panics with it");
    let Some(log) = log.as_mut() else {
        return;
    };
    let lately = log.told.is_some_and(|told| told.elapsed() < INTERVAL);
    if done == total || !lately {
        log.told = Some(Instant::now());
        let own = limits::own().map(|own| own.resident);
        log.write(
            "progress",
            json!({"of": what, "done": done, "total": total, "resident_bytes": own}),
        );
    }
}

/// Says something that the user should know, on stderr and in the log.
pub fn warn(text: &str) {
    super::tell("warning", text);
    event("warning", json!({"text": text}));
}

/// The last line.
pub fn end(exit: u8, error: Option<&str>) {
    let peak = crate::memory::peak();
    event(
        "end",
        json!({"exit": exit, "error": error, "peak_bytes": peak}),
    );
}

impl Log {
    fn write(&mut self, what: &str, more: Value) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let rounded = |time: Duration| time.as_millis() as f64 / 1000.0;
        let mut line = Map::new();
        line.insert("time".into(), json!(rounded(now.unwrap_or_default())));
        line.insert("seconds".into(), json!(rounded(self.started.elapsed())));
        line.insert("event".into(), json!(what));
        if let Value::Object(more) = more {
            line.extend(more);
        }
        // (one write, so that lines stay whole; a log that is full is no reason to end)
        let _ = self
            .file
            .write_all(format!("{}\n", Value::Object(line)).as_bytes());
    }
}
