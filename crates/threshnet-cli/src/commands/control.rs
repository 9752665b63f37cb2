//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use crate::args::FitArgs;
use crate::failure::{Interrupted, Usage};
use crate::output::ledger::{Ledger, fingerprint};
use crate::output::short;
use crate::progress::{Interrupt, StudyBar};
use crate::workers;
use anyhow::Result;
use serde_json::{Value, json};
use std::sync::Mutex;
use threshnet::dataset::Dataset;
use threshnet::error::Error;
use threshnet::knockoffs::{Certified, RUNS, augmented, exits};
use threshnet::settings::{Settings, Validation};
use threshnet::stability::{self, Stability, on_half};

/// A selection with a bound on what is false in it.
#[derive(Debug)]
pub enum Controlled {
    /// How many.
    Stable { found: Stability, pairs: usize },
    /// What share.
    Certified {
        found: Certified,
        rate: f64,
        runs: usize,
    },
}

impl Controlled {
    pub fn selected(&self) -> Vec<usize> {
        match self {
            Controlled::Stable { found, .. } => found.selected(),
            Controlled::Certified { found, .. } => found.selected(),
        }
    }

    /// The share of half-samples that selected each column.
    pub fn frequencies(&self) -> Option<Vec<f64>> {
        match self {
            Controlled::Stable { found, .. } => Some(found.frequencies.clone()),
            Controlled::Certified { .. } => None,
        }
    }

    /// By how much each column beats its knockoff.
    pub fn statistics(&self) -> Option<Vec<f64>> {
        match self {
            Controlled::Stable { .. } => None,
            Controlled::Certified { found, .. } => Some(found.statistics.clone()),
        }
    }

    /// A field of `summary.json`.
    pub fn to_json(&self) -> (&'static str, Value) {
        match self {
            Controlled::Stable { found, pairs } => (
                "stability",
                json!({
                    "pairs": pairs,
                    "threshold": found.threshold,
                    "false_at_most": found.bound,
                    "mean_size": found.mean_size,
                    "counted": found.counted,
                }),
            ),
            Controlled::Certified { found, rate, runs } => (
                "fdr",
                json!({
                    "rate": rate,
                    "runs": runs,
                    "threshold": found.threshold.is_finite().then_some(found.threshold),
                }),
            ),
        }
    }

    /// The same for a person.
    pub fn to_text(&self) -> String {
        match self {
            Controlled::Stable { found, .. } => format!(
                "stability   each in at least {:.1} % of the half-samples; on average at most {} of \
                 them no better than chance",
                (1000.0 * found.threshold).floor() / 10.0,
                short(found.bound),
            ),
            Controlled::Certified { found, rate, .. } if found.threshold.is_finite() => format!(
                "fdr         on average at most {} % of the selected are false",
                short(100.0 * rate)
            ),
            Controlled::Certified { rate, .. } => format!(
                "fdr         nothing can be certified at a rate of {rate}, which takes at least {} \
                 columns that beat their knockoffs; take a higher rate, or --stability",
                (1.0 / rate - 1e-9).ceil()
            ),
        }
    }
}

