//! Coordinate descent for linear models: it ends at a minimum, whatever the loss, the penalty and
//! how the data are held, and at the one that definitions and other solvers find.

use crate::common::{Recorder, TASKS, dataset, normal_columns, outcome, random, same};
use std::collections::BTreeMap;
use threshnet::activation::Activation;
use threshnet::certificate::Certificate;
use threshnet::columns::{Blocks, Part, Scaling, Standardised, usable_columns};
use threshnet::dataset::{Column, Dataset, Features, Outcome, Response, Task};
use threshnet::linear::{Descent, largest_lambda};
use threshnet::loss::{Loss, Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Direction, Step, Tracer};
use threshnet::penalty::Penalty;
use threshnet::settings::log_grid;
use threshnet::solver::{Problem, Solver, Status, Unobserved};

/// Coefficients are compared to 1e-6.
const CLOSELY: Descent = Descent {
    tolerance: 1e-10,
    most_columns: usize::MAX,
};

/// All rows of a data set, ready for a linear model.
struct Rows {
    columns: Standardised,
    loss: Box<dyn Loss>,
    null: Mlp,
}

impl Rows {
    fn new(data: &Dataset, ties: Ties, blocks: Blocks) -> Self {
        let rows: Vec<usize> = (0..data.n()).collect();
        let usable = usable_columns(data, &rows);
        let scaling = Scaling::learn(data, &rows, true);
        let part = Part {
            rows: &rows,
            columns: &usable,
            batch: rows.len(),
        };
        let loss = for_response(data.response(), ties);
        let task = data.outcome().task();
        let shape = Shape {
            groups: data.features().groups(),
            ..Shape::new(&[], loss.outputs(), Activation::Relu, task)
        };
        Rows {
            columns: Standardised::in_blocks(data, part, &scaling, blocks),
            null: Mlp::zero(usable, shape),
            loss,
        }
    }

    fn problem(&self, penalty: Penalty, ridge: f64) -> Problem<'_> {
        Problem {
            free_bias: true,
            ..Problem::new(&self.columns, &*self.loss, penalty, ridge)
        }
    }

    fn largest_lambda(&self) -> f64 {
        largest_lambda(&self.problem(Penalty::Lasso, 0.0), &self.null)
    }

    /// A path from all columns out, with what the exact gradient says of every step.
    fn path(&self, problem: &Problem, lambdas: &[f64], direction: Direction) -> Vec<Step> {
        let tracer = Tracer {
            lambdas,
            direction,
            solver: Solver::Descent(CLOSELY),
            first_epochs: 1000,
            epochs: 1000,
        };
        tracer.trace(problem, |_| self.null.clone(), &Unobserved)
    }

    /// How stationary a step is over all columns, by the exact gradient of networks.
    fn assess(&self, problem: &Problem, step: &Step) -> Certificate {
        let wide = step.network.widened(&self.null.inputs);
        problem.assess(&wide, step.lambda).1
    }

    /// The weights of all columns, then the biases.
    fn weights(&self, network: &Mlp) -> Vec<f64> {
        network.widened(&self.null.inputs).weights
    }
}

/// How data are held.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Dense,
    Sparse,
    /// Numbers and texts of four levels.
    Groups,
}

