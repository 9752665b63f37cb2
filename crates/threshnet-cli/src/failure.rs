//! How a command fails: one line on stderr and an exit code.
//!
//! 1: the data or the run failed; 2: the command line was wrong; 130:
//! interrupted.

use crate::args::flag;
use clap::error::ErrorKind;
use std::process::ExitCode;
use threshnet::error::Error;

const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
const INTERRUPTED: u8 = 130;

/// A command line that parses but cannot be meant.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Ctrl-C in work that keeps what it has done; the text says where.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Interrupted(pub String);

/// Prints what clap has to say: help in full, an error in one line.
pub fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        // A closed pipe is no failure of ours.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|paragraph| !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more"))
        .collect();
    eprintln!("{}; see --help", paragraphs.join("; "));
    ExitCode::from(WRONG_USAGE)
}

/// Prints an error in one line.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let (text, code) = match error.downcast_ref::<Error>() {
        Some(Error::Cancelled) => ("interrupted; nothing was written".into(), INTERRUPTED),
        Some(Error::Setting { name, problem }) => {
            let dashes = if name.len() == 1 { "-" } else { "--" };
            (format!("{dashes}{}: {problem}", flag(name)), WRONG_USAGE)
        }
        _ if error.is::<Interrupted>() => (error.to_string(), INTERRUPTED),
        _ if error.is::<Usage>() => (error.to_string(), WRONG_USAGE),
        _ => (format!("{error:#}"), FAILED),
    };
    eprintln!("error: {}", text.replace('\n', " "));
    ExitCode::from(code)
}

/// Whether the reader of our output has gone, as `head` does.
fn closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(broken)
            || cause
                .downcast_ref::<csv::Error>()
                .is_some_and(|e| matches!(e.kind(), csv::ErrorKind::Io(e) if broken(e)))
    })
}
