//! The Kaplan–Meier estimator, of the event and of the censoring time:
//!
//! ```text
//! Ŝ(t) = Π_{s ≤ t} (1 − e(s)/n(s))        Ĝ(t) = Π_{s ≤ t} (1 − c(s)/(n(s) − e(s)))
//! ```
//!
//! over the distinct times s, with e(s) events, c(s) censored rows and n(s)
//! rows at risk, each by what it counts (Kaplan & Meier 1958, JASA 53:457–481). A row censored at the
//! time of an event outlives the event, so events leave the risk set of the
//! censoring first. 1/Ĝ are the inverse-probability-of-censoring weights of
//! Uno et al. (2007, JASA 102:527–537).
//!
//! The band of Ŝ is that of log(−log Ŝ), which stays between 0 and 1, with Greenwood's variance:
//!
//! ```text
//! Ŝ(t)^exp(±1.96 √v(t) / log Ŝ(t)),   v(t) = Σ_{s ≤ t} e(s) / (n(s) (n(s) − e(s)))
//! ```
//!
//! (Kalbfleisch & Prentice 2002, The Statistical Analysis of Failure Time Data, section 1.4), as
//! `conf.type = "log-log"` of R's survfit. Where nobody is left it goes on as before.
//!
//! As in scikit-survival, Ĝ is taken *at* an event's time, with the rows that
//! are censored at that very time, not just before it.

use super::interval::Z;
use super::{Survival, ascending, total_of};
use crate::error::{Error, Result};

/// A survival curve: a right-continuous step function that starts at one.
#[derive(Debug, Clone, PartialEq)]
pub struct KaplanMeier {
    /// The distinct times, ascending.
    pub time: Vec<f64>,
    /// The probability of surviving each of them.
    pub probability: Vec<f64>,
    /// Greenwood's sum up to each of them; infinite where nobody survives.
    greenwood: Vec<f64>,
}

impl KaplanMeier {
    /// The curve Ŝ of the event time.
    pub fn of_event(rows: Survival) -> Self {
        Self::new(rows, |here| {
            (here.events, here.later + here.censored + here.events)
        })
    }

    /// The curve Ĝ of the censoring time.
    pub(crate) fn of_censoring(rows: Survival) -> Self {
        Self::new(rows, |here| (here.censored, here.later + here.censored))
    }

    /// `leaving` says how many rows leave at a time, and of how many.
    fn new(rows: Survival, leaving: impl Fn(&AtTime) -> (f64, f64)) -> Self {
        let Survival {
            time,
            event,
            weights,
        } = rows;
        let order = ascending(time);
        // From the last time to the first: what is at risk is added up, for what is left of
        // differences would keep a curve from reaching zero.
        let mut later = 0.0;
        let mut factors = Vec::new();
        for tied in order.chunk_by(|&a, &b| time[a] == time[b]).rev() {
            let here = AtTime {
                events: total_of(tied.iter().filter(|&&i| event[i]), weights),
                censored: total_of(tied.iter().filter(|&&i| !event[i]), weights),
                later,
            };
            later += here.events + here.censored;
            let (gone, of) = leaving(&here);
            // With nobody leaving, `of` may be zero too.
            let (factor, term) = match gone > 0.0 {
                true => (1.0 - gone / of, gone / (of * (of - gone))),
                false => (1.0, 0.0),
            };
            factors.push((time[tied[0]], factor, term));
        }
        let mut curve = KaplanMeier {
            time: vec![],
            probability: vec![],
            greenwood: vec![],
        };
        let (mut probability, mut sum) = (1.0, 0.0);
        for (time, factor, term) in factors.into_iter().rev() {
            probability *= factor;
            sum += term;
            curve.time.push(time);
            curve.probability.push(probability);
            curve.greenwood.push(sum);
        }
        curve
    }

    /// The lower and the upper end of the pointwise 95 % band at each time.
    pub fn band(&self) -> Vec<(f64, f64)> {
        let mut before = (1.0, 1.0);
        let steps = self.probability.iter().zip(&self.greenwood);
        steps
            .map(|(&survival, &greenwood)| {
                if survival > 0.0 && survival < 1.0 && greenwood.is_finite() {
                    let spread = Z * greenwood.sqrt() / survival.ln().abs();
                    before = (survival.powf(spread.exp()), survival.powf((-spread).exp()));
                }
                before
            })
            .collect()
    }

    /// The probability of reaching `t`.
    pub(crate) fn before(&self, t: f64) -> f64 {
        match self.time.partition_point(|&s| s < t) {
            0 => 1.0,
            steps => self.probability[steps - 1],
        }
    }

    /// The probability of surviving `t`; past the last time, that of the last.
    pub fn at(&self, t: f64) -> f64 {
        match self.time.partition_point(|&s| s <= t) {
            0 => 1.0,
            steps => self.probability[steps - 1],
        }
    }
}

/// What rows count at a time and after it.
struct AtTime {
    events: f64,
    censored: f64,
    later: f64,
}

