//! Real data, split for every replicate: 5:1 at random, or as a file of folds says.

use super::feature::Feature;
use super::known::{self, Known, read::Rows};
use super::metric::Metric;
use super::plan::Cell;
use super::sample::{Replicate, Sample, Truth};
use crate::name::StudyName;
use anyhow::{Result, bail};
use std::path::Path;
use threshnet::dataset::{Column, Dataset, Features, Fill, Gaps, Missing, Outcome, Task};
use threshnet::random::{Purpose, Random};
use threshnet::split::{HoldOut, Split, holdout};
use threshnet_io::formula::guarded;
use threshnet_io::{Columns, load_cohort};

/// One row in six is a test row.
const PARTS: usize = 6;
/// The stream of splits into training and test rows under a replicate's seed. Draws
/// have streams from this one on, too; which rows they hold out depends on no outcome.
const SPLIT: u64 = 1;

/// Rows of one data set.
pub struct Cohort {
    pub name: String,
    rows: Table,
    /// What test rows are scored by, the main score first.
    metrics: Vec<Metric>,
    /// The fold of every row, if folds are given.
    folds: Option<Vec<usize>>,
}

enum Table {
    /// Any file, complete.
    Whole(Box<Dataset<'static>>),
    /// A known file, gaps and texts to be learned on training rows.
    Known(Rows),
}

impl Cohort {
    /// The data sets of a study, from a folder or its subfolders: of those that `only` names,
    /// for who asks for one needs no other file.
    pub fn known(folder: &Path, study: StudyName, only: &[String]) -> Result<Vec<Cohort>> {
        let asked = |known: &&'static Known| {
            only.iter().map(|token| token.trim()).all(|token| {
                let word = token.trim_start_matches('!');
                !known::is_word(word) || known.words().contains(&word) == (word == token)
            })
        };
        (known::of_study(study).into_iter().filter(asked))
            .map(|known| {
                let rows = known.read(folder)?;
                Ok(Cohort::new(known.name, Table::Known(rows), study))
            })
            .collect()
    }

    /// Any file; see [`load_cohort`].
    pub fn read(path: &Path, name: &str, columns: &Columns) -> Result<Cohort> {
        let rows = Table::Whole(Box::new(load_cohort(path, columns)?));
        Ok(Cohort::new(name, rows, StudyName::SurvivalReal))
    }

    fn new(name: &str, rows: Table, study: StudyName) -> Cohort {
        let outcome = rows.outcome();
        let times = event_deciles(outcome);
        let metrics = match study {
            StudyName::Battery => Metric::of_battery(outcome.task(), times),
            _ => vec![Metric::TimeAuc(times)],
        };
        Cohort {
            name: name.into(),
            rows,
            metrics,
            folds: None,
        }
    }

    /// Splits it by these folds, one for each row of the file: replicate r tests on fold r.
    pub fn fold(&mut self, folds: &[usize]) -> Result<()> {
        let Table::Known(rows) = &self.rows else {
            bail!("--folds: only the battery has it; leave it out");
        };
        if folds.len() != rows.of {
            bail!(
                "--folds: {} folds for the {} rows of {}; write one for each",
                folds.len(),
                rows.of,
                self.name
            );
        }
        self.folds = Some(rows.numbers.iter().map(|&row| folds[row]).collect());
        Ok(())
    }

    pub fn cell(&self) -> Cell {
        let size = (self.rows.outcome().len(), self.names().len());
        Cell::real(&self.name, size, self.rows.outcome().task())
    }

    /// The columns that a clinician has without the laboratory.
    pub fn clinical(&self) -> Vec<usize> {
        let of_feature = |feature: &Feature| vec![feature.clinical; feature.columns().len()];
        let all = match &self.rows {
            Table::Whole(_) => vec![],
            Table::Known(rows) => rows.features.iter().flat_map(of_feature).collect(),
        };
        (0..all.len()).filter(|&column| all[column]).collect()
    }

    /// A replicate.
    pub fn sample(&self, replicate: Replicate) -> Result<Sample> {
        let Split { train, held_out } = self.split(replicate)?;
        Ok(Sample {
            tests: vec![("", self.rows.part(&train, &held_out)?)],
            train: self.rows.part(&train, &train)?,
            truth: Truth::Unknown,
            standardize: true,
            metrics: self.metrics.clone(),
            clinical: self.clinical(),
            encoded: vec![],
        })
    }

