//! `threshnet`: finds the few columns that matter and fits a network on them.
//!
//! Flags become values in [`args`], a command of [`commands`] has the work done by the
//! library and the crates beside it, and [`output`] writes what comes out. Files are read by
//! [`threshnet_io`], `report.html` is made by [`threshnet_report`], and the paper's experiments
//! are repeated by [`threshnet_study`].

mod allocator;
mod args;
mod commands;
mod failure;
mod memory;
mod output;
mod progress;
mod signals;

use anyhow::Result;
use args::{Cli, Command};
use clap::Parser;
use clap::error::ErrorKind;
use failure::Usage;
use std::process::ExitCode;
use threshnet::kernel::InstructionSet;
use threshnet::memory::limits;
use threshnet::threads;

fn main() -> ExitCode {
    allocator::settle(limits::addresses_are_limited());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return done(commands::greet());
        }
        Err(error) => return failure::usage(&error),
    };
    if let Err(error) = InstructionSet::asked_for() {
        return failure::report(&Usage(error.to_string()).into());
    }
    done(run(&cli.command))
}

fn run(command: &Command) -> Result<()> {
    if let Command::Demo(_) | Command::Fit(_) | Command::Study(_) = command {
        signals::listen()?;
    }
    // (the threads inherit which signals they are spared)
    threads::start()?;
    match command {
        Command::Demo(args) => commands::demo::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Fit(args) => commands::fit::run(args),
        Command::Predict(args) => commands::predict::run(args),
        Command::Evaluate(args) => commands::evaluate::run(args),
        Command::Metrics(args) => commands::metrics::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Study(args) => commands::study::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Man(args) => commands::manuals::man(args),
        Command::Completions(args) => commands::manuals::completions(args),
    }
}

fn done(result: Result<()>) -> ExitCode {
    signals::ignore_from_now_on();
    match result {
        Ok(()) => {
            output::log::end(0, None);
            ExitCode::SUCCESS
        }
        Err(error) => failure::report(&error),
    }
}
