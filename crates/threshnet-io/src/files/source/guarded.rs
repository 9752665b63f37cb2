//! Readers that panic on some broken files, as Arrow's do: a panic becomes an error like others.

use super::batch::broken;
use super::{Blocks, Source};
use anyhow::Result;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
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
        Err(broken(path, text.unwrap_or("it cannot be read")))
    })
}

/// Opens a file whose reader's panics are errors.
pub fn open(path: &Path, open: impl FnOnce() -> Result<Source>) -> Result<Source> {
    let source = guarded(path, open)?;
    let path = path.to_path_buf();
    Ok(Source {
        start: Box::new(move |wanted| -> Result<Blocks> {
            let mut blocks = guarded(&path, || (source.start)(wanted))?;
            let next = move || guarded(&path, || blocks.next().transpose()).transpose();
            Ok(Box::new(std::iter::from_fn(next)))
        }),
        names: source.names,
        encoding: source.encoding,
        unreadable: source.unreadable,
    })
}
