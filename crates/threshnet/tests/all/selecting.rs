//! Fits to half-samples, to some of the columns, and to screened ones.

use crate::common::{self, TASKS, path_settings, planted};
use std::collections::BTreeSet;
use threshnet::dataset::{Outcome, Task};
use threshnet::path::Direction;
use threshnet::settings::Settings;
use threshnet::solver::Unobserved;
use threshnet::stability::{Stability, on_half};
use threshnet::tune::fit;

fn settings() -> Settings {
    let mut settings = path_settings(&[0.03, 0.1, 0.2, 0.4], Direction::Backward);
    settings.standardize = true;
    settings.seed = 4;
    settings
}

#[test]
fn stable_columns_are_the_planted_ones() {
    for task in TASKS {
        let data = planted(task, (320, 12), (2, 7), 3);
        let mut settings = settings();
        settings.ridges = vec![if task == Task::Cox { 0.01 } else { 0.005 }];
        let ranked: Vec<Vec<usize>> = (0..20)
            .map(|half| on_half(&data, &settings, half, &Unobserved).unwrap())
            .collect();
        let stability = Stability::new(&ranked, 12, 1.0).unwrap();
        assert_eq!(stability.selected(), [2, 7], "{task:?} {stability:?}");
    }
}

#[test]
fn a_half_is_repeatable_its_own_and_strongest_first() {
    let data = planted(Task::Regression, (160, 6), (0, 5), 1);
    let mut settings = settings();
    settings.lambdas = vec![0.001, 0.01];
    let half = |number| on_half(&data, &settings, number, &Unobserved).unwrap();
    assert_eq!(half(0), half(0));
    let distinct: BTreeSet<Vec<usize>> = (0..6).map(half).collect();
    assert!(distinct.len() > 1, "halves must differ");
    // 1.5·x₀ − 1.2·x₅ + …: the two that matter lead
    for ranked in distinct {
        assert_eq!(BTreeSet::from_iter(&ranked[..2]), BTreeSet::from([&0, &5]));
    }
}

#[test]
fn only_the_allowed_columns_enter() {
    let data = planted(Task::Binary, (150, 8), (1, 6), 2);
    let mut settings = settings();
    settings.lambdas = vec![0.0];
    for allowed in [vec![1, 2, 6], vec![4], vec![]] {
        settings.columns = Some(allowed.clone());
        let fitted = fit(&data, &settings, &Unobserved).unwrap();
        let selected = fitted.model.selected();
        assert!(selected.iter().all(|j| allowed.contains(j)), "{selected:?}");
        assert_eq!(selected.contains(&6), allowed.contains(&6));
        assert_eq!(fitted.model.features.count(), 8);
    }
    // what is fitted to the right columns is the better model
    let loss = |columns: Vec<usize>| {
        let mut settings = settings.clone();
        settings.columns = Some(columns);
        fit(&data, &settings, &Unobserved).unwrap().validation.mean
    };
    assert!(loss(vec![1, 6]) < loss(vec![2, 4]));
    for bad in [vec![2, 1], vec![1, 1], vec![8]] {
        settings.columns = Some(bad);
        assert!(fit(&data, &settings, &Unobserved).is_err());
    }
}

/// What is held out has no say in what is kept: a column that copies the outcome there, and
/// is noise elsewhere, is not kept for that.
#[test]
fn screening_sees_training_rows_only() {
    let data = planted(Task::Regression, (120, 60), (5, 50), 6);
    let mut settings = settings();
    settings.screen = Some(6);
    settings.lambdas = vec![0.0];
    let first = fit(&data, &settings, &Unobserved).unwrap();
    assert_eq!(first.path[0].network.inputs.len(), 6);
    assert!(first.model.selected().contains(&5) && first.model.selected().contains(&50));
    let held_out: Vec<usize> = (0..120).filter(|i| !first.rows.contains(i)).collect();
    let mut columns = data
        .columns()
        .iter()
        .map(|c| c.to_vec())
        .collect::<Vec<_>>();
    let spy = (0..60)
        .find(|j| !first.path[0].network.inputs.contains(j))
        .unwrap();
    for &i in &held_out {
        let Outcome::Continuous(y) = data.outcome() else {
            unreachable!("a regression is continuous");
        };
        columns[spy][i] = 100.0 * y[i];
    }
    let spied = common::dataset(columns, data.outcome().clone());
    let second = fit(&spied, &settings, &Unobserved).unwrap();
    assert_eq!(first.path[0].network.inputs, second.path[0].network.inputs);
}
