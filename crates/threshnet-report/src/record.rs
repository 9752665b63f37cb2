//! `report.json`: what a report needs beyond `summary.json` and `path.csv`, so that it can
//! be made again without the data. docs/files.md has it field by field.

use serde::{Deserialize, Serialize};

/// The version of this format.
pub const SCHEMA: u32 = 1;

/// All of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    pub schema: u32,
    /// The command line, word by word.
    pub command: Vec<String>,
    pub data: Option<DataFile>,
    pub outcome: OutcomeFacts,
    pub model: ModelFacts,
    pub validation: ValidationFacts,
    pub path: PathRecord,
    pub effects: Vec<EffectRecord>,
    pub interactions: Vec<InteractionRecord>,
    pub joint: Option<JointRecord>,
    /// Columns that draws or half-samples selected most often without being selected in
    /// the end.
    pub near: Vec<NearColumn>,
    pub held_out: Option<HeldOutRecord>,
}

/// The file that was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DataFile {
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
}

/// What was to be predicted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OutcomeFacts {
    /// Target, or time and event.
    pub columns: Vec<String>,
    /// (class, rows) of a classification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<(String, usize)>,
    /// (mean, standard deviation) of a number.
    pub moments: Option<(f64, f64)>,
    /// Events of a survival outcome.
    pub events: Option<usize>,
    /// Its longest time.
    pub longest: Option<f64>,
}

/// What the model is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ModelFacts {
    /// How many networks are averaged.
    pub networks: usize,
    /// Widths of their hidden layers; empty for a linear model.
    pub hidden: Vec<usize>,
    pub activation: String,
}

/// How it was chosen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ValidationFacts {
    /// `draws`, `folds`, `holdout` or `none`.
    pub kind: String,
    /// Draws or folds.
    pub count: usize,
    /// Rows of `path.csv` that were chosen, from 0: one, or each draw's.
    pub chosen: Vec<usize>,
    /// The loss on every fold that no draw of its group saw.
    pub fold_losses: Vec<f64>,
}

/// The path the model is on, for the columns that ever mattered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PathRecord {
    pub lambdas: Vec<f64>,
    /// Columns in the network at each λ.
    pub sizes: Vec<usize>,
    /// The λ that was chosen on this path, by position.
    pub chosen: usize,
    pub columns: Vec<PathColumn>,
    /// The largest norm at each λ of the columns that are not drawn.
    pub others: Vec<f64>,
}

/// A column along the path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PathColumn {
    pub name: String,
    pub selected: bool,
    pub norms: Vec<f64>,
}

/// The effect of a selected column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EffectRecord {
    pub name: String,
    /// What the values are called, if the column is a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    pub at: Vec<f64>,
    /// `[class][value]`, or `[0][value]`.
    pub partial: Vec<Vec<f64>>,
    pub local: Vec<Vec<f64>>,
    /// Values that rows have, some of them if they are many.
    pub rug: Vec<f64>,
    pub swing: f64,
    /// `up`, `down`, `both` or `flat`; `levels` of a text, which does not grow.
    pub direction: String,
}

/// Two columns together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InteractionRecord {
    pub first: String,
    pub second: String,
    pub h2: f64,
    pub strength: f64,
}

/// The joint effect of the strongest pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JointRecord {
    pub first: String,
    pub second: String,
    /// What the values are called, if a column is a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_levels: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_levels: Vec<String>,
    pub first_at: Vec<f64>,
    pub second_at: Vec<f64>,
    /// `[second][first]`.
    pub mean: Vec<Vec<f64>>,
}

/// A column that was not selected.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NearColumn {
    pub name: String,
    pub frequency: f64,
}

/// Rows predicted by networks that did not see them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HeldOutRecord {
    pub rows: usize,
    pub folds: usize,
    /// The main figure first.
    pub scores: Vec<Score>,
    /// The main figure of every fold, where it is defined.
    pub by_fold: Vec<Option<f64>>,
    pub shown: Shown,
}

/// A figure of merit and its 95 % bootstrap interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Score {
    pub name: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

/// What is drawn of held-out rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "lowercase")]
pub enum Shown {
    Regression {
        predicted: Vec<f64>,
        observed: Vec<f64>,
    },
    Binary {
        /// (false positive rate, true positive rate).
        roc: Vec<(f64, f64)>,
        /// (recall, precision).
        precision_recall: Vec<(f64, f64)>,
        /// The share of positive rows.
        prevalence: f64,
        calibration: Vec<CalibrationPoint>,
        /// Rows, `[truth][prediction]` at a probability of one half.
        confusion: Vec<Vec<usize>>,
    },
    Multiclass {
        confusion: Vec<Vec<usize>>,
    },
    Cox {
        groups: Vec<RiskGroup>,
        /// Times at which rows at risk are counted.
        risk_times: Vec<f64>,
        log_rank: Option<LogRankRecord>,
        /// (time, AUC).
        time_auc: Vec<(f64, f64)>,
        time_auc_mean: Option<f64>,
    },
}

/// Rows of similar probability.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CalibrationPoint {
    pub rows: usize,
    pub predicted: f64,
    pub observed: f64,
    pub low: f64,
    pub high: f64,
}

/// Rows of similar risk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RiskGroup {
    pub name: String,
    pub rows: usize,
    pub events: usize,
    /// The Kaplan–Meier curve.
    pub time: Vec<f64>,
    pub survival: Vec<f64>,
    /// Rows at risk at the record's `risk_times`.
    pub at_risk: Vec<usize>,
}

/// The test whether the groups differ.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogRankRecord {
    pub chi_squared: f64,
    pub degrees: usize,
    pub p: f64,
}
