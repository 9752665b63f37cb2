//! What was fitted, to what, and how.

use super::Fitted;
use crate::activation::Activation;
use crate::certificate::Certificate;
use crate::dataset::{Dataset, Outcome, Response};
use crate::kernel::InstructionSet;
use crate::loss::Ties;
use crate::penalty::Penalty;
use crate::settings::{Linear, PenaltyName, Protocol, SolverName};
use crate::solver::{Solver, Status};
use crate::statistics::{Moments, weighted_moments};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How large the data are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataFacts {
    /// Rows.
    pub n: usize,
    /// Feature columns.
    pub d: usize,
    /// Those of them that have one value in all rows.
    pub constant: usize,
    /// What the rows count together, if they have weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How many clusters the rows come in, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
}

impl DataFacts {
    pub(super) fn of(data: &Dataset) -> Self {
        DataFacts {
            n: data.n(),
            d: data.features().count(),
            constant: data.constant_features().len(),
            weight: (data.response().weights.as_ref()).map(|weights| weights.iter().sum()),
            clusters: (data.response().clusters.as_ref())
                .map(|numbers| numbers.iter().collect::<BTreeSet<_>>().len()),
        }
    }
}

/// What was to be predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeFacts {
    /// Its columns: target, or time and event; empty if they have no names.
    pub columns: Vec<String>,
    /// What it is like.
    #[serde(flatten)]
    pub kind: OutcomeKind,
}

/// What an outcome is like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum OutcomeKind {
    /// A number.
    Number {
        /// Its mean.
        mean: f64,
        /// Its standard deviation, by n.
        sd: f64,
        /// Its smallest value.
        low: f64,
        /// Its largest.
        high: f64,
    },
    /// One of several classes.
    Classes {
        /// In sorted order.
        classes: Vec<ClassCount>,
    },
    /// A time to event.
    Survival {
        /// Rows that had it.
        events: usize,
        /// The longest time.
        longest: f64,
    },
}

/// A class and how many rows it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassCount {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Which share of all they are, by what each counts.
    pub share: f64,
}

impl OutcomeFacts {
    pub(super) fn of(response: &Response, columns: &[String]) -> Self {
        let weights = response.weights();
        let kind = match &response.outcome {
            Outcome::Continuous(y) => {
                let Moments { mean, deviation } = weighted_moments(y.iter().copied(), weights);
                OutcomeKind::Number {
                    mean,
                    sd: deviation,
                    low: y.iter().copied().fold(f64::INFINITY, f64::min),
                    high: y.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                }
            }
            Outcome::Classes {
                labels, classes, ..
            } => {
                let counts = classes.iter().enumerate().map(|(class, name)| {
                    let of_class = labels
                        .iter()
                        .enumerate()
                        .filter(|(_, label)| **label == class);
                    let weight: f64 = of_class.clone().map(|(row, _)| weights.at(row)).sum();
                    ClassCount {
                        name: name.clone(),
                        rows: of_class.count(),
                        share: weight / response.total(),
                    }
                });
                OutcomeKind::Classes {
                    classes: counts.collect(),
                }
            }
            Outcome::Survival { time, event } => OutcomeKind::Survival {
                events: event.iter().filter(|&&e| e).count(),
                longest: time.iter().copied().fold(0.0, f64::max),
            },
        };
        OutcomeFacts {
            columns: columns.to_vec(),
            kind,
        }
    }
}

/// What the model is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// How many networks are averaged.
    pub networks: usize,
    /// Widths of their hidden layers; empty for a linear model.
    pub hidden: Vec<usize>,
    /// Between layers.
    pub activation: Activation,
    /// Whether inputs also lead straight to the output.
    pub shortcut: bool,
    /// On the columns.
    pub penalty: PenaltyName,
    /// The chosen λ, or the draws' median.
    pub lambda: f64,
    /// The chosen ridge, or the draws' median.
    pub ridge: f64,
    /// Whether the output's bias was free of the ridge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_bias: bool,
    /// How many rows it was trained on.
    pub rows: usize,
    /// Whether columns, and a continuous outcome, are standardised.
    pub standardized: bool,
    /// How its solve ended; of several networks the worst.
    pub status: Status,
    /// How stationary it is, likewise.
    pub certificate: Certificate,
}

