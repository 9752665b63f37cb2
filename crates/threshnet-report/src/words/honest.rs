//! How well rows are predicted that nothing was learned from, in words: calibration, net benefit, and
//! what a null model means.

use super::{count, percent, positive, rounded, time_name};
use crate::table::Table;
use threshnet::dataset::Task;
use threshnet::format::{number, short};
use threshnet::metrics::{Agreement, DecisionCurve, Part};
use threshnet::report::{Evidence, FitReport, OutcomeKind};
use threshnet::statistics::noise_level;

/// Columns that are named as nearest to be selected, at most.
const NEAREST: usize = 3;
/// Chosen by this share of the fits is often.
const OFTEN: f64 = 0.5;
/// A gain of this many events in a thousand rows is one.
const GAIN: f64 = 5e-3;
/// Effects for which it is said how many rows they take: correlations, or hazard ratios per SD.
const CORRELATIONS: [f64; 2] = [0.2, 0.1];
const HAZARD_RATIOS: [f64; 2] = [1.5, 1.2];

/// Whether what is predicted is what happens; none of several classes or times, which have a table.
pub fn calibration(report: &FitReport, evidence: &Evidence) -> Option<String> {
    let [Part { of, time: None, .. }] = &evidence.calibration[..] else {
        return None;
    };
    let mut told = vec![];
    if let (Some(slope), Some(intercept)) = (of.slope, of.intercept) {
        let verdict = match slope {
            ..0.8 => "predictions are too extreme",
            0.8..1.25 => "close to it",
            _ => "predictions are too timid",
        };
        told.push(format!(
            "The calibration slope is {} (1 is right; here {verdict}), the intercept {} (0 is right).",
            two(slope),
            two(intercept)
        ));
    }
    let (unit, scale) = match report.task {
        Task::Binary => (" percentage points", 100.0),
        _ => ("", 1.0),
    };
    if report.task == Task::Binary {
        let (expected, observed) = (percent(of.expected), percent(of.observed));
        let ratio = of
            .observed_expected
            .map_or(String::new(), |of| format!(" {}", two(of)));
        told.push(format!(
            "On average the model says {expected}, and {observed} were {} (observed/expected{ratio}).",
            positive(report)
        ));
    }
    if let (Some(ici), Some(e90)) = (of.ici, of.e90) {
        let shown = |value: f64| match report.task {
            Task::Binary => format!("{:.1}", scale * value),
            _ => short(value),
        };
        told.push(format!(
            "Predictions are {}{unit} off the smooth curve on average (ICI), nine in ten of them by less than {}.",
            shown(ici),
            shown(e90)
        ));
    }
    (!told.is_empty()).then(|| told.join(" "))
}

/// How much of the null model's error is saved, of classes.
pub fn saved(evidence: &Evidence) -> Option<String> {
    let null = evidence.null?;
    Some(format!(
        "Beside always saying how frequent the classes are, the model saves {} of the Brier score and {} of the \
         log loss.",
        percent(null.brier_scaled?),
        percent(null.log_loss_scaled?)
    ))
}

/// Calibration of several classes or times, side by side.
pub fn calibration_table(report: &FitReport, evidence: &Evidence) -> Option<Table> {
    let is_survival = report.task == Task::Cox;
    if evidence.calibration.len() < 2 && !is_survival {
        return None;
    }
    let first = match is_survival {
        true => format!("by {}", time_name(report)),
        false => "class".into(),
    };
    let mut head = vec![first, "observed".into(), "predicted".into()];
    head.extend(
        [
            "observed/expected",
            "slope (1 is right)",
            "mean distance (ICI)",
        ]
        .map(String::from),
    );
    if is_survival {
        head.extend(
            [
                "AUC",
                "Brier score",
                "share of the null's Brier score saved",
            ]
            .map(String::from),
        );
    }
    let known = |value: Option<f64>| value.map_or("–".into(), two);
    let row = |part: &Part<Agreement>| {
        let of = &part.of;
        let name = part.time.map(number).or_else(|| part.class.clone());
        let mut row = vec![
            name.unwrap_or_default(),
            percent(of.observed),
            percent(of.expected),
        ];
        row.extend([known(of.observed_expected), known(of.slope)]);
        row.push(
            of.ici
                .map_or("–".into(), |ici| format!("{:.1} points", 100.0 * ici)),
        );
        let at = evidence.at.iter().find(|at| Some(at.time) == part.time);
        if let Some(at) = at {
            let brier = at.brier.map_or("–".into(), |brier| format!("{brier:.3}"));
            let saved = at.brier_scaled.map_or("–".into(), percent);
            row.extend([known(at.auc), brier, saved]);
        }
        row
    };
    let rows: Vec<Vec<String>> = evidence.calibration.iter().map(row).collect();
    (!rows.is_empty()).then_some(Table { head, rows })
}

