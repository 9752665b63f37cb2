//! How good a prediction is, and how good a selection is.
//!
//! | outcome | functions | equal to |
//! | --- | --- | --- |
//! | a number | [`r2`], [`mse`] | scikit-learn |
//! | a class | [`accuracy`], [`auc`], [`log_loss`] | scikit-learn |
//! | a class, by threshold | [`thresholds`], [`average_precision`], [`calibration`](fn@calibration) | scikit-learn |
//! | a censored time | [`concordance_harrell`], [`concordance_uno`], [`cumulative_dynamic_auc`] | scikit-survival |
//! | survival at a time | [`brier`](fn@brier), [`integrated_brier`] | scikit-survival |
//! | groups of censored times | [`KaplanMeier`], [`log_rank`](fn@log_rank) | scikit-survival, lifelines |
//! | any, by its task | [`scores`](fn@scores): all of a [`Metric`]'s kind at once | |
//! | a known support | [`Selection`] | the paper's FPR and FNR |
//!
//! Everything is 64 bit and at most O(n log n) per figure. A figure that is
//! undefined on the data (an AUC of one class, a concordance without a
//! comparable pair, squares that overflow) is an error that says why, never a
//! NaN or an infinity.

mod brier;
mod calibration;
mod classification;
mod concordance;
mod kaplan_meier;
mod log_rank;
mod ranking;
mod regression;
mod scores;
mod selection;
mod time_auc;

pub use brier::{brier, integrated_brier};
pub use calibration::{CalibrationBin, calibration};
pub use classification::{accuracy, auc, log_loss};
pub use concordance::{concordance_harrell, concordance_uno};
pub use kaplan_meier::KaplanMeier;
pub use log_rank::{LogRank, log_rank};
pub use ranking::{Threshold, average_precision, thresholds};
pub use regression::{mse, r2};
pub use scores::{Metric, Score, scores};
pub use selection::Selection;
pub use time_auc::{TimeAuc, cumulative_dynamic_auc};

use crate::error::{Error, Result};

/// Censored times: the outcome of rows in a survival analysis.
#[derive(Debug, Clone, Copy)]
pub struct Survival<'a> {
    /// Time to event or censoring, not negative.
    pub time: &'a [f64],
    /// True where the event was seen, false where the row is censored.
    pub event: &'a [bool],
}

impl Survival<'_> {
    /// Refuses times that are missing, infinite or negative, and an event
    /// column of another length; `name` says which rows these are.
    fn check(self, name: &str) -> Result<()> {
        check_rows(
            self.time.len(),
            &format!("{name} event column"),
            self.event.len(),
        )?;
        check_finite(&format!("{name} time"), self.time)?;
        match self.time.iter().position(|&t| t < 0.0) {
            None => Ok(()),
            Some(row) => Err(Error::Data(format!(
                "the {name} time is negative in row {}",
                row + 1
            ))),
        }
    }

    /// Refuses bad rows, and a risk that is not one finite number for each.
    fn check_scored(self, risk: &[f64]) -> Result<()> {
        self.check("scored")?;
        check_rows(self.time.len(), "risk", risk.len())?;
        check_finite("risk", risk)
    }

    /// The earliest time.
    fn first(self) -> f64 {
        self.time.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The latest time, 0 without rows.
    fn last(self) -> f64 {
        self.time.iter().copied().fold(0.0, f64::max)
    }
}

/// Refuses an empty outcome, and a column that is not as long as it.
fn check_rows(rows: usize, name: &str, length: usize) -> Result<()> {
    if rows == 0 {
        return Err(Error::Data("there are no rows to score".into()));
    }
    if length != rows {
        return Err(Error::Data(format!(
            "the {name} has {length} rows, the outcome has {rows}"
        )));
    }
    Ok(())
}

/// Refuses missing and infinite values, naming the row.
fn check_finite(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "the {name} is missing or infinite in row {}",
            row + 1
        ))),
    }
}

/// Positions of finite values from the smallest to the largest. Equal values
/// (0 and −0 among them) end up next to each other, for `chunk_by`.
fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}
