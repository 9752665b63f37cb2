//! From a data set to a model: splits, the (ridge, λ) grid, the rule that
//! picks, the refit.
//!
//! Every (split, ridge) is a path, solved in parallel on the rayon pool the
//! caller is in. Random streams are keyed by (split, ridge, λ), and results are
//! gathered in order, so the answer does not depend on the number of threads.

mod again;
mod choose;
mod constants;
mod contest;
mod draws;
mod held_out;
mod noise;
mod part;
mod rounds;
mod search;

use crate::dataset::{Dataset, Outcome, Task};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Linear, Settings, Validation};
use crate::solver::{Observer, Solved, Status};
use crate::split::{self, HoldOut, Split};
use choose::{choose, gather};
use search::{Search, everything};

pub use constants::{Constants, KeptPenalties};
pub use contest::{Contender, steps};
pub use held_out::HeldOut;

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
    /// (mean, standard error) of the held-out loss where it was chosen; for draws, of
    /// the loss of what they make of all but a fold, on this fold.
    pub validation: (f64, f64),
    /// The (loss, weight) of every such fold, if there were draws.
    pub folds: Vec<(f64, f64)>,
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
    /// The network and the linear models that were tried beside it, if any were.
    pub contenders: Vec<Contender>,
    /// Which of them the model is.
    pub winner: usize,
}

impl Fit {
    /// The model of one step of the path in place of the chosen one.
    pub fn at(&self, step: usize) -> Model {
        Model {
            networks: vec![self.path[step].network.clone()],
            baseline: self.baselines[step].clone(),
            ..self.model.clone()
        }
    }
}

/// Fits as the settings say.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    settings.validate()?;
    contest::fit(data, settings, observer)
}

/// The path of one ridge over all rows, nothing chosen: the model is that of its smallest λ.
pub fn trace(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    let settings = Settings {
        validation: Validation::None,
        refit: false,
        linear: Linear::Leave,
        look_again: false,
        ..settings.clone()
    };
    settings.validate_path()?;
    if settings.ridges.len() != 1 {
        return Err(Error::setting("ridges", "a path has one ridge: give one"));
    }
    tuned(data, &settings, observer)
}

/// The fit of one kind of model.
fn tuned(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    if settings.batch_size.is_some() && data.outcome().task() == Task::Cox {
        return Err(Error::setting(
            "batch-size",
            "a survival outcome's risk sets need all rows at once; leave it out",
        ));
    }
    if let Some(columns) = &settings.columns
        && (!columns.is_sorted_by(|a, b| a < b) || columns.last().is_some_and(|&j| j >= data.d()))
    {
        return Err(Error::setting(
            "columns",
            format!("give numbers below {} in ascending order", data.d()),
        ));
    }
    let splits = splits(data.outcome(), settings)?;
    let init = settings
        .init
        .as_ref()
        .map(|model| initial(model, data, settings))
        .transpose()?;

    let mut search = Search::new(data, settings, observer, (&splits, init.as_ref()));
    let planned = rounds::first(settings);
    search.run(&vec![planned.clone(); splits.len()])?;
    if planned.len() < settings.ridges.len() {
        search.run(&second_round(&search))?;
    }
    if let Validation::Draws { .. } = settings.validation {
        return draws::combined(search);
    }
    let cells = gather(&search, 0..splits.len());
    let chosen = choose(&cells, settings)?;
    let (ridge_number, lambda_number) = (
        chosen / settings.lambdas.len(),
        chosen % settings.lambdas.len(),
    );
    let held_out = search.foretold(ridge_number, lambda_number)?;
    let (part, path) = search.finish(ridge_number)?;

    let step = &path[lambda_number];
    if step.solved.status == Status::Diverged {
        return Err(diverged(settings));
    }
    let ridge = settings.ridges[ridge_number];
    let mut rows = part.split.train.clone();
    rows.sort_unstable();
    // A relaxed network is a point of another objective: that of its own columns.
    let certificate = match settings.relax {
        Some(_) => step.solved.certificate,
        None => {
            let wide = step.network.widened(&part.usable);
            let problem = part.problem(settings, ridge, false);
            problem.assess(&wide, step.lambda).1
        }
    };
    Ok(Fit {
        model: part.model(data, vec![step.network.clone()]),
        lambda: step.lambda,
        ridge,
        validation: (cells[chosen].validation_loss, cells[chosen].validation_se),
        folds: vec![],
        frequencies: None,
        threshold: None,
        cells,
        chosen: vec![chosen],
        solved: Solved {
            certificate,
            ..step.solved
        },
        rows,
        held_out,
        baselines: part.baselines(data, &path),
        path,
        contenders: vec![],
        winner: 0,
    })
}

/// The ridges still to be traced on every split: by what all splits have shown, or
/// each draw by itself.
fn second_round(search: &Search) -> Vec<Vec<usize>> {
    let (settings, count) = (search.settings, search.splits());
    let by = |splits| rounds::second(settings, &gather(search, splits));
    match settings.validation {
        Validation::Draws { .. } => (0..count).map(|split| by(split..split + 1)).collect(),
        _ => vec![by(0..count); count],
    }
}

/// The rows to learn from and to score on, as the validation says.
pub(crate) fn splits(outcome: &Outcome, settings: &Settings) -> Result<Vec<Split>> {
    let seed = settings.seed;
    match settings.validation {
        Validation::Holdout { share, stratified } => {
            let split = split::holdout(outcome, HoldOut { share, stratified }, seed, 0)?;
            Ok(vec![split])
        }
        Validation::Draws { count, share } => split::draws(outcome, count, share, seed),
        Validation::Folds { count } => split::folds(outcome, count, seed),
        Validation::None => Ok(vec![everything(outcome.len())]),
    }
}

/// No fit is left to choose.
fn diverged(settings: &Settings) -> Error {
    Error::Data(settings.solver.divergence())
}

/// The first network of a model, checked to fit the data and the settings.
fn initial(model: &Model, data: &Dataset, settings: &Settings) -> Result<Mlp> {
    let problem = |what: &str| Err(Error::setting("init", what.to_string()));
    if model.features != *data.features() {
        return problem("the model was fitted on other columns than these data have");
    }
    if model.task != data.outcome().task() {
        return problem("the model was fitted for another task");
    }
    if matches!(data.outcome(), Outcome::Classes { classes, .. } if *classes != model.classes) {
        return problem("the model was fitted for other classes");
    }
    let network = &model.networks[0];
    let hidden = &network.shape.widths[1..network.shape.depth()];
    let shape = &network.shape;
    if hidden != settings.hidden
        || shape.activation != settings.activation
        || shape.shortcut != settings.shortcut
    {
        let shortcut = if shape.shortcut { "a" } else { "no" };
        return Err(Error::setting(
            "init",
            format!(
                "the model has hidden layers {hidden:?}, activation {:?} and {shortcut} shortcut; \
                 give the same --hidden, --activation and --shortcut",
                shape.activation
            ),
        ));
    }
    Ok(network.clone())
}
