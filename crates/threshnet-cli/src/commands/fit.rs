//! `threshnet fit`: from a file to a model.

use super::control::{self, Controlled};
use super::scores::{Scores, scores};
use super::{load_model, run_fit};
use crate::args::{FitArgs, Lambdas, LinearName, PenaltyName, SolverName, ValidationName};
use crate::data::{Columns, load_dataset};
use crate::failure::Usage;
use crate::output::folder::OutputFolder;
use crate::output::ledger::Ledger;
use crate::output::{print, summary::Summary, tables};
use anyhow::Result;
use std::time::Instant;
use threshnet::dataset::Dataset;
use threshnet::knockoffs::check_rate;
use threshnet::penalty::Penalty;
use threshnet::settings::{
    DRAWN_SHARE, HELD_OUT_SHARE, Linear, Protocol, Rival, Settings, UNPENALISED_EPOCHS, Validation,
};
use threshnet::solver::{Adam, Proximal, Solver, StepRule};
use threshnet::tune::Fit;

/// Epochs of the proximal solver, which stops by itself when it is done.
const PROXIMAL_EPOCHS: usize = 5000;

pub fn run(args: &FitArgs) -> Result<()> {
    let columns = Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        features: args.features.clone(),
        drop: args.drop.clone(),
        task: args.task.map(Into::into),
    };
    let outcome = columns.outcome().map_err(|e| Usage(e.to_string()))?;
    // What can be refused without the data is refused before they are read.
    settings(args, (usize::MAX, 1))?.validate()?;
    if args.time.is_some() && args.batch_size.is_some() {
        let problem = "--batch-size: a survival outcome's risk sets need all rows; leave it out";
        return Err(Usage(problem.into()).into());
    }
    if let Some(target) = &args.out {
        OutputFolder::check(target)?;
    }
    args.fdr.map_or(Ok(()), check_rate)?;
    let data = load_dataset(&args.data, &columns)?;
    let named = |e| name_file(e, &args.data.display().to_string());
    let started = Instant::now();
    let controlled =
        control::run(args, &data, |n, d| one_split_settings(args, (n, d))).map_err(named)?;
    let (controlled, ledger) = controlled.unzip();
    let settings = match &controlled {
        Some(controlled) => on_selected(args, data.n(), controlled.selected())?,
        None => settings(args, (data.n(), data.d()))?,
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
        let folder = OutputFolder::create(target)?;
        folder.write("summary.json", summary.to_json()?.as_bytes())?;
        folder.write(
            "selected.csv",
            &tables::selected(&summary.selected, fit.frequencies.is_some())?,
        )?;
        folder.write("path.csv", &tables::path(&fit)?)?;
        folder.write("norms.csv", &tables::norms(&fit)?)?;
        folder.write("model.json", fit.model.to_json().as_bytes())?;
        if let Some(frequencies) = &fit.frequencies {
            folder.write("frequencies.csv", &tables::frequencies(&data, frequencies)?)?;
        }
        if let Some(statistics) = &statistics {
            folder.write("knockoffs.csv", &tables::knockoffs(&data, statistics)?)?;
        }
        folder.finish()?;
        ledger.map(Ledger::remove).transpose()?;
    }
    if args.json {
        return Ok(print(&summary.to_json()?)?);
    }
    print(&summary.to_text())?;
    if let Some(target) = &args.out {
        print(&format!(
            "written to {}
",
            target.display()
        ))?;
    }
    Ok(())
}

/// The settings of a fit to columns that were selected before: these stay, whatever λ.
fn on_selected(args: &FitArgs, n: usize, columns: Vec<usize>) -> Result<Settings> {
    let mut settings = one_split_settings(args, (n, columns.len()))?;
    settings.lambdas = vec![0.0];
    settings.adapt_lambdas = false;
    settings.first_epochs = args.first_epochs.unwrap_or(UNPENALISED_EPOCHS);
    settings.columns = Some(columns);
    // What has been selected is not asked again.
    settings.screen = None;
    Ok(settings)
}

/// A problem with the data is a problem of this file.
fn name_file(error: anyhow::Error, file: &str) -> anyhow::Error {
    match error.downcast_ref::<threshnet::error::Error>() {
        Some(threshnet::error::Error::Data(problem)) => anyhow::anyhow!("{file}: {problem}"),
        _ => error,
    }
}

/// The settings of a fit that is one of many, or the last after many: where the user does
/// not ask for more, one hold-out chooses.
fn one_split_settings(args: &FitArgs, size: (usize, usize)) -> Result<Settings> {
    let holdout = Some(ValidationName::Holdout(HELD_OUT_SHARE));
    let linear = Some(args.linear.unwrap_or(LinearName::Leave));
    settings(
        &FitArgs {
            validation: args.validation.or(holdout),
            linear,
            ..args.clone()
        },
        size,
    )
}

