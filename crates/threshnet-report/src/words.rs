//! What a report says in words.

use super::files::Files;
use super::record::{EffectRecord, Score};
use threshnet::certificate::Certificate;
use threshnet::format::short;

/// Names in a sentence, at most.
const NAMED: usize = 5;
/// A certificate below this is as good as stationary.
const STATIONARY: f64 = 1e-3;

/// What validation minimises.
pub fn loss_name(task: &str) -> &'static str {
    match task {
        "regression" => "mean squared error",
        "cox" => "negative log partial likelihood",
        _ => "log loss",
    }
}

/// What is predicted, in the words of the data.
pub fn outcome(files: &Files) -> String {
    match &files.record.outcome.columns[..] {
        [time, event] => format!("{event} over {time}"),
        [target, ..] => target.clone(),
        [] => "the outcome".into(),
    }
}

/// The name of the time column.
pub fn time_name(files: &Files) -> String {
    files
        .record
        .outcome
        .columns
        .first()
        .cloned()
        .unwrap_or_else(|| "time".into())
}

/// What an effect curve shows.
pub fn response(files: &Files) -> String {
    match &files.summary.task[..] {
        "regression" => format!("predicted {}", outcome(files)),
        "binary" => format!("probability of {}", positive(files)),
        "multiclass" => "probability".into(),
        _ => "log-risk".into(),
    }
}

fn positive(files: &Files) -> &str {
    files
        .summary
        .positive_class
        .as_deref()
        .unwrap_or("the positive class")
}

/// The names of the classes.
pub fn classes(files: &Files) -> Vec<String> {
    files
        .record
        .outcome
        .classes
        .iter()
        .map(|(name, _)| name.clone())
        .collect()
}

