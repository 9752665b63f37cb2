//! `summary.json`: a fit in short, held-out figures first and training figures last.

use super::{ErrorControl, FitReport, HeldOutKind, LossName, MetricEstimate, SelectedColumn};
use crate::certificate::Certificate;
use crate::dataset::Task;
use crate::kernel::InstructionSet;
use crate::metrics::Metric;
use crate::settings::{PenaltyName, Protocol, Rule};
use crate::solver::Status;
use crate::statistics::Estimate;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What `summary.json` holds. docs/files.md has it field by field.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    task: Task,
    n: usize,
    d: usize,
    held_out: Option<HeldOut<'a>>,
    selected: &'a [SelectedColumn],
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    lambda: f64,
    ridge: f64,
    validation: Option<Validated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positive_class: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<&'a str>,
    penalty: PenaltyName,
    rule: Rule,
    refit: bool,
    status: Status,
    certificate: Certificate,
    seed: u64,
    version: &'a str,
    seconds: f64,
    protocol: Protocol,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<Model>,
    /// `stability` or `fdr`.
    #[serde(flatten)]
    control: Option<&'a ErrorControl>,
    settings: &'a Map<String, Value>,
    instruction_set: InstructionSet,
    notes: Vec<String>,
    train: &'a BTreeMap<Metric, Option<f64>>,
}

#[derive(Debug, Serialize)]
struct HeldOut<'a> {
    kind: HeldOutKind,
    rows: usize,
    folds: usize,
    used_in_selection: bool,
    metrics: &'a BTreeMap<Metric, Option<MetricEstimate>>,
}

#[derive(Debug, Serialize)]
struct Validated {
    metric: LossName,
    #[serde(flatten)]
    loss: Estimate,
}

#[derive(Debug, Serialize)]
struct Model {
    model: String,
    penalty: PenaltyName,
    size: usize,
    #[serde(flatten)]
    loss: Estimate,
    behind: Option<f64>,
    behind_se: Option<f64>,
    chosen: bool,
}

impl FitReport {
    /// The short view of it.
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            task: self.task,
            n: self.data.n,
            d: self.data.d,
            held_out: self.held_out.as_ref().map(|of| HeldOut {
                kind: of.kind,
                rows: of.rows,
                folds: of.folds,
                used_in_selection: of.used_in_selection,
                metrics: &of.metrics,
            }),
            selected: &self.selected,
            threshold: self.threshold,
            lambda: self.model.lambda,
            ridge: self.model.ridge,
            validation: self.validation.loss.map(|loss| Validated {
                metric: LossName::of(self.task),
                loss,
            }),
            positive_class: self.positive_class(),
            classes: self.classes().iter().map(|class| &class.name[..]).collect(),
            penalty: self.model.penalty,
            rule: self.validation.rule,
            refit: self.validation.refit,
            status: self.model.status,
            certificate: self.model.certificate,
            seed: self.run.seed,
            version: &self.version,
            seconds: self.run.seconds,
            protocol: self.run.protocol,
            models: (self.models.iter())
                .map(|of| Model {
                    model: of.title(),
                    penalty: of.penalty,
                    size: of.size,
                    loss: of.loss,
                    behind: of.behind.map(|behind| behind.mean),
                    behind_se: of.behind.map(|behind| behind.se),
                    chosen: of.chosen,
                })
                .collect(),
            control: self.control.as_ref(),
            settings: &self.settings,
            instruction_set: self.run.instruction_set,
            notes: self.notes.iter().map(ToString::to_string).collect(),
            train: &self.train,
        }
    }
}

impl Summary<'_> {
    /// The text of `summary.json`.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("its keys are texts") + "\n"
    }
}
