//! What each λ of a path starts from.

use crate::common::{Bench, TASKS, adam, path_settings, planted, proximal, same};
use std::cell::RefCell;
use threshnet::activation::Activation;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::error::Error;
use threshnet::model::Model;
use threshnet::network::Mlp;
use threshnet::path::{Direction, Step, Tracer};
use threshnet::penalty::Penalty;
use threshnet::settings::{Settings, Validation};
use threshnet::solver::{StepRule, Unobserved};
use threshnet::tune::{Fit, fit};

fn tracer(lambdas: &[f64], direction: Direction) -> Tracer<'_> {
    Tracer {
        lambdas,
        direction,
        solver: adam(3e-3),
        first_epochs: 400,
        epochs: 150,
    }
}

/// Columns 3 and 17 of 20 carry the signal.
fn data(task: Task) -> Dataset<'static> {
    planted(task, (120, 20), (17, 3), 4)
}

/// Solves with a start that is remembered: (λ positions started at random, steps).
fn traced(tracer: &Tracer, bench: &Bench) -> (Vec<usize>, Vec<Step>) {
    let asked = RefCell::new(vec![]);
    let start = |k: usize| {
        asked.borrow_mut().push(k);
        bench.start(&[6, 3], Activation::Tanh, k as u64)
    };
    let steps = tracer.trace(&bench.problem(Penalty::MCP, 0.01), start, &Unobserved);
    (asked.into_inner(), steps)
}

#[test]
fn forward_starts_at_random_until_something_is_selected() {
    let bench = Bench::new(&data(Task::Regression));
    let lambdas = [0.005, 0.01, 0.02, 2.0, 3.0, 4.0];
    let (asked, steps) = traced(&tracer(&lambdas, Direction::Forward), &bench);
    let sizes: Vec<usize> = steps.iter().map(|step| step.network.inputs.len()).collect();
    assert_eq!(sizes[3..], [0, 0, 0]);
    assert!(sizes[..3].iter().all(|size| *size > 0), "{sizes:?}");
    assert_eq!(asked, [5, 4, 3, 2]);
    // Warm from then on: as if solved by hand from the last, unpruned network.
    let tracer = tracer(&lambdas, Direction::Forward);
    let problem = bench.problem(Penalty::MCP, 0.01);
    let mut network = bench.start(&[6, 3], Activation::Tanh, 2);
    for k in (0..3).rev() {
        let epochs = if k == 2 {
            tracer.first_epochs
        } else {
            tracer.epochs
        };
        tracer
            .solver
            .solve(&problem, lambdas[k], &mut network, epochs, &Unobserved);
        assert!(
            same(&network.pruned(), &steps[k].network),
            "λ {}",
            lambdas[k]
        );
    }
}

#[test]
fn a_linear_path_begins_with_nothing_whatever_its_start_holds() {
    let bench = Bench::new(&data(Task::Regression));
    let lambdas = [0.01, 0.1, 10.0, 20.0];
    let tracer = Tracer {
        solver: proximal(StepRule::LineSearch),
        ..tracer(&lambdas, Direction::Forward)
    };
    let problem = bench.problem(Penalty::MCP, 0.01);
    let paths = [1, 2].map(|seed| {
        let asked = RefCell::new(vec![]);
        let start = |k: usize| {
            asked.borrow_mut().push(k);
            bench.start(&[], Activation::Tanh, seed)
        };
        let steps = tracer.trace(&problem, start, &Unobserved);
        assert_eq!(asked.into_inner(), [3]);
        steps
    });
    let [first, second] = &paths;
    for (a, b) in first.iter().zip(second) {
        assert!(same(&a.network, &b.network), "λ {}", a.lambda);
    }
    let sizes: Vec<usize> = first.iter().map(|step| step.network.inputs.len()).collect();
    assert_eq!(sizes[2..], [0, 0]);
    assert!(sizes[0] >= 2 && sizes[1] >= 2, "{sizes:?}");
}

