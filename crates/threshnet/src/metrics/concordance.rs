//! Concordance of a risk with censored times: over the pairs (i, j) in which
//! row i has the event and row j is known to outlive it,
//!
//! ```text
//! C = Σ uᵢ vᵢ vⱼ ([rᵢ > rⱼ] + ½ [rᵢ = rⱼ]) / Σ uᵢ vᵢ vⱼ
//! ```
//!
//! with v the case weights, and uᵢ = 1 (Harrell et al. 1996, Statistics in Medicine 15:361–387) or
//! uᵢ = 1/Ĝ(tᵢ)², Ĝ being the Kaplan–Meier curve of the censoring time in the
//! training rows (Uno et al. 2011, Statistics in Medicine 30:1105–1117).
//!
//! Row j outlives the event of row i if tⱼ > tᵢ, or if it is censored at
//! tⱼ = tᵢ; two events at one time are not comparable. These are
//! `concordance_index_censored` and `concordance_index_ipcw` of
//! scikit-survival, except that risks are tied only if they are equal, where
//! scikit-survival's default also ties risks up to 1e-8 apart.
//!
//! The pairs are counted in O(n log n): rows enter a Fenwick tree over the
//! ranks of their risks from the latest time to the earliest.

use super::kaplan_meier::censoring_weights;
use super::{Survival, ascending};
use crate::error::{Error, Result};

/// Harrell's C of a risk that should be higher for rows with earlier events.
pub fn concordance_harrell(rows: Survival, risk: &[f64]) -> Result<f64> {
    rows.check_scored(risk)?;
    weighted_concordance(rows, risk, &vec![1.0; risk.len()])
}

/// Uno's C, its censoring weights estimated on training rows. With `tau`, only events before
/// that time have pairs: C then speaks of the time up to it.
///
/// An error if an event that has pairs, even one that no row outlives, is later than the training
/// rows reach: its weight is unknown.
pub fn concordance_uno(
    train: Survival,
    rows: Survival,
    risk: &[f64],
    tau: Option<f64>,
) -> Result<f64> {
    train.check("training")?;
    rows.check_scored(risk)?;
    let early: Vec<bool> = (rows.time.iter().zip(rows.event))
        .map(|(&time, &event)| event && tau.is_none_or(|tau| time < tau))
        .collect();
    let counted = Survival {
        event: &early,
        ..rows
    };
    let mut weight = censoring_weights(train, counted)?;
    for w in &mut weight {
        *w *= *w;
    }
    weighted_concordance(rows, risk, &weight)
}

fn weighted_concordance(rows: Survival, risk: &[f64], weight: &[f64]) -> Result<f64> {
    let Survival {
        time,
        event,
        weights,
    } = rows;
    let rank = dense_ranks(risk);
    let mut outlived = RankCounts::new(risk.len());
    let (mut concordant, mut comparable) = (0.0, 0.0);
    let order = ascending(time);
    for tied in order.chunk_by(|&a, &b| time[a] == time[b]).rev() {
        // Before the events of this time, so that they are compared with the
        // rows censored at it; the events themselves enter after.
        for &i in tied.iter().filter(|&&i| !event[i]) {
            outlived.insert(rank[i], weights.at(i));
        }
        for &i in tied.iter().filter(|&&i| event[i]) {
            let (lower, lower_or_equal) = (outlived.below(rank[i]), outlived.below(rank[i] + 1));
            let weight = weight[i] * weights.at(i);
            concordant += weight * 0.5 * (lower + lower_or_equal);
            comparable += weight * outlived.total;
        }
        for &i in tied.iter().filter(|&&i| event[i]) {
            outlived.insert(rank[i], weights.at(i));
        }
    }
    if comparable == 0.0 {
        return Err(Error::Data(
            "no row is known to outlive an event, so there are no pairs to compare".into(),
        ));
    }
    Ok(concordant / comparable)
}

/// The rank of every value among the distinct values, from 0.
fn dense_ranks(values: &[f64]) -> Vec<usize> {
    let mut rank = vec![0; values.len()];
    let order = ascending(values);
    let groups = order.chunk_by(|&a, &b| values[a] == values[b]);
    for (level, tied) in groups.enumerate() {
        for &i in tied {
            rank[i] = level;
        }
    }
    rank
}

/// What the inserted rows of each rank count, with prefix sums in O(log n)
/// (Fenwick 1994, Software: Practice and Experience 24:327–336).
struct RankCounts {
    /// Node k, counted from 1, sums the ranks k − lowbit(k) .. k.
    node: Vec<f64>,
    total: f64,
}

