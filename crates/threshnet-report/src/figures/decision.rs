//! What acting on a prediction would bring: net benefit along the risk from which on rows are treated.

use super::held_out::{faint, stroke};
use crate::figure::{Axis, Colour, Figure, Layer, Stroke, points};
use crate::words;
use threshnet::dataset::Task;
use threshnet::format::number;
use threshnet::metrics::{DecisionCurve, Part};
use threshnet::report::{Evidence, FitReport};

/// How far below 0 is shown, as a share of what lies above.
const BELOW: f64 = 0.15;

/// One for a class, one for each time of survival.
pub fn figures(report: &FitReport, evidence: &Evidence) -> Vec<Figure> {
    let parts = evidence.decision.iter().enumerate();
    parts
        .map(|(number, part)| figure(report, number, part))
        .collect()
}

fn figure(report: &FitReport, at: usize, part: &Part<DecisionCurve>) -> Figure {
    let of = &part.of;
    let model: Vec<f64> = (of.net_benefit.iter())
        .map(|benefit| benefit.unwrap_or(f64::NAN))
        .collect();
    let top = model
        .iter()
        .chain(&of.treat_all)
        .copied()
        .fold(0.01, f64::max);
    let shown = |benefits: &[f64]| -> Vec<(f64, f64)> {
        // (what falls far below is not cut off at the frame but leaves it)
        let within = |(x, y): (f64, f64)| (x, if y < -BELOW * top { f64::NAN } else { y });
        points(&of.threshold, benefits)
            .into_iter()
            .map(within)
            .collect()
    };
    // beyond the largest risk that is predicted the model treats nobody
    let treats = |(_, benefit): &(&f64, &f64)| **benefit != 0.0 && benefit.is_finite();
    let treated = of.threshold.iter().zip(&model).filter(treats);
    let end = treated
        .map(|(threshold, _)| *threshold)
        .fold(of.prevalence, f64::max);
    let (what, title) = match (report.task, part.time) {
        (Task::Cox, Some(time)) => {
            let by = format!("{} {}", words::time_name(report), number(time));
            (
                format!("treated from this risk by {by} on"),
                format!("Decision curve at {by}"),
            )
        }
        _ => {
            let positive = words::positive(report);
            (
                format!("treated from this probability of {positive} on"),
                "Decision curve".into(),
            )
        }
    };
    Figure {
        id: format!("decision-{}", at + 1),
        title,
        x: Axis::new(what).within(0.0, (end + 0.05).min(1.0)),
        y: Axis::new("net benefit").within(-BELOW * top, 1.1 * top),
        layers: vec![
            Layer::line("treat nobody", vec![(0.0, 0.0), (1.0, 0.0)], faint()),
            Layer::line(
                "treat all",
                shown(&of.treat_all),
                Stroke::new(Colour::Series(1)).dashed(),
            ),
            Layer::line("by the model", shown(&model), stroke()),
        ],
    }
}
