//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use crate::args::FitArgs;
use crate::failure::Interrupted;
use crate::output::ledger::{Ledger, fingerprint};
use crate::output::short;
use crate::progress::{Interrupt, StudyBar};
use crate::workers;
use anyhow::Result;
use serde_json::{Value, json};
use std::sync::Mutex;
use threshnet::dataset::Dataset;
use threshnet::knockoffs::{Certified, augmented, exits};
use threshnet::settings::{Settings, Validation};
use threshnet::stability::{Stability, on_half};

/// Runs with knockoffs, unless draws say otherwise.
const KNOCKOFF_RUNS: usize = 10;

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
                "stability   each in at least {:.0} % of the half-samples; on average at most {} of \
                 the selected are false",
                100.0 * found.threshold,
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
        let repeats = Repeats::new(args, (2 * pairs, "half-samples"));
        let (halves, ledger) = repeats.run(&fingerprint(data, &settings), |number| {
            let ranked = on_half(data, &settings, number, &Interrupt)?;
            Ok(ranked.into_iter().map(|j| j as f64).collect())
        })?;
        let column = |j: &f64| *j as usize;
        let halves: Vec<Vec<usize>> = (halves.iter())
            .map(|half| half.iter().map(column).collect())
            .collect();
        let found = Stability::new(&halves, data.d(), args.max_false.unwrap_or(1.0))?;
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
            _ => KNOCKOFF_RUNS,
        };
        let both = augmented(data, settings.seed)?;
        let repeats = Repeats::new(args, (runs, "runs"));
        let (found, ledger) = repeats.run(&fingerprint(&both, &settings), |number| {
            Ok(exits(&both, &settings, number, &Interrupt)?)
        })?;
        let found = Certified::new(&found, rate)?;
        return Ok(Some((Controlled::Certified { found, rate, runs }, ledger)));
    }
    Ok(None)
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
        fingerprint: &str,
        work: impl Fn(usize) -> Result<Vec<f64>> + Sync,
    ) -> Result<(Vec<Vec<f64>>, Ledger)> {
        let mut ledger = Ledger::open(self.args.out.as_deref(), fingerprint)?;
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
        if !finished? {
            let kept = match ledger.path() {
                Some(path) => format!("kept in {}; the same command goes on", path.display()),
                None => "lost; give --out to keep them".into(),
            };
            let (done, all, name) = (ledger.len(), self.count, self.name);
            let text = format!("interrupted: {done} of {all} {name} are {kept}");
            return Err(Interrupted(text).into());
        }
        let mut found = ledger.found();
        // An earlier command may have asked for more.
        found.truncate(self.count);
        Ok((found, ledger))
    }
}