impl RankCounts {
    fn new(ranks: usize) -> Self {
        RankCounts {
            node: vec![0.0; ranks + 1],
            total: 0.0,
        }
    }

    fn insert(&mut self, rank: usize, weight: f64) {
        self.total += weight;
        let mut k = rank + 1;
        while k < self.node.len() {
            self.node[k] += weight;
            k += k & k.wrapping_neg();
        }
    }

    /// What the inserted rows of a rank below `rank` count.
    fn below(&self, rank: usize) -> f64 {
        let (mut k, mut sum) = (rank, 0.0);
        while k > 0 {
            sum += self.node[k];
            k &= k - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::kaplan_meier::tests::{censoring_survival, tied_rows, view};
    use super::*;
    use proptest::prelude::*;

    /// The definition, pair by pair; `None` without a comparable pair.
    fn by_pairs(rows: Survival, risk: &[f64], weight: &[f64]) -> Option<f64> {
        let Survival { time, event, .. } = rows;
        let (mut sum, mut total) = (0.0, 0.0);
        for i in (0..time.len()).filter(|&i| event[i]) {
            for j in 0..time.len() {
                if time[j] > time[i] || (time[j] == time[i] && !event[j]) {
                    total += weight[i];
                    if risk[i] > risk[j] {
                        sum += weight[i];
                    } else if risk[i] == risk[j] {
                        sum += 0.5 * weight[i];
                    }
                }
            }
        }
        (total > 0.0).then(|| sum / total)
    }

    /// Few levels, so that most risks are tied.
    fn levels(rows: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((-3i8..3).prop_map(f64::from), rows)
    }

    proptest! {
        #[test]
        fn harrell_counts_all_pairs((time, event) in tied_rows(1..50), risk in levels(50)) {
            let risk = &risk[..time.len()];
            let rows = view(&time, &event);
            let expected = by_pairs(rows, risk, &vec![1.0; time.len()]);
            prop_assert_eq!(concordance_harrell(rows, risk).ok(), expected);
        }

        #[test]
        fn uno_weighs_all_pairs(
            (train_time, train_event) in tied_rows(1..50),
            (time, event) in tied_rows(1..50),
            risk in levels(50),
        ) {
            let risk = &risk[..time.len()];
            let (train, rows) = (view(&train_time, &train_event), view(&time, &event));
            let last = train.last();
            let staying: Vec<f64> = time.iter().map(|&t| censoring_survival(train, t)).collect();
            let known = (0..time.len())
                .all(|i| !event[i] || (staying[i] > 0.0 && time[i] <= last));
            let weight: Vec<f64> = staying.iter().map(|g| 1.0 / (g * g)).collect();
            let expected = by_pairs(rows, risk, &weight).filter(|_| known);
            let found = concordance_uno(train, rows, risk, None).ok();
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(a), Some(b)) = (found, expected) {
                prop_assert!((a - b).abs() < 1e-12, "{a} against {b}");
            }
        }

        /// The opposite risk has the complementary concordance.
        #[test]
        fn opposite_risks_complement((time, event) in tied_rows(2..50), risk in levels(50)) {
            let risk = &risk[..time.len()];
            let opposite: Vec<f64> = risk.iter().map(|r| -r).collect();
            let rows = view(&time, &event);
            if let Ok(c) = concordance_harrell(rows, risk) {
                let complement = concordance_harrell(rows, &opposite).unwrap();
                prop_assert!((c + complement - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_undefined_is_refused() {
        let says = |r: Result<f64>, what: &str| {
            let message = r.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        let both = [true, true];
        let harrell = |time: &[f64], event: &[bool], risk: &[f64]| {
            concordance_harrell(view(time, event), risk)
        };
        says(harrell(&[2.0, 2.0], &both, &[0.0, 1.0]), "outlive");
        says(harrell(&[1.0, 2.0], &[false, true], &[0.0, 1.0]), "outlive");
        says(harrell(&[1.0, 2.0], &both, &[0.0]), "risk has 1 rows");
        says(harrell(&[1.0, 2.0], &[true], &[0.0, 1.0]), "event column");
        says(
            harrell(&[1.0, -2.0], &both, &[0.0, 1.0]),
            "negative in row 2",
        );
        says(harrell(&[1.0, 2.0], &both, &[f64::NAN, 1.0]), "row 1");
        let train = view(&[1.0], &[true]);
        says(
            concordance_uno(train, view(&[1.0, 2.0], &both), &[1.0, 0.0], None),
            "unknown",
        );
    }
}
