//! How sure an AUC is, and the difference of two on the same rows, without drawing rows again.
//!
//! A positive row's placement is the share of negative rows below it (a tie counts one half), a
//! negative row's the share of positive rows above it. With Vᵢ and Uⱼ the placements, M and N what
//! positive and negative rows count,
//!
//! ```text
//! A = Σ wᵢVᵢ/M      Var A = Σ wᵢ(Vᵢ − A)²/(M(M − 1)) + Σ wⱼ(Uⱼ − A)²/(N(N − 1))
//! ```
//!
//! and likewise for the differences of two scores' placements (DeLong, DeLong and Clarke-Pearson
//! 1988, Biometrics 44:837–845), in one pass over the sorted scores. As `ci.auc` and `roc.test` of
//! R's pROC. Rows are taken to be independent: where they come in clusters, draw these again.

use super::interval::{Interval, IntervalMethod, Z};
use super::{ascending, auc, total_of};
use crate::dataset::Weights;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// An AUC, or the difference of two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DeLong {
    /// Its value.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// value ± 1.96 se, an AUC's within 0 and 1; none where the standard error is 0, which says
    /// that these rows cannot tell.
    pub interval: Option<Interval>,
    /// How often chance alone makes a difference as large as this; none of a single AUC.
    pub p: Option<f64>,
}

/// The AUC of a score.
pub fn delong(positive: &[bool], score: &[f64], weights: Weights) -> Result<DeLong> {
    let value = auc(positive, score, weights)?;
    let se = standard_error(positive, &placements(positive, score, weights), weights)?;
    Ok(DeLong {
        value,
        se,
        interval: around(value, se, (0.0, 1.0)),
        p: None,
    })
}

/// The AUC of the first score less that of the second, on the same rows.
pub fn delong_difference(
    positive: &[bool],
    first: &[f64],
    second: &[f64],
    weights: Weights,
) -> Result<DeLong> {
    let value = auc(positive, first, weights)? - auc(positive, second, weights)?;
    let pairs = placements(positive, first, weights)
        .into_iter()
        .zip(placements(positive, second, weights));
    let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    let se = standard_error(positive, &differences, weights)?;
    let p = match se > 0.0 {
        true => 2.0 * Normal::standard().sf((value / se).abs()),
        // (two scores that rank all rows alike)
        false => 1.0,
    };
    Ok(DeLong {
        value,
        se,
        interval: around(value, se, (-1.0, 1.0)),
        p: Some(p),
    })
}

fn around(value: f64, se: f64, (least, most): (f64, f64)) -> Option<Interval> {
    let half = Z * se;
    (se > 0.0).then(|| Interval {
        low: (value - half).max(least),
        high: (value + half).min(most),
        method: IntervalMethod::Delong,
    })
}

/// The placement of every row: of a positive one the share of negative rows below it, of a negative
/// one the share of positive rows above it.
fn placements(positive: &[bool], score: &[f64], weights: Weights) -> Vec<f64> {
    let order = ascending(score);
    let of = |wanted: bool, rows: &[usize]| {
        total_of(rows.iter().filter(|&&i| positive[i] == wanted), weights)
    };
    let (positives, negatives) = (of(true, &order), of(false, &order));
    let (mut positives_below, mut negatives_below) = (0.0, 0.0);
    let mut placement = vec![0.0; score.len()];
    for tied in order.chunk_by(|&a, &b| score[a] == score[b]) {
        let (here, others) = (of(true, tied), of(false, tied));
        for &i in tied {
            placement[i] = match positive[i] {
                true => (negatives_below + 0.5 * others) / negatives,
                false => 1.0 - (positives_below + 0.5 * here) / positives,
            };
        }
        positives_below += here;
        negatives_below += others;
    }
    placement
}

fn standard_error(positive: &[bool], placement: &[f64], weights: Weights) -> Result<f64> {
    let of_class = |wanted: bool| {
        let rows = || (0..positive.len()).filter(move |&i| positive[i] == wanted);
        let count: f64 = rows().map(|i| weights.at(i)).sum();
        if count <= 1.0 {
            return Err(Error::Data(
                "an AUC has a standard error only with two rows or more of either class".into(),
            ));
        }
        let sum = |of: &dyn Fn(usize) -> f64| rows().map(|i| weights.at(i) * of(i)).sum::<f64>();
        let mean = sum(&|i| placement[i]) / count;
        Ok(sum(&|i| (placement[i] - mean).powi(2)) / (count * (count - 1.0)))
    };
    Ok((of_class(true)? + of_class(false)?).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: positives 3, 1 (and 2 tied), negatives 0, 2. V = (1, ¾, ½), U = (1, ½).
    #[test]
    fn a_case_by_hand() {
        let positive = [true, true, true, false, false];
        let score = [3.0, 2.0, 1.0, 0.0, 2.0];
        let found = delong(&positive, &score, Weights::EQUAL).unwrap();
        assert_eq!(found.value, 0.75);
        // Σ(V − ¾)² = 1/8 over 3·2, Σ(U − ¾)² = 1/8 over 2·1
        assert!((found.se - (1.0 / 48.0 + 1.0 / 16.0f64).sqrt()).abs() < 1e-15);
        let interval = found.interval.unwrap();
        assert_eq!(interval.high, 1.0);
        assert!((interval.low - (0.75 - 1.959_963_984_540_054 * found.se)).abs() < 1e-12);
    }

    #[test]
    fn equal_rankings_do_not_differ() {
        let positive = [true, false, true, false, true, false];
        let score = [0.9, 0.5, 0.4, 0.3, 0.7, 0.6];
        let scaled = score.map(|s| 10.0 * s);
        let same = delong_difference(&positive, &score, &scaled, Weights::EQUAL).unwrap();
        assert_eq!((same.value, same.interval, same.p), (0.0, None, Some(1.0)));
        let other = [0.1, 0.5, 0.4, 0.9, 0.7, 0.6];
        let forth = delong_difference(&positive, &score, &other, Weights::EQUAL).unwrap();
        let back = delong_difference(&positive, &other, &score, Weights::EQUAL).unwrap();
        assert_eq!((forth.value, forth.p), (-back.value, back.p));
    }

    #[test]
    fn what_cannot_be_estimated_is_said() {
        let one = delong(&[true, false, false], &[1.0, 2.0, 3.0], Weights::EQUAL);
        assert!(one.unwrap_err().to_string().contains("two rows or more"));
        let none = delong(&[true, true], &[1.0, 2.0], Weights::EQUAL);
        assert!(none.unwrap_err().to_string().contains("one class"));
        let unequal = delong_difference(&[true, false], &[1.0, 2.0], &[1.0], Weights::EQUAL);
        assert!(unequal.unwrap_err().to_string().contains("1 rows"));
        // a perfect ranking: no spread to judge by
        let sure = delong(
            &[true, true, false, false],
            &[4.0, 3.0, 2.0, 1.0],
            Weights::EQUAL,
        );
        assert_eq!(sure.unwrap().interval, None);
    }
}
