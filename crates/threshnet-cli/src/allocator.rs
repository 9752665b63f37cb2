//! The system's allocator, and what is said where it has nothing left.
//!
//! A fit is refused before it starts where its memory can be foreseen ([`crate::memory`]). This is the
//! net below: Rust would abort, in several lines.
#![allow(unsafe_code)] // an allocator

use crate::failure::FAILED;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::stderr;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const TEXT: &[u8] =
    b"error: out of memory; leave out columns or rows, ask for fewer --jobs, or raise what limits \
                      the memory (ulimit -v)\n";

/// The system's allocator, where whoever asks in vain ends the program.
pub struct Ending;

#[global_allocator]
static ALLOCATOR: Ending = Ending;

// SAFETY: every call goes to the system's allocator as it came, and so does what it returns.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        found(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        found(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        found(unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn found(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        end()
    }
    pointer
}

/// Ends the program without memory, and without a lock that somebody may hold.
#[cold]
fn end() -> ! {
    static ENDED: AtomicBool = AtomicBool::new(false);
    while ENDED.swap(true, Ordering::SeqCst) {
        // (another thread is at it)
        thread::sleep(Duration::from_secs(1));
    }
    #[cfg(unix)]
    let _ = rustix::io::write(stderr(), TEXT);
    #[cfg(not(unix))]
    let _ = std::io::Write::write_all(&mut stderr(), TEXT);
    exit(FAILED.into())
}

/// Has the allocator give back what is freed, and take no more addresses than it uses where these
/// are limited. To be called before there are other threads.
pub fn settle(addresses_are_limited: bool) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use nix::libc::{M_ARENA_MAX, M_MMAP_THRESHOLD, mallopt};
        // Blocks from this size on are the system's again once they are freed. glibc would raise the
        // size to that of the largest one: fits side by side would take a quarter more.
        const LARGE: i32 = 1 << 20;
        // SAFETY: it sets numbers of the allocator, which no other thread uses yet.
        unsafe { mallopt(M_MMAP_THRESHOLD, LARGE) };
        if addresses_are_limited {
            // SAFETY: likewise. (Else every thread sets 64 MB of addresses aside.)
            unsafe { mallopt(M_ARENA_MAX, 1) };
        }
    }
    let _ = addresses_are_limited;
}
