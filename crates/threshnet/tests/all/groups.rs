//! Columns that enter and leave together: the levels of a text.

use crate::common::{
    TASKS, linear, normal_columns, outcome, path_settings, proximal, random, single,
};

use std::collections::BTreeMap;
use threshnet::activation::Activation;
use threshnet::dataset::{Column, Dataset, Features, Outcome, Task};
use threshnet::model::Model;
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::solver::{StepRule, Unobserved};
use threshnet::stability::on_half;
use threshnet::tune::fit;

/// Features of which those with levels are texts, given by their positions.
fn mixed(columns: Vec<(Vec<f64>, Option<usize>)>, outcome: Outcome) -> Dataset<'static> {
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    let mut levels = BTreeMap::new();
    let mut encoded: Vec<Vec<f64>> = vec![];
    for (j, (values, count)) in columns.into_iter().enumerate() {
        match count {
            None => encoded.push(values),
            Some(count) => {
                levels.insert(
                    j,
                    (0..count).map(|level| format!("level {level}")).collect(),
                );
                let of_rows: Vec<usize> = values.iter().map(|&v| v as usize).collect();
                encoded.extend(Features::one_hot(count, &of_rows));
            }
        }
    }
    let columns = encoded.into_iter().map(Column::from).collect();
    Dataset::encoded(Features::new(names, levels), columns, outcome).expect("test data are valid")
}

/// Ten numbers and five texts of four levels. What matters is text 12, whose levels differ
/// in no order, and number 3.
fn planted(task: Task, n: usize, seed: u64) -> Dataset<'static> {
    let numbers = normal_columns(n, 10, seed);
    let mut random = random(seed + 7);
    let texts: Vec<Vec<f64>> = (0..5)
        .map(|_| (0..n).map(|_| (4.0 * random.uniform()).floor()).collect())
        .collect();
    let signal: Vec<f64> = (0..n)
        .map(|i| [1.5, -1.5, 1.0, -1.0][texts[2][i] as usize] + numbers[3][i])
        .collect();
    let columns = numbers.into_iter().map(|column| (column, None));
    let texts = texts.into_iter().map(|column| (column, Some(4)));
    mixed(columns.chain(texts).collect(), outcome(task, &signal, seed))
}

/// With XᵀX = n·I the objective falls apart into ‖β_g − z_g‖² + λ√p·‖β_g‖, z = Xᵀy/n, whose
/// minimum is β_g = (1 − λ√p/(2‖z_g‖))₊·z_g.
#[test]
fn orthogonal_groups_are_thresholded_as_the_formula_says() {
    // columns of the Hadamard matrix of order 8, without the constant
    let sign = |i: usize, j: usize| {
        if (i & j).count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    };
    let columns: Vec<Vec<f64>> = (1..7)
        .map(|j| (0..8).map(|i| sign(i, j)).collect())
        .collect();
    let z = [0.9, -0.2, 0.7, 0.25, 0.3, -0.5];
    let y: Vec<f64> = (0..8)
        .map(|i| (0..6).map(|j| z[j] * columns[j][i]).sum())
        .collect();
    let names = ["a", "text", "b"].map(String::from).to_vec();
    let levels = ["p", "q", "r", "s"].map(String::from).to_vec();
    // columns of numbers stand in for levels: the engine does not ask
    let features = Features::new(names, BTreeMap::from([(1, levels)]));
    let columns = columns.into_iter().map(Column::from).collect();
    let data = Dataset::encoded(features, columns, Outcome::Continuous(y)).unwrap();
    let groups = [0..1, 1..5, 5..6];
    for lambda in [0.1, 0.6, 0.95, 1.3] {
        let settings = linear(Penalty::Lasso, lambda, 0.0, StepRule::LineSearch);
        let model = fit(&data, &settings, &Unobserved).unwrap().model;
        let network = model.networks[0].widened(&[0, 1, 2, 3, 4, 5]);
        for group in groups.clone() {
            let norm = z[group.clone()].iter().map(|z| z * z).sum::<f64>().sqrt();
            let threshold = lambda * (group.len() as f64).sqrt() / 2.0;
            let factor = (1.0 - threshold / norm).max(0.0);
            for j in group {
                let (found, exact) = (network.weights[j], factor * z[j]);
                assert!(
                    (found - exact).abs() < 1e-6,
                    "λ = {lambda}, {j}: {found} {exact}"
                );
            }
        }
    }
}

