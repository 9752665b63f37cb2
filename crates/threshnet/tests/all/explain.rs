//! Effects and interactions against their definitions, row by row.

use crate::common::{self, TASKS, dataset, normal_columns, outcome, quick_data, quick_model};
use threshnet::activation::Activation;
use threshnet::dataset::{Dataset, Task};
use threshnet::explain::{Direction, effects, interactions, joint_effect};
use threshnet::model::{Model, Prediction};

/// What the model says of one row with some columns at other values; of two classes the
/// probability of the second, of more all.
fn at(model: &Model, data: &Dataset, row: usize, put: &[(usize, f64)]) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = (model.selected().iter())
        .map(|j| {
            let other = put.iter().find(|(column, _)| column == j);
            vec![other.map_or(data.columns()[*j].at(row), |(_, value)| *value)]
        })
        .collect();
    match model.predict(&columns, 1) {
        Prediction::Numbers(p) | Prediction::Risk(p) => p,
        Prediction::Probabilities(p) if p.len() == 2 => vec![p[1][0]],
        Prediction::Probabilities(p) => p.iter().map(|class| class[0]).collect(),
    }
}

fn mean_at(model: &Model, data: &Dataset, put: &[(usize, f64)], class: usize) -> f64 {
    let said = (0..data.n()).map(|row| at(model, data, row, put)[class]);
    said.sum::<f64>() / data.n() as f64
}

#[test]
fn curves_are_those_of_the_definitions() {
    for task in TASKS {
        let (data, model) = (
            quick_data(task),
            quick_model(task, &[5, 3], Activation::Relu, 0.005),
        );
        let found = effects(&model, &data, &model.selected());
        assert_eq!(found.len(), model.selected().len());
        for effect in found {
            let (j, edges) = (effect.column, &effect.at);
            let values = data.columns()[j].to_vec();
            let (low, high) = (edges[0], edges[edges.len() - 1]);
            assert!(values.iter().all(|v| (low..=high).contains(v)));
            for class in 0..effect.partial.len() {
                for (k, &value) in edges.iter().enumerate() {
                    let expected = mean_at(&model, &data, &[(j, value)], class);
                    assert!((effect.partial[class][k] - expected).abs() < 1e-9);
                }
                // ALE
                let mut curve = vec![0.0];
                let mut centre = 0.0;
                for k in 1..edges.len() {
                    let inside = |v: f64| v <= edges[k] && (v > edges[k - 1] || k == 1);
                    let rows: Vec<usize> = (0..data.n()).filter(|&i| inside(values[i])).collect();
                    let moves = rows.iter().map(|&i| {
                        let said = |edge: f64| at(&model, &data, i, &[(j, edge)])[class];
                        said(edges[k]) - said(edges[k - 1])
                    });
                    let step = moves.sum::<f64>() / rows.len().max(1) as f64;
                    curve.push(curve[k - 1] + step);
                    centre += rows.len() as f64 * (curve[k - 1] + curve[k]) / 2.0;
                }
                for (k, value) in curve.iter().enumerate() {
                    let expected = value - centre / data.n() as f64;
                    assert!((effect.local[class][k] - expected).abs() < 1e-9, "{task:?}");
                }
            }
        }
    }
}

/// y = 2 x₀ − x₁ as a linear model has it: straight, with these directions, and nothing
/// that two columns do together.
#[test]
fn a_linear_model_is_straight() {
    let columns = normal_columns(60, 3, 4);
    let signal: Vec<f64> = (0..60)
        .map(|i| 2.0 * columns[0][i] - columns[1][i])
        .collect();
    let data = dataset(columns, outcome(Task::Regression, &signal, 4));
    let settings = common::linear(
        threshnet::penalty::Penalty::MCP,
        0.2,
        1e-4,
        threshnet::solver::StepRule::LineSearch,
    );
    let fit = threshnet::tune::fit(&data, &settings, &threshnet::solver::Unobserved).unwrap();
    let found = effects(&fit.model, &data, &[0, 1]);
    assert_eq!(
        [found[0].direction, found[1].direction],
        [Direction::Up, Direction::Down]
    );
    for (effect, slope) in found.iter().zip([2.0, -1.0]) {
        for curve in [&effect.partial[0], &effect.local[0]] {
            for k in 1..effect.at.len() {
                let found = (curve[k] - curve[k - 1]) / (effect.at[k] - effect.at[k - 1]);
                assert!((found - slope).abs() < 0.15, "{found}");
            }
        }
    }
    let pairs = interactions(&fit.model, &data, &[0, 1]);
    assert!(pairs[0].h2 < 1e-9 && pairs[0].strength < 1e-6, "{pairs:?}");
}

#[test]
fn friedmans_h_is_that_of_the_definition() {
    for task in [Task::Regression, Task::Cox] {
        let (data, model) = (
            quick_data(task),
            quick_model(task, &[5, 3], Activation::Relu, 0.005),
        );
        let selected = model.selected();
        let (a, b) = (selected[0], selected[selected.len() - 1]);
        let found = interactions(&model, &data, &[a, b]);
        assert_eq!((found.len(), found[0].pair), (1, (a, b)));
        let value = |row: usize, j: usize| (j, data.columns()[j].at(row));
        let centred = |of: &dyn Fn(usize) -> Vec<(usize, f64)>| -> Vec<f64> {
            let raw: Vec<f64> = (0..data.n())
                .map(|i| mean_at(&model, &data, &of(i), 0))
                .collect();
            let mean = raw.iter().sum::<f64>() / raw.len() as f64;
            raw.iter().map(|value| value - mean).collect()
        };
        let both = centred(&|i| vec![value(i, a), value(i, b)]);
        let (first, second) = (
            centred(&|i| vec![value(i, a)]),
            centred(&|i| vec![value(i, b)]),
        );
        let left: f64 = (0..data.n())
            .map(|i| (both[i] - first[i] - second[i]).powi(2))
            .sum();
        let all: f64 = both.iter().map(|value| value * value).sum();
        assert!((found[0].h2 - left / all).abs() < 1e-9, "{found:?}");
        assert!(found[0].h2 > 1e-4, "a test of nothing: {found:?}");

        let joint = joint_effect(&model, &data, (a, b), (&[0.1, 0.7], &[-0.3])).unwrap();
        let expected = mean_at(&model, &data, &[(a, 0.7), (b, -0.3)], 0);
        assert!((joint[0][1] - expected).abs() < 1e-9);
    }
}

#[test]
fn what_is_not_selected_has_no_effect() {
    let (data, model) = (
        quick_data(Task::Regression),
        quick_model(Task::Regression, &[4], Activation::Tanh, 9.0),
    );
    assert!(model.selected().is_empty());
    assert!(effects(&model, &data, &[0, 1]).is_empty());
    assert!(interactions(&model, &data, &[0, 1]).is_empty());
    assert_eq!(joint_effect(&model, &data, (0, 1), (&[0.0], &[0.0])), None);
}
