//! What a user should know about a fit.

use super::Fitted;
use crate::control::Controlled;
use crate::dataset::{Dataset, Outcome};
use crate::leak;
use crate::metrics::{Metric, Score};
use crate::network::Mlp;
use crate::settings::Protocol;
use crate::solver::{Solver, Status};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names in a note, at most.
const NAMED: usize = 5;

/// Fewer rows, rows of a class or events than these are worth a word: nothing that is said of them is sure.
const FEW_ROWS: usize = 20;
const FEW_OF_A_CLASS: usize = 5;
const FEW_EVENTS: usize = 10;

/// The certificate of a minimum.
const STATIONARY: f64 = 1e-6;

/// Something to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// Columns that have one value in all rows.
    ConstantColumns {
        /// How many.
        count: usize,
        /// The first of them.
        names: Vec<String>,
    },
    /// Cells that were missing.
    Imputed {
        /// So many …
        cells: usize,
        /// … of so many columns.
        columns: usize,
        /// In so many ways, under multiple imputation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chains: Option<usize>,
    },
    /// Rows that were left out for a missing cell.
    Dropped {
        /// So many …
        rows: usize,
        /// … of these.
        of: usize,
    },
    /// So few rows that no figure and no selection is sure.
    FewRows {
        /// How many.
        rows: usize,
    },
    /// A class of so few rows that splits hardly have any.
    RareClass {
        /// Which.
        name: String,
        /// How many.
        rows: usize,
    },
    /// So few events that splits hardly have any.
    FewEvents {
        /// How many.
        events: usize,
    },
    /// A column that alone predicts the outcome almost perfectly.
    Suspect {
        /// Which.
        name: String,
        /// What it does.
        why: String,
    },
    /// Every fit saw a part of the columns.
    Screened {
        /// So many.
        kept: usize,
    },
    /// Ridges that were not tried.
    SkippedRidges {
        /// So many …
        skipped: usize,
        /// … of these.
        of: usize,
    },
    /// Grid points that cannot be chosen.
    Diverged {
        /// So many …
        points: usize,
        /// … of these.
        of: usize,
        /// What went wrong, and what helps.
        why: String,
    },
    /// Linear models that are not known to be at a minimum.
    Unconverged {
        /// So many grid points …
        points: usize,
        /// … of these.
        of: usize,
        /// The largest violation of the model itself, as text.
        certificate: String,
    },
    /// No column is selected.
    NullModel,
    /// No column is selected but those that were to stay.
    KeptAlone,
    /// Columns that error control selected and the network does not use.
    Unused {
        /// Which.
        names: Vec<String>,
    },
    /// A metric without a value.
    Undefined {
        /// Which.
        metric: Metric,
        /// On which rows.
        rows: ScoredRows,
        /// Why.
        why: String,
    },
}

/// Rows that a model is scored on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoredRows {
    /// Those that the networks behind it did not see.
    HeldOut,
    /// Those that the model was trained on.
    Training,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Note::ConstantColumns { count, names } => {
                let s = if *count == 1 { "" } else { "s" };
                let more = if *count > names.len() { ", …" } else { "" };
                let names = names.join(", ");
                write!(f, "{count} constant column{s} dropped: {names}{more}")
            }
            Note::Imputed {
                cells,
                columns,
                chains,
            } => {
                write!(f, "{cells} missing cells in {columns} columns were imputed")?;
                match chains {
                    None => write!(
                        f,
                        ": medians of numbers, the most frequent level of texts, each time of the \
                         rows that were learned from"
                    ),
                    Some(chains) => write!(
                        f,
                        " in {chains} ways by chained equations, each time of the rows that were \
                         learned from; frequencies and predictions pool over them"
                    ),
                }
            }
            Note::Dropped { rows, of } => {
                write!(f, "{rows} of {of} rows were left out for a missing cell")
            }
            Note::FewRows { rows } => write!(
                f,
                "{rows} rows are few: what is selected, and every figure, may be chance"
            ),
            Note::RareClass { name, rows } => write!(
                f,
                "class {name:?} has {rows} rows: most splits have one of them or none, and what is said of \
                 it may be chance; join it with another, or leave it out"
            ),
            Note::FewEvents { events } => write!(
                f,
                "{events} events are few: what is selected, and every figure, may be chance"
            ),
            Note::Suspect { name, why } => write!(
                f,
                "{name:?} {why}: is it known before the outcome is? If not, leave it out"
            ),
            Note::Screened { kept } => {
                write!(
                    f,
                    "every split was screened down to {kept} columns before it was fitted"
                )
            }
            Note::SkippedRidges { skipped, of } => write!(f, "{skipped} of {of} ridges skipped"),
            Note::Diverged { points, of, why } => {
                write!(f, "{points} of {of} grid points cannot be chosen: {why}")
            }
            Note::Unconverged {
                points,
                of,
                certificate,
            } => write!(
                f,
                "{points} of {of} linear fits ended before they had converged, and the model has a \
                 certificate of {certificate}, where 1e-6 is a minimum: allow more epochs, larger \
                 ridges, or fewer small lambdas"
            ),
            Note::NullModel => write!(f, "no column is selected: this is the null model"),
            Note::KeptAlone => write!(
                f,
                "no column is selected beside those that were to stay: this is the null model"
            ),
            Note::Unused { names } => write!(
                f,
                "selected, but the network on the selected columns does without: {}",
                names.join(", ")
            ),
            Note::Undefined { metric, rows, why } => {
                let rows = match rows {
                    ScoredRows::HeldOut => "held-out rows",
                    ScoredRows::Training => "training rows",
                };
                write!(f, "{} is undefined on {rows}: {why}", metric.name())
            }
        }
    }
}

