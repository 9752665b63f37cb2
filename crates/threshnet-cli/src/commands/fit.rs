//! `threshnet fit`: from a file to a model.

use super::control;
use super::scores::{Scores, scores};
use super::{load_model, run_fit};
use crate::args::FitArgs;
use crate::failure::Usage;
use crate::output::fitted::Fitted;
use crate::output::folder::OutputFolder;
use crate::output::ledger::Ledger;
use crate::output::{print, summary::Summary};
use crate::progress;
use anyhow::Result;
use std::time::Instant;
use threshnet::control::{Control, Controlled};
use threshnet::dataset::{Dataset, Task};
use threshnet::settings::{Request, Size};
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
    let request = request(args)?;
    request
        .settings(Size::new(usize::MAX, 1, Task::Regression))?
        .validate()?;
    if columns.time.is_some() && args.batch_size.is_some() {
        let problem = "--batch-size: a survival outcome's risk sets need all rows; leave it out";
        return Err(Usage(problem.into()).into());
    }
    if let Some(target) = &args.out {
        OutputFolder::check(target)?;
    }
    let control = control::asked(args);
    control.map_or(Ok(()), Control::validate)?;
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
    let mut fit = run_fit(&data, &settings, args.jobs, args.quiet)
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
        fitted.write(target, args.jobs)?;
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

/// What the flags ask for.
fn request(args: &FitArgs) -> Result<Request> {
    Ok(Request {
        protocol: args.protocol,
        penalty: args.penalty,
        concavity: args.concavity,
        hidden: args.hidden.clone(),
        shortcut: args.shortcut.into(),
        linear: args.linear,
        activation: args.activation,
        ties: args.ties,
        lambdas: args.lambdas.clone(),
        ridges: args.ridges.clone(),
        validation: args.validation,
        rule: args.rule,
        frequency: args.frequency,
        refit: args.refit.map(Into::into),
        skip_ridges: args.skip_ridges.into(),
        screen: args.screen,
        solver: args.solver,
        learning_rate: args.learning_rate,
        threshold_step: args.threshold_step,
        tolerance: args.tolerance,
        look_again: args.look_again.map(Into::into),
        epochs: args.epochs,
        first_epochs: args.first_epochs,
        batch_size: args.batch_size,
        direction: args.path,
        init: args.init.as_deref().map(load_model).transpose()?,
        standardize: !args.no_standardize,
        lift: args.lift,
        seed: args.seed,
    })
}

/// Metrics of the model on the rows it was trained on, and notes on them.
pub fn training_scores(data: &Dataset, fit: &Fit) -> Result<(Scores, Vec<String>)> {
    let columns: Vec<Vec<f64>> = (fit.model.columns().into_iter())
        .map(|j| fit.rows.iter().map(|&i| data.columns()[j].at(i)).collect())
        .collect();
    let prediction = fit.model.predict(&columns, fit.rows.len());
    scores(&prediction, &data.outcome().rows(&fit.rows))
}
