//! How much memory a fit takes, told before it starts.
//!
//! What counts is what grows with the data: their cells, the standardised matrix and the state of
//! the optimiser on every thread, the weights of the paths that are kept, and what the references of
//! all columns need. The rest is a constant. An estimate is of the peak of the whole process; where
//! columns die early on a path it is too high.

pub mod limits;

use crate::dataset::Dataset;
use crate::settings::{Linear, Settings, Validation};

/// Bytes of a program that has done nothing yet, and of what does not grow with the data.
const PROGRAM: f64 = 24e6;
/// Bytes per weight of a network in training, all columns being in it: the weights in 64 bit as
/// they are, as they were and as they are kept, Adam's five numbers in 32 bit, gradients in both.
const PER_WEIGHT: f64 = 60.0;
/// Of the matrix, the copy that is made of what is left of a path's columns.
const PACKED: f64 = 0.2;
/// Bytes per row and unit of the hidden layers: values and slopes in 64 bit, when a network is
/// judged by all rows.
const PER_UNIT: f64 = 24.0;
/// Trees of a forest, and what each remembers of a row.
const TREES: f64 = 300.0;
const PER_ROW_OF_TREE: f64 = 8.0;
/// Cells in bins, at most, and bytes of a forest's trees.
const MOST_BINS: f64 = (16 << 20) as f64;
const FOREST: f64 = 12e6;

/// The bytes of a fit, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Need {
    /// The program itself.
    pub program: f64,
    /// The cells of the data, and their copy where cells are imputed.
    pub data: f64,
    /// Standardised matrices, one per thread.
    pub matrices: f64,
    /// Networks in training, one per thread.
    pub networks: f64,
    /// The paths that are kept.
    pub paths: f64,
    /// Beyond the rest: what the references of all columns need, after the paths.
    pub references: f64,
}

impl Need {
    /// Of a fit of these data with these settings on so many threads.
    pub fn of(data: &Dataset, settings: &Settings, threads: usize) -> Need {
        let cells: f64 = (data.columns().iter())
            .map(|column| match column.entries() {
                // a row number and a value
                Some(entries) => 12.0 * entries.values.len() as f64,
                None => 8.0 * column.len() as f64,
            })
            .sum();
        let copies = if data.imputes() {
            1.0 + threads as f64
        } else {
            1.0
        };
        let shape = Sizes {
            n: data.n() as f64,
            d: data.d() as f64,
            // of a matrix of standardised cells in 32 bit
            cell: match data.is_sparse() {
                true => cells / (data.n() * data.d()).max(1) as f64,
                false => 4.0,
            },
            outputs: match data.outcome() {
                crate::dataset::Outcome::Classes { classes, .. } if classes.len() > 2 => {
                    classes.len() as f64
                }
                _ => 1.0,
            },
        };
        let parts = parts(shape, settings, threads);
        Need {
            data: copies * cells,
            ..parts
        }
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        let Need {
            program,
            data,
            matrices,
            networks,
            paths,
            references,
        } = self;
        program + data + paths + (matrices + networks).max(*references)
    }
}

struct Sizes {
    n: f64,
    d: f64,
    cell: f64,
    outputs: f64,
}

fn parts(sizes: Sizes, settings: &Settings, threads: usize) -> Need {
    let Sizes {
        n,
        d,
        cell,
        outputs,
    } = sizes;
    let rows = settings.validation.training_rows(n as usize) as f64;
    let width = match (&settings.columns, settings.screen) {
        (Some(columns), _) => columns.len() as f64,
        (None, Some(most)) => d.min(most as f64),
        (None, None) => d,
    };
    let splits = settings.validation.splits() as f64;
    let paths = splits * settings.ridges.len() as f64;
    let threads = (threads as f64).min(paths).max(1.0);
    let hidden: Vec<f64> = settings.hidden.iter().map(|&width| width as f64).collect();
    let units: f64 = hidden.iter().sum::<f64>() + outputs;
    let group = hidden.first().copied().unwrap_or(outputs);
    let layers = [&hidden[..], &[outputs]].concat();
    let upper: f64 = layers.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let weights = width * group + upper + units;
    let matrix = cell * rows * width * (1.0 + PACKED);
    // A path is dense at its smallest λ; further on there are about as many columns as rows can
    // tell, and of every split one path is kept.
    let survivors = width.min(rows / 2.0);
    let path = 8.0 * (weights + survivors * group * settings.lambdas.len() as f64 / 4.0);
    let drawn = matches!(settings.validation, Validation::Draws { .. });
    let linear = match settings.linear {
        Linear::Leave => 0.0,
        _ => 8.0 * splits * width.min(rows) * settings.lambdas.len() as f64,
    };
    let references = match settings.ensemble {
        false => 0.0,
        true => {
            let trees = TREES * PER_ROW_OF_TREE * n + FOREST + MOST_BINS.min(n * d);
            let gram = 2.0 * 8.0 * rows.min(d).powi(2) * threads;
            trees.max(matrix * threads + gram)
        }
    };
    Need {
        program: PROGRAM,
        data: 0.0,
        matrices: threads * matrix,
        networks: threads * (PER_WEIGHT * weights + PER_UNIT * rows * units),
        paths: if drawn { splits * path } else { splits * path } + linear,
        references,
    }
}
