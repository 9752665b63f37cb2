//! What is known of every row beside its features: the outcome, what the row counts, its fold.

use super::{Outcome, Task, Weights};
use crate::error::{Error, Result};

/// The outcome of every row, its case weight and its fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// What is predicted.
    pub outcome: Outcome,
    /// What each row counts, finite and not negative; none if every row counts once.
    pub weights: Option<Vec<f64>>,
    /// The fold of each row, 1, 2, …, where folds are given; none if they are drawn.
    pub folds: Option<Vec<usize>>,
    /// The number of each row's cluster, whose rows are never on both sides of a split; none if
    /// rows are independent.
    pub clusters: Option<Vec<usize>>,
}

impl From<Outcome> for Response {
    fn from(outcome: Outcome) -> Self {
        Response {
            outcome,
            weights: None,
            folds: None,
            clusters: None,
        }
    }
}

impl Response {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.outcome.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The task that the outcome is for.
    pub fn task(&self) -> Task {
        self.outcome.task()
    }

    /// What each row counts.
    pub fn weights(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    /// What all rows count together.
    pub fn total(&self) -> f64 {
        self.weights().total(self.len())
    }

    /// That of the given rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Response {
        fn some<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&i| all[i]).collect()
        }
        Response {
            outcome: self.outcome.rows(rows),
            weights: self.weights.as_ref().map(|weights| some(weights, rows)),
            folds: self.folds.as_ref().map(|folds| some(folds, rows)),
            clusters: self.clusters.as_ref().map(|numbers| some(numbers, rows)),
        }
    }

    /// That of a sample of rows, in which each counts as often as it was drawn.
    pub fn drawn(&self, rows: &[usize], times: Option<&[f64]>) -> Response {
        let response = self.rows(rows);
        let Some(times) = times else {
            return response;
        };
        let weights = response.weights();
        Response {
            weights: Some(
                (0..rows.len())
                    .map(|row| weights.at(row) * times[row])
                    .collect(),
            ),
            ..response
        }
    }

    /// How many classes there are; none of another outcome.
    pub fn classes(&self) -> usize {
        match &self.outcome {
            Outcome::Classes { classes, .. } => classes.len(),
            _ => 0,
        }
    }

    /// What the rows weigh in a mean over several sets of rows: together, or of a survival
    /// outcome those with an event, for its loss is a mean over events.
    pub fn mass(&self) -> f64 {
        match &self.outcome {
            Outcome::Survival { event, .. } => (event.iter().zip(self.weights().iter(self.len())))
                .filter(|(event, _)| **event)
                .map(|(_, weight)| weight)
                .sum(),
            _ => self.total(),
        }
    }

    /// The rows that count at all, if some do not.
    pub fn present(&self) -> Option<Vec<usize>> {
        let weights = self.weights.as_ref()?;
        let counts = |row: &usize| weights[*row] > 0.0;
        (weights.contains(&0.0)).then(|| (0..weights.len()).filter(counts).collect())
    }

    /// Refuses weights and folds that are none, and an outcome that no model can be fitted to.
    pub fn validate(&self) -> Result<()> {
        self.check_weights()?;
        self.check_folds()?;
        self.outcome.validate()
    }

    /// Refuses folds and clusters of another number of rows, and what is no fold.
    pub fn check_folds(&self) -> Result<()> {
        if let Some(clusters) = &self.clusters
            && clusters.len() != self.len()
        {
            return Err(Error::Data(format!(
                "the clusters of {} rows for {}: give one for each",
                clusters.len(),
                self.len()
            )));
        }
        let Some(folds) = &self.folds else {
            return Ok(());
        };
        if folds.len() != self.len() {
            return Err(Error::Data(format!(
                "{} folds for {} rows: give one for each",
                folds.len(),
                self.len()
            )));
        }
        match folds.iter().position(|&fold| fold == 0) {
            None => Ok(()),
            Some(row) => Err(Error::Data(format!(
                "the fold of row {} is 0: folds are 1, 2, …",
                row + 1
            ))),
        }
    }

    /// Refuses weights of another number of rows, and what is no weight.
    pub fn check_weights(&self) -> Result<()> {
        let Some(weights) = &self.weights else {
            return Ok(());
        };
        if weights.len() != self.len() {
            return Err(Error::Data(format!(
                "{} weights for {} rows: give one for each",
                weights.len(),
                self.len()
            )));
        }
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if let Some(row) = weights.iter().position(|weight| !is_weight(weight)) {
            return Err(Error::Data(format!(
                "the weight of row {} is {}: give a finite number that is not negative, 0 to leave \
                 the row out",
                row + 1,
                weights[row]
            )));
        }
        if !weights.iter().sum::<f64>().is_normal() {
            return Err(Error::Data(
                "the weights sum to nothing, or to more than a number can hold: rescale them"
                    .into(),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted(weights: &[f64]) -> Response {
        Response {
            outcome: Outcome::Survival {
                time: vec![1.0, 2.0, 3.0],
                event: vec![true, false, true],
            },
            weights: Some(weights.to_vec()),
            folds: None,
            clusters: None,
        }
    }

    #[test]
    fn folds_go_with_their_rows() {
        let folded = |folds: &[usize]| Response {
            folds: Some(folds.to_vec()),
            ..weighted(&[1.0; 3])
        };
        folded(&[2, 1, 2]).validate().unwrap();
        assert_eq!(folded(&[2, 1, 3]).rows(&[2, 0]).folds, Some(vec![3, 2]));
        for (folds, problem) in [
            (&[1, 2][..], "2 folds for 3 rows"),
            (&[1, 0, 2], "the fold of row 2 is 0"),
        ] {
            let said = folded(folds).validate().unwrap_err().to_string();
            assert!(said.contains(problem), "{said}");
        }
    }

    #[test]
    fn weights_go_with_their_rows() {
        let response = weighted(&[2.0, 0.0, 0.5]);
        response.validate().unwrap();
        assert_eq!((response.total(), response.mass()), (2.5, 2.5));
        assert_eq!(response.present(), Some(vec![0, 2]));
        let part = response.rows(&[2, 1]);
        assert_eq!(part.weights, Some(vec![0.5, 0.0]));
        assert_eq!(part.mass(), 0.5);
        assert_eq!(weighted(&[1.0, 2.0, 3.0]).present(), None);
        let plain = Response::from(response.outcome);
        assert_eq!((plain.total(), plain.mass()), (3.0, 2.0));
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for (weights, problem) in [
            (&[1.0, 2.0][..], "2 weights for 3 rows"),
            (&[1.0, -1.0, 1.0], "the weight of row 2 is -1"),
            (&[1.0, 1.0, f64::NAN], "the weight of row 3 is NaN"),
            (&[f64::INFINITY, 1.0, 1.0], "the weight of row 1 is inf"),
            (&[0.0; 3], "sum to nothing"),
            (&[f64::MAX; 3], "sum to nothing, or to more"),
        ] {
            let said = weighted(weights).validate().unwrap_err().to_string();
            assert!(said.contains(problem), "{said}");
        }
    }
}
