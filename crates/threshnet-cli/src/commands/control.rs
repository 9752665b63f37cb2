//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use crate::args::{FitArgs, flag};
use crate::failure::{Interrupted, Usage};
use crate::output::ledger::Ledger;
use crate::progress::StudyBar;
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Mutex;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::error::Error;
use threshnet::keeper::{JobId, Keeper, Packed, Unpacked};
use threshnet::settings::Request;
use threshnet_study::{Watch, workers};

/// The controlled selection. Runs come from the ledger or are made now; they can be stopped and gone
/// on with.
pub fn run(
    plan: &Plan,
    args: &FitArgs,
    request: &Request,
    ledger: Option<&Ledger>,
) -> Result<Controlled> {
    let count = plan.runs();
    let known = |run: usize| -> Option<Vec<f64>> {
        let found = numbers(&ledger?.kept(job(plan, run))?)?;
        plan.is_valid(&found).then_some(found)
    };
    let found: BTreeMap<usize, Vec<f64>> = (0..count)
        .filter_map(|run| Some((run, known(run)?)))
        .collect();
    let missing: Vec<usize> = (0..count).filter(|run| !found.contains_key(run)).collect();
    let bar = StudyBar::new(args.quiet);
    bar.begin(count - missing.len(), count)?;
    let shared = Mutex::new(found);
    let finished = workers::each(&missing, request.jobs, &bar, |&number| {
        let found = plan.run(number, &bar)?;
        if let Some(ledger) = ledger {
            ledger.keep(job(plan, number), &bytes(&found))?;
        }
        shared
            .lock()
            .expect("no thread panics with it")
            .insert(number, found);
        bar.ended("runs");
        Ok(())
    });
    bar.finish();
    if !finished? {
        return Err(Error::Cancelled.into());
    }
    let found = shared.into_inner().expect("no thread panics with it");
    let found: Vec<Vec<f64>> = found.into_values().collect();
    Ok(plan.combined(&found)?)
}

/// A run by its number; what else decides on it, the ledger is for.
fn job(plan: &Plan, run: usize) -> JobId {
    let kind = match plan.control() {
        Control::Stability { .. } => "half-sample",
        Control::Fdr { .. } => "knockoffs",
    };
    JobId::of((kind, run))
}

fn bytes(found: &[f64]) -> Vec<u8> {
    let mut packed = Packed::default();
    packed.many(found, |packed, &value| packed.number(value));
    packed.0
}

fn numbers(bytes: &[u8]) -> Option<Vec<f64>> {
    Unpacked::new(bytes).many(Unpacked::number)
}

/// The same error, and that what is finished is not lost.
pub fn kept(error: anyhow::Error, ledger: Option<&Ledger>) -> anyhow::Error {
    if let (Some(Error::Cancelled), None) = (error.downcast_ref::<Error>(), ledger) {
        return Interrupted(NOTHING_KEPT.into()).into();
    }
    let Some(kept) = ledger.and_then(|ledger| ledger.place().kept()) else {
        return error;
    };
    match error.downcast_ref::<Error>() {
        Some(Error::Cancelled) => Interrupted(format!("interrupted; {kept}")).into(),
        Some(Error::Setting { name, problem }) => {
            Usage(format!("--{}: {problem} ({kept})", flag(name))).into()
        }
        Some(Error::Data(problem)) => Error::Data(format!("{problem} ({kept})")).into(),
        _ => error,
    }
}

/// What is said of a fit without a folder.
pub const NOTHING_KEPT: &str = "interrupted; nothing was written (--out keeps what is finished)";
