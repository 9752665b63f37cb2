//! Nested validation in words.

use super::{count, metric_value, percent, with_interval};
use threshnet::metrics::Metric;
use threshnet::report::FitReport;
use threshnet::validate::{Nested, NestedMetric};

/// Columns that are named with how often they were selected, at most.
const NAMED: usize = 8;

/// On which rows, and how.
pub fn nested_rows(nested: &Nested) -> String {
    format!(
        "{} rows, each predicted by runs of the whole procedure that did not see it ({} runs, {})",
        count(nested.rows),
        nested.runs.len(),
        nested.outer
    )
}

/// On which rows the main metric was taken, and how; none if nothing was held out.
pub fn headline_rows(report: &FitReport) -> Option<String> {
    let of_held_out = || report.held_out.as_ref().map(super::held_out_rows);
    report.nested.as_ref().map(nested_rows).or_else(of_held_out)
}

/// What the main metric's estimate is called.
pub fn headline_title(report: &FitReport) -> &'static str {
    match report.nested {
        Some(_) => "Nested validation",
        None => "Held out",
    }
}

/// A metric with its interval and, of a bootstrap, what was corrected.
pub fn nested_metric(metric: Metric, of: &NestedMetric) -> String {
    let estimate = with_interval(metric, of.estimate());
    match of.bootstrap {
        None => estimate,
        Some(corrected) => format!(
            "{estimate}: .632+; apparent {}, out of bag {}, corrected by Harrell's optimism {}",
            metric_value(metric, corrected.apparent),
            metric_value(metric, corrected.out_of_bag),
            metric_value(metric, corrected.harrell)
        ),
    }
}

/// How often the columns that runs selected most often were selected.
pub fn selected_outside(nested: &Nested) -> String {
    let named = nested.selected.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|of| format!("{} {}", of.name, percent(of.frequency)))
        .collect();
    match &named[..] {
        [] => "runs selected no column".into(),
        _ => format!(
            "runs selected {} columns (median), most often {}",
            super::rounded(nested.size),
            named.join(", ")
        ),
    }
}

/// What it is, in sentences.
pub fn nested_means(nested: &Nested) -> String {
    let how = match nested.outer.starts_with("boot") {
        true => "In every bootstrap sample",
        false => "In every outer split",
    };
    format!(
        "{how} everything was done again without the rows that were scored: selection, imputation, \
         screening, the choice of λ and ridge, the contest of models. This is the figure of the whole \
         procedure, {}.",
        selected_outside(nested)
    )
}
