//! The fitted model: what `predict` needs, in memory (here) and as
//! `model.json` (`file.rs`).

mod file;
mod linear;
mod reading;
mod recalibration;

pub use file::SCHEMA;
pub use linear::LinearForm;
pub use reading::{CensoredCells, Decimal, Reading};
pub use recalibration::{BaselineMap, IsotonicMap, LogisticMap, Recalibrate, Recalibration};

use crate::columns::Scaling;
use crate::conformal::Conformal;
use crate::dataset::{Dataset, Features, Task, Unseen};
use crate::ensemble::{mean_response, shared_response, sum, times};
use crate::error::{Error, Result};
use crate::forest::Forest;
use crate::impute::Cells;
use crate::network::Mlp;
use crate::precise;
use crate::statistics::mean;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What it predicts.
    pub task: Task,
    /// All features of the fit, selected or not.
    pub features: Features,
    /// The names of the outcome columns (target, or time and event) in the
    /// file the model was fitted to; empty if it was no file.
    pub outcome: Vec<String>,
    /// How the file was written that the model was fitted to; the usual way if it was no file.
    pub reading: Reading,
    /// What becomes of levels of a text that the fit did not know.
    pub unseen: Unseen,
    /// How raw columns become inputs.
    pub scaling: Scaling,
    /// (center, scale) of a standardised continuous outcome; (0, 1) otherwise.
    pub target: (f64, f64),
    /// The classes in sorted order, for classification; the last of two is the
    /// positive one.
    pub classes: Vec<String>,
    /// What the classes were where they have a type (`int`, `float`, `bool`, `text`): a front
    /// end's note to itself.
    pub class_type: Option<String>,
    /// Whether the output's bias was free of the ridge: it is known then what was minimised.
    pub free_bias: bool,
    /// One network, or several whose predictions are averaged.
    pub networks: Vec<Mlp>,
    /// What each network counts in that average; none if all count the same.
    pub shares: Vec<f64>,
    /// A forest beside the networks of an ensemble, if it counts in it. It is on the scale of the
    /// raw outcome.
    pub forest: Option<SharedForest>,
    /// (t, log H₀(t)) at every event time, ascending, for survival.
    pub baseline: Vec<(f64, f64)>,
    /// What corrects its predictions, learned from rows that its networks did not see.
    pub recalibration: Option<Recalibration>,
    /// Which of these corrections it predicts with, if any.
    pub recalibrated: Option<Recalibrate>,
    /// How badly rows were predicted that had no part in it, from which intervals come.
    pub conformal: Option<Conformal>,
}

/// A forest as a part of an ensemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedForest {
    /// What it counts beside the shares of the networks.
    pub share: f64,
    /// Its trees.
    pub forest: Forest,
}

/// Predictions of a model, on the scale of the response.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// A number per row.
    Numbers(Vec<f64>),
    /// Probabilities, `[class][row]`.
    Probabilities(Vec<Vec<f64>>),
    /// The log of the hazard ratio per row: higher is worse.
    Risk(Vec<f64>),
}

impl Prediction {
    /// What is said of every row: a column per class, or one.
    pub fn columns(&self) -> &[Vec<f64>] {
        match self {
            Prediction::Numbers(values) | Prediction::Risk(values) => std::slice::from_ref(values),
            Prediction::Probabilities(classes) => classes,
        }
    }

    /// Predictions of a task, from what is said of every row: a column per class, or one.
    pub fn of(task: Task, mut columns: Vec<Vec<f64>>) -> Prediction {
        match task {
            Task::Regression => Prediction::Numbers(columns.swap_remove(0)),
            Task::Cox => Prediction::Risk(columns.swap_remove(0)),
            Task::Binary | Task::Multiclass => Prediction::Probabilities(columns),
        }
    }

    /// Predictions of the same kind.
    pub fn like(&self, mut columns: Vec<Vec<f64>>) -> Prediction {
        match self {
            Prediction::Numbers(_) => Prediction::Numbers(columns.swap_remove(0)),
            Prediction::Risk(_) => Prediction::Risk(columns.swap_remove(0)),
            Prediction::Probabilities(_) => Prediction::Probabilities(columns),
        }
    }

