//! What page, card and a terminal say in words.

mod honest;
mod nested;

pub use honest::{benefit, calibration, calibration_table, null, saved};
pub use nested::{
    headline_rows, headline_title, nested_means, nested_metric, nested_rows, selected_outside,
};

use serde_json::Value;
use threshnet::dataset::Task;
use threshnet::explain::Direction;
use threshnet::format::{number, short};
use threshnet::metrics::Metric;
use threshnet::report::{
    ColumnEffect, ErrorControl, FitReport, HeldOutKind, HeldOutReport, MetricEstimate, ModelFacts,
    NetworkNeeded, OutcomeKind, SparsityPrice,
};
use threshnet::settings::{Named, Validation};

/// Names in a sentence, at most.
const NAMED: usize = 5;
/// A difference of a main metric that is worth a word.
const NOTICEABLE: f64 = 0.02;
/// Values of a setting that are told one by one.
const LISTED: usize = 6;

/// What is predicted, in the words of the data.
pub fn outcome(report: &FitReport) -> String {
    match &report.outcome.columns[..] {
        [time, event] => format!("{event} over {time}"),
        [target, ..] => target.clone(),
        [] => "the outcome".into(),
    }
}

/// The name of the time column.
pub fn time_name(report: &FitReport) -> &str {
    report.outcome.columns.first().map_or("time", |name| name)
}

/// What an effect curve shows.
pub fn response(report: &FitReport) -> String {
    match report.task {
        Task::Regression => format!("predicted {}", outcome(report)),
        Task::Binary => format!("probability of {}", positive(report)),
        Task::Multiclass => "probability".into(),
        Task::Cox => "log-risk".into(),
    }
}

/// The positive class.
pub fn positive(report: &FitReport) -> &str {
    report.positive_class().unwrap_or("the positive class")
}

/// Of several classes the one that is shown where there is room for one only.
pub fn shown_class(report: &FitReport) -> Option<&str> {
    match report.task {
        Task::Multiclass => report.classes().last().map(|class| &class.name[..]),
        _ => None,
    }
}

/// A count with a comma before every three digits.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// At most two digits behind the point.
pub fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Three significant digits, however small.
pub fn digits(value: f64) -> String {
    format!("{value:.2e}")
        .parse()
        .map_or_else(|_| short(value), number)
}

/// How many rows there are, in how many clusters, and what they count if they have weights.
pub fn rows(report: &FitReport) -> String {
    let mut rows = format!("{} rows", count(report.data.n));
    if let Some(clusters) = report.data.clusters {
        rows += &format!(" in {} clusters", count(clusters));
    }
    match report.data.weight {
        None => rows,
        Some(weight) => format!("{rows}, which count {} with their weights", short(weight)),
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// What the selected columns explain, what all columns do, and what to make of it.
pub fn price(report: &FitReport, price: &SparsityPrice) -> String {
    sparsity(price, report.selected.len(), report.data.d)
}

/// The same of so many selected columns of all.
fn sparsity(price: &SparsityPrice, selected: usize, all: usize) -> String {
    let (named, explain) = match selected {
        0 => ("No column".into(), "explains"),
        1 => ("1 column".into(), "explains"),
        more => (format!("{} columns", count(more)), "explain"),
    };
    let all = count(all);
    let value = |value: f64| match price.metric {
        Metric::R2 => percent(value.max(0.0)),
        metric => metric_value(metric, value),
    };
    let (sparse, dense) = (value(price.sparse), value(price.dense));
    let compared = match price.metric {
        Metric::R2 if selected == 0 => {
            format!("No column was selected; a model of all {all} explains {dense} of the variance")
        }
        Metric::R2 => format!(
            "{named} {explain} {sparse} of the variance, a model of all {all} explains {dense}"
        ),
        metric => format!(
            "{named}: {} {sparse}; a model of all {all}: {dense}",
            metric.title()
        ),
    };
    let verdict = match price.price() > NOTICEABLE {
        true => "Many columns seem to matter a little",
        false => "Few columns cost nothing here",
    };
    format!(
        "{compared}. {verdict}. The ensemble of all that was fitted: {}, a little too good, for these \
         rows chose its weights.",
        value(price.ensemble)
    )
}

/// What the main metric is without a model.
pub fn chance(report: &FitReport) -> f64 {
    match report.task {
        Task::Regression => 0.0,
        Task::Multiclass => {
            let shares = report.classes().iter().map(|class| class.share);
            shares.fold(0.0, f64::max)
        }
        Task::Binary | Task::Cox => 0.5,
    }
}

/// A metric's value: three digits of what lies below 1, four of what can be anything.
pub fn metric_value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Mse | Metric::LogLoss => short(value),
        _ => format!("{value:.3}"),
    }
}

