//! A file in pieces that end with a row, one after the other: never the whole text at once.

use super::cells::row_ends;
use anyhow::{Result, anyhow};
use flate2::read::MultiGzDecoder;
use memchr::memchr_iter;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes a chunk has at least, unless it is the last.
const CHUNK: usize = 2 << 20;

/// How long a row may be: longer ones are a quote that is never closed.
const LONGEST_ROW: usize = 4 << 30;

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
    path: PathBuf,
    input: Box<dyn Read + Send>,
    /// Bytes of the file that have been read, and all it has.
    read: Arc<AtomicU64>,
    size: Option<u64>,
    gzip: bool,
    /// What has been read and not handed out.
    rest: Vec<u8>,
    line: u64,
    ended: bool,
}

/// Counts the bytes that are read through it.
struct Counted {
    inner: BufReader<File>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Chunks {
    /// The chunks of a file. Its size is not known if it is a pipe.
    pub fn new(path: &Path, file: BufReader<File>, gzip: bool) -> Chunks {
        let size = file.get_ref().metadata().ok();
        let size = size.filter(|data| data.is_file()).map(|data| data.len());
        let counted = Counted {
            inner: file,
            read: Arc::default(),
        };
        Chunks {
            path: path.to_path_buf(),
            read: counted.read.clone(),
            input: match gzip {
                true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(
                    1 << 16,
                    counted,
                ))),
                false => Box::new(counted),
            },
            size,
            gzip,
            rest: Vec::new(),
            line: 1,
            ended: false,
        }
    }

    /// The beginning of the file, with two lines at least if there are any. Nothing is used up
    /// but a byte-order mark.
    pub fn start(&mut self) -> Result<&[u8]> {
        while !self.ended && memchr_iter(b'\n', &self.rest).take(2).count() < 2 {
            self.fill(CHUNK)?;
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
            if self.rest.len() > LONGEST_ROW {
                let problem = "the row does not end; is a quote never closed?";
                return Err(self.error(self.line, problem));
            }
            wanted = self.rest.len() * 2;
        }
    }

    /// Hands out the first bytes of what has been read.
    fn take(&mut self, bytes: usize) -> Chunk {
        let rest = self.rest.split_off(bytes);
        let bytes = std::mem::replace(&mut self.rest, rest);
        let line = self.line;
        self.line += memchr_iter(b'\n', &bytes).count() as u64;
        // (of a compressed file that is nearly it, for little is read ahead)
        let ahead = if self.gzip { 0 } else { self.rest.len() as u64 };
        let read = self.read.load(Ordering::Relaxed).saturating_sub(ahead);
        let share = self
            .size
            .map(|size| match self.ended && self.rest.is_empty() {
                true => 1.0,
                false => read as f64 / size as f64,
            });
        Chunk { bytes, line, share }
    }

    /// Reads so many more bytes, if there are any.
    fn fill(&mut self, more: usize) -> Result<()> {
        let start = self.rest.len();
        self.rest.reserve_exact(more);
        let read = (&mut self.input)
            .take(more as u64)
            .read_to_end(&mut self.rest);
        read.map_err(|error| self.unreadable(&error))?;
        self.ended |= self.rest.len() < start + more;
        Ok(())
    }

    /// An error about a line.
    pub fn error(&self, line: u64, problem: impl Display) -> anyhow::Error {
        anyhow!("{}: line {line}: {problem}", self.path.display())
    }

    /// The error of bytes that cannot be had.
    fn unreadable(&self, error: &std::io::Error) -> anyhow::Error {
        let shown = self.path.display();
        if self.gzip {
            anyhow!("{shown}: the gzip data is broken ({error}); compress the file again")
        } else {
            anyhow!("{shown}: cannot be read: {error}")
        }
    }
}
