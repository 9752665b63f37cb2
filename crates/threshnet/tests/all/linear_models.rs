//! Linear models as users ask for them: `hidden` none and little else.

use crate::common::{TASKS, dataset, normal_columns, outcome, random, same};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::linear::Descent;
use threshnet::model::{Model, Prediction};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::report::{FitReport, Fitted, Note};
use threshnet::settings::{
    PenaltyName, Protocol, Request, Rule, Settings, Size, SolverName, ValidationName,
};
use threshnet::solver::{Solver, Status, Unobserved};
use threshnet::tune::{Fit, fit, trace};

fn linear(penalty: PenaltyName, validation: Option<ValidationName>) -> Request {
    Request {
        penalty,
        validation,
        hidden: Some(vec![]),
        ..Request::default()
    }
}

fn fitted(request: &Request, data: &Dataset) -> (Settings, Fit) {
    let settings = request.settings_for(data).unwrap();
    let fit = fit(data, &settings, &Unobserved).unwrap();
    (settings, fit)
}

fn report(request: &Request, data: &Dataset) -> FitReport {
    let (settings, fit) = fitted(request, data);
    FitReport::new(&Fitted {
        data,
        request,
        settings: &settings,
        fit: &fit,
        controlled: None,
        nested: None,
        importance: None,
        seconds: 0.0,
        explain: false,
    })
    .unwrap()
}

/// Twenty columns, three of which matter.
fn few_matter(task: Task) -> Dataset<'static> {
    let columns = normal_columns(120, 20, 6);
    let signal: Vec<f64> = (0..120)
        .map(|i| columns[2][i] - columns[7][i] + 0.6 * columns[11][i])
        .collect();
    dataset(columns, outcome(task, &signal, 6))
}

/// As scikit-learn's `make_regression(200, 300, n_informative=10, noise=50)` has it: coefficients
/// are even between 0 and 100.
fn made_regression(seed: u64) -> (Dataset<'static>, Vec<Vec<f64>>, Vec<f64>) {
    let mut random = random(seed);
    let columns = normal_columns(200, 300, seed);
    let effects: Vec<f64> = (0..10).map(|_| 100.0 * random.uniform()).collect();
    let y: Vec<f64> = (0..200)
        .map(|i| {
            let sum: f64 = effects.iter().zip(&columns).map(|(e, x)| e * x[i]).sum();
            sum + 50.0 * random.normal()
        })
        .collect();
    let half = |values: &[f64], second: bool| match second {
        false => values[..100].to_vec(),
        true => values[100..].to_vec(),
    };
    let train = columns.iter().map(|x| half(x, false)).collect();
    let test = columns.iter().map(|x| half(x, true)).collect();
    let data = dataset(train, Outcome::Continuous(half(&y, false)));
    (data, test, half(&y, true))
}

