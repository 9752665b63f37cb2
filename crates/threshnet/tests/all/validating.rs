//! Nested validation: runs of the whole procedure that do not see what they are scored on.

use crate::common::{TASKS, dataset, normal_columns, outcome, planted, random};
use std::collections::BTreeSet;
use threshnet::dataset::{Dataset, Outcome, Response, Task};
use threshnet::metrics::Metric;
use threshnet::model::Prediction;
use threshnet::settings::{Outer, PenaltyName, Request, ValidationName};
use threshnet::solver::Unobserved;
use threshnet::threads;
use threshnet::validate::{Nested, Plan, predicted, procedure};

/// A linear model, chosen by folds: a fit of a moment.
fn quick(outer: Outer) -> Request {
    Request {
        hidden: Some(vec![]),
        penalty: PenaltyName::Lasso,
        validation: Some(ValidationName::Folds(3)),
        outer: Some(outer),
        seed: 3,
        ..Request::default()
    }
}

const FOLDS: Outer = Outer::Folds {
    count: 4,
    repeats: 2,
};

fn found(plan: &Plan) -> Vec<Vec<f64>> {
    (0..plan.runs())
        .map(|number| plan.run(number, &Unobserved).unwrap())
        .collect()
}

fn nested(data: &Dataset, request: &Request) -> Nested {
    let plan = Plan::new(data, request).unwrap();
    plan.combined(&found(&plan), None).unwrap()
}

fn clustered(n: usize) -> Response {
    Response {
        clusters: Some((0..n).map(|row| row / 3).collect()),
        ..Response::from(outcome(Task::Cox, &normal_columns(n, 1, 4)[0], 4))
    }
}

#[test]
fn every_row_is_held_out_once_a_repeat_and_no_cluster_is_divided() {
    let response = clustered(90);
    let clusters = response.clusters.clone().unwrap();
    let names = (0..4).map(|j| format!("x{j}")).collect();
    let data = Dataset::new(names, normal_columns(90, 4, 1), response).unwrap();
    for outer in [FOLDS, Outer::Bootstrap { count: 12 }] {
        let plan = Plan::new(&data, &quick(outer)).unwrap();
        assert_eq!(plan.runs(), outer.splits());
        let mut times = vec![0; 90];
        for split in plan.splits() {
            let of = |rows: &[usize]| -> BTreeSet<usize> {
                rows.iter().map(|&row| clusters[row]).collect()
            };
            assert!(of(&split.learned).is_disjoint(&of(&split.held_out)));
            assert_eq!(split.learned.len() + split.held_out.len(), 90);
            split.held_out.iter().for_each(|&row| times[row] += 1);
            if let Some(drawn) = &split.times {
                assert_eq!(drawn.iter().sum::<f64>(), 90.0);
                assert!(drawn.iter().all(|times| *times >= 1.0));
            }
        }
        match outer {
            Outer::Folds { repeats, .. } => assert_eq!(times, vec![repeats; 90]),
            Outer::Bootstrap { .. } => assert!(times.iter().all(|&times| (0..12).contains(&times))),
        }
        let folds: BTreeSet<&Vec<usize>> =
            plan.splits().iter().map(|split| &split.held_out).collect();
        assert_eq!(folds.len(), plan.runs(), "repeats are drawn anew");
    }
}

/// A bootstrap sample has as many rows of each class as there are.
#[test]
fn bootstrap_samples_are_stratified() {
    let data = planted(Task::Binary, (60, 4), (0, 1), 2);
    let Outcome::Classes { labels, .. } = data.outcome() else {
        panic!()
    };
    let plan = Plan::new(&data, &quick(Outer::Bootstrap { count: 10 })).unwrap();
    let positive = labels.iter().sum::<usize>() as f64;
    for split in plan.splits() {
        let times = split.times.as_ref().unwrap();
        let drawn = split
            .learned
            .iter()
            .zip(times)
            .filter(|(row, _)| labels[**row] == 1);
        assert_eq!(drawn.map(|(_, times)| times).sum::<f64>(), positive);
    }
}

#[test]
fn any_number_of_threads_and_any_order_give_the_same_bits() {
    for task in TASKS {
        let data = planted(task, (80, 6), (4, 1), 5);
        let request = quick(FOLDS);
        let plan = Plan::new(&data, &request).unwrap();
        let combined = |jobs: usize, reversed: bool| {
            threads::pool(Some(jobs)).unwrap().install(|| {
                let mut numbers: Vec<usize> = (0..plan.runs()).collect();
                if reversed {
                    numbers.reverse();
                }
                let mut found: Vec<(usize, Vec<f64>)> = numbers
                    .into_iter()
                    .map(|number| (number, plan.run(number, &Unobserved).unwrap()))
                    .collect();
                found.sort_by_key(|(number, _)| *number);
                let found: Vec<Vec<f64>> = found.into_iter().map(|(_, found)| found).collect();
                serde_json::to_string(&plan.combined(&found, None).unwrap()).unwrap()
            })
        };
        assert_eq!(combined(1, false), combined(3, true), "{task:?}");
    }
}

