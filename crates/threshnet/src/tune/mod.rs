//! From a data set to a model.
//!
//! [`fit`] goes one of three ways, as the validation says:
//!
//! * **draws**: the default protocol (`protocol.rs`), told there step by step;
//! * **hold-out and folds**: one point of the (ridge, λ) grid is chosen (`grid.rs`), with the
//!   same contest of linear models after it;
//! * **none**: one path over all rows (`single.rs`).
//!
//! All of them rest on the same pieces: rows to learn from (`training.rs`), held-out rows to
//! score on (`score.rs`), paths as jobs (`jobs.rs`), the rule that picks (`choose.rs`) and
//! models made of networks (`assemble.rs`).
//!
//! Every (split, ridge) is a path, solved in parallel on the rayon pool the
//! caller is in. Random streams are keyed by (split, ridge, λ), and results are
//! gathered in order, so the answer does not depend on the number of threads.

mod assemble;
mod check;
mod choose;
mod constants;
mod contest;
mod data_grid;
mod draws;
mod fold_loss;
mod grid;
mod held_out;
mod jobs;
mod kept;
mod noise;
mod protocol;
mod reference;
mod rounds;
mod scale;
mod score;
mod single;
mod stack;
mod training;

use crate::conformal::Conformal;
use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use crate::model::{Model, Prediction, Recalibration};
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Linear, Settings, Validation};
use crate::solver::{Observer, Solved, Status};
use crate::statistics::{Estimate, weighted_mean};
use std::collections::BTreeSet;
use std::sync::OnceLock;

pub use constants::{Constants, KeptPenalties};
use contest::Raced;

pub use contest::{Contender, steps};
pub(crate) use data_grid::{data_lambdas, data_ridges};
pub use draws::Bag;
pub use fold_loss::FoldLoss;
pub use held_out::HeldOut;
pub(crate) use jobs::splits;
pub use reference::{Ensemble, Member, MemberKind};

/// What every step of a fit is given.
#[derive(Clone, Copy)]
struct Context<'a> {
    data: &'a Dataset<'a>,
    settings: &'a Settings,
    observer: &'a dyn Observer,
    /// Whether columns are associated with the outcome, once somebody has asked.
    associated: &'a OnceLock<bool>,
}

impl Context<'_> {
    /// Whether columns have more to do with the outcome than with shuffled ones.
    fn columns_are_associated(&self) -> bool {
        (self.associated)
            .get_or_init(|| {
                let unexplained = training::unexplained(self.data, self.settings);
                noise::columns_are_associated(self.data, unexplained, self.settings.seed)
            })
            .to_owned()
    }
}

/// The chain that imputes for a draw, if several do.
fn chain_of_draw(data: &Dataset, draw: usize) -> Option<usize> {
    draw.checked_rem(data.chains())
}

/// The chains that these networks learned from, ascending.
fn chains_of<'n>(networks: impl Iterator<Item = &'n Mlp>) -> Vec<usize> {
    let chains: BTreeSet<usize> = networks.filter_map(|network| network.chain).collect();
    chains.into_iter().collect()
}

/// Refuses multiple imputation where no draws pool what comes of it.
pub(crate) fn check_chains(data: &Dataset, validation: Validation) -> Result<()> {
    match (data.chains(), validation) {
        (0, _) | (_, Validation::Draws { .. }) => Ok(()),
        _ => Err(Error::setting(
            "missing",
            "the repeated fits of the default protocol are the multiple imputations: validate by them, such \
             as draws:12, or impute once",
        )),
    }
}

/// Whether there are more columns than rows to learn from.
fn is_wide(data: &Dataset, settings: &Settings) -> bool {
    data.d() > settings.validation.training_rows(data.n())
}

/// The model at one (ridge, λ), as validation saw it: means over folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Ridge.
    pub ridge: f64,
    /// λ.
    pub lambda: f64,
    /// Selected features; like the losses NaN if the ridge was skipped.
    pub size: f64,
    /// Mean loss on the training rows, on the scale of the raw outcome.
    pub train_loss: f64,
    /// Mean loss on the held-out rows, likewise; NaN if a fit diverged or
    /// nothing was held out.
    pub validation_loss: f64,
    /// Its standard error over folds, or over held-out rows (events).
    pub validation_se: f64,
    /// Epochs, summed over folds.
    pub epochs: usize,
    /// The worst over folds.
    pub status: Status,
}

