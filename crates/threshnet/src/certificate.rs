//! How far a fitted point is from being stationary.
//!
//! With g the gradient of mean loss + ridge·‖w‖², a stationary point of the
//! objective has
//!
//! * on an active group: g_j + ρ′(‖W₀ⱼ‖)·W₀ⱼ/‖W₀ⱼ‖ = 0,
//! * on an inactive group: ‖g_j‖ ≤ λ√h (of p columns and factor f λf√(ph)), the slope of ρ at zero,
//! * on every other parameter: g = 0.
//!
//! The certificate is the largest violation of each, in 64 bit.

use crate::format::or_nan;
use crate::groups::Divided;
use crate::penalty::Penalty;
use serde::{Deserialize, Serialize};

/// The largest violation of each kind of stationarity condition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// max ‖g_j + ρ′(‖W₀ⱼ‖)·W₀ⱼ/‖W₀ⱼ‖‖₂ over columns in the model.
    #[serde(deserialize_with = "or_nan")]
    pub active: f64,
    /// max (‖g_j‖₂ − λ√h)₊ over columns outside it.
    #[serde(deserialize_with = "or_nan")]
    pub inactive: f64,
    /// max |g| over biases and upper layers.
    #[serde(deserialize_with = "or_nan")]
    pub rest: f64,
}

impl Certificate {
    /// Of a point that was not looked at.
    pub const UNKNOWN: Certificate = Certificate {
        active: f64::NAN,
        inactive: f64::NAN,
        rest: f64::NAN,
    };

    /// Of `weights` with smooth gradient `gradient`. Each of the first inputs has `h` of them;
    /// `inputs` are these by group, and `lambda` is that of one input, λ√h.
    pub fn new(
        penalty: Penalty,
        lambda: f64,
        weights: &[f64],
        gradient: &[f64],
        (inputs, h): (&Divided, usize),
    ) -> Self {
        let (mut active, mut inactive) = (0.0f64, 0.0f64);
        for (own, factor) in inputs.iter() {
            let lambda = lambda * factor;
            let places = || own.iter().flat_map(|input| input * h..(input + 1) * h);
            let norm = euclidean(places().map(|at| weights[at]));
            if norm == 0.0 {
                inactive = larger(
                    inactive,
                    euclidean(places().map(|at| gradient[at])) - lambda,
                );
            } else {
                let slope = penalty.derivative(norm, lambda) / norm;
                let violation = places().map(|at| gradient[at] + slope * weights[at]);
                active = larger(active, euclidean(violation));
            }
        }
        let rest = gradient[inputs.order.len() * h..]
            .iter()
            .fold(0.0, |max, g| larger(max, g.abs()));
        Certificate {
            active,
            inactive,
            rest,
        }
    }

    /// The largest of the three; NaN if the gradient was.
    pub fn largest(&self) -> f64 {
        larger(larger(self.active, self.inactive), self.rest)
    }
}

/// The maximum, where `f64::max` would drop a NaN and call it stationary.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn euclidean(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::Groups;

    #[test]
    fn each_condition_is_seen() {
        // MCP, a = 3, λ = 1: slope at norm 1.5 is 0.5, at norm 5 it is 0.
        let certify = |w: &[f64], g: &[f64]| {
            let inputs: Vec<usize> = (0..w.len() / 2).collect();
            let alone = Groups::default().divide(&inputs);
            Certificate::new(Penalty::MCP, 1.0, w, g, (&alone, 2))
        };
        let still = certify(
            &[1.5, 0.0, 3.0, 4.0, 0.0, 0.0, 9.0],
            &[-0.5, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0],
        );
        assert_eq!(still.largest(), 0.0);
        let moving = certify(&[1.5, 0.0, 0.0, 0.0, 9.0], &[0.0, 0.0, 0.9, 1.2, -0.25]);
        assert!((moving.active - 0.5).abs() < 1e-15);
        assert!((moving.inactive - 0.5).abs() < 1e-15);
        assert_eq!(moving.rest, 0.25);
    }

    #[test]
    fn columns_of_a_group_are_judged_together() {
        // two columns of h = 2, of which λ√2 is allowed; one of them may be zero
        let certify = |w: &[f64], g: &[f64]| {
            let together = Groups::of_sizes(&[2]).divide(&[0, 1]);
            Certificate::new(Penalty::Lasso, 1.0, w, g, (&together, 2))
        };
        let out = certify(&[0.0; 4], &[0.9, 0.9, 0.9, 0.9]);
        assert!((out.inactive - (1.8 - 2f64.sqrt())).abs() < 1e-12);
        let root = 2f64.sqrt();
        let still = certify(&[3.0, 4.0, 0.0, 0.0], &[-0.6 * root, -0.8 * root, 0.0, 0.0]);
        assert!(still.largest() < 1e-12, "{still:?}");
        let moving = certify(&[3.0, 4.0, 0.0, 0.0], &[-0.6 * root, -0.8 * root, 0.0, 0.5]);
        assert!((moving.active - 0.5).abs() < 1e-12);
    }

    #[test]
    fn no_number_is_not_stationary() {
        for at in 0..5 {
            let mut g = [0.0; 5];
            g[at] = f64::NAN;
            let weights = [1.5, 0.0, 0.0, 0.0, 9.0];
            let alone = Groups::default().divide(&[0, 1]);
            let certificate = Certificate::new(Penalty::MCP, 1.0, &weights, &g, (&alone, 2));
            assert!(certificate.largest().is_nan(), "{certificate:?}");
        }
    }
}
