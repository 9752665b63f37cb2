//! Progress on a terminal, and Ctrl-C.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use threshnet::path::Step;
use threshnet::solver::Observer;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks fits to end; a second one ends at once.
pub fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

/// A bar on stderr, drawn only on a terminal, one tick per λ.
pub struct Progress(ProgressBar);

impl Progress {
    /// For so many λs over all paths.
    pub fn new(steps: usize, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        bar.set_style(
            ProgressStyle::with_template("fitting {wide_bar} {percent}% · {eta} left · {msg}")
                .expect("the template is valid"),
        );
        Progress(bar)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn step(&self, step: &Step) {
        self.0
            .set_message(format!("{} columns", step.network.inputs.len()));
        self.0.inc(1);
    }
}
