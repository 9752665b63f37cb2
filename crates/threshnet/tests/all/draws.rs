//! Many draws: what they are, what is selected from them, what model they make.

use crate::common::{TASKS, dataset, normal_columns, outcome, path_settings, planted};
use std::sync::atomic::{AtomicUsize, Ordering};
use threshnet::dataset::{Dataset, Outcome, Task, Weights};
use threshnet::error::Error;
use threshnet::model::{Model, Prediction};
use threshnet::network::Mlp;
use threshnet::path::{Direction, Step};
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::{Observer, Unobserved};
use threshnet::statistics::Estimate;
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

fn predict(model: &Model, data: &Dataset) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = (model.selected().iter())
        .map(|&j| data.columns()[j].to_vec())
        .collect();
    match model.predict(&columns, data.n()) {
        Prediction::Numbers(values) | Prediction::Risk(values) => values,
        Prediction::Probabilities(classes) => classes.concat(),
    }
}

#[test]
fn draws_do_not_depend_on_how_many_there_are() {
    let data = planted(Task::Regression, (120, 6), (1, 4), 5);
    // (as many groups)
    let [twelve, more] = [12, 13].map(|count| drawn(&data, &settings(count)));
    assert_eq!(twelve.chosen, more.chosen[..12]);
    let networks = |fit: &Fit| -> Vec<Mlp> { fit.path.iter().map(|s| s.network.clone()).collect() };
    assert_eq!(networks(&twelve), networks(&more));
    // and none is another
    assert_ne!(twelve.model.networks[0], twelve.model.networks[1]);
}

#[test]
fn a_column_is_selected_if_enough_draws_select_it() {
    let data = planted(Task::Binary, (90, 12), (0, 7), 8);
    let mut settings = settings(4);
    settings.lambdas = vec![0.02, 0.05];
    let all = drawn(&data, &settings);
    let mut shares: Vec<f64> = frequencies(&all).to_vec();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    shares.retain(|share| *share > 0.0);
    assert!(
        shares.len() > 2,
        "the test needs draws that disagree: {shares:?}"
    );
    for needed in shares {
        settings.frequency = Some(needed);
        let fit = drawn(&data, &settings);
        assert_eq!(frequencies(&fit), frequencies(&all));
        let enough = |j: &usize| frequencies(&all)[*j] >= needed;
        let expected: Vec<usize> = (0..12).filter(enough).collect();
        let selected = fit.model.selected();
        assert!(selected.iter().all(|j| expected.contains(j)));
        // all of them, but for one that no network has a use for
        assert!(selected.len() + 1 >= expected.len(), "{selected:?}");
        assert!(selected.contains(&0) && selected.contains(&7));
        assert!(selected.iter().all(|&j| fit.model.norm(j) > 0.0));
    }
}

/// A draw counts by what it explains of the rows it held out. Two signs of which only
/// the product matters are found by some starts and not by others: frequencies must be
/// those of the starts that found it.
#[test]
fn a_draw_that_explains_nothing_says_nothing_about_columns() {
    let mut columns = normal_columns(240, 120, 3);
    for column in &mut columns[..2] {
        for x in column {
            *x = x.signum();
        }
    }
    let signal: Vec<f64> = (0..240)
        .map(|i| 2.0 * columns[0][i] * columns[1][i])
        .collect();
    let data = dataset(columns, outcome(Task::Regression, &signal, 3));
    let mut settings = settings(8);
    settings.lambdas = vec![0.03, 0.06, 0.12];
    settings.ridges = vec![0.01];
    (settings.first_epochs, settings.epochs) = (150, 60);
    let fit = drawn(&data, &settings);
    let giving = fit.model.networks.len();
    assert!(giving < 4, "the test needs starts that fail: {giving}");
    assert_eq!(fit.model.selected(), [0, 1], "{:?}", frequencies(&fit));
    // (of 8 draws, each with one ridge)
    assert!(frequencies(&fit)[0] > giving as f64 / 8.0 + 0.1);
}

