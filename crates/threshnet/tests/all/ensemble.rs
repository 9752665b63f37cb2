//! The ensemble of all that was fitted, and the price of sparsity.

use crate::common::{TASKS, dataset, normal_columns, outcome, path_settings};
use threshnet::dataset::{Dataset, Outcome, Task, Weights};
use threshnet::metrics::r2;
use threshnet::model::{Model, Prediction};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::solver::Unobserved;
use threshnet::tune::{Fit, MemberKind, fit};

/// A quick fit with draws that chooses among all kinds of models.
fn quick(ensemble: bool) -> Settings {
    let mut settings = path_settings(&[0.02, 0.05, 0.1, 0.2, 0.4], Direction::Backward);
    settings.ridges = vec![1e-2];
    settings.standardize = true;
    settings.validation = Validation::Draws {
        count: 6,
        share: 0.2,
    };
    settings.linear = Linear::Choose;
    settings.ensemble = ensemble;
    settings
}

fn fitted(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

fn cells(data: &Dataset, columns: &[usize]) -> Vec<Vec<f64>> {
    columns
        .iter()
        .map(|&j| data.columns()[j].to_vec())
        .collect()
}

fn said(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    let columns = cells(data, &model.columns());
    model.predict(&columns, data.n()).columns().to_vec()
}

fn bent(task: Task) -> Dataset<'static> {
    let columns = normal_columns(90, 12, 7);
    let signal: Vec<f64> = (0..90)
        .map(|i| columns[0][i] + columns[1][i].abs() - 0.8)
        .collect();
    dataset(columns, outcome(task, &signal, 7))
}

#[test]
fn an_ensemble_is_the_mean_of_its_members_and_survives_its_file() {
    for task in TASKS {
        let data = bent(task);
        let fit = fitted(&data, &quick(true));
        let ensemble = fit.ensemble.as_ref().expect("one was asked for");
        let total: f64 = ensemble.members.iter().map(|member| member.share).sum();
        assert!(
            (total - 1.0).abs() < 1e-9,
            "{task:?} {:?}",
            ensemble.members
        );
        for kind in [
            MemberKind::Linear,
            MemberKind::LinearDraws,
            MemberKind::Ridge,
            MemberKind::Forest,
        ] {
            let is_there = ensemble.members.iter().any(|member| member.kind == kind);
            assert!(is_there, "{task:?} lacks {kind:?}");
        }
        let model = &ensemble.model;
        let whole = said(model, &data);
        let mut by_hand: Vec<Vec<f64>> = whole.iter().map(|unit| vec![0.0; unit.len()]).collect();
        let mut add = |share: f64, part: Vec<Vec<f64>>| {
            for (sum, value) in by_hand.iter_mut().flatten().zip(part.iter().flatten()) {
                *sum += share * value;
            }
        };
        for (network, &share) in model.networks.iter().zip(&model.shares) {
            let alone = Model {
                networks: vec![network.clone()],
                shares: vec![],
                forest: None,
                ..model.clone()
            };
            add(share, said(&alone, &data));
        }
        let forest = model.forest.as_ref().expect("all members count a little");
        add(
            forest.share,
            forest
                .forest
                .response(data.n(), |column, row| data.columns()[column].at(row)),
        );
        for (a, b) in whole.iter().flatten().zip(by_hand.iter().flatten()) {
            assert!((a - b).abs() < 1e-9, "{task:?}: {a} {b}");
        }
        assert_eq!(&Model::from_json(&model.to_json()).unwrap(), model);
        assert_eq!(ensemble.held_out.rows, (0..data.n()).collect::<Vec<_>>());
    }
}

#[test]
fn an_ensemble_changes_nothing_about_the_sparse_model() {
    let data = bent(Task::Cox);
    let (with, without) = (fitted(&data, &quick(true)), fitted(&data, &quick(false)));
    assert_eq!(with.model, without.model);
    assert!(without.ensemble.is_none());
}

