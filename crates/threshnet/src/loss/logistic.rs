//! Logistic loss: Σᵢ wᵢ log(1 + exp(−mᵢ))/Σᵢ wᵢ, mᵢ = ±ηᵢ the margin of row i.
//!
//! With e = exp(−|m|) ≤ 1 the loss is log1p(e) + (−m)₊ and the probability of
//! the wrong class is e/(1+e) or 1/(1+e): nothing overflows, and the small
//! terms of a confident prediction survive.

use super::{Curvature, Loss, RowPart, WeightedRows, by_row};
use crate::dataset::Weights;
use crate::kernel::math;

/// Cross-entropy of a two-class outcome: +1 for the positive class, −1 for the other.
pub struct Logistic(WeightedRows);

impl Logistic {
    /// The loss of rows that are or are not in the positive class, each with its weight.
    pub fn new(positive: impl IntoIterator<Item = bool>, weights: Option<Vec<f64>>) -> Self {
        let sign = |p| if p { 1.0 } else { -1.0 };
        Logistic(WeightedRows {
            outcome: positive.into_iter().map(sign).collect(),
            weights,
        })
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
        (self.0.outcome.iter().zip(eta))
            .map(|(&sign, &eta)| term_and_slope(sign, eta).0)
            .collect()
    }

    fn weights(&self) -> Weights<'_> {
        self.0.weights()
    }

    fn gradient(&self, part: RowPart, eta: &[f64], gradient: &mut [f64], _: &mut Vec<f64>) -> f64 {
        let (rows, factor) = (self.0.part(&part), self.0.factor(&part));
        by_row(rows, eta, gradient, factor, term_and_slope)
    }

    /// p(1 − p), exact in both tails.
    fn curvature(&self, eta: &[f64]) -> Curvature {
        self.0.curvature(eta, |eta| {
            let e = math::exp(-eta.abs());
            e / ((1.0 + e) * (1.0 + e))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive() {
        let loss = Logistic::new([true], None);
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
