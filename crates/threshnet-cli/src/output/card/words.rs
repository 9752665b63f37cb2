//! Parts of a model card in plain words.

use super::markdown::escaped;
use serde_json::Value;
use threshnet::dataset::Outcome;
use threshnet::format::{number, short};
use threshnet::model::Model;
use threshnet::settings::{Named, Validation};

/// What kind of model it is.
pub fn model(model: &Model) -> String {
    let shape = &model.networks[0].shape;
    let kind = match &shape.widths[1..shape.depth()] {
        [] => "linear model".into(),
        hidden => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            let shortcut = if shape.shortcut {
                " and a shortcut"
            } else {
                ""
            };
            format!(
                "neural network with hidden layers of {} units ({}){shortcut}",
                widths.join(" and "),
                shape.activation.name(),
            )
        }
    };
    match model.networks.len() {
        1 => format!("A {kind}"),
        count => format!("The mean of {count} fits, each a {kind}"),
    }
}

/// What the outcome is like: (what, how much).
pub fn outcome(outcome: &Outcome) -> Vec<[String; 2]> {
    match outcome {
        Outcome::Continuous(y) => {
            let (mean, variance) = moments(y);
            let low = y.iter().copied().fold(f64::INFINITY, f64::min);
            let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            vec![
                ["mean (standard deviation)".into(), {
                    format!("{} ({})", short(mean), short(variance.sqrt()))
                }],
                ["range".into(), format!("{} to {}", short(low), short(high))],
            ]
        }
        Outcome::Classes {
            labels, classes, ..
        } => {
            let shares = shares(labels, classes.len());
            let of_class = |(class, share): (&String, &f64)| {
                let count = (share * labels.len() as f64).round();
                [
                    format!("class {}", escaped(class)),
                    format!("{count} rows ({:.1} %)", 100.0 * share),
                ]
            };
            classes.iter().zip(&shares).map(of_class).collect()
        }
        Outcome::Survival { time, event } => {
            let events = event.iter().filter(|e| **e).count();
            let censored = event.len() - events;
            let last = time.iter().copied().fold(0.0, f64::max);
            let share = 100.0 * censored as f64 / event.len() as f64;
            vec![
                ["events".into(), events.to_string()],
                ["censored".into(), format!("{censored} rows ({share:.1} %)")],
                ["longest time".into(), short(last)],
            ]
        }
    }
}

/// How well one does who knows the outcome's distribution and no column.
pub fn without_columns(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Continuous(y) => Some(format!(
            "always to predict the mean has a mean squared error of {}",
            short(moments(y).1)
        )),
        Outcome::Classes {
            labels, classes, ..
        } => {
            let entropy: f64 = (shares(labels, classes.len()).into_iter())
                .filter(|share| *share > 0.0)
                .map(|share| -share * share.ln())
                .sum();
            Some(format!(
                "always to predict the shares of the classes has a log loss of {}",
                short(entropy)
            ))
        }
        Outcome::Survival { .. } => None,
    }
}

/// How λ and ridge were chosen.
pub fn validation(validation: Validation) -> String {
    let percent = |share: f64| number((1000.0 * share).round() / 10.0);
    match validation {
        Validation::Holdout { share, .. } => {
            format!("one hold-out of {} % of the rows", percent(share))
        }
        Validation::Folds { count } => format!("cross-validation with {count} folds"),
        Validation::Draws { count, share } => format!(
            "{count} draws, each with {} % of its rows held out and starts of its own",
            percent(share)
        ),
        Validation::None => "nothing: both were given".into(),
    }
}

/// What the held-out rows had seen of the model.
pub fn held_out(validation: Validation, controlled: bool) -> &'static str {
    match validation {
        _ if controlled => {
            "The columns were selected with all rows, these among them, so that this flatters the \
             model."
        }
        Validation::Draws { .. } => {
            "Every row was predicted by what the draws that had not seen it make together."
        }
        _ => {
            "Lambda and ridge were chosen on the same rows, so that this flatters the model a \
             little."
        }
    }
}

/// The name of a metric of `summary.json`.
pub fn metric(name: &str) -> &str {
    match name {
        "mse" => "mean squared error",
        "log_loss" => "log loss",
        "neg_log_partial_likelihood" => "negative log partial likelihood per event",
        other => other,
    }
}

/// A row of the models that were compared: an entry of `models` in `summary.json`.
pub fn contender(entry: &Value) -> [String; 5] {
    let number = |field: &str| short(entry[field].as_f64().unwrap_or(f64::NAN));
    [
        entry["model"].as_str().unwrap_or_default().into(),
        entry["penalty"].as_str().unwrap_or_default().into(),
        entry["size"].to_string(),
        format!("{} ({})", number("value"), number("se")),
        if entry["chosen"] == true {
            "this model"
        } else {
            ""
        }
        .into(),
    ]
}

/// What bounds the false columns, from `stability` or `fdr` of `summary.json`.
pub fn control(figures: &Value) -> String {
    if let Some(found) = figures.get("stability") {
        let bound = found["false_at_most"].as_f64().unwrap_or(f64::NAN);
        return format!(
            "on average at most {} of the selected columns are no better than chance \
             (stability selection over {} pairs of half-samples).",
            short(bound),
            found["pairs"]
        );
    }
    let rate = 100.0 * figures["fdr"]["rate"].as_f64().unwrap_or(f64::NAN);
    if figures["fdr"]["threshold"].is_null() {
        return format!(
            "nothing could be certified at a false-discovery rate of {} %.",
            short(rate)
        );
    }
    format!(
        "on average at most {} % of the selected columns are false, if the columns are roughly \
         normal (Gaussian knockoffs).",
        short(rate)
    )
}

/// (mean, variance by n).
fn moments(y: &[f64]) -> (f64, f64) {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    (mean, y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n)
}

/// The share of rows of each class.
fn shares(labels: &[usize], classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    labels.iter().for_each(|&class| counts[class] += 1.0);
    counts
        .iter()
        .map(|count| count / labels.len() as f64)
        .collect()
}
