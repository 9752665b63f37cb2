//! A fit as one typed result: what summary, model card, page and bindings say of it is read
//! from here, and `report.json` holds all of it.
//!
//! # Map
//!
//! | module | what it gathers |
//! | --- | --- |
//! | `facts` | data, outcome, model, run |
//! | `coefficients` | a linear model as what it is |
//! | `columns` | what was selected, and what nearly was |
//! | `held_out`, `curves` | how well rows are predicted that the networks behind it did not see |
//! | `evidence`, `unseen` | whether what is predicted of these rows is what happens; their survival |
//! | `validation`, `contenders` | how λ and ridge were chosen; the models that were compared |
//! | `price` | what all columns tell beside the selected ones |
//! | `path`, `effects` | columns along λ; what the model makes of them |
//! | `control` | the bound on false columns, if one was asked for |
//! | `notes` | what a user should know |
//! | `check` | what a report that is read must be |
//! | `summary` | `summary.json`, a view of it |
//!
//! Nothing here reads a file or asks the process: where the data came from is an [`Origin`],
//! which whoever knows it adds.

mod check;
mod coefficients;
mod columns;
mod contenders;
mod control;
mod curves;
mod effects;
mod evidence;
mod facts;
mod held_out;
mod notes;
mod path;
mod price;
mod summary;
mod unseen;
mod validation;

pub use coefficients::{Coefficient, Coefficients, ratio_name};
pub use columns::{NearColumn, SelectedColumn};
pub use contenders::{ComparedModel, NetworkNeeded};
pub use control::ErrorControl;
pub(crate) use curves::curves;
pub use curves::{Curves, RiskGroup};
pub use effects::{ColumnEffect, JointEffect, PairEffect};
pub(crate) use evidence::evidence;
pub use evidence::{AtTime, Evidence};
pub use facts::{
    ClassCount, DataFacts, ModelFacts, OutcomeFacts, OutcomeKind, ProcedureFacts, RunFacts,
};
pub use held_out::{HeldOutKind, HeldOutReport, MetricEstimate};
pub use notes::{Note, ScoredRows};
pub use path::{PathColumn, PathReport};
pub use price::SparsityPrice;
pub use summary::Summary;
pub use validation::{GridPoint, LossName, ValidationFacts};

use crate::control::Controlled;
use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use crate::metrics::{Metric, Score, scores};
use crate::settings::{Request, Settings};
use crate::tune::Fit;
use crate::validate::{Importance, Nested};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The version of `report.json`.
pub const SCHEMA: u32 = 2;
/// What wrote schema 1, which does not say it.
const FIRST_VERSION: &str = "0.1.0";

/// A fit and what it was made of.
#[derive(Debug, Clone, Copy)]
pub struct Fitted<'a> {
    /// What was fitted.
    pub data: &'a Dataset<'a>,
    /// What was asked for.
    pub request: &'a Request,
    /// What followed from it.
    pub settings: &'a Settings,
    /// The fit.
    pub fit: &'a Fit,
    /// What selected its columns before, if anything did.
    pub controlled: Option<&'a Controlled>,
    /// What nested validation shows of the procedure that made it, if that was asked for.
    pub nested: Option<&'a Nested>,
    /// What its columns are worth, if that was asked for.
    pub importance: Option<&'a Importance>,
    /// How long it took, reading excluded.
    pub seconds: f64,
    /// Whether effects and interactions are computed, which only the page shows: seconds of
    /// work.
    pub explain: bool,
}

impl Fitted<'_> {
    /// The share of half-samples or draws that selected each feature, if there were any.
    pub fn frequencies(&self) -> Option<Cow<'_, [f64]>> {
        let of_halves = self.controlled.and_then(Controlled::frequencies);
        let of_draws = || self.fit.frequencies.as_deref().map(Cow::Borrowed);
        of_halves.map(Cow::Owned).or_else(of_draws)
    }
}

/// Where a fit comes from: what only the program that made it knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The file that was read.
    pub file: Option<DataFile>,
}

/// A file, so that another one is told from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataFile {
    /// As it was named.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// As `sha256sum` gives it.
    pub sha256: String,
}

/// Everything that is told of a fit. docs/files.md has it field by field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The threshnet that made it.
    pub version: String,
    /// What is predicted.
    pub task: Task,
    /// What was fitted.
    pub data: DataFacts,
    /// What was to be predicted.
    pub outcome: OutcomeFacts,
    /// How well the whole procedure predicts rows that had a say in nothing, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nested: Option<Nested>,
    /// How well rows are predicted that the networks behind it did not see; none without
    /// validation.
    pub held_out: Option<HeldOutReport>,
    /// What all columns together tell of these rows and the selected ones do not, if there is an
    /// ensemble.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<SparsityPrice>,
    /// Strongest first.
    pub selected: Vec<SelectedColumn>,
    /// What the model adds for every column, if it is linear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<Coefficients>,
    /// What the selected columns are worth on held-out rows, after selection, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    /// The share of draws from which on a column is selected, if there were draws.
    pub threshold: Option<f64>,
    /// Columns that draws or half-samples selected most often without being selected in the
    /// end.
    pub near: Vec<NearColumn>,
    /// What bounds the false ones of the selected columns.
    pub control: Option<ErrorControl>,
    /// What the model is.
    pub model: ModelFacts,
    /// How it came about, beside that.
    pub procedure: ProcedureFacts,
    /// How λ and ridge were chosen.
    pub validation: ValidationFacts,
    /// The network and the linear models beside it, if there were any.
    pub models: Vec<ComparedModel>,
    /// Metrics on the rows the model was trained on, which flatter it; none where undefined.
    pub train: BTreeMap<Metric, Option<f64>>,
    /// The path the model is on.
    pub path: PathReport,
    /// What the model makes of the strongest columns, if that was asked for.
    pub effects: Vec<ColumnEffect>,
    /// What it makes of pairs of them, the strongest first; none of a linear model, which adds
    /// its columns up.
    pub interactions: Vec<PairEffect>,
    /// What it makes of the first of these pairs.
    pub joint: Option<JointEffect>,
    /// What was asked for, by the names of [`TABLE`](crate::settings::TABLE).
    pub settings: Map<String, Value>,
    /// How it was run.
    pub run: RunFacts,
    /// Where it comes from, if that is known.
    pub origin: Option<Origin>,
    /// What a user should know.
    pub notes: Vec<Note>,
}

