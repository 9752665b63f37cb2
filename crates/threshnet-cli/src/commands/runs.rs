//! Many runs beside a fit: made on all threads, kept in a ledger, so that they can be stopped and
//! gone on with.

use crate::args::{FitArgs, flag};
use crate::failure::{Interrupted, Usage};
use crate::output::ledger::Ledger;
use crate::progress::StudyBar;
use anyhow::Result;
use std::sync::Mutex;
use threshnet::error::Error;
use threshnet_study::{Watch, workers};

/// What so many runs found, in their order: from the ledger, or made now.
pub fn make(
    name: &str,
    count: usize,
    ledger: &mut Ledger,
    args: &FitArgs,
    run: impl Fn(usize, &StudyBar) -> Result<Vec<f64>> + Sync,
) -> Result<Vec<Vec<f64>>> {
    let missing: Vec<usize> = (0..count).filter(|run| !ledger.has(*run)).collect();
    let bar = StudyBar::new(args.quiet);
    bar.begin(count - missing.len(), count)?;
    let shared = Mutex::new(&mut *ledger);
    let jobs = args.settings.request()?.jobs;
    let finished = workers::each(&missing, jobs, &bar, |&number| {
        let found = run(number, &bar)?;
        bar.ended(name);
        let mut ledger = shared.lock().expect("no thread panics with it");
        ledger.add(number, found)
    });
    bar.finish();
    if !finished? {
        return Err(Error::Cancelled.into());
    }
    let mut found = ledger.found();
    // An earlier command may have asked for more.
    found.truncate(count);
    Ok(found)
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
