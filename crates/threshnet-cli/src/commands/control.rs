//! `fit --stability` and `fit --fdr`: many runs decide which columns are selected, then
//! the model is fitted on these.

use crate::args::{FitArgs, flag};
use crate::failure::{Interrupted, Usage};
use crate::output::ledger::{Ledger, fingerprint};
use crate::progress::StudyBar;
use anyhow::Result;
use std::sync::Mutex;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::dataset::Dataset;
use threshnet::error::Error;
use threshnet::settings::Request;
use threshnet_study::{Watch, workers};

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
    let mut ledger = Ledger::open(args.out.as_deref(), print, |found| plan.is_valid(found))?;
    let count = plan.runs();
    let missing: Vec<usize> = (0..count).filter(|run| !ledger.has(*run)).collect();
    let bar = StudyBar::new(args.quiet);
    bar.begin(count - missing.len(), count)?;
    let shared = Mutex::new(&mut ledger);
    let finished = workers::each(&missing, request.jobs, &bar, |&number| {
        let found = plan.run(number, &bar)?;
        bar.ended(name);
        let mut ledger = shared.lock().expect("no thread panics with it");
        ledger.add(number, found)
    });
    bar.finish();
    let combined = finished.and_then(|all_done| {
        if !all_done {
            return Err(Error::Cancelled.into());
        }
        let mut found = ledger.found();
        // An earlier command may have asked for more.
        found.truncate(count);
        Ok(plan.combined(&found)?)
    });
    match combined {
        Ok(controlled) => Ok((controlled, ledger)),
        Err(error) => Err(kept(error, Some(&ledger))),
    }
}

/// The same error, and that the runs so far are not lost.
pub fn kept(error: anyhow::Error, ledger: Option<&Ledger>) -> anyhow::Error {
    let Some(ledger) = ledger else {
        return error;
    };
    let done = ledger.len();
    let kept = match ledger.path() {
        Some(path) => format!(
            "{done} runs are kept in {}, from where the same command goes on",
            path.display()
        ),
        None if done > 0 => format!("{done} runs are lost; give --out to keep them"),
        None => return error,
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
