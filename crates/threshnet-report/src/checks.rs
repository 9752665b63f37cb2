//! Would I believe it? Questions that a reader should ask, answered by the fit; and what it
//! warns of.

use super::words::{self, count, percent, with_interval};
use threshnet::format::short;
use threshnet::metrics::Metric;
use threshnet::report::{ErrorControl, FitReport, Note, OutcomeKind};

/// Fewer rows (events, rows of the rarer class) are few.
const FEW: usize = 50;
/// Draws that choose the end of the grid, from which share on that is a warning.
const MANY: f64 = 0.5;
/// Shares of draws from which on a column is sure, and below which it is not.
const SURE: f64 = 0.75;
const UNSURE: f64 = 0.5;

/// A question and its answer.
pub struct Check {
    pub question: &'static str,
    /// `yes`, `partly`, `no` or `unknown`: what the answer says for the finding; or `fact`.
    pub mark: &'static str,
    pub answer: String,
}

impl Check {
    /// The mark as a sign that needs no colour.
    pub fn sign(&self) -> &'static str {
        match self.mark {
            "yes" => "✓",
            "partly" => "~",
            "no" => "✗",
            "fact" => "i",
            _ => "?",
        }
    }

    /// The mark for those who hear it.
    pub fn spoken(&self) -> &'static str {
        match self.mark {
            "yes" => "speaks for it",
            "partly" => "speaks for it in part",
            "no" => "speaks against it",
            "fact" => "to know",
            _ => "not known",
        }
    }
}

/// All questions.
pub fn checks(report: &FitReport) -> Vec<Check> {
    let all = [
        Some(better_than_chance(report)),
        folds_agree(report),
        same_columns(report),
        Some(bounded(report)),
        non_linear(report),
        Some(enough(report)),
    ];
    all.into_iter().flatten().collect()
}

fn better_than_chance(report: &FitReport) -> Check {
    let question = "Does it predict better than chance?";
    let (Some(held_out), Some((metric, estimate))) = (&report.held_out, report.main_estimate())
    else {
        return Check {
            question,
            mark: "unknown",
            answer: "No rows were held out. Fit with validation, or score it on other rows with \
                     threshnet evaluate."
                .into(),
        };
    };
    let chance = words::chance(report);
    let (mark, verdict) = match estimate.interval {
        _ if report.selected.is_empty() => ("no", "the model uses no column."),
        Some((low, _)) if low > chance => ("yes", "the whole interval lies above chance."),
        Some(_) if estimate.value > chance => {
            ("partly", "but the interval reaches down to chance.")
        }
        None if estimate.value > chance => ("partly", "but too few rows for an interval."),
        _ => ("no", "that is not better than chance."),
    };
    Check {
        question,
        mark,
        answer: format!(
            "{} {} on {} held-out rows, chance being {}: {verdict}",
            metric.title(),
            with_interval(metric, estimate),
            count(held_out.rows),
            words::rounded(chance)
        ),
    }
}

fn folds_agree(report: &FitReport) -> Option<Check> {
    let held_out = report.held_out.as_ref()?;
    let known: Vec<f64> = held_out.by_fold.iter().copied().flatten().collect();
    if known.len() < 2 || report.selected.is_empty() {
        return None;
    }
    let chance = words::chance(report);
    let above = known.iter().filter(|value| **value > chance).count();
    let low = known.iter().copied().fold(f64::INFINITY, f64::min);
    let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = above as f64 / known.len() as f64;
    Some(Check {
        question: "Do parts of the data agree on that?",
        mark: if share == 1.0 {
            "yes"
        } else if share >= 0.7 {
            "partly"
        } else {
            "no"
        },
        answer: format!(
            "Better than chance in {above} of {} folds; {} from {low:.2} to {high:.2}. Folds are \
             small, so some spread is to be expected.",
            known.len(),
            Metric::main(report.task).title(),
        ),
    })
}

fn same_columns(report: &FitReport) -> Option<Check> {
    let selected = &report.selected;
    let shares: Vec<f64> = selected
        .iter()
        .filter_map(|column| column.frequency)
        .collect();
    let question = "Would other rows select the same columns?";
    if selected.is_empty() {
        return None;
    }
    if shares.is_empty() {
        return Some(Check {
            question,
            mark: "unknown",
            answer: "One fit cannot tell. The default validation, draws:12, repeats it with other \
                     rows and starts."
                .into(),
        });
    }
    let sure = shares.iter().filter(|share| **share >= SURE).count();
    let unsure = selected
        .iter()
        .filter(|c| c.frequency.is_some_and(|share| share < UNSURE));
    let unsure: Vec<&str> = unsure.map(|column| &column.name[..]).collect();
    let doubt = match unsure.len() {
        0 => String::new(),
        few if few <= 4 => format!(" Less than half of the fits chose {}.", unsure.join(", ")),
        many => format!(" {many} were chosen by less than half of the fits."),
    };
    Some(Check {
        question,
        mark: if sure == shares.len() {
            "yes"
        } else if sure > 0 {
            "partly"
        } else {
            "no"
        },
        answer: format!(
            "{sure} of {} were chosen by at least {} of repeated fits.{doubt} Columns that are much \
             alike stand in for each other, and then each is chosen less often.",
            shares.len(),
            percent(SURE)
        ),
    })
}

