//! `threshnet fit`: from a file to a model.

use super::control;
use super::run_fit;
use crate::args::FitArgs;
use crate::failure::Usage;
use crate::output::folder::OutputFolder;
use crate::output::ledger::Ledger;
use crate::output::text::to_text;
use crate::output::{fitted, print, show, tell};
use crate::progress;
use anyhow::Result;
use std::time::Instant;
use threshnet::dataset::Task;
use threshnet::report::{Fitted, Note};
use threshnet::settings::{Size, ValidationName};
use threshnet_io::{Columns, load_dataset, load_folds};

pub fn run(args: &FitArgs) -> Result<()> {
    let input = args.beside.input(&args.data);
    let folds = args.folds.as_deref().map(load_folds).transpose()?;
    let count = folds.iter().flatten().max().copied();
    let mut request = args.settings.request()?;
    let columns = input.complete(Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        features: args.features.clone(),
        drop: args.drop.clone(),
        task: args.task,
        weights: args.weights.clone(),
        gaps: request.gaps()?,
        folds,
        fold_by: args.fold_by.clone(),
        keep: args.keep.clone(),
        penalty_factors: args.penalty_factors.clone(),
        groups: args.groups.clone(),
    })?;
    let outcome = columns.outcome().map_err(|e| Usage(e.to_string()))?;
    // What can be refused without the data is refused before they are read.
    request.validation = count.map(ValidationName::Folds).or(request.validation);
    let task = match columns.time {
        Some(_) => Task::Cox,
        None => Task::Regression,
    };
    let size = Size::new(usize::MAX, 1, columns.task.unwrap_or(task));
    let control = request.control()?;
    match control {
        Some(_) => request.one_split(size)?.validate()?,
        None => request.settings(size)?.validate()?,
    }
    if let Some(target) = &args.out {
        OutputFolder::check(target)?;
    }
    let (data, overview) = progress::reading(args.quiet, |reached| {
        load_dataset(&input, &columns, reached)
    })?;
    progress::tell(&overview, args.quiet);
    let named = |e| name_file(e, &args.data.display().to_string());
    let started = Instant::now();
    let controlled = control
        .map(|control| control::run(control, args, &data, &request))
        .transpose()
        .map_err(named)?;
    let (controlled, ledger) = controlled.unzip();
    let settings = match &controlled {
        Some(controlled) => request.on_selected(&data, &controlled.selected())?,
        None => request.settings_for(&data)?,
    };
    let mut fit = run_fit(&data, &settings, request.jobs, args.quiet)
        .map_err(|error| named(control::kept(error, ledger.as_ref())))?;
    let seconds = started.elapsed().as_secs_f64();
    for model in fit.models_mut() {
        model.outcome = outcome.names().into_iter().map(String::from).collect();
        model.reading = input.manner.reading.clone();
        model.unseen = request.unseen;
    }
    let made = Fitted {
        data: &data,
        request: &request,
        settings: &settings,
        fit: &fit,
        controlled: controlled.as_ref(),
        seconds,
        explain: args.out.is_some(),
    };
    let report = fitted::report(&made, Some(&args.data), request.jobs)?;
    let suspect = |note: &&Note| matches!(note, Note::Suspect { .. });
    for note in report.notes.iter().filter(suspect) {
        tell("warning", note);
    }
    if let Some(target) = &args.out {
        fitted::write(target, &made, &report, args.svg)?;
        ledger.map(Ledger::remove).transpose()?;
    }
    if args.json {
        return Ok(print(&report.summary().to_json())?);
    }
    show(&to_text(&report))?;
    if let Some(target) = &args.out {
        show(&format!(
            "written to {}; open {} in a browser\n",
            target.display(),
            target.join("report.html").display()
        ))?;
    }
    Ok(())
}

/// A problem with the data is a problem of this file.
fn name_file(error: anyhow::Error, file: &str) -> anyhow::Error {
    match error.downcast_ref::<threshnet::error::Error>() {
        Some(threshnet::error::Error::Data(problem)) => anyhow::anyhow!("{file}: {problem}"),
        _ => error,
    }
}
