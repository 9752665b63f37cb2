//! Metrics of predictions, by the keys of the command line.

use super::check_all_times;
use crate::args::ScoringArgs;
use crate::failure::Usage;
use crate::output::{print, tell};
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use threshnet::dataset::{Response, Task};
use threshnet::metrics::{Score, Survival, concordance_uno, cumulative_dynamic_auc, scores};
use threshnet::model::Prediction;
use threshnet_io::{Input, Keep, OutcomeColumns, Table, for_model, weighted};

/// Metrics under their names.
pub type Scores = Map<String, Value>;

/// What is scored: the file, and its outcome columns, which are those of the training rows, too.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    pub input: &'a Input,
    pub columns: &'a OutcomeColumns,
}

/// Refuses `--train` and `--times` where they mean nothing, before any file is
/// read.
pub fn check_flags(args: &ScoringArgs, task: Task) -> Result<(), Usage> {
    if args.train.is_some() && task != Task::Cox {
        return Err(Usage(
            "--train and --times are for survival outcomes; leave them out".into(),
        ));
    }
    check_all_times(&args.times)
}

/// Prints metrics as JSON on stdout, `null` where the data leave them undefined, and notes that
/// say why on stderr; with what `--train`
/// and `--times` ask for.
pub fn print_scores(
    prediction: &Prediction,
    response: &Response,
    args: &ScoringArgs,
    of: Scored,
) -> Result<()> {
    let (mut found, mut notes) = (Scores::new(), Vec::new());
    for Score { metric, value } in scores(prediction, response)? {
        let name = metric.name();
        let value = value.map_err(|reason| notes.push(format!("{name} is undefined: {reason}")));
        found.insert(name.into(), json!(value.ok()));
    }
    if let Some(path) = &args.train {
        let names: Vec<(&str, Keep)> = (of
            .columns
            .names()
            .into_iter()
            .chain(args.weights.as_deref()))
        .map(|name| (name, Keep::Spelling))
        .collect();
        let input = Input {
            data: path.clone(),
            ..of.input.clone()
        };
        let table = Table::of_columns(&input, &names)?;
        let train = for_model(&table, of.columns, Task::Cox, &[])?;
        let train = weighted(&table, train, args.weights.as_deref())?;
        let (more, why) = censoring_weighted(prediction, response, &train, &args.times)?;
        found.extend(more);
        notes.extend(why);
    }
    for note in notes {
        tell("note", note);
    }
    Ok(print(&(serde_json::to_string_pretty(&found)? + "\n"))?)
}

/// Uno's C-index and, if there are times, the time-dependent AUC, with
/// censoring weights from the training rows; likewise.
fn censoring_weighted(
    prediction: &Prediction,
    response: &Response,
    train: &Response,
    times: &[f64],
) -> Result<(Scores, Vec<String>)> {
    let (Prediction::Risk(risk), Some(rows), Some(train)) =
        (prediction, Survival::of(response), Survival::of(train))
    else {
        bail!("--train and --times are for survival outcomes");
    };
    let (mut scores, mut notes) = (Scores::new(), Vec::new());
    let uno = concordance_uno(train, rows, risk)
        .map_err(|reason| notes.push(format!("uno_c is undefined: {reason}")));
    scores.insert("uno_c".into(), json!(uno.ok()));
    if !times.is_empty() {
        let curve = cumulative_dynamic_auc(train, rows, risk, times)
            .map_err(|reason| notes.push(format!("tauc and tauc_mean are undefined: {reason}")))
            .ok();
        scores.insert("tauc".into(), json!(curve.as_ref().map(|c| &c.at)));
        scores.insert("tauc_mean".into(), json!(curve.map(|c| c.mean)));
    }
    Ok((scores, notes))
}