fn data(task: Task, held: Held, weights: Option<Vec<f64>>) -> Dataset<'static> {
    let (n, d) = (90, 40);
    let mut random = random(31);
    let numbers: Vec<Vec<f64>> = match held {
        Held::Sparse => (0..d)
            .map(|_| {
                let cell = |_| match random.below(8) {
                    0 => 1.0 + random.below(4) as f64,
                    _ => 0.0,
                };
                (0..n).map(cell).collect()
            })
            .collect(),
        _ => {
            let mut columns = normal_columns(n, d, 3);
            for j in 1..d {
                let before = columns[j - 1].clone();
                for (x, before) in columns[j].iter_mut().zip(before) {
                    *x = 0.6 * before + 0.8 * *x;
                }
            }
            columns
        }
    };
    let signal: Vec<f64> = (0..n)
        .map(|i| numbers[0][i] - 0.8 * numbers[3][i] + 0.5 * numbers[9][i])
        .collect();
    let response = Response {
        weights,
        ..Response::from(outcome(task, &signal, 5))
    };
    let mut names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
    let mut columns: Vec<Column> = match held {
        Held::Sparse => numbers.into_iter().map(without_zeros).collect(),
        _ => numbers.into_iter().map(Column::from).collect(),
    };
    let mut levels = BTreeMap::new();
    if held == Held::Groups {
        for text in 0..4 {
            levels.insert(d + text, (0..4).map(|l| format!("level {l}")).collect());
            names.push(format!("text {text}"));
            let of_rows: Vec<usize> = (0..n).map(|_| random.below(4)).collect();
            columns.extend(Features::one_hot(4, &of_rows).into_iter().map(Column::from));
        }
    }
    Dataset::encoded(Features::new(names, levels), columns, response).expect("test data are valid")
}

fn without_zeros(values: Vec<f64>) -> Column<'static> {
    let kept: Vec<(i32, f64)> = (values.iter().enumerate())
        .filter(|(_, value)| **value != 0.0)
        .map(|(row, value)| (row as i32, *value))
        .collect();
    let (rows, cells): (Vec<i32>, Vec<f64>) = kept.into_iter().unzip();
    Column::sparse(values.len(), rows, cells).unwrap()
}

fn case_weights() -> Vec<f64> {
    (0..90).map(|i| 0.5 + (i % 4) as f64).collect()
}

#[test]
fn every_path_is_stationary_whatever_is_fitted() {
    for task in TASKS {
        for held in [Held::Dense, Held::Sparse, Held::Groups] {
            for (weights, ties) in [(None, Ties::Breslow), (Some(case_weights()), Ties::Efron)] {
                let rows = Rows::new(&data(task, held, weights), ties, Blocks::ByColumn);
                let largest = rows.largest_lambda();
                let lambdas = log_grid(0.03 * largest, largest, 12);
                for (penalty, ridge) in [
                    (Penalty::Lasso, 0.0),
                    (Penalty::Lasso, 0.02),
                    (Penalty::MCP, 1e-3),
                    (Penalty::SCAD, 1e-3),
                ] {
                    let what = format!("{task:?} {held:?} {ties:?} {penalty:?} {ridge}");
                    let problem = rows.problem(penalty, ridge);
                    let steps = rows.path(&problem, &lambdas, Direction::Forward);
                    assert_eq!(steps.last().unwrap().network.size(), 0, "{what}");
                    assert!(steps[0].network.size() > 3, "{what}");
                    for step in &steps {
                        let found = rows.assess(&problem, step).largest();
                        let said = step.solved.certificate.largest();
                        assert_eq!(step.solved.status, Status::Converged, "{what}");
                        assert!(found < 1e-8 && said < 1e-8, "{what}: {found} {said}");
                    }
                }
            }
        }
    }
}

#[test]
fn lambda_max_is_where_the_first_column_enters() {
    for task in TASKS {
        let data = data(task, Held::Groups, Some(case_weights()));
        let rows = Rows::new(&data, Ties::Efron, Blocks::ByColumn);
        let largest = rows.largest_lambda();
        let problem = rows.problem(Penalty::Lasso, 0.01);
        let lambdas = [0.999 * largest, 1.001 * largest];
        let steps = rows.path(&problem, &lambdas, Direction::Forward);
        let sizes: Vec<usize> = steps.iter().map(|step| step.network.size()).collect();
        assert_eq!(sizes, [1, 0], "{task:?}");
    }
}

#[test]
fn the_objective_never_rises() {
    for task in TASKS {
        for penalty in [Penalty::Lasso, Penalty::MCP, Penalty::SCAD] {
            let rows = Rows::new(
                &data(task, Held::Groups, None),
                Ties::Efron,
                Blocks::ByColumn,
            );
            let problem = rows.problem(penalty, 1e-3);
            let recorder = Recorder::default();
            let mut model = rows.null.clone();
            let lambda = 0.02 * rows.largest_lambda();
            CLOSELY.solve(&problem, lambda, &mut model, 1000, &recorder);
            let epochs = recorder.epochs.into_inner().unwrap();
            assert!(epochs.windows(2).all(|pair| pair[1].1 <= pair[0].1 + 1e-12));
            let smooth = problem.smooth(&model);
            let end = problem.objective(&model, lambda, smooth.loss);
            assert!(end < epochs[0].1, "{task:?} {penalty:?}");
        }
    }
}