    /// Whether every number of a row is one: weights and values may be too large together.
    pub fn is_finite(&self, row: usize) -> bool {
        self.columns().iter().all(|column| column[row].is_finite())
    }

    /// Those of the given rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Prediction {
        let some = |values: &Vec<f64>| rows.iter().map(|&i| values[i]).collect();
        match self {
            Prediction::Numbers(numbers) => Prediction::Numbers(some(numbers)),
            Prediction::Probabilities(p) => Prediction::Probabilities(p.iter().map(some).collect()),
            Prediction::Risk(risk) => Prediction::Risk(some(risk)),
        }
    }
}

/// The class each row most probably has; the first among equals.
pub fn most_probable(probabilities: &[Vec<f64>]) -> Vec<usize> {
    (0..probabilities[0].len())
        .map(|i| {
            (1..probabilities.len()).fold(0, |best, k| {
                if probabilities[k][i] > probabilities[best][i] {
                    k
                } else {
                    best
                }
            })
        })
        .collect()
}

impl Model {
    /// The features any of its networks uses, by number, ascending.
    pub fn selected(&self) -> Vec<usize> {
        self.features.of_columns(&self.columns())
    }

    /// Whether a missing cell has a value here, that which the fit put in its place.
    pub fn imputes(&self) -> bool {
        self.scaling.fill.values().is_some()
    }

    /// The columns any of its networks uses, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let of_networks = self.networks.iter().flat_map(|network| &network.inputs);
        let mut columns: Vec<usize> = of_networks.copied().collect();
        if let Some(SharedForest { forest, .. }) = &self.forest {
            columns.extend(forest.columns());
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The mean over networks of a selected feature's group norm.
    pub fn norm(&self, feature: usize) -> f64 {
        let columns = self.features.columns_of(feature);
        let norm = |network: &Mlp| {
            let first = network.inputs.partition_point(|&j| j < columns.start);
            let end = network.inputs.partition_point(|&j| j < columns.end);
            match end - first {
                1 => network.norm(first),
                _ => (first..end)
                    .map(|at| network.norm(at).powi(2))
                    .sum::<f64>()
                    .sqrt(),
            }
        };
        mean(self.networks.iter().map(norm))
    }

    /// Predicts `rows` rows, given the raw values of its columns in the order of
    /// [`columns`](Self::columns).
    pub fn predict(&self, columns: &[Vec<f64>], rows: usize) -> Prediction {
        if rows == 0 {
            return match self.task {
                Task::Regression => Prediction::Numbers(vec![]),
                Task::Cox => Prediction::Risk(vec![]),
                Task::Binary | Task::Multiclass => {
                    Prediction::Probabilities(vec![vec![]; self.classes.len()])
                }
            };
        }
        let selected = self.columns();
        let scaled_for: BTreeMap<Option<usize>, Vec<Vec<f64>>> = (self.networks.iter())
            .map(|network| network.chain)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|chain| (chain, self.scaled(chain, &selected, columns)))
            .collect();
        let output = |network: &Mlp| {
            let scaled = &scaled_for[&network.chain];
            let inputs: Vec<&[f64]> = (network.inputs.iter())
                .map(|j| &scaled[selected.partition_point(|s| s < j)][..])
                .collect();
            precise::forward(network, &inputs, rows).output().to_vec()
        };
        let mut response = match self.shares.is_empty() {
            true => mean_response(self.task, rows, self.networks.iter().map(output)),
            false => {
                let shared = self.shares.iter().copied();
                let outputs = shared.zip(self.networks.iter().map(output));
                shared_response(self.task, rows, outputs)
            }
        };
        if self.task == Task::Regression {
            let (center, scale) = self.target;
            let of_networks = match self.shares.is_empty() {
                true => 1.0,
                false => self.shares.iter().sum(),
            };
            for number in &mut response[0] {
                *number = of_networks * center + scale * *number;
            }
        }
        if let Some(SharedForest { share, forest }) = &self.forest {
            let value = |j: usize, row: usize| {
                let column = &columns[selected.partition_point(|&s| s < j)];
                self.scaling.fill.of(j, column[row])
            };
            let of_forest = times(forest.response(rows, value), *share);
            response = match response.is_empty() {
                true => of_forest,
                false => sum(response, of_forest),
            };
        }
        let prediction = Prediction::of(self.task, response);
        match (&self.recalibration, self.recalibrated) {
            (Some(corrections), Some(how)) => corrections.apply(how, prediction),
            _ => prediction,
        }
    }

