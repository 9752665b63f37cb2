//! Losses on several folds, and what they say together.

use crate::statistics::Estimate;

/// The loss on a fold, and what the fold weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldLoss {
    /// On the fold's rows, by networks that did not see them.
    pub loss: f64,
    /// The rows of the fold, or its events.
    pub weight: f64,
}

/// The weighted mean over at least two folds, and its standard error.
pub fn mean_over_folds(folds: impl Iterator<Item = FoldLoss> + Clone) -> Estimate {
    let total: f64 = folds.clone().map(|fold| fold.weight).sum();
    let weighted = folds.clone().map(|fold| fold.weight * fold.loss);
    let mean = weighted.sum::<f64>() / total;
    let squares = (folds.clone()).map(|fold| fold.weight * (fold.loss - mean).powi(2));
    let spread = squares.sum::<f64>() / total;
    Estimate {
        mean,
        se: (spread / (folds.count() as f64 - 1.0)).sqrt(),
    }
}

/// How much more some model loses than another on the same folds.
pub fn differences<'a>(
    folds: &'a [FoldLoss],
    others: &'a [FoldLoss],
) -> impl Iterator<Item = FoldLoss> + Clone + 'a {
    folds.iter().zip(others).map(|(fold, other)| FoldLoss {
        loss: fold.loss - other.loss,
        weight: fold.weight,
    })
}
