//! A model file holds the model to the last bit, and a model predicts what the
//! numbers in its file say.

use crate::common::{TASKS, bits, quick_data as data, quick_model as model, quick_settings};
use serde_json::Value;
use threshnet::activation::Activation;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::model::{Model, Prediction};
use threshnet::settings::{Settings, Validation};
use threshnet::solver::Unobserved;
use threshnet::split;
use threshnet::statistics::moments;
use threshnet::tune::fit;

fn models(task: Task) -> Vec<Model> {
    vec![
        model(task, &[5, 3], Activation::Relu, 0.005),
        model(task, &[4], Activation::Tanh, 0.02),
        model(task, &[4], Activation::Softplus, 0.005),
        model(task, &[], Activation::Relu, 0.005),
        with_shortcut(task, &[5, 3], 0.005),
        with_shortcut(task, &[4], 0.005),
        model(task, &[5, 3], Activation::Relu, 9.0),
        model(task, &[], Activation::Relu, 9.0),
        with_shortcut(task, &[4], 9.0),
    ]
}

fn with_shortcut(task: Task, hidden: &[usize], lambda: f64) -> Model {
    let settings = Settings {
        shortcut: true,
        ..quick_settings(hidden, Activation::Relu, lambda)
    };
    fit(&data(task), &settings, &Unobserved).unwrap().model
}

/// The raw columns a model asks for.
fn columns(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    model
        .selected()
        .iter()
        .map(|&j| data.columns()[j].to_vec())
        .collect()
}

/// Predictions, by output and row.
fn predict(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    match model.predict(&columns(model, data), data.n()) {
        Prediction::Numbers(p) | Prediction::Risk(p) => vec![p],
        Prediction::Probabilities(p) => p,
    }
}

#[test]
fn every_step_of_the_path_can_be_the_model() {
    for task in TASKS {
        let (data, mut settings) = (data(task), quick_settings(&[4], Activation::Relu, 0.005));
        settings.lambdas = vec![0.005, 0.02, 9.0];
        settings.validation = Validation::folds(3);
        settings.refit = true;
        let refitted = fit(&data, &settings, &Unobserved).unwrap();
        let chosen = (refitted.path.iter()).position(|step| step.lambda == refitted.lambda);
        // (what was held out speaks for the chosen one alone)
        let alone = Model {
            conformal: None,
            recalibration: None,
            ..refitted.model.clone()
        };
        assert_eq!(refitted.at(chosen.unwrap()), alone, "{task:?}");
        settings.refit = false;
        settings.validation = Validation::Draws {
            count: 3,
            share: 0.3,
        };
        let drawn = fit(&data, &settings, &Unobserved).unwrap();
        for fit in [refitted, drawn] {
            let dense = fit.at(0);
            assert_eq!(dense.selected(), fit.path[0].network.inputs);
            assert!(fit.at(2).selected().is_empty());
            assert_eq!(Model::from_json(&dense.to_json()).unwrap(), dense);
            // another step, another prediction
            assert_ne!(predict(&dense, &data), predict(&fit.at(2), &data));
        }
    }
}

#[test]
fn a_step_of_a_draw_predicts_what_the_draw_did() {
    let data = data(Task::Regression);
    let mut settings = quick_settings(&[4], Activation::Relu, 0.005);
    settings.lambdas = vec![0.005, 0.02];
    settings.standardize = true;
    settings.validation = Validation::Draws {
        count: 3,
        share: 0.3,
    };
    let drawn = fit(&data, &settings, &Unobserved).unwrap();
    let Outcome::Continuous(y) = data.outcome() else {
        unreachable!("a regression has numbers")
    };
    let rows = &split::draws(data.response(), 3, 0.3, settings.seed).unwrap()[0].train;
    let scale = moments(rows.iter().map(|&row| y[row])).deviation;
    for (step, traced) in drawn.path.iter().enumerate() {
        let predicted = predict(&drawn.at(step), &data).remove(0);
        let squares = rows.iter().map(|&row| (predicted[row] - y[row]).powi(2));
        let mean = squares.sum::<f64>() / rows.len() as f64;
        let loss = traced.solved.loss * scale * scale;
        // (the loss of a solve is that of single-precision inputs)
        assert!((mean - loss).abs() < 1e-4 * loss, "{mean} {loss}");
    }
}

