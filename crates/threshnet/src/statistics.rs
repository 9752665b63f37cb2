//! Means, variances and medians, each written once.
//!
//! Sums go from the first value to the last: the same values in the same order have the same
//! mean to the last bit, wherever it is taken.

use crate::dataset::Weights;
use crate::format::or_nan;
use serde::{Deserialize, Serialize};

/// A mean and its standard error; null in files where undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean, in files the `value`.
    #[serde(rename = "value", deserialize_with = "or_nan")]
    pub mean: f64,
    /// Its standard error.
    #[serde(deserialize_with = "or_nan")]
    pub se: f64,
}

impl Estimate {
    /// Of what could not be estimated.
    pub const NAN: Estimate = Estimate {
        mean: f64::NAN,
        se: f64::NAN,
    };
}

/// A mean and the standard deviation around it, by n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// √(Σ(x − mean)²/n).
    pub deviation: f64,
}

/// A mean and the variance around it, by n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// Σ(x − mean)²/n.
    pub variance: f64,
}

/// Σx/n.
pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// Σwx/Σw, with the weight of each value by its position.
pub fn weighted_mean(values: impl ExactSizeIterator<Item = f64>, weights: Weights) -> f64 {
    let total = weights.total(values.len());
    weighted_sum(values, weights) / total
}

fn weighted_sum(values: impl Iterator<Item = f64>, weights: Weights) -> f64 {
    (values.enumerate())
        .map(|(i, value)| weights.at(i) * value)
        .sum()
}

/// Mean and variance, in two passes.
pub fn spread(values: impl ExactSizeIterator<Item = f64> + Clone) -> Spread {
    weighted_spread(values, Weights::EQUAL)
}

/// The same with the weight of each value by its position.
pub fn weighted_spread(
    values: impl ExactSizeIterator<Item = f64> + Clone,
    weights: Weights,
) -> Spread {
    let total = weights.total(values.len());
    let mean = weighted_sum(values.clone(), weights) / total;
    let squares = values.map(|v| (v - mean).powi(2));
    let variance = weighted_sum(squares, weights) / total;
    Spread { mean, variance }
}

/// Mean and standard deviation of values of any size, such as 1e300.
pub fn moments(values: impl ExactSizeIterator<Item = f64> + Clone) -> Moments {
    weighted_moments(values, Weights::EQUAL)
}

/// The same with the weight of each value by its position.
pub fn weighted_moments(
    values: impl ExactSizeIterator<Item = f64> + Clone,
    weights: Weights,
) -> Moments {
    let plain = plain_moments(values.clone(), weights);
    if (plain.deviation * plain.deviation).is_normal() {
        return plain;
    }
    // A constant, or squares beyond the range of 64 bit: count in units of the
    // largest value.
    let unit = values.clone().map(f64::abs).fold(0.0, f64::max);
    if !unit.is_normal() {
        return plain;
    }
    let Moments { mean, deviation } = plain_moments(values.map(|v| v / unit), weights);
    Moments {
        mean: unit * mean,
        deviation: unit * deviation,
    }
}

fn plain_moments(values: impl ExactSizeIterator<Item = f64> + Clone, weights: Weights) -> Moments {
    let Spread { mean, variance } = weighted_spread(values, weights);
    Moments {
        mean,
        deviation: variance.sqrt(),
    }
}

/// The height of a curve that is straight between its points, which ascend, and level beyond them.
pub fn interpolated(at: &[f64], value: &[f64], x: f64) -> f64 {
    let next = at.partition_point(|&a| a < x);
    if next == 0 {
        return value[0];
    }
    if next == at.len() {
        return value[next - 1];
    }
    let share = (x - at[next - 1]) / (at[next] - at[next - 1]);
    value[next - 1] + share * (value[next] - value[next - 1])
}

/// The value in the middle, or the mean of the two there.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// What the largest of so many correlations with noise over n rows seldom exceeds: of 2m
/// normal tails beyond √(2 ln 2m) less than one in ten data sets has any.
pub fn noise_level(correlations: usize, n: f64) -> f64 {
    (2.0 * (2.0 * correlations as f64).ln() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_hold_at_every_scale() {
        for scale in [1.0, 1e160, 1e-170, 1e300, 1e-300, 1.7e308] {
            let values = [0.5, -1.0, 1.0, 0.25].map(|v| v * scale);
            let Moments { mean, deviation } = moments(values.iter().copied());
            assert!((mean / scale - 0.1875).abs() < 1e-15, "{scale}: {mean}");
            let error = deviation / scale - 0.736_864_132_659_474_7;
            assert!(error.abs() < 1e-15, "{scale}: {deviation}");
        }
        for constant in [3.0, 0.0] {
            let expected = Moments {
                mean: constant,
                deviation: 0.0,
            };
            assert_eq!(moments([constant; 4].into_iter()), expected);
        }
        assert!(moments([1.0, f64::NAN].into_iter()).deviation.is_nan());
    }

    #[test]
    fn curves_are_straight_between_points_and_level_beyond() {
        let at = |x| interpolated(&[1.0, 2.0, 4.0], &[0.0, 1.0, 0.0], x);
        assert_eq!(
            [0.5, 1.0, 1.5, 2.0, 3.0, 9.0].map(at),
            [0.0, 0.0, 0.5, 1.0, 0.5, 0.0]
        );
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
