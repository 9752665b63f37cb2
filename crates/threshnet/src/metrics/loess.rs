//! A smooth curve through an outcome: at every point a parabola through the rows near it,
//!
//! ```text
//! minimises Σ wᵢ (1 − (|xᵢ − x₀|/h)³)³ (yᵢ − b₀ − b₁(xᵢ − x₀) − b₂(xᵢ − x₀)²)²
//! ```
//!
//! with h the distance to the last of the nearest three quarters of the rows, each by its case
//! weight (Cleveland & Devlin 1988, JASA 83:596–610): `loess(y ~ x)` of R with
//! `surface = "direct"`. Where few values of x are near, the parabola is a line or a mean.
//!
//! The curve is a weighted sum of outcomes, ŷ(x₀) = Σ lᵢyᵢ; its pointwise 95 % band comes from
//! Σ lᵢ²(yᵢ − ŷ(xᵢ))² (White 1980, Econometrica 48:817–838), a row of weight 2 being two.

use super::ascending;
use super::interval::Z;
use crate::statistics::interpolated;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// The share of the rows that have a say in a point of the curve.
const SPAN: f64 = 0.75;
/// Points at which the curve is computed, at most; it is straight between them.
const POINTS: usize = 200;

/// A curve with its band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SmoothCurve {
    /// Where it is computed, ascending.
    pub at: Vec<f64>,
    /// What is observed there.
    pub observed: Vec<f64>,
    /// The lower end of its 95 % band.
    pub low: Vec<f64>,
    /// The upper end.
    pub high: Vec<f64>,
}

/// What the rows of a curve count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting<'a> {
    /// How many rows each is.
    pub case: &'a [f64],
    /// What it counts beside that, such as 1/Ĝ for the rows that were censored.
    pub censoring: Option<&'a [f64]>,
}

impl Counting<'_> {
    /// What a row counts in a fit.
    pub fn at(&self, row: usize) -> f64 {
        self.case[row] * self.censoring.map_or(1.0, |weights| weights[row])
    }
}

/// The curve through rows that count; none if there are none.
pub(super) fn loess(x: &[f64], y: &[f64], counting: Counting) -> Option<SmoothCurve> {
    let mut order = ascending(x);
    order.retain(|&row| counting.at(row) > 0.0);
    let rows = Sorted {
        x: order.iter().map(|&row| x[row]).collect(),
        y: order.iter().map(|&row| y[row]).collect(),
        case: order.iter().map(|&row| counting.case[row]).collect(),
        weight: order.iter().map(|&row| counting.at(row)).collect(),
    };
    // (rows of which nothing is known have a place on the curve, too)
    let mut distinct: Vec<f64> = (ascending(x).into_iter())
        .filter(|&row| counting.case[row] > 0.0)
        .map(|row| x[row])
        .collect();
    distinct.dedup();
    let count = distinct.len().min(POINTS);
    let last = distinct
        .len()
        .checked_sub(1)
        .filter(|_| !rows.x.is_empty())?;
    let at: Vec<f64> = (0..count)
        .map(|k| distinct[k * last / (count - 1).max(1)])
        .collect();
    let says: Vec<Vec<(usize, f64)>> = at.iter().map(|&x0| rows.says(x0)).collect();
    let observed: Vec<f64> = (says.iter())
        .map(|says| says.iter().map(|&(row, says)| says * rows.y[row]).sum())
        .collect();
    let fitted = |row: usize| interpolated(&at, &observed, rows.x[row]);
    let rest: Vec<f64> = (0..rows.x.len())
        .map(|row| rows.y[row] - fitted(row))
        .collect();
    let half = |says: &Vec<(usize, f64)>| {
        let terms = says
            .iter()
            .map(|&(row, l)| (l * rest[row]).powi(2) / rows.case[row]);
        Z * terms.sum::<f64>().sqrt()
    };
    let halves: Vec<f64> = says.iter().map(half).collect();
    let moved = |by: f64| {
        observed
            .iter()
            .zip(&halves)
            .map(|(o, h)| o + by * h)
            .collect()
    };
    Some(SmoothCurve {
        low: moved(-1.0),
        high: moved(1.0),
        at,
        observed,
    })
}

impl SmoothCurve {
    /// Its height at a point; beyond its ends that of the end.
    pub fn height(&self, x: f64) -> f64 {
        interpolated(&self.at, &self.observed, x)
    }

    /// The curve and its band within these ends.
    pub(super) fn within(mut self, least: f64, most: f64) -> Self {
        for values in [&mut self.observed, &mut self.low, &mut self.high] {
            values.iter_mut().for_each(|v| *v = v.clamp(least, most));
        }
        self
    }
}

/// Rows by x.
struct Sorted {
    x: Vec<f64>,
    y: Vec<f64>,
    case: Vec<f64>,
    weight: Vec<f64>,
}

