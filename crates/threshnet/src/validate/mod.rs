//! Nested validation: an honest estimate of the whole procedure.
//!
//! What a fit shows on the rows that it held out is a little too good, for these rows had a say in
//! it. Here everything is done again in every outer split (selection with error control,
//! imputation, screening, standardisation, the choice of λ and ridge, the contest of linear
//! models), and the rows that a split leaves out have a say in nothing.
//!
//! [`Plan::new`] says how many runs there are, [`Plan::run`] makes one of them and
//! [`Plan::combined`] puts them together, as in [`control`]: what a run finds are
//! numbers, which can be kept or sent, so that every front end makes the same runs, wherever and in
//! whatever order. What is made of them is in `figures.rs` (metrics and intervals) and in
//! `optimism.rs` (what a bootstrap corrects). What each selected column is worth on held-out rows is
//! in `importance.rs`.
//!
//! Folds are stratified by class or event and divide no cluster. A bootstrap sample is drawn within
//! each class (or events and censored rows), or of whole clusters. A row that is drawn twice is one
//! row of twice the weight: two copies would be on both sides of the splits within.

mod figures;
mod importance;
mod nested;
mod optimism;

pub use importance::{ColumnImportance, Importance, importance};
pub use nested::{BootstrapCorrected, Nested, NestedMetric, OuterRun, SelectedOutside};

use crate::control;
use crate::dataset::{Dataset, Response, Task};
use crate::error::{Error, Result};
use crate::model::{Model, Prediction};
use crate::random::{Purpose, Random};
use crate::settings::{Outer, Request};
use crate::solver::Observer;
use crate::split;
use crate::statistics::weighted_mean;
use crate::tune::{self, Fit};
use rayon::prelude::*;

/// How often a bootstrap sample that nothing can be fitted to is drawn again.
const ATTEMPTS: u64 = 100;

/// Independent runs of the whole procedure, each without some of the rows.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    data: &'a Dataset<'a>,
    request: Request,
    outer: Outer,
    splits: Vec<OuterSplit>,
}

/// Rows that a run learns from, and those that it predicts without having seen them.
#[derive(Debug, Clone, PartialEq)]
pub struct OuterSplit {
    /// Ascending.
    pub learned: Vec<usize>,
    /// How often each of them was drawn, of a bootstrap sample.
    pub times: Option<Vec<f64>>,
    /// Ascending.
    pub held_out: Vec<usize>,
}

/// What a run found.
#[derive(Debug, Clone)]
struct Found {
    selected: Vec<usize>,
    /// Of the held-out rows; of all rows for a bootstrap.
    prediction: Prediction,
}

impl<'a> Plan<'a> {
    /// The plan for these data. Refuses what could fail in every run already.
    pub fn new(data: &'a Dataset<'a>, request: &Request) -> Result<Self> {
        let Some(outer) = request.outer else {
            return Err(Error::setting("outer", "say how to validate, such as cv:5"));
        };
        request.check()?;
        request.settings_for(data)?.validate()?;
        Ok(Plan {
            data,
            outer,
            splits: splits(data.response(), outer, request.seed)?,
            // (what a run is made for is its model, and its ensemble is another)
            request: Request {
                outer: None,
                ensemble: Some(false),
                ..request.clone()
            },
        })
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.splits.len()
    }

    /// The rows of every run.
    pub fn splits(&self) -> &[OuterSplit] {
        &self.splits
    }

    /// The seed of a run's fit.
    pub fn seed(&self, number: usize) -> u64 {
        Random::new(self.request.seed, Purpose::Outer, number as u64, 1).word()
    }

    /// What the run with this number finds; the first is 0.
    pub fn run(&self, number: usize, observer: &dyn Observer) -> Result<Vec<f64>> {
        let split = &self.splits[number];
        let part = self.data.drawn(&split.learned, split.times.as_deref());
        let request = Request {
            seed: self.seed(number),
            ..self.request.clone()
        };
        let fit = part.and_then(|part| procedure(&part, &request, observer));
        let model = match fit {
            Err(Error::Data(problem)) => {
                let runs = self.runs();
                let problem = format!(
                    "in run {} of {runs} of the outer validation {problem}",
                    number + 1
                );
                return Err(Error::Data(problem));
            }
            other => other?.model,
        };
        let times = split.times.as_deref();
        let said = said_of(&model, self.data, &split.learned, times, &self.rows(split));
        Ok(self.found(&model.selected(), &said))
    }

    /// What any procedure found in the run with this number: the features that it selects, and what it says of
    /// [`rows`](Self::rows), as [`is_valid`](Self::is_valid) wants it.
    pub fn found(&self, selected: &[usize], said: &Prediction) -> Vec<f64> {
        let selected = std::iter::once(selected.len()).chain(selected.iter().copied());
        let selected = selected.map(|number| number as f64);
        selected.chain(said.columns().concat()).collect()
    }

    /// The rows that a run predicts: those it held out, for a bootstrap all.
    pub fn rows(&self, split: &OuterSplit) -> Vec<usize> {
        match self.outer {
            Outer::Folds { .. } => split.held_out.clone(),
            Outer::Bootstrap { .. } => (0..self.data.n()).collect(),
        }
    }

    /// Whether the run with this number can have found these numbers, which may come from a file.
    pub fn is_valid(&self, number: usize, found: &[f64]) -> bool {
        let split = self.splits.get(number);
        split.is_some_and(|split| self.read(split, found).is_some())
    }

