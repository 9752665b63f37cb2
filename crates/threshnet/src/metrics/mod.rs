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
//! | whether it is what happens | [`Agreement`], [`d_calibration`](fn@d_calibration) | rms, SurvivalEVAL |
//! | beside knowing nothing | [`Skill`] of Brier scores and log losses | |
//! | to decide by | [`Outcomes`]: sensitivity to net benefit | dcurves |
//! | classes, one by one | [`confusion`](fn@confusion) | scikit-learn |
//! | how sure | [`Bootstrap`], [`delong`](fn@delong) | scipy, pROC |
//! | any, by its task | [`scores`](fn@scores): all of a [`Metric`]'s kind at once | |
//! | all of it | [`Evaluation`]; of two models [`Comparison`] | |
//! | a known support | [`Selection`] | the paper's FPR and FNR |
//!
//! Rows count by their case weights: a row of weight 2 is the row twice, in every figure. (Other
//! packages agree where they take weights.) Everything is 64 bit and at most O(n log n) per figure. A figure that is
//! undefined on the data (an AUC of one class, a concordance without a
//! comparable pair, squares that overflow) is an error that says why, never a
//! NaN or an infinity.

mod agreement;
mod brier;
mod calibration;
mod classification;
mod comparison;
mod concordance;
mod confusion;
mod d_calibration;
mod decision;
mod delong;
mod evaluation;
mod interval;
mod kaplan_meier;
mod line;
mod loess;
mod log_rank;
mod ranking;
mod regression;
mod scores;
mod selection;
mod skill;
mod time_auc;

pub use agreement::Agreement;
pub use brier::{brier, integrated_brier};
pub use calibration::{CalibrationBin, calibration};
pub use classification::{accuracy, auc, log_loss, probability_brier};
pub use comparison::{Comparison, Difference};
pub use concordance::{concordance_harrell, concordance_uno};
pub use confusion::{ClassScores, Confusion, confusion};
pub use d_calibration::{DCalibration, d_calibration};
pub use decision::{Decision, DecisionCurve, Outcomes};
pub use delong::{DeLong, delong, delong_difference};
pub use evaluation::{
    Asked, Decisions, Each, Evaluation, Intervals, NullScores, Part, Predicted, SurvivalScores,
};
pub use interval::{Bootstrap, Interval, IntervalMethod, LEFT_OUT, Replicates};
pub use kaplan_meier::KaplanMeier;
pub use loess::SmoothCurve;
pub use log_rank::{LogRank, log_rank};
pub use ranking::{Threshold, average_precision, thresholds};
pub use regression::{mse, r2};
pub use scores::{Metric, Score, scores};
pub use selection::Selection;
pub use skill::Skill;
pub use time_auc::{TimeAuc, cumulative_dynamic_auc};

use crate::dataset::{Outcome, Response, Weights};
use crate::error::{Error, Result};

/// Censored times: the outcome of rows in a survival analysis.
#[derive(Debug, Clone, Copy)]
pub struct Survival<'a> {
    /// Time to event or censoring, not negative.
    pub time: &'a [f64],
    /// True where the event was seen, false where the row is censored.
    pub event: &'a [bool],
    /// What each row counts.
    pub weights: Weights<'a>,
}

impl<'a> Survival<'a> {
    /// Rows that count once each.
    pub fn new(time: &'a [f64], event: &'a [bool]) -> Self {
        Survival {
            time,
            event,
            weights: Weights::EQUAL,
        }
    }

    /// The rows of a survival outcome; none of another.
    pub fn of(response: &'a Response) -> Option<Self> {
        match &response.outcome {
            Outcome::Survival { time, event } => Some(Survival {
                time,
                event,
                weights: response.weights(),
            }),
            _ => None,
        }
    }
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
        check_weights(self.time.len(), self.weights)?;
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

    /// The rows that count at all: (row, time, event).
    fn counting(self) -> impl Iterator<Item = (usize, f64, bool)> {
        let rows = self.time.iter().zip(self.event).enumerate();
        let rows = rows.map(|(row, (&time, &event))| (row, time, event));
        rows.filter(move |&(row, ..)| self.weights.at(row) > 0.0)
    }

    /// The earliest time.
    fn first(self) -> f64 {
        let times = self.counting().map(|(_, time, _)| time);
        times.fold(f64::INFINITY, f64::min)
    }