    /// The same replicate as the engine is given it: it imputes and encodes by itself.
    pub fn table(&self, replicate: Replicate) -> Result<Sample> {
        let Table::Known(rows) = &self.rows else {
            return self.sample(replicate);
        };
        let Split { train, held_out } = self.split(replicate)?;
        let levels = rows.features.iter().enumerate();
        let levels = levels.filter_map(|(number, f)| Some((number, f.levels(&train)?)));
        let names = rows
            .features
            .iter()
            .map(|feature| feature.name().to_string());
        let features = Features::new(names.collect(), levels.collect());
        let cells = |of: &[usize]| -> Vec<Vec<f64>> {
            let features = rows.features.iter();
            features
                .flat_map(|feature| feature.as_it_is(&train, of))
                .collect()
        };
        let gaps = Gaps {
            missing: Missing::Impute,
            indicators: false,
        };
        let columns = cells(&train).into_iter().map(Column::from).collect();
        let outcome = rows.outcome.rows(&train);
        let learned = Dataset::incomplete(features.clone(), columns, outcome, gaps)?;
        // (what a model of all training rows puts into new ones)
        let fill = Fill::learn(&learned, &(0..learned.n()).collect::<Vec<usize>>());
        let filled = cells(&held_out).into_iter().enumerate().map(|(j, column)| {
            let filled: Vec<f64> = column.iter().map(|&x| fill.of(j, x)).collect();
            Column::from(filled)
        });
        let tested = Dataset::encoded(features, filled.collect(), rows.outcome.rows(&held_out))?;
        let mut first = 0;
        let encoded = rows.features.iter().map(|feature| {
            let own = first..first + feature.columns().len();
            first = own.end;
            own
        });
        Ok(Sample {
            train: learned,
            tests: vec![("", tested)],
            truth: Truth::Unknown,
            standardize: true,
            metrics: self.metrics.clone(),
            clinical: self.clinical(),
            encoded: encoded.collect(),
        })
    }

    /// Training and test rows: a sixth of every class to test on, lest a class be absent
    /// there, and of animals in place of rows where rows are of animals; of other outcomes the
    /// first sixth of all rows in random order.
    fn split(&self, Replicate { number, seed }: Replicate) -> Result<Split> {
        let outcome = self.rows.outcome();
        if let Some(folds) = &self.folds {
            let fold = number as usize;
            let of = |test: bool| (0..folds.len()).filter(move |&row| (folds[row] == fold) == test);
            let (train, held_out): (Vec<_>, Vec<_>) = (of(false).collect(), of(true).collect());
            if train.is_empty() || held_out.is_empty() {
                bail!("--folds: fold {number} leaves nothing to learn from or to score on");
            }
            return Ok(Split { train, held_out });
        }
        if !matches!(outcome.task(), Task::Binary | Task::Multiclass) {
            let mut held_out =
                Random::new(seed, Purpose::Split, SPLIT, 0).permutation(outcome.len());
            let train = held_out.split_off(outcome.len() / PARTS);
            return Ok(Split { train, held_out });
        }
        let how = HoldOut {
            share: 1.0 / PARTS as f64,
            stratified: true,
        };
        let Table::Known(Rows {
            animals: Some(animals),
            ..
        }) = &self.rows
        else {
            return Ok(holdout(&outcome.clone().into(), how, seed, SPLIT)?);
        };
        let count = animals.iter().max().map_or(0, |last| last + 1);
        let first = |animal: usize| animals.iter().position(|&other| other == animal);
        let firsts: Vec<usize> = (0..count).filter_map(first).collect();
        let drawn = holdout(&outcome.rows(&firsts).into(), how, seed, SPLIT)?;
        let rows_of = |chosen: &[usize]| {
            (0..animals.len())
                .filter(|&row| chosen.binary_search(&animals[row]).is_ok())
                .collect()
        };
        Ok(Split {
            train: rows_of(&drawn.train),
            held_out: rows_of(&drawn.held_out),
        })
    }

    fn names(&self) -> Vec<String> {
        match &self.rows {
            Table::Whole(data) => data.names().to_vec(),
            Table::Known(rows) => rows.features.iter().flat_map(Feature::columns).collect(),
        }
    }

    /// The numbers and names of the columns, as CSV.
    pub fn column_names(&self) -> Result<Vec<u8>> {
        let mut out = csv::Writer::from_writer(vec![]);
        out.write_record(["index", "name"])?;
        for (index, name) in self.names().iter().enumerate() {
            out.write_record([&index.to_string(), &*guarded(name)])?;
        }
        Ok(out.into_inner()?)
    }
}

impl Table {
    fn outcome(&self) -> &Outcome {
        match self {
            Table::Whole(data) => data.outcome(),
            Table::Known(rows) => &rows.outcome,
        }
    }

    /// Some rows, as training rows know them.
    fn part(&self, train: &[usize], rows: &[usize]) -> Result<Dataset<'static>> {
        Ok(match self {
            Table::Whole(data) => data.subset(rows)?,
            Table::Known(known) => {
                let features = || known.features.iter();
                let columns = features().flat_map(|feature| feature.encoded(train, rows));
                let names = features().flat_map(Feature::columns).collect();
                Dataset::new(names, columns.collect(), known.outcome.rows(rows))?
            }
        })
    }
}

