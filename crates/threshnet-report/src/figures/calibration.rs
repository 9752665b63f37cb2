//! Whether what is predicted is what happens: the smooth curve of the outcome along the prediction.

use super::held_out::{diagonal, smooth, unit_square};
use crate::figure::{Colour, Figure, Layer, Mark};
use crate::words;
use threshnet::dataset::Task;
use threshnet::format::number;
use threshnet::metrics::{Agreement, Part};
use threshnet::report::{Curves, Evidence, FitReport};

/// Curves of so many classes, at most: more could not be told apart.
const CURVES: usize = 6;

/// The figure of probabilities and of survival; none of numbers, whose curve lies on their points.
pub fn figure(report: &FitReport, evidence: &Evidence) -> Option<Figure> {
    let drawn: Vec<&Part<Agreement>> = (evidence.calibration.iter())
        .filter(|part| part.of.curve.is_some())
        .take(CURVES)
        .collect();
    if drawn.is_empty() || report.task == Task::Regression {
        return None;
    }
    let (predicted, observed) = axes(report);
    let mut figure = unit_square("calibration", "Calibration", [&predicted, &observed])
        .with(diagonal("perfect"));
    for (number, part) in drawn.into_iter().enumerate() {
        let curve = part.of.curve.iter();
        let layers = curve.flat_map(|of| smooth(of, &name(report, part), Colour::Series(number)));
        figure.layers.extend(layers);
    }
    if let (Some(Curves::Binary { calibration, .. }), _) = super::seen(report) {
        let bins = calibration.iter().map(|bin| (bin.predicted, bin.observed));
        figure.layers.push(Layer::Points {
            name: "rows in tenths, 95 % interval".into(),
            points: bins.collect(),
            colour: Colour::Series(1),
            bars: calibration.iter().map(|bin| bin.interval).collect(),
            mark: Mark::Dot,
            told: true,
        });
    }
    Some(figure)
}

fn axes(report: &FitReport) -> (String, String) {
    match report.task {
        Task::Binary => {
            let positive = words::positive(report);
            let observed = format!("observed share of {positive}");
            (format!("predicted probability of {positive}"), observed)
        }
        Task::Cox => (
            "predicted risk".into(),
            "observed share with the event".into(),
        ),
        Task::Regression | Task::Multiclass => {
            ("predicted probability".into(), "observed share".into())
        }
    }
}

/// What a curve is of.
fn name(report: &FitReport, part: &Part<Agreement>) -> String {
    match (part.time, &part.class) {
        (Some(time), _) => format!("by {} {}", words::time_name(report), number(time)),
        (None, Some(class)) => class.clone(),
        (None, None) => "smooth curve".into(),
    }
}
