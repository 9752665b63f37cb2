//! The engine's side of `bench/run.py`: timed work on one thread.
//!
//! ```text
//! race simulate DESIGN N D SEED FOLDER               writes train.bin and test.bin
//! race path FOLDER VARIANT RIDGE LAMBDAS REPEATS     one path; prints JSON
//! race fit FOLDER VARIANT RIDGES LAMBDAS REPEATS     the whole tuned fit; prints JSON
//! ```
//!
//! A file is a line `DESIGN N D` and then little-endian 64-bit numbers, column
//! by column: the features, then y (or time and event). `path` traces the
//! paper's path (MCP, hidden 10 and 5, Adam) for one RIDGE on all rows of
//! `train.bin` as they are; `fit` holds out 20 % of the rows and chooses among
//! RIDGES × LAMBDAS. Repetition r starts from the weights, and holds out the
//! rows, of seed r. The clock covers everything from the 64-bit columns in
//! memory to the last network: not reading the file, not scoring on
//! `test.bin`.

use serde::Serialize;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Task, Weights};
use threshnet::kernel::InstructionSet;
use threshnet::loss::for_response;
use threshnet::metrics::{Survival, accuracy, concordance_harrell, r2};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Step, Tracer};
use threshnet::penalty::Penalty;
use threshnet::precise;
use threshnet::random::{Purpose, Random};
use threshnet::settings::{Protocol, Settings, Size, Validation, log_grid};
use threshnet::simulate::{self, Simulation};
use threshnet::solver::{Adam, Problem, Solver, Unobserved};
use threshnet::tune;

/// Rows of the sample that fits are scored on.
const TEST_ROWS: usize = 2000;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Everything `path` and `fit` print; the peers are run on the same lists.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    instruction_set: String,
    lambdas: Vec<f64>,
    ridges: Vec<f64>,
    first_epochs: usize,
    epochs: usize,
    runs: Vec<Run>,
}

#[derive(Serialize)]
struct Run {
    seconds: f64,
    /// Done, over all λ and ridges.
    epochs: usize,
    /// What was solved, in order: (columns in the network, epochs done).
    work: Vec<(usize, usize)>,
    /// Rows that λ and ridge were chosen on; none for a path.
    held_out: Vec<usize>,
    /// Every step of a path; the chosen one of a fit.
    steps: Vec<ScoredStep>,
}

#[derive(Serialize)]
struct ScoredStep {
    selected: Vec<usize>,
    /// R², accuracy or C-index.
    test_score: f64,
}

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["simulate", design, n, d, seed, folder] => {
            let mut simulation = Simulation::new(design_called(design)?, n.parse()?, d.parse()?);
            simulation.seed = seed.parse()?;
            simulation.censoring = if design == "survival" { 0.2 } else { 0.0 };
            let folder = Path::new(folder);
            write(&simulation.draw()?, design, &folder.join("train.bin"))?;
            simulation.n = TEST_ROWS;
            simulation.stream = 1;
            write(&simulation.draw()?, design, &folder.join("test.bin"))
        }
        ["path", folder, variant, ridge, lambdas, repeats] => {
            let (train, test) = read_both(folder)?;
            let mut settings = settings(variant, &train, Validation::None)?;
            settings.lambdas = thinned(&settings.lambdas, lambdas.parse()?);
            settings.ridges = vec![ridge.parse()?];
            report(settings, repeats.parse()?, |settings| {
                timed_path(&train, &test, settings)
            })
        }
        ["fit", folder, variant, ridges, lambdas, repeats] => {
            let (train, test) = read_both(folder)?;
            let mut settings = settings(variant, &train, Protocol::Paper.validation())?;
            settings.lambdas = thinned(&settings.lambdas, lambdas.parse()?);
            settings.ridges = thinned(&settings.ridges, ridges.parse()?);
            report(settings, repeats.parse()?, |settings| {
                timed_fit(&train, &test, settings)
            })
        }
        _ => Err(
            "simulate DESIGN N D SEED FOLDER | path FOLDER VARIANT RIDGE LAMBDAS REPEATS | \
                  fit FOLDER VARIANT RIDGES LAMBDAS REPEATS"
                .into(),
        ),
    }
}

/// At which a λ ends early: `docs/performance.md` has what it changes.
const TOLERANCE: f64 = 0.01;

