//! Many runs beside a fit: made on all threads, kept in a ledger, so that they can be stopped and
//! gone on with.

use crate::args::{FitArgs, flag};
use crate::failure::{Interrupted, Usage};
use crate::output::ledger::Ledger;
use crate::progress::StudyBar;
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Mutex;
use threshnet::error::{self, Error};
use threshnet::keeper::{JobId, Keeper, Packed, Unpacked};
use threshnet_study::{Watch, workers};

/// What is said of a fit without a folder.
pub const NOTHING_KEPT: &str = "interrupted; nothing was written (--out keeps what is finished)";

/// Runs by their numbers.
pub struct Runs<'a> {
    /// What the bar calls them.
    pub name: &'static str,
    pub count: usize,
    /// What tells one from all others of the fit.
    pub id: &'a (dyn Fn(usize) -> JobId + Sync),
    /// Whether numbers can be what a run found.
    pub is_valid: &'a dyn Fn(usize, &[f64]) -> bool,
    /// Makes one.
    pub make: &'a (dyn Fn(usize, &StudyBar) -> error::Result<Vec<f64>> + Sync),
}

impl Runs<'_> {
    /// What all of them found, in their order: from the ledger, or made now.
    pub fn all(&self, args: &FitArgs, ledger: Option<&Ledger>) -> Result<Vec<Vec<f64>>> {
        let known = |run: usize| -> Option<Vec<f64>> {
            let found = numbers(&ledger?.kept((self.id)(run))?)?;
            (self.is_valid)(run, &found).then_some(found)
        };
        let found: BTreeMap<usize, Vec<f64>> = (0..self.count)
            .filter_map(|run| Some((run, known(run)?)))
            .collect();
        let missing: Vec<usize> = (0..self.count)
            .filter(|run| !found.contains_key(run))
            .collect();
        let bar = StudyBar::new(args.quiet);
        bar.begin(self.count - missing.len(), self.count)?;
        let shared = Mutex::new(found);
        let jobs = args.settings.request()?.jobs;
        let finished = workers::each(&missing, jobs, &bar, |&number| {
            let found = (self.make)(number, &bar)?;
            if let Some(ledger) = ledger {
                ledger.keep((self.id)(number), &bytes(&found))?;
            }
            shared
                .lock()
                .expect("no thread panics with it")
                .insert(number, found);
            bar.ended(self.name);
            Ok(())
        });
        bar.finish();
        if !finished? {
            return Err(Error::Cancelled.into());
        }
        let found = shared.into_inner().expect("no thread panics with it");
        Ok(found.into_values().collect())
    }
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
