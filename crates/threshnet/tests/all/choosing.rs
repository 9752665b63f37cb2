//! How a fit chooses, worked out by hand: what a cell of the grid holds, which
//! cell a rule picks, what a refit is fitted to.
//!
//! Convex problems (LASSO, no hidden layer) have one solution, so a fold's
//! network can be found again by an independent fit to its rows.

use crate::common::{self, TASKS, dataset, linear, path_settings, planted, same};
use threshnet::columns::Scaling;
use threshnet::dataset::{Dataset, Outcome, Response, Task};
use threshnet::model::{Model, Prediction};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Rule, Settings, Validation};
use threshnet::solver::{StepRule, Unobserved};
use threshnet::split::folds;
use threshnet::tune::{Cell, Fit, fit};

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

/// The loss of every row (event) by the definitions, from predictions.
fn terms(model: &Model, data: &Dataset) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = model
        .selected()
        .iter()
        .map(|&j| data.columns()[j].to_vec())
        .collect();
    match (model.predict(&columns, data.n()), data.outcome()) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => {
            y.iter().zip(&p).map(|(y, p)| (y - p).powi(2)).collect()
        }
        (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => labels
            .iter()
            .enumerate()
            .map(|(i, &c)| -p[c][i].ln())
            .collect(),
        (Prediction::Risk(risk), Outcome::Survival { time, event }) => (0..data.n())
            .filter(|&i| event[i])
            .map(|i| {
                let at_risk = (0..data.n()).filter(|&j| time[j] >= time[i]);
                at_risk.map(|j| risk[j].exp()).sum::<f64>().ln() - risk[i]
            })
            .collect(),
        _ => panic!("a prediction of another kind"),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * (1.0 + a.abs())
}

#[test]
fn a_holdout_cell_is_the_loss_of_its_rows() {
    for task in TASKS {
        for standardize in [true, false] {
            let data = planted(task, (90, 6), (4, 1), 2);
            let mut settings = path_settings(&[0.005, 0.02, 0.08], Direction::Backward);
            settings.standardize = standardize;
            let fit = run(&data, &settings);
            let held: Vec<usize> = (0..90).filter(|i| !fit.rows.contains(i)).collect();
            for (cell, step) in fit.cells.iter().zip(&fit.path) {
                let model = Model {
                    networks: vec![step.network.clone()],
                    ..fit.model.clone()
                };
                let terms =
                    [&held, &fit.rows].map(|rows| terms(&model, &data.subset(rows).unwrap()));
                let name = format!("{task:?} {standardize} λ {}: {cell:?}", cell.lambda);
                assert!(close(cell.validation_loss, mean(&terms[0])), "{name}");
                assert!(close(cell.train_loss, mean(&terms[1])), "{name}");
                let (n, center) = (terms[0].len() as f64, mean(&terms[0]));
                let squares: f64 = terms[0].iter().map(|t| (t - center).powi(2)).sum();
                assert!(
                    close(cell.validation_se, (squares / (n - 1.0) / n).sqrt()),
                    "{name}"
                );
                assert_eq!(cell.size, step.network.inputs.len() as f64, "{name}");
                assert_eq!(
                    (cell.epochs, cell.status),
                    (step.solved.epochs, step.solved.status)
                );
            }
        }
    }
}

/// A linear LASSO over folds.
fn crossed(count: usize, lambdas: &[f64]) -> Settings {
    let mut settings = linear(Penalty::Lasso, 0.0, 0.01, StepRule::LineSearch);
    settings.lambdas = lambdas.to_vec();
    settings.validation = Validation::folds(count);
    settings
}

/// (score, weight) of every fold at one λ, by fits to its training rows alone.
fn scores(data: &Dataset, settings: &Settings, lambda: f64) -> Vec<(f64, f64)> {
    let Validation::Folds { count, .. } = settings.validation else {
        panic!()
    };
    let alone = Settings {
        lambdas: vec![lambda],
        validation: Validation::None,
        ..settings.clone()
    };
    let score = |split: &threshnet::split::Split| {
        let model = run(&data.subset(&split.train).unwrap(), &alone).model;
        let of = |rows: &[usize]| terms(&model, &data.subset(rows).unwrap());
        if data.outcome().task() != Task::Cox {
            return (mean(&of(&split.held_out)), split.held_out.len() as f64);
        }
        // What the fold adds to the partial likelihood of the training rows.
        let everyone: Vec<usize> = (0..data.n()).collect();
        let (all, train) = (of(&everyone), of(&split.train));
        let events = (all.len() - train.len()) as f64;
        (
            (all.iter().sum::<f64>() - train.iter().sum::<f64>()) / events,
            events,
        )
    };
    let splits = folds(data.response(), count, settings.seed).unwrap();
    splits.iter().map(score).collect()
}

