//! What a fit keeps of rows that its networks did not see.

use crate::common::{self, TASKS, path_settings, planted};
use threshnet::dataset::{Dataset, Outcome, Task, Weights};
use threshnet::metrics::{concordance_harrell, log_loss, mse};
use threshnet::model::Prediction;
use threshnet::path::Direction;
use threshnet::settings::{Settings, Validation};
use threshnet::solver::Unobserved;
use threshnet::tune::{Fit, FoldLoss, HeldOut, fit};

fn settings(validation: Validation) -> Settings {
    let mut settings = path_settings(&[0.02, 0.05, 0.1, 0.3], Direction::Backward);
    settings.validation = validation;
    settings.ridges = vec![0.001, 0.01, 0.05];
    settings.hidden = vec![4];
    (settings.first_epochs, settings.epochs) = (100, 50);
    settings.standardize = true;
    settings
}

fn held_out(fit: &Fit) -> &HeldOut {
    fit.held_out.as_ref().expect("rows were held out")
}

/// The loss of some of the held-out rows, counted from 0.
fn loss(data: &Dataset, held_out: &HeldOut, from: usize, to: usize) -> f64 {
    let some = |values: &Vec<f64>| values[from..to].to_vec();
    match (
        data.outcome().rows(&held_out.rows[from..to]),
        &held_out.prediction,
    ) {
        (Outcome::Continuous(y), Prediction::Numbers(p)) => {
            mse(&y, &p[from..to], Weights::EQUAL).unwrap()
        }
        (Outcome::Classes { labels, .. }, Prediction::Probabilities(p)) => {
            let p: Vec<Vec<f64>> = p.iter().map(some).collect();
            log_loss(&labels, &p, Weights::EQUAL).unwrap()
        }
        _ => unreachable!("not tested so"),
    }
}

#[test]
fn folds_hold_every_row_once_and_lose_what_validation_says() {
    for task in [Task::Regression, Task::Binary, Task::Multiclass] {
        let data = planted(task, (90, 6), (4, 1), 5);
        let fit = fit(&data, &settings(Validation::folds(4)), &Unobserved).unwrap();
        let held_out = held_out(&fit);
        let mut rows = held_out.rows.clone();
        rows.sort_unstable();
        assert_eq!(rows, (0..90).collect::<Vec<_>>());
        assert_eq!((held_out.folds.len(), held_out.folds.iter().sum()), (4, 90));
        let (found, said) = (loss(&data, held_out, 0, 90), fit.validation.mean);
        assert!(
            (found - said).abs() < 1e-6 * said,
            "{task:?} {found} {said}"
        );
    }
}

#[test]
fn draws_are_judged_by_these_very_predictions() {
    for task in [Task::Regression, Task::Binary] {
        let data = planted(task, (90, 6), (4, 1), 5);
        let validation = Validation::Draws {
            count: 4,
            share: 0.2,
        };
        let fit = fit(&data, &settings(validation), &Unobserved).unwrap();
        let held_out = held_out(&fit);
        assert_eq!(held_out.rows.len(), 90);
        let mut start = 0;
        for (&count, FoldLoss { loss: said, .. }) in held_out.folds.iter().zip(&fit.folds) {
            let found = loss(&data, held_out, start, start + count);
            assert!(
                (found - said).abs() < 1e-6 * said,
                "{task:?} {found} {said}"
            );
            start += count;
        }
    }
}

#[test]
fn a_hold_out_is_predicted_by_the_model() {
    for task in TASKS {
        let data = planted(task, (90, 6), (4, 1), 5);
        let validation = Validation::Holdout {
            share: 0.25,
            stratified: true,
        };
        let fit = fit(&data, &settings(validation), &Unobserved).unwrap();
        let held_out = held_out(&fit);
        assert_eq!(held_out.folds, [23]);
        assert!(held_out.rows.iter().all(|row| !fit.rows.contains(row)));
        let columns: Vec<Vec<f64>> = (fit.model.selected().iter())
            .map(|&j| data.columns()[j].rows(&held_out.rows))
            .collect();
        let said = fit.model.predict(&columns, held_out.rows.len());
        let flat = |prediction: &Prediction| match prediction {
            Prediction::Numbers(p) => p.clone(),
            Prediction::Probabilities(p) => p.concat(),
            // up to what all rows have in common
            Prediction::Risk(p) => p.iter().map(|risk| risk - p[0]).collect(),
        };
        for (a, b) in flat(&said).iter().zip(flat(&held_out.prediction)) {
            assert!((a - b).abs() < 1e-5, "{task:?} {a} {b}");
        }
    }
}

/// Log-risks of different folds can be compared: one fold's zero is as good as another's.
#[test]
fn risks_of_all_folds_rank_together() {
    let data = planted(Task::Cox, (160, 5), (4, 1), 7);
    let fit = fit(&data, &settings(Validation::folds(4)), &Unobserved).unwrap();
    let held_out = held_out(&fit);
    let Prediction::Risk(risk) = &held_out.prediction else {
        panic!("a survival outcome has risks");
    };
    let Outcome::Survival { time, event } = data.outcome().rows(&held_out.rows) else {
        unreachable!("it is one");
    };
    let rows = threshnet::metrics::Survival::new(&time, &event);
    assert!(concordance_harrell(rows, risk).unwrap() > 0.7);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    assert!(risk.chunks(40).all(|fold| mean(fold).abs() < 1.0));
}

/// With nothing to choose, a row's outcome has no part in its own prediction.
#[test]
fn a_row_does_not_see_itself() {
    let data = planted(Task::Regression, (60, 4), (2, 1), 9);
    let mut one = settings(Validation::folds(3));
    (one.lambdas, one.ridges) = (vec![0.02], vec![0.01]);
    let predictions = |data: &Dataset| {
        let fit = fit(data, &one, &Unobserved).unwrap();
        let held_out = held_out(&fit).clone();
        let Prediction::Numbers(p) = held_out.prediction else {
            panic!("a number is predicted");
        };
        (held_out.rows, p)
    };
    let (rows, before) = predictions(&data);
    let Outcome::Continuous(mut y) = data.outcome().clone() else {
        unreachable!("it is one");
    };
    y[rows[0]] += 50.0;
    let columns = data.columns().iter().map(|c| c.to_vec()).collect();
    let changed = common::dataset(columns, Outcome::Continuous(y));
    let (same_rows, after) = predictions(&changed);
    assert_eq!(rows, same_rows);
    assert_eq!(before[0], after[0]);
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert_eq!(moved, 40, "all rows of the other folds, none of its own");
}

/// Paths that are traced again are no news to who watches.
#[test]
fn no_step_is_told_of_twice() {
    let data = planted(Task::Regression, (90, 6), (4, 1), 5);
    for count in [3, 5, 8] {
        let mut settings = settings(Validation::folds(count));
        settings.refit = true;
        let watch = common::Recorder::default();
        fit(&data, &settings, &watch).unwrap();
        let told = watch.steps.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(told, threshnet::tune::steps(&settings));
    }
}

#[test]
fn threads_change_no_bit_and_no_validation_holds_nothing_out() {
    let data = planted(Task::Binary, (80, 5), (4, 1), 3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let settings = settings(Validation::folds(3));
        let fit = (pool.build().unwrap()).install(|| fit(&data, &settings, &Unobserved));
        fit.unwrap().held_out
    };
    assert_eq!(on(1), on(3));
    let mut none = settings(Validation::None);
    (none.lambdas, none.ridges, none.refit) = (vec![0.05], vec![0.01], false);
    assert_eq!(fit(&data, &none, &Unobserved).unwrap().held_out, None);
}
