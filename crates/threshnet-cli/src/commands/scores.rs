//! Figures of predictions, by the keys of the command line.

use super::{as_in_fit, check_all_times, put_in};
use crate::args::{BesideArgs, OutcomeArgs, ScoringArgs};
use crate::failure::Usage;
use crate::output::{print, tell};
use anyhow::Result;
use serde_json::{Value, to_value};
use std::path::Path;
use threshnet::dataset::{Response, Task};
use threshnet::metrics::{Asked, Bootstrap, Evaluation, IntervalMethod, Predicted};
use threshnet::model::Model;
use threshnet::threads;
use threshnet_io::{
    Columns, Input, Keep, ModelOutcome, Needed, OutcomeColumns, RowColumns, Table, for_model,
    load_labelled, of_rows,
};

/// What is scored: the file, and its outcome columns, which are those of the training rows, too.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    pub input: &'a Input,
    pub columns: &'a OutcomeColumns,
}

/// Refuses flags where they mean nothing, before any file is read.
pub fn check_flags(args: &ScoringArgs, task: Task) -> Result<(), Usage> {
    let of_survival = args.train.is_some() || args.tau.is_some() || !args.times.is_empty();
    if of_survival && task != Task::Cox {
        return Err(Usage(
            "--train and --times are for survival outcomes, as is --tau; leave them out".into(),
        ));
    }
    check_all_times(&args.times)?;
    if let Some(tau) = args.tau.filter(|tau| !(tau.is_finite() && *tau > 0.0)) {
        return Err(Usage(format!(
            "--tau: {tau} is not a time to look ahead; give a finite number above 0"
        )));
    }
    let decides = match task {
        Task::Binary => true,
        Task::Cox => !args.times.is_empty(),
        Task::Regression | Task::Multiclass => false,
    };
    if !args.thresholds.is_empty() && !decides {
        return Err(Usage(
            "--thresholds are risks of one of two classes, or of an event by each of --times; \
             leave them out or give --times"
                .into(),
        ));
    }
    match args.thresholds.iter().find(|t| !(0.0..1.0).contains(*t)) {
        None => Ok(()),
        Some(bad) => Err(Usage(format!(
            "--thresholds: {bad} is no risk to act at; give numbers from 0 to below 1"
        ))),
    }
}

/// The columns of the rows beside the outcome.
pub fn row_columns(args: &ScoringArgs) -> RowColumns<'_> {
    RowColumns {
        weights: args.weights.as_deref(),
        clusters: args.clusters.as_deref(),
    }
}

/// What the flags ask for; reads the training rows.
pub fn asked(args: &ScoringArgs, of: Scored) -> Result<Asked> {
    Ok(Asked {
        times: args.times.clone(),
        tau: args.tau,
        thresholds: args.thresholds.clone(),
        curves: args.curves,
        train: (args.train.as_deref())
            .map(|path| training_rows(path, args, of))
            .transpose()?,
        bootstrap: (args.samples > 0).then(|| bootstrap(args)),
    })
}

/// How the flags want intervals.
pub fn bootstrap(args: &ScoringArgs) -> Bootstrap {
    Bootstrap {
        samples: args.samples,
        seed: args.seed,
        corrected: args.interval == IntervalMethod::Bca,
    }
}

fn training_rows(path: &Path, args: &ScoringArgs, of: Scored) -> Result<Response> {
    let rows = RowColumns {
        clusters: None,
        ..row_columns(args)
    };
    let names = of.columns.names().into_iter().chain(rows.names());
    let names: Vec<(&str, Keep)> = names.map(|name| (name, Keep::Spelling)).collect();
    let input = Input {
        data: path.to_path_buf(),
        ..of.input.clone()
    };
    let table = Table::of_columns(&input, &names)?;
    let train = for_model(&table, of.columns, Task::Cox, &[])?;
    of_rows(&table, train, rows)
}

/// Prints all that is said of predictions as JSON on stdout, `null` where the data leave it
/// undefined, and notes that say why on stderr.
pub fn print_scores(predicted: &Predicted, response: &Response, asked: &Asked) -> Result<()> {
    let pool = threads::pool(None)?;
    let found = pool.install(|| Evaluation::new(predicted, response, asked))?;
    print_with_notes(&to_value(&found)?, &found.notes)
}

/// JSON on stdout, notes on stderr.
pub fn print_with_notes(found: &Value, notes: &[String]) -> Result<()> {
    for note in notes {
        tell("note", note);
    }
    Ok(print(&(serde_json::to_string_pretty(found)? + "\n"))?)
}

/// What a model says of a file that has the outcome.
pub struct Labelled {
    /// What it says.
    pub predicted: Predicted,
    /// The outcome of the rows.
    pub response: Response,
    /// The file, as the model reads it.
    pub input: Input,
}

/// Reads a file for a model and predicts its rows.
pub fn labelled(
    model: &Model,
    data: &Path,
    beside: &BesideArgs,
    columns: &OutcomeColumns,
    scoring: &ScoringArgs,
) -> Result<Labelled> {
    let expected = ModelOutcome {
        columns,
        task: model.task,
        classes: &model.classes,
        rows: row_columns(scoring),
    };
    let input = as_in_fit(beside.input(data), model);
    let (features, response) = load_labelled(&input, &Needed::of(model), expected)?;
    put_in(&features.encoded)
        .iter()
        .for_each(|note| tell("note", note));
    let prediction = model.predict(&features.encoded.columns, features.rows);
    Ok(Labelled {
        predicted: Predicted::by(model, prediction, &response, &scoring.times),
        response,
        input,
    })
}

/// Where the outcome is: as typed, else as in the fit.
pub fn outcome_columns(args: &OutcomeArgs, model: &Model) -> Result<OutcomeColumns> {
    let is_survival = model.task == Task::Cox;
    let or_remembered = |typed: &Option<String>, at: usize, belongs: bool| {
        let remembered = || model.outcome.get(at).filter(|_| belongs).cloned();
        typed.clone().or_else(remembered)
    };
    let columns = Columns {
        target: or_remembered(&args.target, 0, !is_survival),
        time: or_remembered(&args.time, 0, is_survival),
        event: or_remembered(&args.event, 1, is_survival),
        ..Columns::default()
    };
    columns.outcome().map_err(|_| {
        let (task, flags) = match model.task {
            Task::Cox => ("survival", "--time and --event"),
            _ => (model.task.name(), "--target"),
        };
        Usage(format!(
            "this is a {task} model: name its outcome with {flags}"
        ))
        .into()
    })
}
