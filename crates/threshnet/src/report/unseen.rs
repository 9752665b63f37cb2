//! The survival that is predicted of rows that networks did not see.
//!
//! Such rows have a log-risk each; how many survive on the whole is not in it. Breslow's estimate of that
//! comes from rows of other parts than the one it is used on, so that no row says what becomes of itself:
//!
//! ```text
//! S(t | i) = exp(−H₀(t) exp(rᵢ)),   H₀ from the rows outside of the part of row i
//! ```

use crate::dataset::{Outcome, Response};
use crate::loss::{Cox, Ties};

/// In so many parts; no cluster is in two.
const PARTS: usize = 5;

/// Rows with their log-risks, and how many survive on the whole by the rows of other parts.
pub struct Unseen<'a> {
    risk: &'a [f64],
    /// The part of every row.
    part: Vec<usize>,
    /// (t, log H₀(t)) by part, at the event times of all others.
    baselines: Vec<Vec<(f64, f64)>>,
}

impl<'a> Unseen<'a> {
    /// None of another outcome than survival.
    pub fn of(response: &Response, risk: &'a [f64]) -> Option<Self> {
        let part: Vec<usize> = match &response.clusters {
            Some(clusters) => clusters.iter().map(|number| number % PARTS).collect(),
            None => (0..risk.len()).map(|row| row % PARTS).collect(),
        };
        let baseline = |number: usize| {
            let others: Vec<usize> = (0..risk.len()).filter(|&row| part[row] != number).collect();
            let of_others = response.rows(&others);
            let Outcome::Survival { time, event } = &of_others.outcome else {
                return None;
            };
            let risk: Vec<f64> = others.iter().map(|&row| risk[row]).collect();
            let loss = Cox::new(time, event, of_others.weights(), Ties::Breslow);
            Some(loss.log_baseline_hazard(&risk))
        };
        let baselines = (0..PARTS).map(baseline).collect::<Option<_>>()?;
        Some(Unseen {
            risk,
            part,
            baselines,
        })
    }

    /// The probability that a row outlives a time.
    pub fn survival(&self, row: usize, time: f64) -> f64 {
        let baseline = &self.baselines[self.part[row]];
        match baseline.partition_point(|(t, _)| *t <= time) {
            0 => 1.0,
            past => (-(baseline[past - 1].1 + self.risk[row]).exp()).exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a row is not in what is predicted of it.
    #[test]
    fn no_row_says_what_becomes_of_itself() {
        let outcome = |first: bool| Outcome::Survival {
            time: (1..=20).map(f64::from).collect(),
            event: (0..20)
                .map(|row| if row == 0 { first } else { row % 3 > 0 })
                .collect(),
        };
        let risk = [0.0; 20];
        let said = |first: bool, row: usize| {
            let response = Response::from(outcome(first));
            Unseen::of(&response, &risk).unwrap().survival(row, 12.0)
        };
        assert_eq!(said(true, 0), said(false, 0));
        assert_ne!(said(true, 1), said(false, 1));
        // by hand: Nelson–Aalen of rows 2 to 4 and 6 to 9 and 11, 12, where risks are equal
        let response = Response::from(outcome(true));
        let unseen = Unseen::of(&response, &risk).unwrap();
        let hazard: f64 = (1..12)
            .filter(|row| row % 5 != 0 && row % 3 > 0)
            .map(|row| 1.0 / (row..20).filter(|other| other % 5 != 0).count() as f64)
            .sum();
        assert!((unseen.survival(0, 12.0) - (-hazard).exp()).abs() < 1e-12);
        assert_eq!(unseen.survival(0, 0.5), 1.0);
    }
}