/// Every figure, by an own route: fits of parts of the rows, metrics of what they say.
#[test]
fn figures_are_those_of_fits_without_the_rows() {
    let data = planted(Task::Regression, (80, 6), (4, 1), 5);
    let request = quick(FOLDS);
    let plan = Plan::new(&data, &request).unwrap();
    let nested = nested(&data, &request);
    let (mut all, mut sizes) = (vec![], vec![]);
    for (number, split) in plan.splits().iter().enumerate() {
        let part = data.subset(&split.learned).unwrap();
        let own = Request {
            seed: plan.seed(number),
            outer: None,
            ..request.clone()
        };
        let fit = procedure(&part, &own, &Unobserved).unwrap();
        let said = predicted(&fit.model, &data, split.held_out.clone());
        let rows = data.response().rows(&split.held_out);
        let run = &nested.runs[number];
        assert_eq!(
            run.metrics[&Metric::R2],
            Metric::R2.value(&said, &rows).ok()
        );
        assert_eq!(
            (run.rows, run.size),
            (split.held_out.len(), fit.model.selected().len())
        );
        sizes.push(fit.model.selected());
        all.push((split.held_out.clone(), said));
    }
    // pooled over the folds of a repeat, the mean over repeats
    let pooled = |repeat: &[(Vec<usize>, Prediction)]| {
        let rows: Vec<usize> = repeat.iter().flat_map(|(rows, _)| rows.clone()).collect();
        let said = repeat
            .iter()
            .flat_map(|(_, said)| said.columns()[0].clone())
            .collect();
        Metric::R2
            .value(&Prediction::Numbers(said), &data.response().rows(&rows))
            .unwrap()
    };
    let expected = (pooled(&all[..4]) + pooled(&all[4..])) / 2.0;
    let r2 = nested.metrics[&Metric::R2].unwrap();
    assert!(
        (r2.value - expected).abs() < 1e-12,
        "{} {expected}",
        r2.value
    );
    let (low, high) = r2.interval.unwrap();
    assert!(low < r2.value && r2.value < high && r2.bootstrap.is_none());
    for of in &nested.selected {
        let times = sizes
            .iter()
            .filter(|selected| selected.contains(&of.index))
            .count();
        assert_eq!(of.frequency, times as f64 / 8.0);
    }
    assert_eq!((nested.outer.as_str(), nested.rows), ("cv:4x2", 80));
    let always = |index| {
        nested
            .selected
            .iter()
            .any(|of| of.index == index && of.frequency == 1.0)
    };
    assert!(always(4) && always(1), "{:?}", nested.selected);
}

/// Harrell's optimism by its definition, with the rows of a sample written out.
#[test]
fn optimism_is_how_much_better_samples_are_predicted_than_all_rows() {
    let data = planted(Task::Binary, (70, 8), (4, 1), 6);
    let request = quick(Outer::Bootstrap { count: 10 });
    let plan = Plan::new(&data, &request).unwrap();
    let all: Vec<usize> = (0..70).collect();
    let whole = Request {
        outer: None,
        ..request.clone()
    };
    let apparent = predicted(
        &procedure(&data, &whole, &Unobserved).unwrap().model,
        &data,
        all.clone(),
    );
    let nested = plan.combined(&found(&plan), Some(&apparent)).unwrap();
    let mut optimism = 0.0;
    for (number, split) in plan.splits().iter().enumerate() {
        let part = data.drawn(&split.learned, split.times.as_deref()).unwrap();
        let own = Request {
            seed: plan.seed(number),
            ..whole.clone()
        };
        let model = procedure(&part, &own, &Unobserved).unwrap().model;
        let repeated: Vec<usize> = (split.learned.iter().zip(split.times.as_ref().unwrap()))
            .flat_map(|(&row, &times)| std::iter::repeat_n(row, times as usize))
            .collect();
        let auc = |rows: &[usize]| {
            let said = predicted(&model, &data, rows.to_vec());
            Metric::Auc
                .value(&said, &data.response().rows(rows))
                .unwrap()
        };
        optimism += (auc(&repeated) - auc(&all)) / 10.0;
    }
    let auc = nested.metrics[&Metric::Auc].unwrap();
    let corrected = auc.bootstrap.unwrap();
    let expected = Metric::Auc.value(&apparent, data.response()).unwrap();
    assert!((corrected.apparent - expected).abs() < 1e-12);
    assert!((corrected.harrell - (expected - optimism)).abs() < 1e-12);
    assert_eq!(auc.value, corrected.plus_632);
    assert!(corrected.out_of_bag <= auc.value && auc.value <= corrected.apparent);
}

