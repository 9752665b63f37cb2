//! Ctrl-C, and SIGTERM and SIGHUP, by which queues and closed terminals end a program.
//!
//! The first signal asks the work to end; what was done is kept as it is done. Work that has not
//! answered after a moment, such as reading, screening or making a report, is ended; so is
//! everything by a second signal. Only what is marked [`undisturbed`] is waited for.

use anyhow::{Context, Result};
use std::io::{IsTerminal, Write, stderr};
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// How long work has to answer.
const MOMENT: Duration = Duration::from_millis(700);

/// The number of the signal that has arrived, 0 if none has.
static ARRIVED: AtomicU8 = AtomicU8::new(0);

/// What is said where the work is ended, and done just before.
type LastWords = Box<dyn Fn() -> String + Send>;

/// Held by whoever must not be ended just now.
static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

/// Whether the work is asked to end.
pub fn arrived() -> bool {
    ARRIVED.load(Ordering::Relaxed) != 0
}

/// What a shell says of a program that a signal has ended: 130, 143 or 129.
pub fn exit_code() -> u8 {
    const INTERRUPT: u8 = 2;
    128 + match ARRIVED.load(Ordering::Relaxed) {
        0 => INTERRUPT,
        number => number,
    }
}

/// From now on this is said where the work is ended without an answer.
pub fn set_last_words(words: impl Fn() -> String + Send + 'static) {
    *LAST_WORDS.lock().expect("nobody panics with it") = Some(Box::new(words));
}

/// Does what is not to be ended halfway.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let _held = LAST_WORDS.lock().expect("nobody panics with it");
    work()
}

/// The work has ended by itself: what follows is the end of the program.
pub fn ignore_from_now_on() {
    std::mem::forget(LAST_WORDS.lock());
}

/// Ends the program for the signal that has arrived.
fn end() -> ! {
    end_with(exit_code(), None)
}

/// Ends the program at once, with an error of its own or the last words.
pub fn end_with(code: u8, error: Option<String>) -> ! {
    let words = LAST_WORDS.lock().expect("nobody panics with it");
    // (they also clear away what has no use)
    let last = words
        .as_ref()
        .map_or("interrupted; nothing was written".into(), |of| of());
    let text = error.unwrap_or(last);
    if stderr().is_terminal() {
        // (in place of a progress bar)
        let _ = write!(stderr(), "\r\x1b[2K");
    }
    let _ = writeln!(stderr(), "error: {text}");
    crate::output::log::end(code, Some(&text));
    exit(code.into())
}

fn first(number: u8) {
    ARRIVED.store(number, Ordering::Relaxed);
    thread::spawn(|| {
        thread::sleep(MOMENT);
        end()
    });
}

/// Listens for signals from now on. To be called before there are other threads.
#[cfg(unix)]
pub fn listen() -> Result<()> {
    use nix::sys::signal::{SigSet, Signal};

    let mut set = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // (`nohup` and the background of a shell mean it)
        if !is_ignored(signal as u8) {
            set.add(signal);
        }
    }
    // Threads that are made later have it blocked, too, so it goes to the one that waits.
    set.thread_block().context("cannot listen for signals")?;
    let waiting = move || {
        if let Ok(signal) = set.wait() {
            first(signal as u8);
            let _ = set.wait();
            end()
        }
    };
    (thread::Builder::new().spawn(waiting)).context("cannot start a thread for signals")?;
    Ok(())
}

/// Whether whoever started the program wants it to ignore a signal, where the system tells.
#[cfg(unix)]
fn is_ignored(number: u8) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// Listens for Ctrl-C from now on.
#[cfg(not(unix))]
pub fn listen() -> Result<()> {
    ctrlc::set_handler(|| match arrived() {
        true => end(),
        false => first(2),
    })
    .context("cannot listen for Ctrl-C")
}
