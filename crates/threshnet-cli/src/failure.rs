//! How a command fails: one line on stderr and an exit code.
//!
//! 1: the data or the run failed; 2: the command line was wrong; 130, 143 and 129: ended by Ctrl-C,
//! SIGTERM or SIGHUP.

use crate::args::flag;
use crate::output::{log, say, tell};
use crate::signals;
use clap::error::ErrorKind;
use std::process::ExitCode;
use threshnet::error::Error;
use threshnet::format::visible;

/// The data or the run failed.
pub const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

/// A command line that parses but cannot be meant.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A signal in work that keeps what it has done; the text says where.
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
    let text = paragraphs.join("; ");
    say(&format!("{}; see --help\n", visible(&text)));
    ExitCode::from(WRONG_USAGE)
}

/// Prints an error in one line.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let (text, code) = match error.downcast_ref::<Error>() {
        Some(Error::Cancelled) => (
            "interrupted; nothing was written".into(),
            signals::exit_code(),
        ),
        Some(Error::Setting { name, problem }) => {
            let dashes = if name.len() == 1 { "-" } else { "--" };
            (format!("{dashes}{}: {problem}", flag(name)), WRONG_USAGE)
        }
        _ if error.is::<Interrupted>() => (error.to_string(), signals::exit_code()),
        _ if error.is::<Usage>() => (error.to_string(), WRONG_USAGE),
        // (whoever writes a file says which)
        _ if is_of_writing(error) => (format!("standard output: cannot write: {error:#}"), FAILED),
        _ => (format!("{error:#}"), FAILED),
    };
    let text = text.replace('\n', " ");
    tell("error", &text);
    log::end(code, Some(&text));
    ExitCode::from(code)
}

/// Whether this is an error of the system alone, without a word about a file.
fn is_of_writing(error: &anyhow::Error) -> bool {
    error.chain().next().is_some_and(|outermost| {
        let of_csv = outermost.downcast_ref::<csv::Error>();
        outermost.is::<std::io::Error>() || of_csv.is_some_and(|error| error.is_io_error())
    })
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
