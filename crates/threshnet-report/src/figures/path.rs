//! The solution path: how columns leave the network as λ grows.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke};
use threshnet::report::FitReport;

/// Selected columns that the legend tells; the others are named by pointing at them.
const TOLD: usize = 6;

/// Group norms along λ; none without a path of two λs or more.
pub fn norms(report: &FitReport) -> Option<Figure> {
    let path = &report.path;
    if path.lambdas.len() < 2 {
        return None;
    }
    let along = |norms: &[f64]| path.lambdas.iter().copied().zip(present(norms)).collect();
    let mut layers = Vec::new();
    if path.others.iter().any(|&norm| norm > 0.0) {
        let stroke = Stroke::new(Colour::Muted).width(1.0).dashed();
        let mut line = Layer::line("strongest of all others", along(&path.others), stroke);
        untold(&mut line);
        layers.push(line);
    }
    // Those that are not selected lie below.
    for column in path.columns.iter().filter(|column| !column.selected) {
        let stroke = Stroke::new(Colour::Muted).width(1.0);
        let mut line = Layer::line(&column.name, along(&column.norms), stroke);
        untold(&mut line);
        layers.push(line);
    }
    for (number, column) in path
        .columns
        .iter()
        .filter(|column| column.selected)
        .enumerate()
    {
        let width = if number < TOLD { 2.5 } else { 1.2 };
        let stroke = Stroke::new(Colour::Series(number)).width(width);
        let mut line = Layer::line(&column.name, along(&column.norms), stroke);
        if number >= TOLD {
            untold(&mut line);
        }
        layers.push(line);
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
    let sizes = path.sizes.iter().map(|&size| size as f64);
    let points = path.lambdas.iter().copied().zip(sizes).collect();
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

fn untold(layer: &mut Layer) {
    if let Layer::Line { told, .. } = layer {
        *told = false;
    }
}
