//! `threshnet evaluate`: metrics of a model on a file that has the outcome.

use super::scores::{Scored, check_flags, print_scores};
use super::{as_in_fit, load_ensemble, load_model, put_in};
use crate::args::EvaluateArgs;
use crate::failure::Usage;
use crate::output::tell;
use anyhow::Result;
use threshnet::dataset::Task;
use threshnet::model::Model;
use threshnet_io::{Columns, ModelOutcome, Needed, OutcomeColumns, load_labelled};

pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = match args.ensemble {
        true => load_ensemble(&args.model)?,
        false => load_model(&args.model)?,
    };
    let columns = outcome_columns(args, &model)?;
    check_flags(&args.scoring, model.task)?;
    let expected = ModelOutcome {
        columns: &columns,
        task: model.task,
        classes: &model.classes,
        weights: args.scoring.weights.as_deref(),
    };
    let input = as_in_fit(args.beside.input(&args.data), &model);
    let (features, response) = load_labelled(&input, &Needed::of(&model), expected)?;
    put_in(&features.encoded)
        .iter()
        .for_each(|note| tell("note", note));
    let prediction = model.predict(&features.encoded.columns, features.rows);
    let of = Scored {
        input: &input,
        columns: &columns,
    };
    print_scores(&prediction, &response, &args.scoring, of)
}

/// Where the outcome is: as typed, else as in the fit.
fn outcome_columns(args: &EvaluateArgs, model: &Model) -> Result<OutcomeColumns> {
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
