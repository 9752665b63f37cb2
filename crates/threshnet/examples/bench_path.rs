//! The engine's side of `bench/run.py`: one path, timed, on one thread.
//!
//! ```text
//! bench_path simulate DESIGN N D SEED FOLDER     writes train.bin and test.bin
//! bench_path run FOLDER RIDGE LAMBDAS REPEATS    prints JSON
//! ```
//!
//! A file is a line `DESIGN N D` and then little-endian 64-bit numbers, column
//! by column: the features, then y (or time and event). `run` traces the
//! paper's path (MCP, hidden 10 and 5, Adam) on all rows of `train.bin` as
//! they are. Repetition r starts from the weights of seed r. The clock covers
//! everything from the 64-bit columns in memory to the last network of the
//! path: not reading the file, not scoring on `test.bin`.

use serde::Serialize;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::design::{Design, Scaling};
use threshnet::kernel::InstructionSet;
use threshnet::loss::for_outcome;
use threshnet::metrics::{Survival, accuracy, concordance_harrell, r2};
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Step, Tracer};
use threshnet::penalty::Penalty;
use threshnet::precise;
use threshnet::random::{Purpose, Random};
use threshnet::settings::{Protocol, Settings, Validation, log_grid};
use threshnet::simulate::{self, Simulation};
use threshnet::solver::{Problem, Unobserved};

/// Rows of the sample that fits are scored on.
const TEST_ROWS: usize = 2000;

/// Everything `run` prints; the peer is run on the same lists.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    instruction_set: String,
    lambdas: Vec<f64>,
    ridge: f64,
    first_epochs: usize,
    epochs: usize,
    paths: Vec<TimedPath>,
}

#[derive(Serialize)]
struct TimedPath {
    seconds: f64,
    /// Done, over all λ.
    epochs: usize,
    steps: Vec<ScoredStep>,
}

#[derive(Serialize)]
struct ScoredStep {
    selected: Vec<usize>,
    train_loss: f64,
    /// R², accuracy or C-index.
    test_score: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["simulate", design, n, d, seed, folder] => {
            let mut simulation = Simulation::new(design_called(design)?, n.parse()?, d.parse()?);
            simulation.seed = seed.parse()?;
            simulation.censoring = if design == "survival" { 0.2 } else { 0.0 };
            write(
                &simulation.draw()?,
                design,
                &Path::new(folder).join("train.bin"),
            )?;
            simulation.n = TEST_ROWS;
            simulation.stream = 1;
            write(
                &simulation.draw()?,
                design,
                &Path::new(folder).join("test.bin"),
            )
        }
        ["run", folder, ridge, lambdas, repeats] => {
            let train = read(&Path::new(folder).join("train.bin"))?;
            let test = read(&Path::new(folder).join("test.bin"))?;
            let settings = settings(&train, ridge.parse()?, lambdas.parse()?);
            let paths: Result<Vec<TimedPath>, _> = (0..repeats.parse()?)
                .map(|seed| timed(&train, &test, &settings, seed))
                .collect();
            let report = Report {
                version: env!("CARGO_PKG_VERSION"),
                instruction_set: format!("{:?}", InstructionSet::available()[0]),
                ridge: settings.ridges[0],
                first_epochs: settings.first_epochs,
                epochs: settings.epochs,
                paths: paths?,
                lambdas: settings.lambdas,
            };
            println!("{}", serde_json::to_string(&report)?);
            Ok(())
        }
        _ => Err("simulate DESIGN N D SEED FOLDER | run FOLDER RIDGE LAMBDAS REPEATS".into()),
    }
}

/// The paper's, with one ridge; fewer λ than 50 span the same range.
fn settings(data: &Dataset, ridge: f64, lambdas: usize) -> Settings {
    let shape = (data.n(), data.d());
    let mut settings = Settings::new(Protocol::Paper, Penalty::MCP, Validation::None, shape);
    let ends = (
        settings.lambdas[0],
        settings.lambdas[settings.lambdas.len() - 1],
    );
    settings.lambdas = log_grid(ends.0, ends.1, lambdas);
    settings.ridges = vec![ridge];
    settings
}

