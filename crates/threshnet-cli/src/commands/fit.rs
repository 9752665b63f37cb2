//! `threshnet fit`: from a file to a model.

use super::{control, nested, run_fit, runs};
use crate::args::FitArgs;
use crate::failure::Usage;
use crate::output::folder::OutputFolder;
use crate::output::ledger::Ledger;
use crate::output::text::to_text;
use crate::output::{fitted, print};
use crate::progress;
use anyhow::Result;
use std::time::Instant;
use threshnet::dataset::Task;
use threshnet::report::{Fitted, Note};
use threshnet::settings::{Size, ValidationName};
use threshnet::threads;
use threshnet::validate::importance;
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
    let outside = match request.outer {
        Some(_) => Some(nested::run(args, &data, &request).map_err(named)?),
        None => None,
    };
    let kept = || outside.as_ref().map(|of| &of.ledger).or(ledger.as_ref());
    let settings = match &controlled {
        Some(controlled) => request.on_selected(&data, &controlled.selected())?,
        None => request.settings_for(&data)?,
    };
    let mut fit = run_fit(&data, &settings, request.jobs, args.quiet)
        .map_err(|error| named(runs::kept(error, kept())))?;
    let importance = match request.importance {
        true => {
            let pool = threads::pool(request.jobs)?;
            pool.install(|| importance(&data, &request, &fit, &progress::Interrupt))
                .map_err(|error| named(runs::kept(error.into(), kept())))?
        }
        false => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    for model in fit.models_mut() {
        model.outcome = outcome.names().into_iter().map(String::from).collect();
        model.reading = input.manner.reading.clone();
        model.unseen = request.unseen;
    }
    let nested = match &outside {
        Some(outside) => Some(outside.beside(&fit, &data)?),
        None => None,
    };
    let made = Fitted {
        data: &data,
        request: &request,
        settings: &settings,
        fit: &fit,
        controlled: controlled.as_ref(),
        nested: nested.as_ref(),
        importance: importance.as_ref(),
        seconds,
        explain: args.out.is_some(),
    };
    let report = fitted::report(&made, Some(&args.data), request.jobs)?;
    let suspect = |note: &&Note| matches!(note, Note::Suspect { .. });
    for note in report.notes.iter().filter(suspect) {
        eprintln!("warning: {note}");
    }
    if let Some(target) = &args.out {
        fitted::write(target, &made, &report, args.svg)?;
        let ledgers = [ledger, outside.map(|of| of.ledger)];
        ledgers.into_iter().flatten().try_for_each(Ledger::remove)?;
    }
    if args.json {
        return Ok(print(&report.summary().to_json())?);
    }
    print(&to_text(&report))?;
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
