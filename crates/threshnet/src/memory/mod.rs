//! How much memory a fit takes, told before it starts.
//!
//! What counts is what grows with the data: their cells, the standardised matrix and the state of
//! the optimiser on every thread, the weights of the paths that are kept, and what the references of
//! all columns need. The rest is a constant. An estimate is of the peak of the whole process
//! (`bench/memory.py` compares the two).

pub mod limits;

use crate::control::Control;
use crate::dataset::{Dataset, Outcome, Task};
use crate::penalty::Penalty;
use crate::settings::{Linear, Settings};

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
/// Matrices of columns by columns, and of rows by columns, from which knockoffs are made: as many as measured beside
/// the room for the knockoffs themselves, which are data (record: 2026-11-20-memory).
const MATRICES_OF_COLUMNS: f64 = 3.4;
const MATRICES_OF_ROWS: f64 = 2.0;
/// Trees of a forest, and what each remembers of a row.
const TREES: f64 = 300.0;
const PER_ROW_OF_TREE: f64 = 8.0;
/// Cells in bins, at most, of a byte each; bins of a column, and bytes of a forest's trees.
const MOST_BINNED: f64 = (16 << 20) as f64;
const BINS: f64 = 256.0;
const FOREST: f64 = 12e6;
/// Bytes per column of its name, its scale and its place in several models.
const PER_COLUMN: f64 = 400.0;

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
    /// What the references of all columns need, and knockoffs.
    pub references: f64,
}

impl Need {
    /// Of a fit of these data with these settings on so many threads.
    pub fn of(data: &Dataset, settings: &Settings, threads: usize) -> Need {
        of_sizes(Sizes::of(data), settings, threads)
    }

    /// The same of the runs that control false columns, with the settings of each.
    pub fn of_runs(data: &Dataset, control: Control, settings: &Settings, threads: usize) -> Need {
        let whole = Sizes::of(data);
        // (a run is a fit of its own, on one thread)
        match control {
            Control::Stability { pairs, .. } => {
                let half = Sizes {
                    n: whole.n / 2.0,
                    data: whole.data * (1.0 + 0.5 * threads.min(2 * pairs) as f64),
                    ..whole
                };
                side_by_side(half, settings, threads.min(2 * pairs))
            }
            Control::Fdr { .. } => {
                let doubled = Sizes {
                    d: 2.0 * whole.d,
                    data: whole.data + 16.0 * whole.n * whole.d,
                    ..whole
                };
                let knockoffs = 8.0
                    * (MATRICES_OF_COLUMNS * whole.d.powi(2)
                        + MATRICES_OF_ROWS * whole.n * whole.d);
                let runs = side_by_side(doubled, settings, threads);
                Need {
                    references: runs.references.max(knockoffs),
                    ..runs
                }
            }
        }
    }

    /// The most at a time.
    pub fn total(&self) -> f64 {
        let Need {
            program,
            data,
            matrices,
            networks,
            paths,
            references,
        } = self;
        // (the references are made when the paths are traced, and matrices are given back by then)
        program + data + paths + (matrices + networks).max(*references)
    }
}

/// Of so many fits at a time, each on one thread.
fn side_by_side(sizes: Sizes, settings: &Settings, count: usize) -> Need {
    let one = of_sizes(sizes, settings, 1);
    let times = count as f64;
    Need {
        matrices: times * one.matrices,
        networks: times * one.networks,
        paths: times * one.paths,
        references: times * one.references,
        ..one
    }
}

/// What of the data decides.
#[derive(Clone, Copy)]
struct Sizes {
    n: f64,
    d: f64,
    /// Bytes of the cells, and of their copies where they are imputed.
    data: f64,
    /// Bytes of a standardised cell.
    cell: f64,
    outputs: f64,
}

impl Sizes {
    fn of(data: &Dataset) -> Self {
        let cells: f64 = (data.columns().iter())
            .map(|column| match column.entries() {
                // (a row's number and a value)
                Some(entries) => 12.0 * entries.values.len() as f64,
                None => 8.0 * column.len() as f64,
            })
            .sum();
        let (n, d) = (data.n() as f64, data.d() as f64);
        Sizes {
            n,
            d,
            data: if data.imputes() { 2.0 * cells } else { cells },
            cell: match data.is_sparse() {
                true => cells / (n * d).max(1.0),
                false => 4.0,
            },
            outputs: match data.outcome() {
                Outcome::Classes {
                    classes,
                    task: Task::Multiclass,
                    ..
                } => classes.len() as f64,
                _ => 1.0,
            },
        }
    }
}

fn of_sizes(sizes: Sizes, settings: &Settings, threads: usize) -> Need {
    let Sizes {
        n,
        d,
        data,
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
    // A path is dense at its smallest λ, and with the LASSO far beyond; else there are soon about as
    // many columns as rows can tell. Of every split one path is kept.
    let lambdas = settings.lambdas.len() as f64;
    let further = match settings.penalty {
        Penalty::Lasso => weights * lambdas,
        _ => width.min(rows / 2.0) * group * lambdas / 4.0,
    };
    let path = 8.0 * (weights + further);
    let linear = match settings.linear {
        Linear::Leave => 0.0,
        _ => 8.0 * splits * width.min(rows) * lambdas,
    };
    let references = match settings.ensemble {
        false => 0.0,
        true => {
            let binned = d.min(MOST_BINNED / n.max(1.0));
            let edges = 8.0 * BINS.min(n);
            let trees = TREES * PER_ROW_OF_TREE * n + FOREST + binned * (n + edges);
            let gram = 2.0 * 8.0 * rows.min(d).powi(2) * threads;
            trees.max(gram)
        }
    };
    Need {
        program: PROGRAM + PER_COLUMN * d,
        data,
        matrices: threads * matrix,
        networks: threads * (PER_WEIGHT * weights + PER_UNIT * rows * units),
        paths: splits * path + linear,
        references,
    }
}
