//! Whether what is predicted is what happens: on the whole, along a line, along a curve.
//!
//! ```text
//! observed/expected   Σ wᵢyᵢ / Σ wᵢpᵢ
//! slope, intercept    b and a of  y ~ a + b·g(p),   g the log-odds of a probability, else as it is:
//!                     1 and 0 where predictions are right, b < 1 where they are too extreme
//! in the large        a of  y ~ a + g(p)
//! ICI, E50, E90       the mean, the median and the 90th percentile over rows of |ŷ(p) − p|,
//!                     ŷ the smooth curve of y along p
//! ```
//!
//! (Cox 1958, Biometrika 45:562–565; Van Calster et al. 2019, BMC Medicine 17:230; Austin &
//! Steyerberg 2019, Statistics in Medicine 38:4051–4065.) Slope and intercept are those of
//! `val.prob` of R's rms. Probabilities of 0 and 1 are moved by 2.2·10⁻¹⁶, as for the log loss.
//!
//! Of survival it is the risk by a time t that is judged. Rows censored before t do not say whether
//! the event happened; each of the others stands for 1/Ĝ rows, Ĝ the Kaplan–Meier curve of the
//! censoring time at its event or at t, as in the [Brier score](fn@super::brier). What was observed
//! on the whole is 1 − Ŝ(t) of the Kaplan–Meier curve, what was expected the mean risk of all rows;
//! so is the ICI one of all rows (Austin, Harrell & van Klaveren 2020, Statistics in Medicine
//! 39:2714–2742).

use super::kaplan_meier::KaplanMeier;
use super::line::{Line, Link, line, shift};
use super::loess::{Counting, SmoothCurve, loess};
use super::{Survival, ascending, check_finite, check_probability, check_rows, check_weights};
use crate::dataset::Weights;
use crate::error::{Error, Result};
use crate::statistics::weighted_mean;
use serde::{Deserialize, Serialize};

/// How well predictions and outcomes agree. What the rows leave undefined is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The mean outcome: the share of events.
    pub observed: f64,
    /// The mean prediction.
    pub expected: f64,
    /// The one divided by the other.
    pub observed_expected: Option<f64>,
    /// How far predictions are off on the whole.
    pub in_the_large: Option<f64>,
    /// Where the line starts.
    pub intercept: Option<f64>,
    /// How steep it is.
    pub slope: Option<f64>,
    /// The mean distance of the curve from the predictions.
    pub ici: Option<f64>,
    /// Its median.
    pub e50: Option<f64>,
    /// Its 90th percentile.
    pub e90: Option<f64>,
    /// The curve itself, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<SmoothCurve>,
}

impl Agreement {
    /// Of predicted numbers.
    pub fn of_numbers(y: &[f64], predicted: &[f64], weights: Weights) -> Result<Agreement> {
        check_finite("outcome", y)?;
        check_finite("prediction", predicted)?;
        Self::plain(y, predicted, weights, Link::Identity)
    }

    /// Of the probability of what some rows are.
    pub fn of_probabilities(
        positive: &[bool],
        probability: &[f64],
        weights: Weights,
    ) -> Result<Agreement> {
        check_probability("probability", probability)?;
        let y: Vec<f64> = positive.iter().map(|&p| f64::from(u8::from(p))).collect();
        Self::plain(&y, probability, weights, Link::Logit)
    }