/// What is not at a minimum, of linear models alone: their minimum can be reached. The paper's
/// procedure ends where it ends.
fn unconverged(fitted: &Fitted) -> Option<Note> {
    let Fitted { settings, fit, .. } = *fitted;
    let is_linear = |network: &Mlp| network.shape.depth() == 1;
    if settings.protocol == Protocol::Paper || !fit.model.networks.iter().all(is_linear) {
        return None;
    }
    let ended = |status| matches!(status, Status::EpochLimit | Status::Stopped);
    let points = fit.cells.iter().filter(|cell| ended(cell.status)).count();
    let certificate = fit.solved.certificate.largest();
    // (Adam takes standing still for convergence)
    let stands = matches!(settings.solver, Solver::Adam(_)) && certificate > STATIONARY;
    (points > 0 || stands || ended(fit.solved.status)).then(|| Note::Unconverged {
        points,
        of: fit.cells.len(),
        certificate: format!("{certificate:.1e}"),
    })
}

/// What there is too little of.
fn few(data: &Dataset) -> Vec<Note> {
    let mut notes = vec![];
    if data.n() < FEW_ROWS {
        notes.push(Note::FewRows { rows: data.n() });
    }
    match data.outcome() {
        Outcome::Continuous(_) => {}
        Outcome::Classes {
            labels, classes, ..
        } => {
            let rows = |class| labels.iter().filter(|&&label| label == class).count();
            let rare = (classes.iter().enumerate())
                .map(|(class, name)| (name, rows(class)))
                .filter(|(_, rows)| (1..FEW_OF_A_CLASS).contains(rows));
            notes.extend(rare.map(|(name, rows)| Note::RareClass {
                name: name.clone(),
                rows,
            }));
        }
        Outcome::Survival { event, .. } => {
            let events = event.iter().filter(|event| **event).count();
            notes.extend((events < FEW_EVENTS).then_some(Note::FewEvents { events }));
        }
    }
    notes
}

/// All there are, given the scores on training and on held-out rows.
pub(super) fn notes(fitted: &Fitted, training: &[Score], held_out: &[Score]) -> Vec<Note> {
    let Fitted {
        data,
        settings,
        fit,
        ..
    } = *fitted;
    let mut notes = Vec::new();
    let name = |j: usize| data.names()[j].clone();
    let constant = data.constant_features();
    if !constant.is_empty() {
        notes.push(Note::ConstantColumns {
            count: constant.len(),
            names: constant.iter().take(NAMED).map(|&j| name(j)).collect(),
        });
    }
    notes.extend(few(data));
    let suspects = leak::suspects(data, &fit.model.selected());
    notes.extend(suspects.into_iter().map(|of| Note::Suspect {
        name: name(of.feature),
        why: of.why,
    }));
    let (cells, columns) = data.gaps();
    if cells > 0 {
        notes.push(Note::Imputed {
            cells,
            columns,
            chains: Some(data.chains()).filter(|&chains| chains > 0),
        });
    }
    if data.dropped() > 0 {
        notes.push(Note::Dropped {
            rows: data.dropped(),
            of: data.n() + data.dropped(),
        });
    }
    if let Some(kept) = settings.screen.filter(|&kept| kept < data.d()) {
        notes.push(Note::Screened { kept });
    }
    let count = |status: Status| fit.cells.iter().filter(|c| c.status == status).count();
    let ridges: Vec<usize> = (fit.cells.chunk_by(|a, b| a.ridge == b.ridge))
        .map(|of_ridge| {
            (of_ridge.iter())
                .filter(|cell| cell.status != Status::Skipped)
                .count()
        })
        .collect();
    let skipped = ridges.iter().filter(|tried| **tried == 0).count();
    if skipped > 0 {
        notes.push(Note::SkippedRidges {
            skipped,
            of: ridges.len(),
        });
    }
    let diverged = count(Status::Diverged);
    if diverged > 0 {
        notes.push(Note::Diverged {
            points: diverged,
            of: fit.cells.len(),
            why: settings.solver.divergence(settings.standardize),
        });
    }
    notes.extend(unconverged(fitted));
    let used = fit.model.selected();
    if used.is_empty() {
        notes.push(Note::NullModel);
    } else if fit.model.networks.iter().all(Mlp::is_null) {
        notes.push(Note::KeptAlone);
    }
    let asked = fitted.controlled.map_or(vec![], Controlled::selected);
    let unused = asked.into_iter().filter(|j| used.binary_search(j).is_err());
    let names: Vec<String> = unused.map(name).collect();
    if !names.is_empty() {
        notes.push(Note::Unused { names });
    }
    for (rows, scores) in [
        (ScoredRows::HeldOut, held_out),
        (ScoredRows::Training, training),
    ] {
        for Score { metric, value } in scores {
            if let Err(why) = value {
                notes.push(Note::Undefined {
                    metric: *metric,
                    rows,
                    why: why.to_string(),
                });
            }
        }
    }
    notes
}
