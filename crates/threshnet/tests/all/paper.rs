//! The paper's procedure on its own designs: a few replicates of two cells of
//! Table 1, with room for chance. `threshnet study table1` runs as many as the
//! paper and prints both.

use rayon::prelude::*;
use threshnet::dataset::Task;
use threshnet::metrics::Selection;
use threshnet::penalty::Penalty;
use threshnet::settings::{Protocol, Settings, Size};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::Unobserved;
use threshnet::tune::fit;

/// Mean (FPR, FNR) over eight replicates at 300×20.
fn rates(design: Scenario, censoring: f64, penalty: Penalty) -> (f64, f64) {
    let validation = Protocol::Paper.validation();
    let mut settings = Settings::new(
        Protocol::Paper,
        penalty,
        validation,
        Size::new(300, 20, Task::Regression),
    );
    settings.standardize = false;
    let selections: Vec<Selection> = (0..8)
        .into_par_iter()
        .map(|seed| {
            let mut simulation = Simulation::new(design, 300, 20);
            (simulation.seed, simulation.censoring) = (seed, censoring);
            let data = simulation.draw().unwrap();
            let settings = Settings {
                seed,
                ..settings.clone()
            };
            let model = fit(&data, &settings, &Unobserved).unwrap().model;
            Selection::new(&model.selected(), &design.support(), 20).unwrap()
        })
        .collect();
    let mean = |rate: fn(&Selection) -> f64| {
        selections.iter().map(rate).sum::<f64>() / selections.len() as f64
    };
    (mean(|s| s.fpr), mean(|s| s.fnr))
}

#[test]
fn survival_columns_are_found() {
    // paper: 1.9 % and 0.4 %
    let (fpr, fnr) = rates(Scenario::Survival, 0.2, Penalty::MCP);
    assert!(fpr < 0.08 && fnr < 0.08, "FPR {fpr}, FNR {fnr}");
}

#[test]
fn regression_columns_are_found() {
    // paper: 2.4 % and 5.0 %
    let (fpr, fnr) = rates(Scenario::Regression, 0.0, Penalty::SCAD);
    assert!(fpr < 0.10 && fnr < 0.20, "FPR {fpr}, FNR {fnr}");
}
