//! Multiple imputation: what chains put into gaps, that they learn from the training rows alone,
//! and that a model pools over them.

use super::common::{TASKS, normal_columns, outcome, random};
use std::collections::BTreeMap;
use threshnet::control::{Control, Plan};
use threshnet::dataset::{Column, Dataset, Features, Fill, Gaps, Missing, Outcome, Task, Weights};
use threshnet::impute::impute;
use threshnet::model::Model;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Request, Settings, Size, Validation};
use threshnet::solver::Unobserved;
use threshnet::split::groups;
use threshnet::statistics::{spread, weighted_spread};
use threshnet::tune::{Fit, fit};

const NAN: f64 = f64::NAN;

fn several(features: Features, columns: Vec<Vec<f64>>, outcome: Outcome) -> Dataset<'static> {
    let gaps = Gaps {
        missing: Missing::Multiple(3),
        indicators: false,
    };
    let columns = columns.into_iter().map(Column::from).collect();
    Dataset::incomplete(features, columns, outcome, gaps).unwrap()
}

fn names(d: usize) -> Features {
    Features::numbers((0..d).map(|j| format!("x{j}")).collect())
}

/// Columns that share a part, so that each tells of the others.
fn related(n: usize, d: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut columns = normal_columns(n, d + 1, seed);
    let shared = columns.pop().unwrap();
    for column in &mut columns {
        column
            .iter_mut()
            .zip(&shared)
            .for_each(|(x, s)| *x += 2.0 * s);
    }
    columns
}

/// The same with a share of the cells of the first columns taken away.
fn holed(whole: &[Vec<f64>], columns: usize, share: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut random = random(seed);
    let mut all = whole.to_vec();
    for cell in all[..columns].iter_mut().flatten() {
        if random.uniform() < share {
            *cell = NAN;
        }
    }
    all
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (of_a, of_b) = (spread(a.iter().copied()), spread(b.iter().copied()));
    let products = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - of_a.mean) * (b - of_b.mean));
    products.sum::<f64>() / a.len() as f64 / (of_a.variance * of_b.variance).sqrt()
}

fn all_rows(n: usize) -> Vec<usize> {
    (0..n).collect()
}

/// What is put into training rows has the spread of what is known and keeps its relation with the
/// outcome; the slope of the outcome on the imputed column, over many chains, is that of the whole
/// data, where medians give a smaller one (what is known of Rubin's rules).
#[test]
fn imputed_columns_are_like_whole_ones() {
    const N: usize = 1500;
    let whole = related(N, 3, 1);
    let mut noise = random(2);
    let y: Vec<f64> = whole[0].iter().map(|x| x + noise.normal()).collect();
    let outcome = Outcome::Continuous(y.clone());
    // (the larger the outcome, the more is missing: complete cases and medians are biased)
    let mut holes = whole.clone();
    for i in 0..N {
        if noise.uniform() < if y[i] > 0.0 { 0.6 } else { 0.1 } {
            holes[0][i] = NAN;
        }
    }
    let data = several(names(3), holes.clone(), outcome);
    let (rows, columns) = (all_rows(N), [0, 1, 2]);
    let slope = |x: &[f64]| {
        let of_x = spread(x.iter().copied());
        let of_y = spread(y.iter().copied());
        let products = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (x - of_x.mean) * (y - of_y.mean));
        products.sum::<f64>() / N as f64 / of_x.variance
    };
    let chains = 0..8;
    let imputed: Vec<Vec<f64>> = (chains.clone())
        .map(|chain| {
            impute(&data, &rows, &columns, chain, 3)
                .dataset(&data)
                .columns()[0]
                .to_vec()
        })
        .collect();
    let pooled = imputed.iter().map(|x| slope(x)).sum::<f64>() / imputed.len() as f64;
    let truth = slope(&whole[0]);
    assert!((pooled - truth).abs() < 0.03, "{pooled} {truth}");
    let known: Vec<usize> = (0..N).filter(|&i| !holes[0][i].is_nan()).collect();
    let of_known = |x: &[f64]| -> Vec<f64> { known.iter().map(|&i| x[i]).collect() };
    assert_eq!(of_known(&imputed[0]), of_known(&holes[0]));
    let mean = |x: &[f64]| spread(x.iter().copied()).mean;
    assert!((mean(&imputed[0]) - mean(&whole[0])).abs() < 0.1);
    assert!(
        (mean(&of_known(&whole[0])) - mean(&whole[0])).abs() > 0.3,
        "nothing to correct"
    );
    let medians = data.imputed(&rows).columns()[0].to_vec();
    let error = |slope: f64| (slope - truth).abs();
    assert!(
        error(slope(&medians)) > 2.0 * error(pooled),
        "{}",
        slope(&medians)
    );
    let variance = |x: &[f64]| spread(x.iter().copied()).variance;
    let share = |x: &[f64]| variance(x) / variance(&whole[0]);
    assert!((share(&imputed[0]) - 1.0).abs() < 0.1 && share(&medians) < 0.75);
    // chains differ, and one number is one chain
    assert!(imputed[0] != imputed[1]);
    let again = impute(&data, &rows, &columns, 0, 3)
        .dataset(&data)
        .columns()[0]
        .to_vec();
    assert_eq!(again, imputed[0]);
}