/// A fitted model and how it came about.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// The chosen λ, or the draws' median.
    pub lambda: f64,
    /// The chosen ridge, or the draws' median.
    pub ridge: f64,
    /// The grid, by ridge and then λ.
    pub cells: Vec<Cell>,
    /// The position of the chosen one in `cells`, or of each draw's.
    pub chosen: Vec<usize>,
    /// The held-out loss where it was chosen; for draws, the loss of what they make of all
    /// but a fold, on this fold.
    pub validation: Estimate,
    /// That of every such fold, if there were draws.
    pub folds: Vec<FoldLoss>,
    /// The share of draws that selected each feature, weighted by what they explain, if there
    /// were draws.
    pub frequencies: Option<Vec<f64>>,
    /// The share from which on a feature is selected, likewise.
    pub threshold: Option<f64>,
    /// The path that the model is a step of: the chosen ridge, its refit, or that of
    /// the first draw. Its networks are on the model's scale.
    pub path: Vec<Step>,
    /// The baseline hazard under every step of the path, for survival.
    pub baselines: Vec<Vec<(f64, f64)>>,
    /// How the model's own solve ended, its certificate over all columns; of several
    /// networks the worst.
    pub solved: Solved,
    /// The rows the model was trained on.
    pub rows: Vec<usize>,
    /// What networks that did not see them say of rows; none without validation.
    pub held_out: Option<HeldOut>,
    /// The loss of what each draw picked on the rows it held out, if there were draws.
    pub draws: Vec<f64>,
    /// The networks of all draws as they are, likewise.
    pub bag: Option<Bag>,
    /// All that was fitted as one predictor, if that was wanted.
    pub ensemble: Option<Box<Ensemble>>,
    /// The network and the linear models that were tried beside it, if any were.
    pub contenders: Vec<Contender>,
    /// Which of them the model is.
    pub winner: usize,
}

impl Fit {
    /// The model and the ensemble's.
    pub fn models_mut(&mut self) -> impl Iterator<Item = &mut Model> {
        let of_ensemble = self.ensemble.as_mut().map(|ensemble| &mut ensemble.model);
        std::iter::once(&mut self.model).chain(of_ensemble)
    }

    /// The model of one step of the path in place of the chosen one.
    pub fn at(&self, step: usize) -> Model {
        Model {
            networks: vec![self.path[step].network.clone()],
            baseline: self.baselines[step].clone(),
            recalibration: None,
            conformal: None,
            ..self.model.clone()
        }
    }
}

/// Fits as the settings say.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    settings.validate()?;
    check_chains(data, settings.validation)?;
    let context = Context {
        data,
        settings,
        observer,
        associated: &OnceLock::new(),
    };
    let mut fit = match settings.validation {
        Validation::Draws { .. } => protocol::fit(context)?,
        Validation::Holdout { .. } | Validation::Folds { .. } => {
            contest::contest(context, |context, _| {
                Ok(Raced::Fitted(Box::new(grid::fit(context)?)))
            })?
        }
        Validation::None => single::fit(context)?,
    };
    recalibrate(data, &mut fit);
    // (columns that were given were selected with all rows, held-out ones among them)
    if let (Some(held_out), None) = (&fit.held_out, &settings.columns) {
        fit.model.conformal = Some(Conformal::learn(&fit.model, data, &fit.rows, held_out));
    }
    Ok(fit)
}

/// Adds to the model, and of classes to the ensemble, what corrects its predictions. (The baseline
/// hazard of an ensemble is that of held-out predictions as it is.)
fn recalibrate(data: &Dataset, fit: &mut Fit) {
    let of = |held_out: &HeldOut, center: f64| {
        let response = data.response().rows(&held_out.rows);
        Recalibration::of(&held_out.prediction, &response, center)
    };
    fit.model.recalibration = (fit.held_out.as_ref())
        .and_then(|held_out| of(held_out, mean_risk(data, &fit.model, &fit.rows)));
    if let Some(ensemble) = &mut fit.ensemble
        && ensemble.model.task != Task::Cox
    {
        ensemble.model.recalibration = of(&ensemble.held_out, 0.0);
    }
}

/// The mean log-risk of some rows; 0 of a model that predicts none.
fn mean_risk(data: &Dataset, model: &Model, rows: &[usize]) -> f64 {
    match model.predict_rows(data, rows) {
        Prediction::Risk(risk) => {
            let response = data.response().rows(rows);
            weighted_mean(risk.into_iter(), response.weights())
        }
        _ => 0.0,
    }
}

/// These settings without what chooses among solutions: what [`trace`] takes of them.
pub fn of_path(settings: &Settings) -> Settings {
    Settings {
        validation: Validation::None,
        refit: false,
        linear: Linear::Leave,
        ensemble: false,
        look_again: false,
        ..settings.clone()
    }
}

/// The path of one ridge over all rows, nothing chosen: the model is that of its smallest λ.
pub fn trace(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    let settings = of_path(settings);
    settings.validate_path()?;
    check_chains(data, settings.validation)?;
    if settings.ridges.len() != 1 {
        return Err(Error::setting("ridges", "a path has one ridge: give one"));
    }
    single::fit(Context {
        data,
        settings: &settings,
        observer,
        associated: &OnceLock::new(),
    })
}
