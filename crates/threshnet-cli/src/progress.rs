//! Progress on a terminal and in the log, and whether work is asked to end.

use crate::output::ledger::Ledger;
use crate::output::{log, say};
use crate::{memory, signals};
use anyhow::Result;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
use std::fmt::{Display, Write};
use std::io::{IsTerminal, stderr};
use std::time::Duration;
use threshnet::format::{visible, visible_lines};
use threshnet::keeper::Keeper;
use threshnet::path::Step;
use threshnet::solver::Observer;
use threshnet_io::Reached;
use threshnet_study::Watch;

/// Says something before long work, where its progress is shown.
pub fn tell(text: &impl Display, quiet: bool) {
    if !quiet && stderr().is_terminal() {
        say(&visible_lines(&text.to_string()));
    }
}

/// A bar for one fit, one tick per λ, and what is kept of the fit.
pub struct Progress<'a> {
    bar: ProgressBar,
    ledger: Option<&'a Ledger>,
}

impl<'a> Progress<'a> {
    /// For so many λs over all paths.
    pub fn new(steps: usize, ledger: Option<&'a Ledger>, quiet: bool) -> Self {
        let template = "fitting {wide_bar} {percent}% · {left} · {msg}";
        Progress {
            bar: bar(steps, quiet, template),
            ledger,
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn tell(&self) {
        log::progress(
            "lambdas",
            self.bar.position(),
            self.bar.length().unwrap_or(0),
        );
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
        signals::arrived()
    }
}

impl Watch for StudyBar {
    fn begin(&self, done: usize, total: usize) -> Result<()> {
        self.0.set_position(done as u64);
        self.0.set_length(total as u64);
        self.0.reset_eta();
        Ok(())
    }

    fn note(&self, text: &str) {
        self.0.suspend(|| say(&format!("{}\n", visible(text))));
        log::event("note", json!({"text": text}));
    }

    fn ended(&self, fit: &str) {
        self.0.set_message(fit.to_string());
        self.0.inc(1);
        log::progress("fits", self.0.position(), self.0.length().unwrap_or(0));
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

impl Observer for Progress<'_> {
    fn cancelled(&self) -> bool {
        signals::arrived()
    }

    fn step(&self, step: &Step) {
        let columns = format!("{} columns", step.network.inputs.len());
        self.bar.set_message(columns);
        self.bar.inc(1);
        self.tell();
    }

    fn known(&self, lambdas: usize) {
        self.bar.inc(lambdas as u64);
        self.bar.reset_eta();
        self.tell();
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        self.ledger.map(|ledger| ledger as &dyn Keeper)
    }
}

/// Reads one file with a bar that is drawn on a terminal, unless it shall be quiet.
pub fn reading<T>(quiet: bool, read: impl FnOnce(Reached) -> T) -> T {
    let bar = bar(
        READING_STEPS,
        quiet,
        "reading {wide_bar} {percent}% · {left}",
    );
    let watched = memory::Reading::new();
    let done = read(&|share| {
        bar.set_position((share * READING_STEPS as f64) as u64);
        watched.check(share);
    });
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
