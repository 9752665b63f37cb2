//! Models made of networks and the rows they were trained on.

use super::choose::GridPoint;
use super::choose::diverged;
use super::held_out::HeldOut;
use super::training::Training;
use super::{Cell, Context, Fit};
use crate::dataset::{Dataset, Outcome, Response, Task, Unseen};
use crate::error::Result;
use crate::loss::{Cox, Ties};
use crate::model::{Model, Reading};
use crate::network::Mlp;
use crate::path::Step;
use crate::solver::{Solved, Status};
use crate::statistics::Estimate;

/// A step of a path that is to be the model.
pub struct ChosenStep {
    /// Where it is in the grid.
    pub at: GridPoint,
    /// The rows that its path was trained on.
    pub training: Training,
    /// One step per λ.
    pub path: Vec<Step>,
    /// The grid it was chosen from.
    pub cells: Vec<Cell>,
    pub held_out: Option<HeldOut>,
}

/// The fit whose model is a step of a path.
pub fn model_of(context: Context, chosen: ChosenStep) -> Result<Fit> {
    let Context { data, settings, .. } = context;
    let ChosenStep {
        at,
        training,
        path,
        cells,
        held_out,
    } = chosen;
    let step = &path[at.lambda];
    if step.solved.status == Status::Diverged {
        return Err(diverged(settings));
    }
    let ridge = settings.ridges[at.ridge];
    let mut rows = training.rows.clone();
    rows.sort_unstable();
    // A relaxed network is a point of another objective: that of its own columns.
    let certificate = match settings.relax {
        Some(_) => step.solved.certificate,
        None => {
            let wide = step.network.widened(&training.usable);
            let problem = training.problem(&wide, settings, ridge, false);
            problem.assess(&wide, step.lambda).1
        }
    };
    let cell = at.cell(settings);
    Ok(Fit {
        model: model(data, &training, vec![step.network.clone()]),
        lambda: step.lambda,
        ridge,
        validation: Estimate {
            mean: cells[cell].validation_loss,
            se: cells[cell].validation_se,
        },
        folds: vec![],
        frequencies: None,
        threshold: None,
        cells,
        chosen: vec![cell],
        solved: Solved {
            certificate,
            ..step.solved
        },
        rows,
        held_out,
        draws: vec![],
        bag: None,
        ensemble: None,
        baselines: baselines(data, &training, &path),
        path,
        contenders: vec![],
        winner: 0,
    })
}

/// The model of networks that were trained on these rows.
pub fn model(data: &Dataset, training: &Training, networks: Vec<Mlp>) -> Model {
    let mut scaling = training.scale.columns.clone();
    let mut used: Vec<usize> = networks.iter().flat_map(|n| n.inputs.clone()).collect();
    used.sort_unstable();
    used.dedup();
    let chains = (scaling.fill.chains().iter())
        .map(|chain| chain.restricted_to(&used, &scaling.fill))
        .collect();
    scaling.fill = scaling.fill.with_chains(chains);
    Model {
        task: training.task,
        features: data.features().clone(),
        outcome: vec![],
        reading: Reading::default(),
        unseen: Unseen::Error,
        scaling,
        target: (training.scale.center, training.scale.unit),
        classes: match data.outcome() {
            Outcome::Classes { classes, .. } => classes.clone(),
            _ => vec![],
        },
        class_type: None,
        free_bias: training.free_bias,
        baseline: baseline(data, training, &networks),
        recalibration: None,
        recalibrated: None,
        networks,
        shares: vec![],
        forest: None,
        conformal: None,
    }
}

/// The baseline hazard under every step of a path.
pub fn baselines(data: &Dataset, training: &Training, path: &[Step]) -> Vec<Vec<(f64, f64)>> {
    path.iter()
        .map(|step| baseline(data, training, std::slice::from_ref(&step.network)))
        .collect()
}

/// (t, log H₀(t)) at every event time of the training rows, if these networks give the
/// risk; nothing but for survival.
fn baseline(data: &Dataset, training: &Training, networks: &[Mlp]) -> Vec<(f64, f64)> {
    match training.task {
        Task::Cox => {
            let response = data.response().rows(&training.rows);
            log_baseline(&response, &training.output(networks))
        }
        _ => vec![],
    }
}

/// The same for rows of these log-risks.
pub fn log_baseline(response: &Response, risk: &[f64]) -> Vec<(f64, f64)> {
    let Outcome::Survival { time, event } = &response.outcome else {
        return vec![];
    };
    Cox::new(time, event, response.weights(), Ties::Breslow).log_baseline_hazard(risk)
}