/// The weight 1/Ĝ(tᵢ) of every event, Ĝ being estimated on the training rows;
/// 0 for rows that are censored or do not count.
///
/// An error if a weight is unknown (an event later than every training time)
/// or infinite (Ĝ = 0).
pub(super) fn censoring_weights(train: Survival, rows: Survival) -> Result<Vec<f64>> {
    let curve = KaplanMeier::of_censoring(train);
    let last = train.last();
    let weight = |t: f64| {
        let staying = curve.at(t);
        if staying == 0.0 {
            Err(Error::Data(format!(
                "no training row is under observation past time {t}, so the censoring weight of \
                 the event then is infinite; leave out later rows or use more training rows"
            )))
        } else if t > last {
            Err(Error::Data(format!(
                "the training rows end at {last}, so the censoring weight of the event at time \
                 {t} is unknown; leave out later rows or use more training rows"
            )))
        } else {
            Ok(1.0 / staying)
        }
    };
    let mut weights = vec![0.0; rows.time.len()];
    for (row, time, _) in rows.counting().filter(|&(.., event)| event) {
        weights[row] = weight(time)?;
    }
    Ok(weights)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A view of columns.
    pub(in crate::metrics) fn view<'a>(time: &'a [f64], event: &'a [bool]) -> Survival<'a> {
        Survival::new(time, event)
    }

    /// Rows of (time, event) with many ties in time.
    pub(in crate::metrics) fn tied_rows(
        rows: std::ops::Range<usize>,
    ) -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
        prop::collection::vec((0u8..9, any::<bool>()), rows)
            .prop_map(|rows| rows.into_iter().map(|(t, e)| (f64::from(t), e)).unzip())
    }

    /// Ĝ straight from its formula, in O(n²).
    pub(in crate::metrics) fn censoring_survival(rows: Survival, t: f64) -> f64 {
        let Survival { time, event, .. } = rows;
        let mut distinct: Vec<f64> = time.iter().copied().filter(|&s| s <= t).collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let count = |keep: &dyn Fn(usize) -> bool| (0..time.len()).filter(|&i| keep(i)).count();
        let factor = |s: f64| {
            let at_risk = count(&|i| time[i] >= s) - count(&|i| time[i] == s && event[i]);
            let censored = count(&|i| time[i] == s && !event[i]);
            1.0 - censored as f64 / at_risk.max(1) as f64
        };
        distinct.into_iter().map(factor).product()
    }

    proptest! {
        #[test]
        fn weights_are_those_of_the_formula(
            (train_time, train_event) in tied_rows(1..30),
            (time, event) in tied_rows(1..20),
        ) {
            let train = view(&train_time, &train_event);
            let last = train.last();
            let staying = |t: f64| censoring_survival(train, t);
            match censoring_weights(train, view(&time, &event)) {
                Ok(weights) => for ((&t, &e), w) in time.iter().zip(&event).zip(weights) {
                    let expected = if e { 1.0 / staying(t) } else { 0.0 };
                    prop_assert!((w - expected).abs() <= 1e-12 * expected);
                },
                Err(_) => prop_assert!(
                    time.iter().zip(&event).any(|(&t, &e)| e && (t > last || staying(t) == 0.0))
                ),
            }
        }

        /// Exchanging events and censorings exchanges Ŝ and Ĝ where no time
        /// has both.
        #[test]
        fn both_curves_agree_without_ties(event in prop::collection::vec(any::<bool>(), 1..30)) {
            let time: Vec<f64> = (0..event.len()).map(|i| i as f64).collect();
            let opposite: Vec<bool> = event.iter().map(|e| !e).collect();
            let censoring = KaplanMeier::of_censoring(view(&time, &event));
            let survival = KaplanMeier::of_event(view(&time, &opposite));
            for k in 0..2 * event.len() {
                let t = 0.5 * k as f64 - 0.5;
                prop_assert_eq!(censoring.at(t), survival.at(t));
            }
        }
    }

    #[test]
    fn a_row_censored_at_an_event_outlives_it() {
        // One of three events at 1, then one of the two left is censored at 1.
        let curve = KaplanMeier::of_censoring(view(&[1.0, 1.0, 2.0], &[true, false, true]));
        assert_eq!(
            (curve.at(0.5), curve.at(1.0), curve.at(9.0)),
            (1.0, 0.5, 0.5)
        );
    }

    #[test]
    fn unknown_and_infinite_weights_are_refused() {
        let message = |event: [bool; 2], t: f64| {
            censoring_weights(view(&[1.0, 2.0], &event), view(&[t], &[true]))
                .unwrap_err()
                .to_string()
        };
        assert!(message([true, true], 3.0).contains("end at 2"));
        assert!(message([true, false], 2.0).contains("infinite"));
        // A censored row needs no weight, however late it is.
        assert!(censoring_weights(view(&[1.0], &[true]), view(&[9.0], &[false])).is_ok());
    }
}
