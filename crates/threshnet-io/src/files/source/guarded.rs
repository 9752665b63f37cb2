//! Readers that panic on some broken files, as Arrow's do: a panic becomes an error like others.

use super::batch::broken_because;
use super::{Block, Keep, Rows};
use anyhow::Result;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught, and so is not to be printed.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader. What it leaves behind after a panic is not used again: the error ends the
/// command.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                usual(panic);
            }
        }));
    });
    CAUGHT.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    CAUGHT.set(false);
    outcome.unwrap_or_else(|panic| {
        let text = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(broken_because(path, text.unwrap_or("it cannot be read")))
    })
}

/// A reader whose panics are errors.
pub struct Guarded {
    path: PathBuf,
    rows: Box<dyn Rows>,
}

impl Guarded {
    /// Opens a file.
    pub fn open<R: Rows + 'static>(
        path: &Path,
        open: impl FnOnce() -> Result<R>,
    ) -> Result<Box<dyn Rows>> {
        let rows: Box<dyn Rows> = Box::new(guarded(path, open)?);
        let path = path.to_path_buf();
        Ok(Box::new(Guarded { path, rows }))
    }
}

impl Rows for Guarded {
    fn names(&self) -> &[String] {
        self.rows.names()
    }

    fn want(&mut self, wanted: &[(usize, Keep)]) -> Result<()> {
        guarded(&self.path, || self.rows.want(wanted))
    }

    fn unreadable(&self, column: usize) -> Option<String> {
        self.rows.unreadable(column)
    }

    fn next(&mut self) -> Result<Option<Block>> {
        guarded(&self.path, || self.rows.next())
    }
}
