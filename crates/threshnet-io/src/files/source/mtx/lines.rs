//! The lines of a Matrix Market file.

use super::super::bytes::Bytes;
use anyhow::Result;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};

/// How long a line may be: a cell takes some twenty characters.
const LONGEST: u64 = 1 << 16;

/// Lines one after the other, of which one is in memory.
pub struct Lines {
    input: BufReader<Bytes>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Those of a file.
    pub fn new(bytes: Bytes) -> Lines {
        Lines {
            input: BufReader::with_capacity(1 << 16, bytes),
            line: vec![],
            number: 0,
        }
    }

    /// The next line, whatever it is; none after the last.
    pub fn any(&mut self) -> Result<Option<&[u8]>> {
        self.line.clear();
        let mut input = (&mut self.input).take(LONGEST);
        let read = input.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| self.input.get_ref().unreadable(&error))?;
        self.number += 1;
        if read as u64 == LONGEST && self.line.last() != Some(&b'\n') {
            return Err(self.error("the line does not end; write one cell on each"));
        }
        Ok((read > 0).then_some(self.line.trim_ascii()))
    }

    /// The next line that is neither blank nor a comment.
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        let skipped = |line: &[u8]| line.is_empty() || line.starts_with(b"%");
        while self.any()?.is_some_and(skipped) {}
        let ended = self.line.is_empty();
        Ok((!ended).then_some(self.line.trim_ascii()))
    }

    /// The share of the file that has been read, if it is known.
    pub fn share(&self) -> Option<f64> {
        self.input.get_ref().share(self.input.buffer().len())
    }

    /// More characters than this the file cannot have, if its size is known.
    pub fn most(&self) -> Option<u64> {
        self.input.get_ref().most()
    }

    /// An error about the line that was read last.
    pub fn error(&self, problem: impl Display) -> anyhow::Error {
        self.input.get_ref().error(self.number, problem)
    }
}

/// The words of a line.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    (line.split(u8::is_ascii_whitespace)).filter(|word| !word.is_empty())
}
