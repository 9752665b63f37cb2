//! One file per command.

pub mod demo;
pub mod evaluate;
pub mod fit;
pub mod metrics;
pub mod predict;
pub mod report;
pub mod simulate;

pub mod control;
mod scores;

pub use scores::most_probable;

use anyhow::{Context, Result, anyhow};
use std::fs;
use std::path::{Path, PathBuf};
use threshnet::dataset::Dataset;
use threshnet::model::Model;
use threshnet::settings::Settings;
use threshnet::tune::{Fit, fit, steps};

use crate::progress::Progress;

/// Reads the model of a fit's folder, or a `model.json`.
fn load_model(path: &Path) -> Result<Model> {
    let file: PathBuf = if path.is_dir() {
        path.join("model.json")
    } else {
        path.to_path_buf()
    };
    let text = fs::read_to_string(&file)
        .with_context(|| format!("{}: cannot read the model", file.display()))?;
    Model::from_json(&text).map_err(|error| anyhow!("{}: {error}", file.display()))
}

/// The names of the columns a model needs, in its order.
fn needed(model: &Model) -> Vec<&str> {
    model
        .selected()
        .into_iter()
        .map(|j| &model.features[j][..])
        .collect()
}

/// Fits on `jobs` threads with a progress bar.
fn run_fit(data: &Dataset, settings: &Settings, jobs: Option<usize>, quiet: bool) -> Result<Fit> {
    let paths = settings.validation.splits() * settings.ridges.len();
    let progress = Progress::new(steps(settings), quiet);
    crate::progress::listen()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0).min(paths))
        .build()?;
    let fitted = pool.install(|| fit(data, settings, &progress));
    progress.finish();
    Ok(fitted?)
}
