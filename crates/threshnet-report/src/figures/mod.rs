//! What each figure of a report shows.

pub mod effects;
pub mod held_out;
pub mod path;
pub mod validation;

use super::figure::Figure;
use threshnet::report::FitReport;

/// Whether a figure may have this id.
pub fn is_one(id: &str) -> bool {
    const ALONE: [&str; 11] = [
        "path",
        "sizes",
        "surface",
        "validation",
        "joint",
        "roc",
        "precision-recall",
        "calibration",
        "kaplan-meier",
        "time-auc",
        "predicted-observed",
    ];
    let number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    ALONE.contains(&id) || id.strip_prefix("effect-").is_some_and(number)
}

/// All figures of a fit, in the order of the page.
pub fn all(report: &FitReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(path::figures(report));
    figures.extend(validation::surface(report));
    figures.extend(validation::curve(report));
    for (number, effect) in report.effects.iter().enumerate() {
        figures.push(effects::curve(report, number, effect));
    }
    figures.extend((report.joint.iter()).map(|joint| effects::joint(report, joint)));
    let curves = report.held_out.iter().filter_map(|of| of.curves.as_ref());
    figures.extend(curves.flat_map(|curves| held_out::figures(report, curves)));
    figures
}
