//! `fit --outer`: the whole procedure again in every outer split.

use super::runs::Runs;
use crate::args::FitArgs;
use crate::output::ledger::Ledger;
use anyhow::Result;
use threshnet::dataset::Dataset;
use threshnet::keeper::JobId;
use threshnet::settings::Request;
use threshnet::tune::Fit;
use threshnet::validate::{Nested, Plan, predicted};

/// Runs that are done.
pub struct Outside<'a> {
    plan: Plan<'a>,
    found: Vec<Vec<f64>>,
}

/// Makes every run, or takes it from the ledger.
pub fn run<'a>(
    args: &FitArgs,
    data: &'a Dataset<'a>,
    request: &Request,
    ledger: Option<&Ledger>,
) -> Result<Outside<'a>> {
    let plan = Plan::new(data, request)?;
    // (the ledger knows the settings of the fit, and not how it is validated)
    let decisive = format!("{:?}", request.given_but_jobs());
    let runs = Runs {
        name: "of the whole procedure",
        count: plan.runs(),
        id: &|run| JobId::of(("outer", &decisive, run)),
        is_valid: &|run, found| plan.is_valid(run, found),
        make: &|run, bar| plan.run(run, bar),
    };
    let found = runs.all(args, ledger)?;
    Ok(Outside { plan, found })
}

impl Outside<'_> {
    /// What they show, beside the fit to all rows.
    pub fn beside(&self, fit: &Fit, data: &Dataset) -> Result<Nested> {
        let apparent = predicted(&fit.model, data, (0..data.n()).collect());
        Ok(self.plan.combined(&self.found, Some(&apparent))?)
    }
}
