//! How well rows are predicted that the networks behind a prediction did not see: every metric
//! with an interval.
//!
//! The interval of a metric is that between percentiles of bootstrap samples of the held-out rows
//! ([`Bootstrap::quick`]).

use super::Fitted;
use super::curves::{Curves, curves};
use super::evidence::{Evidence, evidence};
use crate::dataset::Response;
use crate::error::Result;
use crate::metrics::{Bootstrap, Interval, Metric, Score, scores};
use crate::model::Prediction;
use crate::settings::Validation;
use crate::tune::HeldOut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows predicted by networks that did not see them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOutReport {
    /// Why they did not.
    pub kind: HeldOutKind,
    /// How many rows.
    pub rows: usize,
    /// In how many folds.
    pub folds: usize,
    /// Whether the columns were selected with these rows among others, as error control does.
    pub used_in_selection: bool,
    /// Every metric of the task; none where these rows leave it undefined.
    pub metrics: BTreeMap<Metric, Option<MetricEstimate>>,
    /// The main metric of every fold, where it is defined.
    pub by_fold: Vec<Option<f64>>,
    /// What is drawn of them, where there is something to draw.
    pub curves: Option<Curves>,
    /// Whether what is predicted of them is what happens, and what acting on it would bring.
    pub evidence: Evidence,
}

/// Why networks did not see rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldOutKind {
    /// They are a fold that no draw of a group saw.
    UnseenFolds,
    /// They are a fold of a cross-validation, by which λ and ridge were chosen.
    CrossValidation,
    /// They are the hold-out by which λ and ridge were chosen.
    Holdout,
}

/// A metric and its 95 % interval; none if too many samples leave it undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MetricEstimate {
    /// On all held-out rows.
    pub value: f64,
    /// Its lower and its upper end.
    pub interval: Option<(f64, f64)>,
}

/// What held-out rows show, and the scores behind it; none if there are no such rows.
pub(super) fn gathered(fitted: &Fitted) -> Result<Option<(HeldOutReport, Vec<Score>)>> {
    let kind = match fitted.settings.validation {
        Validation::Draws { .. } => HeldOutKind::UnseenFolds,
        Validation::Folds { .. } => HeldOutKind::CrossValidation,
        Validation::Holdout { .. } => HeldOutKind::Holdout,
        Validation::None => return Ok(None),
    };
    let Some(held_out) = &fitted.fit.held_out else {
        return Ok(None);
    };
    let response = fitted.data.response().rows(&held_out.rows);
    let said = &held_out.prediction;
    let found = scores(said, &response)?;
    let intervals = intervals(said, &response, fitted.settings.seed);
    let estimate = |score: &Score| {
        let value = score.value.clone().ok()?;
        let interval = intervals.get(&score.metric).copied();
        Some(MetricEstimate { value, interval })
    };
    let report = HeldOutReport {
        kind,
        rows: held_out.rows.len(),
        folds: held_out.folds.len(),
        used_in_selection: fitted.controlled.is_some(),
        metrics: (found.iter())
            .map(|score| (score.metric, estimate(score)))
            .collect(),
        by_fold: by_fold(held_out, &response),
        curves: curves(said, &response),
        evidence: evidence(said, &response),
    };
    Ok(Some((report, found)))
}

fn by_fold(held_out: &HeldOut, response: &Response) -> Vec<Option<f64>> {
    let main = Metric::main(response.task());
    let mut start = 0;
    let of_fold = |&count: &usize| {
        let rows: Vec<usize> = (start..start + count).collect();
        start += count;
        let said = held_out.prediction.rows(&rows);
        main.value(&said, &response.rows(&rows)).ok()
    };
    held_out.folds.iter().map(of_fold).collect()
}

/// The interval of every metric that is defined on most samples.
fn intervals(said: &Prediction, response: &Response, seed: u64) -> BTreeMap<Metric, (f64, f64)> {
    let of_rows = |rows: &[usize]| -> Vec<Option<f64>> {
        let found = scores(&said.rows(rows), &response.rows(rows)).unwrap_or_default();
        found.into_iter().map(|score| score.value.ok()).collect()
    };
    let found = Bootstrap::quick(seed).intervals(response, of_rows);
    let of_metric = |(&metric, interval): (&Metric, Option<Interval>)| {
        interval.map(|interval| (metric, (interval.low, interval.high)))
    };
    let metrics = Metric::of(response.task()).iter();
    metrics.zip(found).filter_map(of_metric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Outcome, Task, Weights};
    use crate::random::{Purpose, Random};

    fn normal(count: usize) -> Vec<f64> {
        let mut random = Random::new(1, Purpose::Simulation, 0, 0);
        (0..count).map(|_| random.normal()).collect()
    }

    #[test]
    fn intervals_hold_the_values_and_repeat() {
        let (y, noise) = (normal(80), normal(160).split_off(80));
        let p: Vec<f64> = y.iter().zip(&noise).map(|(y, e)| y + e).collect();
        let labels = y.iter().map(|y| usize::from(*y > 0.0)).collect();
        let probability: Vec<f64> = p.iter().map(|p| 1.0 / (1.0 + (-p).exp())).collect();
        let other = probability.iter().map(|p| 1.0 - p).collect();
        for (said, outcome) in [
            (
                Prediction::Numbers(p.clone()),
                Outcome::Continuous(y.clone()),
            ),
            (
                Prediction::Probabilities(vec![other, probability]),
                Outcome::Classes {
                    labels,
                    classes: vec!["no".into(), "yes".into()],
                    task: Task::Binary,
                },
            ),
            (
                Prediction::Risk(p.iter().map(|p| -p).collect()),
                Outcome::Survival {
                    time: y.iter().map(|y| y.exp()).collect(),
                    event: noise.iter().map(|e| *e > -1.0).collect(),
                },
            ),
        ] {
            let outcome = Response::from(outcome);
            let found = intervals(&said, &outcome, 3);
            for score in scores(&said, &outcome).unwrap() {
                let (low, high) = found[&score.metric];
                let value = score.value.unwrap();
                assert!(low < value && value < high, "{:?}", score.metric);
                assert!(high - low < 1.5, "{:?}", score.metric);
            }
            assert_eq!(intervals(&said, &outcome, 3), found);
            assert_ne!(intervals(&said, &outcome, 4), found);
        }
    }

    #[test]
    fn folds_are_scored_one_by_one() {
        let (y, p) = (normal(80), normal(90).split_off(10));
        let held_out = HeldOut {
            rows: (0..80).collect(),
            folds: vec![40, 40],
            prediction: Prediction::Numbers(p.clone()),
        };
        let found = by_fold(&held_out, &Outcome::Continuous(y.clone()).into());
        let second = crate::metrics::r2(&y[40..], &p[40..], Weights::EQUAL).ok();
        assert_eq!((found.len(), found[1]), (2, second));
    }
}
