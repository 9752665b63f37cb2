//! A fit on a thread of its own, while the thread that called listens to Python: to Ctrl-C
//! and to whoever wants to see progress.

use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;
use threshnet::path::Step;
use threshnet::solver::Observer;

/// How often Python is asked.
const INTERVAL: Duration = Duration::from_millis(50);

/// What the fit tells the thread that waits, and the other way round.
#[derive(Default)]
pub struct Watch {
    steps: AtomicUsize,
    cancelled: AtomicBool,
    finished: Mutex<bool>,
    ended: Condvar,
}

impl Observer for Watch {
    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn step(&self, _step: &Step) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

impl Watch {
    fn finish(&self) {
        *self.finished.lock().expect("nobody panics with it") = true;
        self.ended.notify_all();
    }

    /// Waits for the end of the fit, not long; whether it has come.
    fn wait(&self) -> bool {
        let finished = self.finished.lock().expect("nobody panics with it");
        let waited = self
            .ended
            .wait_timeout_while(finished, INTERVAL, |finished| !*finished);
        *waited.expect("nobody panics with it").0
    }

    /// Lets Python handle signals, and tells `progress` how many λs are done.
    fn tell(&self, py: Python, progress: Option<&Bound<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = progress else {
            return Ok(());
        };
        progress
            .call1((self.steps.load(Ordering::Relaxed),))
            .map(drop)
    }
}

/// Sets its flag even if the work panics, so that nobody waits for ever.
struct AtEnd<'a>(&'a Watch);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Does the work without holding the interpreter. If Python raises meanwhile (Ctrl-C, or in
/// `progress`) the work is cancelled and that is the error.
pub fn watched<T: Send>(
    py: Python,
    progress: Option<&Bound<PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = &Watch::default();
    thread::scope(|scope| {
        let fit = scope.spawn(move || {
            let _end = AtEnd(watch);
            work(watch)
        });
        let mut raised = None;
        loop {
            let finished = py.detach(|| watch.wait());
            if raised.is_none()
                && let Err(error) = watch.tell(py, progress)
            {
                watch.cancelled.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
            if finished {
                break;
            }
        }
        let found = py
            .detach(|| fit.join())
            .unwrap_or_else(|panic| resume_unwind(panic));
        raised.map_or(Ok(found), Err)
    })
}

/// Does work that cannot be cancelled, without holding the interpreter. If Python raises
/// meanwhile (Ctrl-C) that is the error, and nobody waits for the work to end.
pub fn left_alone<T: Send + 'static>(
    py: Python,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    // (there may be nobody to send to any more)
    let worker = thread::spawn(move || drop(sender.send(work())));
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(INTERVAL)) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                let panic = worker.join().expect_err("it sends unless it panics");
                resume_unwind(panic)
            }
        }
    }
}
