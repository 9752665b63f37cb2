//! What each λ of a path starts from, what leaves on the way, and that column
//! numbers stay those of the data.

use crate::common::{self, Bench, Recorder, adam, path_settings, planted, proximal, same, single};
use threshnet::activation::Activation;
use threshnet::columns::Scaling;
use threshnet::dataset::{Dataset, Task};
use threshnet::model::{Model, Prediction};
use threshnet::network::Mlp;
use threshnet::path::{Direction, Tracer};
use threshnet::penalty::Penalty;
use threshnet::settings::log_grid;
use threshnet::solver::{StepRule, Unobserved};
use threshnet::tune::fit;

/// Columns 3 and 17 of 20 carry the signal.
fn data(task: Task) -> Dataset<'static> {
    planted(task, (240, 20), (17, 3), 4)
}

/// A subset of columns that keeps their order.
fn nested(inner: &[usize], outer: &[usize]) -> bool {
    inner.windows(2).all(|pair| pair[0] < pair[1]) && inner.iter().all(|j| outer.contains(j))
}

#[test]
fn backward_paths_are_nested_and_end_empty() {
    for task in common::TASKS {
        for solver in [adam(3e-3), proximal(StepRule::LineSearch)] {
            let mut settings = path_settings(&log_grid(0.01, 2.0, 30), Direction::Backward);
            settings.lambdas.extend([20.0, 40.0]); // far above any norm
            settings.solver = solver;
            settings.activation = Activation::Tanh;
            settings.first_epochs = 1000;
            settings.ridges = vec![0.03];
            settings.hidden = vec![6];
            let fit = fit(&data(task), &settings, &Unobserved).unwrap();
            let name = format!("{task:?} {solver:?}");
            let supports: Vec<&[usize]> = fit
                .path
                .iter()
                .map(|step| &step.network.inputs[..])
                .collect();
            assert!(
                supports[0].len() > 2,
                "{name}: dense at first, {supports:?}"
            );
            // (An exact solution may need a column again.)
            for pair in supports
                .windows(2)
                .filter(|_| solver.takes_back_at().is_none())
            {
                assert!(nested(pair[1], pair[0]), "{name}: {supports:?}");
            }
            assert!(supports.contains(&&[3, 17][..]), "{name}: {supports:?}");
            // Once empty, the same network stands for every larger λ.
            let first = supports.iter().position(|s| s.is_empty()).expect("an end");
            assert!(first + 1 < supports.len(), "{name}: {supports:?}");
            // (A warm start in the flat part of ρ may need no epoch of descent.)
            if solver.takes_back_at().is_none() {
                assert!(
                    fit.path[..=first].iter().all(|step| step.solved.epochs > 0),
                    "{name}"
                );
            }
            for step in &fit.path[first + 1..] {
                assert_eq!(step.solved.epochs, 0, "{name}");
                assert!(same(&step.network, &fit.path[first].network), "{name}");
            }
            let lambdas: Vec<f64> = fit.path.iter().map(|step| step.lambda).collect();
            assert_eq!(lambdas, settings.lambdas, "{name}");
        }
    }
}

#[test]
fn a_selected_column_is_the_column_it_says() {
    // Reversing the columns reverses the selection.
    let data = data(Task::Regression);
    let mut columns = data
        .columns()
        .iter()
        .map(|c| c.to_vec())
        .collect::<Vec<_>>();
    columns.reverse();
    let reversed = common::dataset(columns, data.outcome().clone());
    let mut settings = path_settings(&[0.1, 0.3], Direction::Backward);
    settings.solver = proximal(StepRule::LineSearch);
    settings.hidden = vec![];
    for (data, expected) in [(data, [3, 17]), (reversed, [2, 16])] {
        let fit = fit(&data, &settings, &Unobserved).unwrap();
        assert_eq!(fit.path[1].network.inputs, expected);
        assert_eq!(fit.model.selected(), fit.path[fit.chosen[0]].network.inputs);
        for j in 0..20 {
            assert_eq!(fit.model.norm(j) > 0.0, fit.model.selected().contains(&j));
        }
    }
}

#[test]
fn pruning_changes_no_prediction() {
    for task in common::TASKS {
        let data = data(task);
        let bench = Bench::new(&data);
        let problem = bench.problem(Penalty::MCP, 0.01);
        let mut network = bench.start(&[6, 3], Activation::Relu, 1);
        let solver = adam(3e-3);
        solver.solve(&problem, 0.02, &mut network, 600, &Unobserved);
        let pruned = network.pruned();
        assert!(
            (1..20).contains(&pruned.inputs.len()),
            "{task:?}: {:?}",
            pruned.inputs
        );
        let model = |network: &Mlp| -> Model {
            let scaling = Scaling::learn(&data, &[0, 1, 2, 3, 4], true);
            let settings = single(Penalty::MCP, 0.08, 0.01);
            let any = fit(&data, &settings, &Unobserved).unwrap().model;
            Model {
                scaling,
                networks: vec![network.clone()],
                ..any
            }
        };
        let predict = |model: Model| -> Vec<u64> {
            let columns: Vec<Vec<f64>> = model
                .selected()
                .iter()
                .map(|&j| data.columns()[j].to_vec())
                .collect();
            let values = match model.predict(&columns, data.n()) {
                Prediction::Numbers(p) | Prediction::Risk(p) => p,
                Prediction::Probabilities(p) => p.concat(),
            };
            values.iter().map(|v| v.to_bits()).collect()
        };
        assert_eq!(
            predict(model(&network)),
            predict(model(&pruned)),
            "{task:?}"
        );
    }
}

#[test]
fn every_lambda_has_its_epochs() {
    let bench = Bench::new(&data(Task::Regression));
    let lambdas = [0.001, 0.002, 0.003];
    for (direction, expected) in [
        (Direction::Backward, [400, 150, 150]),
        (Direction::Forward, [150, 150, 400]),
        (Direction::Cold, [400, 400, 400]),
    ] {
        let seen = Recorder::default();
        let start = |k| bench.start(&[6, 3], Activation::Relu, k as u64);
        let problem = bench.problem(Penalty::MCP, 0.01);
        let steps = Tracer {
            lambdas: &lambdas,
            direction,
            solver: adam(3e-3),
            first_epochs: 400,
            epochs: 150,
        }
        .trace(&problem, start, &seen);
        let epochs = seen.epochs.into_inner().unwrap();
        for ((step, lambda), expected) in steps.iter().zip(lambdas).zip(expected) {
            assert_eq!(step.solved.epochs, expected, "{direction:?} {lambda}");
            let own = epochs.iter().filter(|(of, _)| *of == lambda).count();
            assert_eq!(own, expected, "{direction:?} {lambda}");
        }
        assert_eq!(seen.steps.into_inner(), 3);
    }
}
