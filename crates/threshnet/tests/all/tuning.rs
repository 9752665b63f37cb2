//! Nothing leaks from held-out rows, nothing depends on the number of threads,
//! and the seed is all that is random.

use crate::common::{
    self, Recorder, TASKS, adam, bits, dataset, normal_columns, path_settings, planted, same,
};
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Direction, Tracer};
use threshnet::random::{Purpose, Random};
use threshnet::settings::{Settings, Validation};
use threshnet::solver::{Problem, StepRule, Unobserved};
use threshnet::split::folds;
use threshnet::tune::{Fit, fit};

fn settings() -> Settings {
    let mut settings = path_settings(&[0.01, 0.03, 0.09], Direction::Backward);
    settings.standardize = true;
    (settings.first_epochs, settings.epochs) = (200, 60);
    settings
}

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

fn held_out(data: &Dataset, fit: &Fit) -> Vec<usize> {
    (0..data.n())
        .filter(|i| fit.rows.binary_search(i).is_err())
        .collect()
}

/// The same data with columns changed.
fn with_columns(data: &Dataset, change: impl Fn(usize, usize, f64) -> f64) -> Dataset<'static> {
    let columns = data.columns().iter().enumerate().map(|(j, column)| {
        column
            .iter()
            .enumerate()
            .map(|(i, x)| change(i, j, x))
            .collect()
    });
    dataset(columns.collect(), data.outcome().clone())
}

#[test]
fn held_out_rows_teach_nothing() {
    for task in TASKS {
        let data = planted(task, (80, 6), (4, 1), 2);
        let before = run(&data, &settings());
        let held = held_out(&data, &before);
        assert_eq!(held.len(), 20);
        let moved = with_columns(&data, |i, j, x| {
            if held.contains(&i) {
                10.0 * x + j as f64
            } else {
                x
            }
        });
        let after = run(&moved, &settings());
        assert_eq!(before.rows, after.rows, "{task:?}");
        for (a, b) in before.path.iter().zip(&after.path) {
            assert!(same(&a.network, &b.network), "{task:?} λ {}", a.lambda);
        }
        assert_eq!(before.model.scaling, after.model.scaling, "{task:?}");
        assert_eq!(
            before.model.scaling,
            Scaling::learn(&data, &before.rows, true),
            "{task:?}"
        );
        for (a, b) in before.cells.iter().zip(&after.cells) {
            assert_eq!(a.train_loss.to_bits(), b.train_loss.to_bits(), "{task:?}");
            // (a network without inputs predicts the same for all)
            let moved = a.validation_loss != b.validation_loss;
            assert_eq!(moved, a.size > 0.0, "{task:?}");
        }
        assert!(before.cells[0].size > 0.0, "{task:?}");
        // A training row does teach.
        let row = before.rows[0];
        let taught = run(
            &with_columns(&data, |i, _, x| if i == row { 2.0 * x } else { x }),
            &settings(),
        );
        assert!(
            !same(&before.path[0].network, &taught.path[0].network),
            "{task:?}"
        );
    }
}

#[test]
fn held_out_outcomes_teach_nothing() {
    let data = planted(Task::Regression, (80, 6), (4, 1), 2);
    let before = run(&data, &settings());
    let held = held_out(&data, &before);
    let Outcome::Continuous(y) = data.outcome() else {
        panic!()
    };
    let y = y
        .iter()
        .enumerate()
        .map(|(i, y)| if held.contains(&i) { y + 50.0 } else { *y });
    let y = Outcome::Continuous(y.collect());
    let moved = Dataset::of(data.names().to_vec(), data.columns().to_vec(), y).unwrap();
    let after = run(&moved, &settings());
    assert_eq!(before.model.target, after.model.target);
    assert!(
        before
            .path
            .iter()
            .zip(&after.path)
            .all(|(a, b)| same(&a.network, &b.network))
    );
    assert!(after.cells[0].validation_loss > 1000.0 + before.cells[0].validation_loss);
}

/// Every number of a fit, to the last bit.
fn everything(fit: &Fit) -> String {
    let path: Vec<_> = fit
        .path
        .iter()
        .map(|s| (s.lambda, &s.network.inputs, bits(&s.network), s.solved))
        .collect();
    format!(
        "{} {:?} {:?} {:?} {:?} {path:?} {:?}",
        fit.model.to_json(),
        fit.lambda,
        fit.ridge,
        fit.cells,
        fit.chosen,
        fit.solved
    )
}

#[test]
fn threads_change_no_bit() {
    for task in TASKS {
        let data = planted(task, (90, 12), (10, 1), 3);
        for solver in [adam(3e-3), common::proximal(StepRule::LineSearch)] {
            let mut settings = settings();
            settings.ridges = vec![0.01, 0.05];
            settings.validation = Validation::folds(3);
            settings.refit = true;
            settings.solver = solver;
            let in_pool = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                pool.install(|| everything(&run(&data, &settings)))
            };
            let one = in_pool(1);
            assert_eq!(one, in_pool(2), "{task:?}");
            assert_eq!(one, in_pool(3), "{task:?}");
        }
    }
}

