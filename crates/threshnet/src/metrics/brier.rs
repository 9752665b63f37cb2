//! The Brier score of predicted survival at a time t, and its mean over time:
//!
//! ```text
//! BS(t) = Σᵢ wᵢ (Sᵢ(t)² [tᵢ ≤ t, event] / Ĝ(tᵢ)  +  (1 − Sᵢ(t))² [tᵢ > t] / Ĝ(t)) / Σᵢ wᵢ
//! IBS   = ∫ BS(t) dt / (t_T − t₁)      by trapezoids over t₁ < … < t_T
//! ```
//!
//! with Ĝ the Kaplan–Meier curve of the censoring time among training rows (Graf, Schmoor,
//! Sauerbrei and Schumacher 1999, Statistics in Medicine 18:2529–2545), as `brier_score` and
//! `integrated_brier_score` of scikit-survival. Rows that nobody stays to see (Ĝ = 0) count
//! nothing, as there. Lower is better; a coin has ¼.

use super::kaplan_meier::KaplanMeier;
use super::{Survival, check_probability, check_rows};
use crate::error::{Error, Result};
use crate::statistics::weighted_mean;

/// The Brier score at each of `times`, `survival[k][i]` being the predicted probability that row
/// `i` outlives `times[k]`.
///
/// Times must lie in [first, last) of the scored rows' own, as in scikit-survival.
pub fn brier(
    train: Survival,
    rows: Survival,
    survival: &[Vec<f64>],
    times: &[f64],
) -> Result<Vec<f64>> {
    train.check("training")?;
    rows.check("scored")?;
    check_curves(rows, survival, times)?;
    let staying = KaplanMeier::of_censoring(train);
    let (first, last) = (rows.first(), rows.last());
    if let Some(t) = times.iter().find(|t| !(first..last).contains(t)) {
        return Err(Error::Data(format!(
            "time {t} is not among those of the scored rows; give times from {first} to below {last}"
        )));
    }
    let end = train.last();
    let latest = (rows.counting())
        .filter_map(|(_, time, event)| event.then_some(time))
        .chain(times.iter().copied())
        .fold(0.0, f64::max);
    if latest > end && staying.at(end) > 0.0 {
        return Err(Error::Data(format!(
            "the training rows end at {end}, so the censoring weight at time {latest} is unknown; \
             leave out later rows or use more training rows"
        )));
    }
    let weight = |t: f64| match staying.at(t) {
        0.0 => 0.0,
        share => 1.0 / share,
    };
    let of_row: Vec<f64> = rows.time.iter().map(|&t| weight(t)).collect();
    let at = |(&t, curve): (&f64, &Vec<f64>)| {
        let of_time = weight(t);
        let term = |i: usize| match (rows.time[i] > t, rows.event[i]) {
            (true, _) => (1.0 - curve[i]).powi(2) * of_time,
            (false, true) => curve[i].powi(2) * of_row[i],
            (false, false) => 0.0,
        };
        weighted_mean((0..rows.time.len()).map(term), rows.weights)
    };
    Ok(times.iter().zip(survival).map(at).collect())
}

/// The Brier score's mean over time; `times` are at least two, ascending.
pub fn integrated_brier(
    train: Survival,
    rows: Survival,
    survival: &[Vec<f64>],
    times: &[f64],
) -> Result<f64> {
    if times.len() < 2 || !times.is_sorted_by(|a, b| a < b) {
        return Err(Error::Data(
            "an integrated Brier score needs two or more times, ascending".into(),
        ));
    }
    let at = brier(train, rows, survival, times)?;
    let area: f64 = (1..times.len())
        .map(|k| 0.5 * (at[k - 1] + at[k]) * (times[k] - times[k - 1]))
        .sum();
    Ok(area / (times[times.len() - 1] - times[0]))
}

