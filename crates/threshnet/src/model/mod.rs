//! The fitted model: what `predict` needs, in memory (here) and as
//! `model.json` (`file.rs`).

mod file;

pub use file::SCHEMA;

use crate::columns::Scaling;
use crate::dataset::{Features, Task};
use crate::ensemble::mean_response;
use crate::network::Mlp;
use crate::precise;
use crate::statistics::mean;

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
    /// (t, log H₀(t)) at every event time, ascending, for survival.
    pub baseline: Vec<(f64, f64)>,
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

    /// The columns any of its networks uses, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self
            .networks
            .iter()
            .flat_map(|network| network.inputs.iter().copied())
            .collect();
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
        let selected = self.columns();
        let scaled: Vec<Vec<f64>> = (selected.iter().zip(columns))
            .map(|(&j, column)| column.iter().map(|&x| self.scaling.apply(j, x)).collect())
            .collect();
        let outputs = self.networks.iter().map(|network| {
            let inputs: Vec<&[f64]> = (network.inputs.iter())
                .map(|j| &scaled[selected.partition_point(|s| s < j)][..])
                .collect();
            precise::forward(network, &inputs, rows).output().to_vec()
        });
        let mut mean = mean_response(self.task, rows, outputs);
        match self.task {
            Task::Regression => {
                let (center, scale) = self.target;
                let numbers = mean[0].iter().map(|mean| center + scale * mean);
                Prediction::Numbers(numbers.collect())
            }
            Task::Cox => Prediction::Risk(mean.swap_remove(0)),
            Task::Binary | Task::Multiclass => Prediction::Probabilities(mean),
        }
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
