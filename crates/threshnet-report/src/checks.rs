//! Would I believe it? Questions that a reader should ask, answered by the fit; and what it
//! warns of.

use super::words::{self, count, percent, sentence, with_interval};
use threshnet::metrics::Metric;
use threshnet::report::{ErrorControl, FitReport, Note, OutcomeKind};

/// Fewer rows (events, rows of the rarer class) are few, or not quite enough.
const FEW: usize = 50;
const ENOUGH: usize = 200;
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

/// A mark and an answer.
type Answer = (&'static str, String);

/// All questions that have an answer.
pub fn checks(report: &FitReport) -> Vec<Check> {
    let ask = |question, answer: Option<Answer>| {
        let (mark, answer) = answer?;
        Some(Check {
            question,
            mark,
            answer,
        })
    };
    let (chance, bound, rows) = (better_than_chance(report), bounded(report), enough(report));
    let all = [
        ask("Does it predict better than chance?", Some(chance)),
        ask("Do parts of the data agree on that?", folds_agree(report)),
        ask(
            "Would other rows select the same columns?",
            same_columns(report),
        ),
        ask(
            "Is it known how many of the columns may be false?",
            Some(bound),
        ),
        ask(
            "Is a network needed, or would a straight line do?",
            non_linear(report),
        ),
        ask("Are there rows enough?", Some(rows)),
    ];
    all.into_iter().flatten().collect()
}

fn better_than_chance(report: &FitReport) -> Answer {
    let (Some(rows), Some((metric, estimate))) =
        (words::headline_rows(report), report.main_estimate())
    else {
        let answer = "No rows were held out. Fit with validation, or score it on other rows with \
                      threshnet evaluate.";
        return ("unknown", answer.into());
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
    let answer = format!(
        "{} {} on {rows}, chance being {}: {verdict}",
        metric.title(),
        with_interval(metric, estimate),
        words::rounded(chance)
    );
    (mark, answer)
}

/// What it says for a finding that so many of all agree.
fn mark(agree: usize, all: usize, enough: f64) -> &'static str {
    match agree as f64 / all as f64 {
        1.0 => "yes",
        share if share >= enough => "partly",
        _ => "no",
    }
}

fn folds_agree(report: &FitReport) -> Option<Answer> {
    let by_fold = &report.held_out.as_ref()?.by_fold;
    let known: Vec<f64> = by_fold.iter().copied().flatten().collect();
    if known.len() < 2 || report.selected.is_empty() {
        return None;
    }
    let chance = words::chance(report);
    let above = known.iter().filter(|value| **value > chance).count();
    let low = known.iter().copied().fold(f64::INFINITY, f64::min);
    let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let answer = format!(
        "Better than chance in {above} of {} folds; {} from {low:.2} to {high:.2}. Folds are \
         small, so some spread is to be expected.",
        known.len(),
        Metric::main(report.task).title(),
    );
    Some((mark(above, known.len(), 0.7), answer))
}

fn same_columns(report: &FitReport) -> Option<Answer> {
    let chosen = report.selected.iter().filter(|column| !column.kept);
    let shares: Vec<(&str, f64)> = chosen
        .filter_map(|column| Some((&column.name[..], column.frequency?)))
        .collect();
    if report.is_null() {
        return None;
    }
    if shares.is_empty() {
        let answer = "One fit cannot tell. The default validation, draws:12, repeats it with other \
                      rows and starts.";
        return Some(("unknown", answer.into()));
    }
    let sure = shares.iter().filter(|(_, share)| *share >= SURE).count();
    let unsure = shares.iter().filter(|(_, share)| *share < UNSURE);
    let unsure: Vec<&str> = unsure.map(|(name, _)| *name).collect();
    let doubt = match unsure.len() {
        0 => String::new(),
        few if few <= 4 => format!(" Less than half of the fits chose {}.", unsure.join(", ")),
        many => format!(" {many} were chosen by less than half of the fits."),
    };
    let answer = format!(
        "{sure} of {} were chosen by at least {} of repeated fits.{doubt} Columns that are much \
         alike stand in for each other, and then each is chosen less often.",
        shares.len(),
        percent(SURE)
    );
    Some((mark(sure, shares.len(), f64::MIN_POSITIVE), answer))
}

fn bounded(report: &FitReport) -> Answer {
    let Some(control) = &report.control else {
        let answer = "No bound was asked for: some of these columns may be false. The settings \
                      stability (such as 50) and fdr (such as 0.1) give one.";
        return ("unknown", answer.into());
    };
    let mark = match control {
        ErrorControl::Fdr {
            threshold: None, ..
        } => "no",
        _ => "yes",
    };
    (mark, sentence(&words::control(control)))
}

fn non_linear(report: &FitReport) -> Option<Answer> {
    if report.is_null() {
        return None;
    }
    let verdict = sentence(words::network_needed(report.network_needed()?));
    let chosen = match report.model.is_linear() {
        true => "linear",
        false => "a network",
    };
    Some(("fact", format!("{verdict} The model is {chosen}.")))
}

fn enough(report: &FitReport) -> Answer {
    let (scarce, what) = match &report.outcome.kind {
        OutcomeKind::Survival { events, .. } => (*events, "events"),
        OutcomeKind::Classes { classes } => {
            let rarest = classes.iter().map(|class| class.rows).min();
            (rarest.unwrap_or(0), "rows of the rarest class")
        }
        OutcomeKind::Number { .. } => (report.data.n, "rows"),
    };
    let (mark, verdict) = match scarce {
        ..FEW => (
            "no",
            "few: every figure here is rough, and other data should confirm it.",
        ),
        FEW..ENOUGH => (
            "partly",
            "enough for strong effects; weak ones may be missed.",
        ),
        ENOUGH.. => ("yes", "a fair number."),
    };
    (mark, format!("{} {what}: {verdict}", count(scarce)))
}

/// What the fit warns of.
pub fn warnings(report: &FitReport) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(at_the_end(report));
    let by_fold = (report.held_out.iter()).flat_map(|of| of.by_fold.iter().flatten());
    let chance = words::chance(report);
    let below = by_fold.clone().filter(|value| **value <= chance).count();
    let folds = by_fold.count();
    if folds > 1 && below * 3 > folds && !report.selected.is_empty() {
        warnings.push(format!(
            "Folds disagree: in {below} of {folds} the model predicts no better than chance."
        ));
    }
    // (the answer says it better)
    let is_told = |note: &&Note| matches!(note, Note::NullModel | Note::KeptAlone);
    let known = report.notes.iter().filter(|note| !is_told(note));
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
    (share(lambdas - 1) >= MANY && !report.is_null()).then(|| {
        "λ was chosen at the largest value tried: a larger one might do better. Give lambdas a \
         higher end."
            .into()
    })
}
