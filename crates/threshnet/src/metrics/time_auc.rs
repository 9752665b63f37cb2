//! The cumulative/dynamic AUC of a risk at a time t: rows with the event up to
//! t are cases, rows under observation past t are controls,
//!
//! ```text
//! AUC(t) = Σ_{case i} Σ_{control j} ωᵢ ([rᵢ > rⱼ] + ½ [rᵢ = rⱼ]) / (n_controls Σ_{case i} ωᵢ)
//! ```
//!
//! with ωᵢ = 1/Ĝ(tᵢ) (Uno et al. 2007, JASA 102:527–537; Hung & Chiang 2010,
//! Canadian Journal of Statistics 38:8–26). The mean over times t₁ < … < t_T
//! weighs each AUC by the drop of the Kaplan–Meier curve of the scored rows,
//!
//! ```text
//! mean = Σ_k AUC(t_k) (Ŝ(t_{k−1}) − Ŝ(t_k)) / (1 − Ŝ(t_T)),   Ŝ(t₀) = 1
//! ```
//!
//! (Lambert & Chevret 2016, Statistical Methods in Medical Research
//! 25:2088–2102), as `cumulative_dynamic_auc` of scikit-survival, except that
//! risks are tied only if they are equal.

use super::kaplan_meier::{KaplanMeier, censoring_weights};
use super::{Survival, ascending, total_of};
use crate::error::{Error, Result};

/// AUCs at given times, and their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeAuc {
    /// The AUC at each given time, in the given order.
    pub at: Vec<f64>,
    /// The mean over the distinct times, weighted by the share of events that
    /// each stands for.
    pub mean: f64,
}

/// The AUC at each of `times`, censoring weights estimated on training rows.
///
/// Times must lie in [first event, last time) of the scored rows: without a
/// case or a control there is no AUC. As in scikit-survival every event needs
/// a known weight, whatever the `times`.
pub fn cumulative_dynamic_auc(
    train: Survival,
    rows: Survival,
    risk: &[f64],
    times: &[f64],
) -> Result<TimeAuc> {
    train.check("training")?;
    rows.check_scored(risk)?;
    check_times(rows, times)?;
    let weight = censoring_weights(train, rows)?;
    let Survival {
        time,
        event,
        weights,
    } = rows;
    let by_risk = ascending(risk);
    let auc_at = |&t: &f64| {
        let (mut concordant, mut cases) = (0.0, 0.0);
        let mut controls = 0.0;
        for tied in by_risk.chunk_by(|&a, &b| risk[a] == risk[b]) {
            let is_case = |i: usize| event[i] && time[i] <= t;
            let cases_here: f64 = tied
                .iter()
                .filter(|&&i| is_case(i))
                .map(|&i| weights.at(i) * weight[i])
                .sum();
            let controls_here = total_of(tied.iter().filter(|&&i| time[i] > t), weights);
            concordant += cases_here * (controls + 0.5 * controls_here);
            cases += cases_here;
            controls += controls_here;
        }
        concordant / (cases * controls)
    };
    let at: Vec<f64> = times.iter().map(auc_at).collect();
    let mean = mean_over_events(&KaplanMeier::of_event(rows), times, &at);
    Ok(TimeAuc { at, mean })
}

/// Refuses times at which there is no case or no control.
fn check_times(rows: Survival, times: &[f64]) -> Result<()> {
    if times.is_empty() {
        return Err(Error::Data("no time is given to score the risk at".into()));
    }
    let happened = rows.counting().filter(|&(.., event)| event);
    let first = (happened.map(|(_, time, _)| time)).fold(f64::INFINITY, f64::min);
    let last = rows.last();
    if first >= last {
        return Err(Error::Data(
            "no row outlives an event of the scored rows, so no time has cases and controls".into(),
        ));
    }
    // NaN is in no range.
    match times.iter().find(|t| !(first..last).contains(t)) {
        None => Ok(()),
        Some(t) => Err(Error::Data(format!(
            "time {t} has no cases or no controls among the scored rows; give times from {first} \
             to below {last}"
        ))),
    }
}

/// The mean of `at`, each weighted by the drop of the curve since the time
/// before it. Repeated times have no drop and count once.
fn mean_over_events(survival: &KaplanMeier, times: &[f64], at: &[f64]) -> f64 {
    let (mut sum, mut before) = (0.0, 1.0);
    for k in ascending(times) {
        let after = survival.at(times[k]);
        sum += at[k] * (before - after);
        before = after;
    }
    sum / (1.0 - before)
}

#[cfg(test)]
mod tests {
    use super::super::kaplan_meier::tests::{censoring_survival, tied_rows, view};
    use super::*;
    use proptest::prelude::*;

