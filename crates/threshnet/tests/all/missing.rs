//! Missing cells: what is put in their place, and that it is learned where networks learn.

use super::common::{TASKS, normal_columns, outcome, random, single};
use std::collections::BTreeMap;
use threshnet::dataset::{Column, Dataset, Features, Fill, Gaps, Missing, Outcome, Task};
use threshnet::model::Model;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::solver::Unobserved;
use threshnet::tune::{Fit, fit};

const N: usize = 80;
const D: usize = 5;

/// Columns of which a tenth of the cells are missing, and what they would have been.
fn holed(seed: u64) -> [Vec<Vec<f64>>; 2] {
    let whole = normal_columns(N, D, seed);
    let mut random = random(seed + 1);
    let with_gaps = whole.iter().map(|column| {
        let cell = |x: &f64| if random.below(10) == 0 { f64::NAN } else { *x };
        column.iter().map(cell).collect()
    });
    [with_gaps.collect(), whole]
}

fn imputing(columns: &[Vec<f64>], outcome: Outcome, indicators: bool) -> Dataset<'static> {
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    let columns = columns.iter().cloned().map(Column::from).collect();
    let gaps = Gaps {
        missing: Missing::Impute,
        indicators,
    };
    Dataset::incomplete(Features::numbers(names), columns, outcome, gaps).unwrap()
}

fn signal(whole: &[Vec<f64>]) -> Vec<f64> {
    (0..N).map(|i| 1.5 * whole[0][i] - whole[1][i]).collect()
}

fn quick(validation: Validation) -> Settings {
    let mut settings = Settings::new(
        Protocol::Default,
        Penalty::MCP,
        validation,
        Size::new(N, D, Task::Regression),
    );
    settings.lambdas = vec![0.01, 0.05, 0.2];
    settings.ridges = vec![0.01];
    settings.linear = Linear::Leave;
    (settings.first_epochs, settings.epochs) = (60, 20);
    settings
}

fn fitted(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).unwrap()
}

/// A fit of data with gaps is that of the same data whose gaps were filled by hand.
#[test]
fn imputed_data_are_those_filled_by_hand() {
    for task in TASKS {
        let [holes, whole] = holed(3);
        let outcome = outcome(task, &signal(&whole), 4);
        let data = imputing(&holes, outcome.clone(), false);
        let filled: Vec<Vec<f64>> = (holes.iter())
            .map(|column| {
                let mut known: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
                known.sort_by(f64::total_cmp);
                let at = known.len() / 2;
                let median = match known.len() % 2 {
                    1 => known[at],
                    _ => (known[at - 1] + known[at]) / 2.0,
                };
                column
                    .iter()
                    .map(|x| if x.is_nan() { median } else { *x })
                    .collect()
            })
            .collect();
        let by_hand = super::common::dataset(filled.clone(), outcome);
        let mut settings = single(Penalty::MCP, 0.01, 0.01);
        settings.standardize = true;
        (settings.first_epochs, settings.epochs) = (50, 50);
        let (own, theirs) = (
            fitted(&data, &settings).model,
            fitted(&by_hand, &settings).model,
        );
        assert_eq!(own.networks, theirs.networks, "{task:?}");
        assert_eq!(own.baseline, theirs.baseline);
        let of = |model: &Model, columns: &[Vec<f64>]| {
            let used: Vec<Vec<f64>> = model
                .columns()
                .into_iter()
                .map(|j| columns[j].clone())
                .collect();
            model.predict(&used, N)
        };
        assert_eq!(of(&own, &holes), of(&theirs, &filled), "{task:?}");
        let read = Model::from_json(&own.to_json()).unwrap();
        assert_eq!(read, own);
        assert!(!theirs.to_json().contains("imputation"));
    }
}

/// What held-out rows have in their columns changes nothing of what networks learn: neither the
/// values that fill gaps, nor the scale of columns, nor a weight.
#[test]
fn imputation_learns_nothing_from_held_out_rows() {
    let [holes, whole] = holed(5);
    let outcome = outcome(Task::Regression, &signal(&whole), 6);
    let data = imputing(&holes, outcome.clone(), true);
    let holdout = Validation::Holdout {
        share: 0.3,
        stratified: false,
    };
    let first = fitted(&data, &quick(holdout));
    let held_out = &first.held_out.as_ref().unwrap().rows;
    assert!(held_out.len() > 20);
    let mut changed = holes.clone();
    for column in &mut changed {
        for &row in held_out {
            // (a gap stays one)
            column[row] = 50.0 + 3.0 * column[row];
        }
    }
    let other = imputing(&changed, outcome, true);
    let second = fitted(&other, &quick(holdout));
    assert_eq!(first.rows, second.rows);
    let networks =
        |fit: &Fit| -> Vec<_> { fit.path.iter().map(|step| step.network.clone()).collect() };
    assert!(networks(&first) == networks(&second));
    assert_eq!(first.model.scaling, second.model.scaling);
    assert_eq!(first.model.scaling.fill, Fill::learn(&data, &first.rows));
    // the held-out rows would have told, had they been asked
    let all: Vec<usize> = (0..N).collect();
    assert_ne!(Fill::learn(&data, &all), Fill::learn(&other, &all));
    assert_ne!(
        first.cells[0].validation_loss,
        second.cells[0].validation_loss
    );
}

