//! Under the proximal solver every step of a path is a stationary point over
//! all columns, also those that had left before.

use crate::common::{self, proximal};
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::Task;
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Direction, Tracer};
use threshnet::penalty::Penalty;
use threshnet::settings::log_grid;
use threshnet::solver::{Problem, StepRule, Unobserved};

/// Whether every column of `inner` is one of `outer`.
fn nested(inner: &[usize], outer: &[usize]) -> bool {
    inner.iter().all(|j| outer.contains(j))
}

/// A convex problem has one answer at every λ, wherever the path comes from.
/// Correlated columns leave and come back along it.
#[test]
fn every_step_of_an_exact_linear_path_is_certified_over_all_columns() {
    let (n, d) = (40, 40);
    let mut columns = common::normal_columns(n, d, 8);
    for j in 1..d {
        let before = columns[j - 1].clone();
        for (x, before) in columns[j].iter_mut().zip(before) {
            *x = f64::from((0.95 * before + 0.31 * *x) as f32);
        }
    }
    let signal: Vec<f64> = (0..n)
        .map(|i| columns[3][i] - columns[5][i] + columns[20][i])
        .collect();
    let data = common::dataset(columns, common::outcome(Task::Regression, &signal, 2));
    let rows: Vec<usize> = (0..n).collect();
    let design = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, false));
    let loss = for_response(data.response(), Ties::Breslow);
    let lambdas = log_grid(0.01, 3.0, 30);
    let trace = |penalty, direction| {
        let problem = Problem::new(&design, &*loss, penalty, 0.001);
        let tracer = Tracer {
            lambdas: &lambdas,
            direction,
            solver: proximal(StepRule::LineSearch),
            first_epochs: 5000,
            epochs: 5000,
        };
        let shape = Shape::new(&[], 1, Activation::Relu, Task::Regression);
        let start = |k| {
            Mlp::random(
                (0..d).collect(),
                shape.clone(),
                &mut common::random(k as u64),
            )
        };
        let steps = tracer.trace(&problem, start, &Unobserved);
        for step in &steps {
            let all: Vec<usize> = (0..d).collect();
            let (_, certificate) = problem.assess(&step.network.widened(&all), step.lambda);
            assert!(
                certificate.largest() < 2e-6,
                "{direction:?} {}: {certificate:?}",
                step.lambda
            );
        }
        steps
    };
    let [backward, forward, cold] = [Direction::Backward, Direction::Forward, Direction::Cold]
        .map(|direction| trace(Penalty::Lasso, direction));
    for k in 0..lambdas.len() {
        for other in [&forward[k], &cold[k]] {
            assert_eq!(
                backward[k].network.inputs, other.network.inputs,
                "{}",
                lambdas[k]
            );
        }
    }
    let returned = backward
        .windows(2)
        .any(|pair| !nested(&pair[1].network.inputs, &pair[0].network.inputs));
    assert!(returned, "data on which a column comes back");
    trace(Penalty::MCP, Direction::Backward);
    trace(Penalty::MCP, Direction::Forward);
}
