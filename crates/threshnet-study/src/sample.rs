//! A replicate's data: rows to fit to, rows to score on, and what is known of
//! the truth.

use super::cohort::Cohort;
use super::digits::Digits;
use super::metric::{Metric, Scored};
use super::plan::{Cell, design_of};
use anyhow::{Result, anyhow, bail};
use std::ops::Range;
use threshnet::dataset::Dataset;
use threshnet::metrics::Selection;
use threshnet::model::Model;
use threshnet::simulate::Simulation;

/// Which draw of a cell.
#[derive(Debug, Clone, Copy)]
pub struct Replicate {
    /// From 1.
    pub number: u64,
    /// What is random depends on it alone.
    pub seed: u64,
}

/// One draw of a cell.
pub struct Sample {
    pub train: Dataset<'static>,
    /// Test rows under a name; most studies have one, without a name.
    pub tests: Vec<(&'static str, Dataset<'static>)>,
    pub truth: Truth,
    /// Whether columns are standardised with the training rows.
    pub standardize: bool,
    /// What test rows are scored by, the main score first.
    pub metrics: Vec<Metric>,
    /// The columns that a clinician has without the laboratory, where that is known.
    pub clinical: Vec<usize>,
    /// Of a table as the engine reads it: the columns of each feature in the arrays of the other
    /// methods. Empty where features are these columns.
    pub encoded: Vec<Range<usize>>,
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

    /// The columns of a cell that a clinician has without the laboratory.
    pub fn clinical(&self, cell: &Cell) -> Vec<usize> {
        self.cohort(cell).map_or(vec![], Cohort::clinical)
    }

    /// A replicate as the engine is given it: real data with their gaps and texts.
    pub fn for_engine(&self, cell: &Cell, replicate: Replicate) -> Result<Sample> {
        match self.cohort(cell) {
            Some(cohort) => cohort.table(replicate),
            None => self.sample(cell, replicate),
        }
    }

    fn cohort(&self, cell: &Cell) -> Option<&Cohort> {
        match self {
            Source::Cohorts(all) => all.iter().find(|cohort| cohort.name == cell.model),
            Source::Simulated | Source::Digits(_) => None,
        }
    }

    /// A replicate of a cell.
    pub fn sample(&self, cell: &Cell, replicate: Replicate) -> Result<Sample> {
        match self {
            Source::Simulated => simulated(cell, replicate.seed),
            Source::Digits(digits) => digits.sample(replicate.seed),
            Source::Cohorts(_) => (self.cohort(cell))
                .ok_or_else(|| anyhow!("{}: no such data", cell.model))?
                .sample(replicate),
        }
    }
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
        metrics: vec![Metric::of_paper(design.task())],
        clinical: vec![],
        encoded: vec![],
    })
}

impl Sample {
    /// The same rows with the columns that matter only, if these are known.
    pub fn oracle(&self) -> Result<Sample> {
        let Truth::Support(columns) = &self.truth else {
            bail!("the columns that matter are not known");
        };
        let only = |data: &Dataset| {
            let names = columns.iter().map(|&j| data.names()[j].clone());
            let values = columns.iter().map(|&j| data.columns()[j].to_vec());
            let outcome = data.outcome().clone();
            Dataset::new(names.collect(), values.collect(), outcome)
        };
        let tests = (self.tests.iter()).map(|(name, test)| Ok((*name, only(test)?)));
        Ok(Sample {
            train: only(&self.train)?,
            tests: tests.collect::<Result<_>>()?,
            truth: Truth::Unknown,
            standardize: self.standardize,
            metrics: self.metrics.clone(),
            clinical: vec![],
            encoded: vec![],
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

    /// Selected features as columns that other methods could have selected.
    pub fn columns_of(&self, features: Vec<usize>) -> Vec<usize> {
        match self.encoded.is_empty() {
            true => features,
            false => (features.into_iter())
                .flat_map(|f| self.encoded[f].clone())
                .collect(),
        }
    }

    /// The scores of a model on test rows, in the order of the metrics.
    pub fn scores(&self, model: &Model, test: &Dataset) -> Vec<threshnet::error::Result<f64>> {
        let columns: Vec<Vec<f64>> = (model.columns().iter())
            .map(|&j| test.columns()[j].to_vec())
            .collect();
        let prediction = model.predict(&columns, test.n());
        let scored = Scored {
            model,
            prediction: &prediction,
            train: self.train.response(),
            test: test.response(),
        };
        (self.metrics.iter())
            .map(|metric| metric.score(&scored))
            .collect()
    }
}
