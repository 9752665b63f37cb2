//! Scores of predicted classes and probabilities:
//!
//! ```text
//! accuracy = Σᵢ wᵢ [ĉᵢ = cᵢ] / Σᵢ wᵢ
//! AUC      = mean over pairs (i positive, j negative), by wᵢwⱼ, of [sᵢ > sⱼ] + ½ [sᵢ = sⱼ]
//! log loss = −Σᵢ wᵢ log clip(pᵢ(cᵢ), ε, 1 − ε) / Σᵢ wᵢ
//! Brier    = Σᵢ wᵢ (1 − pᵢ(1))² [cᵢ = 1] + pᵢ(1)² [cᵢ = 0] / Σᵢ wᵢ       of two classes
//!            Σᵢ wᵢ Σ_k ([cᵢ = k] − pᵢ(k))² / Σᵢ wᵢ                        of more
//! ```
//!
//! as `sklearn.metrics.accuracy_score`, `roc_auc_score`, `log_loss` and `brier_score_loss`. The
//! pairs of the AUC are the Mann–Whitney statistic (Hanley & McNeil 1982,
//! Radiology 143:29–36), counted in one pass over the sorted scores.

use super::{ascending, check_finite, check_probability, check_rows, check_weights, total_of};
use crate::dataset::Weights;
use crate::error::{Error, Result};

/// The share of rows whose class is right.
pub fn accuracy(labels: &[usize], predicted: &[usize], weights: Weights) -> Result<f64> {
    let rows = labels.len();
    check_rows(rows, "prediction", predicted.len())?;
    check_weights(rows, weights)?;
    let right = (0..rows).filter(|&row| labels[row] == predicted[row]);
    let right: f64 = right.map(|row| weights.at(row)).sum();
    Ok(right / weights.total(rows))
}

/// The area under the ROC curve of a score that should be higher for the
/// positive rows; a tie counts one half.
pub fn auc(positive: &[bool], score: &[f64], weights: Weights) -> Result<f64> {
    check_rows(positive.len(), "score", score.len())?;
    check_weights(positive.len(), weights)?;
    check_finite("score", score)?;
    let order = ascending(score);
    let positives = total_of(order.iter().filter(|&&i| positive[i]), weights);
    let negatives = total_of(order.iter().filter(|&&i| !positive[i]), weights);
    if positives == 0.0 || negatives == 0.0 {
        return Err(Error::Data(
            "the scored rows are all of one class, so there are no pairs to rank".into(),
        ));
    }
    // Counted in half pairs, so that the sum of whole weights is exact.
    let (mut half_pairs, mut negatives_below) = (0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| score[a] == score[b]) {
        let here = total_of(tied.iter().filter(|&&i| positive[i]), weights);
        let negatives_here = total_of(tied.iter().filter(|&&i| !positive[i]), weights);
        half_pairs += here * (2.0 * negatives_below + negatives_here);
        negatives_below += negatives_here;
    }
    Ok(half_pairs / (2.0 * positives * negatives))
}

/// The mean negative log probability of the right class, `probabilities[c][i]`
/// being that of class `c` in row `i`.
///
/// As in scikit-learn 1.9, probabilities are clipped to [ε, 1 − ε] with the
/// ε of 64-bit numbers and are *not* rescaled to sum to one.
pub fn log_loss(labels: &[usize], probabilities: &[Vec<f64>], weights: Weights) -> Result<f64> {
    check_probabilities(labels, probabilities, weights)?;
    let term = |(row, &class): (usize, &usize)| {
        let p: f64 = probabilities[class][row];
        -weights.at(row) * p.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln()
    };
    let total: f64 = labels.iter().enumerate().map(term).sum();
    Ok(total / weights.total(labels.len()))
}

/// The mean squared distance of the probabilities from what happened; of two classes that of the
/// second alone, since the first says the same (Brier 1950, Monthly Weather Review 78:1–3).
pub fn probability_brier(
    labels: &[usize],
    probabilities: &[Vec<f64>],
    weights: Weights,
) -> Result<f64> {
    check_probabilities(labels, probabilities, weights)?;
    let first = usize::from(probabilities.len() == 2);
    let term = |(row, &label): (usize, &usize)| {
        let classes = probabilities.iter().enumerate().skip(first);
        let square = |(class, p): (usize, &Vec<f64>)| {
            let happened = if class == label { 1.0 } else { 0.0 };
            (p[row] - happened).powi(2)
        };
        weights.at(row) * classes.map(square).sum::<f64>()
    };
    let total: f64 = labels.iter().enumerate().map(term).sum();
    Ok(total / weights.total(labels.len()))
}

/// Refuses anything but a probability for every class and row, and labels of no class.
fn check_probabilities(
    labels: &[usize],
    probabilities: &[Vec<f64>],
    weights: Weights,
) -> Result<()> {
    check_weights(labels.len(), weights)?;
    for (class, column) in probabilities.iter().enumerate() {
        let name = format!("probability of class {}", class + 1);
        check_rows(labels.len(), &name, column.len())?;
        check_probability(&name, column)?;
    }
    if probabilities.len() < 2 {
        return Err(Error::Data(
            "the probabilities of two or more classes are needed".into(),
        ));
    }
    match labels
        .iter()
        .position(|&class| class >= probabilities.len())
    {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "row {} is of class {}, but there are probabilities of {} classes only",
            row + 1,
            labels[row] + 1,
            probabilities.len()
        ))),
    }
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
            match auc(&positive, &score, Weights::EQUAL) {
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
            let auc = |positive: &[bool], score: &[f64]| auc(positive, score, Weights::EQUAL).unwrap();
            prop_assert_eq!(auc(&positive, &score), auc(&flipped, &opposite));
        }
    }

    #[test]
    fn a_score_of_minus_zero_is_tied_with_zero() {
        assert_eq!(
            auc(&[true, false], &[-0.0, 0.0], Weights::EQUAL).unwrap(),
            0.5
        );
    }

    #[test]
    fn a_certain_and_wrong_probability_costs_a_finite_amount() {
        let loss = log_loss(&[1, 0], &[vec![1.0, 1.0], vec![0.0, 0.0]], Weights::EQUAL).unwrap();
        assert!((loss + 0.5 * f64::EPSILON.ln()).abs() < 1e-12);
    }

    #[test]
    fn what_is_undefined_is_refused() {
        let says = |r: Result<f64>, what: &str| {
            let message = r.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        let equal = Weights::EQUAL;
        says(auc(&[true, true], &[0.1, 0.2], equal), "one class");
        let of_one = Weights::new(&[1.0, 0.0]);
        says(auc(&[true, false], &[0.1, 0.2], of_one), "one class");
        says(accuracy(&[1], &[1], of_one), "weight has 2 rows");
        says(auc(&[true, false], &[0.1, f64::INFINITY], equal), "row 2");
        says(auc(&[true, false], &[0.1], equal), "1 rows");
        says(accuracy(&[], &[], equal), "no rows");
        says(accuracy(&[0, 1], &[1], equal), "1 rows");
        says(
            log_loss(&[0, 2], &[vec![0.5; 2], vec![0.5; 2]], equal),
            "class 3",
        );
        says(log_loss(&[0], &[vec![1.2], vec![0.0]], equal), "[0, 1]");
        says(
            log_loss(&[0], &[vec![0.2], vec![f64::NAN]], equal),
            "[0, 1]",
        );
        says(log_loss(&[0, 1], &[vec![0.5; 2]], equal), "two or more");
        says(log_loss(&[], &[], equal), "two or more");
        says(log_loss(&[], &[vec![], vec![]], equal), "no rows");
    }
}
