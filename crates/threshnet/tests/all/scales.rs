//! Data of any scale are fitted alike, and predictions come back on it.

use crate::common::{dataset, linear, normal_columns, outcome, planted};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::model::{Model, Prediction};
use threshnet::penalty::Penalty;
use threshnet::settings::Settings;
use threshnet::solver::{StepRule, Unobserved};
use threshnet::tune::{Fit, fit};

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

fn numbers(model: &Model, data: &Dataset) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = model
        .selected()
        .iter()
        .map(|&j| data.columns()[j].to_vec())
        .collect();
    let Prediction::Numbers(values) = model.predict(&columns, data.n()) else {
        panic!("no regression")
    };
    values
}

#[test]
fn predictions_follow_the_scale_of_the_outcome() {
    let columns = normal_columns(60, 4, 5);
    let signal: Vec<f64> = columns[2].iter().map(|x| 2.0 * x).collect();
    let Outcome::Continuous(y) = outcome(Task::Regression, &signal, 5) else {
        panic!()
    };
    for standardize in [true, false] {
        // Without standardisation only plain least squares is equivariant.
        let (lambda, ridge) = if standardize { (0.1, 0.01) } else { (0.0, 0.0) };
        let mut settings = linear(Penalty::MCP, lambda, ridge, StepRule::LineSearch);
        settings.standardize = standardize;
        let predictions = |shift: f64, scale: f64| {
            let y = y.iter().map(|y| shift + scale * y).collect();
            let data = dataset(columns.clone(), Outcome::Continuous(y));
            let fit = run(&data, &settings);
            (numbers(&fit.model, &data), fit.cells[0].train_loss)
        };
        let (plain, loss) = predictions(0.0, 1.0);
        let error: f64 = plain
            .iter()
            .zip(&y)
            .map(|(p, y)| (p - y).powi(2))
            .sum::<f64>()
            / 60.0;
        assert!(
            error < 0.15 && (error - loss).abs() < 1e-6,
            "{error} {loss}"
        );
        for (shift, scale) in [(0.0, 1000.0), (0.0, 1e-3), (1000.0, 1.0), (-5.0, -1000.0)] {
            let (moved, moved_loss) = predictions(shift, scale);
            for (p, plain) in moved.iter().zip(&plain) {
                let expected = shift + scale * plain;
                // the tolerance of the solver is on the scale it works on
                let slack = if standardize {
                    1e-5 * scale.abs()
                } else {
                    1e-5 + 1e-7 * scale.abs()
                };
                assert!(
                    (p - expected).abs() < slack,
                    "{standardize}: {p} for {expected}"
                );
            }
            assert!(
                (moved_loss / (loss * scale * scale) - 1.0).abs() < 1e-4,
                "{moved_loss}"
            );
        }
    }
}

/// Columns whose squares are beyond 64 bit are standardised all the same, and
/// the model file can be read.
#[test]
fn extreme_columns_are_standardised() {
    let data = planted(Task::Regression, (60, 4), (2, 1), 5);
    let mut settings = linear(Penalty::MCP, 0.1, 0.01, StepRule::LineSearch);
    settings.standardize = true;
    let plain = run(&data, &settings);
    assert!((2..4).contains(&plain.model.selected().len()));
    for scale in [1e160, 1e-170, 1e300, 1e-300] {
        let extreme = dataset(
            data.columns()
                .iter()
                .map(|column| column.iter().map(|x| scale * x).collect())
                .collect(),
            data.outcome().clone(),
        );
        let fit = run(&extreme, &settings);
        assert_eq!(fit.model.selected(), plain.model.selected(), "{scale}");
        let read = Model::from_json(&fit.model.to_json()).unwrap();
        let pairs = numbers(&read, &extreme)
            .into_iter()
            .zip(numbers(&plain.model, &data));
        for (found, expected) in pairs {
            assert!(
                (found - expected).abs() < 1e-6,
                "{scale}: {found} {expected}"
            );
        }
    }
}
