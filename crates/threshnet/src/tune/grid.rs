//! A hold-out or cross-validation: the grid is traced on every split, the rule picks one
//! (ridge, λ), and the model is the step of a path there.

use super::assemble::{ChosenStep, model_of};
use super::choose::{GridPoint, choose, gather};
use super::held_out::HeldOut;
use super::jobs::{Paths, Unreported, trace_once};
use super::training::{JobKey, Training};
use super::{Context, Fit, rounds};
use crate::error::Result;
use crate::path::Step;
use rayon::prelude::*;

/// The fit of one kind of model.
pub fn fit(context: Context) -> Result<Fit> {
    let mut paths = Paths::new(context)?;
    let all = 0..paths.splits();
    rounds::run(&mut paths, all)?;
    let cells = gather(&paths, 0..paths.splits());
    let chosen = choose(&cells, context.settings)?;
    let at = GridPoint::of_cell(chosen, context.settings);
    let held_out = predict_held_out(&paths, at)?;
    let (training, path) = chosen_path(paths, at.ridge)?;
    model_of(
        context,
        ChosenStep {
            at,
            training,
            path,
            cells,
            held_out,
        },
    )
}

/// What the networks at a point of the grid predict of the rows that they did not see: every
/// fold's of its own. A fold whose best path has another ridge traces this one again.
fn predict_held_out(paths: &Paths, at: GridPoint) -> Result<Option<HeldOut>> {
    let unreported = Unreported(paths.context.observer);
    let context = Context {
        observer: &unreported,
        ..paths.context
    };
    let folds = (0..paths.splits()).into_par_iter().map(|split| {
        let fold = paths.fold(split);
        let network = match paths.leader_network(split, at) {
            Some(network) => network,
            None => {
                let ridge = at.ridge;
                let tracing = paths.tracing(JobKey { split, ridge }, false);
                let mut steps = trace_once(context, &fold.training, tracing)?;
                steps.swap_remove(at.lambda).network
            }
        };
        Ok(fold.predict_held_out(&[network]))
    });
    let folds = folds.collect::<Result<Vec<_>>>()?;
    Ok(HeldOut::of(context.data.outcome().task(), folds))
}

/// The rows and the path that the model is taken from: the refit to all rows, or the first
/// split.
fn chosen_path(mut paths: Paths, ridge: usize) -> Result<(Training, Vec<Step>)> {
    let context = paths.context;
    if context.settings.refit {
        let rows: Vec<usize> = (0..context.data.n()).collect();
        let training = Training::new(context.data, &rows, context.settings, &[]);
        let split = paths.splits();
        let tracing = paths.tracing(JobKey { split, ridge }, true);
        let steps = trace_once(context, &training, tracing)?;
        return Ok((training, steps));
    }
    let leader = paths.take_leader(0);
    let training = paths.training(0);
    let steps = match leader {
        Some(leader) if leader.ridge == ridge => leader.steps,
        // Another split decided against the leader of this one.
        _ => {
            let tracing = paths.tracing(JobKey { split: 0, ridge }, true);
            trace_once(context, &training, tracing)?
        }
    };
    Ok((training, steps))
}
