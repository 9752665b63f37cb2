//! How a prediction moves with one column.
//!
//! With f the model, x a row and x₋ⱼ the row without column j, **partial dependence**
//! (Friedman 2001, Annals of Statistics 29:1189–1232) is
//!
//! ```text
//! PD(z) = mean over rows of f(z, x₋ⱼ)
//! ```
//!
//! which asks the model about rows that may not exist where columns are correlated.
//! **Accumulated local effects** (Apley and Zhu 2020, JRSS B 82:1059–1086) add up
//! differences within bins of rows that do exist, z₀ < … < z_K quantiles of the column and
//! n_k the rows with zₖ₋₁ < xⱼ ≤ zₖ (those at z₀ are in the first bin):
//!
//! ```text
//! A(z₀) = 0,   A(zₖ) = A(zₖ₋₁) + mean over the bin's rows of f(zₖ, x₋ⱼ) − f(zₖ₋₁, x₋ⱼ)
//! ALE(zₖ) = A(zₖ) − Σ n_k (A(zₖ₋₁) + A(zₖ))/2 / n
//! ```
//!
//! Both are on the scale of the response: numbers, probabilities, log-risks.

use super::{MOST_WORK, Sample, Scale, value};
use crate::dataset::Dataset;
use crate::model::Model;
use crate::statistics::mean;
use rayon::prelude::*;

/// Bins of a column, at most.
const BINS: usize = 20;
/// Rows that are averaged over: no more, and no fewer if there are so many.
const ROWS: (usize, usize) = (50, 500);
/// A move this one-sided has a direction.
const ONE_SIDED: f64 = 0.9;
/// The part of a column's values, at either end, that the swing leaves out.
const TAIL: f64 = 0.05;

/// How a prediction moves as a column grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Up.
    Up,
    /// Down.
    Down,
    /// Both, in turn.
    Both,
    /// Not at all.
    Flat,
}

/// The effect of a feature. A text's local effects are its partial dependence less the mean over
/// rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The feature's number.
    pub column: usize,
    /// Values of the feature (of a text all levels that rows have): its quantiles, ascending, the smallest and the largest
    /// included.
    pub at: Vec<f64>,
    /// Partial dependence, `[class][value]`, or `[0][value]` (of two classes the positive).
    pub partial: Vec<Vec<f64>>,
    /// Accumulated local effects, likewise.
    pub local: Vec<Vec<f64>>,
    /// Largest less smallest local effect between the 5th and the 95th percentile of the
    /// column (over all its values, if these are the same); of several classes the largest.
    pub swing: f64,
    /// Where the local effect goes there; of several classes that with the swing.
    pub direction: Direction,
}

/// The effects of some selected columns.
pub fn effects(model: &Model, data: &Dataset, columns: &[usize]) -> Vec<Effect> {
    let work = columns.len() * (BINS + 1) * model.networks.len();
    let rows = (MOST_WORK / work.max(1)).clamp(ROWS.0, ROWS.1);
    let sample = Sample::new(model, data, rows);
    (columns.par_iter())
        .filter_map(|&column| effect(&sample, data, column))
        .collect()
}

fn effect(sample: &Sample, data: &Dataset, column: usize) -> Option<Effect> {
    let position = sample.position(column)?;
    let mut values: Vec<f64> = (0..data.n()).map(|row| value(data, column, row)).collect();
    values.sort_by(f64::total_cmp);
    let is_text = data.features().levels(column).is_some();
    let at = if is_text {
        distinct(&values)
    } else {
        edges(&values)
    };
    let by_value: Vec<Vec<f64>> = (at.iter())
        .map(|&value| sample.mean_at(&[(position, value)], Scale::Response))
        .collect();
    let partial: Vec<Vec<f64>> = (0..by_value[0].len())
        .map(|class| by_value.iter().map(|means| means[class]).collect())
        .collect();
    let local = match is_text {
        // levels have no order along which anything could accumulate
        true => partial
            .iter()
            .map(|curve| centred(curve, &at, &values))
            .collect(),
        false => accumulated(sample, position, &at),
    };
    let quantile = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    let usual = (quantile(TAIL), quantile(1.0 - TAIL));
    let mut within: Vec<usize> = (0..at.len())
        .filter(|&k| is_text || (usual.0..=usual.1).contains(&at[k]))
        .collect();
    if within.len() < 2 {
        // (all but a few rows have one value, as of a rare mutation)
        within = (0..at.len()).collect();
    }
    let of_class = |curve: &Vec<f64>| moves(within.iter().map(|&k| curve[k]));
    let (swing, direction) = (local.iter().map(of_class))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((0.0, Direction::Flat));
    Some(Effect {
        column,
        at,
        partial,
        local,
        swing,
        direction,
    })
}

