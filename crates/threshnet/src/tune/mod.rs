//! From a data set to a model: splits, the (ridge, λ) grid, the rule that
//! picks, the refit.
//!
//! Every (split, ridge) is an independent path, solved in parallel on the
//! rayon pool the caller is in. Random streams are keyed by (split, ridge, λ),
//! and results are gathered in order, so the answer does not depend on the
//! number of threads.

mod choose;
mod part;

use crate::dataset::{Dataset, Outcome};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Settings, Validation};
use crate::solver::{Observer, Solved, Status};
use crate::split::{self, Split};
use choose::{choose, gather};
use part::{Part, Traced};
use rayon::prelude::*;

/// The model at one (ridge, λ), as validation saw it: means over folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Ridge.
    pub ridge: f64,
    /// λ.
    pub lambda: f64,
    /// Selected columns.
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
    /// The chosen λ.
    pub lambda: f64,
    /// The chosen ridge.
    pub ridge: f64,
    /// The grid, by ridge and then λ.
    pub cells: Vec<Cell>,
    /// The position of the chosen one in `cells`.
    pub chosen: usize,
    /// The path that the model is a step of: the chosen ridge, or its refit.
    pub path: Vec<Step>,
    /// How the model's own solve ended, its certificate over all columns.
    pub solved: Solved,
    /// The rows the model was trained on.
    pub rows: Vec<usize>,
}

/// Fits as the settings say.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    settings.validate()?;
    let everything = || (0..data.n()).collect::<Vec<usize>>();
    let splits = match settings.validation {
        Validation::Holdout { share, stratified } => {
            vec![split::holdout(
                data.outcome(),
                share,
                stratified,
                settings.seed,
            )?]
        }
        Validation::Folds(count) => split::folds(data.outcome(), count, settings.seed)?,
        Validation::None => vec![Split {
            train: everything(),
            held_out: vec![],
        }],
    };
    let crossed = splits.len() > 1;
    let parts: Vec<Part> = splits
        .into_par_iter()
        .map(|split| Part::new(data, split, settings, crossed))
        .collect();
    let init = settings
        .init
        .as_ref()
        .map(|model| initial(model, data, settings))
        .transpose()?;

    let jobs: Vec<(usize, usize)> = (0..parts.len())
        .flat_map(|p| (0..settings.ridges.len()).map(move |r| (p, r)))
        .collect();
    let mut traced: Vec<Traced> = jobs
        .par_iter()
        .map(|&(p, r)| parts[p].trace(settings, (p, r), init.as_ref(), observer))
        .collect();
    if traced
        .iter()
        .any(|t| t.steps.len() < settings.lambdas.len())
    {
        return Err(Error::Cancelled);
    }
    let cells = gather(settings, &parts, &traced);
    let chosen = choose(&cells, settings)?;
    let (ridge_number, lambda_number) = (
        chosen / settings.lambdas.len(),
        chosen % settings.lambdas.len(),
    );

    let refit;
    let (part, path) = if settings.refit && settings.validation != Validation::None {
        let whole = Split {
            train: everything(),
            held_out: vec![],
        };
        refit = Part::new(data, whole, settings, false);
        let number = (parts.len(), ridge_number);
        (
            &refit,
            refit.trace(settings, number, init.as_ref(), observer).steps,
        )
    } else {
        (&parts[0], traced.swap_remove(ridge_number).steps)
    };
    let Some(step) = path.get(lambda_number) else {
        return Err(Error::Cancelled);
    };
    if step.solved.status == Status::Diverged {
        return Err(diverged(settings));
    }
    let ridge = settings.ridges[ridge_number];
    let wide = step.network.widened(&part.usable);
    let (_, certificate) = part.problem(settings, ridge).assess(&wide, step.lambda);
    Ok(Fit {
        model: part.model(data, step.network.clone()),
        lambda: step.lambda,
        ridge,
        cells,
        chosen,
        solved: Solved {
            certificate,
            ..step.solved
        },
        rows: part.split.train.clone(),
        path,
    })
}

/// No fit is left to choose.
fn diverged(settings: &Settings) -> Error {
    Error::Data(settings.solver.divergence())
}

/// The first network of a model, checked to fit the data and the settings.
fn initial(model: &Model, data: &Dataset, settings: &Settings) -> Result<Mlp> {
    let problem = |what: &str| Err(Error::setting("init", what.to_string()));
    if model.features != data.names() {
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
    if hidden != settings.hidden || network.shape.activation != settings.activation {
        return Err(Error::setting(
            "init",
            format!(
                "the model has hidden layers {hidden:?} and activation {:?}; give the same --hidden and --activation",
                network.shape.activation
            ),
        ));
    }
    Ok(network.clone())
}
