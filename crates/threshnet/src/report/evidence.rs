//! Whether what is predicted of rows that networks did not see is what happens, and what acting on it
//! would bring: what [`Evaluation`] says of them, for a page that is made again without the rows.

use super::unseen::Unseen;
use crate::dataset::{Outcome, Response};
use crate::metrics::{
    Agreement, Asked, DCalibration, DecisionCurve, Each, Evaluation, NullScores, Part, Predicted,
};
use crate::model::Prediction;
use serde::{Deserialize, Serialize};

/// Survival is judged where these shares of the events have happened.
const HORIZONS: [f64; 3] = [0.25, 0.5, 0.75];

/// What is found of predictions; parts are by class of several, by time of survival, or the whole. What
/// the rows leave undefined is not there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Whether what is predicted is what happens, with the curve.
    pub calibration: Vec<Part<Agreement>>,
    /// Net benefit along thresholds; none of numbers and of several classes.
    pub decision: Vec<Part<DecisionCurve>>,
    /// Errors beside those of the null model, of classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<NullScores>,
    /// Scores at each time, of survival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<AtTime>,
    /// Whether survival curves are right as distributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d_calibration: Option<DCalibration>,
}

/// How good the survival is that is predicted of a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AtTime {
    /// The time.
    pub time: f64,
    /// The time-dependent AUC.
    pub auc: Option<f64>,
    /// The Brier score.
    pub brier: Option<f64>,
    /// That of the Kaplan–Meier curve.
    pub brier_null: Option<f64>,
    /// The share of it that is saved.
    pub brier_scaled: Option<f64>,
}

/// Of predictions of rows.
pub(crate) fn evidence(said: &Prediction, response: &Response) -> Evidence {
    let (times, predicted) = match said {
        Prediction::Risk(risk) => survival(said, risk, response),
        _ => (vec![], said.clone().into()),
    };
    let asked = Asked {
        times,
        curves: true,
        ..Asked::default()
    };
    let Ok(found) = Evaluation::new(&predicted, response, &asked) else {
        return Evidence::default();
    };
    let survival = &found.survival;
    let at = asked.times.iter().enumerate().map(|(k, &time)| {
        let value = |of: &Option<Option<Vec<f64>>>| of.as_ref()?.as_ref()?.get(k).copied();
        AtTime {
            time,
            auc: value(&survival.tauc),
            brier: value(&survival.brier),
            brier_null: survival.brier_null.as_ref().map(|values| values[k]),
            brier_scaled: survival.brier_scaled.as_ref().and_then(|values| values[k]),
        }
    });
    let at = at.collect();
    Evidence {
        at,
        d_calibration: found.survival.d_calibration,
        null: found.null,
        calibration: found.calibration.map_or(vec![], Each::into_parts),
        decision: found.decision_curve.map_or(vec![], Each::into_parts),
    }
}

/// The times at which survival is judged, and what is predicted of them.
fn survival(said: &Prediction, risk: &[f64], response: &Response) -> (Vec<f64>, Predicted) {
    let Outcome::Survival { time, event } = &response.outcome else {
        return (vec![], said.clone().into());
    };
    let times = horizons(time, event);
    let Some(unseen) = Unseen::of(response, risk).filter(|_| !times.is_empty()) else {
        return (vec![], said.clone().into());
    };
    let rows = 0..risk.len();
    let at = |&t: &f64| rows.clone().map(|row| unseen.survival(row, t)).collect();
    let predicted = Predicted {
        survival: times.iter().map(at).collect(),
        own: rows
            .clone()
            .map(|row| unseen.survival(row, time[row]))
            .collect(),
        prediction: said.clone(),
    };
    (times, predicted)
}

/// Round times at which a quarter, half and three quarters of the events have happened; those that are
/// not between the first event and the last row are left out.
fn horizons(time: &[f64], event: &[bool]) -> Vec<f64> {
    let happened = time.iter().zip(event).filter(|(_, event)| **event);
    let mut events: Vec<f64> = happened.map(|(time, _)| *time).collect();
    events.sort_by(f64::total_cmp);
    let (Some(&first), last) = (events.first(), time.iter().copied().fold(0.0, f64::max)) else {
        return vec![];
    };
    let at = |share: f64| events[(share * (events.len() - 1) as f64).round() as usize];
    let mut times: Vec<f64> = (HORIZONS.iter())
        .map(|&share| {
            let exact = at(share);
            let round = two_digits(exact);
            if (first..last).contains(&round) {
                round
            } else {
                exact
            }
        })
        .filter(|time| (first..last).contains(time))
        .collect();
    times.dedup();
    times
}

/// The number of two digits next to it.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn horizons_are_round_and_between_first_event_and_last_row() {
        let time: Vec<f64> = (0..101).map(|k| 1003.0 + 27.0 * f64::from(k)).collect();
        let found = horizons(&time, &[true; 101]);
        assert_eq!(found, [1700.0, 2400.0, 3000.0]);
        assert_eq!(
            horizons(&[0.123, 0.124, 0.5], &[true, true, false]),
            [0.123, 0.124]
        );
        assert_eq!(horizons(&[1.0, 2.0], &[false, false]), [0.0; 0]);
        assert_eq!(horizons(&[2.0], &[true]), [0.0; 0]);
    }

    #[test]
    fn rows_that_say_nothing_have_no_evidence_and_no_panic() {
        let outcome = Outcome::Survival {
            time: vec![3.0, 4.0],
            event: vec![false; 2],
        };
        let found = evidence(&Prediction::Risk(vec![1.0, 2.0]), &outcome.into());
        assert_eq!((found.at.len(), found.calibration.len()), (0, 0));
    }
}