/// Mean and variance of (score, weight).
fn weighted(scores: &[(f64, f64)]) -> (f64, f64) {
    let total: f64 = scores.iter().map(|s| s.1).sum();
    let center = scores.iter().map(|s| s.0 * s.1).sum::<f64>() / total;
    let squares = scores.iter().map(|s| s.1 * (s.0 - center).powi(2));
    (center, squares.sum::<f64>() / total)
}

#[test]
fn a_cross_validated_cell_is_the_mean_of_its_folds() {
    for task in TASKS {
        let data = planted(task, (70, 5), (4, 1), 6);
        let settings = Settings {
            seed: 5,
            ..crossed(3, &[0.02, 0.1])
        };
        let fit = run(&data, &settings);
        for cell in &fit.cells {
            let scores = scores(&data, &settings, cell.lambda);
            let (center, spread) = weighted(&scores);
            let name = format!("{task:?}: {cell:?} but {scores:?}");
            assert!(close(cell.validation_loss, center), "{name}");
            assert!(close(cell.validation_se, (spread / 2.0).sqrt()), "{name}");
        }
    }
}

/// The loss within a fold, with risk sets of the fold only, is another number.
#[test]
fn cox_folds_are_not_scored_within_themselves() {
    let data = planted(Task::Cox, (70, 5), (4, 1), 6);
    let settings = crossed(3, &[0.02]);
    let fit = run(&data, &settings);
    let alone = Settings {
        validation: Validation::None,
        ..settings.clone()
    };
    let mut within = vec![];
    for split in folds(data.response(), 3, 0).unwrap() {
        let model = run(&data.subset(&split.train).unwrap(), &alone).model;
        within.extend(terms(&model, &data.subset(&split.held_out).unwrap()));
    }
    assert!((fit.cells[0].validation_loss - mean(&within)).abs() > 0.1);
}

/// The cell that a rule should pick, by looking at all of them.
fn picked(cells: &[Cell], rule: Rule) -> usize {
    let lowest = cells
        .iter()
        .map(|c| c.validation_loss)
        .fold(f64::INFINITY, f64::min);
    let of_lowest: Vec<usize> = (0..cells.len())
        .filter(|&i| cells[i].validation_loss == lowest)
        .collect();
    // the earliest ridge, its largest λ
    let ridge = cells[of_lowest[0]].ridge;
    let best = *of_lowest
        .iter()
        .rfind(|&&i| cells[i].ridge == ridge)
        .unwrap();
    match rule {
        Rule::Min => best,
        Rule::OneStandardError => (0..cells.len())
            .filter(|&i| cells[i].ridge == ridge)
            .filter(|&i| cells[i].validation_loss <= lowest + cells[best].validation_se)
            .max_by(|&i, &j| cells[i].lambda.total_cmp(&cells[j].lambda))
            .unwrap(),
    }
}

#[test]
fn rules_pick_what_they_say() {
    let mut differ = 0;
    for task in TASKS {
        for validation in [
            Validation::folds(4),
            Validation::Holdout {
                share: 0.3,
                stratified: true,
            },
        ] {
            let data = planted(task, (80, 6), (4, 1), 8);
            let lambdas = [0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 5.0, 9.0];
            let mut settings = crossed(4, &lambdas);
            (settings.validation, settings.ridges) = (validation, vec![0.001, 0.03, 0.3]);
            settings.refit = false;
            let mut chosen = vec![];
            for rule in [Rule::Min, Rule::OneStandardError] {
                settings.rule = rule;
                let fit = run(&data, &settings);
                assert_eq!(fit.cells.len(), 27);
                for (i, cell) in fit.cells.iter().enumerate() {
                    assert_eq!(cell.ridge, settings.ridges[i / 9]);
                    assert_eq!(cell.lambda, lambdas[i % 9]);
                }
                assert_eq!(fit.chosen[0], picked(&fit.cells, rule), "{task:?} {rule:?}");
                let cell = &fit.cells[fit.chosen[0]];
                assert_eq!((fit.lambda, fit.ridge), (cell.lambda, cell.ridge));
                assert!(same(
                    &fit.model.networks[0],
                    &fit.path[fit.chosen[0] % 9].network
                ));
                chosen.push(fit.chosen);
            }
            differ += usize::from(chosen[0] < chosen[1]);
        }
    }
    assert!(
        differ >= 4,
        "the rules differed in {differ} of 8 cases only"
    );
}

