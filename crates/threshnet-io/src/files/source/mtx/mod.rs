//! Matrix Market files, plain or gzipped (Boisvert, Pozo and Remington 1996, NISTIR 5935).
//!
//! A banner, comments, the size, then a cell on each line: row, column and value of those that are
//! stored (`coordinate`), counted from 1; or the values of all, column after column (`array`). Of a
//! symmetric matrix there is the half below the diagonal.

mod header;
mod lines;
#[cfg(test)]
mod tests;

pub use header::is_banner;

use super::bytes::Bytes;
use super::stored::{Cells, Shape};
use super::{Block, Names, Source};
use crate::cell::{decimal_point, parse};
use crate::files::wording::quoted;
use anyhow::{Result, anyhow};
use header::{Header, Line, Symmetry};
use lines::{Lines, words};
use std::collections::BTreeMap;
use std::path::Path;

/// How many cells are read between two reports of how far it is.
const AT_ONCE: u64 = 1 << 18;

/// Reads banner and size.
pub fn open(path: &Path, bytes: Bytes, names: &Names) -> Result<Source> {
    let mut lines = Lines::new(bytes);
    let header = Header::read(&mut lines)?;
    let names = names.of(header.shape.columns);
    Ok(Source {
        names: names.map_err(|problem| anyhow!("{}: {problem}", path.display()))?,
        encoding: None,
        unreadable: BTreeMap::new(),
        start: Box::new(move |wanted| {
            Ok(Box::new(Matrix {
                lines,
                header,
                done: 0,
                next: Place {
                    row: header.symmetry.first_row(0),
                    column: 0,
                },
                cells: Cells::new(header.shape, wanted),
                rows: None,
            }))
        }),
    })
}

/// A matrix whose cells are read, all of them before the first row: they may be in any order.
struct Matrix {
    lines: Lines,
    header: Header,
    /// How many lines of cells have been read.
    done: u64,
    /// The place of the next cell, where places are not in the file.
    next: Place,
    cells: Cells,
    rows: Option<Box<dyn Iterator<Item = Block> + Send>>,
}

/// A row and a column, counted from 0.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: usize,
    column: usize,
}

impl Iterator for Matrix {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        if let Some(rows) = &mut self.rows {
            return rows.next().map(Ok);
        }
        if let Err(error) = self.read_some() {
            return Some(Err(error));
        }
        if self.done < self.header.cells {
            return Some(Ok(self.cells.no_rows(self.lines.share())));
        }
        let rows = self.rows.insert(Box::new(self.cells.blocks()));
        rows.next().map(Ok)
    }
}

impl Matrix {
    /// Reads some more cells, and after the last makes sure that it is.
    fn read_some(&mut self) -> Result<()> {
        let Header {
            line: kind,
            shape,
            cells: all,
            ..
        } = self.header;
        let most = all.min(self.done + AT_ONCE);
        while self.done < most {
            let Some(line) = self.lines.next()? else {
                let problem = format!(
                    "the size line says {all} cells, but the file ends after {}; write it again",
                    self.done
                );
                return Err(self.lines.error(problem));
            };
            let cell = match kind {
                Line::Value => value(words(line)).map(|value| (self.next, value)),
                _ => cell(line, kind, shape),
            };
            let put = cell.and_then(|(place, value)| self.put(place, value));
            put.map_err(|problem| self.lines.error(problem))?;
            self.done += 1;
        }
        if self.done == all && self.lines.next()?.is_some() {
            return Err(self.lines.error(format!(
                "one more than the {all} cells that the size line says; correct one of them"
            )));
        }
        Ok(())
    }

    /// Puts a cell and the one that it stands for on the other side of the diagonal.
    fn put(&mut self, place: Place, value: f64) -> Result<(), String> {
        let Place { row, column } = place;
        let symmetry = self.header.symmetry;
        if row < symmetry.first_row(column) {
            return Err(format!(
                "a cell {} the diagonal, where the matrix follows from what is below; leave it \
                 out, or write general in line 1",
                if row < column { "above" } else { "on" }
            ));
        }
        self.cells.put(row, column, value);
        if row != column {
            match symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => self.cells.put(column, row, value),
                Symmetry::Skew => self.cells.put(column, row, -value),
            }
        }
        self.next = match row + 1 < self.header.shape.rows {
            true => Place {
                row: row + 1,
                column,
            },
            false => Place {
                row: symmetry.first_row(column + 1),
                column: column + 1,
            },
        };
        Ok(())
    }
}

/// A line with a place, and with a value unless it is 1.
fn cell(line: &[u8], kind: Line, shape: Shape) -> Result<(Place, f64), String> {
    let mut words = words(line);
    let place = Place {
        row: position(words.next(), "row", shape.rows)?,
        column: position(words.next(), "column", shape.columns)?,
    };
    let value = match kind {
        Line::Place => end(words).map(|()| 1.0),
        _ => value(words),
    };
    Ok((place, value?))
}

/// A row or a column, counted from 1 in the file.
fn position(word: Option<&[u8]>, what: &str, most: usize) -> Result<usize, String> {
    let word = word
        .map(String::from_utf8_lossy)
        .ok_or_else(|| format!("there is no {what}; write row, column and value"))?;
    match word.parse::<usize>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number - 1),
        Ok(number) => Err(format!(
            "{what} {number}, but the size line has {what}s from 1 to {most}; correct one of them"
        )),
        Err(_) => Err(format!(
            "{} is no {what}; write a whole number from 1 to {most}",
            quoted(&word)
        )),
    }
}

/// The value that is left of a line; NaN where it says that it is missing.
fn value<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<f64, String> {
    let word = words
        .next()
        .ok_or("there is no value; write row, column and value")?;
    end(words)?;
    if let Ok(number) = fast_float2::parse(word) {
        return Ok(number);
    }
    let word = String::from_utf8_lossy(word);
    parse(&word).ok_or_else(|| match decimal_point(&word) {
        Some(point) => format!(
            "{} has a decimal comma; write decimal points: {point}",
            quoted(&word)
        ),
        None => format!("{} is not a number; write one there", quoted(&word)),
    })
}

/// Refuses more words.
fn end<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
    match words.next() {
        None => Ok(()),
        Some(word) => Err(format!(
            "{} is more than a cell has; write one cell on each line",
            quoted(&String::from_utf8_lossy(word))
        )),
    }
}
