//! What a fit can be told to do beyond the paper: more starts, columns that return, λs
//! found in the data, a way around the hidden layers, other networks beside it.

use crate::common::{
    Bench, TASKS, adam, dataset, normal_columns, outcome, path_settings, planted, same,
};
use threshnet::activation::Activation;
use threshnet::dataset::{Dataset, Task};
use threshnet::path::{Direction, Tracer};
use threshnet::penalty::Penalty;
use threshnet::settings::{Merit, Rival, Settings, Starts, Validation};
use threshnet::solver::{Adam, Solver, Unobserved};
use threshnet::tune::{Fit, fit};

const LAMBDAS: [f64; 5] = [0.01, 0.03, 0.06, 0.12, 0.3];

fn settings() -> Settings {
    let mut settings = path_settings(&LAMBDAS, Direction::Backward);
    settings.standardize = true;
    settings
}

fn run(data: &Dataset, settings: &Settings) -> Fit {
    fit(data, settings, &Unobserved).expect("the fit is valid")
}

fn with_starts(count: usize, by: Merit) -> Settings {
    Settings {
        starts: Starts { count, by },
        ..settings()
    }
}

#[test]
fn the_best_of_more_starts_is_no_worse_at_any_lambda() {
    for task in TASKS {
        let data = planted(task, (90, 8), (4, 1), 2);
        let one = run(&data, &settings());
        let by_validation = run(&data, &with_starts(4, Merit::Validation));
        let mut changed = 0;
        for (before, now) in one.cells.iter().zip(&by_validation.cells) {
            assert!(now.validation_loss <= before.validation_loss, "{task:?}");
            changed += usize::from(now.validation_loss < before.validation_loss);
        }
        let epochs = |fit: &Fit| fit.cells.iter().map(|cell| cell.epochs).sum::<usize>();
        assert!(epochs(&by_validation) > 3 * epochs(&one), "{task:?}");
        assert!(changed > 0, "{task:?}: four starts are as good as one");
        // By objective: a validation need not fall, what is minimised does.
        let by_objective = run(&data, &with_starts(4, Merit::Objective));
        let objective = |fit: &Fit| -> Vec<f64> {
            let step = |step: &threshnet::path::Step| {
                let network = &step.network;
                let squares: f64 = network.weights.iter().map(|w| w * w).sum();
                let group = step.lambda * (network.shape.group() as f64).sqrt();
                let norms = network.norms();
                let penalty = norms.iter().map(|&norm| Penalty::MCP.value(norm, group));
                step.solved.loss + 0.01 * squares + penalty.sum::<f64>()
            };
            fit.path.iter().map(step).collect()
        };
        let (before, now) = (objective(&one), objective(&by_objective));
        assert!(before.iter().zip(&now).all(|(b, n)| n <= b), "{task:?}");
        assert_ne!(before, now, "{task:?}");
    }
}

#[test]
fn one_start_of_several_is_the_first() {
    let data = planted(Task::Regression, (90, 8), (4, 1), 2);
    let one = run(&data, &with_starts(1, Merit::Objective));
    let usual = run(&data, &settings());
    assert!(same(&one.model.networks[0], &usual.model.networks[0]));
}

#[test]
fn a_column_dropped_wrongly_returns() {
    let data = planted(Task::Regression, (200, 12), (4, 1), 2);
    let bench = Bench::new(&data);
    let problem = bench.problem(Penalty::MCP, 0.01);
    // A start without the columns that matter: Adam has lost them for good.
    let others: Vec<usize> = (0..12).filter(|j| ![1, 4].contains(j)).collect();
    let start = bench.start(&[6, 3], Activation::Relu, 1);
    let mut crippled = start.clone();
    let h = start.shape.group();
    for j in [1, 4] {
        crippled.weights[j * h..(j + 1) * h].fill(0.0);
    }
    let trace = |readmit: bool| {
        let Solver::Adam(usual) = adam(3e-3) else {
            panic!()
        };
        let tracer = Tracer {
            lambdas: &[0.02, 0.03],
            direction: Direction::Backward,
            solver: Solver::Adam(Adam { readmit, ..usual }),
            first_epochs: 400,
            epochs: 200,
        };
        tracer.trace(&problem, |_| crippled.clone(), &Unobserved)
    };
    for step in trace(false) {
        assert!(step.network.inputs.iter().all(|j| others.contains(j)));
    }
    for step in trace(true) {
        let inputs = &step.network.inputs;
        assert!(inputs.contains(&1) && inputs.contains(&4), "{inputs:?}");
        let wide = step.network.widened(&bench.usable);
        assert!(problem.violators(&wide, step.lambda, 1e-3).is_empty());
        assert!(step.solved.loss < 0.6, "{}", step.solved.loss);
    }
}

