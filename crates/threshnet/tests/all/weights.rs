//! Case weights: a row of weight 2 is the row twice, one of weight 0 is not there.

use super::common::{TASKS, dataset, normal_columns, outcome, random, same, single};
use threshnet::control::{Control, Plan};
use threshnet::dataset::{Column, Dataset, Outcome, Response, Task};
use threshnet::error::Error;
use threshnet::loss::Ties;
use threshnet::penalty::Penalty;
use threshnet::report::{FitReport, Fitted};
use threshnet::screen::screened;
use threshnet::settings::{Protocol, Request, Settings, Size, log_grid};
use threshnet::solver::{Proximal, Solver, Unobserved};
use threshnet::tune::{Fit, fit};

/// Data of a task, six columns of which two matter, with weights that are 0, 1, 2 or 3.
struct Counted {
    columns: Vec<Vec<f64>>,
    outcome: Outcome,
    counts: Vec<usize>,
}

impl Counted {
    fn new(task: Task, n: usize, least: usize) -> Self {
        let columns = normal_columns(n, 6, 3);
        let signal: Vec<f64> = (0..n)
            .map(|i| columns[0][i] - 0.8 * columns[1][i])
            .collect();
        let mut random = random(17);
        Counted {
            outcome: outcome(task, &signal, 4),
            counts: (0..n).map(|_| least + random.below(4 - least)).collect(),
            columns,
        }
    }

    fn response(&self, weights: Vec<f64>) -> Response {
        Response {
            outcome: self.outcome.clone(),
            weights: Some(weights),
            folds: None,
            clusters: None,
        }
    }

    fn data(&self, response: impl Into<Response>) -> Dataset<'static> {
        let names = (0..6).map(|j| format!("x{j}")).collect();
        Dataset::new(names, self.columns.clone(), response).unwrap()
    }

    fn weights(&self) -> Vec<f64> {
        self.counts.iter().map(|&count| count as f64).collect()
    }

    /// Every row with its weight.
    fn weighted(&self) -> Dataset<'static> {
        self.data(self.response(self.weights()))
    }

    /// Every row as often as its weight says.
    fn repeated(&self) -> Dataset<'static> {
        let rows: Vec<usize> = (0..self.counts.len())
            .flat_map(|row| std::iter::repeat_n(row, self.counts[row]))
            .collect();
        let columns = self.columns.iter();
        dataset(
            columns
                .map(|c| rows.iter().map(|&i| c[i]).collect())
                .collect(),
            self.outcome.rows(&rows),
        )
    }

    /// The rows that count at all, with their weights.
    fn present(&self) -> Dataset<'static> {
        let rows: Vec<usize> = (0..self.counts.len())
            .filter(|&i| self.counts[i] > 0)
            .collect();
        let plain = self.data(self.outcome.clone()).subset(&rows).unwrap();
        let weights = rows.iter().map(|&i| self.counts[i] as f64).collect();
        let response = Response {
            outcome: plain.outcome().clone(),
            weights: Some(weights),
            folds: None,
            clusters: None,
        };
        Dataset::of(plain.names().to_vec(), plain.columns().to_vec(), response).unwrap()
    }
}

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).unwrap()
}

