//! A linear model beside the network, or in its place.

use crate::common::{TASKS, dataset, normal_columns, outcome, path_settings};
use threshnet::dataset::{Outcome, Task};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::Unobserved;
use threshnet::statistics::Estimate;
use threshnet::tune::{Contender, Fit, fit};

fn settings(linear: Linear) -> Settings {
    let mut settings = path_settings(&[0.02, 0.05, 0.1, 0.2, 0.4], Direction::Backward);
    settings.ridges = vec![1e-2];
    settings.standardize = true;
    settings.validation = Validation::Draws {
        count: 8,
        share: 0.2,
    };
    settings.linear = linear;
    settings
}

/// Outcomes of a signal in 60 columns.
fn fitted(task: Task, linear: Linear, n: usize, signal: impl Fn(&[f64]) -> f64) -> Fit {
    let columns = normal_columns(n, 60, 4);
    let signal: Vec<f64> = (0..n)
        .map(|i| signal(&columns.iter().map(|c| c[i]).collect::<Vec<_>>()))
        .collect();
    let data = dataset(columns, outcome(task, &signal, 4));
    fit(&data, &settings(linear), &Unobserved).expect("the fit is valid")
}

/// Eight columns matter, each in proportion.
fn straight(x: &[f64]) -> f64 {
    x[..8].iter().sum()
}

fn is_linear(fit: &Fit) -> bool {
    fit.model.networks.iter().all(|n| n.shape.depth() == 1)
}

#[test]
fn a_linear_signal_is_left_to_a_linear_model_and_another_is_not() {
    for task in TASKS {
        let few = fitted(task, Linear::Choose, 120, straight);
        assert!(is_linear(&few), "{task:?} {:?}", few.contenders);
        let found = (0..8).filter(|j| few.model.selected().contains(j));
        assert!(found.count() > 4, "{task:?} {:?}", few.model.selected());
        let bent = |x: &[f64]| 4.0 * (x[3].abs() - x[8].abs());
        let bent = fitted(task, Linear::Choose, 240, bent);
        assert!(!is_linear(&bent), "{task:?} {:?}", bent.contenders);
        assert_eq!(bent.winner, 0);
    }
}

#[test]
fn the_contenders_are_named_with_what_they_lose() {
    let fit = fitted(Task::Regression, Linear::Choose, 80, straight);
    let [network, same, lasso] = &fit.contenders[..] else {
        panic!("{:?}", fit.contenders);
    };
    assert_eq!(network.hidden.len(), 2);
    let nothing = Estimate { mean: 0.0, se: 0.0 };
    assert_eq!(network.behind, Some(nothing));
    assert!(same.hidden.is_empty() && lasso.hidden.is_empty());
    assert_eq!(
        (same.penalty, lasso.penalty),
        (Penalty::MCP, Penalty::Lasso)
    );
    let winner: &Contender = &fit.contenders[fit.winner];
    let least = (fit.contenders.iter()).map(|c| c.validation.mean);
    let least = least.fold(f64::INFINITY, f64::min);
    // (of two linear models that are nearly equal the LASSO may win)
    assert!(winner.validation.mean < 1.02 * least && winner.is_linear());
    assert_eq!(winner.validation, fit.validation);
    assert_eq!(winner.size, fit.model.selected().len());
    for linear in [same, lasso] {
        let behind = linear.behind.unwrap().mean;
        assert!((behind - (linear.validation.mean - network.validation.mean)).abs() < 1e-9);
    }
}

#[test]
fn a_comparison_replaces_nothing() {
    let compared = fitted(Task::Regression, Linear::Compare, 80, straight);
    let alone = fitted(Task::Regression, Linear::Leave, 80, straight);
    assert_eq!(compared.model, alone.model);
    assert_eq!(compared.contenders.len(), 2);
    assert!(compared.contenders[1].validation.mean < compared.contenders[0].validation.mean);
    assert!(alone.contenders.is_empty());
}

#[test]
fn one_hold_out_compares_too() {
    let columns = normal_columns(160, 10, 4);
    let signal: Vec<f64> = columns[3].iter().map(|x| 2.0 * x).collect();
    let data = dataset(columns, outcome(Task::Regression, &signal, 4));
    let mut settings = settings(Linear::Choose);
    for validation in [
        Validation::Holdout {
            share: 0.2,
            stratified: true,
        },
        Validation::folds(4),
    ] {
        settings.validation = validation;
        settings.refit = validation == Validation::folds(4);
        let fit = fit(&data, &settings, &Unobserved).unwrap();
        assert!(is_linear(&fit), "{:?}", fit.contenders);
        assert_eq!(fit.contenders[1].behind, None);
    }
}

/// With many columns some always agree with the outcome of a few rows, in every draw.
#[test]
fn where_no_model_predicts_nothing_is_selected() {
    let mut selected = 0;
    for seed in 0..6 {
        let columns = normal_columns(80, 300, seed);
        let noise = normal_columns(80, 1, seed + 500).remove(0);
        let data = dataset(columns, Outcome::Continuous(noise));
        let settings = Settings {
            seed,
            ..settings(Linear::Choose)
        };
        let fit = fit(&data, &settings, &Unobserved).unwrap();
        selected += fit.model.selected().len();
    }
    assert!(selected < 12, "{selected} columns in 6 fits");
}

/// The folds of these data happen to agree with a linear model of 17 columns of noise by more
/// than a standard error. These columns do not stand out from noise, so that is not enough.
#[test]
fn folds_that_agree_by_chance_make_no_linear_model() {
    let simulation = Simulation {
        seed: 30,
        ..Simulation::new(Scenario::Xor, 60, 150)
    };
    let data = simulation.draw().unwrap();
    let default = Protocol::Default;
    let settings = Settings::new(default, Penalty::MCP, default.validation(), Size::of(&data));
    let fit = fit(&data, &settings, &Unobserved).unwrap();
    assert_eq!(fit.model.selected(), [0; 0]);
}
