//! `threshnet metrics`: metrics of any predictions, given as columns.

use super::scores::{add_censoring_weighted, print, scores};
use crate::args::MetricsArgs;
use crate::data::{OutcomeColumns, Table, for_model, to_fit};
use crate::failure::Usage;
use anyhow::Result;
use threshnet::dataset::Task;
use threshnet::model::Prediction;

pub fn run(args: &MetricsArgs) -> Result<()> {
    let (columns, task, predicted) = asked(args)?;
    if task != Task::Cox && args.censoring.train.is_some() {
        return Err(Usage("--train and --times are for survival outcomes".into()).into());
    }
    let table = Table::read(&args.data)?;
    // The classes of a binary outcome are those of the file itself.
    let outcome = match task {
        Task::Binary => to_fit(&table, &columns, Some(task))?,
        _ => for_model(&table, &columns, task, &[])?,
    };
    let values = table.number(predicted)?.into_owned();
    let prediction = match task {
        Task::Binary => {
            if let Some(row) = values.iter().position(|p| !(0.0..=1.0).contains(p)) {
                let problem = format!("{} is not a probability", values[row]);
                return Err(table.error_at(row, predicted, problem));
            }
            Prediction::Probabilities(vec![values.iter().map(|p| 1.0 - p).collect(), values])
        }
        Task::Cox => Prediction::Risk(values),
        Task::Regression | Task::Multiclass => Prediction::Numbers(values),
    };
    let (mut found, notes) = scores(&prediction, &outcome)?;
    add_censoring_weighted(&mut found, &args.censoring, &columns, &outcome, &prediction)?;
    print(&found, &notes)
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
