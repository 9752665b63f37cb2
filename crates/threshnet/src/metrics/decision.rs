//! What acting on a prediction does: rows with a risk of at least p_t are treated.
//!
//! ```text
//! sensitivity = TP/(TP + FN)   specificity = TN/(TN + FP)   PPV = TP/(TP + FP)   NPV = TN/(TN + FN)
//! net benefit = (TP − FP · p_t/(1 − p_t)) / n
//! ```
//!
//! p_t says how many false alarms one found event is worth; treating nobody has a net benefit of 0,
//! and a model is of use where it beats that and treating all (Vickers & Elkin 2006, Medical
//! Decision Making 26:565–574). Of survival by a time t the events among the treated are counted by
//! their Kaplan–Meier curve, and likewise among the others (Vickers et al. 2008, BMC Medical
//! Informatics 8:53). As `dca` of the dcurves packages.

use super::agreement::check_horizon;
use super::kaplan_meier::KaplanMeier;
use super::{Survival, check_probability, check_rows, check_weights};
use crate::dataset::Weights;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What one threshold does; none where no row is on the side it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Rows with at least this risk are treated.
    pub threshold: f64,
    /// The share of rows that are.
    pub treated: f64,
    /// The share of rows with the event that are treated.
    pub sensitivity: Option<f64>,
    /// The share of rows without the event that are not treated.
    pub specificity: Option<f64>,
    /// The share of events among treated rows.
    pub ppv: Option<f64>,
    /// The share without the event among the others.
    pub npv: Option<f64>,
    /// Of treating by the model.
    pub net_benefit: Option<f64>,
    /// Of treating all rows.
    pub treat_all: f64,
}

/// Net benefit along thresholds; that of treating nobody is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionCurve {
    /// The share of rows with the event.
    pub prevalence: f64,
    /// 0.01 to 0.99.
    pub threshold: Vec<f64>,
    /// Of treating by the model; none where it cannot be told.
    pub net_benefit: Vec<Option<f64>>,
    /// Of treating all rows.
    pub treat_all: Vec<f64>,
}

/// A risk and what came of it.
#[derive(Debug, Clone, Copy)]
pub enum Outcomes<'a> {
    /// Whether it happened.
    Binary {
        /// The rows where it did.
        positive: &'a [bool],
        /// What rows count.
        weights: Weights<'a>,
    },
    /// Whether it happened by a time.
    By {
        /// When it happened, or until when it had not.
        rows: Survival<'a>,
        /// The time.
        time: f64,
    },
}

impl Outcomes<'_> {
    /// What each of these thresholds on the risk does.
    pub fn decisions(&self, risk: &[f64], thresholds: &[f64]) -> Result<Vec<Decision>> {
        self.check(risk)?;
        if let Some(bad) = thresholds.iter().find(|t| !(0.0..1.0).contains(*t)) {
            return Err(Error::Data(format!(
                "the threshold {bad} is no risk; give numbers from 0 to below 1"
            )));
        }
        let decide = |&threshold: &f64| self.decision(risk, threshold);
        Ok(thresholds.iter().map(decide).collect())
    }

    /// Net benefit at 1 %, 2 %, … 99 %.
    pub fn curve(&self, risk: &[f64]) -> Result<DecisionCurve> {
        let threshold: Vec<f64> = (1..100).map(|k| f64::from(k) / 100.0).collect();
        let decisions = self.decisions(risk, &threshold)?;
        let all = self.among(|_| true);
        Ok(DecisionCurve {
            prevalence: all.events.unwrap_or(0.0) / all.rows,
            threshold,
            net_benefit: decisions.iter().map(|d| d.net_benefit).collect(),
            treat_all: decisions.iter().map(|d| d.treat_all).collect(),
        })
    }

    fn check(&self, risk: &[f64]) -> Result<()> {
        match *self {
            Outcomes::Binary { positive, weights } => {
                check_rows(positive.len(), "risk", risk.len())?;
                check_weights(positive.len(), weights)?;
            }
            Outcomes::By { rows, time } => {
                rows.check_scored(risk)?;
                check_horizon(rows, time)?;
            }
        }
        check_probability("risk", risk)
    }

    fn decision(&self, risk: &[f64], threshold: f64) -> Decision {
        let treated = self.among(|row| risk[row] >= threshold);
        let others = self.among(|row| risk[row] < threshold);
        let all = self.among(|_| true);
        let odds = threshold / (1.0 - threshold);
        let n = all.rows;
        let benefit = |side: &Side| side.events.map(|tp| (tp - (side.rows - tp) * odds) / n);
        let share = |part: Option<f64>, of: Option<f64>| {
            part.zip(of)
                .and_then(|(part, of)| (of > 0.0).then(|| part / of))
        };
        let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        Decision {
            threshold,
            treated: treated.rows / n,
            sensitivity: share(treated.events, sum(treated.events, others.events)),
            specificity: share(others.rest(), sum(treated.rest(), others.rest())),
            ppv: share(treated.events, Some(treated.rows)),
            npv: share(others.rest(), Some(others.rows)),
            net_benefit: benefit(&treated),
            treat_all: benefit(&all).unwrap_or(0.0),
        }
    }

    /// The rows on a side, and the events among them.
    fn among(&self, side: impl Fn(usize) -> bool) -> Side {
        match *self {
            Outcomes::Binary { positive, weights } => {
                let sum = |keep: &dyn Fn(usize) -> bool| -> f64 {
                    let rows = (0..positive.len()).filter(|&row| keep(row));
                    rows.map(|row| weights.at(row)).sum()
                };
                Side {
                    rows: sum(&|row| side(row)),
                    events: Some(sum(&|row| side(row) && positive[row])),
                }
            }
            Outcomes::By { rows, time } => {
                let some: Vec<usize> = (rows.counting().map(|(row, ..)| row))
                    .filter(|&row| side(row))
                    .collect();
                let of = |row: &usize| (rows.time[*row], rows.event[*row], rows.weights.at(*row));
                let (times, (events, weights)): (Vec<f64>, (Vec<bool>, Vec<f64>)) =
                    some.iter().map(of).map(|(t, e, w)| (t, (e, w))).unzip();
                let part = Survival {
                    weights: Weights::new(&weights),
                    ..Survival::new(&times, &events)
                };
                let count: f64 = weights.iter().sum();
                let curve = KaplanMeier::of_event(part);
                // Beyond the last row of a side nobody knows, unless all had the event.
                let known = some.is_empty() || part.last() >= time || curve.at(time) == 0.0;
                Side {
                    rows: count,
                    events: known.then(|| count * (1.0 - curve.at(time))),
                }
            }
        }
    }
}

