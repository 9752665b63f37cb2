//! Columns that leave out their zeros: the same answers as with them.

use super::common::{TASKS, outcome, random, single};
use threshnet::activation::Activation;
use threshnet::backprop::Workspace;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Column, Dataset, Outcome, Task};
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::penalty::Penalty;
use threshnet::settings::{Request, Settings, Size};
use threshnet::solver::{Proximal, Solver, Unobserved};
use threshnet::tune::fit;

/// Counts, one in ten not zero, of which two columns matter; with and without their zeros.
fn both(task: Task, n: usize, d: usize) -> [Dataset<'static>; 2] {
    let mut random = random(21);
    let counts: Vec<Vec<f64>> = (0..d)
        .map(|_| {
            let cell = |_| match random.below(10) {
                0 => 1.0 + random.below(5) as f64,
                _ => 0.0,
            };
            (0..n).map(cell).collect()
        })
        .collect();
    let signal: Vec<f64> = (0..n).map(|i| counts[0][i] - 0.8 * counts[1][i]).collect();
    let outcome = outcome(task, &signal, 22);
    let sparse = |values: &Vec<f64>| {
        let kept = || {
            values
                .iter()
                .enumerate()
                .filter(|(_, value)| **value != 0.0)
        };
        let rows: Vec<i32> = kept().map(|(row, _)| row as i32).collect();
        Column::sparse(n, rows, kept().map(|(_, value)| *value).collect::<Vec<_>>()).unwrap()
    };
    let of = |columns: Vec<Column<'static>>, outcome: Outcome| {
        let names = (0..d).map(|j| format!("x{j}")).collect();
        Dataset::of(names, columns, outcome).unwrap()
    };
    let without = counts.iter().map(sparse).collect();
    let with = counts.into_iter().map(Column::from).collect();
    [of(with, outcome.clone()), of(without, outcome)]
}

#[test]
fn linear_fits_are_the_same() {
    for task in TASKS {
        for penalty in [Penalty::Lasso, Penalty::MCP, Penalty::SCAD] {
            let settings = Settings {
                hidden: vec![],
                solver: Solver::Proximal(Proximal {
                    tolerance: 1e-9,
                    ..Proximal::default()
                }),
                first_epochs: 20_000,
                epochs: 20_000,
                standardize: true,
                ..single(penalty, 0.03, 0.02)
            };
            let [one, other] = both(task, 250, 40).map(|data| {
                let fit = fit(&data, &settings, &Unobserved).unwrap();
                assert!(fit.solved.certificate.largest() < 1e-6);
                fit.model.networks[0].clone()
            });
            assert_eq!(one.inputs, other.inputs, "{task:?} {penalty:?}");
            assert!(one.inputs.len() >= 2);
            for (a, b) in one.weights.iter().zip(&other.weights) {
                assert!((a - b).abs() < 1e-5, "{task:?} {penalty:?}: {a} {b}");
            }
        }
    }
}

/// Forward, loss and backward of a network over all rows, in several blocks.
#[test]
fn the_gradient_of_an_epoch_is_the_same() {
    for task in TASKS {
        for hidden in [&[10, 5][..], &[20], &[]] {
            let [one, other] = both(task, 1300, 60).map(|data| {
                let rows: Vec<usize> = (0..data.n()).collect();
                let columns =
                    Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
                let loss = for_response(data.response(), Ties::Breslow);
                let shape = Shape::new(hidden, loss.outputs(), Activation::Relu, task);
                let inputs: Vec<usize> = (0..60).filter(|j| j % 9 != 4).collect();
                let network = Mlp::random(inputs, shape, &mut random(23));
                let weights: Vec<f32> = network.weights.iter().map(|&w| 4.0 * w as f32).collect();
                let (places, storage) = (columns.places(&network.inputs), columns.storage());
                let mut workspace = Workspace::new(&network.shape, places, storage, &*loss, false);
                let mut gradient = vec![0.0; weights.len()];
                let value = workspace.gradient(storage, 0, &*loss, &weights, &mut gradient);
                (value, gradient)
            });
            assert!((one.0 - other.0).abs() < 1e-5 * (1.0 + one.0), "{task:?}");
            let largest = one.1.iter().fold(0.0f32, |most, g| most.max(g.abs()));
            for (a, b) in one.1.iter().zip(&other.1) {
                assert!((a - b).abs() <= 1e-5 * (1.0 + largest), "{task:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn the_default_finds_the_same_columns() {
    for task in [Task::Regression, Task::Cox] {
        let [one, other] = both(task, 300, 30).map(|data| {
            let settings = Request::default().settings(Size::of(&data)).unwrap();
            let fit = fit(&data, &settings, &Unobserved).unwrap();
            assert!(fit.held_out.is_some());
            fit
        });
        for fit in [&one, &other] {
            assert_eq!(fit.model.selected()[..2], [0, 1], "{task:?}");
        }
        let off = one.validation.mean - other.validation.mean;
        assert!(off.abs() < one.validation.se, "{task:?}: {off}");
    }
}

/// Batches shuffle the rows; halves and screens take some of them.
#[test]
fn batches_and_screens_take_them_too() {
    let [with, without] = both(Task::Regression, 300, 50);
    for request in [
        Request {
            batch_size: Some(64),
            ..Request::default()
        },
        Request {
            screen: Some(10),
            ..Request::default()
        },
    ] {
        let selected = [&with, &without].map(|data| {
            let settings = request.settings(Size::of(data)).unwrap();
            fit(data, &settings, &Unobserved).unwrap().model.selected()
        });
        for selected in selected {
            assert_eq!(selected[..2], [0, 1]);
        }
    }
}
