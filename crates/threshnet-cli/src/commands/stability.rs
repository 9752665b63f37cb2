//! `fit --stability`: half-samples first, then the model on what is stable.

use crate::failure::Interrupted;
use crate::output::ledger::{Ledger, fingerprint};
use crate::progress::{Interrupt, StudyBar};
use crate::workers;
use anyhow::Result;
use std::path::Path;
use std::sync::Mutex;
use threshnet::dataset::Dataset;
use threshnet::settings::Settings;
use threshnet::stability::{Stability, on_half};

/// How to run the half-samples.
pub struct Halves<'a> {
    /// Pairs of them.
    pub pairs: usize,
    /// How many falsely selected columns are allowed, on average.
    pub max_false: f64,
    /// Where the fit will go, and beside it what is done so far.
    pub out: Option<&'a Path>,
    pub jobs: Option<usize>,
    pub quiet: bool,
}

impl Halves<'_> {
    /// Fits every half-sample that is not known from an earlier run.
    pub fn run(&self, data: &Dataset, settings: &Settings) -> Result<(Stability, Ledger)> {
        let mut ledger = Ledger::open(self.out, &fingerprint(data, settings))?;
        let all = 2 * self.pairs;
        let missing: Vec<usize> = (0..all).filter(|&number| !ledger.has(number)).collect();
        let bar = StudyBar::new((all - missing.len(), all), self.quiet);
        let shared = Mutex::new(&mut ledger);
        let finished = workers::each(&missing, self.jobs, |&number| {
            let selected = on_half(data, settings, number, &Interrupt)?;
            bar.tick(&format!("{} columns of a half", selected.len()));
            let mut ledger = shared.lock().expect("no thread panics with it");
            ledger.add(number, selected)
        });
        bar.finish();
        if !finished? {
            let kept = match ledger.path() {
                Some(path) => format!("kept in {}; the same command goes on", path.display()),
                None => "lost; give --out to keep them".into(),
            };
            let done = ledger.len();
            let text = format!("interrupted: {done} of {all} half-samples are {kept}");
            return Err(Interrupted(text).into());
        }
        let mut selections = ledger.selections();
        // An earlier run may have asked for more.
        selections.truncate(all);
        let stability = Stability::new(&selections, data.d(), self.max_false)?;
        Ok((stability, ledger))
    }
}
