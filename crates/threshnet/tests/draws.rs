//! Many draws: what they are, what is selected from them, what model they make.

mod common;

use common::{TASKS, dataset, normal_columns, outcome, path_settings, planted};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::error::Error;
use threshnet::model::{Model, Prediction};
use threshnet::network::Mlp;
use threshnet::path::{Direction, Step};
use threshnet::settings::{Settings, Validation};
use threshnet::solver::{Observer, Unobserved};
use threshnet::tune::{Fit, fit};

/// Draws over a short path with two ridges.
fn settings(count: usize) -> Settings {
    let mut settings = path_settings(&[0.02, 0.05, 0.1, 0.2, 0.4], Direction::Backward);
    settings.ridges = vec![1e-3, 1e-2];
    settings.standardize = true;
    settings.validation = Validation::Draws { count, share: 0.25 };
    settings
}

fn drawn(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

fn frequencies(fit: &Fit) -> &[f64] {
    fit.frequencies.as_ref().expect("there were draws")
}

/// How many draws selected each column.
fn counts(fit: &Fit) -> Vec<usize> {
    let draws = fit.chosen.len() as f64;
    let count = |share: &f64| (share * draws).round() as usize;
    frequencies(fit).iter().map(count).collect()
}

fn predict(model: &Model, data: &Dataset) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = (model.selected().iter())
        .map(|&j| data.columns()[j].clone())
        .collect();
    match model.predict(&columns, data.n()) {
        Prediction::Numbers(values) | Prediction::Risk(values) => values,
        Prediction::Probabilities(classes) => classes.concat(),
    }
}

#[test]
fn a_draw_is_a_hold_out_fit_and_does_not_depend_on_the_others() {
    let data = planted(Task::Regression, (120, 6), (1, 4), 5);
    let two = drawn(&data, &settings(2));
    let three = drawn(&data, &settings(3));
    assert_eq!(two.chosen, three.chosen[..2]);
    for (two, three) in counts(&two).into_iter().zip(counts(&three)) {
        assert!(three == two || three == two + 1);
    }
    let mut alone = settings(2);
    alone.validation = Validation::Holdout {
        share: 0.25,
        stratified: true,
    };
    let alone = drawn(&data, &alone);
    assert_eq!(alone.chosen[0], two.chosen[0]);
    let networks = |fit: &Fit| -> Vec<Mlp> { fit.path.iter().map(|s| s.network.clone()).collect() };
    assert_eq!(networks(&alone), networks(&two));
    // and the second is another
    assert_ne!(two.model.networks[0], two.model.networks[1]);
}

#[test]
fn a_column_is_selected_if_enough_draws_select_it() {
    let data = planted(Task::Binary, (90, 12), (0, 7), 8);
    let mut settings = settings(4);
    settings.lambdas = vec![0.02, 0.05];
    let all = drawn(&data, &settings);
    let shares: BTreeSet<usize> = counts(&all).into_iter().collect();
    assert!(
        shares.len() > 2,
        "the test needs draws that disagree: {shares:?}"
    );
    for needed in 1..=4 {
        settings.frequency = Some(needed as f64 / 4.0);
        let fit = drawn(&data, &settings);
        assert_eq!(counts(&fit), counts(&all));
        let expected: Vec<usize> = (0..12).filter(|&j| counts(&all)[j] >= needed).collect();
        assert_eq!(fit.model.selected(), expected);
        for network in &fit.model.networks {
            assert_eq!(network.inputs, expected);
        }
        assert_eq!(fit.model.networks.len(), 4);
    }
}

#[test]
fn planted_columns_are_found_and_noise_is_not() {
    for task in TASKS {
        let data = planted(task, (240, 15), (3, 9), 2);
        let mut settings = settings(6);
        settings.ridges = vec![0.01, 0.03];
        let fit = drawn(&data, &settings);
        assert_eq!(
            fit.model.selected(),
            [3, 9],
            "{task:?} {:?}",
            frequencies(&fit)
        );
        assert_eq!(fit.rows.len(), 240);
    }
}

/// Refits leave a network where its own columns alone are stationary: nothing of
/// the group penalty is left. So a model whose draws found the signal predicts it.
#[test]
fn the_models_predictions_are_those_of_the_signal_on_the_raw_scale() {
    let mut columns = normal_columns(200, 5, 3);
    let signal: Vec<f64> = (0..200)
        .map(|i| 40.0 + 8.0 * (columns[1][i] - columns[2][i].abs()))
        .collect();
    // far from standardised, so that a wrong scale would show
    for (j, column) in columns.iter_mut().enumerate() {
        for x in column {
            *x = 1000.0 + 10f64.powi(j as i32) * *x;
        }
    }
    let noisy = outcome(Task::Regression, &signal, 3);
    let data = dataset(columns, noisy);
    let fit = drawn(&data, &settings(5));
    assert_eq!(fit.model.selected(), [1, 2]);
    let predicted = predict(&fit.model, &data);
    let r2 = threshnet::metrics::r2(&signal, &predicted).unwrap();
    assert!(r2 > 0.98, "{r2}");
    // what is averaged is what each network says
    let mut mean = vec![0.0; 200];
    for network in &fit.model.networks {
        let mut one = fit.model.clone();
        one.networks = vec![network.clone()];
        for (mean, value) in mean.iter_mut().zip(predict(&one, &data)) {
            *mean += value / 5.0;
        }
    }
    for (mean, predicted) in mean.iter().zip(&predicted) {
        assert!((mean - predicted).abs() < 1e-9 * mean.abs());
    }
}

