//! Which columns matter together: with PDⱼ, PDₖ and PDⱼₖ the centred partial dependences
//! of a column, another and both,
//!
//! ```text
//! H² = Σᵢ (PDⱼₖ(xᵢⱼ, xᵢₖ) − PDⱼ(xᵢⱼ) − PDₖ(xᵢₖ))² / Σᵢ PDⱼₖ(xᵢⱼ, xᵢₖ)²
//! ```
//!
//! over rows i (Friedman and Popescu 2008, Annals of Applied Statistics 2:916–954): 0 where
//! the two effects add up, 1 where there is nothing but what they do together. Pairs are
//! ranked by the square root of the numerator's mean, which is in the units of the
//! prediction: the ratio alone makes much of pairs that matter little. Classes are taken as
//! log-odds (several: sums over classes), for on probabilities two effects that add up seem
//! to interact wherever the sigmoid bends.

use super::{MOST_WORK, Sample, Scale};
use crate::dataset::Dataset;
use crate::model::Model;
use crate::statistics::mean;
use rayon::prelude::*;

/// Rows whose pairs of values are tried, each with all of them: no fewer and no more.
const ROWS: (usize, usize) = (20, 60);
/// Rows that a joint effect averages over, likewise.
const JOINT_ROWS: (usize, usize) = (20, 200);

/// Two columns and how much they do together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// The columns' numbers.
    pub pair: (usize, usize),
    /// Friedman's H², between 0 and 1 but for the error of a sample.
    pub h2: f64,
    /// The root of the mean square of what they do together.
    pub strength: f64,
}

/// The interactions of all pairs of some selected columns, the strongest first.
pub fn interactions(model: &Model, data: &Dataset, columns: &[usize]) -> Vec<Interaction> {
    let pairs: Vec<(usize, usize)> = (columns.iter().enumerate())
        .flat_map(|(k, &a)| columns[k + 1..].iter().map(move |&b| (a, b)))
        .collect();
    let evaluations = (pairs.len() + columns.len()) * model.networks.len();
    let affordable = (MOST_WORK as f64 / evaluations.max(1) as f64).sqrt() as usize;
    let sample = Sample::new(model, data, affordable.clamp(ROWS.0, ROWS.1));
    let alone: Vec<(usize, Vec<Vec<f64>>)> = (columns.par_iter())
        .filter_map(|&j| Some((j, dependence(&sample, &[sample.position(j)?]))))
        .collect();
    let of = |column: usize| alone.iter().find(|(j, _)| *j == column).map(|(_, pd)| pd);
    let mut found: Vec<Interaction> = (pairs.into_par_iter())
        .filter_map(|(a, b)| {
            let positions = [sample.position(a)?, sample.position(b)?];
            let both = dependence(&sample, &positions);
            let (h2, strength) = compared(&both, of(a)?, of(b)?);
            let pair = (a, b);
            Some(Interaction { pair, h2, strength })
        })
        .collect();
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.pair.cmp(&b.pair)));
    found
}

/// The centred partial dependence at the values that the sample's rows have in some
/// columns, `[class][row]`.
fn dependence(sample: &Sample, positions: &[usize]) -> Vec<Vec<f64>> {
    let by_row: Vec<Vec<f64>> = (0..sample.rows)
        .map(|row| {
            let held: Vec<(usize, f64)> = (positions.iter())
                .map(|&position| (position, sample.columns[position][row]))
                .collect();
            sample.mean_at(&held, Scale::Link)
        })
        .collect();
    (0..by_row[0].len())
        .map(|class| {
            let values = by_row.iter().map(|means| means[class]);
            let mean = mean(values.clone());
            values.map(|value| value - mean).collect()
        })
        .collect()
}

/// H² and the root mean square of what is left of both without each alone.
fn compared(both: &[Vec<f64>], a: &[Vec<f64>], b: &[Vec<f64>]) -> (f64, f64) {
    let rows = both[0].len() as f64;
    let (mut left, mut all) = (0.0, 0.0);
    for ((both, a), b) in both.iter().zip(a).zip(b) {
        for ((both, a), b) in both.iter().zip(a).zip(b) {
            left += (both - a - b) * (both - a - b);
            all += both * both;
        }
    }
    let h2 = if all > 0.0 { left / all } else { 0.0 };
    (h2, (left / rows).sqrt())
}

/// The partial dependence on two selected columns over a grid of their values, `[second][first]`,
/// on the scale of the response; of several classes that of the last. None if one is not selected.
pub fn joint_effect(
    model: &Model,
    data: &Dataset,
    pair: (usize, usize),
    grid: (&[f64], &[f64]),
) -> Option<Vec<Vec<f64>>> {
    let work = grid.0.len() * grid.1.len() * model.networks.len();
    let rows = (MOST_WORK / work.max(1)).clamp(JOINT_ROWS.0, JOINT_ROWS.1);
    let sample = Sample::new(model, data, rows);
    let (a, b) = (sample.position(pair.0)?, sample.position(pair.1)?);
    let cell = |second: f64, first: f64| {
        let means = sample.mean_at(&[(a, first), (b, second)], Scale::Response);
        means.last().copied().unwrap_or(f64::NAN)
    };
    let by_second = grid.1.par_iter();
    let means = by_second.map(|&second| grid.0.iter().map(|&first| cell(second, first)).collect());
    Some(means.collect())
}