/// New rows are imputed from what they have, better than by a median.
#[test]
fn rows_without_an_outcome_are_imputed_from_the_other_columns() {
    for task in TASKS {
        const N: usize = 400;
        let whole = related(N, 4, 5);
        let holes = holed(&whole, 4, 0.2, 6);
        let data = several(names(4), holes.clone(), outcome(task, &whole[0], 7));
        let (train, rest): (Vec<usize>, Vec<usize>) = (0..N).partition(|i| i % 2 == 0);
        let fill = Fill::learn(&data, &train);
        let chain = impute(&data, &train, &[0, 1, 2, 3], 1, 8).chain;
        assert_eq!((chain.number, chain.equations.len()), (1, 4));
        let completed = chain.completed(&data, &rest, &fill);
        for (j, column) in holes.iter().enumerate() {
            let gaps: Vec<usize> = rest
                .iter()
                .copied()
                .filter(|&i| column[i].is_nan())
                .collect();
            let of = |x: &[f64]| -> Vec<f64> { gaps.iter().map(|&i| x[i]).collect() };
            let imputed = of(&completed.columns()[j].to_vec());
            let agreement = correlation(&imputed, &of(&whole[j]));
            assert!(agreement > 0.7, "{task:?} {j}: {agreement}");
            // (a training row is not touched)
            assert!(completed.columns()[j].missing() > 0);
        }
    }
}

/// Neither the columns nor the outcome of other rows change what a chain learns and puts in.
#[test]
fn chains_learn_nothing_from_other_rows() {
    for task in TASKS {
        const N: usize = 200;
        let whole = related(N, 3, 9);
        let holes = holed(&whole, 3, 0.2, 10);
        let (train, rest): (Vec<usize>, Vec<usize>) = (0..N).partition(|i| i % 3 > 0);
        let learned = |columns: Vec<Vec<f64>>, signal: &[f64]| {
            let data = several(names(3), columns, outcome(task, signal, 11));
            let imputed = impute(&data, &train, &[0, 1, 2], 0, 12);
            let cells = imputed.dataset(&data);
            let cells: Vec<Vec<f64>> = cells.columns().iter().map(|c| c.rows(&train)).collect();
            (imputed.chain, cells)
        };
        let own = learned(holes.clone(), &whole[0]);
        let (mut other, mut signal) = (holes.clone(), whole[0].clone());
        for &row in &rest {
            signal[row] = -signal[row];
            for column in &mut other {
                column[row] = 30.0 - 5.0 * column[row];
            }
        }
        assert!(own == learned(other, &signal), "{task:?}");
        // they would tell, were they asked
        let mut told = holes;
        train.iter().for_each(|&row| told[1][row] *= 2.0);
        assert!(own != learned(told, &whole[0]), "{task:?}");
    }
}