/// Two digits behind the point.
fn two(value: f64) -> String {
    format!("{value:.2}")
}

/// Between which risks the model is worth acting by.
pub fn benefit(report: &FitReport, part: &Part<DecisionCurve>) -> String {
    let of = &part.of;
    let gains: Vec<(f64, f64)> = (of.threshold.iter().zip(&of.net_benefit).zip(&of.treat_all))
        .filter_map(|((&threshold, benefit), all)| Some((threshold, (*benefit)? - all.max(0.0))))
        .collect();
    let best = gains.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    // the thresholds around the best one: far out a row or two decide
    let at = best.and_then(|best| gains.iter().position(|gain| *gain == best));
    let useful = |(_, gain): &&(f64, f64)| *gain > GAIN;
    let useful: Vec<f64> = at.map_or(vec![], |at| {
        let below = gains[..at].iter().rev().take_while(useful);
        let above = gains[at..].iter().take_while(useful);
        let mut all: Vec<f64> = below
            .chain(above)
            .map(|(threshold, _)| *threshold)
            .collect();
        all.sort_by(f64::total_cmp);
        all
    });
    let (acting, at_none) = match part.time {
        None => ("Acting".to_string(), "At".to_string()),
        Some(time) => {
            let by = format!("By {} {}", time_name(report), number(time));
            (format!("{by}: acting"), format!("{by}: at"))
        }
    };
    match (useful.first(), useful.last(), best) {
        (Some(&first), Some(&last), Some((at, gain))) => format!(
            "{acting} by the model is worth more than treating all or nobody for thresholds between {} and \
             {}, most at {}: as much as {} events found per 1,000 rows without a needless treatment.",
            percent(first),
            percent(last),
            percent(at),
            (1000.0 * gain).round()
        ),
        _ => format!(
            "{at_none} no threshold is acting by the model worth more than treating all or nobody."
        ),
    }
}

/// What it means that nothing was selected: what came closest, and what these rows could have shown.
pub fn null(report: &FitReport) -> String {
    let passed = match report.selected.len() {
        0 => "No column passed: this is the null model, which predicts the same for every row.",
        _ => "No column passed beside those that were to stay.",
    };
    format!("{passed} {} {}", closest(report), power(report))
}

fn closest(report: &FitReport) -> String {
    let of_fits: Vec<String> = (report.near.iter().take(NEAREST))
        .map(|near| {
            format!(
                "{} (chosen by {} of the fits)",
                near.name,
                percent(near.frequency)
            )
        })
        .collect();
    if !of_fits.is_empty() {
        let often = report
            .near
            .first()
            .is_some_and(|near| near.frequency >= OFTEN);
        let why = match often {
            true => {
                " Fits share rows, so that chance makes them choose alike: on folds that no fit had seen, what \
                     they chose did not predict better than no column at all."
            }
            false => "",
        };
        return format!("What came closest: {}.{why}", of_fits.join(", "));
    }
    let on_path = report.path.columns.iter().filter(|column| !column.selected);
    let on_path: Vec<&str> = on_path
        .take(NEAREST)
        .map(|column| &column.name[..])
        .collect();
    match &on_path[..] {
        [] => "No fit chose any column.".into(),
        names => format!(
            "What came closest are the columns that the growing penalty removed last: {}.",
            names.join(", ")
        ),
    }
}

fn power(report: &FitReport) -> String {
    let d = report.data.d;
    let needed = |effect: f64| {
        let rows = (noise_level(d, 1.0) / effect).powi(2);
        count(rows.ceil() as usize)
    };
    let unknown = "How strong the true effects are, if there are any, these rows cannot tell, and so nobody can say \
                   from them how many rows would be enough.";
    match &report.outcome.kind {
        OutcomeKind::Survival { events, .. } => {
            let level = noise_level(d, *events as f64).exp();
            let [a, b] = HAZARD_RATIOS;
            format!(
                "Among {} columns and with {} events one stands out from chance from a hazard ratio of about {} \
                 per standard deviation on. A single column of {a} would take about {} events, one of {b} about {}. \
                 {unknown}",
                count(d),
                count(*events),
                rounded(level),
                needed(a.ln()),
                needed(b.ln())
            )
        }
        OutcomeKind::Number { .. } | OutcomeKind::Classes { .. } => {
            let level = noise_level(d, report.data.n as f64).min(1.0);
            let [a, b] = CORRELATIONS;
            format!(
                "Among {} columns and on {} rows one stands out from chance from a correlation of about {} with the \
                 outcome on. A single column of {a} would take about {} rows, one of {b} about {}. {unknown}",
                count(d),
                count(report.data.n),
                rounded(level),
                needed(a),
                needed(b)
            )
        }
    }
}
