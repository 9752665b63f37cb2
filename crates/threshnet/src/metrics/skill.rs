//! An error beside that of a model that knows no column: what it explains.
//!
//! ```text
//! scaled = 1 − error / error of the null model
//! ```
//!
//! 1 is perfect, 0 no better than saying the same of every row (of a Brier score Brier's skill, of a
//! log loss McFadden's R²).

use super::kaplan_meier::KaplanMeier;
use super::{Survival, brier, integrated_brier, log_loss, probability_brier};
use crate::dataset::Weights;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// An error, that of the null model and what lies between.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// The error of the predictions.
    pub value: f64,
    /// That of saying the same of every row: the shares of the classes, or the Kaplan–Meier curve,
    /// of the scored rows.
    pub null: f64,
    /// The share of it that the predictions save; none where the null model has no error.
    pub scaled: Option<f64>,
}

impl Skill {
    fn new(value: f64, null: f64) -> Self {
        Skill {
            value,
            null,
            scaled: (null > 0.0).then(|| 1.0 - value / null),
        }
    }

    /// Of predicted probabilities, `[class][row]`: their Brier score.
    pub fn brier(labels: &[usize], probabilities: &[Vec<f64>], weights: Weights) -> Result<Skill> {
        let value = probability_brier(labels, probabilities, weights)?;
        let shares = shares(labels, probabilities.len(), weights);
        Ok(Skill::new(
            value,
            probability_brier(labels, &shares, weights)?,
        ))
    }

    /// Of the same: their log loss.
    pub fn log_loss(
        labels: &[usize],
        probabilities: &[Vec<f64>],
        weights: Weights,
    ) -> Result<Skill> {
        let value = log_loss(labels, probabilities, weights)?;
        let shares = shares(labels, probabilities.len(), weights);
        Ok(Skill::new(value, log_loss(labels, &shares, weights)?))
    }

    /// Of predicted survival at times: the Brier score at each, as [`brier`](fn@brier) has it.
    pub fn brier_at(
        train: Survival,
        rows: Survival,
        survival: &[Vec<f64>],
        times: &[f64],
    ) -> Result<Vec<Skill>> {
        let found = brier(train, rows, survival, times)?;
        let null = brier(train, rows, &same_curve(rows, times), times)?;
        let pairs = found.into_iter().zip(null);
        Ok(pairs.map(|(value, null)| Skill::new(value, null)).collect())
    }

    /// Of the same: the integrated Brier score.
    pub fn integrated_brier(
        train: Survival,
        rows: Survival,
        survival: &[Vec<f64>],
        times: &[f64],
    ) -> Result<Skill> {
        let value = integrated_brier(train, rows, survival, times)?;
        let null = integrated_brier(train, rows, &same_curve(rows, times), times)?;
        Ok(Skill::new(value, null))
    }
}

/// The shares of classes, said of every row.
fn shares(labels: &[usize], classes: usize, weights: Weights) -> Vec<Vec<f64>> {
    let total = weights.total(labels.len());
    let share = |class: usize| {
        let rows = (0..labels.len()).filter(|&row| labels[row] == class);
        rows.map(|row| weights.at(row)).sum::<f64>() / total
    };
    (0..classes)
        .map(|class| vec![share(class); labels.len()])
        .collect()
}

/// The Kaplan–Meier curve of the rows, said of every row.
fn same_curve(rows: Survival, times: &[f64]) -> Vec<Vec<f64>> {
    let curve = KaplanMeier::of_event(rows);
    let at = times.iter().map(|&t| vec![curve.at(t); rows.time.len()]);
    at.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_model_explains_nothing_and_an_oracle_all() {
        let labels = [0, 1, 1, 0, 1];
        let equal = Weights::EQUAL;
        let of = |p: [f64; 5]| vec![p.map(|p| 1.0 - p).to_vec(), p.to_vec()];
        let null = Skill::brier(&labels, &of([0.6; 5]), equal).unwrap();
        assert!(null.scaled.unwrap().abs() < 1e-15 && (null.null - 0.24).abs() < 1e-15);
        let sure = of([0.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(
            Skill::brier(&labels, &sure, equal).unwrap().scaled,
            Some(1.0)
        );
        assert!(
            Skill::log_loss(&labels, &sure, equal)
                .unwrap()
                .scaled
                .unwrap()
                > 1.0 - 1e-12
        );
        let one = Skill::brier(
            &[1, 1],
            &of([0.6; 5])[..]
                .iter()
                .map(|c| c[..2].to_vec())
                .collect::<Vec<_>>(),
            equal,
        );
        assert_eq!(one.unwrap().scaled, None);
        let (time, event) = ([1.0, 2.0, 3.0, 4.0], [true; 4]);
        let rows = Survival::new(&time, &event);
        let times = [1.5, 3.5];
        let known = times.map(|t| time.map(|row| f64::from(row > t)).to_vec());
        let found = Skill::integrated_brier(rows, rows, &known, &times).unwrap();
        assert_eq!(found.scaled, Some(1.0));
        let at = Skill::brier_at(rows, rows, &[vec![0.75; 4], vec![0.25; 4]], &times).unwrap();
        assert_eq!(
            at.iter().map(|s| s.scaled).collect::<Vec<_>>(),
            [Some(0.0); 2]
        );
    }
}
