//! What docs/coming-from.md says to those who come from other packages: their penalties, converted
//! as it says, give their coefficients. scikit-learn and scikit-survival gave those in
//! `reference/paths.json` (`reference/make.py` says how).

use crate::common::dataset;
use serde::Deserialize;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::settings::{PenaltyName, Request};
use threshnet::solver::{Status, Unobserved};
use threshnet::statistics::moments;
use threshnet::tune::trace;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    x: Vec<Vec<f64>>,
    y: Option<Vec<f64>>,
    labels: Option<Vec<usize>>,
    time: Option<Vec<f64>>,
    event: Option<Vec<bool>>,
    fits: Vec<Found>,
}

/// What a package found.
#[derive(Deserialize)]
struct Found {
    l1_ratio: f64,
    penalties: Vec<f64>,
    /// Of standardised columns, a row for every penalty.
    coefficients: Vec<Vec<f64>>,
}

/// What a table in docs/coming-from.md makes of another package's penalty.
struct Conversion {
    lambda: f64,
    ridge: f64,
    /// How much of the outcome is 1 here.
    unit: f64,
}

impl Case {
    fn data(&self) -> Dataset<'static> {
        let outcome = match (&self.y, &self.labels, &self.time, &self.event) {
            (Some(y), ..) => Outcome::Continuous(y.clone()),
            (_, Some(labels), ..) => Outcome::Classes {
                labels: labels.clone(),
                classes: vec!["0".into(), "1".into()],
                task: Task::Binary,
            },
            (.., Some(time), Some(event)) => Outcome::Survival {
                time: time.clone(),
                event: event.clone(),
            },
            _ => panic!("a case without an outcome"),
        };
        dataset(self.x.clone(), outcome)
    }

    /// Of a penalty λ·(α·|w| + (1 − α)/2·w²).
    fn converted(&self, penalty: f64, l1_ratio: f64) -> Conversion {
        let (lambda, ridge) = (l1_ratio * penalty, (1.0 - l1_ratio) * penalty);
        match (&self.y, &self.event) {
            (Some(y), _) => {
                let unit = moments(y.iter().copied()).deviation;
                Conversion {
                    lambda: 2.0 * lambda / unit,
                    ridge,
                    unit,
                }
            }
            (_, Some(event)) => {
                let events = event.iter().filter(|e| **e).count();
                let rows_per_event = event.len() as f64 / events as f64;
                Conversion {
                    lambda: lambda * rows_per_event,
                    ridge: ridge / 2.0 * rows_per_event,
                    unit: 1.0,
                }
            }
            _ => Conversion {
                lambda,
                ridge: ridge / 2.0,
                unit: 1.0,
            },
        }
    }
}

#[test]
fn penalties_of_other_packages_give_their_coefficients() {
    let text = include_str!("../reference/paths.json");
    let cases = serde_json::from_str::<Reference>(text).unwrap().cases;
    assert_eq!(cases.len(), 3);
    for case in cases {
        let (data, d) = (case.data(), case.x.len());
        for found in &case.fits {
            for (&penalty, expected) in found.penalties.iter().zip(&found.coefficients) {
                let here = case.converted(penalty, found.l1_ratio);
                let request = Request {
                    penalty: PenaltyName::Lasso,
                    hidden: Some(vec![]),
                    lambdas: Some(vec![here.lambda]),
                    ridges: Some(vec![here.ridge]),
                    tolerance: Some(1e-9),
                    ..Request::default()
                };
                let settings = request.settings_for(&data).unwrap();
                let fit = trace(&data, &settings, &Unobserved).unwrap();
                assert_eq!(fit.solved.status, Status::Converged);
                let network = &fit.model.networks[0];
                let mut weights = vec![0.0; d];
                for (&j, w) in network.inputs.iter().zip(&network.weights) {
                    weights[j] = here.unit * w;
                }
                assert!((1..d).contains(&network.inputs.len()));
                for (ours, theirs) in weights.iter().zip(expected) {
                    // (columns are held in 32 bit)
                    let off = (ours - theirs).abs() / theirs.abs().max(1.0);
                    let task = data.outcome().task();
                    assert!(off < 1e-5, "{task:?} {penalty}: {ours} {theirs}");
                }
            }
        }
    }
}
