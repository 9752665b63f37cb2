//! Squared loss: (1/n) Σᵢ (yᵢ − ηᵢ)², without ½.

use super::{Loss, RowPart, by_row};

/// Squared loss of a continuous outcome.
pub struct Squared {
    y: Vec<f64>,
}

impl Squared {
    /// The loss against `y`.
    pub fn new(y: Vec<f64>) -> Self {
        Squared { y }
    }
}

impl Loss for Squared {
    fn outputs(&self) -> usize {
        1
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        self.y
            .iter()
            .zip(eta)
            .map(|(y, eta)| (y - eta).powi(2))
            .collect()
    }

    fn gradient(&self, part: RowPart, eta: &[f64], gradient: &mut [f64], _: &mut Vec<f64>) -> f64 {
        let factor = part.factor / self.y.len() as f64;
        by_row(&self.y[part.rows], eta, gradient, factor, |y, eta| {
            let residual = eta - y;
            (residual * residual, 2.0 * residual)
        })
    }
}
