//! `threshnet fit`: from a file to a model.

use super::runs::{NOTHING_KEPT, kept};
use super::{Running, control, nested, run_fit};
use crate::args::FitArgs;
use crate::failure::Usage;
use crate::output::ledger::{Fingerprint, Ledger};
use crate::output::text::to_text;
use crate::output::{fitted, log, print, show};
use crate::{memory, progress, signals};
use anyhow::{Result, anyhow};
use serde_json::json;
use std::time::Instant;
use threshnet::control::{Controlled, Plan};
use threshnet::dataset::{Dataset, Task};
use threshnet::error::Error;
use threshnet::report::{Fitted, Note};
use threshnet::settings::{Settings, Size, ValidationName};
use threshnet::threads;
use threshnet::validate::importance;
use threshnet_io::{Columns, load_dataset, load_folds};

pub fn run(args: &FitArgs) -> Result<()> {
    log::open(args.log.as_deref())?;
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
    let ledger = args.out.as_deref().map(Ledger::lock).transpose()?;
    match &ledger {
        Some(ledger) => {
            let place = ledger.place();
            signals::set_last_words(move || place.last_words());
        }
        None => signals::set_last_words(|| NOTHING_KEPT.into()),
    }
    let (data, overview) = progress::reading(args.quiet, |reached| {
        load_dataset(&input, &columns, reached)
    })?;
    progress::tell(&overview, args.quiet);
    let named = |e| name_file(e, &args.data.display().to_string());
    log::event("read", json!({"rows": data.n(), "columns": data.d()}));
    let started = Instant::now();
    let settings = match control {
        Some(_) => request.one_split(Size::of(&data))?,
        None => request
            .settings_for(&data)
            .map_err(|error| named(error.into()))?,
    };
    progress::tell(
        &memory::check(&data, control, &settings, request.jobs).map_err(named)?,
        args.quiet,
    );
    let controlled = control
        .map(|control| -> Result<Controlled> {
            let plan = Plan::new(control, &data, &request)?;
            resume(ledger.as_ref(), &data, plan.settings())?;
            control::run(&plan, args, ledger.as_ref())
        })
        .transpose()
        .map_err(|error| named(kept(error, ledger.as_ref())))?;
    let settings = match &controlled {
        Some(controlled) => request.on_selected(&data, &controlled.selected())?,
        None => {
            resume(ledger.as_ref(), &data, &settings)?;
            settings
        }
    };
    let outside = match request.outer {
        Some(_) => {
            let found = nested::run(args, &data, &request, ledger.as_ref());
            Some(found.map_err(|error| named(kept(error, ledger.as_ref())))?)
        }
        None => None,
    };
    let running = Running {
        jobs: request.jobs,
        quiet: args.quiet,
        ledger: ledger.as_ref(),
    };
    let mut fit = run_fit(&data, &settings, running).map_err(|error| {
        // (runs serve other flags, too)
        if let (None, None, Some(ledger)) = (&controlled, &outside, &ledger)
            && !is_interruption(&error)
        {
            ledger.forget();
        }
        named(kept(error, ledger.as_ref()))
    })?;
    let importance = match request.importance {
        true => {
            let pool = threads::pool(request.jobs)?;
            // (it takes a moment: nobody needs to see how far it is)
            let watch = progress::StudyBar::new(true);
            pool.install(|| importance(&data, &request, &fit, &watch))
                .map_err(|error| named(kept(error.into(), ledger.as_ref())))?
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
        log::warn(&note.to_string());
    }
    if let (Some(ledger), Some(target)) = (ledger, &args.out) {
        let place = ledger.place();
        fitted::write(ledger, target, &made, &report, args.svg).map_err(|error| {
            let kept = place.kept().unwrap_or("nothing is kept".into());
            anyhow!("{error:#}; {kept}")
        })?;
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

/// Takes what an earlier command has left of the same fit.
pub fn resume(ledger: Option<&Ledger>, data: &Dataset, settings: &Settings) -> Result<()> {
    let Some(ledger) = ledger else {
        return Ok(());
    };
    ledger.identify(&Fingerprint::of(data, settings))?;
    let place = ledger.place();
    if place.len() > 0 {
        log::event(
            "resumed",
            json!({"finished": place.len(), "file": place.path()}),
        );
    }
    Ok(())
}

/// Whether the same command would get further.
fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(Error::Cancelled | Error::NotKept(_))
    )
}

/// A problem with the data is a problem of this file.
fn name_file(error: anyhow::Error, file: &str) -> anyhow::Error {
    match error.downcast_ref::<Error>() {
        Some(Error::Data(problem)) => anyhow::anyhow!("{file}: {problem}"),
        _ => error,
    }
}