impl Sorted {
    /// What each row near a point has to say there.
    fn says(&self, x0: f64) -> Vec<(usize, f64)> {
        let reach = self.reach(x0);
        let near = self.x.partition_point(|&x| x < x0 - reach)
            ..self.x.partition_point(|&x| x <= x0 + reach);
        let weights: Vec<(usize, f64, f64)> = near
            .filter_map(|row| {
                let u = match reach > 0.0 {
                    true => (self.x[row] - x0) / reach,
                    false => 0.0,
                };
                let tricube = (1.0 - u.abs().powi(3)).powi(3);
                (tricube > 0.0).then(|| (row, u, self.weight[row] * tricube))
            })
            .collect();
        let mut values: Vec<f64> = weights.iter().map(|&(_, u, _)| u).collect();
        values.dedup();
        // From the parabola down to the mean, which always is.
        let degrees = (0..values.len().min(3)).rev();
        let found = degrees.map(|degree| inverse_row(&weights, degree));
        let c = found.flatten().next().unwrap_or_default();
        let says = |&(row, u, w): &(usize, f64, f64)| (row, w * (c[0] + c[1] * u + c[2] * u * u));
        weights.iter().map(says).collect()
    }

    /// How far the nearest share of the rows reaches.
    fn reach(&self, x0: f64) -> f64 {
        let total: f64 = self.case.iter().sum();
        let wanted = (total * SPAN + 1e-5).floor().max(1.0);
        let (mut low, mut high) = (self.x.partition_point(|&x| x < x0), 0);
        high += low;
        let (mut counted, mut reach) = (0.0, 0.0f64);
        while counted < wanted - 1e-9 && (low > 0 || high < self.x.len()) {
            let below = low
                .checked_sub(1)
                .map_or(f64::INFINITY, |row| x0 - self.x[row]);
            let above = self.x.get(high).map_or(f64::INFINITY, |x| x - x0);
            reach = below.min(above);
            let row = match below < above {
                true => {
                    low -= 1;
                    low
                }
                false => {
                    high += 1;
                    high - 1
                }
            };
            counted += self.case[row];
        }
        reach
    }
}

/// The first row of (XᵀWX)⁻¹ for a polynomial of this degree; none where it is not to be had.
fn inverse_row(weights: &[(usize, f64, f64)], degree: usize) -> Option<Vector3<f64>> {
    let mut moments = [0.0; 5];
    for &(_, u, w) in weights {
        let mut term = w;
        for moment in &mut moments {
            *moment += term;
            term *= u;
        }
    }
    // Powers that are left out stand alone.
    let matrix = Matrix3::from_fn(|i, j| match i.max(j) <= degree {
        true => moments[i + j],
        false => f64::from(u8::from(i == j)),
    });
    let root = matrix.cholesky()?;
    let thin = root.l().diagonal();
    let scale = matrix.diagonal();
    // What is left of a power after the lower ones must be more than rounding.
    let there = (0..=degree).all(|k| thin[k] * thin[k] > 1e-12 * scale[k]);
    there.then(|| root.solve(&Vector3::x()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(x: &[f64], y: &[f64], case: &[f64]) -> SmoothCurve {
        let counting = Counting {
            case,
            censoring: None,
        };
        loess(x, y, counting).unwrap()
    }

    #[test]
    fn parabolas_are_met() {
        let x: Vec<f64> = (0..40).map(|i| 0.025 * f64::from(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| 0.3 + x - 0.4 * x * x).collect();
        let found = through(&x, &y, &[1.0; 40]);
        assert_eq!(found.at, x);
        for (found, y) in found.observed.iter().zip(&y) {
            assert!((found - y).abs() < 1e-12);
        }
        assert!(
            found
                .low
                .iter()
                .zip(&found.high)
                .all(|(l, h)| h - l < 1e-10)
        );
    }

    #[test]
    fn few_values_have_a_line_or_a_mean() {
        let line = through(&[1.0, 1.0, 2.0, 2.0], &[0.0, 1.0, 1.0, 1.0], &[1.0; 4]);
        assert_eq!(line.at, [1.0, 2.0]);
        assert!((line.observed[0] - 0.5).abs() < 1e-12 && (line.observed[1] - 1.0).abs() < 1e-12);
        let mean = through(&[3.0; 4], &[0.0, 1.0, 1.0, 1.0], &[1.0; 4]);
        assert_eq!(mean.observed, [0.75]);
        // σ²/n with σ² by n
        let half = 0.5 * (mean.high[0] - mean.low[0]);
        assert!((half - Z * (0.1875f64 / 4.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean.height(-1.0), 0.75);
        assert!((line.height(1.5) - 0.75).abs() < 1e-12);
    }

    /// Weights of 2 are rows twice, in the curve and in its band.
    #[test]
    fn weights_are_repeated_rows() {
        let x: Vec<f64> = (0..30).map(|i| f64::from(i * i % 31)).collect();
        let y: Vec<f64> = (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let case: Vec<f64> = (0..30).map(|i| f64::from(i % 4)).collect();
        let twice = |values: &[f64]| -> Vec<f64> {
            let many = values.iter().zip(&case);
            many.flat_map(|(&v, &w)| std::iter::repeat_n(v, w as usize))
                .collect()
        };
        let (few, many) = (
            through(&x, &y, &case),
            through(&twice(&x), &twice(&y), &[1.0; 45]),
        );
        for (a, b) in [
            (&few.at, &many.at),
            (&few.observed, &many.observed),
            (&few.low, &many.low),
        ] {
            assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn nobody_has_no_curve() {
        let counting = Counting {
            case: &[0.0],
            censoring: None,
        };
        assert_eq!(loess(&[1.0], &[1.0], counting), None);
    }
}