/// A linear model at one λ and ridge, solved exactly.
fn linear(penalty: Penalty, ties: Ties) -> Settings {
    Settings {
        hidden: vec![],
        ties,
        solver: Solver::Proximal(Proximal {
            tolerance: 1e-9,
            ..Proximal::default()
        }),
        first_epochs: 20_000,
        epochs: 20_000,
        standardize: true,
        ..single(penalty, 0.03, 0.02)
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice_in_converged_linear_fits() {
    for task in TASKS {
        let counted = Counted::new(task, 120, 0);
        for penalty in [Penalty::Lasso, Penalty::MCP, Penalty::SCAD] {
            for ties in [Ties::Breslow, Ties::Efron] {
                let settings = linear(penalty, ties);
                let one = run(&counted.weighted(), &settings);
                let other = run(&counted.repeated(), &settings);
                let (a, b) = (&one.model.networks[0], &other.model.networks[0]);
                assert_eq!(a.inputs, b.inputs, "{task:?} {penalty:?}");
                assert!(!a.inputs.is_empty());
                for (a, b) in a.weights.iter().zip(&b.weights) {
                    assert!(
                        (a - b).abs() < 1e-6,
                        "{task:?} {penalty:?} {ties:?}: {a} {b}"
                    );
                }
                for (a, b) in one.model.baseline.iter().zip(&other.model.baseline) {
                    assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-6, "{a:?} {b:?}");
                }
                let (mine, theirs) = (&one.model.scaling, &other.model.scaling);
                for j in 0..6 {
                    assert!((mine.center[j] - theirs.center[j]).abs() < 1e-10);
                    assert!((mine.scale[j] - theirs.scale[j]).abs() < 1e-10);
                }
                assert!((one.solved.loss - other.solved.loss).abs() < 1e-8);
                assert!(one.solved.certificate.largest() < 1e-6);
                assert!(other.solved.certificate.largest() < 1e-6);
            }
        }
    }
}

/// Whatever is drawn, split or averaged: rows of weight 0 leave no trace, not in one bit.
#[test]
fn a_weight_of_zero_is_absence() {
    for task in TASKS {
        let counted = Counted::new(task, 90, 0);
        let (with, without) = (counted.weighted(), counted.present());
        assert!(with.n() < 90 && with.n() == without.n());
        let numbers: Vec<usize> = (0..with.n()).map(|row| with.number(row)).collect();
        let present: Vec<usize> = (0..90).filter(|&i| counted.counts[i] > 0).collect();
        assert_eq!(numbers, present);
        for protocol in [Protocol::Paper, Protocol::Default] {
            let request = Request {
                protocol,
                lambdas: Some(vec![0.02, 0.1, 0.3]),
                ridges: Some(vec![0.01]),
                first_epochs: Some(60),
                epochs: Some(30),
                ..Request::default()
            };
            let settings = request.settings(Size::of(&with)).unwrap();
            let [one, other] = [&with, &without].map(|data| run(data, &settings));
            assert_eq!(one.model.networks.len(), other.model.networks.len());
            for (a, b) in one.model.networks.iter().zip(&other.model.networks) {
                assert!(same(a, b), "{task:?} {protocol:?}");
            }
            assert_eq!(one.frequencies, other.frequencies);
            let loss = |fit: &Fit| fit.validation.mean.to_bits();
            assert_eq!(loss(&one), loss(&other));
        }
    }
}

/// All weights times a number are the same problem.
#[test]
fn only_the_shares_of_weights_matter_to_a_loss() {
    for task in TASKS {
        let counted = Counted::new(task, 120, 1);
        let settings = linear(Penalty::MCP, Ties::Breslow);
        let scaled = |by: f64| {
            let weights = counted.weights().iter().map(|w| by * w).collect();
            run(&counted.data(counted.response(weights)), &settings)
        };
        let (one, other) = (scaled(1.0), scaled(0.013));
        for (a, b) in (one.model.networks[0].weights.iter()).zip(&other.model.networks[0].weights) {
            assert!((a - b).abs() < 1e-7, "{task:?}: {a} {b}");
        }
    }
}

/// Two populations that depend on other columns: the weights say which of them is asked about.
fn population(counting: usize) -> Dataset<'static> {
    let (n, d) = (400, 12);
    let columns = normal_columns(n, d, 8);
    let mut random = random(9);
    let y: Vec<f64> = (0..n)
        .map(|i| 2.0 * columns[i % 2][i] + 0.3 * random.normal())
        .collect();
    let weights = (0..n).map(|i| if i % 2 == counting { 1.0 } else { 1e-6 });
    let response = Response {
        outcome: Outcome::Continuous(y),
        weights: Some(weights.collect()),
        folds: None,
        clusters: None,
    };
    let names = (0..d).map(|j| format!("x{j}")).collect();
    Dataset::new(names, columns, response).unwrap()
}