#[test]
fn a_damaged_ensemble_is_refused() {
    let data = bent(Task::Binary);
    let fit = fitted(&data, &quick(true));
    let model = &fit.ensemble.as_ref().unwrap().model;
    let mut too_many = model.clone();
    too_many.shares.push(0.1);
    let mut negative = model.clone();
    negative.shares[0] = -0.1;
    let mut no_tree = model.clone();
    no_tree.forest.as_mut().unwrap().forest.trees.clear();
    for damaged in [too_many, negative, no_tree] {
        assert!(Model::from_json(&damaged.to_json()).is_err());
    }
    // a child that is not there
    let mut value: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
    value["forest"]["forest"]["trees"][0]["left"][0] = 900_000.into();
    assert!(Model::from_json(&value.to_string()).is_err());
}

/// Every column matters, none much: few of them cannot tell what all do.
#[test]
fn many_weak_effects_have_a_price_and_the_ensemble_does_not_pay_it() {
    let (n, d) = (160, 400);
    let columns = normal_columns(2 * n, d, 3);
    let noise = normal_columns(2 * n, 1, 91).remove(0);
    let sum = |i: usize| columns.iter().map(|column| column[i]).sum::<f64>() / (d as f64).sqrt();
    let y: Vec<f64> = (0..2 * n).map(|i| sum(i) + 0.5 * noise[i]).collect();
    let half = |from: usize| -> Dataset<'static> {
        let columns = columns
            .iter()
            .map(|column| column[from..from + n].to_vec())
            .collect();
        dataset(columns, Outcome::Continuous(y[from..from + n].to_vec()))
    };
    let (train, test) = (half(0), half(n));
    let default = Protocol::Default;
    let mut settings = Settings::new(
        default,
        Penalty::MCP,
        default.validation(),
        Size::of(&train),
    );
    settings.ridges = vec![0.01, 0.06];
    let fit = fitted(&train, &settings);
    let ensemble = fit.ensemble.as_ref().unwrap();
    let of = |model: &Model| {
        let Prediction::Numbers(p) = model.predict(&cells(&test, &model.columns()), n) else {
            panic!("numbers");
        };
        r2(&y[n..], &p, Weights::EQUAL).unwrap()
    };
    let (sparse, all) = (of(&fit.model), of(&ensemble.model));
    assert!(!fit.model.selected().is_empty());
    assert!(all > sparse + 0.03, "sparse {sparse}, ensemble {all}");
    let held_out = |rows: &threshnet::tune::HeldOut| {
        let Prediction::Numbers(p) = &rows.prediction else {
            panic!("numbers");
        };
        let y: Vec<f64> = rows.rows.iter().map(|&i| y[i]).collect();
        r2(&y, p, Weights::EQUAL).unwrap()
    };
    let sparse = held_out(fit.held_out.as_ref().unwrap());
    let dense = held_out(&ensemble.dense);
    assert!(dense > sparse + 0.02, "sparse {sparse}, dense {dense}");
}

/// With as few events as these no fold shows a gain that is worth a standard error, though all
/// columns together stand out from noise.
#[test]
fn weak_effects_that_stand_out_from_noise_are_never_the_null_model() {
    let mut selected = 0;
    for seed in 0..4 {
        let columns = normal_columns(200, 40, 40 + seed);
        let signal: Vec<f64> = (0..200)
            .map(|i| 0.3 * columns[..8].iter().map(|column| column[i]).sum::<f64>())
            .collect();
        let noise = normal_columns(200, 2, 80 + seed);
        let time: Vec<f64> = (0..200).map(|i| (noise[0][i] - signal[i]).exp()).collect();
        let event: Vec<bool> = (0..200).map(|i| noise[1][i] > 0.3).collect();
        let data = dataset(columns, Outcome::Survival { time, event });
        let settings = Settings {
            seed,
            ..quick(false)
        };
        selected += usize::from(!fitted(&data, &settings).model.selected().is_empty());
    }
    assert!(selected >= 3, "{selected} of 4");
}