/// Coordinate descent as it is written down: all columns, one after the other, residuals and all.
fn naive(rows: &Rows, y: &[f64], lambda: f64, ridge: f64) -> Vec<f64> {
    let n = y.len() as f64;
    let x: Vec<Vec<f64>> = (0..rows.null.inputs.len())
        .map(|j| {
            let column = rows.columns.storage().column(j);
            column.into_iter().map(f64::from).collect()
        })
        .collect();
    let (mut w, mut b) = (vec![0.0; x.len()], 0.0);
    let mut residual = y.to_vec();
    for _ in 0..20_000 {
        let mean = residual.iter().sum::<f64>() / n;
        b += mean;
        residual.iter_mut().for_each(|r| *r -= mean);
        for (x, w) in x.iter().zip(&mut w) {
            let bend = 2.0 * x.iter().map(|x| x * x).sum::<f64>() / n;
            let dot = 2.0 * x.iter().zip(&residual).map(|(x, r)| x * r).sum::<f64>() / n;
            let target = dot + bend * *w;
            let new = target.signum() * (target.abs() - lambda).max(0.0) / (bend + 2.0 * ridge);
            for (r, x) in residual.iter_mut().zip(x) {
                *r -= (new - *w) * x;
            }
            *w = new;
        }
    }
    w.push(b);
    w
}

/// Groups that are left out were not needed: the path is that of all columns all the time.
#[test]
fn a_path_is_that_of_all_columns_all_the_time() {
    for held in [Held::Dense, Held::Sparse] {
        let data = data(Task::Regression, held, None);
        let Outcome::Continuous(y) = data.outcome() else {
            unreachable!()
        };
        let rows = Rows::new(&data, Ties::Breslow, Blocks::ByColumn);
        let largest = rows.largest_lambda();
        let lambdas = log_grid(0.01 * largest, largest, 8);
        for ridge in [0.0, 0.05] {
            let problem = rows.problem(Penalty::Lasso, ridge);
            for direction in [Direction::Forward, Direction::Backward, Direction::Cold] {
                for step in rows.path(&problem, &lambdas, direction) {
                    let expected = naive(&rows, y, step.lambda, ridge);
                    for (w, expected) in rows.weights(&step.network).iter().zip(&expected) {
                        let off = (w - expected).abs();
                        assert!(off < 1e-6, "{held:?} {direction:?}: {w} {expected}");
                    }
                }
            }
        }
    }
}

/// What a network's layout or the width of its blocks is makes no difference.
#[test]
fn blocks_of_rows_make_no_difference() {
    for held in [Held::Dense, Held::Sparse] {
        let mut data = data(Task::Binary, held, None);
        // (more rows than a block of some columns has)
        let many: Vec<usize> = (0..1800).map(|i| i % 90).collect();
        let columns = data.columns().iter().map(|c| Column::from(c.rows(&many)));
        let columns: Vec<Column> = match held {
            Held::Sparse => columns.map(|c| without_zeros(c.to_vec())).collect(),
            _ => columns.collect(),
        };
        let outcome = data.outcome().rows(&many);
        data = Dataset::of(data.names().to_vec(), columns, Response::from(outcome)).unwrap();
        let of = |blocks| {
            let rows = Rows::new(&data, Ties::Breslow, blocks);
            let problem = rows.problem(Penalty::Lasso, 0.0);
            let lambdas = log_grid(0.01, 0.1, 3);
            let steps = rows.path(&problem, &lambdas, Direction::Forward);
            let count = rows.columns.layout().blocks().len();
            let weights: Vec<Vec<f64>> = steps.iter().map(|s| rows.weights(&s.network)).collect();
            (count, weights.concat())
        };
        let ((one, by_column), (several, by_rows)) = (of(Blocks::ByColumn), of(Blocks::ByRows));
        assert!(one == 1 && (several > 1 || held == Held::Dense));
        for (a, b) in by_column.iter().zip(&by_rows) {
            assert!((a - b).abs() < 1e-8, "{held:?}: {a} {b}");
        }
    }
}

