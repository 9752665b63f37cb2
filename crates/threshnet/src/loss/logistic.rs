//! Logistic loss: (1/n) Σᵢ log(1 + exp(−mᵢ)), mᵢ = ±ηᵢ the margin of row i.
//!
//! With e = exp(−|m|) ≤ 1 the loss is log1p(e) + (−m)₊ and the probability of
//! the wrong class is e/(1+e) or 1/(1+e): nothing overflows, and the small
//! terms of a confident prediction survive.

use super::{Loss, RowPart, by_row};
use crate::kernel::math;

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
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let e = math::exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

/// The loss of a row with this sign, and its slope in η.
#[inline(always)]
fn term_and_slope(sign: f64, eta: f64) -> (f64, f64) {
    let margin = sign * eta;
    let e = math::exp(-margin.abs());
    let wrong = (if margin >= 0.0 { e } else { 1.0 }) / (1.0 + e);
    (math::ln_1p(e) + (-margin).max(0.0), -sign * wrong)
}

impl Loss for Logistic {
    fn outputs(&self) -> usize {
        1
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        self.sign
            .iter()
            .zip(eta)
            .map(|(&sign, &eta)| term_and_slope(sign, eta).0)
            .collect()
    }

    fn gradient(&self, part: RowPart, eta: &[f64], gradient: &mut [f64], _: &mut Vec<f64>) -> f64 {
        let factor = part.factor / self.sign.len() as f64;
        by_row(&self.sign[part.rows], eta, gradient, factor, term_and_slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive() {
        let loss = Logistic::new([true]);
        let mut gradient = [0.0];
        let value = loss.gradient(RowPart::all(1), &[40.0], &mut gradient, &mut vec![]);
        let exact = (-40.0f64).exp();
        assert!((value / exact - 1.0).abs() < 1e-12);
        assert!((gradient[0] / -exact - 1.0).abs() < 1e-12);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert!((sigmoid(-40.0) / exact - 1.0).abs() < 1e-12);
        assert_eq!(loss.value(&[-1000.0]), 1000.0);
    }
}