impl FitReport {
    /// Of a fit; computes on the rayon pool the caller is in.
    pub fn new(fitted: &Fitted) -> Result<FitReport> {
        let Fitted { data, fit, .. } = *fitted;
        let selected = columns::selected(fitted);
        let complete = data.filled(&fit.model.scaling.fill);
        let explained = fitted.explain.then(|| {
            let of_complete = Fitted {
                data: &complete,
                ..*fitted
            };
            effects::explained(&of_complete, &selected)
        });
        let (effects, interactions, joint) = explained.unwrap_or_default();
        let training = training_scores(fitted)?;
        let held_out = held_out::gathered(fitted)?;
        let (held_out, held_out_scores) = held_out.unzip();
        let settings = fitted.request.given_but_jobs();
        Ok(FitReport {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            task: fit.model.task,
            data: DataFacts::of(data),
            outcome: OutcomeFacts::of(data.response(), &fit.model.outcome),
            notes: notes::notes(fitted, &training, &held_out_scores.unwrap_or_default()),
            nested: fitted.nested.cloned(),
            importance: fitted.importance.cloned(),
            held_out,
            price: price::price(fitted),
            coefficients: coefficients::coefficients(fitted, &complete),
            near: columns::near(fitted),
            threshold: fit.threshold,
            control: fitted.controlled.map(ErrorControl::from),
            model: ModelFacts::of(fitted),
            procedure: ProcedureFacts::of(fitted),
            validation: ValidationFacts::of(fitted),
            models: contenders::compared(fit),
            train: (training.iter())
                .map(|score| (score.metric, score.value.clone().ok()))
                .collect(),
            path: path::path(fitted, &selected),
            effects,
            interactions,
            joint,
            settings,
            run: RunFacts::of(fitted),
            origin: None,
            selected,
        })
    }

    /// The text of `report.json`.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("its keys are texts") + "\n"
    }

    /// Reads `report.json`. One of another schema is refused with what wrote it.
    pub fn from_json(text: &str) -> Result<FitReport> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
            version: Option<String>,
        }
        let unreadable = |e| Error::Data(format!("this is not what a fit leaves: {e}; fit again"));
        let head: Head = serde_json::from_str(text).map_err(unreadable)?;
        if head.schema != SCHEMA {
            return Err(Error::Data(format!(
                "threshnet {} wrote it with schema {}, and this one, {}, reads schema {SCHEMA}; fit again",
                head.version.as_deref().unwrap_or(FIRST_VERSION),
                head.schema,
                env!("CARGO_PKG_VERSION"),
            )));
        }
        let report: FitReport = serde_json::from_str(text).map_err(unreadable)?;
        report.check().map_err(|problem| {
            Error::Data(format!(
                "this is not what a fit leaves: {problem}; fit again"
            ))
        })?;
        Ok(report)
    }

    /// Whether nothing was selected but columns that were to stay.
    pub fn is_null(&self) -> bool {
        self.selected.iter().all(|column| column.kept)
    }

    /// The main metric under nested validation, or else on held-out rows, and what it is.
    pub fn main_estimate(&self) -> Option<(Metric, MetricEstimate)> {
        let main = Metric::main(self.task);
        if let Some(nested) = &self.nested {
            let of_main = nested.metrics.get(&main)?.as_ref();
            return of_main.map(|of_main| (main, of_main.estimate()));
        }
        let of_main = self.held_out.as_ref()?.metrics.get(&main)?;
        of_main.map(|estimate| (main, estimate))
    }

    /// The classes with their rows; none if the outcome has no classes.
    pub fn classes(&self) -> &[ClassCount] {
        match &self.outcome.kind {
            OutcomeKind::Classes { classes } => classes,
            _ => &[],
        }
    }

    /// The class whose probability a binary model predicts.
    pub fn positive_class(&self) -> Option<&str> {
        match self.task {
            Task::Binary => self.classes().last().map(|class| &class.name[..]),
            _ => None,
        }
    }
}

/// At most so many of the values, evenly spaced, both ends included.
fn spaced<T: Clone>(values: &[T], most: usize) -> Vec<T> {
    let count = values.len().min(most);
    let position = |k: usize| k * (values.len() - 1) / (count - 1).max(1);
    (0..count).map(|k| values[position(k)].clone()).collect()
}

/// The metrics of the model on the rows it was trained on.
fn training_scores(fitted: &Fitted) -> Result<Vec<Score>> {
    let Fitted { data, fit, .. } = *fitted;
    let prediction = fit.model.predict_rows(data, &fit.rows);
    scores(&prediction, &data.response().rows(&fit.rows))
}
