//! threshnet's side of `bench/linear.py`: a linear model under the LASSO, λ by five folds, timed
//! on one thread.
//!
//! ```text
//! linear folds KIND FOLDER                     writes folds.npy: the fold of every row
//! linear fit KIND FOLDER LAMBDAS TOLERANCE     writes threshnet.npy; prints JSON
//! ```
//!
//! KIND is `squared`, `logistic` or `cox`. FOLDER has x.npy, in column-major order, y.npy and, for
//! `cox`, event.npy, all of 64-bit floats; data are taken as they are. LAMBDAS is a file with a
//! descending path, which is traced on the rows of every fold and on all rows. threshnet.npy has a
//! row of weights and a bias for each λ of the latter. The clock covers everything from the
//! columns in memory to the chosen model.

use npyz::{NpyFile, WriterBuilder};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::time::Instant;
use threshnet::certificate::Certificate;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::kernel::InstructionSet;
use threshnet::linear::Descent;
use threshnet::network::Mlp;
use threshnet::penalty::Penalty;
use threshnet::settings::{Linear, Protocol, Settings, Size, Validation};
use threshnet::solver::{Solver, Unobserved};
use threshnet::split::folds;
use threshnet::tune::{self, Fit};
use threshnet_bench::machine::processor_seconds;

const FOLDS: usize = 5;
const SEED: u64 = 0;

type Fallible<T> = Result<T, Box<dyn Error>>;

#[derive(Serialize)]
struct Report {
    version: &'static str,
    instruction_set: &'static str,
    seconds: f64,
    processor_seconds: f64,
    /// The largest violation that any λ of the path reports.
    certificate: f64,
}

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["folds", kind, folder] => {
            let folder = Path::new(folder);
            let data = read(kind, folder)?;
            let mut number = vec![0.0; data.n()];
            for (fold, split) in folds(data.response(), FOLDS, SEED)?.iter().enumerate() {
                split
                    .held_out
                    .iter()
                    .for_each(|&row| number[row] = fold as f64);
            }
            write(&folder.join("folds.npy"), 1, &number)
        }
        ["fit", kind, folder, lambdas, tolerance] => {
            let folder = Path::new(folder);
            let data = read(kind, folder)?;
            let mut lambdas = numbers(Path::new(lambdas))?;
            lambdas.reverse();
            let settings = settings(&data, lambdas, tolerance.parse()?);
            let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
            let (start, before) = (Instant::now(), processor_seconds()?);
            let fit = pool.install(|| tune::fit(&data, &settings, &Unobserved))?;
            let report = Report {
                version: env!("CARGO_PKG_VERSION"),
                instruction_set: InstructionSet::in_use().name(),
                seconds: start.elapsed().as_secs_f64(),
                processor_seconds: processor_seconds()? - before,
                certificate: worst(&fit).largest(),
            };
            println!("{}", serde_json::to_string(&report)?);
            let rows: Vec<f64> = (fit.path.iter().rev())
                .flat_map(|step| coefficients(&step.network, data.d()))
                .collect();
            write(&folder.join("threshnet.npy"), fit.path.len(), &rows)
        }
        _ => Err("folds KIND FOLDER | fit KIND FOLDER LAMBDAS TOLERANCE".into()),
    }
}

fn settings(data: &Dataset, lambdas: Vec<f64>, tolerance: f64) -> Settings {
    let validation = Validation::folds(FOLDS);
    let size = Size::of(data);
    Settings {
        lambdas,
        ridges: vec![0.0],
        solver: Solver::Descent(Descent {
            tolerance,
            ..Descent::default()
        }),
        linear: Linear::Leave,
        standardize: false,
        seed: SEED,
        ..Settings::new(Protocol::Default, Penalty::Lasso, validation, size).linear()
    }
}

/// The certificate of the λ that is farthest from stationary.
fn worst(fit: &Fit) -> Certificate {
    let certificates = fit.path.iter().map(|step| step.solved.certificate);
    certificates
        .max_by(|a, b| a.largest().total_cmp(&b.largest()))
        .unwrap_or(Certificate::UNKNOWN)
}

/// The weights of all `d` columns and the bias, 0 if there is none.
fn coefficients(network: &Mlp, d: usize) -> Vec<f64> {
    let mut row = vec![0.0; d + 1];
    for (&column, &weight) in network.inputs.iter().zip(&network.weights) {
        row[column] = weight;
    }
    row[d] = (network.weights.get(network.inputs.len())).map_or(0.0, |&bias| bias);
    row
}

fn read(kind: &str, folder: &Path) -> Fallible<Dataset<'static>> {
    let y = numbers(&folder.join("y.npy"))?;
    let x = numbers(&folder.join("x.npy"))?;
    let columns: Vec<Vec<f64>> = x.chunks_exact(y.len()).map(<[f64]>::to_vec).collect();
    let outcome = match kind {
        "squared" => Outcome::Continuous(y),
        "logistic" => Outcome::Classes {
            labels: y.iter().map(|&y| usize::from(y == 1.0)).collect(),
            classes: vec!["0".into(), "1".into()],
            task: Task::Binary,
        },
        "cox" => {
            let event = numbers(&folder.join("event.npy"))?;
            Outcome::Survival {
                time: y,
                event: event.iter().map(|&event| event == 1.0).collect(),
            }
        }
        _ => return Err(format!("{kind}: squared, logistic or cox").into()),
    };
    let names = (1..=columns.len()).map(|j| format!("x{j}")).collect();
    Ok(Dataset::new(names, columns, outcome)?)
}

/// All numbers of a file, in the order in which they are stored.
fn numbers(path: &Path) -> Fallible<Vec<f64>> {
    let file = BufReader::new(File::open(path)?);
    Ok(NpyFile::new(file)?.into_vec()?)
}

/// A matrix of so many rows.
fn write(path: &Path, rows: usize, values: &[f64]) -> Fallible<()> {
    let shape = [rows as u64, (values.len() / rows) as u64];
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&shape)
        .writer(BufWriter::new(File::create(path)?))
        .begin_nd()?;
    writer.extend(values)?;
    Ok(writer.finish()?)
}
