//! Columns in bins: their values by rank, in at most 256 steps.

use crate::dataset::Dataset;
use rayon::prelude::*;

/// Bins of a column.
pub const BINS: usize = 256;

/// Some columns, all rows, a byte a cell.
pub struct Bins {
    columns: Vec<usize>,
    rows: usize,
    /// Column by column.
    codes: Vec<u8>,
    /// Between bin b and the next, by column.
    edges: Vec<Vec<f64>>,
}

impl Bins {
    /// Those of these columns.
    pub fn new(data: &Dataset, columns: &[usize]) -> Bins {
        let rows = data.n();
        let mut codes = vec![0u8; rows * columns.len()];
        let edges = (codes.par_chunks_exact_mut(rows.max(1)))
            .zip(columns)
            .map(|(codes, &column)| {
                let values = data.columns()[column].to_vec();
                let edges = edges(&values);
                for (code, value) in codes.iter_mut().zip(&values) {
                    *code = edges.partition_point(|edge| edge < value) as u8;
                }
                edges
            })
            .collect();
        Bins {
            columns: columns.to_vec(),
            rows,
            codes,
            edges,
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

    /// What is above the values of a bin and below those of the next.
    pub fn edge(&self, place: usize, bin: u8) -> f64 {
        self.edges[place][bin as usize]
    }
}

/// At most 255 numbers between the values of a column, each halfway between two of them, with
/// about as many values between any two.
fn edges(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = |at: usize| {
        let (low, high) = (sorted[at - 1], sorted[at]);
        let middle = low + (high - low) / 2.0;
        // (between neighbours there is nothing)
        if middle < high { middle } else { low }
    };
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
