//! Activations σ and their slopes σ′, in terms of the branch-free functions of
//! [`math`], so that a loop over one activation becomes vector code.

use crate::kernel::math;
use crate::loss::sigmoid;
use serde::{Deserialize, Serialize};

/// λ and λα of SELU (Klambauer et al. 2017).
pub(crate) const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
pub(crate) const SELU_FLOOR: f64 = 1.758_099_340_847_376_6;

/// The function between two layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// max(z, 0)
    Relu,
    /// log(1 + eᶻ)
    Softplus,
    /// z·Φ(z), Φ the normal distribution function
    Gelu,
    /// tanh z
    Tanh,
    /// 1/(1 + e⁻ᶻ)
    Sigmoid,
    /// z above 0 and α(eᶻ − 1) below, both scaled by 1.0507
    Selu,
}

impl Activation {
    /// Every activation, for tests and listings.
    pub const ALL: [Activation; 6] = [
        Activation::Relu,
        Activation::Softplus,
        Activation::Gelu,
        Activation::Tanh,
        Activation::Sigmoid,
        Activation::Selu,
    ];

    /// σ(z).
    #[inline(always)]
    pub fn value(self, z: f64) -> f64 {
        match self {
            Activation::Relu => z.max(0.0),
            Activation::Softplus => z.max(0.0) + math::ln_1p(math::exp(-z.abs())),
            Activation::Gelu => z * normal_cdf(z),
            Activation::Tanh => {
                let e = math::exp_m1(-2.0 * z.abs());
                (-e / (2.0 + e)).copysign(z)
            }
            Activation::Sigmoid => sigmoid(z),
            Activation::Selu => {
                let below = SELU_FLOOR * math::exp_m1(if z > 0.0 { 0.0 } else { z });
                if z > 0.0 { SELU_SCALE * z } else { below }
            }
        }
    }

    /// σ′(z), given a = σ(z) as well. ReLU has slope 0 at 0.
    #[inline(always)]
    pub fn slope(self, z: f64, a: f64) -> f64 {
        match self {
            Activation::Relu => f64::from(u8::from(z > 0.0)),
            Activation::Softplus => sigmoid(z),
            Activation::Gelu => {
                const INVERSE_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
                normal_cdf(z) + z * INVERSE_SQRT_2PI * math::exp(-0.5 * z * z)
            }
            Activation::Tanh => 1.0 - a * a,
            Activation::Sigmoid => a * (1.0 - a),
            Activation::Selu => {
                if z > 0.0 {
                    SELU_SCALE
                } else {
                    a + SELU_FLOOR
                }
            }
        }
    }
}

/// Φ(z), with the small values of the lower tail.
#[inline(always)]
fn normal_cdf(z: f64) -> f64 {
    0.5 * math::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_equal_central_differences() {
        for activation in Activation::ALL {
            for i in -40..40 {
                let z = f64::from(i) * 0.25 + 0.1;
                let step = 1e-6;
                let difference =
                    (activation.value(z + step) - activation.value(z - step)) / (2.0 * step);
                let slope = activation.slope(z, activation.value(z));
                assert!((slope - difference).abs() < 1e-8, "{activation:?} at {z}");
            }
        }
    }

    #[test]
    fn small_arguments_keep_their_digits() {
        for z in [1e-3, -1e-9, 1e-15, -1e-30] {
            assert!(
                (Activation::Tanh.value(z) / f64::tanh(z) - 1.0).abs() < 1e-14,
                "{z}"
            );
            let selu = if z > 0.0 {
                SELU_SCALE * z
            } else {
                SELU_FLOOR * f64::exp_m1(z)
            };
            assert!(
                (Activation::Selu.value(z) / selu - 1.0).abs() < 1e-14,
                "{z}"
            );
        }
    }

    #[test]
    fn known_values_and_far_tails() {
        // torch.nn.functional of the same names, at 1 and −1
        for (activation, at_one, at_minus_one) in [
            (Activation::Relu, 1.0, 0.0),
            (Activation::Softplus, 1.3132616875, 0.3132616875),
            (Activation::Gelu, 0.8413447461, -0.1586552539),
            (Activation::Tanh, 0.7615941560, -0.7615941560),
            (Activation::Sigmoid, 0.7310585786, 0.2689414214),
            (Activation::Selu, 1.0507009874, -1.1113307379),
        ] {
            assert!(
                (activation.value(1.0) - at_one).abs() < 1e-9,
                "{activation:?}"
            );
            assert!(
                (activation.value(-1.0) - at_minus_one).abs() < 1e-9,
                "{activation:?}"
            );
            for z in [-1000.0, 1000.0] {
                let a = activation.value(z);
                assert!(
                    a.is_finite() && activation.slope(z, a).is_finite(),
                    "{activation:?}"
                );
            }
        }
    }
}
