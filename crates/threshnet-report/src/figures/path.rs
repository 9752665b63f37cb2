//! The solution path: how columns leave the network as λ grows.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke, points};
use crate::words;
use threshnet::report::{FitReport, PathReport};

/// Selected columns that the legend tells; the others are named by pointing at them.
const TOLD: usize = 6;

/// Both figures; none without a path of two λs or more.
pub fn figures(report: &FitReport) -> Vec<Figure> {
    let path = &report.path;
    if path.lambdas.len() < 2 {
        return vec![];
    }
    let sizes: Vec<f64> = path.sizes.iter().map(|&size| size as f64).collect();
    let stroke = Stroke::new(Colour::Series(0));
    let sizes = Layer::line("columns", points(&path.lambdas, &sizes), stroke);
    let figure = |id: &str, title: &str, y: &str, layers: Vec<Layer>| {
        let figure = Figure {
            id: id.into(),
            title: title.into(),
            x: Axis::new("penalty λ (log scale)").log(),
            y: Axis::new(y),
            layers,
        };
        figure.marked_at(report.model.lambda, &words::chosen_lambda(report))
    };
    let strength = "connection strength ‖W₀ⱼ‖";
    vec![
        figure("path", "Solution path", strength, norms(path)),
        figure("sizes", "Columns in the model", "columns", vec![sizes]),
    ]
}

/// Group norms along λ.
fn norms(path: &PathReport) -> Vec<Layer> {
    let line = |name: &str, norms: &[f64], stroke: Stroke| {
        Layer::line(name, points(&path.lambdas, &present(norms)), stroke)
    };
    let muted = Stroke::new(Colour::Muted).width(1.0);
    let mut layers = Vec::new();
    if path.others.iter().any(|&norm| norm > 0.0) {
        layers.push(line("strongest of all others", &path.others, muted.dashed()).untold());
    }
    let (selected, others): (Vec<_>, Vec<_>) = path.columns.iter().partition(|of| of.selected);
    // Those that are not selected lie below.
    for column in others {
        layers.push(line(&column.name, &column.norms, muted).untold());
    }
    for (number, column) in selected.into_iter().enumerate() {
        let stroke = Stroke::new(Colour::Series(number));
        let of = |width: f64| line(&column.name, &column.norms, stroke.width(width));
        layers.push(match number < TOLD {
            true => of(2.5),
            false => of(1.2).untold(),
        });
    }
    layers
}

/// Without the zeros, but for those at which a column has just left or is about to enter.
fn present(norms: &[f64]) -> Vec<f64> {
    let is_in = |k: Option<usize>| k.and_then(|k| norms.get(k)).is_some_and(|&norm| norm > 0.0);
    let near = |k: usize| is_in(Some(k)) || is_in(k.checked_sub(1)) || is_in(Some(k + 1));
    let shown = norms.iter().enumerate();
    shown
        .map(|(k, &norm)| if near(k) { norm } else { f64::NAN })
        .collect()
}