impl ModelFacts {
    pub(super) fn of(fitted: &Fitted) -> Self {
        let Fitted { settings, fit, .. } = fitted;
        let shape = &fit.model.networks[0].shape;
        let penalty = match fit.contenders.get(fit.winner) {
            Some(winner) => winner.penalty,
            None => settings.penalty,
        };
        ModelFacts {
            networks: fit.model.networks.len(),
            hidden: shape.widths[1..shape.depth()].to_vec(),
            activation: shape.activation,
            shortcut: shape.shortcut,
            penalty: penalty.into(),
            lambda: fit.lambda,
            ridge: fit.ridge,
            free_bias: fit.model.free_bias,
            rows: fit.rows.len(),
            standardized: settings.standardize,
            status: fit.solved.status,
            certificate: fit.solved.certificate,
        }
    }

    /// Whether it has no hidden layer.
    pub fn is_linear(&self) -> bool {
        self.hidden.is_empty()
    }
}

/// What was settled for the fit of what was asked for: what a methods section tells beside the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcedureFacts {
    /// What networks are fitted by; linear models beside them have coordinate descent.
    pub solver: SolverName,
    /// Adam's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// Epochs at the smallest λ, at most.
    pub first_epochs: usize,
    /// Epochs at each λ after it, at most.
    pub epochs: usize,
    /// Of the penalty that was asked for; the lasso has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concavity: Option<f64>,
    /// What became of tied events, of survival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<Ties>,
    /// Whether a linear model could take the network's place.
    pub linear_may_win: bool,
    /// Whether draws looked again at columns they had left out.
    pub second_look: bool,
    /// How many columns every split was screened down to, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screened: Option<usize>,
    /// How many of the columns are texts.
    pub texts: usize,
    /// Whether it started from a given model.
    pub given_start: bool,
}

impl ProcedureFacts {
    pub(super) fn of(fitted: &Fitted) -> Self {
        let Fitted { data, settings, .. } = *fitted;
        let features = data.features();
        let texts = (0..features.count()).filter(|&j| features.levels(j).is_some());
        ProcedureFacts {
            solver: settings.solver.into(),
            learning_rate: match settings.solver {
                Solver::Adam(adam) => Some(adam.learning_rate),
                Solver::Proximal(_) | Solver::Descent(_) => None,
            },
            first_epochs: settings.first_epochs,
            epochs: settings.epochs,
            concavity: match settings.penalty {
                Penalty::Mcp(a) | Penalty::Scad(a) => Some(a),
                Penalty::Lasso => None,
            },
            ties: matches!(data.outcome(), Outcome::Survival { .. }).then_some(settings.ties),
            linear_may_win: settings.linear == Linear::Choose,
            second_look: settings.look_again,
            screened: settings.screen.filter(|&kept| kept < data.d()),
            texts: texts.count(),
            given_start: settings.init.is_some(),
        }
    }
}

/// How the fit was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Where the defaults came from.
    pub protocol: Protocol,
    /// Of splits and starts.
    pub seed: u64,
    /// The same seed gives the same bits on `avx512` and `avx2`.
    pub instruction_set: InstructionSet,
    /// How long it took, reading excluded.
    pub seconds: f64,
}

impl RunFacts {
    pub(super) fn of(fitted: &Fitted) -> Self {
        RunFacts {
            protocol: fitted.settings.protocol,
            seed: fitted.settings.seed,
            instruction_set: InstructionSet::in_use(),
            seconds: fitted.seconds,
        }
    }
}
