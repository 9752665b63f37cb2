//! The columns a network is trained on: chosen rows, standardised, in single
//! precision, column by column.

use crate::dataset::Dataset;
use crate::kernel::{Lanes, as_rows, as_rows_mut};

/// How raw columns become inputs: (x − center)/scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// Subtracted from a column.
    pub center: Vec<f64>,
    /// Divides it then.
    pub scale: Vec<f64>,
}

impl Scaling {
    /// Learned on the given rows: mean 0 and standard deviation 1 (by n) if
    /// `standardize`, else columns as they are.
    pub fn learn(data: &Dataset, rows: &[usize], standardize: bool) -> Self {
        let (center, scale) = data
            .columns()
            .iter()
            .map(|column| {
                if standardize && varies(column, rows) {
                    moments(rows.iter().map(|&i| column[i]))
                } else {
                    (0.0, 1.0)
                }
            })
            .unzip();
        Scaling { center, scale }
    }

    /// A value of column `j` as the network sees it.
    pub fn apply(&self, j: usize, value: f64) -> f64 {
        (value - self.center[j]) / self.scale[j]
    }
}

/// The columns that vary over the given rows: the others cannot be learned
/// from, so they never enter a network.
pub fn usable_columns(data: &Dataset, rows: &[usize]) -> Vec<usize> {
    (0..data.d())
        .filter(|&j| varies(&data.columns()[j], rows))
        .collect()
}

fn varies(column: &[f64], rows: &[usize]) -> bool {
    rows.iter().any(|&i| column[i] != column[rows[0]])
}

/// Mean and standard deviation (by n), in two passes.
pub fn moments(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let (mean, deviation) = plain_moments(values.clone());
    if (deviation * deviation).is_normal() {
        return (mean, deviation);
    }
    // A constant, or squares beyond the range of 64 bit: count in units of the
    // largest value.
    let unit = values.clone().map(f64::abs).fold(0.0, f64::max);
    if !unit.is_normal() {
        return (mean, deviation);
    }
    let (mean, deviation) = plain_moments(values.map(|v| v / unit));
    (unit * mean, unit * deviation)
}

fn plain_moments(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

/// Rows of a data set, scaled: `blocks` lanes per column, the last padded
/// with zeros.
pub struct Design {
    rows: usize,
    blocks: usize,
    values: Vec<Lanes>,
}

impl Design {
    /// The given rows of every column.
    pub fn new(data: &Dataset, rows: &[usize], scaling: &Scaling) -> Self {
        let blocks = Lanes::for_rows(rows.len());
        let mut values = vec![Lanes::ZERO; blocks * data.d()];
        for (j, (lanes, column)) in values
            .chunks_exact_mut(blocks)
            .zip(data.columns())
            .enumerate()
        {
            for (slot, &i) in as_rows_mut(lanes).iter_mut().zip(rows) {
                *slot = scaling.apply(j, column[i]) as f32;
            }
        }
        Design {
            rows: rows.len(),
            blocks,
            values,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Lanes per column.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// All columns, as the kernels want them.
    pub fn lanes(&self) -> &[Lanes] {
        &self.values
    }

    /// The given columns, as plain rows.
    pub fn columns(&self, inputs: &[usize]) -> Vec<&[f32]> {
        inputs
            .iter()
            .map(|&j| &as_rows(&self.values[j * self.blocks..(j + 1) * self.blocks])[..self.rows])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;

    fn data() -> Dataset {
        Dataset::new(
            vec!["a".into(), "b".into(), "c".into()],
            vec![
                vec![1e6 + 1.0, 1e6 + 2.0, 1e6 + 3.0, 9e9],
                vec![5.0, 5.0, 5.0, 7.0],
                vec![0.0, 0.0, 3.0, 100.0],
            ],
            Outcome::Continuous(vec![1.0, 2.0, 3.0, 4.0]),
        )
        .unwrap()
    }

    #[test]
    fn only_training_rows_decide() {
        let rows = [0, 1, 2];
        let scaling = Scaling::learn(&data(), &rows, true);
        let usable = usable_columns(&data(), &rows);
        assert_eq!(usable, [0, 2]);
        let design = Design::new(&data(), &rows, &scaling);
        for column in design.columns(&usable) {
            let (mean, deviation) = moments(column.iter().map(|&v| f64::from(v)));
            assert!(mean.abs() < 1e-6 && (deviation - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn moments_hold_at_every_scale() {
        for scale in [1.0, 1e160, 1e-170, 1e300, 1e-300, 1.7e308] {
            let values = [0.5, -1.0, 1.0, 0.25].map(|v| v * scale);
            let (mean, deviation) = moments(values.iter().copied());
            assert!((mean / scale - 0.1875).abs() < 1e-15, "{scale}: {mean}");
            let error = deviation / scale - 0.736_864_132_659_474_7;
            assert!(error.abs() < 1e-15, "{scale}: {deviation}");
        }
        assert_eq!(moments([3.0; 4].into_iter()), (3.0, 0.0));
        assert_eq!(moments([0.0; 4].into_iter()), (0.0, 0.0));
        assert!(moments([1.0, f64::NAN].into_iter()).1.is_nan());
    }

    #[test]
    fn columns_can_stay_as_they_are() {
        let scaling = Scaling::learn(&data(), &[0, 2, 3], false);
        let design = Design::new(&data(), &[3, 0], &scaling);
        assert_eq!(design.columns(&[2])[0], [100.0, 0.0]);
        assert_eq!(design.columns(&[1])[0], [7.0, 5.0]);
    }
}