    /// Of the predicted survival of time `t`, censoring weights estimated on training rows.
    pub fn of_survival(
        train: Survival,
        rows: Survival,
        survival: &[f64],
        t: f64,
    ) -> Result<Agreement> {
        train.check("training")?;
        rows.check("scored")?;
        check_rows(rows.time.len(), "predicted survival", survival.len())?;
        check_probability("predicted survival", survival)?;
        check_horizon(rows, t)?;
        let risk: Vec<f64> = survival.iter().map(|s| 1.0 - s).collect();
        let happened = |row: usize| rows.event[row] && rows.time[row] <= t;
        let y: Vec<f64> = (0..risk.len())
            .map(|row| f64::from(u8::from(happened(row))))
            .collect();
        let staying = KaplanMeier::of_censoring(train);
        let weight = |row: usize| match (rows.time[row] > t, rows.event[row]) {
            (true, _) => inverse(staying.at(t)),
            (false, true) => inverse(staying.at(rows.time[row])),
            (false, false) => 0.0,
        };
        let censoring: Vec<f64> = (0..risk.len()).map(weight).collect();
        let case: Vec<f64> = rows.weights.iter(risk.len()).collect();
        let counting = Counting {
            case: &case,
            censoring: Some(&censoring),
        };
        let observed = 1.0 - KaplanMeier::of_event(rows).at(t);
        Ok(Self::of(&y, &risk, counting, Link::Logit, observed))
    }

    fn plain(y: &[f64], predicted: &[f64], weights: Weights, link: Link) -> Result<Agreement> {
        check_rows(y.len(), "prediction", predicted.len())?;
        check_weights(y.len(), weights)?;
        let case: Vec<f64> = weights.iter(y.len()).collect();
        let counting = Counting {
            case: &case,
            censoring: None,
        };
        let observed = weighted_mean(y.iter().copied(), weights);
        Ok(Self::of(y, predicted, counting, link, observed))
    }

    fn of(y: &[f64], predicted: &[f64], counting: Counting, link: Link, observed: f64) -> Self {
        let weights: Vec<f64> = (0..y.len()).map(|row| counting.at(row)).collect();
        let x: Vec<f64> = match link {
            Link::Identity => predicted.to_vec(),
            Link::Logit => predicted.iter().map(|&p| log_odds(p)).collect(),
        };
        let straight = line(link, &x, y, &weights);
        let curve = loess(predicted, y, counting);
        let distances: Option<Vec<f64>> = (curve.as_ref()).map(|curve| {
            let distance = |&p: &f64| (curve.height(p) - p).abs();
            predicted.iter().map(distance).collect()
        });
        let expected = weighted_mean(predicted.iter().copied(), Weights::new(counting.case));
        let of_rows = |share: f64| Some(quantile(distances.as_ref()?, counting.case, share));
        Agreement {
            observed,
            expected,
            observed_expected: (expected != 0.0).then(|| observed / expected),
            in_the_large: shift(link, &x, y, &weights),
            intercept: straight.map(|Line { intercept, .. }| intercept),
            slope: straight.map(|Line { slope, .. }| slope),
            ici: (distances.as_ref())
                .map(|d| weighted_mean(d.iter().copied(), Weights::new(counting.case))),
            e50: of_rows(0.5),
            e90: of_rows(0.9),
            curve: match link {
                Link::Identity => curve,
                Link::Logit => curve.map(|curve| curve.within(0.0, 1.0)),
            },
        }
    }
}

/// Refuses a time before the first event of the scored rows, or past the last row.
pub(super) fn check_horizon(rows: Survival, t: f64) -> Result<()> {
    let events = rows.counting().filter(|&(.., event)| event);
    let first = events
        .map(|(_, time, _)| time)
        .fold(f64::INFINITY, f64::min);
    if first.is_infinite() {
        return Err(Error::Data("the scored rows have no event".into()));
    }
    // (NaN is in no range)
    match (first..rows.last()).contains(&t) {
        true => Ok(()),
        false => Err(Error::Data(format!(
            "time {t} has no event before it or no row after it; give times from {first} to below {}",
            rows.last()
        ))),
    }
}

fn inverse(share: f64) -> f64 {
    match share {
        0.0 => 0.0,
        share => 1.0 / share,
    }
}

/// log p/(1 − p).
fn log_odds(p: f64) -> f64 {
    let p = p.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
    (p / (1.0 - p)).ln()
}