#[test]
fn levels_are_drawn_by_their_shares() {
    const N: usize = 600;
    let x = normal_columns(N, 1, 13).remove(0);
    let level = |i: usize| usize::from(x[i] > -0.5) + usize::from(x[i] > 0.5);
    let mut random = random(14);
    let gone: Vec<bool> = (0..N).map(|_| random.uniform() < 0.25).collect();
    let column = |l: usize| -> Vec<f64> {
        let cell = |i: usize| {
            if gone[i] {
                NAN
            } else {
                f64::from(u8::from(level(i) == l))
            }
        };
        (0..N).map(cell).collect()
    };
    let levels = BTreeMap::from([(1, ["a", "b", "c"].map(String::from).to_vec())]);
    let features = Features::new(vec!["x".into(), "t".into()], levels);
    let columns = vec![x.clone(), column(0), column(1), column(2)];
    let data = several(features, columns, Outcome::Continuous(x.clone()));
    let rows = all_rows(N);
    let imputed = impute(&data, &rows, &[0, 1, 2, 3], 0, 15);
    let whole = imputed.dataset(&data);
    let (mut right, mut ends) = (0, 0);
    let gaps: Vec<usize> = (0..N).filter(|&i| gone[i]).collect();
    for &i in &gaps {
        let one: Vec<f64> = (1..4).map(|j| whole.columns()[j].at(i)).collect();
        assert!(one.iter().all(|v| *v == 0.0 || *v == 1.0) && one.iter().sum::<f64>() == 1.0);
        let drawn = one.iter().position(|v| *v == 1.0).unwrap();
        right += usize::from(drawn == level(i));
        ends += usize::from(drawn.abs_diff(level(i)) == 2);
    }
    // (by chance a third would be right)
    assert!(
        10 * right > 4 * gaps.len() && 10 * ends < gaps.len(),
        "{right} {ends} {}",
        gaps.len()
    );
    // a new row gets the shares
    let fill = Fill::learn(&data, &rows);
    let mut cells = BTreeMap::from([(0, vec![-1.5, 1.5])]);
    (1..4).for_each(|j| {
        cells.insert(j, vec![NAN, NAN]);
    });
    imputed.chain.complete(&mut cells, &fill);
    assert!(cells[&1][0] > 0.6 && cells[&3][1] > 0.6, "{cells:?}");
}

fn quick(n: usize, d: usize, hidden: &[usize]) -> Settings {
    let validation = Validation::Draws {
        count: 6,
        share: 0.2,
    };
    let size = Size::new(n, d, Task::Regression);
    let mut settings = Settings::new(Protocol::Default, Penalty::MCP, validation, size);
    settings.linear = Linear::Leave;
    if hidden.is_empty() {
        settings = settings.linear();
    } else {
        (settings.first_epochs, settings.epochs) = (60, 20);
    }
    settings.lambdas = vec![0.01, 0.05, 0.2];
    settings.ridges = vec![0.01];
    settings.hidden = hidden.to_vec();
    settings
}

fn fitted(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).unwrap()
}

/// Networks of all chains are the model, which a file holds; what it predicts is their mean, each
/// with the gaps as its chain imputes them.
#[test]
fn a_model_pools_over_its_chains() {
    const N: usize = 120;
    for (task, hidden) in TASKS
        .into_iter()
        .flat_map(|task| [(task, &[4][..]), (task, &[])])
    {
        let whole = related(N, 4, 17);
        let holes = holed(&whole, 3, 0.15, 18);
        let signal: Vec<f64> = (0..N).map(|i| 1.5 * whole[0][i] - whole[1][i]).collect();
        let data = several(names(4), holes.clone(), outcome(task, &signal, 19));
        let found = fitted(&data, &quick(N, 4, hidden));
        let model = &found.model;
        let chains: Vec<usize> = model.networks.iter().filter_map(|n| n.chain).collect();
        for chain in 0..3 {
            assert!(chains.contains(&chain), "{task:?} {hidden:?}: {chains:?}");
        }
        assert_eq!(model.scaling.fill.chains().len(), 3);
        assert_eq!(&Model::from_json(&model.to_json()).unwrap(), model);
        let used = model.columns();
        let of = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            used.iter().map(|&j| columns[j].clone()).collect()
        };
        // by hand: complete the rows, predict with the networks of one chain, average
        let said = model.predict(&of(&holes), N);
        let by_chain: Vec<_> = (0..3)
            .map(|number| {
                let chain = model.scaling.fill.chain(number).unwrap();
                let mut cells: BTreeMap<usize, Vec<f64>> =
                    used.iter().map(|&j| (j, holes[j].clone())).collect();
                chain.complete(&mut cells, &model.scaling.fill);
                let networks = model.networks.iter().filter(|n| n.chain == Some(number));
                let alone = Model {
                    networks: networks.cloned().collect(),
                    ..model.clone()
                };
                let weight = alone.networks.len() as f64;
                (
                    weight,
                    alone.predict(&cells.into_values().collect::<Vec<_>>(), N),
                )
            })
            .collect();
        let total: f64 = by_chain.iter().map(|(weight, _)| weight).sum();
        for (at, column) in said.columns().iter().enumerate() {
            for (row, value) in column.iter().enumerate() {
                let mean = by_chain
                    .iter()
                    .map(|(w, p)| w * p.columns()[at][row])
                    .sum::<f64>()
                    / total;
                assert!(
                    (mean - value).abs() < 1e-9,
                    "{task:?} {hidden:?} {mean} {value}"
                );
            }
        }
        // every step of the path predicts, whatever its columns
        for step in 0..found.path.len() {
            let at = found.at(step);
            let columns: Vec<Vec<f64>> = at.columns().iter().map(|&j| holes[j].clone()).collect();
            let said = at.predict(&columns, N);
            assert!(said.columns().iter().flatten().all(|x| x.is_finite()));
        }
        if !used.is_empty() {
            let medians = Model {
                scaling: threshnet::columns::Scaling {
                    fill: Fill::new(model.scaling.fill.values().unwrap().to_vec()),
                    ..model.scaling.clone()
                },
                ..model.clone()
            };
            assert!(
                medians.predict(&of(&holes), N) != said,
                "{task:?} {hidden:?}"
            );
        }
    }
}