#[test]
fn a_round_trip_keeps_every_bit() {
    for task in TASKS {
        for mut model in models(task) {
            // numbers that a careless writer would lose
            if let Some(weight) = model.networks[0].weights.last_mut() {
                *weight = f64::from_bits(1);
            }
            model.scaling.center[0] = -0.0;
            model.scaling.scale[0] = 0.1 + 0.2;
            model.outcome = vec!["a \"b\" ü\n".into()];
            let text = model.to_json();
            let read = Model::from_json(&text).unwrap();
            assert_eq!(read, model, "{task:?}");
            assert_eq!(
                bits(&read.networks[0]),
                bits(&model.networks[0]),
                "{task:?}"
            );
            assert!(read.scaling.center[0].is_sign_negative());
            assert_eq!(read.to_json(), text, "{task:?}");
            assert_eq!(
                predict(&read, &data(task)),
                predict(&model, &data(task)),
                "{task:?}"
            );
        }
        let sizes: Vec<usize> = models(task).iter().map(|m| m.selected().len()).collect();
        assert!(
            sizes[..6].iter().all(|size| *size > 0),
            "{task:?}: {sizes:?}"
        );
        assert_eq!(sizes[6..], [0, 0, 0], "{task:?}: null models");
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

/// Row `i` through the first network of a model file, by its own numbers.
fn output(file: &Value, data: &Dataset, i: usize) -> Vec<f64> {
    let network = &file["networks"][0];
    let center = numbers(&file["standardisation"]["center"]);
    let scale = numbers(&file["standardisation"]["scale"]);
    let inputs = network["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| j.as_u64().unwrap() as usize);
    let mut values: Vec<f64> = inputs
        .map(|j| (data.columns()[j].at(i) - center[j]) / scale[j])
        .collect();
    let inputs = values.clone();
    let layers = network["layers"].as_array().unwrap();
    for (l, layer) in layers.iter().enumerate() {
        let rows = layer["weight"].as_array().unwrap().iter().map(numbers);
        let sums = rows.zip(numbers(&layer["bias"])).map(|(row, bias)| {
            assert_eq!(row.len(), values.len());
            bias + row.iter().zip(&values).map(|(w, v)| w * v).sum::<f64>()
        });
        values = sums
            .map(|z| match file["activation"].as_str().unwrap() {
                _ if l + 1 == layers.len() => z,
                "relu" => f64::max(z, 0.0),
                "tanh" => z.tanh(),
                "softplus" => (1.0 + z.exp()).ln(),
                other => panic!("{other}"),
            })
            .collect();
    }
    let straight = network["shortcut"].as_array().into_iter().flatten();
    for (value, row) in values.iter_mut().zip(straight.map(numbers)) {
        *value += row.iter().zip(&inputs).map(|(w, x)| w * x).sum::<f64>();
    }
    values
}

#[test]
fn predictions_are_those_of_the_file() {
    for task in TASKS {
        let data = data(task);
        for model in models(task) {
            let file: Value = serde_json::from_str(&model.to_json()).unwrap();
            let found = predict(&model, &data);
            for i in 0..data.n() {
                let eta = output(&file, &data, i);
                let expected: Vec<f64> = match task {
                    Task::Regression => {
                        let target = |key: &str| file["target"][key].as_f64().unwrap();
                        vec![target("center") + target("scale") * eta[0]]
                    }
                    Task::Binary => {
                        let p = 1.0 / (1.0 + (-eta[0]).exp());
                        vec![1.0 - p, p]
                    }
                    Task::Multiclass => {
                        let sum: f64 = eta.iter().map(|e| e.exp()).sum();
                        eta.iter().map(|e| e.exp() / sum).collect()
                    }
                    Task::Cox => eta,
                };
                assert_eq!(found.len(), expected.len(), "{task:?}");
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found[i] - expected).abs() < 1e-12, "{task:?}: {expected}");
                }
            }
        }
    }
}

#[test]
fn several_networks_are_averaged() {
    for task in TASKS {
        let data = data(task);
        let one = model(task, &[5, 3], Activation::Relu, 0.005);
        let mut other = Model {
            networks: vec![one.networks[0].clone()],
            ..one.clone()
        };
        let network = &mut other.networks[0];
        let h = network.shape.group();
        network.weights.iter_mut().for_each(|w| *w *= 1.5);
        network.weights[..h].fill(0.0); // the first column leaves
        *network = network.pruned();
        let lost = one.selected()[0];
        let both = Model {
            networks: vec![one.networks[0].clone(), other.networks[0].clone()],
            ..one.clone()
        };
        let both = Model::from_json(&both.to_json()).unwrap();
        assert_eq!(both.selected(), one.selected());
        assert_eq!(both.norm(lost), one.norm(lost) / 2.0, "{task:?}");
        let pairs = [&one, &other].map(|m| predict(m, &data));
        for (k, outputs) in predict(&both, &data).iter().enumerate() {
            for (i, p) in outputs.iter().enumerate() {
                let mean = (pairs[0][k][i] + pairs[1][k][i]) / 2.0;
                assert!((p - mean).abs() < 1e-12, "{task:?}: {p} {mean}");
            }
        }
    }
}

#[test]
fn survival_is_breslows() {
    let data = data(Task::Cox);
    let Outcome::Survival { time, event } = data.outcome() else {
        panic!()
    };
    for model in models(Task::Cox) {
        let risk = &predict(&model, &data)[0];
        let hazard_up_to = |t: f64| -> f64 {
            let events = (0..data.n()).filter(|&i| event[i] && time[i] <= t);
            events
                .map(|i| {
                    let at_risk = (0..data.n()).filter(|&j| time[j] >= time[i]);
                    1.0 / at_risk.map(|j| risk[j].exp()).sum::<f64>()
                })
                .sum()
        };
        let last = time.iter().copied().fold(0.0, f64::max);
        let asked = time
            .iter()
            .flat_map(|t| [*t, t - 1e-9, t + 0.5])
            .chain([0.0, 10.0 * last]);
        for t in asked {
            for eta in [risk[0], risk[1], -3.0, 0.0, 4.0] {
                let expected = (-hazard_up_to(t) * eta.exp()).exp();
                // the design holds standardised columns in single precision
                let found = model.survival(eta, t);
                assert!(
                    (found - expected).abs() < 1e-6,
                    "S({t}) of {eta}: {found} {expected}"
                );
            }
        }
        let first = time.iter().zip(event).filter(|(_, e)| **e).map(|(t, _)| *t);
        let first = first.fold(f64::INFINITY, f64::min);
        assert_eq!(model.survival(2.0, first - 1e-9), 1.0);
        assert!(model.survival(2.0, first) < 1.0);
        // far tails are 0 and 1, not NaN
        assert_eq!(model.survival(1e4, last), 0.0);
        assert_eq!(model.survival(-1e4, last), 1.0);
    }
}
