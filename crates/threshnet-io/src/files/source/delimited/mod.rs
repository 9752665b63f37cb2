//! Delimited text: CSV, TSV and their kin, plain or gzipped.
//!
//! Chunks of complete rows are parsed side by side while the next are being read.

mod cells;
mod chunks;
mod delimiter;
mod parse;
#[cfg(test)]
mod tests;

use super::bytes::Bytes;
use super::{Block, Manner, Source, most_columns};
use crate::cell::Rules;
use crate::files::wording::count;
use crate::formula::unguarded;
use anyhow::{Result, anyhow};
use chunks::{Chunk, Chunks};
use parse::{BadRow, Layout, Problem};
use rayon::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::str::Utf8Error;

/// How many chunks are in memory at most, whatever the number of threads.
const MOST_CHUNKS: usize = 32;

/// A file of delimited text.
struct Delimited {
    chunks: Chunks,
    layout: Layout,
    /// What is left of the chunk that has the header, then what is read ahead.
    ahead: Vec<Chunk>,
    ready: VecDeque<Result<Block>>,
    rows: usize,
}

/// Reads the header.
pub fn open(path: &Path, bytes: Bytes, manner: &Manner) -> Result<Source> {
    let bytes = bytes.decoded(manner.encoding)?;
    let encoding = bytes
        .foreign_encoding()
        .filter(|_| manner.encoding.is_none());
    let mut chunks = Chunks::new(bytes);
    let delimiter = delimiter::detect(path, chunks.start()?);
    let empty = || {
        let shown = path.display();
        anyhow!("{shown}: the file is empty; write a header line and rows")
    };
    // Blank lines may fill a chunk.
    let (mut chunk, start) = loop {
        let chunk = chunks.next(delimiter)?.ok_or_else(empty)?;
        let start = cells::row_start(&chunk.bytes, 0, delimiter);
        if start < chunk.bytes.len() {
            break (chunk, start);
        }
    };
    let first_line = chunk.line + lines(&chunk.bytes[..start]);
    let count = cells::row(&chunk.bytes, start, delimiter).count();
    most_columns(count as u64).map_err(|problem| chunks.error(first_line, problem))?;
    let mut header = cells::row(&chunk.bytes, start, delimiter);
    let names = header.by_ref().map(|cell| Ok(name(str::from_utf8(&cell)?)));
    let names: Result<Vec<String>, Utf8Error> = names.collect();
    let names = names.map_err(|_| chunks.error(first_line, NOT_UTF8))?;
    let (first, start) = (start, header.at.min(chunk.bytes.len()));
    if only_carriage_returns(&chunk.bytes[first..start]) {
        return Err(chunks.error(first_line, CARRIAGE_RETURNS));
    }
    chunk.line += lines(&chunk.bytes[..start]);
    chunk.bytes.drain(..start);
    let mut rows = Delimited {
        chunks,
        layout: Layout {
            delimiter,
            wanted: vec![None; names.len()],
            keep: vec![],
            rules: Rules::of(&manner.reading),
        },
        ahead: vec![chunk],
        ready: VecDeque::new(),
        rows: 0,
    };
    Ok(Source {
        names,
        encoding,
        unreadable: BTreeMap::new(),
        start: Box::new(move |wanted| {
            rows.layout.keep = wanted.iter().map(|&(_, keep)| keep).collect();
            for (column, &(position, _)) in wanted.iter().enumerate() {
                rows.layout.wanted[position] = Some(column);
            }
            Ok(Box::new(rows))
        }),
    })
}

impl Delimited {
    /// The error of a row.
    fn error(&self, bad: &BadRow) -> anyhow::Error {
        match bad.problem {
            Problem::Encoding => self.chunks.error(bad.line, NOT_UTF8),
            Problem::Cells(found) => {
                let expected = self.layout.wanted.len();
                let fix = if self.rows + bad.before == 0 && found == expected + 1 {
                    "name the column of row names, too"
                } else {
                    "write one for each column"
                };
                let found = count(found, "cell");
                let problem = format_args!("{found}, but the header has {expected}; {fix}");
                self.chunks.error(bad.line, problem)
            }
        }
    }
}

const NOT_UTF8: &str =
    "this is not UTF-8 text; say how it is encoded, such as --encoding windows-1252";

const CARRIAGE_RETURNS: &str = "lines end with a carriage return alone, as on old Macs; write line \
                                feeds, such as with: tr '\\r' '\\n' < OLD > NEW";

/// A column's name as its cell has it.
fn name(cell: &str) -> String {
    unguarded(cell.trim()).to_string()
}

/// Whether what should be one line is many to a program that ends lines with carriage returns.
fn only_carriage_returns(header: &[u8]) -> bool {
    let within = header.trim_ascii();
    !within.contains(&b'"')
        && memchr::memchr_iter(b'\r', within).any(|at| within.get(at + 1) != Some(&b'\n'))
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The next chunks, at most so many, and what went wrong.
fn read(chunks: &mut Chunks, delimiter: u8, most: usize) -> (Vec<Chunk>, Option<anyhow::Error>) {
    let mut read = Vec::with_capacity(most);
    while read.len() < most {
        match chunks.next(delimiter) {
            Ok(Some(chunk)) => read.push(chunk),
            Ok(None) => break,
            Err(error) => return (read, Some(error)),
        }
    }
    (read, None)
}

impl Iterator for Delimited {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        while self.ready.is_empty() && !self.ahead.is_empty() {
            let now = std::mem::take(&mut self.ahead);
            let (chunks, layout) = (&mut self.chunks, &self.layout);
            let most = (2 * rayon::current_num_threads()).min(MOST_CHUNKS);
            let (parsed, (ahead, problem)) = rayon::join(
                || -> Vec<Result<Block, BadRow>> {
                    let now = now.par_iter().with_max_len(1);
                    now.map(|chunk| parse::parse(chunk, layout)).collect()
                },
                || read(chunks, layout.delimiter, most),
            );
            for block in parsed {
                let block = block.map_err(|bad| self.error(&bad));
                self.rows += block.as_ref().map_or(0, Block::rows);
                self.ready.push_back(block);
            }
            // Rows before the place where reading failed come first.
            self.ready.extend(problem.map(Err));
            self.ahead = ahead;
        }
        self.ready.pop_front()
    }
}
