//! Squared loss: Σᵢ wᵢ(yᵢ − ηᵢ)²/Σᵢ wᵢ, without ½.

use super::{Curvature, Loss, RowPart, WeightedRows, by_row};
use crate::dataset::Weights;

/// Squared loss of a continuous outcome.
pub struct Squared(WeightedRows);

impl Squared {
    /// The loss against `y`, every row with its weight.
    pub fn new(y: Vec<f64>, weights: Option<Vec<f64>>) -> Self {
        Squared(WeightedRows {
            outcome: y,
            weights,
        })
    }
}

impl Loss for Squared {
    fn outputs(&self) -> usize {
        1
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        (self.0.outcome.iter().zip(eta))
            .map(|(y, eta)| (y - eta).powi(2))
            .collect()
    }

    fn weights(&self) -> Weights<'_> {
        self.0.weights()
    }

    fn gradient(&self, part: RowPart, eta: &[f64], gradient: &mut [f64], _: &mut Vec<f64>) -> f64 {
        let (rows, factor) = (self.0.part(&part), self.0.factor(&part));
        by_row(rows, eta, gradient, factor, |y, eta| {
            let residual = eta - y;
            (residual * residual, 2.0 * residual)
        })
    }

    fn curvature(&self, eta: &[f64]) -> Curvature {
        self.0.curvature(eta, |_| 2.0)
    }

    fn quadratic(&self) -> bool {
        true
    }
}
