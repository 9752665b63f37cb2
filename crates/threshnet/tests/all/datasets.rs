//! What a data set refuses, before any fit can meet it, and where its columns may be.

use crate::common::{normal_columns, planted, quick_settings};
use threshnet::activation::Activation;
use threshnet::dataset::{Column, Dataset, Outcome, Task};
use threshnet::error::Error;
use threshnet::settings::Validation;
use threshnet::solver::Unobserved;
use threshnet::tune::fit;

fn names(d: usize) -> Vec<String> {
    (0..d).map(|j| format!("x{j}")).collect()
}

fn classes(labels: &[usize], count: usize, task: Task) -> Outcome {
    Outcome::Classes {
        labels: labels.to_vec(),
        classes: (0..count).map(|c| c.to_string()).collect(),
        task,
    }
}

fn survival(time: &[f64], event: &[bool]) -> Outcome {
    Outcome::Survival {
        time: time.to_vec(),
        event: event.to_vec(),
    }
}

/// The message with which four rows of two columns are refused.
fn refusal(outcome: Outcome) -> Option<String> {
    match Dataset::new(names(2), normal_columns(4, 2, 1), outcome) {
        Ok(_) => None,
        Err(Error::Data(message)) => Some(message),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn outcomes_that_no_model_fits() {
    let nan = f64::NAN;
    let four = [true, false, true, true];
    for (outcome, word) in [
        (Outcome::Continuous(vec![1.0, nan, 2.0, 3.0]), "missing"),
        (
            Outcome::Continuous(vec![1.0, f64::INFINITY, 2.0, 3.0]),
            "infinite",
        ),
        (Outcome::Continuous(vec![2.0; 4]), "constant"),
        (classes(&[1, 1, 1, 1], 2, Task::Binary), "one class"),
        (classes(&[0, 1, 2, 1], 2, Task::Binary), "without a name"),
        (classes(&[0, 1, 2, 1], 3, Task::Binary), "two classes"),
        (
            classes(&[0, 1, 2, 5], 3, Task::Multiclass),
            "without a name",
        ),
        (classes(&[0, 1, 1, 0], 2, Task::Regression), "task"),
        (survival(&[1.0, 2.0, 3.0, 4.0], &four[..3]), "as many"),
        (survival(&[1.0, 2.0, nan, 3.0], &four), "finite"),
        (survival(&[1.0, 2.0, -0.5, 3.0], &four), "negative"),
        (survival(&[1.0, 2.0, 3.0, 4.0], &[false; 4]), "no event"),
    ] {
        let message = refusal(outcome.clone());
        assert!(
            message.as_ref().is_some_and(|m| m.contains(word)),
            "{outcome:?}: {message:?}"
        );
    }
    for good in [
        Outcome::Continuous(vec![1.0, 2.0, 2.0, 2.0]),
        classes(&[0, 1, 1, 0], 2, Task::Binary),
        classes(&[0, 1, 1, 0], 3, Task::Multiclass),
        survival(&[0.0, 0.0, 0.0, 0.0], &four),
    ] {
        assert_eq!(refusal(good), None);
    }
}

#[test]
fn columns_that_no_model_uses() {
    let y = Outcome::Continuous(vec![1.0, 2.0, 3.0, 4.0]);
    let good = normal_columns(4, 3, 1);
    let refused = |names: Vec<String>, columns: Vec<Vec<f64>>, y: &Outcome, words: &[&str]| {
        let message = Dataset::new(names, columns, y.clone())
            .unwrap_err()
            .to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    refused(names(2), good.clone(), &y, &["2 names", "3 columns"]);
    refused(vec![], vec![], &y, &["no feature columns"]);
    let mut short = good.clone();
    short[1].pop();
    refused(names(3), short, &y, &["\"x1\"", "3 rows"]);
    // the first bad value of a column, counted from 1
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut columns = good.clone();
        (columns[2][2], columns[2][3]) = (bad, bad);
        refused(names(3), columns, &y, &["\"x2\"", "row 3"]);
    }
    refused(
        names(2),
        vec![vec![5.0; 4], vec![0.0; 4]],
        &y,
        &["constant"],
    );
    let one = Outcome::Continuous(vec![1.0]);
    refused(names(1), vec![vec![1.0]], &one, &["1 row", "at least 2"]);
    let columns = vec![vec![5.0; 4], good[0].clone()];
    let data = Dataset::new(names(2), columns, y.clone()).unwrap();
    assert_eq!(data.constant_columns(), [0]);
}

#[test]
fn a_fit_does_not_ask_where_the_columns_are() {
    let data = planted(Task::Regression, (80, 5), (1, 3), 4);
    // single precision, so that all three hold the same numbers
    let single: Vec<Vec<f32>> = (data.columns().iter())
        .map(|column| column.iter().map(|x| x as f32).collect())
        .collect();
    let double: Vec<Vec<f64>> = (single.iter())
        .map(|column| column.iter().map(|&x| f64::from(x)).collect())
        .collect();
    let of = |columns: Vec<Column>| {
        let data = Dataset::of(data.names().to_vec(), columns, data.outcome().clone()).unwrap();
        let settings = quick_settings(&[4], Activation::Relu, 0.01);
        fit(&data, &settings, &Unobserved).unwrap().model
    };
    let own = of(double.iter().cloned().map(Column::from).collect());
    assert_eq!(own, of(double.iter().map(|c| c[..].into()).collect()));
    assert_eq!(own, of(single.iter().map(|c| c[..].into()).collect()));
    assert!(!own.selected().is_empty());
}

#[test]
fn few_rows_that_learn_from_one_value_alone_learn_a_constant() {
    // one row differs, so some split holds it out
    let y = (0..9).map(|i| f64::from(u8::from(i == 4))).collect();
    let data = Dataset::new(names(2), normal_columns(9, 2, 1), Outcome::Continuous(y)).unwrap();
    let mut settings = quick_settings(&[3], Activation::Relu, 0.01);
    settings.standardize = true;
    settings.validation = Validation::folds(9);
    let model = fit(&data, &settings, &Unobserved).unwrap().model;
    assert!(model.target.1.is_finite() && model.target.1 > 0.0);
}
