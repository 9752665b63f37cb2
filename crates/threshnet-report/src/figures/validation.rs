//! Held-out loss over λ and ridge.

use crate::figure::{Axis, Colour, Figure, Layer, Mark, Stroke};
use crate::words;
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
                mark: Mark::Star,
                told: true,
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
    if report.validation.chosen.is_empty() {
        return None;
    }
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
    let lambdas: Vec<f64> = known.iter().map(|(lambda, ..)| *lambda).collect();
    let ends = |sign: f64| known.iter().map(move |(_, loss, se)| loss + sign * se);
    let (low, high): (Vec<f64>, Vec<f64>) = ends(-1.0).zip(ends(1.0)).unzip();
    let mean = known.iter().map(|&(lambda, loss, _)| (lambda, loss));
    let figure = Figure {
        id: "validation".into(),
        title: format!("Held-out loss along λ at ridge {}", short(ridge)),
        x: Axis::new("penalty λ (log scale)").log(),
        y: Axis::new(LossName::of(report.task).title()),
        layers: vec![
            Layer::band(
                "± one standard error",
                &lambdas,
                [&low, &high],
                Colour::Series(0),
            ),
            Layer::line(
                "held-out loss",
                mean.collect(),
                Stroke::new(Colour::Series(0)),
            ),
        ],
    };
    Some(figure.marked_at(report.model.lambda, &words::chosen_lambda(report)))
}

/// The ridge of the grid that is next to the chosen one: of draws, whose median that is, they chose
/// others, too.
pub fn chosen_ridge(report: &FitReport) -> Option<f64> {
    let away = |ridge: f64| match ridge == report.model.ridge {
        true => 0.0,
        false => (ridge / report.model.ridge).ln().abs(),
    };
    let ridges = report.validation.grid.iter().map(|point| point.ridge);
    ridges.min_by(|&a, &b| away(a).total_cmp(&away(b)))
}