fn r2(model: &Model, columns: &[Vec<f64>], y: &[f64]) -> f64 {
    let Prediction::Numbers(said) = model.predict(columns, y.len()) else {
        unreachable!()
    };
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let left: f64 = y.iter().zip(&said).map(|(y, p)| (y - p).powi(2)).sum();
    1.0 - left / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

/// The paper's λs, from 5e-4 to 2e-3, and an Adam that ends at its epoch limit had 0.3 where
/// `LassoCV` has 0.86.
#[test]
fn a_lasso_with_folds_predicts_what_a_lasso_can() {
    for seed in [2, 5, 8] {
        let (data, test, y) = made_regression(seed);
        let request = linear(PenaltyName::Lasso, Some(ValidationName::Folds(5)));
        let (settings, fit) = fitted(&request, &data);
        assert!(
            fit.cells
                .iter()
                .all(|cell| cell.status == Status::Converged)
        );
        assert!(fit.solved.certificate.largest() < 1e-6);
        assert_eq!(
            (settings.lambdas.len(), &settings.ridges[..]),
            (100, &[0.0][..])
        );
        let ratio = settings.lambdas[0] / settings.lambdas[99];
        assert!((ratio - 0.01).abs() < 1e-12, "100 columns more than rows");
        assert_eq!(fit.path[99].network.size(), 0);
        let found = r2(&fit.model, &test, &y);
        let best = (0..100)
            .map(|k| r2(&fit.at(k), &test, &y))
            .fold(0.0, f64::max);
        assert!(
            found > 0.85 && found > best - 0.04,
            "{seed}: {found} of {best}"
        );
        let sparser = Request {
            rule: Rule::OneStandardError,
            ..request
        };
        let (_, by_1se) = fitted(&sparser, &data);
        assert!(by_1se.lambda > fit.lambda);
        assert!(by_1se.model.selected().len() < fit.model.selected().len());
    }
}

#[test]
fn every_validation_and_task_finds_what_matters_and_converges() {
    for task in TASKS {
        let data = few_matter(task);
        for penalty in [PenaltyName::Lasso, PenaltyName::Mcp, PenaltyName::Scad] {
            for validation in [
                None,
                Some(ValidationName::Folds(4)),
                Some(ValidationName::Holdout(0.25)),
            ] {
                let what = format!("{task:?} {penalty:?} {validation:?}");
                let (settings, fit) = fitted(&linear(penalty, validation), &data);
                let selected = fit.model.selected();
                assert!([2, 7, 11].iter().all(|j| selected.contains(j)), "{what}");
                let bad = fit.cells.iter().filter(|c| c.status != Status::Converged);
                assert_eq!(bad.count(), 0, "{what}");
                assert_eq!(fit.solved.status, Status::Converged, "{what}");
                assert!(fit.solved.certificate.largest() < 1e-6, "{what}");
                assert!(fit.model.free_bias && settings.free_bias, "{what}");
                assert!(fit.contenders.is_empty(), "{what}");
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let data = few_matter(Task::Cox);
    let request = linear(PenaltyName::Mcp, Some(ValidationName::Folds(3)));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| fitted(&request, &data).1)
    };
    let (one, three) = (on(1), on(3));
    assert!(same(&one.model.networks[0], &three.model.networks[0]));
    for (a, b) in one.cells.iter().zip(&three.cells) {
        assert_eq!(a.validation_loss.to_bits(), b.validation_loss.to_bits());
    }
}

#[test]
fn ridges_come_from_the_data_where_lambda_is_zero() {
    for (task, d) in [
        (Task::Regression, 150),
        (Task::Binary, 150),
        (Task::Cox, 20),
    ] {
        let columns = normal_columns(60, d, 2);
        let signal: Vec<f64> = (0..60)
            .map(|i| (0..10).map(|j| columns[j][i]).sum())
            .collect();
        let data = dataset(columns, outcome(task, &signal, 2));
        let request = Request {
            lambdas: Some(vec![0.0]),
            ..linear(PenaltyName::Lasso, Some(ValidationName::Folds(4)))
        };
        let (settings, fit) = fitted(&request, &data);
        assert_eq!(settings.ridges.len(), 30);
        assert_eq!(fit.model.selected().len(), d, "{task:?}");
        assert!(
            fit.cells
                .iter()
                .all(|cell| cell.status == Status::Converged)
        );
        assert!(fit.solved.certificate.largest() < 1e-6, "{task:?}");
        // neither end is chosen, and it is of some use
        assert!(fit.ridge > settings.ridges[0] && fit.ridge < settings.ridges[29]);
        let null = fit.cells.last().unwrap().validation_loss;
        assert!(fit.validation.mean < 0.995 * null, "{task:?}");
    }
}

#[test]
fn what_was_minimised_is_in_the_model_and_its_file() {
    let data = few_matter(Task::Binary);
    let request = linear(PenaltyName::Lasso, Some(ValidationName::Folds(3)));
    let (_, fit) = fitted(&request, &data);
    let text = fit.model.to_json();
    assert!(text.contains("\"free_bias\": true"));
    assert_eq!(Model::from_json(&text).unwrap(), fit.model);
    let network = Model {
        free_bias: false,
        ..fit.model
    };
    assert!(!network.to_json().contains("free_bias"));
    assert!(report(&request, &data).model.free_bias);
}

#[test]
fn a_linear_model_that_has_not_converged_says_so() {
    let data = few_matter(Task::Binary);
    let unconverged = |request: &Request| {
        let notes = report(request, &data).notes;
        let said = notes.into_iter().filter_map(|note| match note {
            Note::Unconverged { points, of, .. } => Some((points, of, note.to_string())),
            _ => None,
        });
        said.collect::<Vec<_>>()
    };
    let converged = linear(PenaltyName::Lasso, Some(ValidationName::Folds(3)));
    assert!(unconverged(&converged).is_empty());
    let hasty = Request {
        epochs: Some(1),
        first_epochs: Some(1),
        ..converged.clone()
    };
    let said = unconverged(&hasty);
    assert!(
        said.len() == 1 && said[0].0 > 0 && said[0].1 == 100,
        "{said:?}"
    );
    assert!(said[0].2.contains("ended before they had converged"));
    // Adam under the LASSO never converges; the paper's protocol is as it is
    let adam = Request {
        solver: Some(SolverName::Adam),
        lambdas: Some(vec![0.02, 0.05]),
        ridges: Some(vec![0.01]),
        ..converged
    };
    assert_eq!(unconverged(&adam).len(), 1);
    let paper = Request {
        protocol: Protocol::Paper,
        ..adam
    };
    assert!(unconverged(&paper).is_empty());
}

#[test]
fn the_paper_protocol_keeps_its_solver_its_ridge_and_its_grid() {
    let size = Size::new(120, 20, Task::Binary);
    let request = Request {
        protocol: Protocol::Paper,
        ..linear(PenaltyName::Mcp, None)
    };
    let paper = request.settings(size).unwrap();
    assert!(matches!(paper.solver, Solver::Adam(_)) && !paper.free_bias);
    assert_eq!(paper.direction, Direction::Backward);
    let data = few_matter(Task::Binary);
    let of_data = request.settings_for(&data).unwrap();
    assert_eq!(
        (of_data.lambdas, of_data.ridges),
        (paper.lambdas, paper.ridges)
    );
    // asked for, descent keeps to the paper's objective
    let descent = Request {
        solver: Some(SolverName::Descent),
        lambdas: Some(vec![0.05]),
        ridges: Some(vec![0.1]),
        ..request
    };
    let settings = descent.settings_for(&data).unwrap();
    assert!(!settings.free_bias);
    let fit = trace(&data, &settings, &Unobserved).unwrap();
    assert!(fit.solved.certificate.largest() < 1e-6 && !fit.model.free_bias);
}

#[test]
fn what_descent_cannot_do_is_refused() {
    let size = Size::new(120, 20, Task::Regression);
    let usual = || linear(PenaltyName::Lasso, None);
    for (request, name) in [
        (
            Request {
                hidden: Some(vec![5]),
                solver: Some(SolverName::Descent),
                ..Request::default()
            },
            "solver",
        ),
        (
            Request {
                learning_rate: Some(0.1),
                ..usual()
            },
            "learning_rate",
        ),
        (
            Request {
                threshold_step: Some(0.1),
                ..usual()
            },
            "threshold_step",
        ),
        (
            Request {
                tolerance: Some(1e-3),
                ..usual()
            },
            "tolerance",
        ),
        (
            Request {
                batch_size: Some(10),
                ..usual()
            },
            "batch_size",
        ),
    ] {
        let refused = request.settings(size).and_then(|s| s.validate());
        match refused {
            Err(threshnet::error::Error::Setting { name: of, .. }) => assert_eq!(of, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let given = Settings::new(
        Protocol::Default,
        Penalty::Lasso,
        Protocol::Default.validation(),
        size,
    );
    let settings = given.linear();
    assert_eq!(settings.solver, Solver::Descent(Descent::default()));
    assert!(settings.validate().is_ok());
}