/// What was typed, on top of the protocol's defaults.
fn settings(args: &FitArgs, (n, d): (usize, usize)) -> Result<Settings> {
    let penalty = match (args.penalty, args.concavity) {
        (name, None) => usual(name),
        (PenaltyName::Lasso, Some(_)) => {
            return Err(Usage("--concavity: the lasso has none".into()).into());
        }
        (PenaltyName::Mcp, Some(a)) => Penalty::Mcp(a),
        (PenaltyName::Scad, Some(a)) => Penalty::Scad(a),
    };
    let protocol: Protocol = args.protocol.into();
    let validation = match args.validation {
        None => protocol.validation(),
        Some(ValidationName::Holdout(share)) => Validation::Holdout {
            share,
            stratified: protocol != Protocol::Paper,
        },
        Some(ValidationName::Folds { count, repeats }) => Validation::Folds { count, repeats },
        Some(ValidationName::Draws(count)) => Validation::Draws {
            count,
            share: DRAWN_SHARE,
        },
        Some(ValidationName::None) => Validation::None,
    };
    let mut settings = Settings::new(protocol, penalty, validation, (n, d));
    if let Some(hidden) = &args.hidden {
        settings.hidden.clone_from(&hidden.0);
        if settings.linear == Linear::Choose {
            settings.linear = Linear::Compare;
        }
    }
    if let Some(linear) = args.linear {
        settings.linear = linear.into();
    }
    settings.activation = args.activation.into();
    settings.ties = args.ties.into();
    settings.direction = args.path.into();
    settings.rule = args.rule.into();
    settings.frequency = args.frequency;
    settings.standardize = !args.no_standardize;
    settings.screen = args.screen.or(settings.screen);
    settings.seed = args.seed;
    settings.solver = solver(args, settings.solver)?;
    if args.solver == SolverName::Proximal {
        settings.first_epochs = PROXIMAL_EPOCHS;
        settings.epochs = PROXIMAL_EPOCHS;
    }
    match &args.lambdas {
        Some(Lambdas::Grid(grid)) => settings.lambdas.clone_from(&grid.0),
        Some(Lambdas::Auto) => settings.adapt_lambdas = true,
        None => {}
    }
    settings.shortcut = args.shortcut.into();
    settings.starts = args.starts.unwrap_or(settings.starts);
    settings.rivals = (args.rival.iter())
        .map(|rival| Rival {
            penalty: rival.penalty.map(usual),
            hidden: rival.hidden.clone(),
        })
        .collect();
    if let Some(grid) = &args.ridges {
        settings.ridges.clone_from(&grid.0);
    }
    if let Some(refit) = args.refit {
        settings.refit = refit.into();
    }
    settings.skip_ridges = args.skip_ridges.into();
    settings.share_start = args.share_start.into();
    settings.epochs = args.epochs.unwrap_or(settings.epochs);
    settings.first_epochs = args.first_epochs.unwrap_or(settings.first_epochs);
    settings.batch_size = args.batch_size;
    settings.init = args.init.as_deref().map(load_model).transpose()?;
    Ok(settings)
}

/// A penalty with its usual concavity.
fn usual(name: PenaltyName) -> Penalty {
    match name {
        PenaltyName::Lasso => Penalty::Lasso,
        PenaltyName::Mcp => Penalty::MCP,
        PenaltyName::Scad => Penalty::SCAD,
    }
}

/// The solver, as typed on top of the protocol's.
fn solver(args: &FitArgs, default: Solver) -> Result<Solver> {
    let unused = |flag: &str, solver: &str| {
        Usage(format!("--{flag}: the {solver} solver has no such setting"))
    };
    match args.solver {
        SolverName::Adam => {
            let default = match default {
                Solver::Adam(adam) => adam,
                Solver::Proximal(_) => Adam::default(),
            };
            Ok(Solver::Adam(Adam {
                learning_rate: args.learning_rate.unwrap_or(default.learning_rate),
                threshold_step: args.threshold_step.unwrap_or(default.threshold_step),
                tolerance: args.tolerance.unwrap_or(default.tolerance),
                readmit: args.readmit.map_or(default.readmit, Into::into),
            }))
        }
        SolverName::Proximal if args.learning_rate.is_some() => {
            Err(unused("learning-rate", "proximal").into())
        }
        SolverName::Proximal if args.readmit.is_some() => {
            Err(Usage("--readmit: the proximal solver always does so; leave it out".into()).into())
        }
        SolverName::Proximal => {
            let default = Proximal::default();
            Ok(Solver::Proximal(Proximal {
                step: args.threshold_step.map_or(default.step, StepRule::Fixed),
                tolerance: args.tolerance.unwrap_or(default.tolerance),
            }))
        }
    }
}

/// Metrics of the model on the rows it was trained on, and notes on them.
fn training_scores(data: &Dataset, fit: &Fit) -> Result<(Scores, Vec<String>)> {
    let columns: Vec<Vec<f64>> = (fit.model.selected().into_iter())
        .map(|j| fit.rows.iter().map(|&i| data.columns()[j].at(i)).collect())
        .collect();
    let prediction = fit.model.predict(&columns, fit.rows.len());
    scores(&prediction, &data.outcome().rows(&fit.rows))
}
