//! A file in pieces that end with a row, one after the other: never the whole text at once.

use super::super::bytes::Bytes;
use super::cells::row_ends;
use anyhow::Result;
use memchr::{memchr, memchr_iter};
use std::fmt::Display;
use std::io::Read;

/// How many bytes a chunk has at least, unless it is the last.
const CHUNK: usize = 2 << 20;

/// How long a row may be, as many columns as there can be having twenty bytes each. Longer ones
/// are a quote that is never closed, or a bomb.
const LONGEST_ROW: usize = 320 << 20;

/// What is said of bytes that are no text.
const NO_TEXT: &str = "a byte 0, which no text has; write the table as text, or if this is UTF-16, \
                       say --encoding utf-16";

/// Some complete rows.
pub struct Chunk {
    /// Their text.
    pub bytes: Vec<u8>,
    /// The line in which the first of them begins.
    pub line: u64,
    /// The share of the file that has been read at its end, if it is known.
    pub share: Option<f64>,
}

/// What is left of a file.
pub struct Chunks {
    bytes: Bytes,
    /// What has been read and not handed out.
    rest: Vec<u8>,
    line: u64,
    ended: bool,
}

impl Chunks {
    /// The chunks of a file.
    pub fn new(bytes: Bytes) -> Chunks {
        Chunks {
            bytes,
            rest: Vec::new(),
            line: 1,
            ended: false,
        }
    }

    /// The beginning of the file, with two lines at least if there are any. Nothing is used up
    /// but a byte-order mark.
    pub fn start(&mut self) -> Result<&[u8]> {
        let (mut seen, mut breaks) = (0, 0);
        while !self.ended && breaks < 2 && self.rest.len() <= LONGEST_ROW {
            self.fill(self.rest.len().max(CHUNK))?;
            breaks += memchr_iter(b'\n', &self.rest[seen..]).count();
            seen = self.rest.len();
        }
        if self.rest.starts_with(b"\xef\xbb\xbf") {
            self.rest.drain(..3);
        }
        Ok(&self.rest)
    }

    /// The next complete rows, or `None` after the last.
    pub fn next(&mut self, delimiter: u8) -> Result<Option<Chunk>> {
        let mut wanted = CHUNK;
        loop {
            self.fill(wanted.saturating_sub(self.rest.len()))?;
            let ends = row_ends(&self.rest, delimiter);
            let unclosed = ends.open_quote.filter(|_| self.ended);
            if let Some(quote) = unclosed {
                let breaks = memchr_iter(b'\n', &self.rest[..quote]).count() as u64;
                let problem = "a quote is opened and never closed; close it";
                return Err(self.error(self.line + breaks, problem));
            }
            if self.ended {
                let all = self.rest.len();
                return Ok((all > 0).then(|| self.take(all)));
            }
            if ends.last > 0 {
                return Ok(Some(self.take(ends.last)));
            }
            self.refuse_endless()?;
            wanted = self.rest.len() * 2;
        }
    }

    /// Hands out the first bytes of what has been read.
    fn take(&mut self, bytes: usize) -> Chunk {
        let rest = self.rest.split_off(bytes);
        let bytes = std::mem::replace(&mut self.rest, rest);
        let line = self.line;
        self.line += memchr_iter(b'\n', &bytes).count() as u64;
        let share = match self.ended && self.rest.is_empty() {
            true => self.bytes.share(0).map(|_| 1.0),
            false => self.bytes.share(self.rest.len()),
        };
        Chunk { bytes, line, share }
    }

    /// Refuses to read on where the first row that is not complete is too long already.
    fn refuse_endless(&self) -> Result<()> {
        if self.rest.len() <= LONGEST_ROW {
            return Ok(());
        }
        let problem = format!(
            "the row does not end within {} MB; is a quote never closed?",
            LONGEST_ROW >> 20
        );
        Err(self.error(self.line, problem))
    }

    /// Reads so many more bytes, if there are any. Text has no byte 0: whatever has one is refused
    /// where it begins.
    fn fill(&mut self, more: usize) -> Result<()> {
        let start = self.rest.len();
        let more = more.min((LONGEST_ROW + 1).saturating_sub(start));
        self.rest.reserve_exact(more);
        let read = (&mut self.bytes)
            .take(more as u64)
            .read_to_end(&mut self.rest);
        read.map_err(|error| self.bytes.unreadable(&error))?;
        self.ended |= self.rest.len() < start + more;
        if let Some(zero) = memchr(0, &self.rest[start..]) {
            let breaks = memchr_iter(b'\n', &self.rest[..start + zero]).count() as u64;
            return Err(self.error(self.line + breaks, NO_TEXT));
        }
        Ok(())
    }

    /// An error about a line.
    pub fn error(&self, line: u64, problem: impl Display) -> anyhow::Error {
        self.bytes.error(line, problem)
    }
}
