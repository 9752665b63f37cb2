//! Many fits side by side: each on one thread, or on several where there are fewer fits than threads.

use anyhow::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use threshnet::error::Error;
use threshnet::solver::Observer;
use threshnet::threads;

/// Does the work of every item, in their order, on `jobs` threads (all cores if none).
/// False if the observer has cancelled it. After a failure no further item is begun.
pub fn each<T: Sync>(
    items: &[T],
    jobs: Option<usize>,
    observer: &dyn Observer,
    work: impl Fn(&T) -> Result<()> + Sync,
) -> Result<bool> {
    let jobs = threads::count(jobs);
    let workers = jobs.min(items.len());
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work_through = || -> Result<()> {
        // A pool of its own, so that a fit does not wait for those of others.
        let alone = threads::pool(Some(jobs / workers))?;
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
        let begin = || thread::Builder::new().spawn_scoped(scope, worker);
        let workers: Vec<_> = (0..workers).map(|_| begin()).collect();
        (workers.into_iter())
            .map(|worker| match worker {
                Ok(worker) => worker.join().expect("no worker panics"),
                // (the others do its work)
                Err(_) if jobs > 1 => Ok(()),
                Err(error) => Err(error.into()),
            })
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