/// What a variant of the engine is: `exact` does the paper's protocol to the
/// letter, with data as they are; `early` ends a λ once it is finished and, where
/// there is validation, skips ridges that cannot win.
fn settings(variant: &str, data: &Dataset, validation: Validation) -> Fallible<Settings> {
    let size = Size::of(data);
    let mut settings = Settings::new(Protocol::Paper, Penalty::MCP, validation, size);
    settings.standardize = false;
    match variant {
        "exact" => {}
        "early" => {
            settings.solver = Solver::Adam(Adam {
                tolerance: TOLERANCE,
                ..Adam::default()
            });
            settings.skip_ridges = validation != Validation::None;
        }
        _ => return Err(format!("{variant}: the variants are exact and early").into()),
    }
    Ok(settings)
}

/// So many values over the same range.
fn thinned(grid: &[f64], count: usize) -> Vec<f64> {
    log_grid(grid[0], grid[grid.len() - 1], count)
}

/// Runs seeds 0, 1, … and prints what came of them.
fn report(
    mut settings: Settings,
    repeats: u64,
    run: impl Fn(&Settings) -> Fallible<Run>,
) -> Fallible<()> {
    let mut runs = Vec::new();
    for seed in 0..repeats {
        settings.seed = seed;
        runs.push(run(&settings)?);
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        instruction_set: InstructionSet::in_use().name().into(),
        lambdas: settings.lambdas,
        ridges: settings.ridges,
        first_epochs: settings.first_epochs,
        epochs: settings.epochs,
        runs,
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn timed_path(train: &Dataset, test: &Dataset, settings: &Settings) -> Fallible<Run> {
    let start = Instant::now();
    let steps = trace(train, settings);
    let seconds = start.elapsed().as_secs_f64();
    let solved = steps
        .iter()
        .map(|step| (step.network.inputs.len(), step.solved.epochs));
    let scored = steps.iter().map(|step| scored(&step.network, test));
    Ok(Run {
        seconds,
        epochs: steps.iter().map(|step| step.solved.epochs).sum(),
        work: work(train.d(), solved),
        held_out: vec![],
        steps: scored.collect::<Result<_, _>>()?,
    })
}

fn timed_fit(train: &Dataset, test: &Dataset, settings: &Settings) -> Fallible<Run> {
    let pool = threshnet::threads::pool(Some(1))?;
    let start = Instant::now();
    let fit = pool.install(|| tune::fit(train, settings, &Unobserved))?;
    let seconds = start.elapsed().as_secs_f64();
    let paths = fit.cells.chunks(settings.lambdas.len());
    Ok(Run {
        seconds,
        epochs: fit.cells.iter().map(|cell| cell.epochs).sum(),
        work: paths
            .flat_map(|path| {
                let solved = path.iter().map(|cell| (cell.size as usize, cell.epochs));
                work(train.d(), solved)
            })
            .collect(),
        held_out: (0..train.n()).filter(|i| !fit.rows.contains(i)).collect(),
        steps: vec![scored(&fit.model.networks[0], test)?],
    })
}

/// What each λ of a path was solved on, from (columns left after it, epochs):
/// the columns that the λ before left.
fn work(d: usize, solved: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut live = d;
    solved
        .map(|(left, epochs)| (std::mem::replace(&mut live, left), epochs))
        .collect()
}

/// One path on all rows.
fn trace(data: &Dataset, settings: &Settings) -> Vec<Step> {
    let rows: Vec<usize> = (0..data.n()).collect();
    let scaling = Scaling::learn(data, &rows, settings.standardize);
    let columns = Standardised::of_rows(data, &rows, &scaling);
    let loss = for_response(data.response(), settings.ties);
    let problem = Problem::new(&columns, &*loss, settings.penalty, settings.ridges[0]);
    let mut widths = vec![data.d()];
    widths.extend(&settings.hidden);
    widths.push(loss.outputs());
    let shape = Shape {
        widths,
        activation: settings.activation,
        output_bias: data.outcome().task() != Task::Cox,
        shortcut: false,
        groups: Default::default(),
    };
    let start = |lambda: usize| {
        let mut random = Random::new(settings.seed, Purpose::Weights, 0, lambda as u64);
        Mlp::random((0..data.d()).collect(), shape.clone(), &mut random)
    };
    let tracer = Tracer {
        lambdas: &settings.lambdas,
        direction: settings.direction,
        solver: settings.solver,
        first_epochs: settings.first_epochs,
        epochs: settings.epochs,
    };
    tracer.trace(&problem, start, &Unobserved)
}

fn scored(network: &Mlp, test: &Dataset) -> Fallible<ScoredStep> {
    Ok(ScoredStep {
        selected: network.inputs.clone(),
        test_score: score(network, test)?,
    })
}

fn score(network: &Mlp, test: &Dataset) -> threshnet::error::Result<f64> {
    let columns: Vec<Vec<f64>> = network
        .inputs
        .iter()
        .map(|&j| test.columns()[j].to_vec())
        .collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let tape = precise::forward(network, &columns, test.n());
    let eta = tape.output();
    match test.outcome() {
        Outcome::Continuous(y) => r2(y, eta, Weights::EQUAL),
        Outcome::Classes { labels, .. } => {
            let predicted: Vec<usize> = eta.iter().map(|&eta| usize::from(eta > 0.0)).collect();
            accuracy(labels, &predicted, Weights::EQUAL)
        }
        Outcome::Survival { time, event } => concordance_harrell(Survival::new(time, event), eta),
    }
}

fn design_called(name: &str) -> Result<simulate::Scenario, String> {
    match name {
        "regression" => Ok(simulate::Scenario::Regression),
        "classification" => Ok(simulate::Scenario::Classification),
        "survival" => Ok(simulate::Scenario::Survival),
        _ => Err(format!("{name}: regression, classification or survival")),
    }
}

fn write(data: &Dataset, design: &str, path: &Path) -> Fallible<()> {
    let from = |flag: bool| f64::from(u8::from(flag));
    let outcome: Vec<Vec<f64>> = match data.outcome() {
        Outcome::Continuous(y) => vec![y.clone()],
        Outcome::Classes { labels, .. } => vec![labels.iter().map(|&c| from(c == 1)).collect()],
        Outcome::Survival { time, event } => {
            vec![time.clone(), event.iter().map(|&e| from(e)).collect()]
        }
    };
    let mut bytes = format!("{design} {} {}\n", data.n(), data.d()).into_bytes();
    let columns = data.columns().iter().map(|column| column.to_vec());
    for value in columns.chain(outcome).flatten() {
        bytes.extend(value.to_le_bytes());
    }
    Ok(fs::write(path, bytes)?)
}

/// The training and the test sample.
fn read_both(folder: &str) -> Fallible<(Dataset<'static>, Dataset<'static>)> {
    let folder = Path::new(folder);
    Ok((
        read(&folder.join("train.bin"))?,
        read(&folder.join("test.bin"))?,
    ))
}

fn read(path: &Path) -> Fallible<Dataset<'static>> {
    let bytes = fs::read(path)?;
    let end = bytes
        .iter()
        .position(|&b| b == b'\n')
        .ok_or("no first line")?;
    let line: Vec<&str> = std::str::from_utf8(&bytes[..end])?.split(' ').collect();
    let [design, n, d] = line[..] else {
        return Err("the first line is not DESIGN N D".into());
    };
    let (n, d): (usize, usize) = (n.parse()?, d.parse()?);
    let values: Vec<f64> = (bytes[end + 1..].chunks_exact(8))
        .map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes")))
        .collect();
    let mut columns: Vec<Vec<f64>> = values.chunks_exact(n).map(<[f64]>::to_vec).collect();
    let mut outcome = columns.split_off(d);
    let last = outcome.pop().ok_or("no outcome")?;
    let outcome = match (design_called(design)?, outcome.pop()) {
        (simulate::Scenario::Survival, Some(time)) => Outcome::Survival {
            time,
            event: last.iter().map(|&e| e == 1.0).collect(),
        },
        (simulate::Scenario::Classification, None) => Outcome::Classes {
            labels: last.iter().map(|&y| usize::from(y == 1.0)).collect(),
            classes: vec!["0".into(), "1".into()],
            task: Task::Binary,
        },
        (simulate::Scenario::Regression, None) => Outcome::Continuous(last),
        _ => return Err("the file does not have the columns of its design".into()),
    };
    Ok(Dataset::new(
        (1..=d).map(|j| format!("x{j}")).collect(),
        columns,
        outcome,
    )?)
}
