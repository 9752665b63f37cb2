//! One file per command.

pub mod compare;
pub mod demo;
pub mod evaluate;
pub mod export;
pub mod fit;
pub mod inspect;
pub mod manuals;
pub mod metrics;
pub mod predict;
pub mod report;
pub mod simulate;
pub mod study;

pub mod control;
mod nested;
mod runs;
mod scores;

use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::path::Path;
use threshnet::dataset::{Dataset, Task};
use threshnet::format::number;
use threshnet::model::{Model, Recalibrate};
use threshnet::settings::Settings;
use threshnet::threads;
use threshnet::tune::{Fit, fit, steps};
use threshnet_io::Input;
use threshnet_io::text::Encoded;

use crate::failure::Usage;
use crate::output;
use crate::output::folder::ENSEMBLE;
use crate::output::ledger::Ledger;
use crate::output::print;
use crate::progress::Progress;

/// What `threshnet` alone says.
pub fn greet() -> Result<()> {
    Ok(print(concat!(
        "threshnet ",
        env!("CARGO_PKG_VERSION"),
        ": finds the few columns of a table that matter, and fits a network on them.\n\n\
         Three things to try:\n\n  \
         threshnet demo --task survival       real data that come with it, and a report\n  \
         threshnet inspect YOUR-FILE.csv      what is in a file, and the fit it suggests\n  \
         threshnet fit --help                 all that a fit can be told\n\n\
         threshnet --help lists all commands.\n"
    ))?)
}

/// Reads the model of a fit's folder, or a `model.json`.
pub fn load_model(path: &Path) -> Result<Model> {
    match path.is_dir() {
        true => read_model(&path.join("model.json")),
        false => read_model(path),
    }
}

/// Reads the ensemble of a fit's folder.
pub fn load_ensemble(path: &Path) -> Result<Model> {
    let file = path.join(ENSEMBLE);
    if !path.is_dir() || !file.exists() {
        bail!(
            "{}: no ensemble is there; give --ensemble the folder of a fit that made one (not \
             --no-ensemble, --hidden none, --validation none, a hold-out or error control)",
            path.display()
        );
    }
    read_model(&file)
}

fn read_model(file: &Path) -> Result<Model> {
    let text = fs::read_to_string(file)
        .with_context(|| format!("{}: cannot read the model", file.display()))?;
    Model::from_json(&text).map_err(|error| anyhow!("{}: {error}", file.display()))
}

/// The model with one of its corrections, if that is asked for.
fn recalibrated(model: Model, path: &Path, how: Option<Recalibrate>) -> Result<Model> {
    match how {
        None => Ok(model),
        Some(how) => {
            (model.recalibrate(how)).map_err(|error| anyhow!("{}: {error}", path.display()))
        }
    }
}

/// A file that is written as that of the fit was, where nothing else is said.
fn as_in_fit(mut input: Input, model: &Model) -> Input {
    let said = std::mem::take(&mut input.manner.reading);
    input.manner.reading = said.or(&model.reading);
    input
}

/// What had to be put into rows to predict.
fn put_in(
    Encoded {
        imputed, unseen, ..
    }: &Encoded,
) -> Vec<String> {
    let counted = |count: usize| match count {
        1 => "1 cell".to_string(),
        many => format!("{many} cells"),
    };
    let mut notes = vec![];
    if *imputed > 0 {
        notes.push(format!("{} imputed as in the fit", counted(*imputed)));
    }
    if *unseen > 0 {
        let all = "whose level the fit did not know: all columns of the text are zero";
        notes.push(format!("{} {all}", counted(*unseen)));
    }
    notes
}

/// Notes that belong to no output.
fn tell(notes: &[String]) {
    for note in notes {
        output::tell("note", note);
    }
}

/// What is said of survival at times that the fit knows nothing of.
fn beyond(model: &Model, times: &[f64]) -> Vec<String> {
    let Some(&(last, _)) = model.baseline.last() else {
        return vec![];
    };
    let later: Vec<String> = (times.iter().filter(|time| **time > last))
        .map(|&time| number(time))
        .collect();
    if later.is_empty() {
        return vec![];
    }
    vec![format!(
        "survival at {} is that at {}, the time of the last event of the fit; what comes later is not known",
        later.join(", "),
        number(last)
    )]
}

/// Refuses `--times` where they mean nothing.
fn check_times(times: &[f64], task: Task) -> Result<(), Usage> {
    if !times.is_empty() && task != Task::Cox {
        return Err(Usage(
            "--times: only a survival model predicts survival".into(),
        ));
    }
    check_all_times(times)
}

/// Refuses what is no time.
fn check_all_times(times: &[f64]) -> Result<(), Usage> {
    match times.iter().find(|t| !(t.is_finite() && **t >= 0.0)) {
        None => Ok(()),
        Some(bad) => Err(Usage(format!(
            "--times: {bad} is not a time; give finite numbers of at least 0"
        ))),
    }
}

/// How a fit is run.
#[derive(Clone, Copy)]
struct Running<'a> {
    jobs: Option<usize>,
    quiet: bool,
    /// What keeps what is finished.
    ledger: Option<&'a Ledger>,
}

/// Fits with a progress bar.
fn run_fit(data: &Dataset, settings: &Settings, running: Running) -> Result<Fit> {
    let Running {
        jobs,
        quiet,
        ledger,
    } = running;
    let progress = Progress::new(steps(settings), ledger, quiet);
    let fitted = threads::pool(jobs)?.install(|| fit(data, settings, &progress));
    progress.finish();
    Ok(fitted?)
}