/// The same data with and without their zeros have the same gaps.
#[test]
fn gaps_of_sparse_columns_are_filled_too() {
    let mut random = random(8);
    let columns: Vec<Vec<f64>> = (0..D)
        .map(|_| {
            let cell = |_| match random.below(12) {
                0 => f64::NAN,
                1 | 2 => 1.0 + random.below(4) as f64,
                _ => 0.0,
            };
            (0..N).map(cell).collect()
        })
        .collect();
    let y = (0..N)
        .map(|i| columns[0][i].max(0.0) + 0.1 * random.normal())
        .collect();
    let outcome = Outcome::Continuous(y);
    let dense = imputing(&columns, outcome.clone(), false);
    let names = (0..D).map(|j| format!("x{j}")).collect();
    let stored = columns.iter().map(|column| {
        let kept = || column.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let rows: Vec<i32> = kept().map(|(row, _)| row as i32).collect();
        Column::sparse(N, rows, kept().map(|(_, x)| *x).collect::<Vec<f64>>()).unwrap()
    });
    let gaps = Gaps {
        missing: Missing::Impute,
        indicators: false,
    };
    let features = Features::numbers(names);
    let sparse = Dataset::incomplete(features, stored.collect(), outcome, gaps).unwrap();
    assert_eq!(dense.gaps(), sparse.gaps());
    let mut settings = single(Penalty::MCP, 0.005, 0.01);
    settings.standardize = true;
    let [a, b] = [&dense, &sparse].map(|data| fitted(data, &settings));
    assert_eq!(a.model.scaling.fill, b.model.scaling.fill);
    let close = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + a.abs());
    assert!(
        close(a.cells[0].train_loss, b.cells[0].train_loss),
        "{:?} {:?}",
        a.cells,
        b.cells
    );
}

/// The default protocol goes through with gaps in numbers and texts, and knockoffs are refused.
#[test]
fn draws_take_gaps() {
    let [mut holes, whole] = holed(9);
    let level = |i: usize, level: usize| match i % 9 {
        0 => f64::NAN,
        _ => f64::from(u8::from(i % 2 == level)),
    };
    let text: Vec<Vec<f64>> = (0..2)
        .map(|k| (0..N).map(|i| level(i, k)).collect())
        .collect();
    holes.extend(text);
    let y = (0..N)
        .map(|i| 2.0 * whole[0][i] + [0.0, 2.0][i % 2])
        .collect();
    let levels = BTreeMap::from([(D, vec!["a".to_string(), "b".to_string()])]);
    let names = (0..=D).map(|j| format!("x{j}")).collect();
    let gaps = Gaps {
        missing: Missing::Impute,
        indicators: true,
    };
    let columns = holes.into_iter().map(Column::from).collect();
    let features = Features::new(names, levels);
    let data = Dataset::incomplete(features, columns, Outcome::Continuous(y), gaps).unwrap();
    let mut settings = quick(Validation::Draws {
        count: 3,
        share: 0.2,
    });
    settings.screen = Some(4);
    let found = fitted(&data, &settings);
    assert!(found.model.selected().contains(&0));
    assert!(found.held_out.is_some());
    let read = Model::from_json(&found.model.to_json()).unwrap();
    assert_eq!(read, found.model);
    let [holes, whole] = holed(9);
    let outcome = outcome(Task::Regression, &signal(&whole), 10);
    let data = imputing(&holes, outcome, false);
    let control = threshnet::control::Control::Fdr { rate: 0.2 };
    let request = threshnet::settings::Request::default();
    let refused = threshnet::control::Plan::new(control, &data, &request);
    let said = refused.err().unwrap().to_string();
    assert!(
        said.contains("knockoffs are made of complete columns"),
        "{said}"
    );
}

#[test]
fn gaps_that_nothing_can_fill_are_refused() {
    let y = || Outcome::Continuous(vec![1.0, 2.0, 3.0]);
    let of = |column: [f64; 3], missing: Missing| {
        let columns = vec![column.to_vec().into(), vec![1.0, 2.0, 3.0].into()];
        let features = Features::numbers(vec!["a".into(), "b".into()]);
        let gaps = Gaps {
            missing,
            indicators: false,
        };
        Dataset::incomplete(features, columns, y(), gaps).map(|data| data.n())
    };
    let nan = f64::NAN;
    for (column, missing, said) in [
        (
            [1.0, nan, 2.0],
            Missing::Error,
            "column \"a\" is missing or infinite in row 2",
        ),
        (
            [nan; 3],
            Missing::Impute,
            "column \"a\" is missing in every row",
        ),
        (
            [1.0, f64::INFINITY, 2.0],
            Missing::Impute,
            "missing or infinite in row 2",
        ),
        ([nan; 3], Missing::Drop, "every row has a missing cell"),
        ([nan, nan, 1.0], Missing::Drop, "1 row of data"),
    ] {
        let problem = of(column, missing).unwrap_err().to_string();
        assert!(problem.contains(said), "{problem}");
    }
    assert_eq!(of([1.0, nan, 2.0], Missing::Drop).unwrap(), 2);
    assert_eq!(of([1.0, nan, 2.0], Missing::Impute).unwrap(), 3);
}
