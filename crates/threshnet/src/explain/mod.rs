//! What a fitted model makes of its features: effect curves and interactions. The value of a
//! text is the position of its level.
//!
//! | function | what it tells |
//! | --- | --- |
//! | [`effects`] | how the prediction moves with a column: partial dependence and accumulated local effects |
//! | [`interactions`] | which pairs of columns matter together (Friedman's H²) |
//! | [`joint_effect`] | how the prediction moves with two columns |
//!
//! All of them average predictions over rows of the data, at most so many that the work
//! stays within a budget ([`MOST_WORK`]): these rows are evenly spaced, so the answer is
//! the same every time. They describe the model. Whether the world is like it is a
//! question for the held-out rows.

mod effects;
mod interactions;

pub use effects::{Direction, Effect, effects};
pub use interactions::{Interaction, interactions, joint_effect};

use crate::dataset::{Dataset, Task};
use crate::ensemble::output_of;
use crate::model::{Model, Prediction};
use crate::statistics::mean;

/// Rows that networks compute for one answer, at most (or as near as few rows allow).
pub const MOST_WORK: usize = 4_000_000;

/// A model and some rows, as the features that the model selects.
struct Sample<'a> {
    model: &'a Model,
    /// The selected features.
    selected: Vec<usize>,
    /// Their values, in this order.
    columns: Vec<Vec<f64>>,
    rows: usize,
}

impl<'a> Sample<'a> {
    /// At most so many of the data's rows, evenly spaced.
    fn new(model: &'a Model, data: &Dataset, most: usize) -> Sample<'a> {
        let rows = most.min(data.n()).max(1);
        let row = |i: usize| i * data.n() / rows;
        let selected = model.selected();
        let columns = (selected.iter())
            .map(|&feature| (0..rows).map(|i| value(data, feature, row(i))).collect())
            .collect();
        Sample {
            model,
            selected,
            columns,
            rows,
        }
    }

    /// The position of a feature among the selected.
    fn position(&self, feature: usize) -> Option<usize> {
        self.selected.binary_search(&feature).ok()
    }

    /// The model's predictions of these rows with some columns (by position) in place of
    /// their own.
    fn predict(&self, put: &[(usize, Vec<f64>)]) -> Prediction {
        let mut columns = self.columns.clone();
        for (position, values) in put {
            columns[*position].clone_from(values);
        }
        let features = &self.model.features;
        let encoded: Vec<Vec<f64>> = (self.model.columns().into_iter())
            .map(|j| {
                let feature = features.of_column(j);
                let at = self.selected.partition_point(|&s| s < feature);
                let level = (j - features.columns_of(feature).start) as f64;
                if features.is_indicator(j) {
                    // (here every cell has a value)
                    return vec![0.0; self.rows];
                }
                match features.levels(feature) {
                    None => columns[at].clone(),
                    Some(_) => columns[at]
                        .iter()
                        .map(|&v| f64::from(u8::from(v == level)))
                        .collect(),
                }
            })
            .collect();
        self.model.predict(&encoded, self.rows)
    }

    /// The mean prediction with some columns held at a value.
    fn mean_at(&self, held: &[(usize, f64)], scale: Scale) -> Vec<f64> {
        let put: Vec<(usize, Vec<f64>)> = (held.iter())
            .map(|&(position, value)| (position, vec![value; self.rows]))
            .collect();
        let said = scale.of(self.model.task, self.predict(&put));
        (said.iter())
            .map(|values| mean(values.iter().copied()))
            .collect()
    }
}

/// The value of a feature in a row; of a text, the position of its level.
pub fn value(data: &Dataset, feature: usize, row: usize) -> f64 {
    let mut columns = data.features().columns_of(feature);
    match data.features().levels(feature) {
        None => data.columns()[columns.start].at(row),
        Some(_) => columns
            .position(|j| data.columns()[j].at(row) == 1.0)
            .unwrap_or(0) as f64,
    }
}

/// What is averaged.
#[derive(Clone, Copy)]
enum Scale {
    /// A number, the probability of the positive class (of each of several), a log-risk.
    Response,
    /// The same, but log-odds in place of probabilities (of several classes, logs that sum
    /// to zero in a row). A sigmoid bends what is a sum; there it is one again.
    Link,
}

impl Scale {
    /// `[class][row]`, or `[0][row]`.
    fn of(self, task: Task, prediction: Prediction) -> Vec<Vec<f64>> {
        match (prediction, self) {
            (Prediction::Numbers(values) | Prediction::Risk(values), _) => vec![values],
            (Prediction::Probabilities(mut p), Scale::Response) => match task {
                Task::Binary => vec![p.swap_remove(1)],
                _ => p,
            },
            (Prediction::Probabilities(p), Scale::Link) => match task {
                Task::Binary => vec![output_of(task, p)],
                _ => centered_logs(&p),
            },
        }
    }
}

fn centered_logs(probabilities: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut logs: Vec<Vec<f64>> = (probabilities.iter())
        .map(|of_class| {
            of_class
                .iter()
                .map(|p| p.max(f64::MIN_POSITIVE).ln())
                .collect()
        })
        .collect();
    for row in 0..logs[0].len() {
        let mean = mean(logs.iter().map(|class| class[row]));
        for class in &mut logs {
            class[row] -= mean;
        }
    }
    logs
}
