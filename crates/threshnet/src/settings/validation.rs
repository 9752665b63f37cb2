//! Which rows (λ, ridge) are chosen on.

use crate::split::held_out_count;
use crate::tune::Constants;

/// How (λ, ridge) is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Validation {
    /// A random share of the rows is held out once.
    Holdout {
        /// Between 0 and 1.
        share: f64,
        /// Whether classes (events) are held out in equal shares.
        stratified: bool,
    },
    /// Stratified cross-validation.
    Folds {
        /// At least 2.
        count: usize,
    },
    /// Many fits, each with rows held out and starts of its own, each choosing for
    /// itself: columns are selected by how many of them do, predictions averaged
    /// (see [`tune`](crate::tune)).
    Draws {
        /// At least 2.
        count: usize,
        /// Held out by each, stratified; between 0 and 1.
        share: f64,
    },
    /// Nothing is chosen: there is one λ and one ridge.
    None,
}

impl Validation {
    /// So many folds.
    pub const fn folds(count: usize) -> Self {
        Validation::Folds { count }
    }

    /// How many times rows are divided.
    pub fn splits(self) -> usize {
        match self {
            Validation::Folds { count } | Validation::Draws { count, .. } => count,
            Validation::Holdout { .. } | Validation::None => 1,
        }
    }

    /// The rows left to learn from (in the smallest training part).
    pub fn training_rows(self, n: usize) -> usize {
        match self {
            Validation::Holdout { share, .. } => n - held_out_count(n, share).min(n),
            // (a fold is left to nobody)
            Validation::Draws { count, share } => {
                let rows = n - n.div_ceil(count.clamp(1, Constants::DEFAULT.most_groups));
                rows - held_out_count(rows, share).min(rows)
            }
            Validation::Folds { count } => n - n.div_ceil(count.max(1)),
            Validation::None => n,
        }
    }
}
