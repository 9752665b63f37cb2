//! How much memory a fit takes beside its data: a packed training matrix per
//! thread, not one per fold, and no network of every (fold, ridge, λ).

#![allow(unsafe_code)] // an allocator that counts

#[path = "all/common.rs"]
#[allow(dead_code)] // one test needs little of it
mod common;

use common::{path_settings, planted};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use threshnet::dataset::Task;
use threshnet::path::Direction;
use threshnet::settings::{Settings, Validation};
use threshnet::solver::Unobserved;
use threshnet::tune::fit;

/// The system's allocator, with a count of the bytes in use and their peak.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::SeqCst) + layout.size();
        PEAK.fetch_max(now, Ordering::SeqCst);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak of bytes that a fit on so many threads adds to what is in use.
fn added(threads: usize, data: &threshnet::dataset::Dataset, settings: &Settings) -> usize {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| {
        let before = IN_USE.load(Ordering::SeqCst);
        PEAK.store(before, Ordering::SeqCst);
        fit(data, settings, &Unobserved).expect("the fit is valid");
        PEAK.load(Ordering::SeqCst) - before
    })
}

#[test]
fn a_fit_needs_a_matrix_per_thread() {
    let (n, d) = (1000, 400);
    let data = planted(Task::Regression, (n, d), (4, 1), 2);
    // most columns die on the way, so that what is left is packed
    let mut settings = path_settings(&[0.01, 0.04, 0.2], Direction::Backward);
    settings.hidden = vec![3];
    settings.ridges = vec![0.01, 0.02, 0.03];
    (settings.first_epochs, settings.epochs) = (3, 20);
    let bytes = n * d * size_of::<f64>();
    for (validation, share) in [
        (Validation::folds(10), 0.9),
        (
            Validation::Holdout {
                share: 0.2,
                stratified: true,
            },
            0.8,
        ),
    ] {
        let settings = Settings {
            validation,
            refit: false,
            ..settings.clone()
        };
        let matrix = (share * (n * d * size_of::<f32>()) as f64) as usize;
        for threads in [1, 2] {
            // Threads may need the most at the same moment, or not.
            let most = threads * (bytes / 5 + matrix * 6 / 5);
            let peak = added(threads, &data, &settings);
            assert!(
                peak < most,
                "{validation:?}, {threads} threads: {peak} of {most}"
            );
            assert!(peak > matrix, "the count misses the matrix");
        }
    }
}