/// The value with this share of the rows below it, between two rows in proportion.
fn quantile(values: &[f64], case: &[f64], share: f64) -> f64 {
    let mut order = ascending(values);
    order.retain(|&row| case[row] > 0.0);
    let upto: Vec<f64> = (order.iter())
        .scan(0.0, |sum, &row| {
            *sum += case[row];
            Some(*sum)
        })
        .collect();
    let position = share * (upto[upto.len() - 1] - 1.0).max(0.0);
    // (the row that the k-th of all rows is, counted from 0)
    let at = |k: f64| {
        let place = upto.partition_point(|&sum| sum <= k);
        values[order[place.min(order.len() - 1)]]
    };
    let (low, high) = (at(position.floor()), at(position.floor() + 1.0));
    low + (position - position.floor()) * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_has_slope_one_and_no_distance() {
        let y: Vec<f64> = (0..50)
            .map(|i| f64::from(i % 7) + 0.1 * f64::from(i))
            .collect();
        let found = Agreement::of_numbers(&y, &y, Weights::EQUAL).unwrap();
        assert!((found.slope.unwrap() - 1.0).abs() < 1e-12);
        assert!(found.intercept.unwrap().abs() < 1e-12);
        assert_eq!(
            (found.observed_expected, found.in_the_large),
            (Some(1.0), Some(0.0))
        );
        assert!(found.ici.unwrap() < 1e-9 && found.e90.unwrap() < 1e-9);
        let half: Vec<f64> = y.iter().map(|y| 0.5 * y + 1.0).collect();
        let found = Agreement::of_numbers(&y, &half, Weights::EQUAL).unwrap();
        assert!((found.slope.unwrap() - 2.0).abs() < 1e-12);
        assert!((found.intercept.unwrap() + 2.0).abs() < 1e-12);
    }

    /// What the rows leave undefined is none, and the rest is there.
    #[test]
    fn constants_and_separated_classes_have_no_line() {
        let positive = [true, false, true, false];
        let found = Agreement::of_probabilities(&positive, &[0.25; 4], Weights::EQUAL).unwrap();
        assert_eq!((found.slope, found.intercept), (None, None));
        assert_eq!(found.observed_expected, Some(2.0));
        assert!((found.in_the_large.unwrap() - 3f64.ln()).abs() < 1e-12);
        assert!((found.ici.unwrap() - 0.25).abs() < 1e-12);
        let apart = [0.9, 0.2, 0.8, 0.1];
        let found = Agreement::of_probabilities(&positive, &apart, Weights::EQUAL).unwrap();
        assert_eq!(found.slope, None);
        let one = Agreement::of_probabilities(&[true; 4], &apart, Weights::EQUAL).unwrap();
        assert_eq!((one.slope, one.in_the_large), (None, None));
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        let says = |r: Result<Agreement>, what: &str| {
            let message = r.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        let of = |p: &[f64]| Agreement::of_probabilities(&[true, false], p, Weights::EQUAL);
        says(of(&[0.5]), "1 rows");
        says(of(&[0.5, 1.5]), "1.5 in row 2");
        says(of(&[0.5, f64::NAN]), "NaN in row 2");
        says(Agreement::of_numbers(&[], &[], Weights::EQUAL), "no rows");
        let (time, event) = ([1.0, 2.0, 3.0, 4.0], [false, true, true, false]);
        let rows = Survival::new(&time, &event);
        let at = |t: f64| Agreement::of_survival(rows, rows, &[0.5, 0.6, 0.7, 0.8], t);
        says(at(1.5), "from 2 to below 4");
        says(at(4.0), "from 2 to below 4");
        says(at(f64::NAN), "from 2 to below 4");
        let nobody = Survival::new(&time, &[false; 4]);
        says(
            Agreement::of_survival(rows, nobody, &[0.5; 4], 2.5),
            "no event",
        );
        assert!(at(2.5).is_ok());
    }

    #[test]
    fn quantiles_are_those_of_repeated_rows() {
        let (values, case) = ([3.0, 1.0, 2.0, 9.0], [2.0, 1.0, 3.0, 0.0]);
        // 1 2 2 2 3 3, type 7 of R
        for (share, expected) in [(0.0, 1.0), (0.1, 1.5), (0.5, 2.0), (0.75, 2.75), (1.0, 3.0)] {
            assert_eq!(quantile(&values, &case, share), expected, "{share}");
        }
    }
}