    /// Raw columns of these numbers as a network sees them whose gaps this chain imputes.
    fn scaled(
        &self,
        chain: Option<usize>,
        numbers: &[usize],
        columns: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let scaled = |j: usize, column: &[f64]| -> Vec<f64> {
            column.iter().map(|&x| self.scaling.apply(j, x)).collect()
        };
        let given = numbers.iter().zip(columns);
        let chain = chain.and_then(|number| self.scaling.fill.chain(number));
        let Some(chain) = chain.filter(|_| columns.iter().flatten().any(|x| x.is_nan())) else {
            return given.map(|(&j, column)| scaled(j, column)).collect();
        };
        // (a step of a path may lack columns of the model)
        let chain = chain.restricted_to(numbers, &self.scaling.fill);
        let mut cells: Cells = given.map(|(&j, column)| (j, column.clone())).collect();
        chain.complete(&mut cells, &self.scaling.fill);
        cells.iter().map(|(&j, column)| scaled(j, column)).collect()
    }

    /// Predicts rows of the data it was fitted to.
    pub(crate) fn predict_rows(&self, data: &Dataset, rows: &[usize]) -> Prediction {
        let of_column = |j: usize| rows.iter().map(|&i| data.columns()[j].at(i)).collect();
        let columns: Vec<Vec<f64>> = self.columns().into_iter().map(of_column).collect();
        self.predict(&columns, rows.len())
    }

    /// The model that predicts with one of its corrections.
    pub fn recalibrate(mut self, how: Recalibrate) -> Result<Model> {
        let problem = |what: String| Err(Error::Model(what));
        let (name, task) = (how.name(), self.task.name());
        match (how, self.task) {
            (Recalibrate::Logistic | Recalibrate::Isotonic, Task::Binary | Task::Multiclass)
            | (Recalibrate::Baseline, Task::Cox) => {}
            _ => {
                return problem(format!(
                    "{name} does not correct a {task} model; classes have logistic and isotonic, \
                     survival has baseline"
                ));
            }
        }
        if self.recalibrated.is_some() {
            return problem("the model is recalibrated already".into());
        }
        let Some(corrections) = self.recalibration.as_ref().filter(|all| all.has(how)) else {
            return problem(format!(
                "the model has no {name} recalibration: it was fitted without held-out rows or by an \
                 earlier version, or its held-out rows do not support one; fit it again with \
                 validation"
            ));
        };
        if let (Recalibrate::Baseline, Some(map)) = (how, &corrections.baseline) {
            self.baseline = map.steps();
        }
        self.recalibrated = Some(how);
        Ok(self)
    }

    /// S(t) = exp(−H₀(t)·exp(risk)) for a row of this risk.
    pub fn survival(&self, risk: f64, time: f64) -> f64 {
        match self.log_baseline(time) {
            f64::NEG_INFINITY => 1.0,
            log_hazard => (-(log_hazard + risk).exp()).exp(),
        }
    }

    /// log H₀(t): −∞ before the first event.
    pub fn log_baseline(&self, time: f64) -> f64 {
        let past = self.baseline.partition_point(|(t, _)| *t <= time);
        (past.checked_sub(1)).map_or(f64::NEG_INFINITY, |step| self.baseline[step].1)
    }
}