/// Refuses anything but a probability for every time and row.
fn check_curves(rows: Survival, survival: &[Vec<f64>], times: &[f64]) -> Result<()> {
    if survival.len() != times.len() {
        return Err(Error::Data(format!(
            "survival is predicted at {} times, but {} are given",
            survival.len(),
            times.len()
        )));
    }
    for (t, curve) in times.iter().zip(survival) {
        let name = format!("predicted survival at time {t}");
        check_rows(rows.time.len(), &name, curve.len())?;
        check_probability(&name, curve)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::kaplan_meier::tests::{censoring_survival, tied_rows, view};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_formula(
            (train_time, train_event) in tied_rows(2..30),
            (time, event) in tied_rows(2..20),
            shares in prop::collection::vec(0.0..1.0f64, 40),
        ) {
            let (train, rows) = (view(&train_time, &train_event), view(&time, &event));
            let (first, last) = (rows.first(), rows.last());
            let times: Vec<f64> = (0..9).map(|k| k as f64 + 0.5)
                .filter(|t| (first..last).contains(t))
                .take(2)
                .collect();
            let n = time.len();
            let survival: Vec<Vec<f64>> = shares.chunks(n).take(times.len())
                .map(<[f64]>::to_vec)
                .collect();
            prop_assume!(times.len() == 2 && survival.len() == 2 && survival[1].len() == n);
            let Ok(found) = brier(train, rows, &survival, &times) else {
                // an event that no training row lives to see
                prop_assert!(last > train.last());
                return Ok(());
            };
            let weight = |t: f64| match censoring_survival(train, t) {
                g if g > 1e-12 => 1.0 / g,
                _ => 0.0,
            };
            for (k, &t) in times.iter().enumerate() {
                let naive: f64 = (0..n).map(|i| {
                    let s = survival[k][i];
                    let died = f64::from(time[i] <= t && event[i]);
                    let lives = f64::from(time[i] > t);
                    died * s * s * weight(time[i]) + lives * (1.0 - s) * (1.0 - s) * weight(t)
                }).sum();
                prop_assert!((found[k] - naive / n as f64).abs() < 1e-9);
            }
            let mean = integrated_brier(train, rows, &survival, &times).unwrap();
            prop_assert!((mean - 0.5 * (found[0] + found[1])).abs() < 1e-9);
        }
    }

    #[test]
    fn a_coin_has_a_quarter_and_an_oracle_nothing() {
        let (time, event) = ([1.0, 2.0, 3.0, 4.0], [true; 4]);
        let rows = view(&time, &event);
        let times = [1.5, 3.5];
        let coin = vec![vec![0.5; 4]; 2];
        assert_eq!(brier(rows, rows, &coin, &times).unwrap(), [0.25, 0.25]);
        let known = times.map(|t| time.map(|row| f64::from(row > t)).to_vec());
        assert_eq!(integrated_brier(rows, rows, &known, &times).unwrap(), 0.0);
    }

    #[test]
    fn what_cannot_be_scored_is_refused() {
        let (time, event) = ([1.0, 2.0, 3.0], [true, false, true]);
        let rows = view(&time, &event);
        let curve = vec![vec![0.5; 3]];
        let problem = |survival: &[Vec<f64>], times: &[f64]| {
            brier(rows, rows, survival, times).unwrap_err().to_string()
        };
        assert!(problem(&curve, &[0.5]).contains("from 1 to below 3"));
        assert!(problem(&curve, &[3.0]).contains("from 1 to below 3"));
        assert!(problem(&curve, &[1.0, 2.0]).contains("1 times, but 2"));
        assert!(problem(&[vec![0.5; 2]], &[1.0]).contains("2 rows"));
        assert!(problem(&[vec![0.5, 1.5, 0.5]], &[1.0]).contains("1.5 in row 2"));
        for bad in [&[1.0][..], &[2.0, 1.0]] {
            assert!(integrated_brier(rows, rows, &curve, bad).is_err());
        }
        // the last training row is an event: what is past it nobody knows
        let train = view(&[1.0, 2.0], &[true, true]);
        assert!(brier(train, rows, &curve, &[1.0]).is_err());
    }
}
