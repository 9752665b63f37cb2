//! Runs that leave the finite numbers say so, and leave finite weights.

use crate::common::{
    Bench, TASKS, adam, dataset, normal_columns, outcome, planted, proximal, single,
};
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::error::Error;
use threshnet::loss::Squared;
use threshnet::network::Mlp;
use threshnet::penalty::Penalty;
use threshnet::solver::{Problem, Status, StepRule, Unobserved};
use threshnet::tune::fit;

fn finite(network: &Mlp) -> bool {
    network.weights.iter().all(|w| w.is_finite())
}

#[test]
fn a_fixed_step_that_is_too_large_diverges() {
    for task in TASKS {
        let columns = normal_columns(50, 5, 2);
        let signal: Vec<f64> = columns[3].iter().map(|x| 2.0 * x).collect();
        let bench = Bench::new(&dataset(columns, outcome(task, &signal, 2)));
        for hidden in [vec![], vec![6]] {
            let start = bench.start(&hidden, Activation::Softplus, 4);
            let mut network = start.clone();
            let problem = bench.problem(Penalty::Lasso, 0.05);
            let solved = proximal(StepRule::Fixed(80.0)).solve(
                &problem,
                0.01,
                &mut network,
                1000,
                &Unobserved,
            );
            assert_eq!(solved.status, Status::Diverged, "{task:?} {hidden:?}");
            assert!(finite(&network), "{task:?} {hidden:?}");
            // what is left is no worse than the start
            let value = |n: &Mlp| problem.smooth(n).value + problem.penalty_value(n, 0.01);
            assert!(value(&network) <= value(&start), "{task:?} {hidden:?}");
        }
    }
}

/// Steps of 2.02 over the curvature grow an error of 1e-3 by a hundredth or two.
#[test]
fn a_rise_need_not_be_large() {
    let columns = normal_columns(50, 1, 2);
    let bench = Bench::new(&dataset(
        columns.clone(),
        outcome(Task::Regression, &columns[0], 2),
    ));
    let problem = bench.problem(Penalty::Lasso, 0.0);
    let mut network = bench.start(&[], Activation::Relu, 1);
    let best = proximal(StepRule::LineSearch).solve(&problem, 0.0, &mut network, 99, &Unobserved);
    assert_eq!(best.status, Status::Converged);
    network.weights[0] += 1e-3;
    let start = network.clone();
    let solved =
        proximal(StepRule::Fixed(1.01)).solve(&problem, 0.0, &mut network, 99, &Unobserved);
    assert_eq!(solved.status, Status::Diverged);
    assert_eq!(network, start);
}

/// Scales of data and rates at which single precision, or everything, runs over.
#[test]
fn adam_that_runs_over_says_so() {
    for task in TASKS {
        for (x, y, rate) in [
            (1e30, 1.0, 1e6),
            (1e30, 1.0, 1e-3),
            (1.0, 1e30, 1e-3),
            (1e30, 1e30, 1.0),
        ] {
            if y != 1.0 && task != Task::Regression {
                continue; // labels and ranks have no scale
            }
            let data = scaled(&planted(task, (40, 5), (2, 0), 3), x, y);
            for hidden in [vec![], vec![5], vec![5, 3]] {
                let name = format!("{task:?} x·{x:e} y·{y:e} rate {rate:e} {hidden:?}");
                let mut settings = single(Penalty::MCP, 0.05, 0.01);
                (settings.hidden, settings.solver) = (hidden.clone(), adam(rate));
                (settings.first_epochs, settings.epochs) = (60, 60);
                match fit(&data, &settings, &Unobserved) {
                    Err(Error::Data(message)) => {
                        assert!(message.contains("diverged"), "{name}: {message}");
                    }
                    other => panic!("{name}: {:?}", other.map(|fit| fit.solved)),
                }
                let rows: Vec<usize> = (0..data.n()).collect();
                let scaling = Scaling::learn(&data, &rows, false);
                let mut bench = Bench::new(&data);
                bench.columns = Standardised::of_rows(&data, &rows, &scaling);
                let start = bench.start(&hidden, Activation::Relu, 0);
                let mut network = start.clone();
                let problem = bench.problem(Penalty::MCP, 0.01);
                let solved = adam(rate).solve(&problem, 0.05, &mut network, 60, &Unobserved);
                assert_eq!(solved.status, Status::Diverged, "{name}");
                assert!(finite(&network), "{name}");
            }
        }
    }
}

fn scaled(data: &Dataset, x: f64, y: f64) -> Dataset<'static> {
    let columns = data
        .columns()
        .iter()
        .map(|column| column.iter().map(|v| x * v).collect())
        .collect();
    let outcome = match data.outcome() {
        Outcome::Continuous(values) => Outcome::Continuous(values.iter().map(|v| y * v).collect()),
        other => other.clone(),
    };
    dataset(columns, outcome)
}

/// A gradient that is no number is not a small one.
#[test]
fn a_gradient_beyond_the_numbers_is_no_convergence() {
    // 1e39 is infinite in the design; weights of zero hide it from the loss,
    // and a residual of zero hides it from the sum.
    let columns = vec![vec![1e39, 1.0, -1.0], vec![0.5, 1.0, 2.0]];
    let data = dataset(columns, Outcome::Continuous(vec![0.0, 1.0, -1.0]));
    let scaling = Scaling::learn(&data, &[0, 1, 2], false);
    let design = Standardised::of_rows(&data, &[0, 1, 2], &scaling);
    let loss = Squared::new(vec![0.0, 1.0, -1.0], None);
    let problem = Problem::new(&design, &loss, Penalty::MCP, 0.0);
    let mut network = Bench::new(&data).start(&[], Activation::Relu, 0);
    network.weights.fill(0.0);
    let (_, certificate) = problem.assess(&network, 10.0);
    assert!(certificate.largest().is_nan(), "{certificate:?}");
    let solved = proximal(StepRule::LineSearch).solve(&problem, 10.0, &mut network, 9, &Unobserved);
    assert_eq!(solved.status, Status::Diverged);
    assert!(finite(&network));
}