/// Rows without a signal: fits to them, whatever is selected, tell nothing of others.
#[test]
fn permuted_outcomes_give_chance() {
    let (mut aucs, repeats) = (vec![], 12);
    for seed in 0..repeats {
        let planted = planted(Task::Binary, (80, 40), (4, 1), seed);
        let order = random(seed + 50).permutation(80);
        let data = dataset(
            planted
                .columns()
                .iter()
                .map(|column| column.to_vec())
                .collect(),
            planted.outcome().rows(&order),
        );
        let request = quick(Outer::Folds {
            count: 4,
            repeats: 1,
        });
        aucs.push(nested(&data, &request).metrics[&Metric::Auc].unwrap().value);
    }
    let n = aucs.len() as f64;
    let mean = aucs.iter().sum::<f64>() / n;
    let se = (aucs.iter().map(|auc| (auc - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    assert!(
        (mean - 0.5).abs() < 2.0 * se.max(0.005),
        "{mean} ± {se}: {aucs:?}"
    );
}

/// What was learned from all rows beforehand is not seen; what the procedure learns is.
#[test]
fn a_selection_made_on_all_rows_is_caught_once_it_is_part_of_the_procedure() {
    let (n, d, keep) = (60, 400, 10);
    let columns = normal_columns(n, d, 8);
    let y = outcome(Task::Binary, &normal_columns(n, 1, 9)[0], 9);
    let Outcome::Classes { labels, .. } = &y else {
        panic!()
    };
    // the columns that go with the classes of all rows, by chance
    let signed = |column: &Vec<f64>| -> f64 {
        let pairs = column.iter().zip(labels);
        pairs
            .map(|(x, &label)| x * (label as f64 - 0.5))
            .sum::<f64>()
            .abs()
    };
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| signed(&columns[b]).total_cmp(&signed(&columns[a])));
    let leaky = dataset(
        order[..keep].iter().map(|&j| columns[j].clone()).collect(),
        y.clone(),
    );
    let whole = dataset(columns, y);
    let request = quick(Outer::Folds {
        count: 5,
        repeats: 2,
    });
    let screened = Request {
        screen: Some(keep),
        ..request.clone()
    };
    let auc =
        |data: &Dataset, request: &Request| nested(data, request).metrics[&Metric::Auc].unwrap();
    let (leaked, caught) = (auc(&leaky, &request), auc(&whole, &screened));
    assert!(leaked.value > 0.75, "{leaked:?}");
    let (low, high) = caught.interval.unwrap();
    assert!(
        low <= 0.5 && 0.5 <= high && caught.value < 0.65,
        "{caught:?}"
    );
}

#[test]
fn error_control_is_part_of_the_procedure() {
    let data = planted(Task::Regression, (90, 6), (4, 1), 5);
    let request = Request {
        stability: Some(5),
        ..quick(Outer::Folds {
            count: 3,
            repeats: 1,
        })
    };
    let nested = nested(&data, &request);
    assert_eq!(nested.runs.len(), 3);
    let strongest: BTreeSet<usize> = nested.selected[..2].iter().map(|of| of.index).collect();
    assert_eq!(strongest, BTreeSet::from([1, 4]));
}

#[test]
fn what_is_no_run_or_no_plan_is_refused() {
    let data = planted(Task::Binary, (60, 4), (0, 1), 2);
    let plan = Plan::new(&data, &quick(FOLDS)).unwrap();
    let runs = found(&plan);
    assert!(plan.is_valid(0, &runs[0]));
    assert!(plan.combined(&runs[1..], None).is_err());
    assert!(!plan.is_valid(99, &runs[0]) && !plan.is_valid(0, &[]));
    for (at, wrong) in [
        (0, 9.0),
        (0, 0.5),
        (0, -1.0),
        (1, 4.0),
        (1, f64::NAN),
        (4, f64::NAN),
    ] {
        let mut broken = runs[0].clone();
        broken[at] = wrong;
        assert!(!plan.is_valid(0, &broken), "{at} {wrong}");
    }
    assert!(!plan.is_valid(0, &runs[0][..runs[0].len() - 1]));
    let says = |request: &Request| Plan::new(&data, request).unwrap_err().to_string();
    let none = Request {
        outer: None,
        ..quick(FOLDS)
    };
    assert!(says(&none).contains("outer"));
    let many = quick(Outer::Folds {
        count: 61,
        repeats: 1,
    });
    assert!(
        says(&many).starts_with("outer: 61 folds of 60 rows"),
        "{}",
        says(&many)
    );
    // a run that cannot be made says which
    let rare = dataset(
        normal_columns(12, 3, 1),
        Outcome::Survival {
            time: (1..=12).map(f64::from).collect(),
            event: (0..12).map(|row| row < 2).collect(),
        },
    );
    let two = quick(Outer::Folds {
        count: 2,
        repeats: 1,
    });
    let plan = Plan::new(&rare, &two).unwrap();
    let problem = plan.run(0, &Unobserved).unwrap_err().to_string();
    assert!(
        problem.contains("in run 1 of 2 of the outer validation"),
        "{problem}"
    );
}
