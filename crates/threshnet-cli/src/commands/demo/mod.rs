//! `threshnet demo`: the main job on data that come with the program.

mod real;
mod simulated;

use crate::args::DemoArgs;
use anyhow::Result;

/// Real data of a kind that was asked for, else simulated ones, of which the truth is known.
pub fn run(args: &DemoArgs) -> Result<()> {
    match args.task {
        Some(task) => real::run(task, args),
        None => simulated::run(args),
    }
}
