//! `threshnet evaluate`: metrics of a model on a file that has the outcome.

use super::load_model;
use super::scores::{check_flags, print_scores};
use crate::args::EvaluateArgs;
use crate::failure::Usage;
use anyhow::Result;
use threshnet::dataset::Task;
use threshnet::model::Model;
use threshnet_io::{Columns, ModelOutcome, Needed, OutcomeColumns, load_labelled};

pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    let columns = outcome_columns(args, &model)?;
    check_flags(&args.censoring, model.task)?;
    let expected = ModelOutcome {
        columns: &columns,
        task: model.task,
        classes: &model.classes,
    };
    let (features, outcome) = load_labelled(
        &args.beside.input(&args.data),
        &Needed::of(&model),
        expected,
    )?;
    let prediction = model.predict(&features.columns, features.rows);
    print_scores(&prediction, &outcome, &args.censoring, &columns)
}

/// Where the outcome is: as typed, else as in the fit.
fn outcome_columns(args: &EvaluateArgs, model: &Model) -> Result<OutcomeColumns> {
    let remembered = |at: usize| model.outcome.get(at).cloned();
    let columns = if model.task == Task::Cox {
        Columns {
            time: args.time.clone().or_else(|| remembered(0)),
            event: args.event.clone().or_else(|| remembered(1)),
            target: args.target.clone(),
            ..Columns::default()
        }
    } else {
        Columns {
            target: args.target.clone().or_else(|| remembered(0)),
            time: args.time.clone(),
            event: args.event.clone(),
            ..Columns::default()
        }
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
