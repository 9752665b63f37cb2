//! Real data, split 5:1 at random for every replicate.

use super::known;
use super::metric::Metric;
use super::plan::Cell;
use super::sample::{Sample, Truth};
use super::source_file::find;
use crate::name::StudyName;
use anyhow::Result;
use std::path::Path;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::random::{Purpose, Random};
use threshnet::split::{HoldOut, holdout};
use threshnet_io::{Columns, load_cohort};

/// One row in six is a test row.
const PARTS: usize = 6;
/// The stream of splits into training and test rows under a replicate's seed. Draws
/// have streams from this one on, too; which rows they hold out depends on no outcome.
const SPLIT: u64 = 1;

/// Rows of one data set.
pub struct Cohort {
    pub name: String,
    pub data: Dataset<'static>,
    metric: Metric,
}

impl Cohort {
    /// The data sets of a study, from a folder or its subfolders; of one that `only`
    /// names, it alone, for who asks for one needs no other file.
    pub fn known(folder: &Path, study: StudyName, only: &[String]) -> Result<Vec<Cohort>> {
        let mut wanted: Vec<_> = known::of_study(study).collect();
        let named = |name: &str| only.iter().any(|token| token.trim() == name);
        if let Some(one) = wanted.iter().position(|known| named(known.name))
            && !wanted[one + 1..].iter().any(|known| named(known.name))
        {
            wanted = vec![wanted[one]];
        }
        (wanted.iter())
            .map(|known| {
                let path = find(folder, &[&format!("{}.gz", known.file), known.file])?;
                let data = known.scaled(load_cohort(&path, &known.columns())?)?;
                Ok(Cohort::new(known.name, data))
            })
            .collect()
    }

    /// Any file; see [`load_cohort`].
    pub fn read(path: &Path, name: &str, columns: &Columns) -> Result<Cohort> {
        Ok(Cohort::new(name, load_cohort(path, columns)?))
    }

    fn new(name: &str, data: Dataset<'static>) -> Cohort {
        let outcome = data.outcome();
        Cohort {
            name: name.into(),
            metric: Metric::of_real(outcome.task(), event_deciles(outcome)),
            data,
        }
    }

    pub fn cell(&self) -> Cell {
        let size = (self.data.n(), self.data.d());
        Cell::real(&self.name, size, self.data.outcome().task())
    }

    /// A replicate.
    pub fn sample(&self, seed: u64) -> Result<Sample> {
        let (train, test) = self.split(seed)?;
        Ok(Sample {
            train: self.data.subset(&train)?,
            tests: vec![("", self.data.subset(&test)?)],
            truth: Truth::Unknown,
            standardize: true,
            metric: self.metric.clone(),
        })
    }

    /// Training and test rows: a sixth of every class to test on, lest a class be absent
    /// there; of other outcomes the first sixth of all rows in random order.
    fn split(&self, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
        let outcome = self.data.outcome();
        if matches!(outcome.task(), Task::Binary | Task::Multiclass) {
            let held_out = HoldOut {
                share: 1.0 / PARTS as f64,
                stratified: true,
            };
            let split = holdout(outcome, held_out, seed, SPLIT)?;
            return Ok((split.train, split.held_out));
        }
        let mut test = Random::new(seed, Purpose::Split, SPLIT, 0).permutation(outcome.len());
        let train = test.split_off(outcome.len() / PARTS);
        Ok((train, test))
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

/// The deciles of the event times, where a time-dependent AUC is taken; none unless it is
/// a survival outcome.
fn event_deciles(outcome: &Outcome) -> Vec<f64> {
    let Outcome::Survival { time, event } = outcome else {
        return vec![];
    };
    let mut at: Vec<f64> = (time.iter().zip(event))
        .filter_map(|(&time, &event)| event.then_some(time))
        .collect();
    at.sort_by(f64::total_cmp);
    let mut times: Vec<f64> = (1..=9).map(|k| at[k * (at.len() - 1) / 10]).collect();
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cohort(outcome: Outcome) -> Cohort {
        let n = outcome.len();
        let column = (0..n).map(|i| i as f64).collect();
        let data = Dataset::new(vec!["x".into()], vec![column], outcome);
        Cohort::new("made-up", data.unwrap())
    }

    #[test]
    fn every_class_is_among_the_test_rows() {
        // 6 rows of 30 are of the second class: plain splits of 5 rows often have none of it
        let classes = cohort(Outcome::Classes {
            labels: (0..30).map(|i| usize::from(i % 5 == 0)).collect(),
            classes: vec!["a".into(), "b".into()],
            task: Task::Binary,
        });
        for seed in 0..20 {
            let sample = classes.sample(seed).unwrap();
            let (_, test) = &sample.tests[0];
            assert_eq!((sample.train.n(), test.n()), (25, 5));
            let positive: usize = test.outcome().strata().iter().sum();
            assert_eq!(positive, 1, "seed {seed}");
            assert_eq!(sample.metric, Metric::of_real(Task::Binary, vec![]));
        }
    }

    #[test]
    fn other_outcomes_are_split_as_published_rows_were() {
        let times = cohort(Outcome::Survival {
            time: (1..=20).map(f64::from).collect(),
            event: (0..20).map(|i| i % 2 == 0).collect(),
        });
        let (train, test) = times.split(1).unwrap();
        let order = Random::new(1, Purpose::Split, 1, 0).permutation(20);
        assert_eq!((&test[..], &train[..]), order.split_at(3));
        assert_eq!(times.metric.times().map(<[f64]>::len), Some(9));
    }
}
