//! One path over all rows, nothing chosen: the model is that of its smallest λ.

use super::assemble::{ChosenStep, model_of};
use super::check::{check, initial_network};
use super::choose::GridPoint;
use super::jobs::trace_once;
use super::training::{JobKey, Tracing, Training};
use super::{Cell, Context, Fit};
use crate::error::{Error, Result};
use crate::statistics::Estimate;
use crate::threads::within_paths;

/// The fit of one kind of model, with the first ridge of its settings.
pub fn fit(context: Context) -> Result<Fit> {
    check(context)?;
    let init = initial_network(context)?;
    if context.observer.cancelled() {
        return Err(Error::Cancelled);
    }
    let rows: Vec<usize> = (0..context.data.n()).collect();
    let training = Training::new(context.data, &rows, context.settings, &[]);
    let how = Tracing {
        key: JobKey { split: 0, ridge: 0 },
        init: init.as_ref(),
        parallel: within_paths(1),
    };
    let path = trace_once(context, &training, how)?;
    let cells = (path.iter())
        .map(|step| Cell {
            ridge: context.settings.ridges[0],
            lambda: step.lambda,
            size: step.network.size() as f64,
            train_loss: training.loss_at(step),
            validation_loss: Estimate::NAN.mean,
            validation_se: Estimate::NAN.se,
            epochs: step.solved.epochs,
            status: step.solved.status,
        })
        .collect();
    model_of(
        context,
        ChosenStep {
            at: GridPoint {
                ridge: 0,
                lambda: 0,
            },
            training,
            path,
            cells,
            held_out: None,
        },
    )
}
