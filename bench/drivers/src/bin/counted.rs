//! The work that `bench/counted.py` counts: short paths at 300 × 20 on fixed
//! data, one thread.
//!
//! ```text
//! counted DESIGN dense     every λ so small that no column dies
//! counted DESIGN path      the paper's λs, thinned out
//! ```
//!
//! Prints JSON: epochs done, and the FLOPs of their products if no column died.

use serde::Serialize;
use std::error::Error;
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::kernel::InstructionSet;
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Direction, Step, Tracer};
use threshnet::penalty::Penalty;
use threshnet::random::{Purpose, Random};
use threshnet::settings::log_grid;
use threshnet::simulate::{self, Simulation};
use threshnet::solver::{Adam, Problem, Solver, Unobserved};

const ROWS: usize = 300;
const COLUMNS: usize = 20;
const LAMBDAS: usize = 8;

#[derive(Serialize)]
struct Report {
    instruction_set: &'static str,
    epochs: usize,
    flops: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [design, kind] = &arguments[..] else {
        return Err("counted regression|classification|survival dense|path".into());
    };
    let (design, censoring) = match &design[..] {
        "regression" => (simulate::Scenario::Regression, 0.0),
        "classification" => (simulate::Scenario::Classification, 0.0),
        "survival" => (simulate::Scenario::Survival, 0.2),
        other => return Err(format!("{other} is no design").into()),
    };
    let lambdas = match &kind[..] {
        "dense" => log_grid(1e-7, 1e-6, LAMBDAS),
        "path" => log_grid(1e-3, 0.5, LAMBDAS),
        other => return Err(format!("{other}: dense or path").into()),
    };
    let mut simulation = Simulation::new(design, ROWS, COLUMNS);
    simulation.censoring = censoring;
    let data = simulation.draw()?;
    let rows: Vec<usize> = (0..ROWS).collect();
    let columns = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
    let loss = for_response(data.response(), Ties::Breslow);
    let problem = Problem::new(&columns, &*loss, Penalty::MCP, 0.01);
    let task = data.outcome().task();
    let shape = Shape::new(&[10, 5], 1, Activation::Relu, task);
    let steps = counted_part(&problem, &shape, &lambdas);
    let epochs = steps.iter().map(|step| step.solved.epochs).sum();
    let dense = (steps.iter()).all(|step| step.network.inputs.len() == COLUMNS);
    // Every layer forward and its gradient, all but the first backward.
    let products = ROWS * (2 * COLUMNS * 10 + 3 * 10 * 5 + 3 * 5);
    let report = Report {
        instruction_set: InstructionSet::in_use().name(),
        epochs,
        flops: dense.then_some(2 * products * epochs),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Callgrind counts from its first instruction to its last, so it must remain
/// a function.
#[inline(never)]
fn counted_part(problem: &Problem, shape: &Shape, lambdas: &[f64]) -> Vec<Step> {
    let tracer = Tracer {
        lambdas,
        direction: Direction::Backward,
        solver: Solver::Adam(Adam::default()),
        first_epochs: 100,
        epochs: 50,
    };
    let start = |_| {
        let mut random = Random::new(0, Purpose::Weights, 0, 0);
        Mlp::random((0..COLUMNS).collect(), shape.clone(), &mut random)
    };
    tracer.trace(problem, start, &Unobserved)
}