#[test]
fn the_default_selects_what_matters_to_the_rows_that_count() {
    for counting in [0, 1] {
        let data = population(counting);
        let settings = Request::default().settings(Size::of(&data)).unwrap();
        let found = run(&data, &settings);
        assert_eq!(found.model.selected(), [counting]);
        // and the figures are of those rows, too: of all rows half would not be explained
        let report = FitReport::new(&Fitted {
            data: &data,
            request: &Request::default(),
            settings: &settings,
            fit: &found,
            controlled: None,
            nested: None,
            importance: None,
            seconds: 0.0,
            explain: false,
        })
        .unwrap();
        let (_, r2) = report.main_estimate().unwrap();
        assert!(r2.value > 0.9, "{r2:?}");
        assert!((report.data.weight.unwrap() - 200.0002).abs() < 1e-6);
    }
}

#[test]
fn screens_count_rows_by_their_weights() {
    for task in TASKS {
        let counted = Counted::new(task, 150, 1);
        let kept = |data: &Dataset| {
            let rows: Vec<usize> = (0..data.n()).collect();
            screened(data, &rows, &[0, 1, 2, 3, 4, 5], 3)
        };
        assert_eq!(
            kept(&counted.weighted()),
            kept(&counted.repeated()),
            "{task:?}"
        );
    }
}

#[test]
fn halves_and_knockoffs_select_what_matters_to_the_rows_that_count() {
    let request = Request {
        lambdas: Some(log_grid(0.005, 0.3, 12)),
        ridges: Some(vec![0.01]),
        ..Request::default()
    };
    for counting in [0, 1] {
        let data = population(counting);
        let pairs = Control::Stability {
            pairs: 3,
            max_false: 2.0,
        };
        let plan = Plan::new(pairs, &data, &request).unwrap();
        let strongest = plan.run(0, &Unobserved).unwrap()[0];
        assert_eq!(strongest, counting as f64);
        let plan = Plan::new(Control::Fdr { rate: 0.5 }, &data, &request).unwrap();
        assert_eq!(plan.data().response().weights, data.response().weights);
        let exits = plan.run(0, &Unobserved).unwrap();
        assert!(exits[counting] > exits[1 - counting], "{exits:?}");
        assert!(exits[counting] > exits[12 + counting], "{exits:?}");
    }
}

#[test]
fn weights_that_are_none_and_ties_without_end_are_refused() {
    let counted = Counted::new(Task::Cox, 60, 1);
    let refused = |weights: Vec<f64>| {
        let names = (0..6).map(|j| format!("x{j}")).collect();
        let columns = counted.columns.iter().cloned().map(Column::from).collect();
        Dataset::of(names, columns, counted.response(weights)).unwrap_err()
    };
    let mut negative = counted.weights();
    negative[7] = -0.5;
    assert!(refused(negative).to_string().contains("row 8 is -0.5"));
    assert!(
        refused(vec![1.0; 59])
            .to_string()
            .contains("59 weights for 60 rows")
    );
    // all events but those of weight 0
    let Outcome::Survival { event, .. } = &counted.outcome else {
        unreachable!("the outcome is survival");
    };
    let censored = event.iter().map(|&e| if e { 0.0 } else { 1.0 }).collect();
    assert!(refused(censored).to_string().contains("no event"));
    let many = counted.data(counted.response(vec![1e9; 60]));
    let settings = linear(Penalty::Lasso, Ties::Efron);
    let Err(Error::Setting { name, problem }) = fit(&many, &settings, &Unobserved) else {
        panic!("a billion tied events take forever");
    };
    assert_eq!(name, "ties");
    assert!(problem.contains("breslow"), "{problem}");
    run(&many, &linear(Penalty::Lasso, Ties::Breslow));
}
