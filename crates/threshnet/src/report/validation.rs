//! How λ and ridge were chosen.

use super::Fitted;
use crate::dataset::Task;
use crate::settings::{Rule, Validation};
use crate::solver::Status;
use crate::statistics::Estimate;
use crate::tune::Cell;
use serde::{Deserialize, Serialize};

/// What validation minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossName {
    /// The mean squared error.
    Mse,
    /// The log loss.
    LogLoss,
    /// The negative log partial likelihood, per event.
    NegLogPartialLikelihood,
}

impl LossName {
    /// That of a task.
    pub fn of(task: Task) -> Self {
        match task {
            Task::Regression => LossName::Mse,
            Task::Binary | Task::Multiclass => LossName::LogLoss,
            Task::Cox => LossName::NegLogPartialLikelihood,
        }
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            LossName::Mse => "mse",
            LossName::LogLoss => "log_loss",
            LossName::NegLogPartialLikelihood => "neg_log_partial_likelihood",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            LossName::Mse => "mean squared error",
            LossName::LogLoss => "log loss",
            LossName::NegLogPartialLikelihood => "negative log partial likelihood",
        }
    }
}

/// How λ and ridge were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationFacts {
    /// On which rows; of draws as many as the model is made of.
    pub how: Validation,
    /// Which λ is taken at the best ridge.
    pub rule: Rule,
    /// Whether the model was fitted again on all rows.
    pub refit: bool,
    /// The loss where it was chosen; of draws that of what they make of all but a fold, on
    /// this fold. None without validation.
    pub loss: Option<Estimate>,
    /// The loss on every fold that no draw of its group saw.
    pub fold_losses: Vec<f64>,
    /// By ridge and then λ: `path.csv`.
    pub grid: Vec<GridPoint>,
    /// The position of the chosen one in `grid`, or of each draw's.
    pub chosen: Vec<usize>,
}

/// The model at one (ridge, λ), as validation saw it; what is undefined is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GridPoint {
    /// Ridge.
    pub ridge: f64,
    /// λ.
    pub lambda: f64,
    /// Selected columns, the mean over folds.
    pub size: Option<f64>,
    /// Loss on training rows, likewise.
    pub train_loss: Option<f64>,
    /// Loss on held-out rows, likewise.
    pub validation_loss: Option<f64>,
    /// Its standard error.
    pub validation_se: Option<f64>,
    /// Summed over folds.
    pub epochs: usize,
    /// The worst over folds.
    pub status: Status,
}

impl From<&Cell> for GridPoint {
    fn from(cell: &Cell) -> Self {
        let known = |value: f64| value.is_finite().then_some(value);
        GridPoint {
            ridge: cell.ridge,
            lambda: cell.lambda,
            size: known(cell.size),
            train_loss: known(cell.train_loss),
            validation_loss: known(cell.validation_loss),
            validation_se: known(cell.validation_se),
            epochs: cell.epochs,
            status: cell.status,
        }
    }
}

impl ValidationFacts {
    pub(super) fn of(fitted: &Fitted) -> Self {
        let Fitted { settings, fit, .. } = fitted;
        let how = match settings.validation {
            // (a linear model has more of them than were asked for)
            Validation::Draws { share, .. } => Validation::Draws {
                count: fit.chosen.len(),
                share,
            },
            other => other,
        };
        ValidationFacts {
            how,
            rule: settings.rule,
            refit: settings.refit,
            loss: (how != Validation::None).then_some(fit.validation),
            fold_losses: fit.folds.iter().map(|fold| fold.loss).collect(),
            grid: fit.cells.iter().map(GridPoint::from).collect(),
            chosen: fit.chosen.clone(),
        }
    }

    /// The points of each ridge, by λ.
    pub fn by_ridge(&self) -> Vec<&[GridPoint]> {
        self.grid.chunk_by(|a, b| a.ridge == b.ridge).collect()
    }
}
