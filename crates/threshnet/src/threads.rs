//! How many threads work on a fit, decided here and nowhere else.
//!
//! A front end hands the number of its user to [`pool`] and fits inside. There are two ways to
//! use threads: paths side by side, each on one, which is best; and within a path, where blocks of
//! rows are shared out. A fit with fewer paths than threads takes the second
//! ([`within_paths`]). Neither changes a bit of the result.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt::Display;
use std::num::NonZero;

/// A pool of so many threads, of one per core if none are said. Their names begin with `fit`.
pub fn pool(jobs: Option<usize>) -> Result<ThreadPool> {
    let threads = count(jobs);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("fit-{number}"))
        .build();
    pool.map_err(|error| too_many(threads, &error))
}

/// Starts the threads that are used outside of any pool: those that read files. Where the system refuses
/// them, this says so; left to themselves they would panic.
pub fn start() -> Result<()> {
    let started = ThreadPoolBuilder::new().build_global();
    started.map_err(|error| {
        Error::Data(format!(
            "the system starts no threads ({error}): raise what limits them or the memory (ulimit -u, ulimit -v)"
        ))
    })
}

/// The system has refused to start so many threads.
pub fn too_many(threads: usize, error: &dyn Display) -> Error {
    let problem = format!("{threads} threads cannot be started ({error}); ask for fewer");
    Error::setting("jobs", problem)
}

/// How many threads are meant.
pub fn count(jobs: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    jobs.unwrap_or_else(cores).max(1)
}

/// Whether paths that are traced together shall share the threads of the pool they are in, since
/// there are fewer paths than threads.
pub fn within_paths(paths: usize) -> bool {
    paths < rayon::current_num_threads()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_the_threads_it_was_asked_for() {
        for jobs in [1, 3] {
            let pool = pool(Some(jobs)).unwrap();
            assert_eq!(pool.current_num_threads(), jobs);
            assert!(pool.install(|| within_paths(jobs - 1) && !within_paths(jobs)));
        }
        assert_eq!(pool(None).unwrap().current_num_threads(), count(None));
    }
}
