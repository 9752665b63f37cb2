//! A random forest: what all columns together tell, straight or not.
//!
//! It selects nothing. It stands beside the sparse models as a reference, and it is a member of the
//! ensemble. Every tree grows on rows drawn with replacement; a node tries some
//! columns, drawn anew, and splits where the targets differ most,
//!
//! ```text
//! gain = Σₖ ( S²ₖ(left)/W(left) + S²ₖ(right)/W(right) − S²ₖ/W ),     S = Σ w·target,  W = Σ w.
//! ```
//!
//! Targets are what is left of the outcome beside the null model: a number less its mean, classes as
//! columns of 0 and 1 (the gain is Gini's then), martingale residuals of survival (that of the
//! log-rank scores; Hothorn and Lausen 2003, Computational Statistics & Data Analysis 43:121–137). A
//! leaf responds with its mean, and to survival with the log of its events over those expected
//! (LeBlanc and Crowley 1992, Biometrics 48:411–425). Rows that a tree did not draw judge it:
//! predictions of the others on them are held out without another fit (Breiman 2001, Machine
//! Learning 45:5–32).

mod bins;
mod tree;

pub use tree::Tree;

use crate::dataset::{Dataset, Outcome, Response, Task};
use crate::random::{Purpose, Random};
use crate::screen::null_residuals;
use crate::solver::Observer;
use crate::split::resampled;
use crate::statistics::weighted_mean;
use bins::Bins;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tree::Grower;

/// Trees of a forest: more change little.
const TREES: usize = 300;
/// Rows that a tree draws, at most.
const MOST_ROWS: usize = 2000;
/// Cells that are held in bins, of one byte each, at most: of more columns some are drawn.
const MOST_CELLS: usize = 16 << 20;
/// Columns that a node of a regression tries, at most.
const MOST_TRIED: usize = 400;
/// Events, and events expected, that are added to those of a leaf: with few it says little.
const PRIOR_EVENTS: f64 = 1.0;

/// Trees whose responses are averaged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// They respond to the raw values of columns by their number in the data.
    pub trees: Vec<Tree>,
}

/// A forest, and what it says of the rows it was grown on.
pub struct Grown {
    /// The forest.
    pub forest: Forest,
    /// What the trees that did not draw a row respond to it, `[class][row]` or `[0][row]`.
    pub held_out: Vec<Vec<f64>>,
}

/// What leaves are made of.
struct Targets {
    task: Task,
    /// By row, so many numbers each.
    residuals: Vec<f64>,
    width: usize,
    /// What a row counts.
    weights: Vec<f64>,
    /// Of survival: whether the event happened.
    events: Vec<f64>,
    /// What is added to mean residuals.
    base: Vec<f64>,
    fewest: f64,
}

impl Forest {
    /// Grows one on these columns of the data; none if it was cancelled.
    pub fn grow(
        data: &Dataset,
        columns: &[usize],
        seed: u64,
        observer: &dyn Observer,
    ) -> Option<Grown> {
        let targets = Targets::new(data);
        let bins = Bins::new(data, &some_columns(columns, data.n(), seed));
        let grower = Grower {
            bins: &bins,
            targets: &targets,
            tried: columns_tried(targets.task, bins.columns().len()),
        };
        let grown: Vec<(Tree, Vec<(u32, u32)>)> = (0..TREES as u64)
            .into_par_iter()
            .filter(|_| !observer.cancelled())
            .map(|number| {
                let mut random = Random::new(seed, Purpose::Forest, number, 1);
                let drawn = draw(data.response(), &mut random);
                let tree = grower.grow(drawn.rows, &mut random);
                let leaves = (drawn.others.iter()).map(|&row| {
                    (
                        row,
                        tree.leaf(|column| data.columns()[column].at(row as usize)),
                    )
                });
                let leaves = leaves.collect();
                (tree, leaves)
            })
            .collect();
        if grown.len() < TREES {
            return None;
        }
        let held_out = targets.held_out(&grown);
        let trees = grown.into_iter().map(|(tree, _)| tree).collect();
        Some(Grown {
            forest: Forest { trees },
            held_out,
        })
    }

    /// Multiplies every response.
    pub fn multiply(&mut self, factor: f64) {
        self.trees.iter_mut().for_each(|tree| tree.multiply(factor));
    }

    /// The numbers of the columns that any tree looks at, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.trees.iter().flat_map(Tree::columns).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The mean response to rows with these values of column and row, `[class][row]` or `[0][row]`.
    pub fn response(&self, rows: usize, value: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
        let width = self.trees[0].width();
        let mut response = vec![vec![0.0; rows]; width];
        for row in 0..rows {
            for tree in &self.trees {
                let leaf = tree.leaf(|column| value(column, row));
                for (sum, part) in response.iter_mut().zip(tree.response(leaf)) {
                    sum[row] += part / self.trees.len() as f64;
                }
            }
        }
        response
    }
}

/// Rows for a tree.
struct Drawn {
    /// With replacement.
    rows: Vec<u32>,
    /// Those that were not drawn.
    others: Vec<u32>,
}