    fn read(&self, split: &OuterSplit, found: &[f64]) -> Option<Found> {
        let count = *found.first()?;
        let features = self.data.features().count();
        if count.fract() != 0.0 || !(0.0..=features as f64).contains(&count) {
            return None;
        }
        let (selected, said) = found[1..].split_at_checked(count as usize)?;
        let known = |j: &f64| j.fract() == 0.0 && (0.0..features as f64).contains(j);
        let (task, rows) = (self.data.outcome().task(), self.rows(split).len());
        let columns = match (task, self.data.response().classes()) {
            (Task::Binary | Task::Multiclass, classes) => classes,
            _ => 1,
        };
        let complete = said.len() == rows * columns && said.iter().all(|value| value.is_finite());
        (complete && selected.iter().all(known)).then(|| Found {
            selected: selected.iter().map(|&j| j as usize).collect(),
            prediction: Prediction::of(task, said.chunks(rows).map(<[f64]>::to_vec).collect()),
        })
    }

    /// What all runs, in their order, say together. `apparent` is what the procedure, done with all
    /// rows, predicts of these: a bootstrap corrects its metrics.
    pub fn combined(&self, found: &[Vec<f64>], apparent: Option<&Prediction>) -> Result<Nested> {
        let read = self.splits.iter().zip(found);
        let read: Option<Vec<Found>> = read.map(|(split, found)| self.read(split, found)).collect();
        let whole = read.filter(|read| read.len() == self.runs() && found.len() == self.runs());
        let Some(found) = whole else {
            let problem = "these are not what the runs of this plan found";
            return Err(Error::Data(problem.into()));
        };
        Ok(nested::combined(self, &found, apparent))
    }
}

/// The whole procedure: selection with error control if that was asked for, and the fit.
pub fn procedure(data: &Dataset, request: &Request, observer: &dyn Observer) -> Result<Fit> {
    let settings = match request.control()? {
        None => request.settings_for(data)?,
        Some(control) => {
            let plan = control::Plan::new(control, data, request)?;
            let runs = (0..plan.runs()).into_par_iter();
            let found: Vec<Vec<f64>> = runs
                .map(|number| plan.run(number, observer))
                .collect::<Result<_>>()?;
            request.on_selected(data, &plan.combined(&found)?.selected())?
        }
    };
    tune::fit(data, &settings, observer)
}

/// What a model says of rows, log-risks counted from their mean over the rows that were learned from:
/// outputs of Cox networks have no zero in common.
fn said_of(
    model: &Model,
    data: &Dataset,
    learned: &[usize],
    times: Option<&[f64]>,
    rows: &[usize],
) -> Prediction {
    match predicted(model, data, rows.to_vec()) {
        Prediction::Risk(risk) => {
            let learned_risk = predicted(model, data, learned.to_vec());
            let response = data.response().drawn(learned, times);
            let learned_risk = learned_risk.columns()[0].iter().copied();
            let mean = weighted_mean(learned_risk, response.weights());
            Prediction::Risk(risk.iter().map(|risk| risk - mean).collect())
        }
        other => other,
    }
}

/// What a model says of rows of the data that it was made for.
pub fn predicted(model: &Model, data: &Dataset, rows: Vec<usize>) -> Prediction {
    let columns: Vec<Vec<f64>> = (model.columns().into_iter())
        .map(|j| rows.iter().map(|&i| data.columns()[j].at(i)).collect())
        .collect();
    model.predict(&columns, rows.len())
}

fn splits(response: &Response, outer: Outer, seed: u64) -> Result<Vec<OuterSplit>> {
    match outer {
        Outer::Folds { count, repeats } => {
            let mut all = vec![];
            for repeat in 0..repeats {
                let seed = Random::new(seed, Purpose::Outer, repeat as u64, 0).word();
                let folds = split::folds(response, count, seed).map_err(of_outer)?;
                all.extend(folds.into_iter().map(|fold| OuterSplit {
                    learned: fold.train,
                    times: None,
                    held_out: fold.held_out,
                }));
            }
            Ok(all)
        }
        Outer::Bootstrap { count } => (0..count)
            .map(|number| sample(response, seed, number))
            .collect(),
    }
}

/// What is wrong with the folds is wrong with this setting.
fn of_outer(error: Error) -> Error {
    match error {
        Error::Setting { problem, .. } => Error::setting("outer", problem),
        other => other,
    }
}

/// A bootstrap sample that can be learned from and leaves rows to predict.
fn sample(response: &Response, seed: u64, number: usize) -> Result<OuterSplit> {
    for attempt in 0..ATTEMPTS {
        let key = number as u64;
        let mut random = Random::new(seed, Purpose::Outer, key, 2 + attempt);
        let drawn = match &response.clusters {
            Some(clusters) => split::resampled(clusters, usize::MAX, &mut random),
            None => resampled(&response.outcome.strata(), &mut random),
        };
        let mut times = vec![0.0; response.len()];
        drawn.into_iter().for_each(|row| times[row] += 1.0);
        let (learned, held_out): (Vec<usize>, Vec<usize>) =
            (0..response.len()).partition(|&row| times[row] > 0.0);
        let can_be_learned = response.outcome.rows(&learned).validate().is_ok();
        if can_be_learned && !held_out.is_empty() {
            times.retain(|&times| times > 0.0);
            return Ok(OuterSplit {
                learned,
                times: Some(times),
                held_out,
            });
        }
    }
    Err(Error::setting(
        "outer",
        "no bootstrap sample of these rows can be learned from and leaves rows to predict; use more rows, or \
         folds such as cv:5",
    ))
}

/// As many rows as there are of each stratum, with replacement.
fn resampled(strata: &[usize], random: &mut Random) -> Vec<usize> {
    let count = strata.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![vec![]; count];
    for (row, &stratum) in strata.iter().enumerate() {
        members[stratum].push(row);
    }
    (members.iter())
        .flat_map(|rows| rows.iter().map(move |_| rows))
        .map(|rows: &Vec<usize>| rows[random.below(rows.len())])
        .collect()
}
