//! Replicates of the paper's Table 1: the paper's figure beside ours.
//!
//! `cargo run --release -p threshnet --example table1 -- [REPS] [FILTER]`
//!
//! FILTER keeps the cells whose name contains it, such as `cox` or `1000`.
//! Each replicate is fitted with `--protocol paper --no-standardize` and
//! scored on an independent sample of the same size. Prints Markdown.

use rayon::prelude::*;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::metrics::{Selection, Survival, accuracy, concordance_harrell, r2};
use threshnet::model::{Model, Prediction};
use threshnet::penalty::Penalty;
use threshnet::settings::{Protocol, Settings};
use threshnet::simulate::{Design, Simulation};
use threshnet::solver::Unobserved;
use threshnet::tune::fit;

/// A cell of Table 1: (name, design, n, d, penalty, paper's FPR, FNR, size).
type CellOfTable = (&'static str, Design, usize, usize, Penalty, [f64; 3]);

const CELLS: [CellOfTable; 8] = [
    (
        "regression GMCP 300x20",
        Design::Regression,
        300,
        20,
        Penalty::MCP,
        [2.2, 4.5, 4.2],
    ),
    (
        "regression GSCAD 300x20",
        Design::Regression,
        300,
        20,
        Penalty::SCAD,
        [2.4, 5.0, 4.2],
    ),
    (
        "classification GMCP 300x20",
        Design::Classification,
        300,
        20,
        Penalty::MCP,
        [14.4, 3.9, 6.2],
    ),
    (
        "classification GSCAD 300x20",
        Design::Classification,
        300,
        20,
        Penalty::SCAD,
        [11.6, 5.8, 5.6],
    ),
    (
        "survival GMCP 300x20",
        Design::Survival,
        300,
        20,
        Penalty::MCP,
        [1.9, 0.4, 4.3],
    ),
    (
        "survival GSCAD 300x20",
        Design::Survival,
        300,
        20,
        Penalty::SCAD,
        [1.8, 0.2, 4.3],
    ),
    (
        "regression GMCP 500x1000",
        Design::Regression,
        500,
        1000,
        Penalty::MCP,
        [0.0, 5.8, 4.1],
    ),
    (
        "survival GMCP 500x1000",
        Design::Survival,
        500,
        1000,
        Penalty::MCP,
        [0.0, 2.6, 4.2],
    ),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let reps: u64 = arguments
        .next()
        .map_or(40, |a| a.parse().expect("REPS is a number"));
    let filter = arguments.next().unwrap_or_default();
    println!("| cell | reps | FPR % (SE), paper | FNR % (SE), paper | size, paper | test score |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, design, n, d, penalty, [fpr, fnr, size]) in CELLS {
        if !name.contains(&filter) {
            continue;
        }
        let runs: Vec<(Selection, f64)> = (0..reps)
            .into_par_iter()
            .map(|replicate| run(design, n, d, penalty, replicate))
            .collect();
        let (our_fpr, fpr_se) = mean_se(runs.iter().map(|r| 100.0 * r.0.fpr));
        let (our_fnr, fnr_se) = mean_se(runs.iter().map(|r| 100.0 * r.0.fnr));
        let (our_size, _) = mean_se(runs.iter().map(|r| r.0.size as f64));
        let (score, score_se) = mean_se(runs.iter().map(|r| r.1));
        println!(
            "| {name} | {reps} | {our_fpr:.1} ({fpr_se:.1}), {fpr:.1} | {our_fnr:.1} ({fnr_se:.1}), \
             {fnr:.1} | {our_size:.1}, {size:.1} | {score:.3} ({score_se:.3}) |"
        );
    }
}

fn run(design: Design, n: usize, d: usize, penalty: Penalty, replicate: u64) -> (Selection, f64) {
    let mut simulation = Simulation::new(design, n, d);
    simulation.seed = replicate;
    simulation.censoring = if design == Design::Survival { 0.2 } else { 0.0 };
    let train = simulation.draw().expect("the design is valid");
    simulation.stream = 1;
    let test = simulation.draw().expect("the design is valid");
    let mut settings = Settings::new(
        Protocol::Paper,
        penalty,
        Protocol::Paper.validation(),
        (n, d),
    );
    settings.standardize = false;
    settings.seed = replicate;
    let model = fit(&train, &settings, &Unobserved)
        .expect("the fit is valid")
        .model;
    let selection = Selection::new(&model.selected(), &design.support(), d).expect("valid columns");
    (selection, score(&model, &test))
}

/// R², accuracy or C-index on a test sample.
fn score(model: &Model, test: &Dataset) -> f64 {
    let columns: Vec<Vec<f64>> = model
        .selected()
        .iter()
        .map(|&j| test.columns()[j].clone())
        .collect();
    let score = match (model.predict(&columns, test.n()), test.outcome()) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => r2(y, &p),
        (
            Prediction::Probabilities(p),
            Outcome::Classes {
                labels,
                task: Task::Binary,
                ..
            },
        ) => {
            let predicted: Vec<usize> = p[1].iter().map(|&p| usize::from(p > 0.5)).collect();
            accuracy(labels, &predicted)
        }
        (Prediction::Risk(r), Outcome::Survival { time, event }) => {
            concordance_harrell(Survival { time, event }, &r)
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