#[test]
fn lambdas_found_in_the_data_begin_at_the_first_loss_and_end_at_the_last() {
    for task in TASKS {
        let data = planted(task, (90, 12), (4, 1), 2);
        let found = run(
            &data,
            &Settings {
                adapt_lambdas: true,
                lambdas: (1..=25).map(f64::from).collect(),
                ..settings()
            },
        );
        let sizes: Vec<f64> = found.cells.iter().map(|cell| cell.size).collect();
        assert_eq!(sizes.len(), 25, "{task:?}");
        assert!(sizes[0] >= 9.0, "{task:?}: {sizes:?}");
        assert!(sizes[24] <= 1.0, "{task:?}: {sizes:?}");
        let drops = sizes.windows(2).map(|pair| pair[0] - pair[1]);
        assert!(drops.fold(0.0, f64::max) <= 6.0, "{task:?}: {sizes:?}");
    }
}

#[test]
fn a_shortcut_takes_what_is_straight() {
    for task in TASKS {
        let columns = normal_columns(150, 10, 7);
        let signal: Vec<f64> = columns[3].iter().map(|x| 2.0 * x).collect();
        let data = dataset(columns, outcome(task, &signal, 7));
        let with = run(
            &data,
            &Settings {
                shortcut: true,
                ..settings()
            },
        );
        let network = &with.model.networks[0];
        assert!(network.shape.shortcut, "{task:?}");
        assert!(with.model.selected().contains(&3), "{task:?}");
        // weights on the way around, all zero at the start
        let (h, width) = (network.shape.group(), network.shape.widths[1]);
        let input = network.inputs.iter().position(|&j| j == 3).unwrap();
        let straight = &network.weights[input * h + width..(input + 1) * h];
        assert!(
            straight.iter().any(|w| w.abs() > 0.05),
            "{task:?} {straight:?}"
        );
        // and what is dropped is dropped there too
        assert_eq!(network.inputs, with.model.selected());
    }
}

/// What the signs of two columns say only together.
fn exclusive() -> Dataset<'static> {
    let columns = normal_columns(300, 6, 3);
    let signal: Vec<f64> = (columns[0].iter().zip(&columns[1]))
        .map(|(a, b)| 2.0 * (a * b).signum())
        .collect();
    dataset(columns, outcome(Task::Regression, &signal, 3))
}

#[test]
fn a_rival_that_predicts_better_becomes_the_model() {
    let data = exclusive();
    let rival = |asked: &[usize], rival: &[usize]| Settings {
        hidden: asked.to_vec(),
        rivals: vec![Rival {
            penalty: Some(Penalty::SCAD),
            hidden: Some(rival.to_vec()),
        }],
        validation: Validation::Draws {
            count: 8,
            share: 0.2,
        },
        ..settings()
    };
    let won = run(&data, &rival(&[1], &[10, 5]));
    assert_eq!(won.winner, 1, "{:?}", won.contenders);
    assert_eq!(won.contenders[1].penalty, Penalty::SCAD);
    assert_eq!(won.contenders[1].hidden, [10, 5]);
    assert_eq!(won.model.networks[0].shape.widths[1..3], [10, 5]);
    assert_eq!(won.model.selected(), [0, 1]);
    let (behind, se) = won.contenders[1].behind.unwrap();
    assert!(behind + se < 0.0);
    let lost = run(&data, &rival(&[10, 5], &[1]));
    assert_eq!(lost.winner, 0, "{:?}", lost.contenders);
    // a rival changes nothing of what it does not beat
    let alone = Settings {
        rivals: vec![],
        ..rival(&[10, 5], &[1])
    };
    assert_eq!(lost.model, run(&data, &alone).model);
}
