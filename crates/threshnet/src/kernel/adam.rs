//! One step of Adam (Kingma and Ba 2015) on loss + ridge, over all weights.

use super::{Isa, Kernel};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// What depends on the number of the step.
#[derive(Debug, Clone, Copy)]
pub struct AdamRates {
    /// rate/(1 − β₁ᵗ)
    step: f32,
    /// 1/√(1 − β₂ᵗ)
    spread: f32,
}

impl AdamRates {
    /// Those of step `t`, counted from 1.
    pub fn at(t: usize, learning_rate: f64) -> Self {
        let t = t as f64;
        AdamRates {
            step: (learning_rate / (1.0 - f64::from(BETA1).powf(t))) as f32,
            spread: (1.0 / (1.0 - f64::from(BETA2).powf(t)).sqrt()) as f32,
        }
    }
}

/// target = w − step·m/(√v·spread + ε), m and v updated with g + 2·ridge·w.
pub struct AdamStep<'a> {
    /// Current weights.
    pub weights: &'a [f32],
    /// Gradient of the loss.
    pub gradient: &'a [f32],
    /// Running mean of the gradient.
    pub mean: &'a mut [f32],
    /// Running mean of its square.
    pub square: &'a mut [f32],
    /// Where the new weights go.
    pub target: &'a mut [f32],
    /// Factor of ‖w‖².
    pub ridge: f32,
    /// Of this step.
    pub rates: AdamRates,
}

impl Kernel for AdamStep<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let AdamRates { step, spread } = self.rates;
        let double = 2.0 * self.ridge;
        let slots = self.mean.iter_mut().zip(self.square).zip(self.target);
        for ((&w, &g), ((mean, square), target)) in
            self.weights.iter().zip(self.gradient).zip(slots)
        {
            let g = g + double * w;
            *mean = BETA1 * *mean + (1.0 - BETA1) * g;
            *square = BETA2 * *square + (1.0 - BETA2) * g * g;
            *target = w - step * *mean / (square.sqrt() * spread + EPSILON);
        }
    }
}
