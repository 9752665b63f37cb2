//! `summary.json`: a fit in short, nested and held-out figures first and training figures last.

use super::{ComparedModel, FitReport, HeldOutReport, LossName};
use crate::validate::Nested;
use serde::Serialize;
use serde_json::{Value, json};

/// What is left out where there is none of it.
const SOMETIMES: [&str; 11] = [
    "nested",
    "importance",
    "weight",
    "price_of_sparsity",
    "clusters",
    "threshold",
    "positive_class",
    "classes",
    "models",
    "stability",
    "fdr",
];

/// What `summary.json` holds. docs/files.md has it field by field.
#[derive(Debug, Serialize)]
pub struct Summary(Value);

impl FitReport {
    /// The short view of it.
    pub fn summary(&self) -> Summary {
        let (model, validation, run) = (&self.model, &self.validation, &self.run);
        let control = json!(self.control);
        let mut all = json!({
            "task": self.task,
            "n": self.data.n,
            "d": self.data.d,
            "weight": self.data.weight,
            "clusters": self.data.clusters,
            "nested": self.nested.as_ref().map(nested),
            "held_out": self.held_out.as_ref().map(held_out),
            "price_of_sparsity": self.price,
            "selected": self.selected,
            "importance": self.importance,
            "threshold": self.threshold,
            "lambda": model.lambda,
            "ridge": model.ridge,
            "validation": validation.loss.map(|loss| json!({
                "metric": LossName::of(self.task),
                "value": loss.mean,
                "se": loss.se,
            })),
            "positive_class": self.positive_class(),
            "classes": self.classes().iter().map(|class| &class.name).collect::<Vec<_>>(),
            "penalty": model.penalty,
            "rule": validation.rule,
            "refit": validation.refit,
            "status": model.status,
            "certificate": model.certificate,
            "seed": run.seed,
            "version": self.version,
            "seconds": run.seconds,
            "protocol": run.protocol,
            "models": self.models.iter().map(compared).collect::<Vec<_>>(),
            "stability": control.get("stability"),
            "fdr": control.get("fdr"),
            "settings": self.settings,
            "instruction_set": run.instruction_set,
            "notes": self.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "train": self.train,
        });
        if let Value::Object(fields) = &mut all {
            let is_none = |value: &Value| value.is_null() || *value == json!([]);
            fields.retain(|name, value| !(SOMETIMES.contains(&&name[..]) && is_none(value)));
        }
        Summary(all)
    }
}

fn nested(of: &Nested) -> Value {
    json!({
        "outer": of.outer,
        "rows": of.rows,
        "runs": of.runs.len(),
        "size": of.size,
        "metrics": of.metrics,
        "by_run": of.runs.iter().map(|run| &run.metrics).collect::<Vec<_>>(),
        "selected": of.selected,
    })
}

fn held_out(of: &HeldOutReport) -> Value {
    json!({
        "kind": of.kind,
        "rows": of.rows,
        "folds": of.folds,
        "used_in_selection": of.used_in_selection,
        "metrics": of.metrics,
    })
}

fn compared(of: &ComparedModel) -> Value {
    json!({
        "model": of.title(),
        "penalty": of.penalty,
        "size": of.size,
        "value": of.loss.mean,
        "se": of.loss.se,
        "behind": of.behind.map(|behind| behind.mean),
        "behind_se": of.behind.map(|behind| behind.se),
        "chosen": of.chosen,
    })
}

impl Summary {
    /// The text of `summary.json`.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", self.0)
    }
}
