//! Runs with knockoffs on data whose relevant columns are known.

use crate::common::{dataset, normal_columns, outcome, path_settings};
use threshnet::dataset::{Dataset, Task};
use threshnet::knockoffs::{Certified, augmented, exits};
use threshnet::path::Direction;
use threshnet::settings::{Settings, log_grid};
use threshnet::solver::Unobserved;

/// Thirty columns, each correlated with the next; every other one of the first 24 matters.
fn data(seed: u64) -> Dataset<'static> {
    let mut columns = normal_columns(400, 30, seed);
    for j in 1..30 {
        let (before, after) = columns.split_at_mut(j);
        for (x, last) in after[0].iter_mut().zip(&before[j - 1]) {
            *x = 0.5 * last + 0.75f64.sqrt() * *x;
        }
    }
    let signal: Vec<f64> = (0..400)
        .map(|i| (0..24).step_by(2).map(|j| columns[j][i]).sum::<f64>() / 2.0)
        .collect();
    dataset(columns, outcome(Task::Regression, &signal, seed))
}

fn settings() -> Settings {
    let mut settings = path_settings(&log_grid(0.005, 0.3, 30), Direction::Backward);
    settings.standardize = true;
    settings.hidden = vec![20];
    settings.ridges = vec![1e-3];
    settings.epochs = 50;
    settings
}

#[test]
fn relevant_columns_beat_their_knockoffs_and_neighbours_do_not() {
    let data = data(1);
    let both = augmented(&data, 1).unwrap();
    let runs: Vec<Vec<f64>> = (0..4)
        .map(|run| exits(&both, &settings(), run, &Unobserved).unwrap())
        .collect();
    assert_ne!(runs[0], runs[1]);
    assert_eq!(runs[0], exits(&both, &settings(), 0, &Unobserved).unwrap());
    // an exit is a λ of the path, or 0
    let lambdas = settings().lambdas;
    for exit in runs.iter().flatten() {
        assert!(*exit == 0.0 || lambdas.contains(exit));
    }
    let certified = Certified::new(&runs, 0.1).unwrap();
    let selected = certified.selected();
    let relevant = selected.iter().filter(|&&j| j < 24 && j % 2 == 0).count();
    assert!(relevant >= 10, "{selected:?}");
    assert!(selected.len() - relevant <= 3, "{selected:?}");
}
