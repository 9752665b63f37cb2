//! Real survival data, split 5:1 at random for every replicate.

use super::plan::Cell;
use super::sample::{Sample, Truth};
use super::source_file::find;
use crate::data::{Columns, load_cohort};
use anyhow::{Result, bail};
use std::path::Path;
use threshnet::dataset::{Dataset, Outcome};
use threshnet::random::{Purpose, Random};

/// One row in six is a test row.
const PARTS: usize = 6;
/// The stream of splits into training and test rows under a replicate's seed;
/// fits use others.
const SPLIT: u64 = 1;

/// A public data set that the study knows.
struct Known {
    name: &'static str,
    file: &'static str,
    time: &'static str,
    event: &'static str,
    features: &'static [&'static str],
    drop: &'static [&'static str],
}

const KNOWN: [Known; 2] = [
    Known {
        name: "metabric",
        file: "metabric1558_clin_mut_expr.csv.gz",
        time: "time_days",
        event: "event_dss",
        // the clinical columns that are numbers
        features: &[
            "clin_AGE_AT_DIAGNOSIS",
            "clin_LYMPH_NODES_EXAMINED_POSITIVE",
            "clin_NPI",
            "clin_GRADE",
            "clin_TUMOR_SIZE",
            "mut_*",
            "expr_*",
        ],
        drop: &[],
    },
    Known {
        name: "glioma",
        file: "Brain_Integ_raw.csv.gz",
        time: "time_days",
        event: "event",
        features: &[],
        drop: &["patient", "subtype"],
    },
];

/// Rows with a survival outcome.
pub struct Cohort {
    pub name: String,
    pub data: Dataset,
    /// Where the time-dependent AUC is taken: the deciles of the event times.
    times: Vec<f64>,
}

impl Cohort {
    /// The data sets of the study, from a folder or its subfolders.
    pub fn known(folder: &Path) -> Result<Vec<Cohort>> {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        KNOWN
            .iter()
            .map(|known| {
                let columns = Columns {
                    time: Some(known.time.into()),
                    event: Some(known.event.into()),
                    features: owned(known.features),
                    drop: owned(known.drop),
                    ..Columns::default()
                };
                Cohort::read(&find(folder, &[known.file])?, known.name, &columns)
            })
            .collect()
    }

    /// Any file; see [`load_cohort`].
    pub fn read(path: &Path, name: &str, columns: &Columns) -> Result<Cohort> {
        let data = load_cohort(path, columns)?;
        let Outcome::Survival { time, event } = data.outcome() else {
            bail!("{}: not a survival outcome", path.display());
        };
        let mut at: Vec<f64> = (time.iter().zip(event))
            .filter_map(|(&time, &event)| event.then_some(time))
            .collect();
        at.sort_by(f64::total_cmp);
        let mut times: Vec<f64> = (1..=9).map(|k| at[k * (at.len() - 1) / 10]).collect();
        times.dedup();
        Ok(Cohort {
            name: name.into(),
            times,
            data,
        })
    }

    pub fn cell(&self) -> Cell {
        Cell {
            model: self.name.clone(),
            n: self.data.n(),
            d: self.data.d(),
            censoring: None,
            correlation: 0.0,
            swapped: false,
        }
    }

    /// A replicate: rows in random order, the first sixth of them to test on.
    pub fn sample(&self, seed: u64) -> Result<Sample> {
        let order = Random::new(seed, Purpose::Split, SPLIT, 0).permutation(self.data.n());
        let (test, train) = order.split_at(self.data.n() / PARTS);
        Ok(Sample {
            train: self.rows(train)?,
            tests: vec![("", self.rows(test)?)],
            truth: Truth::Unknown,
            standardize: true,
            times: Some(self.times.clone()),
        })
    }

    fn rows(&self, rows: &[usize]) -> Result<Dataset> {
        let columns = self.data.columns().iter();
        Ok(Dataset::new(
            self.data.names().to_vec(),
            columns
                .map(|column| rows.iter().map(|&i| column[i]).collect())
                .collect(),
            self.data.outcome().rows(rows),
        )?)
    }

    /// The numbers and names of the columns, as CSV.
    pub fn column_names(&self) -> Result<Vec<u8>> {
        let mut out = csv::Writer::from_writer(vec![]);
        out.write_record(["index", "name"])?;
        for (index, name) in self.data.names().iter().enumerate() {
            out.write_record([&index.to_string(), name])?;
        }
        Ok(out.into_inner()?)
    }
}
