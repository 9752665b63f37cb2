//! What bounds the false columns of a selection.

use crate::control::Controlled;
use serde::{Deserialize, Serialize};

/// A bound, and what it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorControl {
    /// On the number of false columns, by [`stability`](crate::stability).
    Stability {
        /// Of half-samples.
        pairs: usize,
        /// The share of half-samples from which on a column is selected.
        threshold: f64,
        /// How many of the selected are no better than chance, at most, on average.
        false_at_most: f64,
        /// How many columns a half-sample selects, on average.
        mean_size: f64,
        /// How many columns of a half-sample were counted; none if all.
        counted: Option<usize>,
    },
    /// On their share, by [`knockoffs`](crate::knockoffs).
    Fdr {
        /// What share of the selected is false, at most, on average.
        rate: f64,
        /// How often columns stood against their knockoffs.
        runs: usize,
        /// By how much a column must beat its knockoff; none if nothing can be certified.
        threshold: Option<f64>,
    },
}

impl From<&Controlled> for ErrorControl {
    fn from(controlled: &Controlled) -> Self {
        match controlled {
            Controlled::Stable { found, pairs } => ErrorControl::Stability {
                pairs: *pairs,
                threshold: found.threshold,
                false_at_most: found.bound,
                mean_size: found.mean_size,
                counted: found.counted,
            },
            Controlled::Certified { found, rate, runs } => ErrorControl::Fdr {
                rate: *rate,
                runs: *runs,
                threshold: found.threshold.is_finite().then_some(found.threshold),
            },
        }
    }
}