/// The deciles of the event times, where survival is scored; none unless it is a survival
/// outcome.
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
    use crate::raw::Cells;

    fn cohort(outcome: Outcome, animals: Option<Vec<usize>>) -> Cohort {
        let n = outcome.len();
        let column = (0..n).map(|i| i as f64).collect();
        let rows = Rows {
            features: vec![Feature::new("x", Cells::Numbers(column), true)],
            outcome,
            numbers: (0..n).map(|row| row + 1).collect(),
            of: n + 1,
            animals,
        };
        Cohort::new("made-up", Table::Known(rows), StudyName::Battery)
    }

    fn classes(labels: Vec<usize>) -> Outcome {
        Outcome::Classes {
            labels,
            classes: vec!["a".into(), "b".into()],
            task: Task::Binary,
        }
    }

    fn replicate(number: u64) -> Replicate {
        Replicate {
            number,
            seed: number,
        }
    }

    #[test]
    fn every_class_is_among_the_test_rows() {
        // 6 rows of 30 are of the second class: plain splits of 5 rows often have none of it
        let rows = cohort(
            classes((0..30).map(|i| usize::from(i % 5 == 0)).collect()),
            None,
        );
        for number in 0..20 {
            let sample = rows.sample(replicate(number)).unwrap();
            let (_, test) = &sample.tests[0];
            assert_eq!((sample.train.n(), test.n()), (25, 5));
            let positive: usize = test.outcome().strata().iter().sum();
            assert_eq!(positive, 1, "replicate {number}");
            let names: Vec<&str> = sample.metrics.iter().map(Metric::name).collect();
            assert_eq!(names, ["auc", "log_loss"]);
            assert_eq!(sample.clinical, [0]);
        }
    }

    #[test]
    fn the_engine_gets_the_same_rows_with_their_gaps() {
        const N: usize = 30;
        let number = |i: usize| if i % 4 == 1 { f64::NAN } else { i as f64 };
        let level = |i: usize| (!i.is_multiple_of(5)).then(|| ["a", "b", "c"][i % 3].to_string());
        let mut rows = cohort(
            Outcome::Continuous((0..N).map(|i| i as f64).collect()),
            None,
        );
        let Table::Known(known) = &mut rows.rows else {
            unreachable!("the cohort of tests is known");
        };
        known.features = vec![
            Feature::new("t", Cells::Texts((0..N).map(level).collect()), false),
            Feature::new("x", Cells::Numbers((0..N).map(number).collect()), false),
        ];
        let (arrays, table) = (rows.sample(replicate(1)), rows.table(replicate(1)));
        let (arrays, table) = (arrays.unwrap(), table.unwrap());
        assert_eq!(arrays.train.outcome(), table.train.outcome());
        assert_eq!(table.train.names(), ["t", "x"]);
        assert!(table.train.imputes() && table.train.gaps().0 > 5);
        // with gaps filled by all training rows they are the arrays of the others
        let all: Vec<usize> = (0..table.train.n()).collect();
        let filled = table.train.imputed(&all);
        for (own, theirs) in [
            (&*filled, &arrays.train),
            (&table.tests[0].1, &arrays.tests[0].1),
        ] {
            assert!(own.columns() == theirs.columns());
        }
        assert_eq!(table.columns_of(vec![0]), [0, 1, 2]);
        assert_eq!(table.columns_of(vec![1]), [3]);
        assert_eq!(arrays.columns_of(vec![1]), [1]);
    }

    #[test]
    fn an_animal_is_on_one_side() {
        // 24 animals of 5 rows, every other one of the second class
        let animals: Vec<usize> = (0..120).map(|row| row % 24).collect();
        let labels = animals.iter().map(|animal| animal % 2).collect();
        let rows = cohort(classes(labels), Some(animals.clone()));
        for number in 0..20 {
            let split = rows.split(replicate(number)).unwrap();
            assert_eq!((split.train.len(), split.held_out.len()), (100, 20));
            let of = |rows: &[usize]| rows.iter().map(|&row| animals[row]).collect::<Vec<_>>();
            let (known, unseen) = (of(&split.train), of(&split.held_out));
            assert!(unseen.iter().all(|animal| !known.contains(animal)));
            assert_eq!(unseen.iter().filter(|&animal| animal % 2 == 1).count(), 10);
        }
    }

    #[test]
    fn other_outcomes_are_split_as_published_rows_were() {
        let outcome = Outcome::Survival {
            time: (1..=20).map(f64::from).collect(),
            event: (0..20).map(|i| i % 2 == 0).collect(),
        };
        let times = cohort(outcome, None);
        let split = times.split(replicate(1)).unwrap();
        let order = Random::new(1, Purpose::Split, 1, 0).permutation(20);
        assert_eq!((&split.held_out[..], &split.train[..]), order.split_at(3));
        assert_eq!(times.metrics[1].times().map(<[f64]>::len), Some(9));
    }

    #[test]
    fn given_folds_are_kept() {
        let mut rows = cohort(Outcome::Continuous((0..6).map(f64::from).collect()), None);
        // the first row of the file has no outcome
        rows.fold(&[9, 1, 2, 1, 2, 1, 3]).unwrap();
        let split = |number| rows.split(replicate(number));
        assert_eq!(split(1).unwrap().held_out, [0, 2, 4]);
        assert_eq!(split(2).unwrap().train, [0, 2, 4, 5]);
        let problem = |problem: anyhow::Error| problem.to_string();
        assert!(problem(split(9).err().unwrap()).contains("fold 9"));
        let short = rows.fold(&[1, 2]).err().unwrap();
        assert!(problem(short).contains("2 folds for the 7 rows of made-up"));
    }
}
