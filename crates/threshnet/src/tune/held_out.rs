//! What networks say of rows they did not see.
//!
//! Every row that some network of a fit was not trained on has one prediction here: by
//! the networks of its fold (cross-validation, and draws, whose groups leave a fold each
//! to nobody), or by the model itself (a hold-out). They judge the *kind* of model: those
//! of a fold are made as the model is, of fewer rows. λ and ridge were chosen by how well
//! these rows are predicted (after draws: by rows of other folds, and only the number of
//! columns, what is kept of the penalties and the kind of model by these), so what they
//! show is a little too good.

use crate::dataset::Task;
use crate::model::Prediction;

/// Predictions of rows by networks that did not see them.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The rows, fold by fold.
    pub rows: Vec<usize>,
    /// How many rows each fold has.
    pub folds: Vec<usize>,
    /// What is said of `rows`, in their order. A log-risk is counted from the mean of the
    /// fold's training rows: outputs of Cox networks have no zero in common.
    pub prediction: Prediction,
}

/// What the networks of a fold respond to its rows.
pub struct FoldPrediction {
    pub rows: Vec<usize>,
    /// `[class][row]` or `[0][row]`.
    pub response: Vec<Vec<f64>>,
}

impl HeldOut {
    /// Of all rows, in their order, as one fold.
    pub fn of_all_rows(task: Task, response: Vec<Vec<f64>>) -> HeldOut {
        let rows = (0..response[0].len()).collect();
        let all = FoldPrediction { rows, response };
        HeldOut::of(task, vec![all]).expect("there is a fold")
    }

    /// Puts folds together; none if there are none.
    pub fn of(task: Task, folds: Vec<FoldPrediction>) -> Option<HeldOut> {
        let classes = folds.first()?.response.len();
        let mut response: Vec<Vec<f64>> = vec![vec![]; classes];
        for fold in &folds {
            for (all, some) in response.iter_mut().zip(&fold.response) {
                all.extend(some);
            }
        }
        Some(HeldOut {
            folds: folds.iter().map(|fold| fold.rows.len()).collect(),
            rows: folds.into_iter().flat_map(|fold| fold.rows).collect(),
            prediction: Prediction::of(task, response),
        })
    }
}
