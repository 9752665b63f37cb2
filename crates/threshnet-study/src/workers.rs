//! Many fits on as many threads as there are, each fit on one of them.

use anyhow::Result;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use threshnet::error::Error;
use threshnet::solver::Observer;

/// Does the work of every item, in their order, on `jobs` threads (all cores if none).
/// False if the observer has cancelled it. After a failure no further item is begun.
pub fn each<T: Sync>(
    items: &[T],
    jobs: Option<usize>,
    observer: &dyn Observer,
    work: impl Fn(&T) -> Result<()> + Sync,
) -> Result<bool> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = jobs.unwrap_or(cores).min(items.len());
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work_through = || -> Result<()> {
        // A pool of one thread, so that a fit does not wait for those of others.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            if observer.cancelled() {
                return Err(Error::Cancelled.into());
            }
            // Another thread has met what no later item can mend.
            if failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            alone.install(|| work(item))?;
        }
        Ok(())
    };
    let worker = || {
        let outcome = work_through();
        failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
        outcome
    };
    let outcomes: Vec<Result<()>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        (workers.into_iter())
            .map(|worker| worker.join().expect("no worker panics"))
            .collect()
    });
    let mut finished = true;
    for outcome in outcomes {
        match outcome {
            Err(error) if matches!(error.downcast_ref(), Some(Error::Cancelled)) => {
                finished = false;
            }
            other => other?,
        }
    }
    Ok(finished)
}
