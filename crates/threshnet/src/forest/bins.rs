//! Columns in bins: their values by rank, in at most 256 steps.

use crate::dataset::Dataset;
use rayon::prelude::*;

/// Bins of a column.
pub const BINS: usize = 256;

/// Some columns, all rows, a byte a cell. Where bins end is not kept: of few rows it would take more
/// memory than the bins.
pub struct Bins<'a> {
    data: &'a Dataset<'a>,
    columns: Vec<usize>,
    rows: usize,
    /// Column by column.
    codes: Vec<u8>,
}

impl<'a> Bins<'a> {
    /// Those of these columns.
    pub fn new(data: &'a Dataset<'a>, columns: &[usize]) -> Bins<'a> {
        let rows = data.n();
        let mut codes = vec![0u8; rows * columns.len()];
        (codes.par_chunks_exact_mut(rows.max(1)))
            .zip(columns)
            .for_each(|(codes, &column)| {
                let values = data.columns()[column].to_vec();
                let edges = edges(&values);
                for (code, value) in codes.iter_mut().zip(&values) {
                    *code = edges.partition_point(|edge| edge < value) as u8;
                }
            });
        Bins {
            data,
            columns: columns.to_vec(),
            rows,
            codes,
        }
    }

    /// The numbers of the columns in the data.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The bins of all rows of a column, by its place.
    pub fn codes(&self, place: usize) -> &[u8] {
        &self.codes[place * self.rows..][..self.rows]
    }

    /// What is halfway between the values of rows of lower bins and of rows of higher ones.
    pub fn between(&self, place: usize, lower: &[u32], higher: &[u32]) -> f64 {
        let column = &self.data.columns()[self.columns[place]];
        let of = |row: &u32| column.at(*row as usize);
        let low = lower.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let high = higher.iter().map(of).fold(f64::INFINITY, f64::min);
        halfway(low, high)
    }
}

/// A number that is not below the one and below the other, halfway if there is one.
fn halfway(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    // (between neighbours there is nothing)
    if middle < high { middle } else { low }
}

/// At most 255 numbers between the values of a column, each halfway between two of them, with
/// about as many values between any two.
fn edges(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = |at: usize| halfway(sorted[at - 1], sorted[at]);
    let ends = (1..sorted.len()).filter(|&at| sorted[at - 1] < sorted[at]);
    let ends: Vec<usize> = ends.collect();
    if ends.len() < BINS {
        return ends.into_iter().map(middle).collect();
    }
    let mut edges: Vec<f64> = (1..BINS)
        .map(|bin| {
            let wanted = bin * sorted.len() / BINS;
            let next = ends.partition_point(|&end| end < wanted);
            middle(ends[next.min(ends.len() - 1)])
        })
        .collect();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_keep_the_order_and_few_values_apart() {
        assert_eq!(edges(&[3.0, 1.0, 1.0, 2.0]), [1.5, 2.5]);
        assert_eq!(edges(&[1.0; 4]), [0.0; 0]);
        let next = f64::from_bits(1f64.to_bits() + 1);
        assert_eq!(edges(&[1.0, next]), [1.0]);
        let many: Vec<f64> = (0..5000).map(|i| f64::from(i * 7 % 5000)).collect();
        let edges = edges(&many);
        assert!(edges.len() <= 255 && edges.is_sorted_by(|a, b| a < b));
        let mut counts = vec![0; edges.len() + 1];
        for value in &many {
            counts[edges.partition_point(|edge| edge < value)] += 1;
        }
        assert!(
            counts.iter().all(|count| (15..=25).contains(count)),
            "{counts:?}"
        );
    }
}