#[test]
fn only_a_backward_path_has_one_start() {
    let bench = Bench::new(&data(Task::Regression));
    let lambdas = [0.005, 0.01, 0.02];
    for (direction, expected) in [
        (Direction::Backward, &[0][..]),
        (Direction::Cold, &[0, 1, 2]),
        (Direction::Forward, &[2]),
    ] {
        let (asked, steps) = traced(&tracer(&lambdas, direction), &bench);
        assert_eq!(asked, expected, "{direction:?}");
        let solved: Vec<f64> = steps.iter().map(|step| step.lambda).collect();
        assert_eq!(solved, lambdas, "{direction:?}");
    }
}

#[test]
fn the_starts_of_a_fit_differ_and_are_small() {
    // Steps too short to leave the start show what it was.
    let mut settings = path_settings(&[1e-9, 2e-9, 3e-9], Direction::Cold);
    settings.solver = adam(1e-9);
    let starts = |settings: &Settings| -> Vec<Mlp> {
        let fit = fit(&data(Task::Regression), settings, &Unobserved).unwrap();
        fit.path.into_iter().map(|step| step.network).collect()
    };
    let moved = |a: &Mlp, b: &Mlp| {
        a.weights
            .iter()
            .zip(&b.weights)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    let cold = starts(&settings);
    assert!(cold[0].weights.iter().all(|w| w.abs() < 0.2001));
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        assert!(moved(&cold[a], &cold[b]) > 0.1, "λ {a} and {b} start alike");
    }
    settings.direction = Direction::Forward;
    let forward = starts(&settings);
    assert!(
        moved(&forward[2], &cold[2]) < 1e-5,
        "the first λ of a forward path is random"
    );
    assert!(
        moved(&forward[0], &forward[2]) < 1e-5,
        "the others are warm"
    );
    // Every ridge has a start of its own, which depends on its position alone.
    settings.direction = Direction::Backward;
    let mut seen = [0, 0];
    for seed in 0..8 {
        let of = |ridges: &[f64]| Settings {
            seed,
            ridges: ridges.to_vec(),
            ..settings.clone()
        };
        let both = fit(&data(Task::Regression), &of(&[0.01, 0.02]), &Unobserved).unwrap();
        let ridge = both.chosen[0] / 3;
        let first = &starts(&of(&[0.02]))[0];
        assert_eq!(
            moved(&both.path[0].network, first) < 1e-5,
            ridge == 0,
            "seed {seed}"
        );
        seen[ridge] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn a_cold_lambda_knows_no_other() {
    let data = data(Task::Cox);
    let path = |lambdas: &[f64]| {
        fit(&data, &path_settings(lambdas, Direction::Cold), &Unobserved)
            .unwrap()
            .path
    };
    let all = path(&[0.02, 0.05, 0.1]);
    let others = path(&[0.001, 0.05, 7.0]);
    assert!(same(&all[1].network, &others[1].network));
    assert!(!same(&all[0].network, &others[0].network));
    assert!(same(&path(&[0.02])[0].network, &all[0].network));
    // while a backward path does
    let warm = |lambdas: &[f64]| {
        fit(
            &data,
            &path_settings(lambdas, Direction::Backward),
            &Unobserved,
        )
        .unwrap()
        .path
    };
    assert!(!same(
        &warm(&[0.02, 0.05])[1].network,
        &warm(&[0.001, 0.05])[1].network
    ));
}

#[test]
fn adam_starts_afresh_at_every_lambda() {
    let bench = Bench::new(&data(Task::Binary));
    let lambdas = [0.02, 0.04, 0.06];
    let (_, whole) = traced(&tracer(&lambdas, Direction::Backward), &bench);
    let (_, head) = traced(&tracer(&lambdas[..1], Direction::Backward), &bench);
    let mut tail = tracer(&lambdas[1..], Direction::Backward);
    tail.first_epochs = tail.epochs;
    let problem = bench.problem(Penalty::MCP, 0.01);
    let tail = tail.trace(&problem, |_| head[0].network.clone(), &Unobserved);
    assert!(whole[2].network.inputs.len() < 20 && !whole[2].network.inputs.is_empty());
    for (split, whole) in head.iter().chain(&tail).zip(&whole) {
        assert!(same(&split.network, &whole.network), "λ {}", whole.lambda);
        assert_eq!(split.solved, whole.solved, "λ {}", whole.lambda);
    }
}

/// The same through a model file and `init`. The pruned columns are back with
/// zero weights, and with γ = 1 they go as they come.
#[test]
fn a_saved_model_continues_its_path() {
    let data = data(Task::Binary);
    let of = |lambdas: &[f64]| path_settings(lambdas, Direction::Backward);
    let whole = fit(&data, &of(&[0.03, 0.05]), &Unobserved).unwrap();
    let head = fit(&data, &of(&[0.03]), &Unobserved).unwrap();
    assert!(
        head.model.selected().len() < 20,
        "{:?}",
        head.model.selected()
    );
    let mut settings = of(&[0.05]);
    settings.first_epochs = settings.epochs;
    settings.init = Some(Model::from_json(&head.model.to_json()).unwrap());
    let tail = fit(&data, &settings, &Unobserved).unwrap();
    assert!(same(&tail.path[0].network, &whole.path[1].network));
}

/// A few epochs on standardised columns.
fn quick() -> Settings {
    let mut settings = path_settings(&[0.01, 0.03], Direction::Backward);
    settings.standardize = true;
    (settings.first_epochs, settings.epochs) = (200, 60);
    settings
}

fn fit_of(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

#[test]
fn init_starts_from_the_given_weights() {
    for task in TASKS {
        let data = planted(task, (80, 6), (4, 1), 2);
        let model = fit_of(&data, &quick()).model;
        // A step too short to leave the start shows what it was.
        let mut still = quick();
        (still.solver, still.lambdas) = (adam(1e-9), vec![1e-9]);
        (still.first_epochs, still.init) = (1, Some(model.clone()));
        for validation in [still.validation, Validation::None, Validation::folds(3)] {
            still.validation = validation;
            let fit = fit_of(&data, &still);
            let (found, given) = (&fit.path[0].network, &model.networks[0]);
            assert_eq!(found.shape.widths[1..], given.shape.widths[1..], "{task:?}");
            for (column, norm) in given.inputs.iter().zip(given.norms()) {
                assert!(
                    (fit.model.norm(*column) - norm).abs() < 1e-5,
                    "{task:?} {column}"
                );
            }
            let rest = |n: &Mlp| n.weights[n.shape.grouped()..].to_vec();
            for (a, b) in rest(found).iter().zip(rest(given)) {
                assert!((a - b).abs() < 1e-6, "{task:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn init_refuses_other_columns_tasks_and_classes() {
    let data = planted(Task::Multiclass, (80, 6), (4, 1), 2);
    let mut settings = quick();
    settings.init = Some(fit_of(&data, &settings).model);
    assert!(fit(&data, &settings, &Unobserved).is_ok());
    let names = |change: fn(&mut Vec<String>)| {
        let mut names = data.names().to_vec();
        change(&mut names);
        let columns = data.columns()[..names.len()].to_vec();
        Dataset::of(names, columns, data.outcome().clone()).unwrap()
    };
    let Outcome::Classes {
        labels, classes, ..
    } = data.outcome().clone()
    else {
        panic!()
    };
    let two = Outcome::Classes {
        labels: labels.iter().map(|&c| c.min(1)).collect(),
        classes: classes[..2].to_vec(),
        task: Task::Multiclass,
    };
    for (other, why) in [
        (names(|names| names.swap(0, 1)), "reordered"),
        (names(|names| names[2] = "y".into()), "renamed"),
        (names(|names| names.truncate(5)), "fewer"),
        (planted(Task::Binary, (80, 6), (4, 1), 2), "another task"),
        (
            Dataset::of(data.names().to_vec(), data.columns().to_vec(), two).unwrap(),
            "two classes",
        ),
    ] {
        match fit(&other, &settings, &Unobserved) {
            Err(Error::Setting { name: "init", .. }) => {}
            result => panic!("{why}: {:?}", result.map(|fit| fit.lambda)),
        }
    }
}