    fn by_pairs(rows: Survival, risk: &[f64], weight: &[f64], t: f64) -> f64 {
        let Survival { time, event, .. } = rows;
        let (mut sum, mut total) = (0.0, 0.0);
        for i in (0..time.len()).filter(|&i| event[i] && time[i] <= t) {
            for j in (0..time.len()).filter(|&j| time[j] > t) {
                total += weight[i];
                if risk[i] > risk[j] {
                    sum += weight[i];
                } else if risk[i] == risk[j] {
                    sum += 0.5 * weight[i];
                }
            }
        }
        sum / total
    }

    proptest! {
        #[test]
        fn weighs_all_pairs_of_cases_and_controls(
            (train_time, train_event) in tied_rows(5..50),
            (time, event) in tied_rows(2..50),
            risk in prop::collection::vec((-3i8..3).prop_map(f64::from), 50),
            t in 0.0..9.0f64,
        ) {
            let risk = &risk[..time.len()];
            let (train, rows) = (view(&train_time, &train_event), view(&time, &event));
            let staying: Vec<f64> = time.iter().map(|&s| censoring_survival(train, s)).collect();
            let weight: Vec<f64> = staying.iter().map(|g| 1.0 / g).collect();
            let known = (0..time.len())
                .all(|i| !event[i] || (staying[i] > 0.0 && time[i] <= train.last()));
            let case = (0..time.len()).any(|i| event[i] && time[i] <= t);
            let control = time.iter().any(|&s| s > t);
            let found = cumulative_dynamic_auc(train, rows, risk, &[t]);
            prop_assert_eq!(found.is_ok(), known && case && control);
            if let Ok(found) = found {
                let expected = by_pairs(rows, risk, &weight, t);
                prop_assert!((found.at[0] - expected).abs() < 1e-12);
                prop_assert!((found.mean - expected).abs() < 1e-12);
            }
        }

        /// Without censoring the AUC at t is that of the classes "event by t"
        /// and "no event by t", and the mean is that over the events.
        #[test]
        fn is_the_plain_auc_without_censoring(
            rows in prop::collection::vec((0u8..6, -3i8..3), 2..40)
        ) {
            let (time, risk): (Vec<f64>, Vec<f64>) =
                rows.iter().map(|&(t, r)| (f64::from(t), f64::from(r))).unzip();
            let event = vec![true; time.len()];
            let rows = view(&time, &event);
            let mut times: Vec<f64> = time.iter().copied().filter(|&t| t < rows.last()).collect();
            times.sort_by(f64::total_cmp);
            prop_assume!(!times.is_empty());
            let found = cumulative_dynamic_auc(rows, rows, &risk, &times).unwrap();
            for (&t, &a) in times.iter().zip(&found.at) {
                let by_then: Vec<bool> = time.iter().map(|&s| s <= t).collect();
                let plain = crate::metrics::auc(&by_then, &risk, crate::dataset::Weights::EQUAL).unwrap();
                prop_assert!((a - plain).abs() < 1e-12);
            }
            let mean = crate::statistics::mean(found.at.iter().copied());
            prop_assert!((found.mean - mean).abs() < 1e-12);
        }

        /// The order of the times and repeated times do not change the mean.
        #[test]
        fn the_mean_is_over_distinct_times(
            (time, event) in tied_rows(10..50),
            risk in prop::collection::vec(-1.0..1.0f64, 50),
        ) {
            let risk = &risk[..time.len()];
            let score = |times: &[f64]| {
                let train = view(&[9.0, 9.0], &[true, true]);
                cumulative_dynamic_auc(train, view(&time, &event), risk, times).ok()
            };
            if let (Some(a), Some(b)) = (score(&[3.0, 5.0]), score(&[5.0, 3.0, 5.0])) {
                prop_assert_eq!(a.mean, b.mean);
                prop_assert_eq!(vec![a.at[1], a.at[0], a.at[1]], b.at);
            }
        }
    }

    #[test]
    fn times_without_case_or_control_are_refused() {
        let says = |event: [bool; 4], times: &[f64], what: &str| {
            let rows = view(&[1.0, 2.0, 3.0, 4.0], &event);
            let message = cumulative_dynamic_auc(rows, rows, &[0.0, 2.0, 1.0, 0.0], times)
                .unwrap_err()
                .to_string();
            assert!(message.contains(what), "{message}");
        };
        let event = [false, true, true, false];
        says(event, &[2.0, 4.0], "time 4 has no cases or no controls");
        says(event, &[0.5], "from 2 to below 4");
        says(event, &[1.5], "from 2 to below 4");
        says(event, &[f64::NAN], "time NaN");
        says(event, &[], "no time");
        says([false; 4], &[2.0], "no row outlives an event");
        says([false, false, false, true], &[2.0], "no row outlives");
    }
}
