//! What ways to save work cost, on replicates of cells of the paper's Table 1.
//!
//! `cargo run --release -p threshnet-bench --bin savings -- [REPS] [FILTER] [VARIANTS] [FIRST]`
//!
//! FILTER keeps the cells whose name contains it, such as `survival` or `1000`.
//! VARIANTS are such as `stop,skip,stop+skip`: each is fitted to the same data
//! as the exact paper protocol and compared with it, replicate by replicate.
//! `stop` ends a λ early (tolerance 0.01), `skip` skips ridges. FIRST is the
//! number of the first replicate. Prints Markdown.

use rayon::prelude::*;
use threshnet::dataset::{Dataset, Outcome, Task, Weights};
use threshnet::metrics::{Selection, Survival, accuracy, concordance_harrell, r2};
use threshnet::model::{Model, Prediction};
use threshnet::penalty::Penalty;
use threshnet::settings::{Protocol, Settings, Size};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::{Adam, Solver, Unobserved};
use threshnet::tune::{Cell, fit};

/// A cell of Table 1: (name, design, n, d, penalty).
type CellOfTable = (&'static str, Scenario, usize, usize, Penalty);

const CELLS: [CellOfTable; 8] = [
    (
        "regression GMCP 300x20",
        Scenario::Regression,
        300,
        20,
        Penalty::MCP,
    ),
    (
        "regression GSCAD 300x20",
        Scenario::Regression,
        300,
        20,
        Penalty::SCAD,
    ),
    (
        "classification GMCP 300x20",
        Scenario::Classification,
        300,
        20,
        Penalty::MCP,
    ),
    (
        "classification GSCAD 300x20",
        Scenario::Classification,
        300,
        20,
        Penalty::SCAD,
    ),
    (
        "survival GMCP 300x20",
        Scenario::Survival,
        300,
        20,
        Penalty::MCP,
    ),
    (
        "survival GSCAD 300x20",
        Scenario::Survival,
        300,
        20,
        Penalty::SCAD,
    ),
    (
        "regression GMCP 500x1000",
        Scenario::Regression,
        500,
        1000,
        Penalty::MCP,
    ),
    (
        "survival GMCP 500x1000",
        Scenario::Survival,
        500,
        1000,
        Penalty::MCP,
    ),
];

/// What came of one replicate.
struct Replicate {
    fpr: f64,
    fnr: f64,
    score: f64,
    epochs: f64,
    products: f64,
    model: Model,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let reps: u64 = arguments
        .next()
        .map_or(40, |a| a.parse().expect("REPS is a number"));
    let filter = arguments.next().unwrap_or_default();
    let variants = arguments.next().unwrap_or("stop+skip".into());
    let variants: Vec<&str> = variants.split(',').collect();
    let first: u64 = arguments
        .next()
        .map_or(0, |a| a.parse().expect("FIRST is a number"));
    println!("Differences to the exact fit (SE), paired.\n");
    println!(
        "| cell, variant | reps | epochs % | products % | same model % | FPR % | FNR % | \
         test score |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for cell in CELLS.iter().filter(|cell| cell.0.contains(&filter)) {
        let run_all = |variant: &str| -> Vec<Replicate> {
            (first..first + reps)
                .into_par_iter()
                .map(|replicate| run(cell, replicate, variant))
                .collect()
        };
        let exact = run_all("exact");
        for variant in &variants {
            print_beside_exact(cell.0, variant, &run_all(variant), &exact);
        }
    }
}

fn print_beside_exact(name: &str, variant: &str, runs: &[Replicate], exact: &[Replicate]) {
    let share = |of: fn(&Replicate) -> f64| {
        let total = |runs: &[Replicate]| runs.iter().map(of).sum::<f64>();
        100.0 * total(runs) / total(exact)
    };
    let pairs = || runs.iter().zip(exact);
    let same = pairs().filter(|(a, b)| a.model == b.model).count();
    let difference = |of: fn(&Replicate) -> f64| mean_se(pairs().map(|(a, b)| of(a) - of(b)));
    let (fpr, fpr_se) = difference(|r| r.fpr);
    let (fnr, fnr_se) = difference(|r| r.fnr);
    let (score, score_se) = difference(|r| r.score);
    println!(
        "| {name}, {variant} | {} | {:.0} | {:.0} | {:.0} | {fpr:+.2} ({fpr_se:.2}) | \
         {fnr:+.2} ({fnr_se:.2}) | {score:+.4} ({score_se:.4}) |",
        runs.len(),
        share(|r| r.epochs),
        share(|r| r.products),
        100.0 * same as f64 / runs.len() as f64,
    );
}

fn run(cell: &CellOfTable, replicate: u64, variant: &str) -> Replicate {
    let &(_, design, n, d, penalty) = cell;
    let mut simulation = Simulation::new(design, n, d);
    simulation.seed = replicate;
    simulation.censoring = if design == Scenario::Survival {
        0.2
    } else {
        0.0
    };
    let train = simulation.draw().expect("the design is valid");
    simulation.stream = 1;
    let test = simulation.draw().expect("the design is valid");
    let mut settings = Settings::new(
        Protocol::Paper,
        penalty,
        Protocol::Paper.validation(),
        Size::of(&train),
    );
    settings.standardize = false;
    settings.seed = replicate;
    for saving in variant.split('+') {
        match saving {
            "exact" => {}
            "stop" => {
                settings.solver = Solver::Adam(Adam {
                    tolerance: 0.01,
                    ..Adam::default()
                });
            }
            "skip" => settings.skip_ridges = true,
            _ => panic!("{saving}: VARIANTS are of stop and skip, joined by +"),
        }
    }
    let fit = fit(&train, &settings, &Unobserved).expect("the fit is valid");
    let selected = fit.model.selected();
    let selection = Selection::new(&selected, &design.support(), d).expect("valid columns");
    Replicate {
        fpr: 100.0 * selection.fpr,
        fnr: 100.0 * selection.fnr,
        score: score(&fit.model, &test),
        epochs: fit.cells.iter().map(|cell| cell.epochs as f64).sum(),
        products: products(&fit.cells, settings.lambdas.len(), d),
        model: fit.model,
    }
}

/// Epochs times the columns that were in the network at their start.
fn products(cells: &[Cell], lambdas: usize, d: usize) -> f64 {
    let mut sum = 0.0;
    for ridge in cells.chunks_exact(lambdas) {
        let mut live = d as f64;
        for cell in ridge.iter().filter(|cell| cell.epochs > 0) {
            sum += live * cell.epochs as f64;
            live = cell.size;
        }
    }
    sum
}

/// R², accuracy or C-index on a test sample.
fn score(model: &Model, test: &Dataset) -> f64 {
    let columns: Vec<Vec<f64>> = model
        .selected()
        .iter()
        .map(|&j| test.columns()[j].to_vec())
        .collect();
    let score = match (model.predict(&columns, test.n()), test.outcome()) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => r2(y, &p, Weights::EQUAL),
        (
            Prediction::Probabilities(p),
            Outcome::Classes {
                labels,
                task: Task::Binary,
                ..
            },
        ) => {
            let predicted: Vec<usize> = p[1].iter().map(|&p| usize::from(p > 0.5)).collect();
            accuracy(labels, &predicted, Weights::EQUAL)
        }
        (Prediction::Risk(r), Outcome::Survival { time, event }) => {
            concordance_harrell(Survival::new(time, event), &r)
        }
        _ => unreachable!("the designs have these outcomes"),
    };
    score.expect("a test sample can be scored")
}

fn mean_se(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}
