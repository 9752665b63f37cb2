//! `summary.json`, and the same for a person.

use super::{contest, control};
use anyhow::Result;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use threshnet::certificate::Certificate;
use threshnet::control::Controlled;
use threshnet::dataset::{Dataset, Task};
use threshnet::format::short;
use threshnet::kernel::InstructionSet;
use threshnet::settings::{Rule, Settings, Size, Validation};
use threshnet::solver::{Solver, Status};
use threshnet::tune::Fit;

/// A selected column.
#[derive(Debug, Clone, Serialize)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// Its number among the feature columns, from 0.
    pub index: usize,
    /// Its group norm; of several networks the mean.
    pub norm: f64,
    /// The share of draws or half-samples that selected it, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
}

/// The flags by which less is done than the protocol says.
fn shortcuts(settings: &Settings) -> Vec<String> {
    let size = Size::new(usize::MAX, 1, Task::Regression);
    let protocol = Settings::new(
        settings.protocol,
        settings.penalty,
        settings.validation,
        size,
    );
    let tolerance = match (settings.solver, protocol.solver) {
        (Solver::Adam(adam), Solver::Adam(usual)) if adam.tolerance > usual.tolerance => {
            Some(adam.tolerance)
        }
        _ => None,
    };
    [
        tolerance.map(|tolerance| format!("--tolerance {tolerance}")),
        (settings.screen).map(|count| format!("--screen {count}")),
        (settings.batch_size).map(|rows| format!("--batch-size {rows}")),
        (settings.skip_ridges).then(|| "--skip-ridges yes".into()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a fit found, as `summary.json` holds it.
#[derive(Debug, Serialize)]
pub struct Summary {
    task: &'static str,
    n: usize,
    d: usize,
    /// Strongest first.
    pub selected: Vec<Selected>,
    /// The share of draws from which on a column is selected, if there were draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    lambda: f64,
    ridge: f64,
    validation: Option<Value>,
    train: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positive_class: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    penalty: &'static str,
    rule: Rule,
    refit: bool,
    status: &'static str,
    certificate: Certificate,
    seed: u64,
    version: &'static str,
    seconds: f64,
    protocol: &'static str,
    /// The network and the linear models beside it, if there were any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<Value>,
    #[serde(skip)]
    contest: Vec<String>,
    /// `stability` or `fdr`, if there is such a selection.
    #[serde(flatten, serialize_with = "control_field")]
    control: Option<Controlled>,
    /// Flags by which less was done than the protocol says.
    shortcuts: Vec<String>,
    instruction_set: &'static str,
    notes: Vec<String>,
}

impl Summary {
    /// Of a fit, with the metrics on its training rows and notes on them.
    pub fn new(
        data: &Dataset,
        settings: &Settings,
        fit: &Fit,
        (train, mut notes): (Map<String, Value>, Vec<String>),
        seconds: f64,
    ) -> Self {
        notes.splice(0..0, fit_notes(data, settings, fit));
        let model = &fit.model;
        let mut selected: Vec<Selected> = (model.selected().into_iter())
            .map(|index| Selected {
                name: model.features.names()[index].clone(),
                index,
                norm: model.norm(index),
                frequency: fit.frequencies.as_ref().map(|shares| shares[index]),
            })
            .collect();
        selected.sort_by(|a, b| b.norm.total_cmp(&a.norm).then(a.index.cmp(&b.index)));
        let metric = match model.task {
            Task::Regression => "mse",
            Task::Binary | Task::Multiclass => "log_loss",
            Task::Cox => "neg_log_partial_likelihood",
        };
        Summary {
            task: model.task.name(),
            n: data.n(),
            d: data.features().count(),
            selected,
            threshold: fit.threshold,
            lambda: fit.lambda,
            ridge: fit.ridge,
            validation: (settings.validation != Validation::None).then(
                || json!({"metric": metric, "value": fit.validation.mean, "se": fit.validation.se}),
            ),
            train,
            positive_class: (model.task == Task::Binary).then(|| model.classes[1].clone()),
            classes: model.classes.clone(),
            penalty: match fit.contenders.get(fit.winner) {
                Some(winner) => winner.penalty.name(),
                None => settings.penalty.name(),
            },
            rule: settings.rule,
            refit: settings.refit,
            status: fit.solved.status.name(),
            certificate: fit.solved.certificate,
            seed: settings.seed,
            version: env!("CARGO_PKG_VERSION"),
            seconds,
            protocol: settings.protocol.name(),
            models: contest::to_json(fit),
            contest: contest::to_lines(fit, metric),
            control: None,
            shortcuts: shortcuts(settings),
            instruction_set: InstructionSet::in_use().name(),
            notes,
        }
    }

    /// Adds what bounds the false columns of the selection.
    pub fn with_control(mut self, controlled: Option<Controlled>, data: &Dataset) -> Self {
        let used = |j: &usize| self.selected.iter().any(|column| column.index == *j);
        let unused: Vec<&str> = (controlled.iter())
            .flat_map(Controlled::selected)
            .filter(|j| !used(j))
            .map(|j| &data.names()[j][..])
            .collect();
        if !unused.is_empty() {
            self.notes.push(format!(
                "selected, but the network on the selected columns does without: {}",
                unused.join(", ")
            ));
        }
        self.control = controlled;
        self
    }

    /// The text of `summary.json`.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// A few lines for a person.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |args: std::fmt::Arguments| {
            writeln!(text, "{args}").expect("writing to a string cannot fail");
        };
        line(format_args!(
            "{} of {} columns selected ({}, {} rows, {} at lambda {}, ridge {})",
            self.selected.len(),
            self.d,
            self.task,
            self.n,
            self.penalty,
            short(self.lambda),
            short(self.ridge)
        ));
        if let Some(positive) = &self.positive_class {
            line(format_args!("positive class: {positive}"));
        }
        let width = self
            .selected
            .iter()
            .map(|s| s.name.chars().count())
            .max()
            .unwrap_or(0)
            .max(6);
        let strongest = self.selected.first().map_or(1.0, |s| s.norm);
        let drawn = self.selected.first().is_some_and(|s| s.frequency.is_some());
        if !self.selected.is_empty() {
            let frequency = if drawn { "  frequency" } else { "" };
            line(format_args!(
                "\n  {:width$}  index    norm{frequency}",
                "column"
            ));
        }
        for s in self.selected.iter().take(SHOWN) {
            let bar = "█".repeat(((s.norm / strongest * 24.0).round() as usize).max(1));
            let frequency = (s.frequency).map_or(String::new(), |share| format!("  {share:>9.2}"));
            line(format_args!(
                "  {:width$}  {:>5}  {:6.3}{frequency}  {bar}",
                s.name, s.index, s.norm
            ));
        }
        if self.selected.len() > SHOWN {
            line(format_args!("  … and {} more", self.selected.len() - SHOWN));
        }
        line(format_args!(""));
        if let Some(validation) = &self.validation {
            let number = |field: &str| short(validation[field].as_f64().unwrap_or(f64::NAN));
            line(format_args!(
                "validation  {} {} (SE {})",
                validation["metric"].as_str().unwrap_or_default(),
                number("value"),
                number("se")
            ));
        }
        for contest in &self.contest {
            line(format_args!("{contest}"));
        }
        let train: Vec<String> = (self.train.iter())
            .filter_map(|(name, value)| Some(format!("{name} {}", short(value.as_f64()?))))
            .collect();
        line(format_args!("training    {}", train.join("  ")));
        if let Some(controlled) = &self.control {
            line(format_args!("{}", control::to_text(controlled)));
        }
        let Certificate {
            active,
            inactive,
            rest,
        } = self.certificate;
        line(format_args!(
            "certificate active {active:.1e}  inactive {inactive:.1e}  rest {rest:.1e}  ({})",
            self.status
        ));
        for note in &self.notes {
            line(format_args!("note: {note}"));
        }
        text
    }
}

fn control_field<S: Serializer>(
    controlled: &Option<Controlled>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(controlled.as_ref().map(control::to_json))
}

/// How many selected columns the text lists.
const SHOWN: usize = 20;

/// What a user should know about this fit.
fn fit_notes(data: &Dataset, settings: &Settings, fit: &Fit) -> Vec<String> {
    let mut notes = Vec::new();
    let constant = data.constant_features();
    if !constant.is_empty() {
        let names: Vec<&str> = constant
            .iter()
            .take(5)
            .map(|&j| data.names()[j].as_str())
            .collect();
        let more = if constant.len() > 5 { ", …" } else { "" };
        let (s, names) = (if constant.len() == 1 { "" } else { "s" }, names.join(", "));
        notes.push(format!(
            "{} constant column{s} dropped: {names}{more}",
            constant.len()
        ));
    }
    let count = |status: Status| fit.cells.iter().filter(|c| c.status == status).count();
    let lambdas = fit
        .cells
        .chunk_by(|a, b| a.ridge == b.ridge)
        .next()
        .map_or(1, <[_]>::len);
    let skipped = count(Status::Skipped) / lambdas;
    if skipped > 0 {
        let all = fit.cells.len() / lambdas;
        notes.push(format!("{skipped} of {all} ridges skipped"));
    }
    let diverged = count(Status::Diverged);
    if diverged > 0 {
        let (all, what) = (fit.cells.len(), settings.solver.divergence());
        notes.push(format!(
            "{diverged} of {all} grid points cannot be chosen: {what}"
        ));
    }
    if fit.model.selected().is_empty() {
        notes.push("no column is selected: this is the null model".into());
    }
    notes
}