/// The ends of a metric's interval; empty if there is none.
pub fn interval(metric: Metric, estimate: MetricEstimate) -> String {
    estimate.interval.map_or(String::new(), |(low, high)| {
        let value = |end| metric_value(metric, end);
        format!("{} to {}", value(low), value(high))
    })
}

/// A metric's value with its interval.
pub fn with_interval(metric: Metric, estimate: MetricEstimate) -> String {
    let value = metric_value(metric, estimate.value);
    match &interval(metric, estimate)[..] {
        "" => value,
        interval => format!("{value} (95 % interval {interval})"),
    }
}

/// Which rows were held out.
pub fn held_out_rows(held_out: &HeldOutReport) -> String {
    let (rows, folds) = (count(held_out.rows), held_out.folds);
    match held_out.kind {
        HeldOutKind::UnseenFolds => {
            format!("{rows} rows in {folds} folds, each predicted by fits that did not see it")
        }
        HeldOutKind::CrossValidation => {
            format!("{rows} rows in {folds} folds, each predicted by a model of the others")
        }
        HeldOutKind::Holdout => format!("a hold-out of {rows} rows"),
    }
}

/// What the metrics are on the rows that the model was trained on.
pub fn training(report: &FitReport) -> Vec<String> {
    let told = |(&metric, value): (&Metric, &Option<f64>)| {
        let value = metric_value(metric, (*value)?);
        Some(format!("{} {value}", metric.title()))
    };
    report.train.iter().filter_map(told).collect()
}

/// What kind of model it is.
pub fn model(model: &ModelFacts) -> String {
    let widths: Vec<String> = model.hidden.iter().map(usize::to_string).collect();
    let kind = match &widths[..] {
        [] => "linear model".into(),
        widths => format!(
            "neural network with hidden layers of {} units ({}){}",
            widths.join(" and "),
            model.activation.name(),
            if model.shortcut {
                " and a shortcut"
            } else {
                ""
            }
        ),
    };
    // (fits that found no use for the selected columns have no network in the mean, so their number is
    // not that of the repeated fits; one number of fits is enough for a reader)
    match model.networks {
        1 => format!("A {kind}"),
        _ => format!("The mean of the repeated fits, each a {kind}"),
    }
}

/// What the chosen λ is, where it is drawn.
pub fn chosen_lambda(report: &FitReport) -> String {
    match report.validation.how {
        Validation::Draws { count, .. } if !chosen_together(report) => {
            format!("median λ of {count} fits")
        }
        _ => "chosen λ".into(),
    }
}

/// Whether all repeated fits chose one λ and one ridge, as those of a linear model do.
pub fn chosen_together(report: &FitReport) -> bool {
    let chosen = &report.validation.chosen;
    chosen.iter().all(|cell| Some(cell) == chosen.first())
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
            "{count} repeated fits, each with {} % of its rows held out and starts of its own",
            percent(share)
        ),
        Validation::None => "nothing: λ and ridge were given".into(),
    }
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
             (stability selection over {pairs} pairs of half-samples)",
            short(*false_at_most),
        ),
        ErrorControl::Fdr {
            rate, threshold, ..
        } => {
            let rate = short(100.0 * rate);
            match threshold {
                Some(_) => format!(
                    "on average at most {rate} % of the selected columns are false, if the columns \
                     are roughly normal (Gaussian knockoffs)"
                ),
                None => {
                    format!("nothing could be certified at a false-discovery rate of {rate} %")
                }
            }
        }
    }
}

/// With a capital and a full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase());
    format!(
        "{}{}.",
        first.into_iter().flatten().collect::<String>(),
        letters.as_str()
    )
}

/// A setting that was given, as a person reads it.
pub fn setting(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::Number(value) => value.as_f64().map_or(value.to_string(), number),
        Value::Array(values) => match &values[..] {
            [] => "none".into(),
            [first, .., last] if values.len() > LISTED => format!(
                "{} values from {} to {}",
                values.len(),
                setting(first),
                setting(last)
            ),
            few => few.iter().map(setting).collect::<Vec<_>>().join(", "),
        },
        other => other.to_string(),
    }
}