/// What a group of draws says of the rows that none of them saw does not depend on the outcome of
/// these rows: their gaps are filled without it.
#[test]
fn held_out_rows_are_imputed_without_their_outcome() {
    const N: usize = 90;
    let whole = related(N, 4, 21);
    let holes = holed(&whole, 4, 0.3, 22);
    let signal: Vec<f64> = (0..N).map(|i| whole[0][i] - whole[1][i]).collect();
    let settings = Settings {
        standardize: false,
        ..quick(N, 4, &[4])
    };
    let of = |y: Vec<f64>| {
        let data = several(names(4), holes.clone(), Outcome::Continuous(y));
        let groups = groups(data.response(), 6, settings.seed).unwrap();
        (fitted(&data, &settings), groups[0].held_out.clone())
    };
    let (own, group) = of(signal.clone());
    let mut changed = signal;
    group
        .iter()
        .for_each(|&row| changed[row] = 25.0 - changed[row]);
    let (other, _) = of(changed);
    let said = |fit: &Fit| -> Vec<f64> {
        let held_out = fit.bag.as_ref().unwrap().held_out.as_ref().unwrap();
        let of_row = |row: &usize| held_out.rows.iter().position(|r| r == row).unwrap();
        let values = &held_out.prediction.columns()[0];
        group.iter().map(|row| values[of_row(row)]).collect()
    };
    let change = said(&own)
        .iter()
        .zip(said(&other))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(change < 1e-9, "{change}");
    assert!(own.model != other.model);
}

#[test]
fn threads_change_nothing() {
    const N: usize = 80;
    let whole = related(N, 5, 23);
    let data = several(
        names(5),
        holed(&whole, 5, 0.2, 24),
        Outcome::Continuous(whole[0].clone()),
    );
    let settings = Settings {
        linear: Linear::Compare,
        ensemble: true,
        ..quick(N, 5, &[4])
    };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| fitted(&data, &settings))
    };
    let (one, three) = (with(1), with(3));
    assert!(one.model == three.model && one.frequencies == three.frequencies);
    let [one, three] = [one, three].map(|fit| fit.ensemble.unwrap().model);
    assert!(one == three);
    assert_eq!(Model::from_json(&one.to_json()).unwrap(), one);
    // the parts of an ensemble have chains of their own
    assert!(one.scaling.fill.chains().len() > 3);
}

