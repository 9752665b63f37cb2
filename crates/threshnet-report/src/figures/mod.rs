//! What each figure of a report shows.

pub mod calibration;
pub mod decision;
pub mod effects;
pub mod held_out;
pub mod path;
pub mod validation;

use super::figure::Figure;
use threshnet::report::{Curves, Evidence, FitReport};

/// Whether a figure may have this id.
pub fn is_one(id: &str) -> bool {
    const ALONE: [&str; 12] = [
        "path",
        "sizes",
        "surface",
        "validation",
        "joint",
        "roc",
        "precision-recall",
        "calibration",
        "kaplan-meier",
        "observed-survival",
        "time-auc",
        "predicted-observed",
    ];
    let number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let numbered = ["effect-", "decision-"].map(|of| id.strip_prefix(of).is_some_and(number));
    ALONE.contains(&id) || numbered.contains(&true)
}

/// All figures of a fit, in the order of the page.
pub fn all(report: &FitReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(path::figures(report));
    figures.extend(validation::surface(report));
    figures.extend(validation::curve(report));
    // (a linear model is told by its coefficients: straight lines are no figures)
    if report.coefficients.is_none() {
        for (number, effect) in report.effects.iter().enumerate().take(effects::DRAWN) {
            figures.push(effects::curve(report, number, effect));
        }
    }
    figures.extend((report.joint.iter()).map(|joint| effects::joint(report, joint)));
    let (curves, evidence) = seen(report);
    figures.extend(
        curves
            .into_iter()
            .flat_map(|of| held_out::figures(report, of, evidence)),
    );
    if let Some(evidence) = evidence {
        figures.extend(calibration::figure(report, evidence));
        figures.extend(decision::figures(report, evidence));
    }
    figures
}

/// What is drawn and said of rows that nothing was learned from: those of nested validation, where there
/// was one, or else the held-out ones of the fit. Nothing of a null model: it says the same of every row.
pub fn seen(report: &FitReport) -> (Option<&Curves>, Option<&Evidence>) {
    match (&report.nested, &report.held_out) {
        (Some(nested), _) => (nested.curves.as_ref(), Some(&nested.evidence)),
        (None, Some(held_out)) if !report.selected.is_empty() => {
            (held_out.curves.as_ref(), Some(&held_out.evidence))
        }
        (None, _) => (None, None),
    }
}