fn bounded(report: &FitReport) -> Check {
    let (mark, answer) = match report.control {
        Some(ErrorControl::Stability {
            pairs,
            threshold,
            false_at_most,
            ..
        }) => (
            "yes",
            format!(
                "Each was selected by at least {} of {} half-samples. On average at most {} of them are \
                 no better than chance.",
                percent(threshold),
                2 * pairs,
                short(false_at_most)
            ),
        ),
        Some(ErrorControl::Fdr {
            rate,
            threshold: Some(_),
            ..
        }) => (
            "yes",
            format!(
                "On average at most {} of the selected are false.",
                percent(rate)
            ),
        ),
        Some(ErrorControl::Fdr { .. }) => (
            "no",
            "Nothing could be certified at the rate asked for.".into(),
        ),
        None => (
            "unknown",
            "No bound was asked for: some of these columns may be false. The settings stability \
             (such as 50) and fdr (such as 0.1) give one."
                .into(),
        ),
    };
    Check {
        question: "Is it known how many of the columns may be false?",
        mark,
        answer,
    }
}

fn non_linear(report: &FitReport) -> Option<Check> {
    let verdict = words::network_needed(report.network_needed()?);
    let chosen = if report.model.is_linear() {
        "linear"
    } else {
        "a network"
    };
    Some(Check {
        question: "Is a network needed, or would a straight line do?",
        mark: "fact",
        answer: format!("{} The model is {chosen}.", sentence(verdict)),
    })
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn enough(report: &FitReport) -> Check {
    let (scarce, what) = match &report.outcome.kind {
        OutcomeKind::Survival { events, .. } => (*events, "events"),
        OutcomeKind::Classes { classes } => {
            let rarest = classes.iter().map(|class| class.rows).min();
            (rarest.unwrap_or(0), "rows of the rarest class")
        }
        OutcomeKind::Number { .. } => (report.data.n, "rows"),
    };
    let (mark, verdict) = if scarce < FEW {
        (
            "no",
            "few: every figure here is rough, and other data should confirm it.",
        )
    } else if scarce < 4 * FEW {
        (
            "partly",
            "enough for strong effects; weak ones may be missed.",
        )
    } else {
        ("yes", "a fair number.")
    };
    Check {
        question: "Are there rows enough?",
        mark,
        answer: format!("{} {what}: {verdict}", count(scarce)),
    }
}

/// What the fit warns of.
pub fn warnings(report: &FitReport) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.selected.is_empty() {
        warnings.push(
            "No column is selected: this is the null model. Either nothing here predicts the \
             outcome, or too weakly for these rows to show it."
                .into(),
        );
    }
    warnings.extend(at_the_end(report));
    let by_fold = report
        .held_out
        .iter()
        .flat_map(|of| of.by_fold.iter().flatten());
    let below = by_fold
        .clone()
        .filter(|value| **value <= words::chance(report))
        .count();
    let folds = by_fold.count();
    if folds > 1 && below * 3 > folds && !report.selected.is_empty() {
        warnings.push(format!(
            "Folds disagree: in {below} of {folds} the model predicts no better than chance."
        ));
    }
    // (the first warning says it better)
    let known = report.notes.iter().filter(|note| **note != Note::NullModel);
    warnings.extend(known.map(|note| sentence(&note.to_string())));
    warnings
}

/// Whether λ was chosen at an end of its grid.
fn at_the_end(report: &FitReport) -> Option<String> {
    let lambdas = report.validation.by_ridge().first()?.len();
    let chosen = &report.validation.chosen;
    if lambdas < 2 || chosen.is_empty() {
        return None;
    }
    let at = |end: usize| chosen.iter().filter(|cell| **cell % lambdas == end).count();
    let share = |end: usize| at(end) as f64 / chosen.len() as f64;
    if share(0) >= MANY {
        return Some(
            "λ was chosen at the smallest value tried: a smaller one might do better. Give \
             lambdas a lower end."
                .into(),
        );
    }
    (share(lambdas - 1) >= MANY && !report.selected.is_empty()).then(|| {
        "λ was chosen at the largest value tried: a larger one might do better. Give lambdas a \
         higher end."
            .into()
    })
}
