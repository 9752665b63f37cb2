//! What is saved changes nothing: columns that cannot return (bit for bit while
//! the rows are one block), threads, batches of all rows; and a tolerance only
//! ends a λ early.

use crate::common::{Bench, TASKS, adam, bits, path_settings, planted, single};
use threshnet::activation::Activation;
use threshnet::columns::{Part, Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::random::{Purpose, Random};
use threshnet::solver::{Adam, Problem, Solved, Solver, Status, Unobserved};
use threshnet::tune::{Fit, fit};

const HIDDEN: [usize; 2] = [4, 3];

/// A start whose last `zeros` columns have no weights yet.
fn half_empty(bench: &Bench, zeros: usize) -> Mlp {
    let mut network = bench.start(&HIDDEN, Activation::Relu, 7);
    let grouped = network.shape.grouped();
    network.weights[grouped - zeros * HIDDEN[0]..grouped].fill(0.0);
    network
}

fn solve(bench: &Bench, solver: Solver, lambda: f64, network: &mut Mlp, epochs: usize) -> Solved {
    let problem = bench.problem(Penalty::MCP, 0.01);
    solver.solve(&problem, lambda, network, epochs, &Unobserved)
}

#[test]
fn a_column_that_cannot_return_is_as_good_as_gone() {
    for task in TASKS {
        let bench = Bench::new(&planted(task, (90, 20), (4, 1), 1));
        let mut wide = half_empty(&bench, 14);
        let mut narrow = wide.pruned();
        assert_eq!(narrow.inputs.len(), 6);
        // γλ ≥ 3.17·rate: over 150 steps the longest stays below the threshold
        solve(&bench, adam(0.01), 0.0317, &mut wide, 150);
        solve(&bench, adam(0.01), 0.0317, &mut narrow, 150);
        assert!(narrow.weights.iter().any(|&w| w != 0.0), "{task:?}");
        let widened = narrow.widened(&wide.inputs);
        assert_eq!(bits(&wide), bits(&widened), "{task:?}");
    }
}

#[test]
fn a_column_that_can_return_may() {
    let bench = Bench::new(&planted(TASKS[0], (90, 20), (4, 1), 1));
    let mut network = half_empty(&bench, 14);
    solve(&bench, adam(0.01), 0.001, &mut network, 150);
    let returned = network.norms()[6..]
        .iter()
        .filter(|&&norm| norm > 0.0)
        .count();
    assert!(returned > 5, "{returned} of 14");
}

/// After many steps Adam can move a weight by up to 7.27 rates at once, if its
/// gradients have been rare: a column that matters in one row of a thousand
/// comes back from zero although the threshold is above three rates.
#[test]
fn a_rare_column_is_not_taken_for_dead() {
    let (n, others, rate) = (4000, 5, 1e-3);
    let mut random = Random::new(1, Purpose::Simulation, 5, 5);
    let mut columns: Vec<Vec<f64>> = (0..others)
        .map(|_| (0..n).map(|_| random.normal()).collect())
        .collect();
    let rare = |i: usize| f64::from(u8::from(i % 1000 == 10));
    let y = |i: usize| columns.iter().map(|c| c[i]).sum::<f64>() + 5.0 * rare(i);
    let outcome = Outcome::Continuous((0..n).map(y).collect());
    columns.push((0..n).map(rare).collect());
    let names = (0..=others).map(|j| j.to_string()).collect();
    let data = Dataset::new(names, columns, outcome).unwrap();
    let rows: Vec<usize> = (0..n).collect();
    let all: Vec<usize> = (0..data.d()).collect();
    let part = Part {
        rows: &rows,
        columns: &all,
        batch: 1,
    };
    let design = Standardised::new(&data, part, &Scaling::learn(&data, &rows, false));
    let loss = for_response(data.response(), Ties::Breslow);
    let shape = Shape::new(&[], 1, Activation::Relu, Task::Regression);
    let mut network = Mlp::random((0..=others).collect(), shape, &mut random);
    network.weights[..others].fill(1.0);
    network.weights[others] = 0.0;
    let problem = Problem::new(&design, &*loss, Penalty::MCP, 0.0);
    adam(rate).solve(&problem, 3.2 * rate, &mut network, 150, &Unobserved);
    let returned = network.weights[others];
    // on its way to 5; taken for dead it would be 0
    assert!(returned > 1.0, "{returned}");
}

/// Where the rows are several blocks, packing changes their number and with it
/// the order of the sums, but nothing beyond rounding.
#[test]
fn so_it_is_over_several_blocks() {
    let bench = Bench::new(&planted(Task::Regression, (1200, 600), (4, 1), 1));
    assert!(bench.columns.layout().blocks().len() > 1);
    let mut wide = half_empty(&bench, 500);
    let mut narrow = wide.pruned();
    solve(&bench, adam(0.01), 0.0317, &mut wide, 20);
    solve(&bench, adam(0.01), 0.0317, &mut narrow, 20);
    let widened = narrow.widened(&wide.inputs);
    for (a, b) in wide.weights.iter().zip(&widened.weights) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn a_tolerance_ends_a_lambda_early() {
    let with = |tolerance| {
        Solver::Adam(Adam {
            learning_rate: 0.01,
            tolerance,
            ..Adam::default()
        })
    };
    for task in TASKS {
        let bench = Bench::new(&planted(task, (90, 6), (4, 1), 1));
        let run = |tolerance| {
            let mut network = bench.start(&HIDDEN, Activation::Softplus, 7);
            let solved = solve(&bench, with(tolerance), 0.01, &mut network, 3000);
            (solved, network)
        };
        let (paper, network) = run(0.0);
        let (same, again) = run(1e-12);
        assert_eq!((paper.epochs, paper.status), (same.epochs, same.status));
        assert_eq!(bits(&network), bits(&again), "{task:?}");
        let (early, _) = run(0.01);
        assert_eq!(early.status, Status::Converged, "{task:?}");
        assert!(
            3 * early.epochs < 2 * paper.epochs,
            "{task:?}: {}",
            early.epochs
        );
        let rise = early.loss - paper.loss;
        assert!(rise < 0.05 * (0.1 + paper.loss), "{task:?}: {rise}");
        // However lax, Adam's mean gets its twenty epochs.
        assert_eq!(run(1e9).0.epochs, 20, "{task:?}");
    }
}

/// A fit of a planted design with batches of this size.
fn in_batches(task: Task, batch_size: Option<usize>, threads: usize) -> Fit {
    let data = planted(task, (240, 8), (6, 1), 3);
    let mut settings = path_settings(&[0.01, 0.03, 0.06], Direction::Backward);
    (settings.first_epochs, settings.epochs) = (60, 20);
    settings.batch_size = batch_size;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| fit(&data, &settings, &Unobserved)).unwrap()
}

#[test]
fn a_batch_of_all_rows_is_no_batch() {
    let whole = in_batches(Task::Regression, None, 1);
    let one = in_batches(Task::Regression, Some(10_000), 1);
    assert_eq!(bits(&whole.model.networks[0]), bits(&one.model.networks[0]));
}

#[test]
fn batches_learn_more_per_epoch_and_the_same_on_any_threads() {
    for task in [Task::Regression, Task::Binary, Task::Multiclass] {
        let whole = in_batches(task, None, 1);
        let batches = in_batches(task, Some(50), 1);
        let (slow, fast) = (whole.path[0].solved.loss, batches.path[0].solved.loss);
        assert!(fast < 0.9 * slow, "{task:?}: {fast} after {slow}");
        let again = in_batches(task, Some(50), 3);
        assert_eq!(
            bits(&batches.model.networks[0]),
            bits(&again.model.networks[0])
        );
    }
}

#[test]
fn one_large_fit_has_the_same_bits_on_any_threads() {
    for task in [Task::Regression, Task::Cox] {
        // enough products for a step to be divided
        let data = planted(task, (2000, 850), (4, 1), 3);
        let mut settings = single(Penalty::MCP, 0.02, 0.01);
        settings.hidden = vec![10, 5];
        settings.first_epochs = 8;
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let fit = pool.install(|| fit(&data, &settings, &Unobserved));
            bits(&fit.unwrap().model.networks[0])
        };
        assert_eq!(on(1), on(3), "{task:?}");
    }
}

#[test]
fn risk_sets_take_no_batches() {
    let data = planted(Task::Cox, (60, 4), (3, 1), 1);
    let mut settings = path_settings(&[0.01, 0.03], Direction::Backward);
    settings.batch_size = Some(20);
    let error = fit(&data, &settings, &Unobserved).unwrap_err();
    assert!(error.to_string().contains("risk sets"), "{error}");
}

#[test]
fn a_tolerance_below_zero_is_refused() {
    for tolerance in [-0.1, f64::NAN, f64::INFINITY] {
        let adam = Adam {
            tolerance,
            ..Adam::default()
        };
        assert!(adam.validate(Penalty::MCP).is_err());
    }
}
