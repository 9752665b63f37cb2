//! A fit that goes on from what a keeper has is the fit that was never stopped, bit for bit.

use crate::common::{normal_columns, outcome, planted};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::error::{Error, Result};
use threshnet::keeper::{JobId, Keeper};
use threshnet::path::Step;
use threshnet::settings::{Request, Settings, ValidationName};
use threshnet::solver::Observer;
use threshnet::tune::{Fit, fit};

/// Keeps in memory, and counts what is solved and what is given back.
#[derive(Default)]
struct Memory {
    kept: Mutex<BTreeMap<JobId, Vec<u8>>>,
    solved: AtomicUsize,
    known: AtomicUsize,
}

impl Memory {
    fn of(kept: BTreeMap<JobId, Vec<u8>>) -> Self {
        Memory {
            kept: Mutex::new(kept),
            ..Memory::default()
        }
    }

    fn into_kept(self) -> BTreeMap<JobId, Vec<u8>> {
        self.kept.into_inner().unwrap()
    }
}

impl Keeper for Memory {
    fn kept(&self, job: JobId) -> Option<Vec<u8>> {
        self.kept.lock().unwrap().get(&job).cloned()
    }

    fn keep(&self, job: JobId, found: &[u8]) -> Result<()> {
        let before = self.kept.lock().unwrap().insert(job, found.to_vec());
        assert!(before.is_none(), "two jobs have one id");
        Ok(())
    }
}

impl Observer for Memory {
    fn step(&self, _: &Step) {
        self.solved.fetch_add(1, Ordering::Relaxed);
    }

    fn known(&self, lambdas: usize) {
        self.known.fetch_add(lambdas, Ordering::Relaxed);
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }
}

/// All of a fit, every bit of its numbers.
fn all_of(fit: &Fit) -> String {
    format!("{fit:?} {}", fit.model.to_json())
}

fn request(validation: ValidationName) -> Request {
    Request {
        lambdas: Some(vec![0.02, 0.08, 0.3]),
        ridges: Some(vec![0.01, 0.1]),
        hidden: Some(vec![3]),
        epochs: Some(15),
        first_epochs: Some(30),
        validation: Some(validation),
        seed: 4,
        ..Request::default()
    }
}

/// Stops after any number of jobs, and goes on with what is there.
fn goes_on(data: &Dataset, settings: &Settings) {
    let whole = Memory::default();
    let expected = all_of(&fit(data, settings, &whole).unwrap());
    let solved = whole.solved.load(Ordering::Relaxed);
    let kept = whole.into_kept();
    assert!(kept.len() > 1 || settings.validation.splits() == 1);
    // every third job, every other, none but the last, all
    for which in [3, 2, kept.len(), 1] {
        let some = (kept.clone().into_iter().enumerate())
            .filter(|(number, _)| (number + 1) % which == 0)
            .map(|(_, job)| job);
        let again = Memory::of(some.collect());
        assert_eq!(all_of(&fit(data, settings, &again).unwrap()), expected);
        if which == 1 {
            assert!(again.known.load(Ordering::Relaxed) > 0);
            assert_eq!(again.solved.load(Ordering::Relaxed), 0, "solved again");
            assert!(solved > 0);
        }
        // (which paths are kept whole depends on which was first)
        let jobs = again.into_kept().into_keys();
        assert!(jobs.eq(kept.keys().copied()), "other jobs");
    }
    // what is no path is traced again
    let spoilt = kept.iter().map(|(&job, found)| (job, found[1..].to_vec()));
    let again = Unkeeping(Memory::of(spoilt.collect()));
    assert_eq!(all_of(&fit(data, settings, &again).unwrap()), expected);
}

/// Gives back, and keeps nothing more.
struct Unkeeping(Memory);

impl Keeper for Unkeeping {
    fn kept(&self, job: JobId) -> Option<Vec<u8>> {
        self.0.kept(job)
    }

    fn keep(&self, _: JobId, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Observer for Unkeeping {
    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }
}

#[test]
fn the_default_protocol_goes_on() {
    for task in [Task::Regression, Task::Cox, Task::Multiclass] {
        let data = planted(task, (90, 6), (0, 1), 3);
        let settings = request(ValidationName::Draws(3))
            .settings_for(&data)
            .unwrap();
        goes_on(&data, &settings);
    }
}

/// Wide data, where draws look twice and what is left of a path differs.
#[test]
fn second_looks_go_on() {
    let columns = normal_columns(60, 90, 6);
    let signal: Vec<f64> = columns[3].iter().map(|x| 2.0 * x).collect();
    let data = crate::common::dataset(columns, outcome(Task::Regression, &signal, 2));
    let settings = request(ValidationName::Draws(3))
        .settings_for(&data)
        .unwrap();
    assert!(settings.look_again);
    goes_on(&data, &settings);
}

#[test]
fn folds_a_hold_out_and_a_single_path_go_on() {
    let data = planted(Task::Binary, (90, 6), (0, 1), 3);
    for validation in [ValidationName::Folds(3), ValidationName::Holdout(0.2)] {
        let settings = request(validation).settings_for(&data).unwrap();
        goes_on(&data, &settings);
    }
    let request = Request {
        lambdas: Some(vec![0.05]),
        ridges: Some(vec![0.01]),
        ..request(ValidationName::None)
    };
    goes_on(&data, &request.settings_for(&data).unwrap());
}

/// What other settings have found is of no use, though the jobs have the same numbers.
#[test]
fn other_settings_are_other_jobs() {
    let data = planted(Task::Regression, (90, 6), (0, 1), 3);
    let settings = request(ValidationName::Folds(3))
        .settings_for(&data)
        .unwrap();
    let first = Memory::default();
    fit(&data, &settings, &first).unwrap();
    for (what, other) in [
        (
            "seed",
            Settings {
                seed: 5,
                ..settings.clone()
            },
        ),
        (
            "epochs",
            Settings {
                epochs: 16,
                ..settings.clone()
            },
        ),
        (
            "standardize",
            Settings {
                standardize: false,
                ..settings.clone()
            },
        ),
    ] {
        let again = Memory::of(first.kept.lock().unwrap().clone());
        let found = all_of(&fit(&data, &other, &again).unwrap());
        assert_eq!(
            found,
            all_of(&fit(&data, &other, &Memory::default()).unwrap()),
            "{what}"
        );
    }
}

/// A keeper that cannot keep ends the fit with its own words.
#[test]
fn a_full_disk_ends_the_fit() {
    struct Full;
    impl Keeper for Full {
        fn kept(&self, _: JobId) -> Option<Vec<u8>> {
            None
        }
        fn keep(&self, _: JobId, _: &[u8]) -> Result<()> {
            Err(Error::NotKept("the disk is full".into()))
        }
    }
    impl Observer for Full {
        fn keeper(&self) -> Option<&dyn Keeper> {
            Some(self)
        }
    }
    let columns = normal_columns(40, 3, 1);
    let y = Outcome::Continuous(columns[0].clone());
    let data = crate::common::dataset(columns, y);
    let settings = request(ValidationName::Folds(3))
        .settings_for(&data)
        .unwrap();
    let problem = fit(&data, &settings, &Full).err();
    assert_eq!(problem, Some(Error::NotKept("the disk is full".into())));
}