/// Whether a network is needed.
pub fn network_needed(needed: NetworkNeeded) -> &'static str {
    match needed {
        NetworkNeeded::Yes => "yes: the network predicts clearly better than a linear model",
        NetworkNeeded::Perhaps => {
            "perhaps: the network predicts better than a linear model, but within what chance explains"
        }
        NetworkNeeded::No => "no: a linear model predicts as well as the network, or better",
    }
}

/// How well one does who knows the outcome's distribution and no column.
pub fn without_columns(report: &FitReport) -> Option<String> {
    match &report.outcome.kind {
        OutcomeKind::Number { sd, .. } => Some(format!(
            "always to predict the mean has a mean squared error of {}",
            short(sd * sd)
        )),
        OutcomeKind::Classes { classes } => {
            let shares = classes.iter().map(|class| class.share);
            let shares = shares.filter(|share| *share > 0.0);
            let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
            Some(format!(
                "always to predict the shares of the classes has a log loss of {}",
                short(entropy)
            ))
        }
        OutcomeKind::Survival { .. } => None,
    }
}

/// The answer: which columns, how well, how sure.
pub fn answer(report: &FitReport) -> String {
    let (what, d) = (outcome(report), count(report.data.d));
    let names: Vec<&str> = (report.selected.iter().take(NAMED))
        .map(|column| &column.name[..])
        .collect();
    let (s, verb) = match report.selected.len() {
        0 => {
            let n = count(report.data.n);
            return format!(
                "None of {d} columns predicts {what} better than no column at all, as far as {n} rows can tell."
            );
        }
        1 => ("", "predicts"),
        _ => ("s", "predict"),
    };
    let more = match report.selected.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let kept_out = match report.control {
        _ if report.nested.is_some() => "no part of the procedure had seen",
        Some(_) => "the network was not trained on, though the columns were selected with them",
        None => "it was not trained on",
    };
    let well = match report.main_estimate() {
        Some((metric, of)) => format!("On rows that {kept_out}, {}.", how_well(report, metric, of)),
        None => "Nothing was held out, so how well it predicts other rows is not known.".into(),
    };
    format!(
        "{} of {d} column{s} {verb} {what}: {}{more}. {well} {}",
        report.selected.len(),
        names.join(", "),
        how_sure(report)
    )
}

fn how_well(report: &FitReport, metric: Metric, estimate: MetricEstimate) -> String {
    let value = estimate.value;
    let in_full = with_interval(metric, estimate);
    match report.task {
        Task::Regression if value <= 0.0 => {
            format!("they do no better than the mean: R² {in_full}")
        }
        Task::Regression => {
            let interval = estimate.interval.map_or(String::new(), |(low, high)| {
                let (low, high) = (percent(low.max(0.0)), percent(high));
                format!(" (95 % interval {low} to {high})")
            });
            format!("they explain {} of its variance{interval}", percent(value))
        }
        Task::Binary => format!(
            "they tell {} from the other rows with an AUC of {in_full}; 0.5 is chance, 1 is perfect",
            positive(report)
        ),
        Task::Multiclass => format!(
            "they get {} of the classes right; always naming the largest class gets {}",
            percent(value),
            percent(chance(report))
        ),
        Task::Cox => format!(
            "of two comparable rows the one with the higher predicted risk has the event first in \
             {} of cases: a C-index of {in_full}; 0.5 is chance, 1 is perfect",
            percent(value)
        ),
    }
}

/// How sure the selection is.
fn how_sure(report: &FitReport) -> String {
    if let Some(bound) = &report.control {
        return sentence(&control(bound));
    }
    let frequencies: Vec<f64> = report.selected.iter().filter_map(|c| c.frequency).collect();
    if frequencies.is_empty() {
        return "They come from one fit: other rows held out might give others.".into();
    }
    let (sure, were) = match frequencies.iter().filter(|share| **share >= 0.75).count() {
        0 => ("None".into(), "were"),
        1 => ("1".into(), "was"),
        sure => (sure.to_string(), "were"),
    };
    format!(
        "{sure} of the {} {were} chosen by at least three quarters of {} repeated fits.",
        frequencies.len(),
        report.validation.how.splits()
    )
}

