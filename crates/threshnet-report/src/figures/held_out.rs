//! How well rows are predicted by networks that did not see them.

use crate::figure::{Axis, Colour, Figure, Layer, Stroke, points};
use crate::words;
use threshnet::report::{Curves, FitReport};

/// The figures of a task.
pub fn figures(report: &FitReport, curves: &Curves) -> Vec<Figure> {
    match curves {
        Curves::Regression {
            predicted,
            observed,
        } => vec![scatter(report, predicted, observed)],
        Curves::Binary {
            roc,
            precision_recall,
            prevalence,
            calibration,
            ..
        } => {
            let bins = calibration.iter().map(|bin| (bin.predicted, bin.observed));
            let positive = words::positive(report);
            let predicted = format!("predicted probability of {positive}");
            let observed = format!("observed share of {positive}");
            let chance = vec![(0.0, *prevalence), (1.0, *prevalence)];
            let rates = ["false positive rate", "true positive rate"];
            vec![
                unit_square("roc", "ROC curve", rates)
                    .with(diagonal("chance"))
                    .with(Layer::line("model", roc.clone(), stroke())),
                unit_square(
                    "precision-recall",
                    "Precision and recall",
                    ["recall", "precision"],
                )
                .with(Layer::line("chance", chance, faint()))
                .with(Layer::line("model", precision_recall.clone(), stroke())),
                unit_square("calibration", "Calibration", [&predicted, &observed])
                    .with(diagonal("perfect"))
                    .with(Layer::Points {
                        name: "rows in bins, 95 % interval".into(),
                        points: bins.collect(),
                        colour: Colour::Series(0),
                        bars: calibration.iter().map(|bin| bin.interval).collect(),
                        marked: false,
                    }),
            ]
        }
        Curves::Multiclass { .. } => vec![],
        Curves::Cox {
            groups, time_auc, ..
        } => {
            let unit = words::time_name(report);
            let curves = groups
                .iter()
                .enumerate()
                .map(|(number, group)| Layer::Line {
                    name: format!("{} ({} rows)", risk_name(number, groups.len()), group.rows),
                    points: points(&group.time, &group.survival),
                    stroke: Stroke::new(Colour::Series([2, 0, 1][number % 3])),
                    steps: true,
                    told: true,
                });
            let mut figures = vec![Figure {
                id: "kaplan-meier".into(),
                title: "Survival by predicted risk".into(),
                x: Axis::new(unit),
                y: Axis::new("share without the event").within(0.0, 1.02),
                layers: curves.collect(),
            }];
            if let (Some(first), Some(last)) = (time_auc.first(), time_auc.last()) {
                figures.push(Figure {
                    id: "time-auc".into(),
                    title: "AUC over time".into(),
                    x: Axis::new(unit),
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

/// What a group of rows is called, by its position among so many.
pub fn risk_name(number: usize, groups: usize) -> &'static str {
    match (groups, number) {
        (3, 0) => "low risk",
        (3, 1) => "medium risk",
        (3, _) => "high risk",
        (2, 0) => "lower risk",
        (2, _) => "higher risk",
        _ => "all rows",
    }
}

fn scatter(report: &FitReport, predicted: &[f64], observed: &[f64]) -> Figure {
    let both = || predicted.iter().chain(observed).copied();
    let low = both().fold(f64::INFINITY, f64::min);
    let high = both().fold(f64::NEG_INFINITY, f64::max);
    let target = words::outcome(report);
    Figure {
        id: "predicted-observed".into(),
        title: "Predicted and observed".into(),
        x: Axis::new(format!("predicted {target}")),
        y: Axis::new(format!("observed {target}")),
        layers: vec![
            Layer::line("perfect", vec![(low, low), (high, high)], faint()),
            Layer::points("rows", points(predicted, observed), Colour::Series(0)),
        ],
    }
}

fn unit_square(id: &str, title: &str, [x, y]: [&str; 2]) -> Figure {
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
