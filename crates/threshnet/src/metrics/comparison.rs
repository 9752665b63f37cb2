//! Two models on the same rows: every figure of both, their difference, and whether chance explains
//! it.
//!
//! Differences are those of the same rows, so what the rows have in common cancels. Intervals and p
//! come from bootstrap samples on which both models are scored ([`Replicates::p_value`]); those of
//! the AUC of two classes are DeLong's where rows are independent and count once each.

use super::evaluation::{check_lengths, drawn, independent};
use super::scores::positive;
use super::{Asked, Bootstrap, DeLong, Evaluation, Interval, Metric, Predicted, delong_difference};
use crate::dataset::{Outcome, Response};
use crate::error::{Error, Result};
use crate::model::Prediction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A figure of two models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Of the first.
    pub a: f64,
    /// Of the second.
    pub b: f64,
    /// a − b.
    pub difference: f64,
    /// Of the difference; none where most samples leave it undefined.
    pub interval: Option<Interval>,
    /// How often chance alone makes a difference as large as this, likewise.
    pub p: Option<f64>,
}

/// All figures of two models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The rows both were scored on.
    pub rows: usize,
    /// 0.95.
    pub level: f64,
    /// Bootstrap samples.
    pub samples: usize,
    /// The seed of their streams.
    pub seed: u64,
    /// What was drawn: `rows` or `clusters`.
    pub drawn: String,
    /// By name, as in [`Evaluation::figures`]: those that are defined for both.
    pub figures: BTreeMap<String, Difference>,
    /// Why something is undefined.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Comparison {
    /// Of predictions of the same rows.
    pub fn new(
        [a, b]: [&Predicted; 2],
        response: &Response,
        asked: &Asked,
        bootstrap: &Bootstrap,
    ) -> Result<Comparison> {
        let asked = asked.of_sample();
        let rows = |of: &Predicted| of.prediction.columns()[0].len();
        if rows(a) != rows(b) {
            return Err(Error::Data(format!(
                "the first predictions are of {} rows, the second of {}: compare models on the \
                 same rows",
                rows(a),
                rows(b)
            )));
        }
        check_lengths(a, response, &asked)?;
        check_lengths(b, response, &asked)?;
        let (of_a, of_b) = (
            Evaluation::plain(a, response, &asked)?,
            Evaluation::plain(b, response, &asked)?,
        );
        let (first, second) = (of_a.figures(), of_b.figures());
        let names: Vec<&String> = first
            .keys()
            .filter(|name| second.contains_key(*name))
            .collect();
        let replicates = bootstrap.replicates(response, |rows| {
            let some = response.rows(rows);
            let of = |predicted: &Predicted| {
                let found = Evaluation::plain(&predicted.rows(rows), &some, &asked);
                found.map(|found| found.figures()).unwrap_or_default()
            };
            let (a, b) = (of(a), of(b));
            let difference = |name: &&String| Some(a.get(*name)? - b.get(*name)?);
            names.iter().map(difference).collect()
        });
        let figures = names.iter().enumerate().map(|(number, name)| {
            let (a_value, b_value) = (first[*name], second[*name]);
            let of_auc = || by_placements(name, [a, b], response);
            let (interval, p) = match of_auc() {
                Some(found) => (found.interval, found.p),
                None => (replicates.interval(number), replicates.p_value(number)),
            };
            let difference = Difference {
                a: a_value,
                b: b_value,
                difference: a_value - b_value,
                interval,
                p,
            };
            (name.to_string(), difference)
        });
        let mut notes = of_a.notes;
        notes.extend(of_b.notes);
        notes.dedup();
        Ok(Comparison {
            rows: response.len(),
            level: 0.95,
            samples: bootstrap.samples,
            seed: bootstrap.seed,
            drawn: drawn(response).into(),
            figures: figures.collect(),
            notes,
        })
    }
}

fn by_placements(name: &str, [a, b]: [&Predicted; 2], response: &Response) -> Option<DeLong> {
    if name != Metric::Auc.name() || !independent(response) {
        return None;
    }
    let (
        Prediction::Probabilities(a),
        Prediction::Probabilities(b),
        Outcome::Classes { labels, .. },
    ) = (&a.prediction, &b.prediction, &response.outcome)
    else {
        return None;
    };
    delong_difference(&positive(labels), &a[1], &b[1], response.weights()).ok()
}