/// Where the prediction goes as a column grows.
pub fn direction(report: &FitReport, effect: &ColumnEffect) -> String {
    let (what, up, down) = match report.task {
        Task::Regression => ("", "higher", "lower"),
        Task::Cox => ("", "higher risk", "lower risk"),
        Task::Binary => (positive(report), " more likely", " less likely"),
        Task::Multiclass => ("a class", " more likely", " less likely"),
    };
    match effect.direction {
        Direction::Up => format!("↗ {what}{up}"),
        Direction::Down => format!("↘ {what}{down}"),
        Direction::Both => "⤳ up and down".into(),
        Direction::Levels => "by level".into(),
        Direction::Flat => "→ flat on average".into(),
    }
}

/// How far the prediction moves with a column, in the units of the task.
pub fn swing(report: &FitReport, effect: &ColumnEffect) -> String {
    let swing = match effect.direction {
        Direction::Down => -effect.swing,
        _ => effect.swing,
    };
    match report.task {
        Task::Regression => short(swing),
        Task::Cox => format!("hazard × {:.2}", swing.exp()),
        // (no minus before a nought)
        Task::Binary | Task::Multiclass => format!("{:.0} points", (100.0 * swing).round() + 0.0),
    }
}

/// What held-out rows are here.
pub fn held_out_means(held_out: &HeldOutReport) -> String {
    let folds = held_out.folds;
    let how = match held_out.kind {
        HeldOutKind::UnseenFolds => format!(
            "The rows were divided into {folds} folds. Each was predicted by models that were made \
             as this one is, columns selected anew, from the other folds alone. How many columns to \
             take, how much of the penalties to keep and which kind of model to prefer were decided \
             with these rows, so what is shown is slightly too good."
        ),
        HeldOutKind::CrossValidation => format!(
            "Each of {folds} folds was predicted by a model of the others. λ and ridge \
             were chosen by how well these rows are predicted, so what is shown is a little too good."
        ),
        HeldOutKind::Holdout => {
            "These rows were held out of training. λ and ridge were chosen by how well they are \
             predicted, so what is shown is somewhat too good; rows that had no part in anything \
             would say more."
                .into()
        }
    };
    if held_out.used_in_selection {
        return format!(
            "{how} The columns, moreover, were selected with all rows, these included: take the \
             figures as an upper bound."
        );
    }
    how
}

/// A slope of the objective.
pub fn slope(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_of_sparsity_is_told_where_there_is_one_and_where_there_is_none() {
        let of = |metric, sparse, dense| SparsityPrice {
            metric,
            sparse,
            dense,
            ensemble: 0.36,
            members: vec![],
        };
        let variance = sparsity(&of(Metric::R2, 0.24, 0.35), 12, 2000);
        assert!(
            variance.starts_with(
                "12 columns explain 24 % of the variance, a model of all 2,000 explains 35 %. \
                 Many columns seem to matter a little."
            ),
            "{variance}"
        );
        assert!(variance.contains("ensemble of all that was fitted: 36 %, a little too good"));
        let ranks = sparsity(&of(Metric::Auc, 0.9, 0.91), 1, 30);
        assert!(
            ranks.starts_with("1 column: AUC 0.900; a model of all 30: 0.910. Few columns cost"),
            "{ranks}"
        );
        let nothing = sparsity(&of(Metric::R2, -0.1, 0.0), 0, 30);
        assert!(
            nothing.starts_with("No column was selected; a model of all 30 explains 0 % of"),
            "{nothing}"
        );
    }

    #[test]
    fn counts_and_shares_are_read_at_a_glance() {
        for (value, text) in [(7, "7"), (1234, "1,234"), (1_000_000, "1,000,000")] {
            assert_eq!(count(value), text);
        }
        assert_eq!(percent(0.666), "67 %");
        assert_eq!((&rounded(0.5)[..], &rounded(0.0)[..]), ("0.5", "0"));
        assert_eq!(slope(0.0), "0");
        assert_eq!(slope(0.00123), "1.2e-3");
    }

    #[test]
    fn settings_are_told_as_they_are_typed_but_for_long_lists() {
        for (value, text) in [
            (serde_json::json!("draws:12"), "draws:12"),
            (serde_json::json!(false), "no"),
            (serde_json::json!(100), "100"),
            (serde_json::json!([10, 5]), "10, 5"),
            (serde_json::json!([]), "none"),
            (
                serde_json::json!([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
                "7 values from 0.1 to 0.7",
            ),
        ] {
            assert_eq!(setting(&value), text);
        }
    }
}