/// The distinct ones of so many quantiles of sorted values; all distinct values, if they
/// are few.
fn edges(sorted: &[f64]) -> Vec<f64> {
    let distinct = distinct(sorted);
    if distinct.len() <= BINS + 1 {
        return distinct;
    }
    let mut edges: Vec<f64> = (0..=BINS)
        .map(|k| sorted[k * (sorted.len() - 1) / BINS])
        .collect();
    edges.dedup();
    edges
}

fn distinct(sorted: &[f64]) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    distinct
}

/// A curve without its mean over the rows, which have one of its values each.
fn centred(curve: &[f64], at: &[f64], values: &[f64]) -> Vec<f64> {
    let of_row = |value: &f64| curve[at.partition_point(|a| a < value)];
    let mean = mean(values.iter().map(of_row));
    curve.iter().map(|v| v - mean).collect()
}

/// ALE at the edges, `[class][edge]`.
fn accumulated(sample: &Sample, position: usize, edges: &[f64]) -> Vec<Vec<f64>> {
    let bins = edges.len() - 1;
    let of_row: Vec<usize> = (sample.columns[position].iter())
        .map(|value| {
            edges[1..]
                .partition_point(|edge| edge < value)
                .min(bins.max(1) - 1)
        })
        .collect();
    let moved = |upper: usize| {
        let values = of_row.iter().map(|&bin| edges[(bin + upper).min(bins)]);
        let said = sample.predict(&[(position, values.collect())]);
        Scale::Response.of(sample.model.task, said)
    };
    let (below, above) = (moved(0), moved(1));
    let mut counts = vec![0.0; bins];
    for &bin in of_row.iter().filter(|_| bins > 0) {
        counts[bin] += 1.0;
    }
    (below.iter().zip(&above))
        .map(|(below, above)| {
            let mut sums = vec![0.0; bins];
            for (row, &bin) in of_row.iter().enumerate().filter(|_| bins > 0) {
                sums[bin] += above[row] - below[row];
            }
            let mut curve = vec![0.0; edges.len()];
            let mut centre = 0.0;
            for bin in 0..bins {
                // (a bin of the data may have no row of the sample: nothing is known to move)
                curve[bin + 1] = curve[bin] + sums[bin] / f64::max(counts[bin], 1.0);
                centre += counts[bin] * (curve[bin] + curve[bin + 1]) / 2.0;
            }
            let mean = centre / sample.rows as f64;
            curve.iter().map(|value| value - mean).collect()
        })
        .collect()
}

/// Largest less smallest of a curve, and where it goes.
fn moves(curve: impl Iterator<Item = f64>) -> (f64, Direction) {
    let curve: Vec<f64> = curve.collect();
    let largest = curve.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = curve.iter().copied().fold(f64::INFINITY, f64::min);
    let steps = curve.windows(2).map(|pair| pair[1] - pair[0]);
    let (up, down) = steps.fold((0.0, 0.0), |(up, down), step| {
        (up + f64::max(step, 0.0), down + f64::max(-step, 0.0))
    });
    let direction = if up + down == 0.0 {
        Direction::Flat
    } else if up >= ONE_SIDED * (up + down) {
        Direction::Up
    } else if down >= ONE_SIDED * (up + down) {
        Direction::Down
    } else {
        Direction::Both
    };
    (f64::max(largest - smallest, 0.0), direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_and_swings() {
        let of = |curve: &[f64]| moves(curve.iter().copied());
        assert_eq!(of(&[0.0, 1.0, 3.0]), (3.0, Direction::Up));
        assert_eq!(of(&[3.0, 1.0, 1.05]), (2.0, Direction::Down));
        assert_eq!(of(&[1.0, 0.0, 1.0]), (1.0, Direction::Both));
        assert_eq!(of(&[1.0, 1.0]), (0.0, Direction::Flat));
        assert_eq!(of(&[]), (0.0, Direction::Flat));
    }

    #[test]
    fn edges_are_distinct_values_or_quantiles() {
        assert_eq!(edges(&[0.0, 0.0, 1.0]), [0.0, 1.0]);
        let many: Vec<f64> = (0..101).map(f64::from).collect();
        let found = edges(&many);
        assert_eq!((found.len(), found[0], found[20]), (21, 0.0, 100.0));
        let mut lumpy = vec![0.0; 500];
        lumpy.extend((1..100).map(f64::from));
        assert!(edges(&lumpy).is_sorted_by(|a, b| a < b));
    }
}
