//! Parts of a model card in plain words.

use super::markdown::escaped;
use threshnet::format::{number, short};
use threshnet::report::{
    ComparedModel, ErrorControl, FitReport, HeldOutKind, HeldOutReport, ModelFacts, OutcomeKind,
};
use threshnet::settings::{Named, Validation};

/// What kind of model it is.
pub fn model(model: &ModelFacts) -> String {
    let kind = match &model.hidden[..] {
        [] => "linear model".into(),
        hidden => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            let shortcut = if model.shortcut {
                " and a shortcut"
            } else {
                ""
            };
            format!(
                "neural network with hidden layers of {} units ({}){shortcut}",
                widths.join(" and "),
                model.activation.name(),
            )
        }
    };
    match model.networks {
        1 => format!("A {kind}"),
        count => format!("The mean of {count} fits, each a {kind}"),
    }
}

/// What the outcome is like: (what, how much).
pub fn outcome(report: &FitReport) -> Vec<[String; 2]> {
    let share = |rows: usize| {
        let percent = 100.0 * rows as f64 / report.data.n as f64;
        format!("{rows} rows ({percent:.1} %)")
    };
    match &report.outcome.kind {
        OutcomeKind::Number {
            mean,
            sd,
            low,
            high,
        } => vec![
            [
                "mean (standard deviation)".into(),
                format!("{} ({})", short(*mean), short(*sd)),
            ],
            [
                "range".into(),
                format!("{} to {}", short(*low), short(*high)),
            ],
        ],
        OutcomeKind::Classes { classes } => (classes.iter())
            .map(|class| [format!("class {}", escaped(&class.name)), share(class.rows)])
            .collect(),
        OutcomeKind::Survival { events, longest } => vec![
            ["events".into(), events.to_string()],
            ["censored".into(), share(report.data.n - events)],
            ["longest time".into(), short(*longest)],
        ],
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

/// What part the held-out rows had in the model.
pub fn part_of(held_out: &HeldOutReport) -> &'static str {
    if held_out.used_in_selection {
        return "The columns were selected with all rows, these among them, so that this flatters \
                the model.";
    }
    match held_out.kind {
        HeldOutKind::UnseenFolds => {
            "How many columns to take and which kind of model to prefer were decided with these \
             rows, so that this flatters the model slightly."
        }
        HeldOutKind::CrossValidation | HeldOutKind::Holdout => {
            "Lambda and ridge were chosen on the same rows, so that this flatters the model a \
             little."
        }
    }
}

/// A row of the models that were compared.
pub fn compared(model: &ComparedModel) -> [String; 5] {
    [
        model.title(),
        model.penalty.name().into(),
        model.size.to_string(),
        format!("{} ({})", short(model.loss.mean), short(model.loss.se)),
        if model.chosen { "this model" } else { "" }.into(),
    ]
}

/// What bounds the false columns.
pub fn control(control: &ErrorControl) -> String {
    match control {
        ErrorControl::Stability {
            pairs,
            false_at_most,
            ..
        } => format!(
            "on average at most {} of the selected columns are no better than chance \
             (stability selection over {pairs} pairs of half-samples).",
            short(*false_at_most),
        ),
        ErrorControl::Fdr {
            rate,
            threshold: None,
            ..
        } => format!(
            "nothing could be certified at a false-discovery rate of {} %.",
            short(100.0 * rate)
        ),
        ErrorControl::Fdr { rate, .. } => format!(
            "on average at most {} % of the selected columns are false, if the columns are roughly \
             normal (Gaussian knockoffs).",
            short(100.0 * rate)
        ),
    }
}
