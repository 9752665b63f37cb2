//! `threshnet`: finds the few columns that matter and fits a network on them.
//!
//! Flags become values in [`args`], a command of [`commands`] does the work,
//! [`data`] reads files and [`output`] writes them; [`study`] repeats the
//! paper's experiments.

mod args;
mod commands;
mod data;
mod failure;
mod output;
mod progress;
mod report;
mod study;
mod workers;

use args::{Cli, Command};
use clap::Parser;
use failure::Usage;
use std::process::ExitCode;
use threshnet::kernel::InstructionSet;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    if let Err(error) = InstructionSet::asked_for() {
        return failure::report(&Usage(error.to_string()).into());
    }
    let done = match &cli.command {
        Command::Demo(args) => commands::demo::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Fit(args) => commands::fit::run(args),
        Command::Predict(args) => commands::predict::run(args),
        Command::Evaluate(args) => commands::evaluate::run(args),
        Command::Metrics(args) => commands::metrics::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Study(args) => study::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Man(args) => commands::manuals::man(args),
        Command::Completions(args) => commands::manuals::completions(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