#[test]
fn the_seed_is_all_that_is_random() {
    let data = planted(Task::Cox, (90, 8), (6, 1), 3);
    let with_seed = |seed: u64| run(&data, &Settings { seed, ..settings() });
    let first = with_seed(11);
    assert_eq!(everything(&first), everything(&with_seed(11)));
    let other = with_seed(12);
    assert_ne!(first.rows, other.rows);
    // not the split alone: the start too
    let on_all = |seed: u64| {
        let settings = Settings {
            seed,
            lambdas: vec![0.01],
            validation: Validation::None,
            ..settings()
        };
        run(&data, &settings)
    };
    assert!(!same(
        &on_all(11).model.networks[0],
        &on_all(12).model.networks[0]
    ));
}

#[test]
fn a_stratified_holdout_has_its_share_of_every_class() {
    // 15 of 50 rows are in the class (had the event); 20 % of them are 3.
    for task in [Task::Binary, Task::Cox] {
        let member: Vec<bool> = (0..50).map(|i| i % 10 < 3).collect();
        let outcome = match task {
            Task::Binary => Outcome::Classes {
                labels: member.iter().map(|&m| usize::from(m)).collect(),
                classes: vec!["no".into(), "yes".into()],
                task,
            },
            _ => Outcome::Survival {
                time: (0..50).map(|i| f64::from(i * 7 % 50)).collect(),
                event: member.clone(),
            },
        };
        let data = dataset(normal_columns(50, 3, 1), outcome);
        let counts = |stratified: bool| -> Vec<usize> {
            let of_seed = |seed: u64| {
                let mut settings = Settings { seed, ..settings() };
                settings.validation = Validation::Holdout {
                    share: 0.2,
                    stratified,
                };
                (settings.first_epochs, settings.epochs) = (2, 1);
                let fit = run(&data, &settings);
                let held = held_out(&data, &fit);
                assert_eq!(held.len(), 10);
                held.iter().filter(|&&i| member[i]).count()
            };
            (0..12).map(of_seed).collect()
        };
        assert!(counts(true).iter().all(|count| *count == 3), "{task:?}");
        let plain = counts(false);
        assert!(
            plain.iter().any(|count| *count != plain[0]),
            "{task:?}: {plain:?}"
        );
    }
}

#[test]
fn a_column_without_variation_in_training_never_enters() {
    let data = planted(Task::Regression, (80, 6), (4, 1), 2);
    let held = held_out(&data, &run(&data, &settings()));
    // Column 4, the strongest, varies in the held-out rows only.
    let mute = with_columns(
        &data,
        |i, j, x| if j == 4 && !held.contains(&i) { 7.0 } else { x },
    );
    for standardize in [true, false] {
        for direction in [Direction::Backward, Direction::Forward, Direction::Cold] {
            let fit = run(
                &mute,
                &Settings {
                    standardize,
                    direction,
                    ..settings()
                },
            );
            assert_eq!(held_out(&mute, &fit), held);
            for step in &fit.path {
                assert!(
                    !step.network.inputs.contains(&4),
                    "{direction:?} λ {}",
                    step.lambda
                );
            }
            assert!(!fit.path[0].network.inputs.is_empty(), "{direction:?}");
            assert_eq!(
                (fit.model.scaling.center[4], fit.model.scaling.scale[4]),
                (0.0, 1.0)
            );
            assert!(fit.solved.certificate.largest().is_finite());
        }
    }
}

/// All folds together may favour another ridge than the first one does: the
/// first fold's path of that ridge is then traced again, from the same start.
#[test]
fn a_crossed_model_without_refit_is_on_the_path_of_the_first_fold() {
    let lambdas = [0.01, 0.03, 0.09];
    let mut again = 0;
    for seed in 0..12 {
        let data = planted(Task::Regression, (60, 8), (4, 1), seed);
        let settings = Settings {
            ridges: vec![0.003, 0.01, 0.03, 0.1],
            validation: Validation::folds(3),
            standardize: false,
            seed,
            ..settings()
        };
        let recorder = Recorder::default();
        let crossed = fit(&data, &settings, &recorder).unwrap();
        let steps = recorder.steps.into_inner();
        assert!(steps == 36 || steps == 39, "{steps}");
        again += usize::from(steps == 39);

        let rows = folds(data.response(), 3, seed)
            .unwrap()
            .swap_remove(0)
            .train;
        assert_eq!(crossed.rows, rows);
        let ridge = crossed.chosen[0] / 3;
        let design = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, false));
        let loss = for_response(&data.response().rows(&rows), Ties::Breslow);
        let problem = Problem::new(&design, &*loss, settings.penalty, crossed.ridge);
        let tracer = Tracer {
            lambdas: &lambdas,
            direction: settings.direction,
            solver: settings.solver,
            first_epochs: settings.first_epochs,
            epochs: settings.epochs,
        };
        let start = |k: usize| {
            let mut random = Random::new(seed, Purpose::Weights, 0, (ridge << 32 | k) as u64);
            let shape = Shape::new(&settings.hidden, 1, settings.activation, Task::Regression);
            Mlp::random((0..8).collect(), shape, &mut random)
        };
        let path = tracer.trace(&problem, start, &Unobserved);
        for (a, b) in path.iter().zip(&crossed.path) {
            assert!(same(&a.network, &b.network), "seed {seed}");
        }
    }
    assert!((1..12).contains(&again), "{again} of 12 were traced again");
}
