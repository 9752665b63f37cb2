//! One file per command.

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
mod scores;

use anyhow::{Context, Result, anyhow};
use std::fs;
use std::path::{Path, PathBuf};
use threshnet::dataset::{Dataset, Task};
use threshnet::model::Model;
use threshnet::settings::Settings;
use threshnet::threads;
use threshnet::tune::{Fit, fit, steps};

use crate::failure::Usage;
use crate::progress::Progress;

/// Reads the model of a fit's folder, or a `model.json`.
pub fn load_model(path: &Path) -> Result<Model> {
    let file: PathBuf = if path.is_dir() {
        path.join("model.json")
    } else {
        path.to_path_buf()
    };
    let text = fs::read_to_string(&file)
        .with_context(|| format!("{}: cannot read the model", file.display()))?;
    Model::from_json(&text).map_err(|error| anyhow!("{}: {error}", file.display()))
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

/// Fits on `jobs` threads with a progress bar.
fn run_fit(data: &Dataset, settings: &Settings, jobs: Option<usize>, quiet: bool) -> Result<Fit> {
    let progress = Progress::new(steps(settings), quiet);
    crate::progress::listen()?;
    let fitted = threads::pool(jobs)?.install(|| fit(data, settings, &progress));
    progress.finish();
    Ok(fitted?)
}
