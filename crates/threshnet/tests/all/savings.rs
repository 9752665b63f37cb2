//! Ways to do less: what they leave out, what they leave as it is.

use crate::common::{TASKS, bits, path_settings, planted, quick_data, quick_model, same};
use threshnet::activation::Activation;
use threshnet::dataset::{Dataset, Task};
use threshnet::error::Error;
use threshnet::path::Direction;
use threshnet::settings::{Settings, Validation};
use threshnet::solver::{Status, Unobserved};
use threshnet::tune::{Cell, Fit, fit};

const LAMBDAS: [f64; 4] = [0.005, 0.02, 0.06, 0.2];

/// Seven ridges, of which the larger are far too large.
fn settings() -> Settings {
    let mut settings = path_settings(&LAMBDAS, Direction::Backward);
    settings.standardize = true;
    settings.ridges = vec![0.003, 0.01, 0.03, 0.3, 1.0, 3.0, 10.0];
    (settings.first_epochs, settings.epochs) = (300, 80);
    settings
}

fn skipping() -> Settings {
    Settings {
        skip_ridges: true,
        ..settings()
    }
}

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

/// The cells of each ridge.
fn by_ridge(fit: &Fit) -> Vec<&[Cell]> {
    fit.cells.chunks_exact(LAMBDAS.len()).collect()
}

fn lowest(cells: &[Cell]) -> &Cell {
    let losses = cells.iter().filter(|c| c.validation_loss.is_finite());
    losses
        .min_by(|a, b| a.validation_loss.total_cmp(&b.validation_loss))
        .expect("the ridge was traced")
}

/// The ridges that should be traced, from the whole grid.
fn wanted(whole: &Fit) -> Vec<bool> {
    let ridges = by_ridge(whole);
    let first = |r: usize| r.is_multiple_of(2);
    let best = (0..7)
        .filter(|&r| first(r))
        .map(|r| lowest(ridges[r]))
        .min_by(|a, b| a.validation_loss.total_cmp(&b.validation_loss))
        .unwrap();
    let bound = best.validation_loss + 0.5 * best.validation_se;
    let promising = |r: usize| lowest(ridges[r]).validation_loss <= bound;
    (0..7)
        .map(|r| first(r) || promising(r - 1) || promising(r + 1))
        .collect()
}

#[test]
fn skipping_leaves_out_what_is_not_beside_a_promising_ridge_and_nothing_else() {
    let mut saved = 0;
    for task in TASKS {
        for validation in [settings().validation, Validation::folds(3)] {
            let data = planted(task, (90, 8), (4, 1), 2);
            let with = |skip_ridges| {
                let settings = Settings {
                    validation,
                    skip_ridges,
                    ..settings()
                };
                run(&data, &settings)
            };
            let (whole, less) = (with(false), with(true));
            let wanted = wanted(&whole);
            for (r, (a, b)) in by_ridge(&whole).iter().zip(by_ridge(&less)).enumerate() {
                let name = format!("{task:?} {validation:?} ridge {r}");
                if wanted[r] {
                    assert_eq!(*a, b, "{name}");
                    continue;
                }
                saved += 1;
                for (a, b) in a.iter().zip(b) {
                    assert_eq!((a.ridge, a.lambda), (b.ridge, b.lambda), "{name}");
                    assert_eq!((b.epochs, b.status), (0, Status::Skipped), "{name}");
                    let numbers = [b.size, b.train_loss, b.validation_loss, b.validation_se];
                    assert!(numbers.iter().all(|v| v.is_nan()), "{name}");
                }
            }
            // The same model, unless the winner was skipped.
            assert_ne!(less.cells[less.chosen[0]].status, Status::Skipped);
            if wanted[whole.chosen[0] / LAMBDAS.len()] {
                assert_eq!(whole.chosen, less.chosen, "{task:?}");
                assert_eq!(whole.model.to_json(), less.model.to_json(), "{task:?}");
                assert!(
                    (whole.path.iter().zip(&less.path)).all(|(a, b)| same(&a.network, &b.network))
                );
            }
        }
    }
    assert!(saved >= 8, "{saved} ridges skipped in 8 fits only");
}

/// Every number of a fit, to the last bit.
fn everything(fit: &Fit) -> String {
    let path: Vec<_> = (fit.path.iter())
        .map(|s| (&s.network.inputs, bits(&s.network), s.solved))
        .collect();
    let (model, cells) = (fit.model.to_json(), &fit.cells);
    format!(
        "{model} {cells:?} {:?} {path:?} {:?}",
        fit.chosen, fit.solved
    )
}

#[test]
fn threads_change_no_bit() {
    for (validation, refit) in [
        (settings().validation, false),
        (Validation::folds(3), false),
        (Validation::folds(3), true),
    ] {
        let data = planted(Task::Cox, (90, 10), (4, 1), 3);
        let settings = Settings {
            validation,
            refit,
            ..skipping()
        };
        let in_pool = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| everything(&run(&data, &settings)))
        };
        assert_eq!(in_pool(1), in_pool(3), "{validation:?} {refit}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let data = quick_data(Task::Regression);
    let refused =
        |settings: Settings, setting: &str, fix: &str| match fit(&data, &settings, &Unobserved) {
            Err(Error::Setting { name, problem }) => {
                assert_eq!(name, setting);
                assert!(problem.contains(fix), "{problem}");
            }
            other => panic!("{setting}: {other:?}"),
        };
    let single = Settings {
        validation: Validation::None,
        lambdas: vec![0.01],
        ridges: vec![0.01],
        ..skipping()
    };
    refused(single, "skip_ridges", "turn it off");
    // Skipping goes with a given start, and with a single ridge.
    let given = Settings {
        init: Some(quick_model(Task::Regression, &[4], Activation::Relu, 0.01)),
        hidden: vec![4],
        ..skipping()
    };
    run(&data, &given);
    let one = Settings {
        ridges: vec![0.01],
        ..skipping()
    };
    assert_eq!(run(&data, &one).cells.len(), LAMBDAS.len());
}
