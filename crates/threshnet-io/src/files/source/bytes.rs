//! The bytes of a text file from its first to its last, unzipped.

use super::encoding::{Encoding, SAMPLED};
use anyhow::anyhow;
use flate2::read::MultiGzDecoder;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Deflate makes at most so many bytes of one.
const MOST_INFLATED: u64 = 1032;

/// What is left of a file.
pub struct Bytes {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    /// Bytes of the file that have been read, and all it has.
    read: Arc<AtomicU64>,
    size: Option<u64>,
    gzip: bool,
    /// How the text is encoded, once that was asked.
    encoding: Option<Encoding>,
}

/// Counts the bytes that are read through it.
struct Counted {
    inner: BufReader<File>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.input.read(buffer)
    }
}

impl Bytes {
    /// Those of a file. Its size is not known if it is a pipe.
    pub fn new(path: &Path, file: BufReader<File>, gzip: bool) -> Bytes {
        let size = file.get_ref().metadata().ok();
        let size = size.filter(|data| data.is_file()).map(|data| data.len());
        let counted = Counted {
            inner: file,
            read: Arc::default(),
        };
        Bytes {
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
            encoding: None,
        }
    }

    /// The same as UTF-8, whatever it was: what is said, or else what its first bytes look like.
    pub fn decoded(mut self, said: Option<Encoding>) -> anyhow::Result<Bytes> {
        let mut start = Vec::new();
        let read = (&mut self.input)
            .take(SAMPLED as u64)
            .read_to_end(&mut start);
        read.map_err(|error| self.unreadable(&error))?;
        let encoding = said.unwrap_or_else(|| Encoding::detect(&start));
        let all = Cursor::new(start).chain(self.input);
        Ok(Bytes {
            input: encoding.decoded(all),
            encoding: Some(encoding),
            ..self
        })
    }

    /// How the text is encoded, if it is not UTF-8.
    pub fn foreign_encoding(&self) -> Option<Encoding> {
        self.encoding.filter(|&encoding| encoding != Encoding::Utf8)
    }

    /// The share of the file that has been read but for so many bytes, if its size is known.
    pub fn share(&self, ahead: usize) -> Option<f64> {
        // (of a compressed file that is nearly it, for little is read ahead)
        let ahead = if self.gzip { 0 } else { ahead as u64 };
        let read = self.read.load(Ordering::Relaxed).saturating_sub(ahead);
        self.size.map(|size| read as f64 / size as f64)
    }

    /// More bytes than this it cannot have, if its size is known.
    pub fn most(&self) -> Option<u64> {
        let inflated = if self.gzip { MOST_INFLATED } else { 1 };
        self.size.map(|size| size.saturating_mul(inflated))
    }

    /// An error about a line.
    pub fn error(&self, line: u64, problem: impl Display) -> anyhow::Error {
        anyhow!("{}: line {line}: {problem}", self.path.display())
    }

    /// The error of bytes that cannot be had.
    pub fn unreadable(&self, error: &std::io::Error) -> anyhow::Error {
        let shown = self.path.display();
        if self.gzip {
            anyhow!("{shown}: the gzip data is broken ({error}); compress the file again")
        } else {
            anyhow!("{shown}: cannot be read: {error}")
        }
    }
}
