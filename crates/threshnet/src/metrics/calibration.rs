//! Whether what is said to happen in so many percent of rows does:
//! rows in bins of equal size by their probability; in each the mean of the probability
//! beside the share p̂ = k/m of positive rows (m: what the rows count), with Wilson's 95 % interval
//!
//! ```text
//! (p̂ + z²/2m ± z √(p̂(1−p̂)/m + z²/4m²)) / (1 + z²/m),   z = 1.96
//! ```
//!
//! (Wilson 1927, JASA 22:209–212). As `calibration_curve(strategy="quantile")` of
//! scikit-learn, except that rows of one probability stay together.

use super::interval::Z;
use super::{ascending, check_finite, check_rows, check_weights, total_of};
use crate::dataset::Weights;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Some rows of similar probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// How many.
    pub rows: usize,
    /// The mean of their probabilities.
    pub predicted: f64,
    /// The share of positive ones.
    pub observed: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
}

/// Rows in at most so many bins, by probability.
pub fn calibration(
    positive: &[bool],
    probability: &[f64],
    weights: Weights,
    bins: usize,
) -> Result<Vec<CalibrationBin>> {
    check_rows(positive.len(), "probability", probability.len())?;
    check_weights(positive.len(), weights)?;
    check_finite("probability", probability)?;
    let mut order = ascending(probability);
    order.retain(|&row| weights.at(row) > 0.0);
    // What the rows up to each of them count: a bin ends where its share of all is full.
    let mut counted = vec![0.0];
    counted.extend(order.iter().scan(0.0, |sum, &row| {
        *sum += weights.at(row);
        Some(*sum)
    }));
    let (n, mut start, mut found) = (order.len(), 0, Vec::new());
    for bin in 1..=bins {
        let full = counted[n] * bin as f64 / bins as f64;
        let mut end = counted[1..].partition_point(|&sum| sum <= full).max(start);
        while end > start && end < n && probability[order[end]] == probability[order[end - 1]] {
            end += 1;
        }
        if end > start {
            found.push(summary(&order[start..end], positive, probability, weights));
        }
        start = end;
    }
    Ok(found)
}

fn summary(
    rows: &[usize],
    positive: &[bool],
    probability: &[f64],
    weights: Weights,
) -> CalibrationBin {
    let m = total_of(rows, weights);
    let observed = total_of(rows.iter().filter(|&&i| positive[i]), weights) / m;
    let middle = observed + Z * Z / (2.0 * m);
    let half = Z * (observed * (1.0 - observed) / m + Z * Z / (4.0 * m * m)).sqrt();
    let shrink = 1.0 + Z * Z / m;
    CalibrationBin {
        rows: rows.len(),
        predicted: (rows.iter())
            .map(|&i| weights.at(i) * probability[i])
            .sum::<f64>()
            / m,
        observed,
        interval: ((middle - half) / shrink, (middle + half) / shrink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_scikit_learn_and_scipy() {
        let positive = [
            false, false, true, false, true, true, false, true, true, true,
        ];
        let probability = [0.05, 0.1, 0.2, 0.3, 0.4, 0.55, 0.6, 0.7, 0.8, 0.95];
        let bins = calibration(&positive, &probability, Weights::EQUAL, 5).unwrap();
        // calibration_curve(y, p, n_bins=5, strategy="quantile"), scikit-learn 1.9.1
        let expected = [
            (0.075, 0.0),
            (0.25, 0.5),
            (0.475, 1.0),
            (0.65, 0.5),
            (0.875, 1.0),
        ];
        assert_eq!(bins.len(), 5);
        for (bin, (predicted, observed)) in bins.iter().zip(expected) {
            assert!((bin.predicted - predicted).abs() < 1e-12);
            assert!((bin.observed - observed).abs() < 1e-12 && bin.rows == 2);
        }
        // scipy.stats.binomtest(8, 20).proportion_ci(method="wilson")
        let (positive, probability): (Vec<bool>, Vec<f64>) = (0..20).map(|i| (i < 8, 0.5)).unzip();
        let all = calibration(&positive, &probability, Weights::EQUAL, 5).unwrap();
        assert_eq!(all.len(), 1);
        assert!((all[0].interval.0 - WILSON.0).abs() < 1e-9, "{all:?}");
        assert!((all[0].interval.1 - WILSON.1).abs() < 1e-9, "{all:?}");
    }

    const WILSON: (f64, f64) = (0.218_806_532_372_817_05, 0.613_418_499_237_746_7);
}
