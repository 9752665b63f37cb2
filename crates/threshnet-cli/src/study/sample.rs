//! A replicate's data: rows to fit to, rows to score on, and what is known of
//! the truth.

use super::cohort::Cohort;
use super::digits::Digits;
use super::plan::{Cell, design_of};
use anyhow::{Result, anyhow, bail};
use threshnet::dataset::{Dataset, Outcome};
use threshnet::metrics::{
    Selection, Survival, accuracy, concordance_harrell, cumulative_dynamic_auc, r2,
};
use threshnet::model::{Model, Prediction};
use threshnet::simulate::Simulation;

use crate::commands::most_probable;

/// One draw of a cell.
pub struct Sample {
    pub train: Dataset,
    /// Test rows under a name; most studies have one, without a name.
    pub tests: Vec<(&'static str, Dataset)>,
    pub truth: Truth,
    /// Whether columns are standardised with the training rows.
    pub standardize: bool,
    /// Times of the time-dependent AUC; without them survival is scored by
    /// Harrell's C-index.
    pub times: Option<Vec<f64>>,
}

/// What is known of the columns that matter.
pub enum Truth {
    /// These and no others.
    Support(Vec<usize>),
    /// None outside of these.
    Within(Vec<usize>),
    Unknown,
}

/// Where the replicates of the cells come from.
pub enum Source {
    Simulated,
    Digits(Digits),
    Cohorts(Vec<Cohort>),
}

impl Source {
    /// The cells of data that are not simulated.
    pub fn cells(&self) -> Vec<Cell> {
        match self {
            Source::Simulated => vec![],
            Source::Digits(digits) => vec![digits.cell()],
            Source::Cohorts(cohorts) => cohorts.iter().map(Cohort::cell).collect(),
        }
    }

    /// A replicate of a cell.
    pub fn sample(&self, cell: &Cell, seed: u64) -> Result<Sample> {
        match self {
            Source::Simulated => simulated(cell, seed),
            Source::Digits(digits) => digits.sample(seed),
            Source::Cohorts(cohorts) => (cohorts.iter())
                .find(|cohort| cohort.name == cell.model)
                .ok_or_else(|| anyhow!("{}: no such data", cell.model))?
                .sample(seed),
        }
    }
}

/// The mean time-dependent AUC over those of `times` that have cases and
/// controls among the scored rows. Rows that outlive the last of them are
/// controls at all of them, whatever becomes of them later: their observation
/// ends there, so that no censoring weight beyond the training rows is needed.
fn mean_auc(
    train: Survival,
    rows: Survival,
    risk: &[f64],
    times: &[f64],
) -> threshnet::error::Result<f64> {
    let last = times.iter().copied().fold(0.0, f64::max);
    let beyond = |t: f64| t > last;
    let time: Vec<f64> = (rows.time.iter())
        .map(|&t| if beyond(t) { last.next_up() } else { t })
        .collect();
    let event: Vec<bool> = (rows.time.iter().zip(rows.event))
        .map(|(&t, &event)| event && !beyond(t))
        .collect();
    let events = time.iter().zip(&event).filter(|(_, event)| **event);
    let first = events.map(|(&t, _)| t).fold(f64::INFINITY, f64::min);
    let end = time.iter().copied().fold(0.0, f64::max);
    let within: Vec<f64> = (times.iter().copied())
        .filter(|t| (first..end).contains(t))
        .collect();
    let rows = Survival {
        time: &time,
        event: &event,
    };
    cumulative_dynamic_auc(train, rows, risk, &within).map(|auc| auc.mean)
}

/// Training and test rows of a design: samples 0 and 1 under the seed.
fn simulated(cell: &Cell, seed: u64) -> Result<Sample> {
    let Some(design) = design_of(&cell.model) else {
        bail!("{}: no such design", cell.model);
    };
    let mut simulation = Simulation::new(design, cell.n, cell.d);
    simulation.seed = seed;
    simulation.correlation = cell.correlation;
    simulation.swapped = cell.swapped;
    simulation.censoring = cell.censoring.unwrap_or(0.0);
    let train = simulation.draw()?;
    simulation.stream = 1;
    Ok(Sample {
        train,
        tests: vec![("", simulation.draw()?)],
        truth: Truth::Support(design.support()),
        standardize: false,
        times: None,
    })
}

impl Sample {
    /// The same rows with the columns that matter only, if these are known.
    pub fn oracle(&self) -> Result<Sample> {
        let Truth::Support(columns) = &self.truth else {
            bail!("the columns that matter are not known");
        };
        let only = |data: &Dataset| {
            Dataset::new(
                columns.iter().map(|&j| data.names()[j].clone()).collect(),
                columns.iter().map(|&j| data.columns()[j].clone()).collect(),
                data.outcome().clone(),
            )
        };
        let tests: Result<Vec<_>, _> = (self.tests.iter())
            .map(|(name, test)| Ok((*name, only(test)?)))
            .collect::<threshnet::error::Result<_>>();
        Ok(Sample {
            train: only(&self.train)?,
            tests: tests?,
            truth: Truth::Unknown,
            standardize: self.standardize,
            times: self.times.clone(),
        })
    }

