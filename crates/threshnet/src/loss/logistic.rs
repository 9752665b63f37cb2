//! Logistic loss: (1/n) Σᵢ log(1 + exp(−mᵢ)), mᵢ = ±ηᵢ the margin of row i.
//!
//! With e = exp(−|m|) ≤ 1 the loss is log1p(e) + (−m)₊ and the probability of
//! the wrong class is e/(1+e) or 1/(1+e): nothing overflows, and the small
//! terms of a confident prediction survive.

use super::Loss;
use crate::kernel::{Isa, Kernel, dispatch, math};

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

fn term(margin: f64) -> f64 {
    math::ln_1p(math::exp(-margin.abs())) + (-margin).max(0.0)
}

/// Writes ∂loss/∂η and adds up the loss, in blocks whose terms are summed at
/// their end: a running sum would keep the loop from vectorising.
struct Gradient<'a> {
    sign: &'a [f64],
    eta: &'a [f64],
    gradient: &'a mut [f64],
    sum: &'a mut f64,
}

impl Kernel for Gradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        const BLOCK: usize = 64;
        let scale = 1.0 / self.sign.len() as f64;
        let blocks = self.sign.chunks(BLOCK).zip(self.eta.chunks(BLOCK));
        for ((sign, eta), gradient) in blocks.zip(self.gradient.chunks_mut(BLOCK)) {
            let mut terms = [0.0; BLOCK];
            for (((term, g), eta), sign) in terms.iter_mut().zip(gradient).zip(eta).zip(sign) {
                let margin = sign * eta;
                let e = math::exp(-margin.abs());
                let wrong = (if margin >= 0.0 { e } else { 1.0 }) / (1.0 + e);
                *g = -sign * scale * wrong;
                *term = math::ln_1p(e) + (-margin).max(0.0);
            }
            *self.sum += scale * terms.iter().sum::<f64>();
        }
    }
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
        let mut sum = 0.0;
        dispatch(Gradient {
            sign: &self.sign,
            eta,
            gradient,
            sum: &mut sum,
        });
        sum
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