fn timed(
    train: &Dataset,
    test: &Dataset,
    settings: &Settings,
    seed: u64,
) -> Result<TimedPath, Box<dyn Error>> {
    let start = Instant::now();
    let steps = trace(train, settings, seed);
    let seconds = start.elapsed().as_secs_f64();
    let scored = steps.iter().map(|step| {
        Ok::<_, Box<dyn Error>>(ScoredStep {
            selected: step.network.inputs.clone(),
            train_loss: step.solved.loss,
            test_score: score(&step.network, test)?,
        })
    });
    Ok(TimedPath {
        seconds,
        epochs: steps.iter().map(|step| step.solved.epochs).sum(),
        steps: scored.collect::<Result<_, _>>()?,
    })
}

/// One path on all rows.
fn trace(data: &Dataset, settings: &Settings, seed: u64) -> Vec<Step> {
    let rows: Vec<usize> = (0..data.n()).collect();
    let design = Design::new(data, &rows, &Scaling::learn(data, &rows, false));
    let loss = for_outcome(data.outcome(), settings.ties);
    let problem = Problem {
        design: &design,
        loss: &*loss,
        penalty: settings.penalty,
        ridge: settings.ridges[0],
    };
    let mut widths = vec![data.d()];
    widths.extend(&settings.hidden);
    widths.push(loss.outputs());
    let shape = Shape {
        widths,
        activation: settings.activation,
        output_bias: data.outcome().task() != Task::Cox,
    };
    let start = |lambda: usize| {
        let mut random = Random::new(seed, Purpose::Weights, 0, lambda as u64);
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

fn score(network: &Mlp, test: &Dataset) -> threshnet::error::Result<f64> {
    let columns: Vec<&[f64]> = network
        .inputs
        .iter()
        .map(|&j| &test.columns()[j][..])
        .collect();
    let tape = precise::forward(network, &columns, test.n());
    let eta = tape.output();
    match test.outcome() {
        Outcome::Continuous(y) => r2(y, eta),
        Outcome::Classes { labels, .. } => {
            let predicted: Vec<usize> = eta.iter().map(|&eta| usize::from(eta > 0.0)).collect();
            accuracy(labels, &predicted)
        }
        Outcome::Survival { time, event } => concordance_harrell(Survival { time, event }, eta),
    }
}

fn design_called(name: &str) -> Result<simulate::Design, String> {
    match name {
        "regression" => Ok(simulate::Design::Regression),
        "classification" => Ok(simulate::Design::Classification),
        "survival" => Ok(simulate::Design::Survival),
        _ => Err(format!("{name}: regression, classification or survival")),
    }
}

fn write(data: &Dataset, design: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let from = |flag: bool| f64::from(u8::from(flag));
    let outcome: Vec<Vec<f64>> = match data.outcome() {
        Outcome::Continuous(y) => vec![y.clone()],
        Outcome::Classes { labels, .. } => vec![labels.iter().map(|&c| from(c == 1)).collect()],
        Outcome::Survival { time, event } => {
            vec![time.clone(), event.iter().map(|&e| from(e)).collect()]
        }
    };
    let mut bytes = format!("{design} {} {}\n", data.n(), data.d()).into_bytes();
    for value in data.columns().iter().chain(&outcome).flatten() {
        bytes.extend(value.to_le_bytes());
    }
    Ok(fs::write(path, bytes)?)
}

fn read(path: &Path) -> Result<Dataset, Box<dyn Error>> {
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
        (simulate::Design::Survival, Some(time)) => Outcome::Survival {
            time,
            event: last.iter().map(|&e| e == 1.0).collect(),
        },
        (simulate::Design::Classification, None) => Outcome::Classes {
            labels: last.iter().map(|&y| usize::from(y == 1.0)).collect(),
            classes: vec!["0".into(), "1".into()],
            task: Task::Binary,
        },
        (simulate::Design::Regression, None) => Outcome::Continuous(last),
        _ => return Err("the file does not have the columns of its design".into()),
    };
    Ok(Dataset::new(
        (1..=d).map(|j| format!("x{j}")).collect(),
        columns,
        outcome,
    )?)
}