    /// False positive and false negative rate of a selection, as far as they
    /// are known.
    pub fn rates(&self, selected: &[usize]) -> Result<(Option<f64>, Option<f64>)> {
        let d = self.train.d();
        Ok(match &self.truth {
            Truth::Support(columns) => {
                let selection = Selection::new(selected, columns, d)?;
                (Some(selection.fpr), Some(selection.fnr))
            }
            Truth::Within(columns) => (Some(Selection::new(selected, columns, d)?.fpr), None),
            Truth::Unknown => (None, None),
        })
    }

    /// R², accuracy, C-index or mean time-dependent AUC of a model on test
    /// rows.
    pub fn score(&self, model: &Model, test: &Dataset) -> threshnet::error::Result<f64> {
        let columns: Vec<Vec<f64>> = (model.selected().iter())
            .map(|&j| test.columns()[j].clone())
            .collect();
        match (model.predict(&columns, test.n()), test.outcome()) {
            (Prediction::Numbers(p), Outcome::Continuous(y)) => r2(y, &p),
            (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => {
                accuracy(labels, &most_probable(&p))
            }
            (Prediction::Risk(risk), Outcome::Survival { time, event }) => {
                let rows = Survival { time, event };
                match (&self.times, self.train.outcome()) {
                    (Some(times), Outcome::Survival { time, event }) => {
                        mean_auc(Survival { time, event }, rows, &risk, times)
                    }
                    _ => concordance_harrell(rows, &risk),
                }
            }
            _ => unreachable!("training and test rows have the same outcome"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_without_a_case_and_rows_after_the_last_time_change_no_auc() {
        let time = [3.0, 5.0, 6.0, 8.0, 11.0, 14.0];
        let event = [true, false, true, true, true, false];
        let rows = Survival {
            time: &time,
            event: &event,
        };
        let train_event = [true, false, true, true, true, true];
        let train = Survival {
            time: &time,
            event: &train_event,
        };
        let risk = [4.0, 1.0, 1.5, 3.0, 0.5, 2.0];
        let plain = cumulative_dynamic_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).unwrap();
        // before the first event there is no case, after the last row no control
        let lenient = mean_auc(train, rows, &risk, &[1.0, 4.0, 7.0, 9.0]).unwrap();
        assert!((lenient - plain.mean).abs() < 1e-12);
        // an event that no training row lives to see
        let late = [3.0, 5.0, 6.0, 8.0, 99.0, 14.0];
        let rows = Survival {
            time: &late,
            event: &event,
        };
        assert!(cumulative_dynamic_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).is_err());
        let same = mean_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).unwrap();
        assert!((same - plain.mean).abs() < 1e-12);
    }
}
