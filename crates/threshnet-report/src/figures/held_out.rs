//! How well rows are predicted by networks that did not see them.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke};
use crate::files::Files;
use crate::record::{HeldOutRecord, Shown};
use crate::words;

/// The figures of a task.
pub fn figures(files: &Files, held_out: &HeldOutRecord) -> Vec<Figure> {
    match &held_out.shown {
        Shown::Regression {
            predicted,
            observed,
        } => vec![scatter(files, predicted, observed)],
        Shown::Binary {
            roc,
            precision_recall,
            prevalence,
            calibration,
            ..
        } => {
            let bins = calibration.iter().map(|bin| (bin.predicted, bin.observed));
            let bars = calibration.iter().map(|bin| (bin.low, bin.high)).collect();
            let positive = files
                .summary
                .positive_class
                .as_deref()
                .unwrap_or("positive");
            vec![
                unit_square(
                    "roc",
                    "ROC curve",
                    ("false positive rate", "true positive rate"),
                )
                .with(diagonal("chance"))
                .with(Layer::line("model", roc.clone(), stroke())),
                unit_square(
                    "precision-recall",
                    "Precision and recall",
                    ("recall", "precision"),
                )
                .with(Layer::line(
                    "chance",
                    vec![(0.0, *prevalence), (1.0, *prevalence)],
                    faint(),
                ))
                .with(Layer::line("model", precision_recall.clone(), stroke())),
                unit_square(
                    "calibration",
                    "Calibration",
                    (
                        &format!("predicted probability of {positive}"),
                        &format!("observed share of {positive}"),
                    ),
                )
                .with(diagonal("perfect"))
                .with(Layer::Points {
                    name: "rows in bins, 95 % interval".into(),
                    points: bins.collect(),
                    colour: Colour::Series(0),
                    bars,
                    marked: false,
                }),
            ]
        }
        Shown::Multiclass { .. } => vec![],
        Shown::Cox {
            groups, time_auc, ..
        } => {
            let unit = words::time_name(files);
            let curves = groups
                .iter()
                .enumerate()
                .map(|(number, group)| Layer::Line {
                    name: format!("{} ({} rows)", group.name, group.rows),
                    points: group
                        .time
                        .iter()
                        .copied()
                        .zip(group.survival.iter().copied())
                        .collect(),
                    stroke: Stroke::new(Colour::Series([2, 0, 1][number % 3])),
                    steps: true,
                    told: true,
                });
            let mut figures = vec![Figure {
                id: "kaplan-meier".into(),
                title: "Survival by predicted risk".into(),
                x: Axis::new(&unit),
                y: Axis::new("share without the event").within(0.0, 1.02),
                layers: curves.collect(),
            }];
            if let (Some(first), Some(last)) = (time_auc.first(), time_auc.last()) {
                figures.push(Figure {
                    id: "time-auc".into(),
                    title: "AUC over time".into(),
                    x: Axis::new(&unit),
                    y: Axis::new("AUC of events up to this time"),
                    layers: vec![
                        Layer::line("chance", vec![(first.0, 0.5), (last.0, 0.5)], faint()),
                        Layer::line("model", time_auc.clone(), stroke()),
                    ],
                });
            }
            figures
        }
    }
}

fn scatter(files: &Files, predicted: &[f64], observed: &[f64]) -> Figure {
    let both = || predicted.iter().chain(observed).copied();
    let (low, high) = (
        both().fold(f64::INFINITY, f64::min),
        both().fold(f64::NEG_INFINITY, f64::max),
    );
    let target = files
        .record
        .outcome
        .columns
        .first()
        .map_or("outcome", |name| name);
    Figure {
        id: "predicted-observed".into(),
        title: "Predicted and observed".into(),
        x: Axis::new(format!("predicted {target}")),
        y: Axis::new(format!("observed {target}")),
        layers: vec![
            Layer::line("perfect", vec![(low, low), (high, high)], faint()),
            Layer::Points {
                name: "rows".into(),
                points: predicted
                    .iter()
                    .copied()
                    .zip(observed.iter().copied())
                    .collect(),
                colour: Colour::Series(0),
                bars: vec![],
                marked: false,
            },
        ],
    }
}

fn unit_square(id: &str, title: &str, (x, y): (&str, &str)) -> Figure {
    Figure {
        id: id.into(),
        title: title.into(),
        x: Axis::new(x).within(0.0, 1.0),
        y: Axis::new(y).within(0.0, 1.02),
        layers: vec![],
    }
}

impl Figure {
    fn with(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }
}

fn stroke() -> Stroke {
    Stroke::new(Colour::Series(0))
}

fn faint() -> Stroke {
    Stroke::new(Colour::Muted).width(1.0).dashed()
}

fn diagonal(name: &str) -> Layer {
    Layer::line(name, vec![(0.0, 0.0), (1.0, 1.0)], faint())
}