/// Where nothing is to be found the null model wins, at the largest λ.
#[test]
fn the_null_model_competes() {
    let noise = planted(Task::Regression, (60, 4), (0, 1), 1)
        .outcome()
        .clone();
    let data = dataset(common::normal_columns(60, 4, 77), noise);
    let settings = crossed(5, &[0.001, 0.01, 2.0, 5.0, 9.0]);
    let fit = run(&data, &settings);
    assert_eq!(fit.chosen[0], picked(&fit.cells, Rule::Min));
    assert_eq!((fit.lambda, fit.model.selected()), (9.0, vec![]));
    assert_eq!(fit.cells[2].validation_loss, fit.cells[4].validation_loss);
}

#[test]
fn a_refit_is_a_fit_to_all_rows() {
    for task in TASKS {
        let data = planted(task, (70, 5), (4, 1), 6);
        for standardize in [true, false] {
            for refit in [true, false] {
                let mut settings = crossed(3, &[0.02, 0.1]);
                (settings.refit, settings.standardize) = (refit, standardize);
                let crossed = run(&data, &settings);
                let rows = if refit {
                    (0..70).collect()
                } else {
                    folds(data.response(), 3, 0).unwrap().swap_remove(0).train
                };
                assert_eq!(crossed.rows, rows);
                let scaling = Scaling::learn(&data, &rows, standardize);
                assert_eq!(crossed.model.scaling, scaling);
                settings.lambdas = vec![crossed.lambda];
                settings.validation = Validation::None;
                let alone = run(&data.subset(&rows).unwrap(), &settings);
                assert_eq!(crossed.model.selected(), alone.model.selected(), "{task:?}");
                let weights = |fit: &Fit| fit.model.networks[0].weights.clone();
                for (a, b) in weights(&crossed).iter().zip(weights(&alone)) {
                    assert!((a - b).abs() < 1e-5, "{task:?} {refit}: {a} {b}");
                }
                // and the baseline hazard of the same rows
                for (a, b) in crossed.model.baseline.iter().zip(&alone.model.baseline) {
                    assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-5);
                }
                assert_eq!(crossed.model.baseline.len(), alone.model.baseline.len());
            }
        }
    }
}

/// Folds given as they would be drawn give the same fit to the last bit, and others another.
#[test]
fn given_folds_are_crossed() {
    for task in TASKS {
        let data = planted(task, (90, 6), (4, 1), 2);
        let settings = crossed(3, &[0.005, 0.02, 0.08]);
        let drawn = folds(data.response(), 3, settings.seed).unwrap();
        let fold_of = |row: usize| {
            1 + drawn
                .iter()
                .position(|s| s.held_out.contains(&row))
                .unwrap()
        };
        let given = |folds: Vec<usize>| {
            let response = Response {
                folds: Some(folds),
                ..data.response().clone()
            };
            Dataset::of(data.names().to_vec(), data.columns().to_vec(), response).unwrap()
        };
        let usual = run(&data, &settings);
        let again = run(&given((0..90).map(fold_of).collect()), &settings);
        assert!(same(&usual.model.networks[0], &again.model.networks[0]));
        assert_eq!(format!("{:?}", usual.cells), format!("{:?}", again.cells));
        let others = given((0..90).map(|row| 1 + row % 3).collect());
        let fit = run(&others, &settings);
        assert_ne!(fit.cells[0].validation_loss, usual.cells[0].validation_loss);
        // nothing but these can be crossed
        let refused = |validation| {
            let settings = Settings {
                validation,
                ..settings.clone()
            };
            threshnet::tune::fit(&others, &settings, &Unobserved)
                .unwrap_err()
                .to_string()
        };
        let holdout = Validation::Holdout {
            share: 0.2,
            stratified: true,
        };
        for problem in [refused(Validation::folds(4)), refused(holdout)] {
            assert!(
                problem.contains("3 folds are given: cross them by cv:3"),
                "{problem}"
            );
        }
    }
}
