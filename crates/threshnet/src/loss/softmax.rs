//! Multi-class cross-entropy: (1/n) Σᵢ log Σ_k exp(η_ik − η_i,yᵢ).
//!
//! Every row is shifted by its largest η. The sum is taken without the true
//! class, so that log1p keeps the small loss of a confident prediction.

use super::Loss;

/// Cross-entropy of a multi-class outcome, one output per class.
pub struct Softmax {
    labels: Vec<usize>,
    classes: usize,
}

impl Softmax {
    /// The loss of rows with the given classes, numbered 0..`classes`.
    pub fn new(labels: Vec<usize>, classes: usize) -> Self {
        Softmax { labels, classes }
    }

    /// The loss of one row, and the log of its normaliser.
    fn row(&self, eta: &[f64], i: usize) -> (f64, f64) {
        let n = self.labels.len();
        let own = eta[self.labels[i] * n + i];
        let top = (0..self.classes)
            .map(|k| eta[k * n + i])
            .fold(own, f64::max);
        let others: f64 = (0..self.classes)
            .filter(|&k| k != self.labels[i])
            .map(|k| (eta[k * n + i] - top).exp())
            .sum();
        let loss = if own == top {
            others.ln_1p()
        } else {
            (others + (own - top).exp()).ln() + (top - own)
        };
        (loss, own + loss)
    }
}

/// Class probabilities of every row (`[class][row]`) from the outputs η.
pub fn probabilities(eta: &[f64], classes: usize) -> Vec<Vec<f64>> {
    let n = eta.len() / classes;
    let mut probabilities = vec![vec![0.0; n]; classes];
    for i in 0..n {
        let top = (0..classes)
            .map(|k| eta[k * n + i])
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..classes).map(|k| (eta[k * n + i] - top).exp()).sum();
        for (k, class) in probabilities.iter_mut().enumerate() {
            class[i] = (eta[k * n + i] - top).exp() / sum;
        }
    }
    probabilities
}

impl Loss for Softmax {
    fn outputs(&self) -> usize {
        self.classes
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        (0..self.labels.len()).map(|i| self.row(eta, i).0).collect()
    }

    fn gradient(&self, eta: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.labels.len();
        let scale = 1.0 / n as f64;
        let mut sum = 0.0;
        for i in 0..n {
            let (loss, normaliser) = self.row(eta, i);
            sum += loss;
            let mut wrong = 0.0;
            for k in (0..self.classes).filter(|&k| k != self.labels[i]) {
                let p = (eta[k * n + i] - normaliser).exp();
                gradient[k * n + i] = scale * p;
                wrong += p;
            }
            gradient[self.labels[i] * n + i] = -scale * wrong;
        }
        sum * scale
    }
}