    /// The latest time, 0 without rows.
    fn last(self) -> f64 {
        self.counting().map(|(_, time, _)| time).fold(0.0, f64::max)
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

/// Refuses weights of other rows.
fn check_weights(rows: usize, weights: Weights) -> Result<()> {
    match weights.given() {
        None => Ok(()),
        Some(given) => check_rows(rows, "weight", given.len()),
    }
}

/// What some rows count together.
fn total_of<'a>(rows: impl IntoIterator<Item = &'a usize>, weights: Weights) -> f64 {
    rows.into_iter().map(|&row| weights.at(row)).sum()
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

/// Refuses what is no probability, naming the row.
fn check_probability(name: &str, values: &[f64]) -> Result<()> {
    // Written so that NaN is refused too.
    match values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "the {name} is {} in row {}: it must lie in [0, 1]",
            values[row],
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

#[cfg(test)]
mod tests {
    //! A row of weight 2 is the row twice, one of weight 0 is not there.
    use super::*;
    use proptest::prelude::*;

    /// A row: a time or number, whether something happened, a score of few levels, its weight.
    type Row = (u8, bool, i8, usize);

    /// Every figure of these rows, by name; none where it is undefined.
    fn figures(rows: &[Row], weights: Weights) -> Vec<(&'static str, Option<Vec<f64>>)> {
        let numbers: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let happened: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let labels: Vec<usize> = happened.iter().map(|&h| usize::from(h)).collect();
        let score: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
        let said: Vec<usize> = score.iter().map(|&s| usize::from(s > 0.0)).collect();
        let p: Vec<f64> = score.iter().map(|s| 1.0 / (1.0 + (-s).exp())).collect();
        let both = [p.iter().map(|p| 1.0 - p).collect(), p.clone()];
        let censored = Survival {
            weights,
            ..Survival::new(&numbers, &happened)
        };
        let group: Vec<usize> = score.iter().map(|&s| usize::from(s > 0.0)).collect();
        let one = |value: Result<f64>| value.ok().map(|value| vec![value]);
        let steps = thresholds(&happened, &score, weights).ok().map(|steps| {
            let of = |s: &Threshold| {
                [
                    s.at,
                    s.false_positive_rate,
                    s.true_positive_rate,
                    s.precision,
                ]
            };
            steps.iter().flat_map(of).collect()
        });
        let bins = |bins: Vec<CalibrationBin>| -> Vec<f64> {
            let of = |b: &CalibrationBin| [b.predicted, b.observed, b.interval.0, b.interval.1];
            bins.iter().flat_map(of).collect()
        };
        let test = log_rank(censored, &group).ok();
        let curve = KaplanMeier::of_event(censored);
        vec![
            ("r2", one(r2(&numbers, &score, weights))),
            ("mse", one(mse(&numbers, &score, weights))),
            ("accuracy", one(accuracy(&labels, &said, weights))),
            ("log loss", one(log_loss(&labels, &both, weights))),
            ("auc", one(auc(&happened, &score, weights))),
            (
                "average precision",
                one(average_precision(&happened, &score, weights)),
            ),
            ("thresholds", steps),
            (
                "one bin",
                calibration(&happened, &p, weights, 1).ok().map(bins),
            ),
            ("harrell", one(concordance_harrell(censored, &score))),
            (
                "uno",
                one(concordance_uno(censored, censored, &score, None)),
            ),
            (
                "uno up to 5",
                one(concordance_uno(censored, censored, &score, Some(5.0))),
            ),
            (
                "time auc",
                one(cumulative_dynamic_auc(censored, censored, &score, &[4.0]).map(|a| a.mean)),
            ),
            (
                "brier",
                brier(censored, censored, std::slice::from_ref(&p), &[4.0]).ok(),
            ),
            ("log rank", test.map(|test| vec![test.chi_squared, test.p])),
            (
                "kaplan-meier",
                Some((0..9).map(|t| curve.at(f64::from(t))).collect()),
            ),
        ]
    }

    proptest! {
        #[test]
        fn weights_are_repeated_rows(
            rows in prop::collection::vec((0u8..9, any::<bool>(), -3i8..4, 0usize..4), 2..40)
        ) {
            let weights: Vec<f64> = rows.iter().map(|row| row.3 as f64).collect();
            prop_assume!(weights.iter().sum::<f64>() > 1.0);
            let repeated: Vec<Row> = (rows.iter())
                .flat_map(|row| std::iter::repeat_n(*row, row.3))
                .collect();
            let found = figures(&rows, Weights::new(&weights));
            for ((name, few), (_, many)) in found.into_iter().zip(figures(&repeated, Weights::EQUAL)) {
                prop_assert_eq!(few.is_some(), many.is_some(), "{}: {:?} {:?}", name, few, many);
                for (a, b) in few.iter().flatten().zip(many.iter().flatten()) {
                    prop_assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{name}: {a} {b}");
                }
            }
        }

        /// What is left of differences must not keep a curve above zero.
        #[test]
        fn curves_reach_zero_whatever_the_weights(weights in prop::collection::vec(0.01..9.0f64, 1..30)) {
            let time: Vec<f64> = (0..weights.len()).map(|i| i as f64).collect();
            let event = vec![true; weights.len()];
            let curve = KaplanMeier::of_event(Survival {
                weights: Weights::new(&weights),
                ..Survival::new(&time, &event)
            });
            prop_assert_eq!(curve.at(weights.len() as f64), 0.0);
        }
    }
}
