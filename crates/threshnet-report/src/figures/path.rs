//! The solution path: how columns leave the network as λ grows.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke, points};
use threshnet::report::FitReport;

/// Selected columns that the legend tells; the others are named by pointing at them.
const TOLD: usize = 6;

/// Group norms along λ; none without a path of two λs or more.
pub fn norms(report: &FitReport) -> Option<Figure> {
    let path = &report.path;
    if path.lambdas.len() < 2 {
        return None;
    }
    let line = |name: &str, norms: &[f64], colour: Colour, width: f64| {
        let stroke = Stroke::new(colour).width(width);
        Layer::line(name, points(&path.lambdas, &present(norms)), stroke)
    };
    let mut layers = Vec::new();
    if path.others.iter().any(|&norm| norm > 0.0) {
        let stroke = Stroke::new(Colour::Muted).width(1.0).dashed();
        let others = points(&path.lambdas, &present(&path.others));
        layers.push(Layer::line("strongest of all others", others, stroke).untold());
    }
    let (selected, others): (Vec<_>, Vec<_>) = path.columns.iter().partition(|of| of.selected);
    // Those that are not selected lie below.
    for column in others {
        layers.push(line(&column.name, &column.norms, Colour::Muted, 1.0).untold());
    }
    for (number, column) in selected.into_iter().enumerate() {
        let of = |width| line(&column.name, &column.norms, Colour::Series(number), width);
        layers.push(match number < TOLD {
            true => of(2.5),
            false => of(1.2).untold(),
        });
    }
    let figure = Figure {
        id: "path".into(),
        title: "Solution path".into(),
        x: Axis::new("penalty λ (log scale)").log(),
        y: Axis::new("connection strength ‖W₀ⱼ‖"),
        layers,
    };
    Some(figure.marked_at(path.lambdas[path.chosen], "chosen λ"))
}

/// How many columns are left at each λ.
pub fn sizes(report: &FitReport) -> Option<Figure> {
    let path = &report.path;
    if path.lambdas.len() < 2 {
        return None;
    }
    let sizes: Vec<f64> = path.sizes.iter().map(|&size| size as f64).collect();
    let points = points(&path.lambdas, &sizes);
    let figure = Figure {
        id: "sizes".into(),
        title: "Columns in the network".into(),
        x: Axis::new("penalty λ (log scale)").log(),
        y: Axis::new("columns"),
        layers: vec![Layer::line(
            "columns",
            points,
            Stroke::new(Colour::Series(0)),
        )],
    };
    Some(figure.marked_at(path.lambdas[path.chosen], "chosen λ"))
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