#[test]
fn planted_columns_are_found_and_noise_is_not() {
    for task in TASKS {
        let data = planted(task, (240, 15), (3, 9), 2);
        let mut settings = settings(12);
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

/// What the draws say of themselves must hold on other rows of the same kind, also where
/// there is nothing to find and only the luckiest of many would look good.
#[test]
fn the_validation_is_what_other_rows_show() {
    for (signal, seed) in [(1.0, 3), (0.0, 4)] {
        let columns = normal_columns(700, 30, seed);
        let truth: Vec<f64> = (0..700)
            .map(|i| signal * (columns[1][i] - columns[2][i].abs()))
            .collect();
        let noise = &normal_columns(700, 1, seed + 90)[0];
        let y: Vec<f64> = truth.iter().zip(noise).map(|(t, e)| t + e).collect();
        let rows = |range: std::ops::Range<usize>| {
            let columns = columns.iter().map(|c| c[range.clone()].to_vec()).collect();
            dataset(columns, Outcome::Continuous(y[range].to_vec()))
        };
        let (train, test) = (rows(0..100), rows(100..700));
        let mut settings = settings(16);
        settings.ridges = vec![0.01];
        let fit = drawn(&train, &settings);
        let predicted = predict(&fit.model, &test);
        let Outcome::Continuous(y) = test.outcome() else {
            unreachable!("a regression is continuous");
        };
        let squares = y.iter().zip(&predicted).map(|(y, p)| (y - p).powi(2));
        let shown = squares.sum::<f64>() / 600.0;
        let Estimate { mean: said, se } = fit.validation;
        assert!(
            (said - shown).abs() < 2.5 * se,
            "{said} ± {se}, but {shown}"
        );
        assert_eq!(fit.folds.len(), 12);
        let held_out: f64 = fit.folds.iter().map(|fold| fold.weight).sum();
        assert_eq!(held_out, 100.0);
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
    let r2 = threshnet::metrics::r2(&signal, &predicted, Weights::EQUAL).unwrap();
    assert!(r2 > 0.98, "{r2}");
    // what is averaged is what each network says
    let mut mean = vec![0.0; 200];
    for network in &fit.model.networks {
        let mut one = fit.model.clone();
        one.networks = vec![network.clone()];
        for (mean, value) in mean.iter_mut().zip(predict(&one, &data)) {
            *mean += value / fit.model.networks.len() as f64;
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
fn a_column_that_varies_in_one_row_only_does_no_harm() {
    let data = planted(Task::Regression, (100, 4), (0, 1), 6);
    let mut columns = data
        .columns()
        .iter()
        .map(|c| c.to_vec())
        .collect::<Vec<_>>();
    // the draws that hold this row out cannot see it vary
    columns[2] = (0..100).map(|i| if i == 17 { 5.0 } else { 1e6 }).collect();
    let data = dataset(columns, data.outcome().clone());
    let mut settings = settings(6);
    settings.lambdas = vec![1e-4];
    settings.frequency = Some(0.1);
    let fit = drawn(&data, &settings);
    let share = frequencies(&fit)[2];
    assert!(0.0 < share && share < 0.99, "{share}");
    assert!(fit.validation.mean.is_finite());
    assert!(predict(&fit.model, &data).iter().all(|p| p.abs() < 100.0));
}

/// A ridge that takes every weight to zero leaves a network that no gradient can wake: it
/// must not pull the average to the mean.
#[test]
fn a_draw_that_selected_nothing_has_no_network_to_give() {
    let columns = normal_columns(120, 8, 3);
    let signal: Vec<f64> = columns[6].iter().map(|x| 0.55 * x).collect();
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
    settings.frequency = Some(0.95);
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

/// The ridge that many columns of a standardised outcome need holds down the few rows far
/// out that a heavy tail consists of.
#[test]
fn a_ridge_for_many_columns_is_not_kept_for_few() {
    let heavy = |seed: u64| {
        let columns = normal_columns(300, 30, seed);
        let y = (columns[2].iter().zip(&columns[5])).map(|(a, b)| (a + b).exp());
        let y = y.collect();
        dataset(columns, Outcome::Continuous(y))
    };
    let mut settings = settings(6);
    settings.ridges = vec![0.05];
    let fit = drawn(&heavy(1), &settings);
    assert_eq!(fit.model.selected(), [2, 5]);
    let rows = heavy(2);
    let Outcome::Continuous(y) = rows.outcome() else {
        unreachable!("the outcome is continuous");
    };
    let predicted = predict(&fit.model, &rows);
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let squares = |of: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| of(i).powi(2)).sum::<f64>();
    let r2 = 1.0 - squares(&|i| y[i] - predicted[i]) / squares(&|i| y[i] - mean);
    assert!(r2 > 0.97, "{r2}");
}

/// Two classes by f(x) of the paper, whose first column matters only bent and in a product.
#[test]
fn a_second_look_finds_what_many_columns_hid() {
    let simulation = Simulation {
        seed: 2,
        ..Simulation::new(Scenario::Classification, 500, 500)
    };
    let data = simulation.draw().unwrap();
    let validation = Validation::Draws {
        count: 6,
        share: 0.15,
    };
    let size = Size::of(&data);
    let mut settings = Settings::new(Protocol::Default, Penalty::MCP, validation, size);
    settings.linear = Linear::Leave;
    assert!(settings.look_again);
    let again = drawn(&data, &settings);
    settings.look_again = false;
    let once = drawn(&data, &settings);
    let [before, after] = [&once, &again].map(|fit| frequencies(fit)[0]);
    assert!(before < 0.4 && after > 0.7, "{before} {after}");
    assert!(again.model.selected().contains(&0));
    assert!(again.validation.mean < once.validation.mean);
}

/// Thirty columns matter, every other one only bent.
/// The outcome is a product of two of very many columns, neither of which differs from noise alone.
#[test]
fn two_columns_that_matter_only_together_are_found_among_very_many() {
    let simulation = Simulation {
        seed: 12,
        ..Simulation::new(Scenario::Xor, 300, 1200)
    };
    let data = simulation.draw().unwrap();
    let settings = Settings {
        ridges: vec![1e-3, 1e-2],
        ensemble: false,
        ..Settings::new(
            Protocol::Default,
            Penalty::MCP,
            Validation::Draws {
                count: 4,
                share: 0.15,
            },
            Size::of(&data),
        )
    };
    assert_eq!(drawn(&data, &settings).model.selected(), [0, 1]);
}

#[test]
fn a_lifted_outcome_shows_what_matters_only_bent() {
    let simulation = Simulation {
        seed: 3,
        ..Simulation::new(Scenario::Many, 500, 60)
    };
    let data = simulation.draw().unwrap();
    let validation = Validation::Draws {
        count: 4,
        share: 0.15,
    };
    let size = Size::of(&data);
    let mut settings = Settings::new(Protocol::Default, Penalty::MCP, validation, size);
    settings.linear = Linear::Leave;
    settings.ridges = vec![0.03];
    let bent = |settings: &Settings| {
        let selected = drawn(&data, settings).model.selected();
        let matters = |j: &&usize| **j < 30 && **j % 2 == 1;
        selected.iter().filter(matters).count()
    };
    let plain = bent(&settings);
    settings.lift = 0.5;
    let lifted = bent(&settings);
    assert!(lifted >= plain + 4, "{lifted} {plain}");
}

#[test]
fn a_linear_model_is_not_lifted() {
    let data = planted(Task::Regression, (120, 6), (1, 4), 5);
    let mut settings = settings(4);
    let plain = drawn(&data, &settings).model;
    settings.lift = 2.0;
    assert_ne!(drawn(&data, &settings).model, plain, "a network is");
    settings.hidden = vec![];
    let lifted = drawn(&data, &settings).model;
    settings.lift = 0.0;
    assert_eq!(drawn(&data, &settings).model, lifted);
}
