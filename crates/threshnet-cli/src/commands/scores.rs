//! Metrics of predictions, by the keys of the command line.

use crate::args::CensoringArgs;
use crate::data::{OutcomeColumns, Table, for_model};
use anyhow::{Result, anyhow, bail};
use serde_json::{Map, Value, json};
use threshnet::dataset::{Outcome, Task};
use threshnet::error::Error;
use threshnet::metrics::{
    accuracy, auc, concordance_harrell, concordance_uno, cumulative_dynamic_auc, log_loss, mse, r2,
};
use threshnet::model::Prediction;

/// Metrics under their names.
pub type Scores = Map<String, Value>;

/// The metrics of a task. What the data leave undefined is `null`, and a note
/// says why.
pub fn scores(prediction: &Prediction, outcome: &Outcome) -> Result<(Scores, Vec<String>)> {
    let (mut scores, mut notes) = (Scores::new(), Vec::new());
    let mut put = |name: &str, value: threshnet::error::Result<f64>| {
        let value = match value {
            Ok(value) => json!(value),
            Err(reason) => {
                notes.push(format!("{name} is undefined: {reason}"));
                Value::Null
            }
        };
        scores.insert(name.into(), value);
    };
    match (prediction, outcome) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => {
            put("r2", r2(y, p));
            put("mse", mse(y, p));
        }
        (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => {
            put("accuracy", accuracy(labels, &most_probable(p)));
            if let [_, positive] = &p[..] {
                let truth: Vec<bool> = labels.iter().map(|&c| c == 1).collect();
                put("auc", auc(&truth, positive));
            }
            put("log_loss", log_loss(labels, p));
        }
        (Prediction::Risk(risk), Outcome::Survival { time, event }) => {
            put("c_index", concordance_harrell(time, event, risk));
        }
        _ => bail!("the outcome is not of the kind the predictions are for"),
    }
    Ok((scores, notes))
}

/// Prints metrics as JSON on stdout and notes on stderr.
pub fn print(scores: &Scores, notes: &[String]) -> Result<()> {
    for note in notes {
        eprintln!("note: {note}");
    }
    println!("{}", serde_json::to_string_pretty(scores)?);
    Ok(())
}

/// The class each row most probably has; the first among equals.
pub fn most_probable(probabilities: &[Vec<f64>]) -> Vec<usize> {
    (0..probabilities[0].len())
        .map(|i| {
            (1..probabilities.len()).fold(0, |best, k| {
                if probabilities[k][i] > probabilities[best][i] {
                    k
                } else {
                    best
                }
            })
        })
        .collect()
}

/// Adds what `--train` and `--times` ask for: Uno's C-index and the
/// time-dependent AUC, with censoring weights from the training rows.
pub fn add_censoring_weighted(
    scores: &mut Scores,
    args: &CensoringArgs,
    columns: &OutcomeColumns,
    outcome: &Outcome,
    prediction: &Prediction,
) -> Result<()> {
    let Some(path) = &args.train else {
        return Ok(());
    };
    let table = Table::read(path)?;
    let train = for_model(&table, columns, Task::Cox, &[])?;
    let (
        Outcome::Survival {
            time: train_time,
            event: train_event,
        },
        Outcome::Survival { time, event },
        Prediction::Risk(risk),
    ) = (&train, outcome, prediction)
    else {
        bail!("--train and --times are for survival outcomes");
    };
    let named = |e: Error| anyhow!("{} as --train: {e}", path.display());
    let uno = concordance_uno(train_time, train_event, time, event, risk).map_err(named)?;
    scores.insert("uno_c".into(), json!(uno));
    if !args.times.is_empty() {
        let times = &args.times;
        let curve = cumulative_dynamic_auc(train_time, train_event, time, event, risk, times)
            .map_err(named)?;
        scores.insert("tauc".into(), json!(curve.at));
        scores.insert("tauc_mean".into(), json!(curve.mean));
    }
    Ok(())
}