#[test]
fn where_nothing_is_selected_often_enough_the_model_is_the_null_model() {
    for task in TASKS {
        let columns = normal_columns(80, 6, 4);
        let data = dataset(columns, outcome(task, &[0.0; 80], 11));
        let mut settings = settings(4);
        settings.lambdas = vec![0.5, 3.0];
        let fit = drawn(&data, &settings);
        assert!(fit.model.selected().is_empty(), "{task:?}");
        let predicted = predict(&fit.model, &data);
        assert!(predicted.iter().all(|p| p.is_finite()), "{task:?}");
        match data.outcome() {
            Outcome::Continuous(y) => {
                let mean = y.iter().sum::<f64>() / 80.0;
                assert!(
                    (predicted[0] - mean).abs() < 0.05,
                    "{} {mean}",
                    predicted[0]
                );
            }
            Outcome::Classes {
                labels,
                task: Task::Binary,
                ..
            } => {
                let share = labels.iter().sum::<usize>() as f64 / 80.0;
                assert!(
                    (predicted[80] - share).abs() < 0.1,
                    "{} {share}",
                    predicted[80]
                );
            }
            _ => {}
        }
    }
}

#[test]
fn a_column_that_varies_in_some_draws_only_is_used_by_those_only() {
    let data = planted(Task::Regression, (100, 4), (0, 1), 6);
    let mut columns = data.columns().to_vec();
    // differs in one row: the draws that hold it out cannot see it vary
    columns[2] = (0..100).map(|i| if i == 17 { 5.0 } else { 1e6 }).collect();
    let data = dataset(columns, data.outcome().clone());
    let mut settings = settings(6);
    settings.lambdas = vec![1e-4];
    settings.frequency = Some(0.1);
    let fit = drawn(&data, &settings);
    let users = (fit.model.networks.iter()).filter(|n| n.inputs.contains(&2));
    let (users, count) = (users.count(), counts(&fit)[2]);
    assert!(0 < users && users < 6, "{users}");
    assert_eq!(users, count);
    assert!(predict(&fit.model, &data).iter().all(|p| p.abs() < 100.0));
}

/// A ridge that takes every weight to zero leaves a network that no gradient can wake: it
/// must not pull the average to the mean.
#[test]
fn a_draw_that_selected_nothing_has_no_network_to_give() {
    let columns = normal_columns(120, 8, 3);
    let signal: Vec<f64> = columns[6].iter().map(|x| 0.45 * x).collect();
    let Outcome::Continuous(mut y) = outcome(Task::Regression, &signal, 3) else {
        unreachable!("a regression is continuous");
    };
    let noise = normal_columns(120, 1, 77);
    for (y, noise) in y.iter_mut().zip(&noise[0]) {
        *y += noise;
    }
    let data = dataset(columns, Outcome::Continuous(y));
    let mut settings = settings(10);
    settings.ridges = vec![0.03];
    settings.frequency = Some(0.1);
    let fit = drawn(&data, &settings);
    let lambdas = settings.lambdas.len();
    assert!(fit.model.selected().contains(&6), "{:?}", frequencies(&fit));
    assert_eq!(fit.chosen.len(), 10);
    let giving = fit.model.networks.len();
    assert!(
        0 < giving && giving < 10,
        "the test needs draws of both kinds: {giving}"
    );
    for network in &fit.model.networks {
        assert!(network.norms().iter().sum::<f64>() > 0.0);
    }
    assert!(fit.chosen.iter().all(|cell| *cell < lambdas));
}

#[test]
fn threads_change_no_bit() {
    let data = planted(Task::Cox, (90, 8), (2, 5), 7);
    for skip_ridges in [false, true] {
        let mut settings = settings(3);
        settings.ridges = vec![1e-3, 3e-3, 1e-2, 3e-2];
        settings.skip_ridges = skip_ridges;
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let fit = pool.build().unwrap().install(|| drawn(&data, &settings));
            format!(
                "{} {:?} {:?}",
                fit.model.to_json(),
                fit.cells,
                fit.frequencies
            )
        };
        assert_eq!(on(1), on(3));
    }
}

/// Cancels after so many λs.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn step(&self, _: &Step) {
        let _ = (self.0).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
    }
}

#[test]
fn a_cancelled_fit_is_an_error_wherever_it_is() {
    let data = planted(Task::Regression, (60, 4), (0, 1), 9);
    // 2 draws × 2 ridges × 5 λs: the last cancels during the refits
    for steps in [1, 7, 20] {
        let observer = Impatient(AtomicUsize::new(steps));
        let result = fit(&data, &settings(2), &observer);
        assert!(matches!(result, Err(Error::Cancelled)), "{steps}");
    }
}
