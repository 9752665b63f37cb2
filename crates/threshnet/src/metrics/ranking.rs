//! What a threshold on a score would do, for every threshold:
//!
//! ```text
//! TPR = recall = TP/P,   FPR = FP/N,   precision = TP/(TP + FP)
//! average precision = Σ_k (recall_k − recall_{k−1}) precision_k
//! ```
//!
//! with TP and FP what the positive and negative rows count whose score is at least the threshold, as
//! `roc_curve`, `precision_recall_curve` and `average_precision_score` of scikit-learn.

use super::{ascending, check_finite, check_rows, check_weights, total_of};
use crate::dataset::Weights;
use crate::error::{Error, Result};

/// What one threshold does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Rows with at least this score are called positive.
    pub at: f64,
    /// The share of negative rows that are.
    pub false_positive_rate: f64,
    /// The share of positive rows that are: recall, sensitivity.
    pub true_positive_rate: f64,
    /// The share of positive rows among them.
    pub precision: f64,
}

/// What every threshold does, from the highest score down. The ROC curve starts at (0, 0)
/// before the first of them.
pub fn thresholds(positive: &[bool], score: &[f64], weights: Weights) -> Result<Vec<Threshold>> {
    check_rows(positive.len(), "score", score.len())?;
    check_weights(positive.len(), weights)?;
    check_finite("score", score)?;
    let mut order = ascending(score);
    // (what does not count is no threshold)
    order.retain(|&row| weights.at(row) > 0.0);
    let positives = total_of(order.iter().filter(|&&i| positive[i]), weights);
    let negatives = total_of(order.iter().filter(|&&i| !positive[i]), weights);
    if positives == 0.0 || negatives == 0.0 {
        return Err(Error::Data(
            "the scored rows are all of one class, so a threshold separates nothing".into(),
        ));
    }
    let (mut hits, mut alarms) = (0.0, 0.0);
    let levels = order.chunk_by(|&a, &b| score[a] == score[b]).rev();
    Ok(levels
        .map(|tied| {
            hits += total_of(tied.iter().filter(|&&i| positive[i]), weights);
            alarms += total_of(tied.iter().filter(|&&i| !positive[i]), weights);
            Threshold {
                at: score[tied[0]],
                false_positive_rate: alarms / negatives,
                true_positive_rate: hits / positives,
                precision: hits / (hits + alarms),
            }
        })
        .collect())
}

/// The area under the precision–recall curve as a sum of steps.
pub fn average_precision(positive: &[bool], score: &[f64], weights: Weights) -> Result<f64> {
    let mut recall = 0.0;
    let steps = thresholds(positive, score, weights)?
        .into_iter()
        .map(|step| {
            let gained = step.true_positive_rate - recall;
            recall = step.true_positive_rate;
            gained * step.precision
        });
    Ok(steps.sum())
}

#[cfg(test)]
mod tests {
    use super::super::auc;
    use super::*;
    use proptest::prelude::*;

    /// Rows on which scikit-learn 1.9.1 gave the figures below.
    const POSITIVE: [bool; 10] = [
        false, false, true, true, false, true, true, false, true, false,
    ];
    const SCORE: [f64; 10] = [0.1, 0.4, 0.35, 0.8, 0.35, 0.9, 0.4, 0.05, 0.7, 0.6];

    #[test]
    fn as_scikit_learn() {
        let found = thresholds(&POSITIVE, &SCORE, Weights::EQUAL).unwrap();
        let at = |of: fn(&Threshold) -> f64| found.iter().map(of).collect::<Vec<_>>();
        // roc_curve(y, s, drop_intermediate=False), without its point at infinity
        assert_eq!(at(|t| t.at), [0.9, 0.8, 0.7, 0.6, 0.4, 0.35, 0.1, 0.05]);
        let fpr = [0.0, 0.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        let tpr = [0.2, 0.4, 0.6, 0.6, 0.8, 1.0, 1.0, 1.0];
        // precision_recall_curve(y, s)
        let precision = [1.0, 1.0, 1.0, 0.75, 2.0 / 3.0, 0.625, 5.0 / 9.0, 0.5];
        let near = |a: Vec<f64>, b: [f64; 8]| {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?}");
        };
        near(at(|t| t.false_positive_rate), fpr);
        near(at(|t| t.true_positive_rate), tpr);
        near(at(|t| t.precision), precision);
        // average_precision_score(y, s)
        let ap = average_precision(&POSITIVE, &SCORE, Weights::EQUAL).unwrap();
        assert!((ap - AVERAGE_PRECISION).abs() < 1e-12, "{ap}");
    }

    const AVERAGE_PRECISION: f64 = 0.858_333_333_333_333_3;

    proptest! {
        /// The area under the curve, by trapezes, is the AUC by pairs.
        #[test]
        fn the_curve_has_the_area(rows in prop::collection::vec((any::<bool>(), -4i32..4), 2..60)) {
            let (positive, score): (Vec<bool>, Vec<f64>) =
                rows.into_iter().map(|(p, s)| (p, f64::from(s))).unzip();
            if let Ok(curve) = thresholds(&positive, &score, Weights::EQUAL) {
                let mut before = (0.0, 0.0);
                let mut area = 0.0;
                for step in &curve {
                    let (x, y) = (step.false_positive_rate, step.true_positive_rate);
                    area += (x - before.0) * (y + before.1) / 2.0;
                    before = (x, y);
                }
                prop_assert_eq!(before, (1.0, 1.0));
                prop_assert!((area - auc(&positive, &score, Weights::EQUAL).unwrap()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_undefined_is_refused() {
        let message = thresholds(&[true], &[0.5], Weights::EQUAL)
            .unwrap_err()
            .to_string();
        assert!(message.contains("one class"), "{message}");
        assert!(thresholds(&[true, false], &[0.5], Weights::EQUAL).is_err());
        assert!(thresholds(&[true, false], &[0.5, f64::NAN], Weights::EQUAL).is_err());
    }
}