struct Side {
    rows: f64,
    /// None where it cannot be told.
    events: Option<f64>,
}

impl Side {
    fn rest(&self) -> Option<f64> {
        self.events.map(|events| self.rows - events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: [bool; 6] = [true, true, false, false, true, false];
    const RISK: [f64; 6] = [0.9, 0.2, 0.6, 0.1, 0.6, 0.2];

    fn binary() -> Outcomes<'static> {
        Outcomes::Binary {
            positive: &POSITIVE,
            weights: Weights::EQUAL,
        }
    }

    #[test]
    fn a_table_by_hand() {
        // treated at 0.6: rows 1, 3, 5 with two events; not: one event of three
        let [found] = binary().decisions(&RISK, &[0.6]).unwrap()[..] else {
            panic!("one threshold");
        };
        let third = Some(2.0 / 3.0);
        assert_eq!((found.sensitivity, found.specificity), (third, third));
        assert_eq!((found.ppv, found.npv, found.treated), (third, third, 0.5));
        assert!((found.net_benefit.unwrap() - (2.0 - 1.5) / 6.0).abs() < 1e-15);
        assert!((found.treat_all - (3.0 - 4.5) / 6.0).abs() < 1e-15);
        let nobody = binary().decisions(&RISK, &[0.95]).unwrap()[0];
        assert_eq!((nobody.ppv, nobody.net_benefit), (None, Some(0.0)));
        let all = binary().decisions(&RISK, &[0.0]).unwrap()[0];
        assert_eq!((all.npv, all.net_benefit), (None, Some(all.treat_all)));
    }

    /// Without censoring a time is a class.
    #[test]
    fn uncensored_survival_is_binary() {
        let time = POSITIVE.map(|p| if p { 1.0 } else { 3.0 });
        let event = [true; 6];
        let by = Outcomes::By {
            rows: Survival::new(&time, &event),
            time: 2.0,
        };
        let (a, b) = (binary().curve(&RISK).unwrap(), by.curve(&RISK).unwrap());
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(a.prevalence, 0.5) && near(b.prevalence, 0.5));
        for (a, b) in a.net_benefit.iter().zip(&b.net_benefit) {
            assert!(near(a.unwrap(), b.unwrap()));
        }
        let (a, b) = (
            binary().decisions(&RISK, &[0.2]).unwrap()[0],
            by.decisions(&RISK, &[0.2]).unwrap()[0],
        );
        assert!(near(a.sensitivity.unwrap(), b.sensitivity.unwrap()));
        assert!(near(a.npv.unwrap(), b.npv.unwrap()));
    }

    #[test]
    fn what_nobody_stayed_to_see_is_unknown() {
        let (time, event) = ([1.0, 1.5, 4.0, 5.0], [true, false, false, false]);
        let by = Outcomes::By {
            rows: Survival::new(&time, &event),
            time: 3.0,
        };
        // the treated are the first two, of whom the last is censored before 3
        let found = by.decisions(&[0.9, 0.8, 0.1, 0.1], &[0.5]).unwrap()[0];
        assert_eq!(
            (found.net_benefit, found.sensitivity, found.npv),
            (None, None, Some(1.0))
        );
    }

    #[test]
    fn what_is_no_risk_is_refused() {
        let problem = |risk: &[f64], thresholds: &[f64]| {
            let found = binary().decisions(risk, thresholds);
            found.unwrap_err().to_string()
        };
        assert!(problem(&RISK, &[1.0]).contains("threshold 1"));
        assert!(problem(&RISK, &[f64::NAN]).contains("threshold NaN"));
        assert!(problem(&[0.5; 5], &[0.5]).contains("5 rows"));
        assert!(problem(&[1.5; 6], &[0.5]).contains("1.5 in row 1"));
        let by = Outcomes::By {
            rows: Survival::new(&[1.0, 2.0], &[false, true]),
            time: 1.5,
        };
        assert!(
            by.curve(&[0.5, 0.5])
                .unwrap_err()
                .to_string()
                .contains("no event before")
        );
    }
}