/// Draws rows with replacement, whole clusters where they come in these: what judges a tree is of
/// other clusters then.
fn draw(response: &Response, random: &mut Random) -> Drawn {
    let n = response.len();
    let drawn: Vec<usize> = match &response.clusters {
        None => (0..n.min(MOST_ROWS)).map(|_| random.below(n)).collect(),
        Some(clusters) => resampled(clusters, MOST_ROWS, random),
    };
    let mut seen = vec![false; n];
    drawn.iter().for_each(|&row| seen[row] = true);
    let mut rows: Vec<u32> = drawn.into_iter().map(|row| row as u32).collect();
    rows.sort_unstable();
    let others = (0..n as u32).filter(|&row| !seen[row as usize]).collect();
    Drawn { rows, others }
}

/// All columns or, of too many, some at random, ascending.
fn some_columns(columns: &[usize], n: usize, seed: u64) -> Vec<usize> {
    let most = (MOST_CELLS / n).max(1);
    if columns.len() <= most {
        return columns.to_vec();
    }
    let order = Random::new(seed, Purpose::Forest, 0, 0).permutation(columns.len());
    let mut some: Vec<usize> = order[..most].iter().map(|&at| columns[at]).collect();
    some.sort_unstable();
    some
}

/// How many columns a node tries: Breiman's numbers.
fn columns_tried(task: Task, columns: usize) -> usize {
    let root = (columns as f64).sqrt().ceil() as usize;
    match task {
        Task::Regression => (columns / 3).clamp(root, MOST_TRIED.max(root)),
        Task::Binary | Task::Multiclass | Task::Cox => root,
    }
}

impl Targets {
    fn new(data: &Dataset) -> Targets {
        let (response, n) = (data.response(), data.n());
        let task = data.outcome().task();
        let units = null_residuals(response);
        let weights = response.weights();
        let mean = |of: &dyn Fn(usize) -> f64| weighted_mean((0..n).map(of), weights);
        let (events, base) = match &response.outcome {
            Outcome::Continuous(y) => (vec![], vec![mean(&|row| y[row])]),
            Outcome::Classes {
                labels, classes, ..
            } => {
                let share = |class| mean(&|row| f64::from(u8::from(labels[row] == class)));
                (vec![], (0..classes.len()).map(share).collect())
            }
            Outcome::Survival { event, .. } => {
                let events = event.iter().map(|&event| f64::from(u8::from(event)));
                (events.collect(), vec![])
            }
        };
        Targets {
            task,
            width: units.len(),
            residuals: (0..n)
                .flat_map(|row| units.iter().map(move |unit| unit[row]))
                .collect(),
            weights: weights.iter(n).collect(),
            events,
            base,
            fewest: match task {
                Task::Regression | Task::Cox => 5.0,
                Task::Binary | Task::Multiclass => 2.0,
            },
        }
    }

    /// What a leaf with these rows responds.
    fn response(&self, rows: &[u32]) -> Vec<f64> {
        let rows = || rows.iter().map(|&row| row as usize);
        let total: f64 = rows().map(|row| self.weights[row]).sum();
        let sum = |unit: usize| -> f64 {
            rows()
                .map(|row| self.weights[row] * self.residuals[row * self.width + unit])
                .sum()
        };
        // (rows that all count nothing say nothing)
        let mean = |unit| if total > 0.0 { sum(unit) / total } else { 0.0 };
        match self.task {
            Task::Regression => vec![self.base[0] + mean(0)],
            Task::Binary => {
                let positive = (self.base[1] + mean(0)).clamp(0.0, 1.0);
                vec![1.0 - positive, positive]
            }
            Task::Multiclass => (self.base.iter().enumerate())
                .map(|(class, base)| (base + mean(class)).clamp(0.0, 1.0))
                .collect(),
            Task::Cox => {
                let events: f64 = rows().map(|row| self.weights[row] * self.events[row]).sum();
                let expected = events - sum(0);
                vec![((events + PRIOR_EVENTS) / (expected + PRIOR_EVENTS)).ln()]
            }
        }
    }

    /// The mean response of the trees that did not draw a row; of a row that all drew the base.
    fn held_out(&self, grown: &[(Tree, Vec<(u32, u32)>)]) -> Vec<Vec<f64>> {
        let n = self.weights.len();
        let base = match self.task {
            Task::Cox => &[0.0][..],
            _ => &self.base,
        };
        let mut sums = vec![vec![0.0; n]; base.len()];
        let mut counts = vec![0.0; n];
        for (tree, leaves) in grown {
            for &(row, leaf) in leaves {
                counts[row as usize] += 1.0;
                for (sum, part) in sums.iter_mut().zip(tree.response(leaf)) {
                    sum[row as usize] += part;
                }
            }
        }
        for (sums, base) in sums.iter_mut().zip(base) {
            for (sum, count) in sums.iter_mut().zip(&counts) {
                *sum = if *count > 0.0 { *sum / count } else { *base };
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests;
