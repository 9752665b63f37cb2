//! How well rows are predicted by networks that did not see them.

use crate::figure::{Axis, Colour, Figure, Layer, Mark, Stroke, points, stairs};
use crate::words;
use threshnet::metrics::SmoothCurve;
use threshnet::report::{Curves, Evidence, FitReport, RiskGroup};

/// The figures of a task.
pub fn figures(report: &FitReport, curves: &Curves, evidence: Option<&Evidence>) -> Vec<Figure> {
    match curves {
        Curves::Regression {
            predicted,
            observed,
        } => {
            let agreement = evidence.and_then(|of| Some(&of.calibration.first()?.of));
            let curve = agreement.and_then(|of| of.curve.as_ref());
            vec![scatter(report, predicted, observed, curve)]
        }
        Curves::Binary {
            roc,
            precision_recall,
            prevalence,
            ..
        } => {
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
            ]
        }
        Curves::Multiclass { .. } => vec![],
        Curves::Cox {
            groups, time_auc, ..
        } => {
            let unit = words::time_name(report);
            let mut figures = vec![
                by_group(
                    report,
                    "kaplan-meier",
                    "Survival by predicted risk",
                    groups,
                    kaplan_meier,
                ),
                by_group(
                    report,
                    "observed-survival",
                    "Observed and predicted survival",
                    groups,
                    observed_and_predicted,
                ),
            ];
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

/// Survival of the groups, each by some layers of its colour.
fn by_group(
    report: &FitReport,
    id: &str,
    title: &str,
    groups: &[RiskGroup],
    layers: fn(&RiskGroup, &str, Colour) -> Vec<Layer>,
) -> Figure {
    let of_group = |(number, group): (usize, &RiskGroup)| {
        let colour = Colour::Series([2, 0, 1][number % 3]);
        layers(group, risk_name(number, groups.len()), colour)
    };
    Figure {
        id: id.into(),
        title: title.into(),
        x: Axis::new(words::time_name(report)),
        y: Axis::new("share without the event").within(0.0, 1.02),
        layers: groups.iter().enumerate().flat_map(of_group).collect(),
    }
}

/// The curve with its band and the censored rows.
fn kaplan_meier(group: &RiskGroup, name: &str, colour: Colour) -> Vec<Layer> {
    let curve = points(&group.time, &group.survival);
    let [low, high] = [&group.low, &group.high].map(|ends| stairs(&points(&group.time, ends)));
    let at: Vec<f64> = low.iter().map(|(time, _)| *time).collect();
    let [low, high] = [low, high].map(|ends| ends.iter().map(|(_, y)| *y).collect::<Vec<f64>>());
    let height = |&time: &f64| {
        let step = curve.partition_point(|(at, _)| *at <= time).max(1);
        Some((time, curve.get(step - 1)?.1))
    };
    let censored: Vec<(f64, f64)> = group.censored.iter().filter_map(height).collect();
    let censored = Layer::Points {
        name: format!("{name}: censored"),
        points: censored,
        colour,
        bars: vec![],
        mark: Mark::Tick,
        told: false,
    };
    vec![
        Layer::band(format!("{name}: 95 % band"), &at, [&low, &high], colour).untold(),
        steps(format!("{name} ({} rows)", group.rows), curve, colour),
        censored,
    ]
}

/// The curve, and the mean of what was predicted.
fn observed_and_predicted(group: &RiskGroup, name: &str, colour: Colour) -> Vec<Layer> {
    let predicted = Stroke::new(colour).dashed();
    vec![
        steps(
            format!("{name}, observed"),
            points(&group.time, &group.survival),
            colour,
        ),
        Layer::line(
            format!("{name}, predicted"),
            group.predicted.clone(),
            predicted,
        ),
    ]
}

fn steps(name: String, points: Vec<(f64, f64)>, colour: Colour) -> Layer {
    Layer::Line {
        name,
        points,
        stroke: Stroke::new(colour),
        steps: true,
        told: true,
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

fn scatter(
    report: &FitReport,
    predicted: &[f64],
    observed: &[f64],
    curve: Option<&SmoothCurve>,
) -> Figure {
    let both = || predicted.iter().chain(observed).copied();
    let low = both().fold(f64::INFINITY, f64::min);
    let high = both().fold(f64::NEG_INFINITY, f64::max);
    let target = words::outcome(report);
    let mut layers = vec![
        Layer::points("rows", points(predicted, observed), Colour::Muted),
        Layer::line("perfect", vec![(low, low), (high, high)], faint()),
    ];
    layers.extend(
        curve
            .into_iter()
            .flat_map(|of| smooth(of, "smooth curve", Colour::Series(0))),
    );
    Figure {
        id: "predicted-observed".into(),
        title: "Calibration: predicted and observed".into(),
        x: Axis::new(format!("predicted {target}")),
        y: Axis::new(format!("observed {target}")),
        layers,
    }
}

/// A smooth curve in its band.
pub fn smooth(of: &SmoothCurve, name: &str, colour: Colour) -> [Layer; 2] {
    let band = format!("{name}: 95 % band");
    [
        Layer::band(band, &of.at, [&of.low, &of.high], colour).untold(),
        Layer::line(name, points(&of.at, &of.observed), Stroke::new(colour)),
    ]
}

pub fn unit_square(id: &str, title: &str, [x, y]: [&str; 2]) -> Figure {
    Figure {
        id: id.into(),
        title: title.into(),
        x: Axis::new(x).within(0.0, 1.0),
        y: Axis::new(y).within(0.0, 1.02),
        layers: vec![],
    }
}

pub fn stroke() -> Stroke {
    Stroke::new(Colour::Series(0))
}

pub fn faint() -> Stroke {
    Stroke::new(Colour::Muted).width(1.0).dashed()
}

pub fn diagonal(name: &str) -> Layer {
    Layer::line(name, vec![(0.0, 0.0), (1.0, 1.0)], faint())
}
