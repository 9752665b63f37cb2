//! `fit --outer`: the whole procedure again in every outer split.

use super::runs;
use crate::args::FitArgs;
use crate::output::ledger::{Ledger, fingerprint};
use anyhow::Result;
use threshnet::dataset::Dataset;
use threshnet::settings::Request;
use threshnet::tune::Fit;
use threshnet::validate::{Nested, Plan, predicted};

/// Runs that are done, and what to remove once the fit is written.
pub struct Outside<'a> {
    plan: Plan<'a>,
    found: Vec<Vec<f64>>,
    /// Where they are kept.
    pub ledger: Ledger,
}

/// Makes every run, or takes it from the ledger.
pub fn run<'a>(args: &FitArgs, data: &'a Dataset<'a>, request: &Request) -> Result<Outside<'a>> {
    let plan = Plan::new(data, request)?;
    let print = fingerprint(data, &request.given_but_jobs());
    let valid = |number, found: &[f64]| plan.is_valid(number, found);
    let mut ledger = Ledger::open(args.out.as_deref(), "outer", print, valid)?;
    let name = "of the whole procedure";
    let found = runs::make(name, plan.runs(), &mut ledger, args, |number, bar| {
        Ok(plan.run(number, bar)?)
    });
    match found {
        Ok(found) => Ok(Outside {
            plan,
            found,
            ledger,
        }),
        Err(error) => Err(runs::kept(error, Some(&ledger))),
    }
}

impl Outside<'_> {
    /// What they show, beside the fit to all rows.
    pub fn beside(&self, fit: &Fit, data: &Dataset) -> Result<Nested> {
        let apparent = predicted(&fit.model, data, (0..data.n()).collect());
        Ok(self.plan.combined(&self.found, Some(&apparent))?)
    }
}
