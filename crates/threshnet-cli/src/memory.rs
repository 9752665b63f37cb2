//! Whether a fit has the memory that it needs, before it starts.

use crate::failure::Usage;
use crate::output::log;
use crate::signals;
use anyhow::{Result, bail};
use serde_json::json;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use threshnet::control::Control;
use threshnet::dataset::Dataset;
use threshnet::memory::Need;
use threshnet::memory::limits::{self, Limit};
use threshnet::settings::Settings;
use threshnet::threads;

/// Columns are screened to no fewer than this, and layers narrowed to no fewer units.
const FEWEST_COLUMNS: usize = 50;
const NARROWEST: usize = 2;

/// The share of a file that tells what the rest will take, where there is memory for so much.
const ENOUGH: f64 = 0.05;

/// The most memory that this process has had so far, in bytes, where the system tells.
pub fn peak() -> Option<f64> {
    limits::own().map(|own| own.peak)
}

/// What a fit of these data takes, in words; refused where it exceeds what there is, with what
/// would fit.
pub fn check(
    data: &Dataset,
    control: Option<Control>,
    settings: &Settings,
    jobs: Option<usize>,
) -> Result<String> {
    let threads = threads::count(jobs);
    let need_of = |settings: &Settings, threads: usize| match control {
        None => Need::of(data, settings, threads),
        Some(control) => Need::of_runs(data, control, settings, threads),
    };
    let need = need_of(settings, threads);
    let peak = need.total().max(peak().unwrap_or(0.0));
    let limit = limits::tightest();
    let Need {
        program,
        data: cells,
        matrices,
        networks,
        paths,
        references,
    } = need;
    log::event(
        "memory",
        json!({
            "needed_bytes": peak.round(),
            "parts": {
                "program": program.round(), "data": cells.round(), "matrices": matrices.round(),
                "networks": networks.round(), "paths": paths.round(),
                "references": references.round(),
            },
            "limit_bytes": limit.as_ref().map(|limit| limit.bytes.round()),
            "limit_of": limit.as_ref().map(|limit| limit.of),
        }),
    );
    match limit {
        Some(limit) if need.total() > left(&limit, threads) => {
            let fits = |settings: &Settings, threads: usize| {
                need_of(settings, threads).total() <= left(&limit, threads)
            };
            bail!(
                "this fit needs about {} of memory, and {} has {}; {}",
                bytes(need.total()),
                limit.of,
                bytes(left(&limit, threads)),
                what_would_fit(data, settings, threads, fits)
            )
        }
        _ => Ok(format!("memory: about {} at most\n", bytes(peak))),
    }
}

/// What a limit leaves to a fit on so many threads, of which the fit has some and its report, too.
fn left(limit: &Limit, threads: usize) -> f64 {
    limit.beside(2 * threads).max(0.0)
}

/// The first of fewer threads, narrower layers and fewer columns that is enough, each by itself.
fn what_would_fit(
    data: &Dataset,
    settings: &Settings,
    threads: usize,
    fits: impl Fn(&Settings, usize) -> bool,
) -> String {
    let mut ways: Vec<String> = vec![];
    if let Some(fewer) = (1..threads).rev().find(|&threads| fits(settings, threads)) {
        ways.push(format!("--jobs {fewer}"));
    }
    let mut narrower = settings.clone();
    while narrower.hidden.iter().any(|&width| width > NARROWEST) {
        narrower
            .hidden
            .iter_mut()
            .for_each(|width| *width = width.div_ceil(2).max(NARROWEST));
        if fits(&narrower, threads) {
            let widths: Vec<String> = narrower.hidden.iter().map(usize::to_string).collect();
            ways.push(format!("--hidden {}", widths.join(",")));
            break;
        }
    }
    let screened = |count: usize| Settings {
        screen: Some(count),
        ..settings.clone()
    };
    let halves = std::iter::successors(Some(data.d() / 2), |count| Some(count / 2));
    let mut counts = halves.take_while(|&count| count >= FEWEST_COLUMNS);
    if let Some(count) = counts.find(|&count| fits(&screened(count), threads)) {
        ways.push(format!("--screen {}", round(count)));
    }
    match ways.is_empty() {
        true => "leave out columns or rows, or take a larger machine".into(),
        false => format!("{} would fit", ways.join(", or ")),
    }
}

/// One digit and zeros.
fn round(count: usize) -> usize {
    let unit = 10usize.pow(count.max(1).ilog10());
    count / unit * unit
}

/// A size for a person.
fn bytes(size: f64) -> String {
    match size {
        size if size < 1e9 => format!("{:.0} MB", (size / 1e6).max(1.0)),
        size => format!("{:.1} GB", size / 1e9),
    }
}

/// Whether a file that is being read will fit: as far as can be told from what its rows took so far.
pub struct Reading {
    /// The share and the memory at the first look: buffers and threads are there by then.
    first: OnceLock<(f64, f64)>,
    /// Percent of the file when it was last looked at.
    looked: AtomicU8,
}

impl Reading {
    /// Nothing read so far.
    pub fn new() -> Self {
        Reading {
            first: OnceLock::new(),
            looked: AtomicU8::new(0),
        }
    }

    /// Ends the program where this share of the file shows that the whole is too large.
    pub fn check(&self, share: f64) {
        let percent = (100.0 * share) as u8;
        if percent <= self.looked.swap(percent, Ordering::Relaxed) {
            return;
        }
        let (Some(own), Some(limit)) = (limits::own(), limits::tightest()) else {
            return;
        };
        let (first, began) = *self.first.get_or_init(|| (share, own.resident));
        let read = share - first;
        if read <= 0.0 || read < ENOUGH && own.resident < 0.5 * limit.bytes {
            return;
        }
        let rest = (own.resident - began).max(0.0) * (1.0 - share) / read;
        let whole = own.resident + rest;
        if whole > limit.bytes {
            let text = format!(
                "the data need about {} of memory, and {} has {}; leave out columns or rows, or take \
                 a larger machine",
                bytes(whole),
                limit.of,
                bytes(limit.bytes.max(0.0))
            );
            signals::end_with(1, Some(text));
        }
    }
}

/// Refuses a table of so many numbers that the machine cannot hold.
pub fn check_table(rows: usize, columns: usize) -> Result<(), Usage> {
    let needed = 8.0 * rows as f64 * columns as f64;
    match limits::tightest() {
        Some(limit) if needed > limit.bytes => Err(Usage(format!(
            "{rows} rows of {columns} columns need {} of memory, and {} has {}; ask for fewer by -n or -d",
            bytes(needed),
            limit.of,
            bytes(limit.bytes.max(0.0))
        ))),
        _ if needed > isize::MAX as f64 => Err(Usage(format!(
            "{rows} rows of {columns} columns are more than any machine holds; ask for fewer by -n or -d"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        assert_eq!(bytes(12.0), "1 MB");
        assert_eq!(bytes(34e6), "34 MB");
        assert_eq!(bytes(1.26e9), "1.3 GB");
        assert_eq!((round(1234), round(50), round(7)), (1000, 50, 7));
    }

    #[test]
    fn no_table_is_beyond_all_machines() {
        assert!(check_table(1000, 1000).is_ok());
        assert!(check_table(usize::MAX, usize::MAX).is_err());
        assert!(check_table(1 << 40, 1 << 20).is_err());
    }
}
