//! Squared loss: (1/n) Σᵢ (yᵢ − ηᵢ)², without ½.

use super::Loss;

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

    fn gradient(&self, eta: &[f64], gradient: &mut [f64]) -> f64 {
        let scale = 1.0 / self.y.len() as f64;
        let mut sum = 0.0;
        for ((g, eta), y) in gradient.iter_mut().zip(eta).zip(&self.y) {
            let residual = eta - y;
            *g = 2.0 * scale * residual;
            sum += residual * residual;
        }
        sum * scale
    }
}
