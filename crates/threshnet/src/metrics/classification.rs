//! Scores of predicted classes and probabilities:
//!
//! ```text
//! accuracy = (1/n) Σᵢ [ĉᵢ = cᵢ]
//! AUC      = mean over pairs (i positive, j negative) of [sᵢ > sⱼ] + ½ [sᵢ = sⱼ]
//! log loss = −(1/n) Σᵢ log clip(pᵢ(cᵢ), ε, 1 − ε)
//! ```
//!
//! as `sklearn.metrics.accuracy_score`, `roc_auc_score` and `log_loss`. The
//! pairs of the AUC are the Mann–Whitney statistic (Hanley & McNeil 1982,
//! Radiology 143:29–36), counted in one pass over the sorted scores.

use super::{ascending, check_finite, check_rows};
use crate::error::{Error, Result};

/// The share of rows whose class is right.
pub fn accuracy(labels: &[usize], predicted: &[usize]) -> Result<f64> {
    check_rows(labels.len(), "prediction", predicted.len())?;
    let right = labels.iter().zip(predicted).filter(|(a, b)| a == b).count();
    Ok(right as f64 / labels.len() as f64)
}

/// The area under the ROC curve of a score that should be higher for the
/// positive rows; a tie counts one half.
pub fn auc(positive: &[bool], score: &[f64]) -> Result<f64> {
    check_rows(positive.len(), "score", score.len())?;
    check_finite("score", score)?;
    let positives = positive.iter().filter(|&&p| p).count() as u64;
    let negatives = positive.len() as u64 - positives;
    if positives == 0 || negatives == 0 {
        return Err(Error::Data(
            "the scored rows are all of one class, so there are no pairs to rank".into(),
        ));
    }
    // Counted in half pairs, so that the sum is exact.
    let (mut half_pairs, mut negatives_below) = (0u64, 0u64);
    for tied in ascending(score).chunk_by(|&a, &b| score[a] == score[b]) {
        let here = tied.iter().filter(|&&i| positive[i]).count() as u64;
        let negatives_here = tied.len() as u64 - here;
        half_pairs += here * (2 * negatives_below + negatives_here);
        negatives_below += negatives_here;
    }
    Ok(half_pairs as f64 / (2.0 * positives as f64 * negatives as f64))
}

/// The mean negative log probability of the right class, `probabilities[c][i]`
/// being that of class `c` in row `i`.
///
/// As in scikit-learn 1.9, probabilities are clipped to [ε, 1 − ε] with the
/// ε of 64-bit numbers and are *not* rescaled to sum to one.
pub fn log_loss(labels: &[usize], probabilities: &[Vec<f64>]) -> Result<f64> {
    for (class, column) in probabilities.iter().enumerate() {
        let name = format!("probability of class {}", class + 1);
        check_rows(labels.len(), &name, column.len())?;
        // Written so that NaN is refused too.
        if let Some(row) = column.iter().position(|p| !(0.0..=1.0).contains(p)) {
            return Err(Error::Data(format!(
                "the {name} is {} in row {}: it must lie in [0, 1]",
                column[row],
                row + 1
            )));
        }
    }
    if probabilities.len() < 2 {
        return Err(Error::Data(
            "the log loss needs the probabilities of two or more classes".into(),
        ));
    }
    let mut total = 0.0;
    for (row, &class) in labels.iter().enumerate() {
        let column = probabilities.get(class).ok_or_else(|| {
            Error::Data(format!(
                "row {} is of class {}, but there are probabilities of {} classes only",
                row + 1,
                class + 1,
                probabilities.len()
            ))
        })?;
        total -= column[row].clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln();
    }
    Ok(total / labels.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn auc_by_pairs(positive: &[bool], score: &[f64]) -> f64 {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for i in (0..score.len()).filter(|&i| positive[i]) {
            for j in (0..score.len()).filter(|&j| !positive[j]) {
                pairs += 1.0;
                if score[i] > score[j] {
                    sum += 1.0;
                } else if score[i] == score[j] {
                    sum += 0.5;
                }
            }
        }
        sum / pairs
    }

    proptest! {
        /// Few distinct scores, so that most pairs of rows are tied.
        #[test]
        fn auc_counts_all_pairs(rows in prop::collection::vec((any::<bool>(), -4i32..4), 2..60)) {
            let (positive, score): (Vec<bool>, Vec<f64>) =
                rows.into_iter().map(|(p, s)| (p, f64::from(s))).unzip();
            let one_class = positive.iter().all(|&p| p == positive[0]);
            match auc(&positive, &score) {
                Ok(value) => prop_assert_eq!(value, auc_by_pairs(&positive, &score)),
                Err(_) => prop_assert!(one_class),
            }
        }

        /// The other class with the opposite score is the same ranking.
        #[test]
        fn auc_is_symmetric(rows in prop::collection::vec((any::<bool>(), -1.0..1.0f64), 2..60)) {
            let (positive, score): (Vec<bool>, Vec<f64>) = rows.into_iter().unzip();
            prop_assume!(positive.iter().any(|&p| p != positive[0]));
            let flipped: Vec<bool> = positive.iter().map(|p| !p).collect();
            let opposite: Vec<f64> = score.iter().map(|s| -s).collect();
            prop_assert_eq!(auc(&positive, &score).unwrap(), auc(&flipped, &opposite).unwrap());
        }
    }

    #[test]
    fn a_score_of_minus_zero_is_tied_with_zero() {
        assert_eq!(auc(&[true, false], &[-0.0, 0.0]).unwrap(), 0.5);
    }

    #[test]
    fn a_certain_and_wrong_probability_costs_a_finite_amount() {
        let loss = log_loss(&[1, 0], &[vec![1.0, 1.0], vec![0.0, 0.0]]).unwrap();
        assert!((loss + 0.5 * f64::EPSILON.ln()).abs() < 1e-12);
    }

    #[test]
    fn what_is_undefined_is_refused() {
        let says = |r: Result<f64>, what: &str| {
            let message = r.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        says(auc(&[true, true], &[0.1, 0.2]), "one class");
        says(auc(&[true, false], &[0.1, f64::INFINITY]), "row 2");
        says(auc(&[true, false], &[0.1]), "1 rows");
        says(accuracy(&[], &[]), "no rows");
        says(accuracy(&[0, 1], &[1]), "1 rows");
        says(log_loss(&[0, 2], &[vec![0.5; 2], vec![0.5; 2]]), "class 3");
        says(log_loss(&[0], &[vec![1.2], vec![0.0]]), "[0, 1]");
        says(log_loss(&[0], &[vec![0.2], vec![f64::NAN]]), "[0, 1]");
        says(log_loss(&[0, 1], &[vec![0.5; 2]]), "two or more");
        says(log_loss(&[], &[]), "two or more");
        says(log_loss(&[], &[vec![], vec![]]), "no rows");
    }
}
