//! How the prediction moves with a column, and with two.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke, points};
use crate::svg::sparkline;
use crate::words;
use threshnet::format::short;
use threshnet::report::{ColumnEffect, FitReport, JointEffect};
use threshnet::statistics::mean;

/// Letters along an axis.
const MOST_LETTERS: usize = 28;

/// Effects that are drawn, the strongest.
pub const DRAWN: usize = 24;

/// Both curves of a column, on one scale: accumulated local effects are moved to the mean
/// of the partial dependence. Levels of a text have no order: they are points, of which both say the same.
pub fn curve(report: &FitReport, number: usize, effect: &ColumnEffect) -> Figure {
    let mut layers = vec![];
    let is_alone = effect.partial.len() == 1;
    for (class, (partial, local)) in effect.partial.iter().zip(&effect.local).enumerate() {
        let of = match report.classes().get(class).filter(|_| !is_alone) {
            Some(class) => format!(", {}", class.name),
            None => String::new(),
        };
        let name = format!("partial dependence{of}");
        if !effect.levels.is_empty() {
            let colour = Colour::Series(class);
            layers.push(Layer::points(name, points(&effect.at, partial), colour));
            continue;
        }
        let offset = mean(partial.iter().copied()) - mean(local.iter().copied());
        let moved: Vec<f64> = local.iter().map(|value| value + offset).collect();
        let colour = Colour::Series(2 * class);
        let other = if is_alone { Colour::Series(1) } else { colour };
        layers.extend([
            Layer::line(
                format!("local effects{of}"),
                points(&effect.at, &moved),
                Stroke::new(colour),
            ),
            Layer::line(
                name,
                points(&effect.at, partial),
                Stroke::new(other).dashed(),
            ),
        ]);
    }
    layers.push(Layer::Rug {
        x: effect.rug.clone(),
    });
    Figure {
        id: format!("effect-{}", number + 1),
        title: effect.name.clone(),
        x: Axis {
            ticks: level_ticks(&effect.at, &effect.levels),
            ..Axis::new(shortened(&effect.name))
        },
        y: Axis::new(words::response(report)),
        layers,
    }
}

/// Marks of a text's levels; none of numbers.
fn level_ticks(at: &[f64], levels: &[String]) -> Vec<(f64, String)> {
    (at.iter().zip(levels))
        .map(|(&at, level)| (at, shortened(level)))
        .collect()
}

/// The beginning of a long name: there is the title too.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_string(),
    }
}

/// The local effects alone, small, for cells of a table; of several classes the last. All have
/// one scale, so that a weak one is flat.
pub fn sparklines(effects: &[ColumnEffect]) -> Vec<(&ColumnEffect, String)> {
    let curves = || effects.iter().filter_map(|of| Some((of, of.local.last()?)));
    let all = || curves().flat_map(|(_, local)| local.iter().copied());
    let range = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    curves()
        .map(|(of, local)| {
            let are_levels = !of.levels.is_empty();
            (of, sparkline(&points(&of.at, local), range, are_levels))
        })
        .collect()
}

/// The prediction over two columns.
pub fn joint(report: &FitReport, joint: &JointEffect) -> Figure {
    let of = words::shown_class(report).map_or(String::new(), |class| format!(": {class}"));
    let ticks = |values: &[f64], levels: &[String]| -> Vec<(f64, String)> {
        let every = values.len().div_ceil(6).max(1);
        let marks = values.iter().enumerate().step_by(every);
        let called = |k: usize, value: f64| match levels.get(k) {
            Some(level) => shortened(level),
            None => short(value),
        };
        marks
            .map(|(k, value)| (k as f64, called(k, *value)))
            .collect()
    };
    Figure {
        id: "joint".into(),
        title: format!("{} and {} together{of}", joint.first, joint.second),
        x: Axis {
            ticks: ticks(&joint.first_at, &joint.first_levels),
            ..Axis::new(&joint.first)
        },
        y: Axis {
            ticks: ticks(&joint.second_at, &joint.second_levels),
            ..Axis::new(&joint.second)
        },
        layers: vec![Layer::Heat {
            name: words::response(report),
            z: joint.mean.clone(),
        }],
    }
}