/// Of several classes the one that is shown where there is room for one only.
pub fn shown_class(files: &Files) -> Option<String> {
    match &files.summary.task[..] {
        "multiclass" => classes(files).pop(),
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

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// The main figure on held-out rows.
pub fn main_score(files: &Files) -> Option<&Score> {
    files.record.held_out.as_ref()?.scores.first()
}

/// What the main figure is without a model.
pub fn chance(files: &Files) -> f64 {
    match &files.summary.task[..] {
        "regression" => 0.0,
        "multiclass" => {
            let rows = files.record.outcome.classes.iter().map(|(_, rows)| *rows);
            rows.max().unwrap_or(0) as f64 / files.summary.n as f64
        }
        _ => 0.5,
    }
}

/// A figure with its interval.
pub fn with_interval(score: &Score) -> String {
    let digits = |value: f64| format!("{value:.2}");
    match score.interval {
        Some((low, high)) => format!(
            "{} (95 % interval {} to {})",
            digits(score.value),
            digits(low),
            digits(high)
        ),
        None => digits(score.value),
    }
}

/// The answer: which columns, how well, how sure.
pub fn answer(files: &Files) -> String {
    let (summary, what) = (&files.summary, outcome(files));
    let held_out = main_score(files).map(|score| how_well(files, score));
    if summary.selected.is_empty() {
        return format!(
            "None of {} columns predicts {what} better than no column at all, as far as {} rows can tell.",
            count(summary.d),
            count(summary.n)
        );
    }
    let names: Vec<&str> = summary
        .selected
        .iter()
        .map(|column| &column.name[..])
        .collect();
    let shown = names[..names.len().min(NAMED)].join(", ");
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (s, verb) = if names.len() == 1 {
        ("", "predicts")
    } else {
        ("s", "predict")
    };
    let well = match held_out {
        Some(well) => format!(" On rows that {}, {well}.", kept_out(files)),
        None => " Nothing was held out, so how well it predicts other rows is not known.".into(),
    };
    format!(
        "{} of {} column{s} {verb} {what}: {shown}{more}.{well}{}",
        names.len(),
        count(summary.d),
        how_sure(files)
    )
}

fn kept_out(files: &Files) -> &'static str {
    match is_controlled(files) {
        true => "the network was not trained on, though the columns were selected with them",
        false => "it was not trained on",
    }
}

/// Whether columns were selected by many runs over all rows.
fn is_controlled(files: &Files) -> bool {
    files.summary.stability.is_some() || files.summary.fdr.is_some()
}

fn how_well(files: &Files, score: &Score) -> String {
    match &files.summary.task[..] {
        "regression" if score.value <= 0.0 => {
            format!(
                "they do no better than the mean: R² {}",
                with_interval(score)
            )
        }
        "regression" => {
            let interval = score.interval.map_or(String::new(), |(low, high)| {
                format!(
                    " (95 % interval {} to {})",
                    percent(low.max(0.0)),
                    percent(high)
                )
            });
            format!(
                "they explain {} of its variance{interval}",
                percent(score.value)
            )
        }
        "binary" => format!(
            "they tell {} from the other rows with an AUC of {}; 0.5 is chance, 1 is perfect",
            positive(files),
            with_interval(score)
        ),
        "multiclass" => format!(
            "they get {} of the classes right; always naming the largest class gets {}",
            percent(score.value),
            percent(chance(files))
        ),
        _ => format!(
            "of two comparable rows the one with the higher predicted risk has the event first in \
             {} of cases: a C-index of {}; 0.5 is chance, 1 is perfect",
            percent(score.value),
            with_interval(score)
        ),
    }
}

/// How sure the selection is.
fn how_sure(files: &Files) -> String {
    let summary = &files.summary;
    if let Some(stability) = &summary.stability {
        return format!(
            " On average at most {} of them {} no better than a column picked by chance.",
            short(stability.false_at_most),
            if stability.false_at_most <= 1.0 {
                "is"
            } else {
                "are"
            }
        );
    }
    if let Some(fdr) = &summary.fdr {
        return format!(
            " About {} of them, on average, may be false.",
            percent(fdr.rate)
        );
    }
    let frequencies: Vec<f64> = summary
        .selected
        .iter()
        .filter_map(|c| c.frequency)
        .collect();
    if frequencies.is_empty() {
        return " They come from one fit: other rows held out might give others.".into();
    }
    let sure = frequencies.iter().filter(|share| **share >= 0.75).count();
    format!(
        " {} of the {} {} chosen by at least three quarters of {} repeated fits.",
        if sure == 0 {
            "None".into()
        } else {
            sure.to_string()
        },
        frequencies.len(),
        if sure == 1 { "was" } else { "were" },
        files.record.validation.count
    )
}

/// Where the prediction goes as a column grows.
pub fn direction(files: &Files, effect: &EffectRecord) -> String {
    let up = match &files.summary.task[..] {
        "regression" => ("higher", "lower"),
        "cox" => ("higher risk", "lower risk"),
        _ => ("more likely", "less likely"),
    };
    let what = match &files.summary.task[..] {
        "binary" => format!("{} ", positive(files)),
        "multiclass" => "a class ".into(),
        _ => String::new(),
    };
    match &effect.direction[..] {
        "up" => format!("↗ {what}{}", up.0),
        "down" => format!("↘ {what}{}", up.1),
        "both" => "⤳ up and down".into(),
        "levels" => "by level".into(),
        _ => "→ flat on average".into(),
    }
}

/// How far the prediction moves with a column, in the units of the task.
pub fn swing(files: &Files, effect: &EffectRecord) -> String {
    let sign = if effect.direction == "down" {
        -1.0
    } else {
        1.0
    };
    match &files.summary.task[..] {
        "regression" => short(sign * effect.swing),
        "cox" => format!("hazard × {:.2}", (sign * effect.swing).exp()),
        // (no minus before a nought)
        _ => format!("{:.0} points", (100.0 * sign * effect.swing).round() + 0.0),
    }
}

/// What `swing` means.
pub fn swing_explained(files: &Files) -> String {
    let unit = match &files.summary.task[..] {
        "regression" => format!("in units of {}", outcome(files)),
        "cox" => "as a ratio of hazards".into(),
        _ => "in percentage points of probability".into(),
    };
    let shown = shown_class(files).map_or(String::new(), |class| {
        format!(" Of several classes that with the largest; the small curve is that of {class}.")
    });
    format!(
        "Swing: how far the prediction moves, {unit}, while the column goes from its 5th to its 95th \
         percentile and the others stay as they are in the rows.{shown}"
    )
}

/// What held-out rows are here.
pub fn held_out_means(files: &Files) -> String {
    let record = &files.record;
    let folds = record.held_out.as_ref().map_or(0, |of| of.folds);
    let how = match &record.validation.kind[..] {
        "draws" => format!(
            "The rows were divided into {folds} folds. Each was predicted by models that were made \
             as this one is, columns selected anew, from the other folds alone. How many columns to \
             take, how much of the penalties to keep and which kind of model to prefer were decided \
             with these rows, so what is shown is slightly too good."
        ),
        "folds" => format!(
            "Each of {folds} folds was predicted by a network trained on the others. λ and ridge \
             were chosen by how well these rows are predicted, so what is shown is a little too good."
        ),
        _ => "These rows were held out of training. λ and ridge were chosen by how well they are \
              predicted, so what is shown is somewhat too good; rows that had no part in anything \
              would say more."
            .into(),
    };
    if is_controlled(files) {
        return format!(
            "{how} The columns, moreover, were selected with all rows, these included: take the \
             figures as an upper bound."
        );
    }
    how
}

/// The certificate.
pub fn certificate(files: &Files) -> String {
    let Certificate {
        active,
        inactive,
        rest,
    } = (&files.summary.certificate).into();
    let worst = [active, inactive, rest].into_iter().fold(0.0, f64::max);
    let verdict = if [active, inactive, rest].iter().any(|v| v.is_nan()) {
        "It could not be computed."
    } else if worst <= STATIONARY {
        "So this is a solution, for practical purposes: no small change of the weights lowers the objective."
    } else {
        "So this is near a solution, not at one: training stopped by its budget of steps, which is \
         usual for the fast default solver and says nothing against the predictions. \
         --solver proximal works until the slopes are small."
    };
    let several = match files.record.model.networks {
        1 => "",
        _ => " (the worst of all networks)",
    };
    format!(
        "At a solution of the objective every slope is zero. The largest that are left{several}: {} on the \
         selected columns, {} on the others, {} on the remaining weights. {verdict}",
        slope(active),
        slope(inactive),
        slope(rest)
    )
}

fn slope(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
