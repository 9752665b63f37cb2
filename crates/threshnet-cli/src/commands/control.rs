//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use super::runs::Runs;
use crate::args::FitArgs;
use crate::output::ledger::Ledger;
use anyhow::Result;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::keeper::JobId;

/// The controlled selection. Runs come from the ledger or are made now; they can be stopped and gone
/// on with.
pub fn run(plan: &Plan, args: &FitArgs, ledger: Option<&Ledger>) -> Result<Controlled> {
    let (name, kind) = match plan.control() {
        Control::Stability { .. } => ("half-samples", "half-sample"),
        Control::Fdr { .. } => ("runs", "knockoffs"),
    };
    let runs = Runs {
        name,
        count: plan.runs(),
        // (what else decides on one, the ledger is for)
        id: &|run| JobId::of((kind, run)),
        is_valid: &|_, found| plan.is_valid(found),
        make: &|run, bar| plan.run(run, bar),
    };
    Ok(plan.combined(&runs.all(args, ledger)?)?)
}
