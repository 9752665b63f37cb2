//! For programs other than ours: which replicates a study has, and the arrays of
//! each as NPY files.

use super::battery;
use super::metric::Metric;
use super::plan::{Cell, Only, Plan};
use super::sample::{Replicate, Sample, Source, Truth};
use crate::name::StudyName;
use crate::options::Options;
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use threshnet::dataset::{Dataset, Outcome};
use threshnet::settings::Named;

/// A replicate of a cell.
pub struct Draw<'a> {
    study: StudyName,
    cell: &'a Cell,
    replicate: Replicate,
}

/// The replicates of the cells that are kept, each cell once whatever the methods.
pub fn draws<'p>(
    options: &Options,
    (plan, only): (&'p Plan, &Only),
    replicates: &[u64],
) -> Vec<Draw<'p>> {
    let mut cells: Vec<&Cell> = vec![];
    for task in plan.tasks.iter().filter(|task| only.keeps(task)) {
        if cells.iter().all(|known| known.name() != task.cell.name()) {
            cells.push(&task.cell);
        }
    }
    (replicates.iter())
        .flat_map(|&number| cells.iter().map(move |&cell| (number, cell)))
        .map(|(number, cell)| Draw {
            study: options.name,
            cell,
            replicate: super::replicate(options.seed, number),
        })
        .collect()
}

/// `--list`: their CSV.
pub fn list(source: &Source, draws: &[Draw]) -> Result<String> {
    let mut out = csv::Writer::from_writer(vec![]);
    out.write_record([
        "model",
        "n",
        "d",
        "task",
        "censoring",
        "replicate",
        "seed",
        "metric",
        "clinical",
    ])?;
    for Draw {
        study,
        cell,
        replicate,
    } in draws
    {
        let censoring = cell.censoring.map(|share| share.to_string());
        let size = (cell.n, cell.d);
        let drawn = (replicate.number, replicate.seed);
        let task = cell.task.name();
        let metric = battery::metric(*study, cell.task);
        let clinical = source.clinical(cell).len();
        out.serialize((&cell.model, size, task, censoring, drawn, metric, clinical))?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

/// `--export`: each replicate in a folder of its own.
pub fn write_all(target: &Path, source: &Source, draws: &[Draw]) -> Result<()> {
    draws
        .iter()
        .try_for_each(|draw| write(target, draw, &source.sample(draw.cell, draw.replicate)?))
}

/// Writes a replicate into its own folder below `target`.
fn write(target: &Path, of: &Draw, sample: &Sample) -> Result<()> {
    let folder = target
        .join(of.cell.name())
        .join(format!("r{}", of.replicate.number));
    fs::create_dir_all(&folder)
        .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    let put = |name: &str, bytes: Vec<u8>| {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("{}: cannot write", path.display()))
    };
    let (support, area) = match &sample.truth {
        Truth::Support(columns) => (Some(columns), None),
        Truth::Within(columns) => (None, Some(columns)),
        Truth::Unknown => (None, None),
    };
    let classes = match sample.train.outcome() {
        Outcome::Classes { classes, .. } => Some(classes.len()),
        _ => None,
    };
    let info = json!({
        "study": of.study.name(),
        "model": of.cell.model,
        "n": of.cell.n,
        "d": of.cell.d,
        "censoring": of.cell.censoring,
        "replicate": of.replicate.number,
        "seed": of.replicate.seed,
        "support": support,
        "area": area,
        "task": sample.train.outcome().task().name(),
        "score": sample.metrics[0].name(),
        "second": sample.metrics.get(1).map(Metric::name),
        "times": sample.metrics.iter().find_map(Metric::times),
        "clinical": sample.clinical,
        "classes": classes,
        "standardize": sample.standardize,
    });
    put("info.json", serde_json::to_vec_pretty(&info)?)?;
    put("train_x.npy", features(&sample.train)?)?;
    put("train_y.npy", outcome(&sample.train)?)?;
    for (name, test) in &sample.tests {
        // Tests under one name, or the first of several, are plainly "test".
        let suffix = match *name {
            "clean" => "_clean",
            _ => "",
        };
        put(&format!("test_x{suffix}.npy"), features(test)?)?;
    }
    put("test_y.npy", outcome(&sample.tests[0].1)?)
}

/// The columns of a data set, one after the other.
fn features(data: &Dataset) -> Result<Vec<u8>> {
    let values = data.columns().iter().flat_map(|column| column.iter());
    npy(&format!("({}, {})", data.n(), data.d()), values)
}

/// A vector, or the two columns of a survival outcome.
fn outcome(data: &Dataset) -> Result<Vec<u8>> {
    let rows = data.n();
    let vector = format!("({rows},)");
    match data.outcome() {
        Outcome::Continuous(y) => npy(&vector, y.iter().copied()),
        Outcome::Classes { labels, .. } => npy(&vector, labels.iter().map(|&class| class as f64)),
        Outcome::Survival { time, event } => {
            let event = event.iter().map(|&e| f64::from(u8::from(e)));
            npy(&format!("({rows}, 2)"), time.iter().copied().chain(event))
        }
    }
}

/// NumPy's format, version 1: a magic word, a header padded so that the values
/// begin at a multiple of 64 bytes, then the values column by column.
fn npy(shape: &str, values: impl Iterator<Item = f64>) -> Result<Vec<u8>> {
    let header = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}, }}");
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 11;
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.write_all(&u16::try_from(padded + 1)?.to_le_bytes())?;
    writeln!(out, "{header:padded$}")?;
    out.extend(values.flat_map(f64::to_le_bytes));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_npy_file_is_laid_out_as_numpy_says() {
        let bytes = npy("(3, 2)", (1..=6).map(f64::from)).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        assert!(header.contains("'fortran_order': True, 'shape': (3, 2)"));
        assert!(header.ends_with('\n'));
        assert_eq!(bytes.len(), 10 + length + 6 * 8);
        assert_eq!(bytes[10 + length..][..8], 1.0f64.to_le_bytes());
    }
}
