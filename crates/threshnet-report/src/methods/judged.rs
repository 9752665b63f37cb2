//! What a methods section says of how the model was judged.

use super::sources::{Cited, Source};
use crate::figures::seen;
use crate::words::{self, rounded};
use threshnet::dataset::Task;
use threshnet::format::number;
use threshnet::metrics::Metric;
use threshnet::report::{FitReport, HeldOutKind};

pub fn validation(report: &FitReport, cited: &mut Cited) -> String {
    let samples = match report.data.clusters {
        None => "rows",
        Some(_) => "whole clusters",
    };
    let recalibrated = "Predictions were not recalibrated.";
    if let Some(nested) = &report.nested {
        let all = "everything was done again, selection of predictors, imputation, standardisation, tuning and \
                   the comparison of models included";
        let (kind, size) = nested.outer.split_once(':').unwrap_or((&nested.outer, ""));
        let how = match (kind, size.split_once('x')) {
            ("boot", _) => format!(
                "Performance was estimated by {size} bootstrap samples, in each of which {all}; figures are .632+ \
                 estimates {}",
                cited.mark(Source::Plus632)
            ),
            (_, Some((folds, times))) => format!(
                "Performance was estimated by nested cross-validation, {folds} outer folds repeated {times} times: \
                 without the rows of each fold {all}, and these rows were then predicted"
            ),
            (_, None) => format!(
                "Performance was estimated by nested cross-validation with {size} outer folds: without the rows \
                 of each fold {all}, and these rows were then predicted"
            ),
        };
        let samples_of = cited.mark(Source::Bootstrap);
        let intervals = match kind {
            "boot" => String::new(),
            _ => format!(
                ", widened for what folds have in common {}",
                cited.mark(Source::Corrected)
            ),
        };
        return format!(
            "{how}. 95 % intervals are percentiles of 200 bootstrap samples of {samples} {}{intervals}. The runs \
             selected {} predictors (median). {recalibrated} [Authors: whether the model was tested on other data.]",
            samples_of,
            rounded(nested.size)
        );
    }
    let Some(held_out) = &report.held_out else {
        return "No rows were held out, so how well the model predicts other rows was not estimated. [Authors: \
                evaluate it on other rows.]"
            .into();
    };
    let folds = held_out.folds;
    let how = match held_out.kind {
        HeldOutKind::UnseenFolds => format!(
            "Performance is that on {folds} folds of the rows, each predicted by models fitted as this one was, \
             selection included, without it. How many predictors to keep, how much to shrink and which kind of \
             model to take were decided with the help of these predictions, so that the figures are slightly \
             optimistic."
        ),
        HeldOutKind::CrossValidation => format!(
            "Performance is that on the {folds} folds of the cross-validation, each predicted without it. λ and \
             ridge were chosen on the same rows, so that the figures are a little optimistic."
        ),
        HeldOutKind::Holdout => {
            "Performance is that on the rows held out. λ and ridge were chosen on the same rows, \
             so that the figures are somewhat optimistic."
                .into()
        }
    };
    let selection = match held_out.used_in_selection {
        true => {
            " The predictors, moreover, were selected with all rows: the figures are an upper bound."
        }
        false => "",
    };
    format!(
        "{how}{selection} 95 % intervals are percentiles of 200 bootstrap samples of {samples} {}; they do not \
         account for the selection. Nested validation was not done. {recalibrated} [Authors: whether the model was \
         tested on other data.]",
        cited.mark(Source::Bootstrap)
    )
}

/// What is reported of rows that were not learned from.
pub fn measures(report: &FitReport, cited: &mut Cited) -> Option<String> {
    let (_, evidence) = seen(report);
    let evidence = evidence?;
    let of_task = Metric::of(report.task).iter().map(|metric| metric.title());
    let mut told = vec![match report.task {
        Task::Cox => format!(
            "Discrimination was measured by Harrell's C-index {} and the time-dependent AUC.",
            cited.mark(Source::CIndex)
        ),
        _ => format!("Reported are {}.", of_task.collect::<Vec<_>>().join(", ")),
    }];
    if !evidence.calibration.is_empty() {
        let source = match report.task {
            Task::Cox => Source::SurvivalCalibration,
            _ => Source::Calibration,
        };
        told.push(format!(
            "Calibration was assessed by intercept and slope, by a smooth curve (loess {}) and its mean distance \
             from the predictions (ICI {}).",
            cited.mark(Source::Loess),
            cited.mark(source)
        ));
    }
    if !evidence.at.is_empty() {
        let times: Vec<String> = evidence.at.iter().map(|at| number(at.time)).collect();
        told.push(format!(
            "Survival was judged at {} = {}, censored rows by inverse-probability-of-censoring weights; the baseline \
             hazard was that of other held-out rows than those judged. Groups of predicted risk were compared by \
             Kaplan–Meier curves.",
            words::time_name(report),
            times.join(", ")
        ));
    }
    if !evidence.decision.is_empty() {
        let source = cited.mark(Source::NetBenefit);
        let survival = match report.task {
            Task::Cox => cited.mark(Source::SurvivalNetBenefit),
            _ => String::new(),
        };
        told.push(format!(
            "Clinical utility was assessed by decision curves {source}{survival}, against treating all and treating \
             nobody. [Authors: which thresholds matter.]"
        ));
    }
    Some(told.join(" "))
}

pub fn importance(report: &FitReport) -> Option<String> {
    let of = report.importance.as_ref()?;
    Some(format!(
        "How much each selected predictor is worth was measured on {} folds, by the {} that is lost where models of \
         the selected predictors are fitted without it, and where it is permuted given the others. The predictors \
         were selected with all rows, so this ranks what was selected and does not test it.",
        of.folds,
        of.metric.title()
    ))
}
