//! What nested validation shows, as one typed result.

use super::figures::{Part, Parts};
use super::optimism::{no_information, plus_632};
use super::{Found, OuterSplit, Plan};
use crate::metrics::Metric;
use crate::model::Prediction;
use crate::report::{Curves, Evidence, MetricEstimate, curves, evidence};
use crate::settings::Outer;
use crate::statistics::{mean, median};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How good the whole procedure is on rows that had a say in nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nested {
    /// The outer splits, such as `cv:5x10`.
    pub outer: String,
    /// How many rows some run held out.
    pub rows: usize,
    /// Every metric of the task; none where undefined.
    pub metrics: BTreeMap<Metric, Option<NestedMetric>>,
    /// The median number of columns that runs selected.
    pub size: f64,
    /// How often each column was selected, those never selected left out, most often first.
    pub selected: Vec<SelectedOutside>,
    /// Every run.
    pub runs: Vec<OuterRun>,
    /// What is drawn of the mean prediction of every row, where there is something to draw.
    pub curves: Option<Curves>,
    /// Whether this mean is what happens, and what acting on it would bring.
    pub evidence: Evidence,
}

/// A metric under nested validation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NestedMetric {
    /// Of folds on the rows that they held out; of a bootstrap its .632+ estimate.
    pub value: f64,
    /// Its 95 % interval; none if too many samples leave it undefined.
    pub interval: Option<(f64, f64)>,
    /// What it is made of, of a bootstrap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapCorrected>,
}

impl NestedMetric {
    /// The value and its interval.
    pub fn estimate(&self) -> MetricEstimate {
        MetricEstimate {
            value: self.value,
            interval: self.interval,
        }
    }
}

/// A metric that a bootstrap has corrected; see the formulas in `optimism.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BootstrapCorrected {
    /// On the rows that the model was made of: too good.
    pub apparent: f64,
    /// On the rows that samples did not draw: a little too bad.
    pub out_of_bag: f64,
    /// By Harrell's optimism.
    pub harrell: f64,
    /// By .632+.
    pub plus_632: f64,
}

/// How often runs selected a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectedOutside {
    /// Its name.
    pub name: String,
    /// Its number.
    pub index: usize,
    /// The share of runs.
    pub frequency: f64,
}

/// A run of the whole procedure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OuterRun {
    /// How many rows it held out.
    pub rows: usize,
    /// How many columns it selected.
    pub size: usize,
    /// Every metric on these rows; none where undefined.
    pub metrics: BTreeMap<Metric, Option<f64>>,
}

/// What all runs say together.
pub(super) fn combined(plan: &Plan, found: &[Found], apparent: Option<&Prediction>) -> Nested {
    let response = plan.data.response();
    let metrics = Metric::of(response.task());
    let folds = match plan.outer {
        Outer::Folds { count, .. } => count,
        Outer::Bootstrap { .. } => 1,
    };
    let of_run = |(split, found): (&OuterSplit, &Found)| Part {
        rows: split.held_out.clone(),
        said: match plan.outer {
            Outer::Folds { .. } => found.prediction.clone(),
            Outer::Bootstrap { .. } => found.prediction.rows(&split.held_out),
        },
    };
    let parts = plan.splits.iter().zip(found).map(of_run).collect();
    let parts = Parts::new(response, parts, folds);
    let by_metric: Vec<Vec<Option<f64>>> =
        metrics.iter().map(|&metric| parts.by_run(metric)).collect();
    let estimates = parts.estimates(metrics, plan.request.seed);
    let corrected = metrics.iter().zip(estimates).map(|(&metric, estimate)| {
        let corrected = estimate.map(|estimate| match plan.outer {
            Outer::Folds { .. } => of_folds(estimate),
            Outer::Bootstrap { .. } => of_bootstrap(plan, found, apparent, metric, estimate),
        });
        (metric, corrected)
    });
    let drawn = parts.mean();
    let drawn_response = response.rows(&drawn.rows);
    Nested {
        outer: plan.outer.to_string(),
        rows: drawn.rows.len(),
        metrics: corrected.collect(),
        size: median(found.iter().map(|found| found.selected.len() as f64)),
        selected: selected(plan, found),
        runs: (plan.splits.iter().zip(found).enumerate())
            .map(|(number, (split, found))| OuterRun {
                rows: split.held_out.len(),
                size: found.selected.len(),
                metrics: (metrics.iter().zip(&by_metric))
                    .map(|(&metric, values)| (metric, values[number]))
                    .collect(),
            })
            .collect(),
        curves: curves(&drawn.said, &drawn_response),
        evidence: evidence(&drawn.said, &drawn_response),
    }
}

fn of_folds(estimate: MetricEstimate) -> NestedMetric {
    NestedMetric {
        value: estimate.value,
        interval: estimate.interval,
        bootstrap: None,
    }
}

/// The .632+ estimate, to which the interval of the rows that were not drawn is moved; without what
/// the model of all rows predicts, these rows alone.
fn of_bootstrap(
    plan: &Plan,
    found: &[Found],
    apparent: Option<&Prediction>,
    metric: Metric,
    out_of_bag: MetricEstimate,
) -> NestedMetric {
    let response = plan.data.response();
    let corrected = apparent.and_then(|said| {
        let apparent = metric.value(said, response).ok()?;
        let optimism = plan.splits.iter().zip(found).map(|(split, found)| {
            let sample = response.drawn(&split.learned, split.times.as_deref());
            let learned = metric
                .value(&found.prediction.rows(&split.learned), &sample)
                .ok()?;
            Some(learned - metric.value(&found.prediction, response).ok()?)
        });
        let optimism: Vec<f64> = optimism.flatten().collect();
        let no_information = no_information(metric, said, response)?;
        (!optimism.is_empty()).then(|| BootstrapCorrected {
            apparent,
            out_of_bag: out_of_bag.value,
            harrell: apparent - mean(optimism.into_iter()),
            plus_632: plus_632(apparent, out_of_bag.value, no_information),
        })
    });
    let value = corrected.map_or(out_of_bag.value, |corrected| corrected.plus_632);
    let moved = value - out_of_bag.value;
    NestedMetric {
        value,
        interval: out_of_bag
            .interval
            .map(|(low, high)| (low + moved, high + moved)),
        bootstrap: corrected,
    }
}

fn selected(plan: &Plan, found: &[Found]) -> Vec<SelectedOutside> {
    let mut times = BTreeMap::new();
    for &feature in found.iter().flat_map(|found| &found.selected) {
        *times.entry(feature).or_insert(0) += 1;
    }
    let mut selected: Vec<SelectedOutside> = (times.into_iter())
        .map(|(index, times)| SelectedOutside {
            name: plan.data.names()[index].clone(),
            index,
            frequency: f64::from(times) / found.len() as f64,
        })
        .collect();
    selected.sort_by(|a, b| b.frequency.total_cmp(&a.frequency));
    selected
}
