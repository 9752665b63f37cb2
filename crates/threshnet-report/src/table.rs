//! The numbers behind a figure, for those who cannot see it.

use super::figure::{Figure, Layer, Mark, is_finite};
use threshnet::format::short;

/// Rows of a table, at most.
const ROWS: usize = 60;

/// A table of texts.
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// What the figure's layers hold.
pub fn of(figure: &Figure) -> Table {
    if let Some(Layer::Heat { z, .. }) = figure.layers.first() {
        return heat(figure, z);
    }
    let series: Vec<(&str, &[(f64, f64)])> = (figure.layers.iter())
        .filter_map(|layer| match layer {
            // (ticks stand on a curve that is there)
            Layer::Points {
                mark: Mark::Tick, ..
            } => None,
            Layer::Line { name, points, .. } | Layer::Points { name, points, .. } => {
                Some((&name[..], &points[..]))
            }
            _ => None,
        })
        .collect();
    let rows: Vec<Vec<String>> = (series.iter())
        .flat_map(|(name, points)| {
            let points = points.iter().filter(|point| is_finite(point));
            points.map(move |(x, y)| vec![(*name).to_string(), short(*x), short(*y)])
        })
        .collect();
    let every = rows.len().div_ceil(ROWS).max(1);
    Table {
        head: vec![
            "curve".into(),
            figure.x.label.clone(),
            figure.y.label.clone(),
        ],
        rows: rows.into_iter().step_by(every).collect(),
    }
}

fn heat(figure: &Figure, z: &[Vec<f64>]) -> Table {
    // As many columns as there are marks.
    let marks: Vec<(usize, &str)> = (figure.x.ticks.iter())
        .map(|(at, label)| (*at as usize, &label[..]))
        .collect();
    let side = |row: usize| {
        let tick = figure.y.ticks.iter().find(|(at, _)| *at as usize == row);
        tick.map(|(_, label)| label.clone())
    };
    let mut head = vec![format!("{} \\ {}", figure.y.label, figure.x.label)];
    head.extend(marks.iter().map(|(_, label)| (*label).to_string()));
    let rows = z.iter().enumerate().filter_map(|(number, row)| {
        let mut cells = vec![side(number)?];
        cells.extend(marks.iter().map(|(at, _)| match row.get(*at) {
            Some(value) if value.is_finite() => short(*value),
            _ => "–".into(),
        }));
        Some(cells)
    });
    Table {
        head,
        rows: rows.collect(),
    }
}