#[test]
fn levels_enter_and_leave_together_along_every_path() {
    for task in TASKS {
        let data = planted(task, 150, 3);
        for direction in [Direction::Backward, Direction::Forward, Direction::Cold] {
            let mut settings = path_settings(&[0.002, 0.01, 0.05, 0.1, 0.4], direction);
            settings.standardize = true;
            let fitted = fit(&data, &settings, &Unobserved).unwrap();
            let features = data.features();
            let mut sizes = vec![];
            for step in &fitted.path {
                let inputs = &step.network.inputs;
                for feature in features.of_columns(inputs) {
                    let columns = features.columns_of(feature);
                    assert!(
                        columns.clone().all(|j| inputs.contains(&j)),
                        "{task:?} {columns:?}"
                    );
                }
                assert_eq!(step.network.size(), features.of_columns(inputs).len());
                sizes.push(step.network.size() as f64);
            }
            let reported: Vec<f64> = fitted.cells.iter().map(|cell| cell.size).collect();
            assert_eq!(reported, sizes);
            assert!(sizes[0] > sizes[4], "{task:?} {direction:?} {sizes:?}");
        }
    }
}

#[test]
fn the_line_search_ends_at_a_stationary_point_of_groups() {
    let data = planted(Task::Regression, 150, 5);
    let mut settings = path_settings(&[0.002, 0.02, 0.05], Direction::Backward);
    (settings.standardize, settings.activation) = (true, Activation::Tanh);
    settings.hidden = vec![4];
    settings.solver = proximal(StepRule::LineSearch);
    (settings.first_epochs, settings.epochs) = (20_000, 20_000);
    let fitted = fit(&data, &settings, &Unobserved).unwrap();
    for step in &fitted.path {
        let certificate = step.solved.certificate;
        assert!(
            certificate.largest() < 1e-5,
            "{} {certificate:?}",
            step.lambda
        );
    }
    assert!(fitted.model.selected().contains(&12));
}

#[test]
fn the_default_finds_a_text_and_its_file_is_read_again() {
    for task in [Task::Regression, Task::Multiclass] {
        let data = planted(task, 300, 11);
        let validation = Protocol::Default.validation();
        let mut settings =
            Settings::new(Protocol::Default, Penalty::MCP, validation, Size::of(&data));
        settings.linear = Linear::Leave;
        settings.validation = Validation::Draws {
            count: 8,
            share: 0.2,
        };
        let fitted = fit(&data, &settings, &Unobserved).unwrap();
        let model = &fitted.model;
        assert_eq!(model.selected(), [3, 12], "{task:?}");
        let frequencies = fitted.frequencies.as_ref().unwrap();
        assert_eq!(frequencies.len(), 15);
        assert!(frequencies[12] > 0.9, "{frequencies:?}");
        let text = model.to_json();
        let read = Model::from_json(&text).unwrap();
        assert_eq!(&read, model);
        assert_eq!(read.features.levels(12).unwrap()[2], "level 2");
        assert!(model.norm(12) > 0.0 && model.norm(11) == 0.0);
    }
}

#[test]
fn a_half_without_a_level_still_counts_features() {
    // a level of two rows is missing from most halves
    let n = 120;
    let mut random = random(2);
    let rare: Vec<f64> = (0..n)
        .map(|i| {
            if i < 2 {
                2.0
            } else {
                f64::from(u8::from(random.uniform() < 0.5))
            }
        })
        .collect();
    let noise = normal_columns(n, 6, 1);
    let signal: Vec<f64> = rare.iter().map(|r| 2.0 * r - 1.0).collect();
    let columns = std::iter::once((rare, Some(3)))
        .chain(noise.into_iter().map(|column| (column, None)))
        .collect();
    let data = mixed(columns, outcome(Task::Regression, &signal, 2));
    let mut settings = path_settings(&[0.002, 0.01, 0.05, 0.1, 0.4], Direction::Backward);
    settings.standardize = true;
    for number in 0..4 {
        let ranked = on_half(&data, &settings, number, &Unobserved).unwrap();
        assert_eq!(ranked[0], 0);
        assert!(ranked.iter().all(|&feature| feature < 7), "{ranked:?}");
    }
}

#[test]
fn damaged_texts_are_refused() {
    let data = planted(Task::Regression, 60, 1);
    let model = fit(&data, &single(Penalty::MCP, 0.05, 0.01), &Unobserved)
        .unwrap()
        .model;
    let text = model.to_json();
    for (from, to) in [
        ("\"level 1\"", "\"level 0\""),
        ("\"feature\": 12", "\"feature\": 99"),
        ("\"feature\": 12", "\"feature\": 11"),
    ] {
        assert!(text.contains(from));
        let error = Model::from_json(&text.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("damaged"), "{error}");
    }
}
