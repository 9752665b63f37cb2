//! The fits of a study.

use super::method::{DEFAULT, Method, settings};
use super::plan::Task;
use super::results::{Results, Row, listed};
use super::sample::{Replicate, Sample, Source};
use super::{battery, control, norms};
use crate::name::StudyName;
use crate::options::{Options, Watch};
use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use std::path::Path;
use std::sync::Mutex;
use threshnet::error::Error;
use threshnet::path::Step;
use threshnet::settings::Named;
use threshnet::solver::Observer;
use threshnet::tune::fit;

/// A method to be fitted to a replicate.
pub struct Job<'a> {
    pub options: &'a Options,
    pub task: &'a Task,
    pub replicate: u64,
}

/// What a job leaves.
#[derive(Default)]
struct Done {
    rows: Vec<Row>,
    /// The path, where the study is about it.
    path: Option<Vec<Step>>,
    /// Why there is no score.
    problem: Option<String>,
}

impl Job<'_> {
    fn drawn(&self) -> Replicate {
        super::replicate(self.options.seed, self.replicate)
    }

    /// Whether all its rows are in the file.
    pub fn known(&self, results: &Results) -> bool {
        let rows = self.rows(|row| row);
        rows.iter().all(|row| results.has(&row.key()))
    }

    /// Fits, and keeps the rows in the results and the path in the folder of the study.
    pub fn run(
        &self,
        source: &Source,
        out: &Path,
        results: &Mutex<&mut Results>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let done = self.done(source, watch)?;
        let mut results = results.lock().expect("no thread panics with it");
        if let Some(path) = &done.path {
            let panel = (self.task.method.name(), self.task.variant.as_str());
            norms::put(&out.join("norms.csv"), panel, path, self.task.cell.d)?;
        }
        results.add(&done.rows)?;
        let name = self.name();
        if let Some(problem) = &done.problem {
            watch.note(&format!("note: {name}: no score: {problem}"));
        }
        watch.ended(&name);
        Ok(())
    }

    /// Draws the replicate and fits the method to it.
    fn done(&self, source: &Source, observer: &dyn Observer) -> Result<Done> {
        let started = ThreadTime::now();
        match self.fit(source, observer) {
            // A fit that diverged, or a split without events, is a result, too.
            Err(error) if matches!(error.downcast_ref(), Some(Error::Data(_))) => Ok(Done {
                rows: self.rows(|row| Row {
                    seconds: started.elapsed().as_secs_f64(),
                    ..row
                }),
                problem: Some(error.to_string()),
                ..Done::default()
            }),
            done => done.with_context(|| self.name()),
        }
    }

    fn fit(&self, source: &Source, observer: &dyn Observer) -> Result<Done> {
        let (study, drawn) = (self.options.name, self.drawn());
        let mut sample = match study {
            StudyName::Battery => source.for_engine(&self.task.cell, drawn)?,
            _ => source.sample(&self.task.cell, drawn)?,
        };
        if study == StudyName::Control {
            return self.controlled(&sample, observer);
        }
        let settings = settings(study, self.task, &sample, (drawn.seed, self.options.ridges));
        if self.task.method == Method::OracleNn {
            sample = sample.oracle()?;
        }
        let started = ThreadTime::now();
        let fitted = fit(&sample.train, &settings, observer)?;
        let seconds = started.elapsed().as_secs_f64();
        let selects = self.task.method.selects();
        let selected = selects.then(|| sample.columns_of(fitted.model.selected()));
        let rates = selected.as_ref().map(|selected| sample.rates(selected));
        let (fpr, fnr) = rates.transpose()?.unwrap_or_default();
        let mut rows = self.rows(|row| Row {
            fpr,
            fnr,
            size: selected.as_ref().map(Vec::len),
            lambda: Some(fitted.lambda),
            ridge: Some(fitted.ridge),
            seconds,
            selected: selected.as_deref().map(listed).unwrap_or_default(),
            ..row
        });
        let mut problem = None;
        let model = Some(&fitted.model);
        let mut scored: Vec<_> = sample.tests.iter().map(|(_, test)| (model, test)).collect();
        if rows.len() > scored.len() {
            let ensemble = fitted.ensemble.as_deref();
            scored.push((ensemble.map(|all| &all.model), scored[0].1));
            rows[1].size = None;
            rows[1].selected = String::new();
        }
        for (row, (model, test)) in rows.iter_mut().zip(scored) {
            let mut scores = model
                .map_or(vec![], |model| sample.scores(model, test))
                .into_iter();
            for cell in [&mut row.score, &mut row.second] {
                match scores.next() {
                    Some(Ok(score)) => *cell = Some(score),
                    Some(Err(error)) => problem = Some(error.to_string()),
                    None => {}
                }
            }
        }
        Ok(Done {
            rows,
            path: (study == StudyName::Path).then_some(fitted.path),
            problem,
        })
    }

    /// Selects with a promise. It is not about predictions, so there is no score.
    fn controlled(&self, sample: &Sample, observer: &dyn Observer) -> Result<Done> {
        let started = ThreadTime::now();
        let variant = &self.task.variant;
        let selected = control::selected(&sample.train, variant, self.drawn().seed, observer)?;
        let (fpr, fnr) = sample.rates(&selected)?;
        Ok(Done {
            rows: self.rows(|row| Row {
                fpr,
                fnr,
                size: Some(selected.len()),
                seconds: started.elapsed().as_secs_f64(),
                selected: listed(&selected),
                ..row
            }),
            ..Done::default()
        })
    }

    /// A row for each kind of test rows; of the default in the battery one for the sparse model
    /// and one for the ensemble.
    fn rows(&self, fill: impl Fn(Row) -> Row) -> Vec<Row> {
        let tests: &[&str] = match self.options.name {
            StudyName::Mnist => &["noisy", "clean"],
            StudyName::Battery if self.task.variant == DEFAULT => &["", battery::ENSEMBLE],
            _ => &[""],
        };
        tests.iter().map(|test| fill(self.row(test))).collect()
    }

    /// What is known of a row before the fit.
    fn row(&self, test: &str) -> Row {
        let cell = &self.task.cell;
        let ridges = self.options.ridges.map(|ridges| format!("{ridges}-ridges"));
        let folds = self.options.folds.as_ref().map(|_| "folds");
        let mut parts = vec![
            test,
            &self.task.variant,
            ridges.as_deref().unwrap_or_default(),
            folds.unwrap_or_default(),
        ];
        parts.retain(|part| !part.is_empty());
        Row {
            study: self.options.name.name().into(),
            model: cell.model.clone(),
            method: self.task.method.name().into(),
            variant: parts.join(" "),
            n: cell.n,
            d: cell.d,
            censoring: cell.censoring,
            replicate: self.replicate,
            seed: self.drawn().seed,
            metric: battery::metric(self.options.name, cell.task),
            ..Row::default()
        }
    }

    /// For a person.
    fn name(&self) -> String {
        let (cell, method) = (self.task.cell.name(), self.task.method.name());
        match self.task.variant.as_str() {
            "" => format!("{cell} {method} r{}", self.replicate),
            variant => format!("{cell} {method} {variant} r{}", self.replicate),
        }
    }
}
