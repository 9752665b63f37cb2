//! `threshnet metrics`: metrics of any predictions, given as columns.

use super::scores::{Scored, check_flags, print_scores};
use crate::args::MetricsArgs;
use crate::failure::Usage;
use anyhow::Result;
use threshnet::dataset::Task;
use threshnet::model::Prediction;
use threshnet_io::{Input, Keep, OutcomeColumns, Table, for_model, two_classes, weighted};

pub fn run(args: &MetricsArgs) -> Result<()> {
    let (columns, task, predicted) = asked(args)?;
    check_flags(&args.scoring, task)?;
    let spelled = columns
        .names()
        .into_iter()
        .chain(args.scoring.weights.as_deref())
        .map(|name| (name, Keep::Spelling));
    let names: Vec<(&str, Keep)> = spelled.chain([(predicted, Keep::Values)]).collect();
    let input = Input {
        manner: args.manner.manner(),
        ..Input::of(&args.data)
    };
    let table = Table::of_columns(&input, &names)?;
    let outcome = match &columns {
        // The classes are those of the file itself.
        OutcomeColumns::Target(name) if task == Task::Binary => two_classes(&table, name)?,
        columns => for_model(&table, columns, task, &[])?,
    };
    let values = table.number(predicted)?.into_owned();
    let prediction = match task {
        Task::Binary => {
            if let Some(row) = values.iter().position(|p| !(0.0..=1.0).contains(p)) {
                let problem = format!(
                    "{} is not a probability; give a number between 0 and 1",
                    values[row]
                );
                return Err(table.error_at(row, predicted, problem));
            }
            Prediction::Probabilities(vec![values.iter().map(|p| 1.0 - p).collect(), values])
        }
        Task::Cox => Prediction::Risk(values),
        Task::Regression | Task::Multiclass => Prediction::Numbers(values),
    };
    let response = weighted(&table, outcome, args.scoring.weights.as_deref())?;
    let of = Scored {
        input: &input,
        columns: &columns,
    };
    print_scores(&prediction, &response, &args.scoring, of)
}

/// The outcome, its task and the column with the predictions.
fn asked(args: &MetricsArgs) -> Result<(OutcomeColumns, Task, &str)> {
    let target = || args.target.clone().map(OutcomeColumns::Target);
    match (target(), &args.prediction, &args.probability, &args.time, &args.event, &args.risk) {
        (Some(target), Some(prediction), None, None, None, None) => {
            Ok((target, Task::Regression, prediction))
        }
        (Some(target), None, Some(probability), None, None, None) => {
            Ok((target, Task::Binary, probability))
        }
        (None, None, None, Some(time), Some(event), Some(risk)) => {
            let survival = OutcomeColumns::Survival {
                time: time.clone(),
                event: event.clone(),
            };
            Ok((survival, Task::Cox, risk))
        }
        _ => Err(Usage(
            "name the columns: --target with --prediction or --probability, or --time, --event and --risk"
                .into(),
        )
        .into()),
    }
}