/// The same cells, dense and without their zeros, give the same chain.
#[test]
fn sparse_columns_are_imputed_and_stay_sparse() {
    const N: usize = 150;
    let mut random = random(25);
    let columns: Vec<Vec<f64>> = (0..4)
        .map(|_| {
            let cell = |_| match random.below(12) {
                0 => NAN,
                1 | 2 => 1.0 + random.below(4) as f64,
                _ => 0.0,
            };
            (0..N).map(cell).collect()
        })
        .collect();
    let y = Outcome::Continuous(
        (0..N)
            .map(|i| columns[0][i].max(0.0) + random.normal())
            .collect(),
    );
    let dense = several(names(4), columns.clone(), y.clone());
    let stored = columns.iter().map(|column| {
        let kept = || column.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let rows: Vec<i32> = kept().map(|(row, _)| row as i32).collect();
        Column::sparse(N, rows, kept().map(|(_, x)| *x).collect::<Vec<f64>>()).unwrap()
    });
    let gaps = Gaps {
        missing: Missing::Multiple(3),
        indicators: false,
    };
    let sparse = Dataset::incomplete(names(4), stored.collect(), y, gaps).unwrap();
    let [a, b] = [&dense, &sparse].map(|data| impute(data, &all_rows(N), &[0, 1, 2, 3], 0, 26));
    assert!(a.chain == b.chain);
    let (a, b) = (a.dataset(&dense), b.dataset(&sparse));
    assert!(b.is_sparse() && a.columns() == b.columns());
    assert_eq!(b.columns()[0].missing(), 0);
}

/// Rows that count more tell more of what is put in.
#[test]
fn weights_count() {
    const N: usize = 300;
    let mut column: Vec<f64> = (0..N)
        .map(|i| if i % 2 == 0 { 0.0 } else { 10.0 })
        .collect();
    let weights: Vec<f64> = (0..N)
        .map(|i| if i % 2 == 0 { 0.05 } else { 1.0 })
        .collect();
    (0..60).for_each(|i| column[i] = NAN);
    let y: Vec<f64> = normal_columns(N, 1, 27).remove(0);
    let of = |weights: Option<Vec<f64>>| {
        let response = threshnet::dataset::Response {
            weights,
            ..Outcome::Continuous(y.clone()).into()
        };
        let gaps = Gaps {
            missing: Missing::Multiple(3),
            indicators: false,
        };
        let columns = vec![column.clone().into(), y.clone().into()];
        let data = Dataset::incomplete(names(2), columns, response, gaps).unwrap();
        let line = impute(&data, &all_rows(N), &[0], 0, 28).chain.equations[0].lines[0].clone();
        line.intercept
    };
    let known = &column[60..];
    let mean = weighted_spread(known.iter().copied(), Weights::new(&weights[60..])).mean;
    assert!((of(Some(weights.clone())) - mean).abs() < 1.0);
    assert!((of(None) - 5.0).abs() < 1.0 && mean > 9.0);
}

#[test]
fn what_does_not_pool_is_refused() {
    let whole = related(60, 3, 29);
    let data = several(
        names(3),
        holed(&whole, 2, 0.2, 30),
        Outcome::Continuous(whole[0].clone()),
    );
    for validation in [
        Validation::folds(3),
        Validation::None,
        Validation::Holdout {
            share: 0.2,
            stratified: false,
        },
    ] {
        let mut settings = quick(60, 3, &[3]);
        settings.validation = validation;
        settings.look_again = false;
        settings.ensemble = false;
        settings.lambdas = vec![0.05];
        let refused = fit(&data, &settings, &Unobserved).unwrap_err().to_string();
        assert!(
            refused.contains("validate by them, such as draws:12, or impute once"),
            "{refused}"
        );
    }
    let control = Control::Stability {
        pairs: 4,
        max_false: 1.0,
    };
    let refused = Plan::new(control, &data, &Request::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        refused.contains("the repeated fits of the default protocol are"),
        "{refused}"
    );
}

/// A model file whose chains are damaged is refused.
#[test]
fn damaged_chains_are_refused() {
    const N: usize = 80;
    let whole = related(N, 3, 31);
    let data = several(
        names(3),
        holed(&whole, 3, 0.2, 32),
        Outcome::Continuous(whole[0].clone()),
    );
    let text = fitted(&data, &quick(N, 3, &[])).model.to_json();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let damaged =
        |json: &serde_json::Value| Model::from_json(&json.to_string()).unwrap_err().to_string();
    json["networks"][0]["chain"] = 7.into();
    assert!(damaged(&json).contains("whose chain of imputations is not there"));
    json["networks"][0]["chain"] = 0.into();
    json["imputation"]["chains"][0]["equations"][0]["lines"][0]["column"] = 99.into();
    assert!(damaged(&json).contains("chain 0 of imputations is not complete"));
}
