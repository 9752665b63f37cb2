//! A straight line through an outcome, of a number or of a class:
//!
//! ```text
//! y ≈ a + bx                    minimises Σ wᵢ(yᵢ − a − bxᵢ)²
//! P(y = 1) ≈ 1/(1 + exp(−a − bx))   maximises Σ wᵢ(yᵢηᵢ − log(1 + exp ηᵢ)),  η = a + bx
//! ```
//!
//! the second by Newton's method with halved steps.

use crate::loss::sigmoid;

/// What a line goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// A number.
    Identity,
    /// The log-odds of 1 against 0.
    Logit,
}

/// A line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub intercept: f64,
    pub slope: f64,
}

const STEPS: usize = 100;
/// Errors are the squares of steps: after one of this size none is left.
const ENOUGH: f64 = 1e-9;
/// A fall of the likelihood by this share of it is rounding.
const ROUNDING: f64 = 1e-12;
/// Beyond this many log-odds per standard deviation of x a class is separated.
const STEEPEST: f64 = 1e4;

/// The line through these rows; none where x does not vary or no line fits best.
pub(super) fn line(link: Link, x: &[f64], y: &[f64], weights: &[f64]) -> Option<Line> {
    let total: f64 = weights.iter().sum();
    let mean = sum(x, weights) / total;
    let spread = (x.iter().zip(weights))
        .map(|(x, w)| w * (x - mean).powi(2))
        .sum::<f64>();
    let unit = (spread / total).sqrt();
    // (rounding of a constant's mean is no spread)
    if !unit.is_normal() || unit <= 1e-12 * mean.abs() {
        return None;
    }
    let standard: Vec<f64> = x.iter().map(|x| (x - mean) / unit).collect();
    let found = match link {
        Link::Identity => {
            let product: Vec<f64> = standard.iter().zip(y).map(|(x, y)| x * y).collect();
            Line {
                intercept: sum(y, weights) / total,
                slope: sum(&product, weights) / total,
            }
        }
        Link::Logit => logistic(&standard, y, weights)?,
    };
    let slope = found.slope / unit;
    let intercept = found.intercept - slope * mean;
    // (what overflows is no line)
    (slope.is_finite() && intercept.is_finite()).then_some(Line { intercept, slope })
}

/// The intercept of a line whose slope is 1; none where no intercept fits best.
pub(super) fn shift(link: Link, x: &[f64], y: &[f64], weights: &[f64]) -> Option<f64> {
    let total: f64 = weights.iter().sum();
    match link {
        Link::Identity => Some((sum(y, weights) - sum(x, weights)) / total),
        Link::Logit => {
            let positive = sum(y, weights);
            if !(positive > 0.0 && positive < total) {
                return None;
            }
            // The excess of events falls as the intercept rises: a root between two ends.
            let excess = |a: f64| {
                let said = x.iter().map(|x| sigmoid(a + x)).collect::<Vec<f64>>();
                positive - sum(&said, weights)
            };
            let (mut low, mut high) = (-1.0, 1.0);
            while excess(low) < 0.0 && low > -STEEPEST {
                low *= 2.0;
            }
            while excess(high) > 0.0 && high < STEEPEST {
                high *= 2.0;
            }
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                match excess(middle) > 0.0 {
                    true => low = middle,
                    false => high = middle,
                }
            }
            Some(0.5 * (low + high))
        }
    }
}

fn sum(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(v, w)| w * v).sum()
}

fn logistic(x: &[f64], y: &[f64], weights: &[f64]) -> Option<Line> {
    let likelihood = |at: Line| -> f64 {
        let terms = x.iter().zip(y).zip(weights).map(|((x, y), w)| {
            let eta = at.intercept + at.slope * x;
            w * (y * eta - eta.max(0.0) - (-eta.abs()).exp().ln_1p())
        });
        terms.sum()
    };
    let mut at = Line {
        intercept: 0.0,
        slope: 0.0,
    };
    let mut best = likelihood(at);
    for _ in 0..STEPS {
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for ((x, y), w) in x.iter().zip(y).zip(weights) {
            let p = sigmoid(at.intercept + at.slope * x);
            let (rest, bend) = (w * (y - p), w * p * (1.0 - p));
            g0 += rest;
            g1 += rest * x;
            h00 += bend;
            h01 += bend * x;
            h11 += bend * x * x;
        }
        let determinant = h00 * h11 - h01 * h01;
        if !determinant.is_normal() {
            return None;
        }
        let step = Line {
            intercept: (h11 * g0 - h01 * g1) / determinant,
            slope: (h00 * g1 - h01 * g0) / determinant,
        };
        let mut share = 1.0;
        loop {
            let next = Line {
                intercept: at.intercept + share * step.intercept,
                slope: at.slope + share * step.slope,
            };
            let value = likelihood(next);
            if value >= best - ROUNDING * best.abs() || share < 1e-10 {
                (at, best) = (next, value);
                break;
            }
            share *= 0.5;
        }
        if at.slope.abs() > STEEPEST || at.intercept.abs() > STEEPEST {
            return None;
        }
        let size = at.intercept.abs() + at.slope.abs() + 1.0;
        if step.intercept.abs() + step.slope.abs() <= ENOUGH * size {
            return Some(at);
        }
    }
    // Classes that a threshold separates have no line: the slope grows without end.
    None
}
