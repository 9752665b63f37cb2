//! `threshnet fit`: from a file to a model.

use super::control;
use super::run_fit;
use super::scores::{Scores, scores};
use crate::args::FitArgs;
use crate::failure::Usage;
use crate::output::fitted::Fitted;
use crate::output::folder::OutputFolder;
use crate::output::ledger::Ledger;
use crate::output::{print, summary::Summary};
use crate::progress;
use anyhow::Result;
use std::time::Instant;
use threshnet::control::Controlled;
use threshnet::dataset::{Dataset, Task};
use threshnet::settings::Size;
use threshnet::tune::Fit;
use threshnet_io::{Columns, load_dataset};

pub fn run(args: &FitArgs) -> Result<()> {
    let input = args.beside.input(&args.data);
    let columns = input.complete(Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        features: args.features.clone(),
        drop: args.drop.clone(),
        task: args.task,
    })?;
    let outcome = columns.outcome().map_err(|e| Usage(e.to_string()))?;
    // What can be refused without the data is refused before they are read.
    let request = args.settings.request()?;
    let task = match columns.time {
        Some(_) => Task::Cox,
        None => Task::Regression,
    };
    let size = Size::new(usize::MAX, 1, columns.task.unwrap_or(task));
    request.settings(size)?.validate()?;
    let control = request.control()?;
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
        None => request.settings(Size::of(&data))?,
    };
    let mut fit = run_fit(&data, &settings, request.jobs, args.quiet)
        .map_err(|error| named(control::kept(error, ledger.as_ref())))?;
    let seconds = started.elapsed().as_secs_f64();
    fit.model.outcome = outcome.names().into_iter().map(String::from).collect();
    if let Some(controlled) = &controlled {
        fit.frequencies = controlled.frequencies();
    }
    let statistics = controlled.as_ref().and_then(Controlled::statistics);
    let summary = Summary::new(
        &data,
        &settings,
        &fit,
        training_scores(&data, &fit)?,
        seconds,
    )
    .with_control(controlled, &data);
    if let Some(target) = &args.out {
        let fitted = Fitted {
            data: &data,
            file: Some(&args.data),
            settings: &settings,
            fit: &fit,
            summary: &summary,
            statistics: statistics.as_deref(),
            svg: args.svg,
        };
        fitted.write(target, request.jobs)?;
        ledger.map(Ledger::remove).transpose()?;
    }
    if args.json {
        return Ok(print(&summary.to_json()?)?);
    }
    print(&summary.to_text())?;
    if let Some(target) = &args.out {
        print(&format!(
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

/// Metrics of the model on the rows it was trained on, and notes on them.
pub fn training_scores(data: &Dataset, fit: &Fit) -> Result<(Scores, Vec<String>)> {
    let columns: Vec<Vec<f64>> = (fit.model.columns().into_iter())
        .map(|j| fit.rows.iter().map(|&i| data.columns()[j].at(i)).collect())
        .collect();
    let prediction = fit.model.predict(&columns, fit.rows.len());
    scores(&prediction, &data.outcome().rows(&fit.rows))
}
