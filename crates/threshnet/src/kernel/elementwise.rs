//! a = σ(z), and δ ← δ·σ′(z), for activations that are no [`Epilogue`](super::Epilogue).

use super::{Isa, Kernel, Lanes, as_rows, as_rows_mut};
use crate::activation::Activation;

/// Runs a loop with the activation as a constant.
macro_rules! with_activation {
    ($activation:expr, $constant:ident => $body:block) => {
        with_activation!(@each $activation, $constant => $body,
            Relu Softplus Gelu Tanh Sigmoid Selu)
    };
    (@each $activation:expr, $constant:ident => $body:block, $($variant:ident)+) => {
        match $activation {
            $(Activation::$variant => {
                const $constant: Activation = Activation::$variant;
                $body
            })+
        }
    };
}

/// a = σ(z).
pub struct Activate<'a> {
    /// σ.
    pub activation: Activation,
    /// Its argument.
    pub z: &'a [Lanes],
    /// Its value.
    pub a: &'a mut [Lanes],
}

impl Kernel for Activate<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        // One loop per activation: a choice inside would keep it from vectorising.
        let pairs = as_rows_mut(self.a).iter_mut().zip(as_rows(self.z));
        with_activation!(self.activation, SIGMA => {
            pairs.for_each(|(a, &z)| *a = SIGMA.value(f64::from(z)) as f32);
        });
    }
}

/// δ ← δ·σ′(z).
pub struct MultiplySlope<'a> {
    /// σ.
    pub activation: Activation,
    /// Its argument.
    pub z: &'a [Lanes],
    /// Its value.
    pub a: &'a [Lanes],
    /// What is multiplied.
    pub delta: &'a mut [Lanes],
}

impl Kernel for MultiplySlope<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let delta = as_rows_mut(self.delta).iter_mut();
        let triples = delta.zip(as_rows(self.z)).zip(as_rows(self.a));
        with_activation!(self.activation, SIGMA => {
            triples.for_each(|((delta, &z), &a)| {
                *delta *= SIGMA.slope(f64::from(z), f64::from(a)) as f32;
            });
        });
    }
}
