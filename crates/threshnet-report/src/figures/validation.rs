//! Held-out loss over λ and ridge.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke};
use threshnet::format::short;
use threshnet::report::{FitReport, GridPoint, LossName};

/// Marks along the λ axis of the surface.
const MARKS: usize = 6;

/// The loss over the grid, with what was chosen; none for one ridge or one λ.
pub fn surface(report: &FitReport) -> Option<Figure> {
    let ridges = report.validation.by_ridge();
    let lambdas = ridges.first()?.len();
    let has_losses = (report.validation.grid.iter()).any(|of| of.validation_loss.is_some());
    if ridges.len() < 2 || lambdas < 2 || !has_losses {
        return None;
    }
    let loss = |cell: &GridPoint| cell.validation_loss.unwrap_or(f64::NAN);
    let z = (ridges.iter())
        .map(|of_ridge| of_ridge.iter().map(loss).collect())
        .collect();
    let chosen = &report.validation.chosen;
    let points = (chosen.iter())
        .map(|cell| ((cell % lambdas) as f64, (cell / lambdas) as f64))
        .collect();
    let tick = |k: usize, value: f64| (k as f64, short(value));
    let every = lambdas.div_ceil(MARKS);
    Some(Figure {
        id: "surface".into(),
        title: "Held-out loss over λ and ridge".into(),
        x: Axis {
            ticks: (0..lambdas)
                .step_by(every)
                .map(|k| tick(k, ridges[0][k].lambda))
                .collect(),
            ..Axis::new("penalty λ")
        },
        y: Axis {
            ticks: (ridges.iter().enumerate())
                .map(|(k, of_ridge)| tick(k, of_ridge[0].ridge))
                .collect(),
            ..Axis::new("ridge")
        },
        layers: vec![
            Layer::Heat {
                name: LossName::of(report.task).title().into(),
                z: clipped(z),
            },
            Layer::Points {
                name: if chosen.len() > 1 {
                    "chosen by a fit"
                } else {
                    "chosen"
                }
                .into(),
                points,
                colour: Colour::Series(1),
                bars: vec![],
                marked: true,
            },
        ],
    })
}

/// Without what is so far above the rest that it would hide it: a loss can be a thousand
/// times the best.
fn clipped(mut z: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let finite = z.iter().flatten().copied().filter(|v| v.is_finite());
    let mut all: Vec<f64> = finite.collect();
    all.sort_by(f64::total_cmp);
    if let (Some(best), Some(median)) = (all.first(), all.get(all.len() / 2)) {
        let most = best + 3.0 * (median - best);
        for value in z.iter_mut().flatten().filter(|v| **v > most) {
            *value = most;
        }
    }
    z
}

/// The loss along λ at the chosen ridge, with its standard error.
pub fn curve(report: &FitReport) -> Option<Figure> {
    let ridge = chosen_ridge(report)?;
    let known: Vec<(f64, f64, f64)> = (report.validation.grid.iter())
        .filter(|cell| cell.ridge == ridge)
        .filter_map(|cell| {
            let se = cell.validation_se.unwrap_or(0.0);
            Some((cell.lambda, cell.validation_loss?, se))
        })
        .collect();
    if known.len() < 2 {
        return None;
    }
    let mean = known.iter().map(|&(lambda, loss, _)| (lambda, loss));
    let figure = Figure {
        id: "validation".into(),
        title: format!("Held-out loss along λ at ridge {}", short(ridge)),
        x: Axis::new("penalty λ (log scale)").log(),
        y: Axis::new(LossName::of(report.task).title()),
        layers: vec![
            Layer::Band {
                name: "± one standard error".into(),
                x: known.iter().map(|(lambda, ..)| *lambda).collect(),
                low: known.iter().map(|(_, loss, se)| loss - se).collect(),
                high: known.iter().map(|(_, loss, se)| loss + se).collect(),
                colour: Colour::Series(0),
            },
            Layer::line(
                "held-out loss",
                mean.collect(),
                Stroke::new(Colour::Series(0)),
            ),
        ],
    };
    Some(figure.marked_at(chosen_lambda(report, ridge), "chosen λ"))
}

/// What was chosen, by every draw.
fn chosen(report: &FitReport) -> impl Iterator<Item = &GridPoint> {
    let chosen = report.validation.chosen.iter();
    chosen.filter_map(|&cell| report.validation.grid.get(cell))
}

/// The chosen ridge; of several draws the one that most of them chose.
pub fn chosen_ridge(report: &FitReport) -> Option<f64> {
    let count = |ridge: f64| chosen(report).filter(|of| of.ridge == ridge).count();
    let ridges = chosen(report).map(|of| of.ridge);
    ridges.max_by_key(|&ridge| count(ridge))
}

/// The λ chosen with this ridge; of several draws the median.
fn chosen_lambda(report: &FitReport, ridge: f64) -> f64 {
    let with_it = chosen(report).filter(|cell| cell.ridge == ridge);
    let mut lambdas: Vec<f64> = with_it.map(|cell| cell.lambda).collect();
    lambdas.sort_by(f64::total_cmp);
    let median = lambdas.get(lambdas.len() / 2);
    median.copied().unwrap_or(report.model.lambda)
}
