//! Progress on a terminal, and Ctrl-C.

use anyhow::{Context, Result};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::{Display, Write};
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use threshnet::format::{visible, visible_lines};
use threshnet::path::Step;
use threshnet::solver::Observer;
use threshnet_io::Reached;
use threshnet_study::Watch;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Set once someone listens.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks fits to end; a second one ends at once.
pub fn listen() -> Result<()> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

/// Says something before long work, where its progress is shown.
pub fn tell(text: &impl Display, quiet: bool) {
    if !quiet && stderr().is_terminal() {
        eprint!("{}", visible_lines(&text.to_string()));
    }
}

/// A bar for one fit, one tick per λ.
pub struct Progress(ProgressBar);

impl Progress {
    /// For so many λs over all paths.
    pub fn new(steps: usize, quiet: bool) -> Self {
        Progress(bar(
            steps,
            quiet,
            "fitting {wide_bar} {percent}% · {left} · {msg}",
        ))
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Watches for Ctrl-C only.
pub struct Interrupt;

impl Observer for Interrupt {
    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

/// A bar for many fits, one tick per fit.
pub struct StudyBar(ProgressBar);

impl StudyBar {
    /// A bar that is drawn on a terminal, unless it shall be quiet.
    pub fn new(quiet: bool) -> Self {
        let template = "{pos}/{len} fits {wide_bar} {left} · {msg}";
        StudyBar(bar(0, quiet, template))
    }
}

impl Observer for StudyBar {
    fn cancelled(&self) -> bool {
        Interrupt.cancelled()
    }
}

impl Watch for StudyBar {
    fn begin(&self, done: usize, total: usize) -> Result<()> {
        self.0.set_position(done as u64);
        self.0.set_length(total as u64);
        self.0.reset_eta();
        listen()
    }

    fn note(&self, text: &str) {
        self.0.suspend(|| eprintln!("{}", visible(text)));
    }

    fn ended(&self, fit: &str) {
        self.0.set_message(fit.to_string());
        self.0.inc(1);
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A bar on stderr, drawn only on a terminal.
fn bar(steps: usize, quiet: bool, template: &str) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    bar.set_style(
        style.with_key("left", |state: &ProgressState, out: &mut dyn Write| {
            // (a bar that cannot be drawn is no reason to end)
            let _ = out.write_str(&left(state.eta()));
        }),
    );
    bar
}

/// How long it will take still. Nothing is the estimate while there is none: at the start, and
/// where a stopped study goes on.
fn left(estimate: Duration) -> String {
    match estimate.is_zero() {
        true => "starting".into(),
        false => format!("{:#} left", HumanDuration(estimate)),
    }
}

impl Observer for Progress {
    fn cancelled(&self) -> bool {
        Interrupt.cancelled()
    }

    fn step(&self, step: &Step) {
        self.0
            .set_message(format!("{} columns", step.network.inputs.len()));
        self.0.inc(1);
    }
}

/// Reads one file with a bar that is drawn on a terminal, unless it shall be quiet.
pub fn reading<T>(quiet: bool, read: impl FnOnce(Reached) -> T) -> T {
    let bar = bar(
        READING_STEPS,
        quiet,
        "reading {wide_bar} {percent}% · {left}",
    );
    let done = read(&|share| bar.set_position((share * READING_STEPS as f64) as u64));
    bar.finish_and_clear();
    done
}

/// Steps of the bar for reading.
const READING_STEPS: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_does_not_begin_at_its_end() {
        assert_eq!(left(Duration::ZERO), "starting");
        assert_eq!(left(Duration::from_secs(300)), "5m left");
    }
}
