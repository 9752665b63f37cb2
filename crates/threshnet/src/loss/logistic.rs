//! Logistic loss: (1/n) Σᵢ log(1 + exp(−mᵢ)), mᵢ = ±ηᵢ the margin of row i.
//!
//! With e = exp(−|m|) ≤ 1 the loss is log1p(e) + (−m)₊ and the probability of
//! the wrong class is e/(1+e) or 1/(1+e): nothing overflows, and the small
//! terms of a confident prediction survive.

use super::Loss;

/// Cross-entropy of a two-class outcome.
pub struct Logistic {
    /// +1 for the positive class, −1 for the other.
    sign: Vec<f64>,
}

impl Logistic {
    /// The loss of rows that are or are not in the positive class.
    pub fn new(positive: impl IntoIterator<Item = bool>) -> Self {
        Logistic {
            sign: positive
                .into_iter()
                .map(|p| if p { 1.0 } else { -1.0 })
                .collect(),
        }
    }
}

/// 1/(1 + exp(−x)), exact in both tails.
pub fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

fn term(margin: f64) -> f64 {
    (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
}

impl Loss for Logistic {
    fn outputs(&self) -> usize {
        1
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        self.sign
            .iter()
            .zip(eta)
            .map(|(s, eta)| term(s * eta))
            .collect()
    }

    fn gradient(&self, eta: &[f64], gradient: &mut [f64]) -> f64 {
        let scale = 1.0 / self.sign.len() as f64;
        let mut sum = 0.0;
        for ((g, eta), sign) in gradient.iter_mut().zip(eta).zip(&self.sign) {
            let margin = sign * eta;
            let e = (-margin.abs()).exp();
            let wrong = (if margin >= 0.0 { e } else { 1.0 }) / (1.0 + e);
            *g = -sign * scale * wrong;
            sum += e.ln_1p() + (-margin).max(0.0);
        }
        sum * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive() {
        let loss = Logistic::new([true]);
        let mut gradient = [0.0];
        let value = loss.gradient(&[40.0], &mut gradient);
        let exact = (-40.0f64).exp();
        assert!((value / exact - 1.0).abs() < 1e-12);
        assert!((gradient[0] / -exact - 1.0).abs() < 1e-12);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert!((sigmoid(-40.0) / exact - 1.0).abs() < 1e-12);
        assert_eq!(loss.value(&[-1000.0]), 1000.0);
    }
}