/// The controlled selection, if one was asked for, and what to remove once the fit is
/// written. `settings` are those of a fit to so many rows and columns.
pub fn run(
    args: &FitArgs,
    data: &Dataset,
    settings: impl Fn(usize, usize) -> Result<Settings>,
) -> Result<Option<(Controlled, Ledger)>> {
    if let Some(pairs) = args.stability {
        let settings = settings(data.n() / 2, data.d())?;
        stability::check(data, &settings, pairs)?;
        let known = |j: &f64| j.fract() == 0.0 && (0.0..data.d() as f64).contains(j);
        let valid = |half: &[f64]| half.iter().all(known);
        let repeats = Repeats::new(args, (2 * pairs, "half-samples"));
        let ledger = Ledger::open(args.out.as_deref(), fingerprint(data, &settings), valid)?;
        let (halves, ledger) = repeats.run(ledger, |number| {
            let ranked = on_half(data, &settings, number, &Interrupt)?;
            Ok(ranked.into_iter().map(|j| j as f64).collect())
        })?;
        let column = |j: &f64| *j as usize;
        let halves: Vec<Vec<usize>> = (halves.iter())
            .map(|half| half.iter().map(column).collect())
            .collect();
        let max_false = args.max_false.unwrap_or(1.0);
        let found = Stability::new(&halves, data.d(), max_false)
            .map_err(|error| kept(error.into(), Some(&ledger)))?;
        return Ok(Some((Controlled::Stable { found, pairs }, ledger)));
    }
    if let Some(rate) = args.fdr {
        let mut settings = settings(data.n(), 2 * data.d())?;
        let runs = match settings.validation {
            Validation::Draws { count, share } => {
                settings.validation = Validation::Holdout {
                    share,
                    stratified: true,
                };
                settings.frequency = None;
                count
            }
            _ => RUNS,
        };
        let both = augmented(data, settings.seed)?;
        let repeats = Repeats::new(args, (runs, "runs"));
        let valid = |exits: &[f64]| exits.len() == both.d();
        let ledger = Ledger::open(args.out.as_deref(), fingerprint(&both, &settings), valid)?;
        let (found, ledger) = repeats.run(ledger, |number| {
            Ok(exits(&both, &settings, number, &Interrupt)?)
        })?;
        let found = Certified::new(&found, rate)?;
        return Ok(Some((Controlled::Certified { found, rate, runs }, ledger)));
    }
    Ok(None)
}

/// The same error, and that the runs so far are not lost.
pub fn kept(error: anyhow::Error, ledger: Option<&Ledger>) -> anyhow::Error {
    let Some(ledger) = ledger else {
        return error;
    };
    let done = ledger.len();
    let kept = match ledger.path() {
        Some(path) => format!(
            "{done} runs are kept in {}, from where the same command goes on",
            path.display()
        ),
        None if done > 0 => format!("{done} runs are lost; give --out to keep them"),
        None => return error,
    };
    match error.downcast_ref::<Error>() {
        Some(Error::Cancelled) => Interrupted(format!("interrupted; {kept}")).into(),
        Some(Error::Setting { name, problem }) => {
            Usage(format!("--{name}: {problem} ({kept})")).into()
        }
        Some(Error::Data(problem)) => Error::Data(format!("{problem} ({kept})")).into(),
        _ => error,
    }
}

/// Runs that can be stopped and gone on with.
struct Repeats<'a> {
    args: &'a FitArgs,
    count: usize,
    /// What they are called.
    name: &'a str,
}

impl<'a> Repeats<'a> {
    fn new(args: &'a FitArgs, (count, name): (usize, &'a str)) -> Self {
        Repeats { args, count, name }
    }

    /// The numbers that each run gives, in their order, from the ledger or from `work`.
    fn run(
        &self,
        mut ledger: Ledger,
        work: impl Fn(usize) -> Result<Vec<f64>> + Sync,
    ) -> Result<(Vec<Vec<f64>>, Ledger)> {
        let missing: Vec<usize> = (0..self.count).filter(|run| !ledger.has(*run)).collect();
        let bar = StudyBar::new((self.count - missing.len(), self.count), self.args.quiet);
        let shared = Mutex::new(&mut ledger);
        let finished = workers::each(&missing, self.args.jobs, |&number| {
            let found = work(number)?;
            bar.tick(self.name);
            let mut ledger = shared.lock().expect("no thread panics with it");
            ledger.add(number, found)
        });
        bar.finish();
        match finished.map_err(|error| kept(error, Some(&ledger)))? {
            true => {}
            false => return Err(kept(Error::Cancelled.into(), Some(&ledger))),
        }
        let mut found = ledger.found();
        // An earlier command may have asked for more.
        found.truncate(self.count);
        Ok((found, ledger))
    }
}
