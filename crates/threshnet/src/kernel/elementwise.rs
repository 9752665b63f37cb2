//! a = σ(z), and δ ← δ·σ′(z).

use super::{Isa, Kernel, LANES, Lanes};
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
        for (a, z) in self.a.iter_mut().zip(self.z) {
            for lane in 0..LANES {
                a.0[lane] = match self.activation {
                    Activation::Relu => z.0[lane].max(0.0),
                    smooth => smooth.value(f64::from(z.0[lane])) as f32,
                };
            }
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
        for ((delta, z), a) in self.delta.iter_mut().zip(self.z).zip(self.a) {
            for lane in 0..LANES {
                let delta = &mut delta.0[lane];
                *delta = match self.activation {
                    Activation::Relu if z.0[lane] > 0.0 => *delta,
                    Activation::Relu => 0.0,
                    smooth => {
                        *delta * smooth.slope(f64::from(z.0[lane]), f64::from(a.0[lane])) as f32
                    }
                };
            }
        }
    }
}
