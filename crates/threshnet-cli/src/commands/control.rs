//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use super::runs;
use crate::args::FitArgs;
use crate::output::ledger::{Ledger, fingerprint};
use anyhow::Result;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::dataset::Dataset;
use threshnet::settings::Request;

/// The controlled selection, and what to remove once the fit is written. Runs come from the
/// ledger or are made now; they can be stopped and gone on with.
pub fn run(
    control: Control,
    args: &FitArgs,
    data: &Dataset,
    request: &Request,
) -> Result<(Controlled, Ledger)> {
    let plan = Plan::new(control, data, request)?;
    let name = match control {
        Control::Stability { .. } => "half-samples",
        Control::Fdr { .. } => "runs",
    };
    let print = fingerprint(plan.data(), plan.settings());
    let valid = |_, found: &[f64]| plan.is_valid(found);
    let mut ledger = Ledger::open(args.out.as_deref(), "runs", print, valid)?;
    let finished = runs::make(name, plan.runs(), &mut ledger, args, |number, bar| {
        Ok(plan.run(number, bar)?)
    });
    match finished.and_then(|found| Ok(plan.combined(&found)?)) {
        Ok(controlled) => Ok((controlled, ledger)),
        Err(error) => Err(runs::kept(error, Some(&ledger))),
    }
}
