//! The paper's practice against the paper's own package: from the same start,
//! the same number of epochs at the same λ gives the same weights.

use crate::common;
use serde_json::Value;
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Outcome, Task};
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::penalty::Penalty;
use threshnet::solver::{Adam, Problem, Solver, Unobserved};

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

/// The outcome of a case; its kind decides the loss.
fn outcome(case: &Value) -> Outcome {
    match case["task"].as_str() {
        Some("regression") => Outcome::Continuous(numbers(&case["y"])),
        Some("classification") => Outcome::Classes {
            labels: numbers(&case["labels"])
                .iter()
                .map(|&c| c as usize)
                .collect(),
            classes: vec!["0".into(), "1".into()],
            task: Task::Binary,
        },
        _ => Outcome::Survival {
            time: numbers(&case["time"]),
            event: (case["event"].as_array().unwrap().iter())
                .map(|e| e.as_bool().unwrap())
                .collect(),
        },
    }
}

/// Layers of [weight by output unit, bias] as one vector, weight by input.
fn flat(layers: &Value) -> Vec<f64> {
    let mut weights = Vec::new();
    for layer in layers.as_array().unwrap() {
        let rows: Vec<Vec<f64>> = layer[0].as_array().unwrap().iter().map(numbers).collect();
        for j in 0..rows[0].len() {
            weights.extend(rows.iter().map(|row| row[j]));
        }
        weights.extend(numbers(&layer[1]));
    }
    weights
}

#[test]
fn the_weights_are_those_of_the_papers_package() {
    let file: Value = serde_json::from_str(include_str!("../reference/adam.json")).unwrap();
    let columns: Vec<Vec<f64>> = file["x"].as_array().unwrap().iter().map(numbers).collect();
    let setting = |name: &str| file[name].as_f64().unwrap();
    let rows: Vec<usize> = (0..columns[0].len()).collect();
    let (mut died, mut survived) = (0, 0);
    for case in file["cases"].as_array().unwrap() {
        let outcome = outcome(case);
        let data = common::dataset(columns.clone(), outcome.clone());
        let design = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, false));
        let loss = for_response(&outcome.clone().into(), Ties::Breslow);
        let penalty = match case["penalty"].as_str() {
            Some("lasso") => Penalty::Lasso,
            Some("mcp") => Penalty::MCP,
            _ => Penalty::SCAD,
        };
        let problem = Problem::new(&design, &*loss, penalty, setting("ridge"));
        let mut network = Mlp {
            shape: Shape {
                widths: vec![columns.len(), 4, 3, 1],
                activation: Activation::Relu,
                output_bias: outcome.task() != Task::Cox,
                shortcut: false,
                groups: Default::default(),
            },
            inputs: (0..columns.len()).collect(),
            weights: flat(&case["start"]),
            chain: None,
        };
        let epochs = setting("epochs") as usize;
        Solver::Adam(Adam::default()).solve(
            &problem,
            setting("lambda"),
            &mut network,
            epochs,
            &Unobserved,
        );
        let expected = flat(&case["end"]);
        assert_eq!(network.weights.len(), expected.len());
        for (i, (ours, theirs)) in network.weights.iter().zip(&expected).enumerate() {
            let name = format!("{} {} [{i}]", case["task"], case["penalty"]);
            assert!(
                (ours - theirs).abs() < 2e-6,
                "{name}: {ours} against {theirs}"
            );
            assert_eq!(*ours == 0.0, *theirs == 0.0, "{name}");
        }
        let dead = network.norms().iter().filter(|norm| **norm == 0.0).count();
        died += dead;
        survived += network.norms().len() - dead;
    }
    assert!(
        died > 0 && survived > 0,
        "a case where the threshold kills, and one where it spares"
    );
}
