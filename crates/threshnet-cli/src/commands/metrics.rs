//! `threshnet metrics`: metrics of any predictions, given as columns.

use super::scores::{Scored, asked as all_asked, check_flags, print_scores, row_columns};
use crate::args::MetricsArgs;
use crate::failure::Usage;
use anyhow::Result;
use threshnet::dataset::Task;
use threshnet::metrics::Predicted;
use threshnet::model::Prediction;
use threshnet_io::{Input, Keep, OutcomeColumns, Table, for_model, of_rows, two_classes};

pub fn run(args: &MetricsArgs) -> Result<()> {
    let (columns, task, predicted) = asked(args)?;
    check_flags(&args.scoring, task)?;
    let (times, curves) = (args.scoring.times.len(), args.survival.len());
    if curves > 0 && curves != times {
        return Err(Usage(format!(
            "--survival names {curves} columns for {times} --times; give one for each"
        ))
        .into());
    }
    let rows = row_columns(&args.scoring);
    let spelled =
        (columns.names().into_iter().chain(rows.names())).map(|name| (name, Keep::Spelling));
    let said = args.survival.iter().map(String::as_str).chain([predicted]);
    let values = said.map(|name| (name, Keep::Values));
    let names: Vec<(&str, Keep)> = spelled.chain(values).collect();
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
            check_probabilities(&table, predicted, &values)?;
            Prediction::Probabilities(vec![values.iter().map(|p| 1.0 - p).collect(), values])
        }
        Task::Cox => Prediction::Risk(values),
        Task::Regression | Task::Multiclass => Prediction::Numbers(values),
    };
    let survival = args.survival.iter().map(|name| {
        let values = table.number(name)?.into_owned();
        check_probabilities(&table, name, &values)?;
        Ok(values)
    });
    let predicted = Predicted {
        survival: survival.collect::<Result<_>>()?,
        ..prediction.into()
    };
    let response = of_rows(&table, outcome, rows)?;
    let of = Scored {
        input: &input,
        columns: &columns,
    };
    print_scores(&predicted, &response, &all_asked(&args.scoring, of)?)
}

fn check_probabilities(table: &Table, name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        None => Ok(()),
        Some(row) => {
            let problem = format!(
                "{} is not a probability; give a number between 0 and 1",
                values[row]
            );
            Err(table.error_at(row, name, problem))
        }
    }
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
