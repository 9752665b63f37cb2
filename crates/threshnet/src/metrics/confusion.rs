//! Which classes are taken for which, class by class and on average:
//!
//! ```text
//! precision = TP/(TP + FP)    recall = TP/(TP + FN)    F1 = 2TP/(2TP + FP + FN)
//! macro: the mean over classes            micro: of the counts of all classes together
//! AUC: that of a class against all others by its probability; micro: all (row, class) pairs as rows
//! ```
//!
//! as `confusion_matrix`, `precision_recall_fscore_support(zero_division=0)` and `roc_auc_score` of
//! scikit-learn. The class that is said is the most probable one. With one class to a row, the micro
//! averages of precision, recall and F1 are the accuracy.

use super::{auc, check_rows, check_weights};
use crate::dataset::Weights;
use crate::error::{Error, Result};
use crate::model::most_probable;
use serde::{Deserialize, Serialize};

/// The confusion matrix and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confusion {
    /// The classes, in the order of the matrix.
    pub classes: Vec<String>,
    /// What rows count, `[truth][said]`.
    pub counts: Vec<Vec<f64>>,
    /// Class by class.
    pub by_class: Vec<ClassScores>,
    /// The mean over classes.
    #[serde(rename = "macro")]
    pub macro_average: ClassScores,
    /// Of all counts together.
    #[serde(rename = "micro")]
    pub micro_average: ClassScores,
}

/// How well a class is told from the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClassScores {
    /// The share of right ones among the rows that are said to be of it; 0 if none are.
    pub precision: f64,
    /// The share of its rows that are said to be of it; 0 if it has none.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Against all other classes; none if all rows are on one side. A mean over classes is none
    /// where one of them has none.
    pub auc: Option<f64>,
}

/// How predicted probabilities, `[class][row]`, tell classes apart.
pub fn confusion(
    labels: &[usize],
    classes: &[String],
    probabilities: &[Vec<f64>],
    weights: Weights,
) -> Result<Confusion> {
    check_weights(labels.len(), weights)?;
    for column in probabilities {
        check_rows(labels.len(), "probability", column.len())?;
    }
    let k = classes.len();
    if probabilities.len() != k || labels.iter().any(|&label| label >= k) {
        return Err(Error::Data(format!(
            "there are probabilities of {} classes for {k}",
            probabilities.len()
        )));
    }
    let mut counts = vec![vec![0.0; k]; k];
    for (row, said) in most_probable(probabilities).into_iter().enumerate() {
        counts[labels[row]][said] += weights.at(row);
    }
    let of_class = |class: usize| {
        let positive: Vec<bool> = labels.iter().map(|&label| label == class).collect();
        Tally {
            hits: counts[class][class],
            said: counts.iter().map(|row| row[class]).sum(),
            are: counts[class].iter().sum(),
        }
        .scores(auc(&positive, &probabilities[class], weights).ok())
    };
    let by_class: Vec<ClassScores> = (0..k).map(of_class).collect();
    let mean = |of: fn(&ClassScores) -> f64| by_class.iter().map(of).sum::<f64>() / k as f64;
    let all: f64 = counts.iter().flatten().sum();
    let together = Tally {
        hits: (0..k).map(|class| counts[class][class]).sum(),
        said: all,
        are: all,
    };
    Ok(Confusion {
        classes: classes.to_vec(),
        macro_average: ClassScores {
            precision: mean(|scores| scores.precision),
            recall: mean(|scores| scores.recall),
            f1: mean(|scores| scores.f1),
            auc: (by_class.iter().map(|scores| scores.auc))
                .sum::<Option<f64>>()
                .map(|sum| sum / k as f64),
        },
        micro_average: together.scores(pooled_auc(labels, probabilities, weights)),
        counts,
        by_class,
    })
}

/// That of all (row, class) pairs.
fn pooled_auc(labels: &[usize], probabilities: &[Vec<f64>], weights: Weights) -> Option<f64> {
    let classes = 0..probabilities.len();
    let positive: Vec<bool> = classes
        .flat_map(|class| labels.iter().map(move |&label| label == class))
        .collect();
    let case: Vec<f64> = (probabilities.iter())
        .flat_map(|column| weights.iter(column.len()))
        .collect();
    auc(&positive, &probabilities.concat(), Weights::new(&case)).ok()
}

struct Tally {
    hits: f64,
    said: f64,
    are: f64,
}

impl Tally {
    fn scores(&self, auc: Option<f64>) -> ClassScores {
        let share = |of: f64| if of > 0.0 { self.hits / of } else { 0.0 };
        ClassScores {
            precision: share(self.said),
            recall: share(self.are),
            f1: share(0.5 * (self.said + self.are)),
            auc,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_by_hand() {
        let classes = ["a", "b", "c"].map(String::from);
        let labels = [0, 0, 1, 1];
        let p = vec![
            vec![0.8, 0.2, 0.1, 0.3],
            vec![0.1, 0.7, 0.8, 0.6],
            vec![0.1; 4],
        ];
        let found = confusion(&labels, &classes, &p, Weights::new(&[1.0, 2.0, 3.0, 0.0])).unwrap();
        assert_eq!(found.counts, [[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [0.0; 3]]);
        let [a, b, c] = found.by_class[..] else {
            panic!("three classes");
        };
        assert_eq!(
            (a.precision, a.recall, a.f1, a.auc),
            (1.0, 1.0 / 3.0, 0.5, Some(1.0))
        );
        assert_eq!((b.precision, b.recall, b.f1), (0.6, 1.0, 0.75));
        assert_eq!((c.precision, c.recall, c.f1, c.auc), (0.0, 0.0, 0.0, None));
        assert_eq!(
            (found.macro_average.auc, found.micro_average.f1),
            (None, 4.0 / 6.0)
        );
    }

    #[test]
    fn other_classes_are_refused() {
        let classes = ["a", "b"].map(String::from);
        let p = vec![vec![0.5; 2]; 2];
        assert!(confusion(&[0, 2], &classes, &p, Weights::EQUAL).is_err());
        assert!(confusion(&[0, 1], &classes, &p[..1], Weights::EQUAL).is_err());
        assert!(confusion(&[0], &classes, &p, Weights::EQUAL).is_err());
        assert!(confusion(&[], &classes, &[vec![], vec![]], Weights::EQUAL).is_err());
    }
}