/// The minimum of a function of two or three weights, by ever finer grids around the best point.
fn brute_force(count: usize, objective: impl Fn(&[f64]) -> f64) -> f64 {
    let (mut center, mut width) = (vec![0.0; count], 4.0);
    let mut best = objective(&center);
    while width > 1e-7 {
        let around = center.clone();
        for cell in 0..11usize.pow(count as u32) {
            let at = |k: usize| (cell / 11usize.pow(k as u32) % 11) as f64 - 5.0;
            let off: Vec<f64> = (0..count)
                .map(|k| around[k] + width * at(k) / 5.0)
                .collect();
            // zero is where the penalty has its kink
            for zeros in 0..1 << count {
                let point: Vec<f64> = (off.iter().enumerate())
                    .map(|(k, w)| if zeros >> k & 1 == 1 { 0.0 } else { *w })
                    .collect();
                let found = objective(&point);
                if found < best {
                    (best, center) = (found, point.clone());
                }
            }
        }
        width *= 0.5;
    }
    best
}

#[test]
fn concave_minima_are_those_of_brute_force() {
    for d in [2, 3] {
        let columns = normal_columns(60, d, 12);
        let signal: Vec<f64> = (0..60)
            .map(|i| columns[0][i] + 0.3 * columns[1][i])
            .collect();
        for task in [Task::Regression, Task::Cox] {
            let data = dataset(columns.clone(), outcome(task, &signal, 8));
            let rows = Rows::new(&data, Ties::Breslow, Blocks::ByColumn);
            let largest = rows.largest_lambda();
            // (so little concave that the objective is not, and has one minimum)
            let penalties = match task {
                Task::Regression => [Penalty::MCP, Penalty::Mcp(1.5), Penalty::SCAD],
                _ => [Penalty::Mcp(6.0), Penalty::Mcp(20.0), Penalty::Scad(7.0)],
            };
            for penalty in penalties {
                let problem = rows.problem(penalty, 0.01);
                let lambdas = log_grid(0.1 * largest, largest, 6);
                for step in rows.path(&problem, &lambdas, Direction::Forward) {
                    let mut model = step.network.widened(&rows.null.inputs);
                    let of = |model: &Mlp| {
                        problem.objective(model, step.lambda, problem.smooth(model).loss)
                    };
                    let ours = of(&model);
                    let bias = model.weights.get(d).copied();
                    // the columns have mean 0, so the best bias is the same for all weights
                    let best = brute_force(d, |weights| {
                        let mut other = model.clone();
                        other.weights[..d].copy_from_slice(weights);
                        of(&other)
                    });
                    assert!(
                        (ours - best).abs() < 1e-6,
                        "{task:?} {penalty:?} {d}: {ours} {best}"
                    );
                    if bias.is_some() {
                        model.weights[d] += 1e-3;
                        assert!(of(&model) > ours);
                    }
                }
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    for task in TASKS {
        for (held, ties) in [(Held::Dense, Ties::Efron), (Held::Sparse, Ties::Breslow)] {
            let counts: Vec<f64> = (0..90).map(|i| 1.0 + (i % 3) as f64).collect();
            let few = data(task, held, Some(counts.clone()));
            let plain = data(task, held, None);
            let repeated: Vec<usize> = (0..90)
                .flat_map(|i| std::iter::repeat_n(i, counts[i] as usize))
                .collect();
            let columns = plain.columns().iter().map(|c| c.rows(&repeated));
            let columns = columns.map(|values| match held {
                Held::Sparse => without_zeros(values),
                _ => Column::from(values),
            });
            let response = Response::from(plain.outcome().rows(&repeated));
            let many = Dataset::of(plain.names().to_vec(), columns.collect(), response).unwrap();
            let of = |data: &Dataset| {
                let rows = Rows::new(data, ties, Blocks::ByColumn);
                let problem = rows.problem(Penalty::Lasso, 0.01);
                let lambdas = log_grid(0.01, 0.2, 3);
                let steps = rows.path(&problem, &lambdas, Direction::Forward);
                let weights = steps.iter().flat_map(|step| rows.weights(&step.network));
                weights.collect::<Vec<f64>>()
            };
            for (a, b) in of(&few).iter().zip(of(&many)) {
                assert!((a - b).abs() < 1e-6, "{task:?} {held:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn odd_data_are_fitted() {
    // one column, two rows
    let tiny = dataset(vec![vec![1.0, 3.0]], Outcome::Continuous(vec![2.0, -1.0]));
    // two columns that are one, and one that is constant
    let mut columns = normal_columns(30, 4, 9);
    columns[2] = columns[1].clone();
    columns[3] = vec![5.0; 30];
    let signal = columns[1].clone();
    let twins = dataset(columns.clone(), outcome(Task::Regression, &signal, 2));
    // all but one are censored
    let event = (0..30).map(|i| i == 11).collect();
    let time = (0..30).map(|i| 1.0 + (i * 7 % 30) as f64).collect();
    let lone = dataset(columns, Outcome::Survival { time, event });
    for data in [tiny, twins, lone] {
        let rows = Rows::new(&data, Ties::Breslow, Blocks::ByColumn);
        let largest = rows.largest_lambda().max(1e-3);
        let lambdas = log_grid(1e-3 * largest, largest, 10);
        for penalty in [Penalty::Lasso, Penalty::MCP] {
            let problem = rows.problem(penalty, 0.0);
            for step in rows.path(&problem, &lambdas, Direction::Forward) {
                let found = rows.assess(&problem, &step).largest();
                assert!(found < 1e-8, "{penalty:?} {}: {found}", data.d());
            }
        }
    }
}

#[test]
fn classes_that_a_line_divides_have_an_end() {
    let columns = normal_columns(40, 5, 4);
    for task in [Task::Binary, Task::Multiclass, Task::Cox] {
        let outcome = match task {
            Task::Cox => Outcome::Survival {
                time: columns[0].iter().map(|x| 10.0 - x).collect(),
                event: vec![true; 40],
            },
            _ => Outcome::Classes {
                labels: columns[0].iter().map(|x| usize::from(*x > 0.0)).collect(),
                classes: vec!["a".into(), "b".into()],
                task,
            },
        };
        let data = dataset(columns.clone(), outcome);
        let rows = Rows::new(&data, Ties::Breslow, Blocks::ByColumn);
        let problem = rows.problem(Penalty::Lasso, 0.0);
        let largest = rows.largest_lambda();
        for step in rows.path(
            &problem,
            &log_grid(1e-4 * largest, largest, 12),
            Direction::Forward,
        ) {
            assert_eq!(step.solved.status, Status::Converged, "{task:?}");
            assert!(rows.assess(&problem, &step).largest() < 1e-8, "{task:?}");
        }
        // without any penalty there is no minimum, but an end
        let mut model = rows.null.clone();
        let solved = CLOSELY.solve(&problem, 0.0, &mut model, 40, &Unobserved);
        assert!(model.weights.iter().all(|w| w.is_finite()), "{task:?}");
        assert!(
            solved.epochs <= 40 && solved.loss < 0.05,
            "{task:?} {solved:?}"
        );
    }
}

/// From the rows where there are fewer: the closed form, and what coordinate descent finds.
#[test]
fn ridge_regression_from_rows_is_that_from_columns() {
    for task in TASKS {
        for (held, weights) in [
            (Held::Dense, None),
            (Held::Groups, Some(case_weights()[..30].to_vec())),
        ] {
            let all = data(task, held, None);
            let few: Vec<usize> = (0..30).collect();
            let columns: Vec<Column> = all.columns().iter().map(|c| c.subset(&few)).collect();
            let response = Response {
                weights,
                ..Response::from(all.outcome().rows(&few))
            };
            let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
            let data = Dataset::of(names, columns, response).unwrap();
            let rows = Rows::new(&data, Ties::Efron, Blocks::ByColumn);
            assert!(rows.null.inputs.len() > 30);
            for ridge in [1e-3, 0.1, 10.0] {
                let problem = rows.problem(Penalty::Lasso, ridge);
                let solved = |lambda: f64| {
                    let mut model = rows.null.clone();
                    let solved = CLOSELY.solve(&problem, lambda, &mut model, 1000, &Unobserved);
                    assert_eq!(solved.status, Status::Converged, "{task:?} {ridge}");
                    let (_, certificate) = problem.assess(&model, lambda);
                    assert!(certificate.largest() < 1e-9, "{task:?} {ridge}");
                    model.weights
                };
                // (a λ as good as 0 is solved column by column)
                let (from_rows, from_columns) = (solved(0.0), solved(1e-12));
                for (a, b) in from_rows.iter().zip(&from_columns) {
                    let off = (a - b).abs();
                    assert!(off < 1e-6 * (1.0 + a.abs()), "{task:?} {ridge}: {a} {b}");
                }
                if task == Task::Regression {
                    for (a, b) in from_rows.iter().zip(closed_form(&rows, &data, ridge)) {
                        assert!((a - b).abs() < 1e-8, "{ridge}: {a} {b}");
                    }
                }
            }
        }
    }
}

/// (X̃′ΩX̃ + ridge)⁻¹X̃′Ωy and the bias, with columns centred by their weighted means.
fn closed_form(rows: &Rows, data: &Dataset, ridge: f64) -> Vec<f64> {
    use nalgebra::{DMatrix, DVector};
    let Outcome::Continuous(y) = data.outcome() else {
        unreachable!()
    };
    let (n, d) = (y.len(), rows.null.inputs.len());
    let weights = data.response().weights();
    let share = |i: usize| weights.at(i) / weights.total(n);
    let columns: Vec<Vec<f32>> = (0..d).map(|j| rows.columns.storage().column(j)).collect();
    let mean = |values: &dyn Fn(usize) -> f64| (0..n).map(|i| share(i) * values(i)).sum::<f64>();
    let means: Vec<f64> = (columns.iter())
        .map(|x| mean(&|i| f64::from(x[i])))
        .collect();
    let center = mean(&|i| y[i]);
    let root = |i: usize| share(i).sqrt();
    let x = DMatrix::from_fn(n, d, |i, j| root(i) * (f64::from(columns[j][i]) - means[j]));
    let z = DVector::from_fn(n, |i, _| root(i) * (y[i] - center));
    let matrix = x.transpose() * &x + DMatrix::identity(d, d) * ridge;
    let w = matrix.cholesky().unwrap().solve(&(x.transpose() * z));
    let bias = center - w.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>();
    w.iter().copied().chain([bias]).collect()
}

#[test]
fn a_cancelled_path_ends_and_one_that_ran_is_the_same_again() {
    let rows = Rows::new(
        &data(Task::Cox, Held::Dense, None),
        Ties::Efron,
        Blocks::ByColumn,
    );
    let problem = rows.problem(Penalty::MCP, 1e-3);
    let lambdas = log_grid(0.01, 0.3, 10);
    let tracer = Tracer {
        lambdas: &lambdas,
        direction: Direction::Forward,
        solver: Solver::Descent(CLOSELY),
        first_epochs: 1000,
        epochs: 1000,
    };
    let recorder = Recorder {
        cancel_after: 5,
        ..Recorder::default()
    };
    let cut = tracer.trace(&problem, |_| rows.null.clone(), &recorder);
    assert!(cut.len() < lambdas.len());
    assert_eq!(cut[0].solved.status, Status::Stopped);
    let [one, other] = [(); 2].map(|()| rows.path(&problem, &lambdas, Direction::Forward));
    for (a, b) in one.iter().zip(&other) {
        assert!(same(&a.network, &b.network));
    }
}
