//! a = σ(z), and δ ← δ·σ′(z).

use super::{Isa, Kernel, Lanes, as_rows, as_rows_mut};
use crate::activation::Activation;

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
        match self.activation {
            Activation::Relu => pairs.for_each(|(a, &z)| *a = z.max(0.0)),
            smooth => pairs.for_each(|(a, &z)| *a = smooth.value(f64::from(z)) as f32),
        }
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
        match self.activation {
            Activation::Relu => {
                triples.for_each(|((delta, &z), _)| *delta = if z > 0.0 { *delta } else { 0.0 });
            }
            smooth => triples.for_each(|((delta, &z), &a)| {
                *delta *= smooth.slope(f64::from(z), f64::from(a)) as f32;
            }),
        }
    }
}
