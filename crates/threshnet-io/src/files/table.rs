//! A data file in memory, column by column.

use super::column::Column;
use super::header::Header;
use super::places::Places;
use super::source::{Block, Blocks, Keep, Manner, Names, Source, open};
use super::troubles::{Spread, explained};
use super::wording::{drop_flag, missing, quoted};
use super::{Input, Reached};
use crate::cell::Oddity;
use anyhow::Result;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;

/// By how much more than expected memory is set aside: rows differ in length.
const SLACK: f64 = 1.02;

/// A file whose header is read and checked, and whose rows are still to come:
/// a wrong column name costs no reading.
pub struct Reader {
    /// The column names of the file.
    pub header: Header,
    pub source: Source,
}

impl Reader {
    /// Opens the file and reads its header; `names` is for a matrix that has none.
    pub fn open(path: &Path, names: &Names, manner: &Manner) -> Result<Reader> {
        Reader::new(path, open(path, names, manner)?)
    }

    /// Opens a file with a header, where a name that occurs again is numbered: `gene`,
    /// `gene (2)`.
    pub fn open_numbered(path: &Path) -> Result<Reader> {
        let mut source = open(path, &Names::Features, &Manner::default())?;
        number_names(&mut source.names);
        Reader::new(path, source)
    }

    fn new(path: &Path, source: Source) -> Result<Reader> {
        let header = Header::new(path, source.names.iter().map(String::as_str))?;
        Ok(Reader { header, source })
    }

    /// How the text is encoded, if that was detected and is not UTF-8.
    pub fn encoding(&self) -> Option<String> {
        let name = self.source.encoding?.name();
        Some(format!(
            "{name}, by its first bytes; --encoding says another"
        ))
    }

    /// Why a column cannot be read, if it cannot.
    pub fn unreadable(&self, column: usize) -> Option<&String> {
        self.source.unreadable.get(&column)
    }

    /// Reads all rows into a table of the wanted columns, in the order given, and tells how far
    /// it is.
    pub fn read(self, wanted: &[(usize, Keep)], reached: Reached) -> Result<Table> {
        let mut stream = self.stream(wanted)?;
        let mut table = Table::new(stream.header.clone(), wanted.iter().map(|&(_, keep)| keep));
        for block in &mut stream.blocks {
            let block = block?;
            table.append(&block);
            if let Some(share) = block.share {
                reached(share);
            }
        }
        stream.refuse_empty(table.rows())?;
        table.columns.par_iter_mut().for_each(Column::shrink);
        Ok(table)
    }

    /// Reads the wanted columns a few rows at a time, in the order given.
    pub fn stream(self, wanted: &[(usize, Keep)]) -> Result<Stream> {
        let header = self.header.subset(wanted.iter().map(|&(at, _)| at));
        let problems = wanted.iter().map(|&(at, _)| self.unreadable(at));
        if let Some((at, Some(problem))) = problems.enumerate().find(|(_, p)| p.is_some()) {
            let name = &header.names()[at];
            let (flag, name) = (drop_flag(&[name]), quoted(name));
            let problem = format_args!("column {name}: {problem}; leave it out with {flag}");
            return Err(header.error(problem));
        }
        Ok(Stream {
            header,
            blocks: self.source.read(wanted)?,
            seen: 0,
        })
    }
}

/// The rows of a file as tables of a few rows each.
pub struct Stream {
    header: Header,
    blocks: Blocks,
    seen: usize,
}

impl Stream {
    /// The next rows, or `None` after the last.
    pub fn next(&mut self) -> Result<Option<Table>> {
        let mut blocks = (&mut self.blocks).skip_while(is_empty);
        let Some(block) = blocks.next().transpose()? else {
            self.refuse_empty(self.seen)?;
            return Ok(None);
        };
        let keep = (0..self.header.names().len()).map(|column| block.keep(column));
        let mut table = Table::new(self.header.clone(), keep);
        table.append(&block);
        self.seen += table.rows();
        Ok(Some(table))
    }

    fn refuse_empty(&self, rows: usize) -> Result<()> {
        match rows {
            0 => Err(self.header.error("a header, but no rows; add some")),
            _ => Ok(()),
        }
    }
}

/// Whether there are no rows, but not because of an error.
fn is_empty(block: &Result<Block>) -> bool {
    block.as_ref().is_ok_and(|block| block.rows() == 0)
}

/// Numbers the names that occur again.
fn number_names(names: &mut [String]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *name = format!("{name} ({count})");
        }
    }
}

/// Named columns and the places their rows come from.
#[derive(Debug)]
pub struct Table {
    /// The names of the columns.
    pub(crate) header: Header,
    /// The columns, in the order of the names.
    pub(crate) columns: Vec<Column>,
    pub(super) places: Option<Places>,
}

impl Table {
    fn new(header: Header, keep: impl Iterator<Item = Keep>) -> Table {
        Table {
            header,
            columns: keep.map(Column::new).collect(),
            places: None,
        }
    }

    /// Reads these columns of a file, each as it shall be kept. Several may be of one name.
    pub fn of_columns(input: &Input, names: &[(&str, Keep)]) -> Result<Table> {
        let reader = input.open()?;
        let mut wanted: Vec<(usize, Keep)> = Vec::new();
        for &(name, keep) in names {
            let position = reader.header.find(name)?;
            if wanted.iter().all(|&(known, _)| known != position) {
                wanted.push((position, keep));
            }
        }
        reader.read(&wanted, &|_| ())
    }

    /// Adds rows.
    fn append(&mut self, block: &Block) {
        match &mut self.places {
            Some(places) => places.append(&block.places),
            places => {
                *places = Some(block.places.clone());
                // The file goes on like this: what it needs is set aside once. (Not where zeros are
                // left out.)
                let share = block.share.filter(|_| !block.is_sparse());
                if let Some(share) = share.filter(|&share| share > 0.0 && share < 1.0) {
                    let rows = block.rows() as f64 / share * SLACK;
                    let columns = self.columns.par_iter_mut().with_min_len(1024);
                    columns.for_each(|column| column.reserve(rows as usize));
                }
            }
        }
        let columns = self.columns.par_iter_mut().with_min_len(64).enumerate();
        columns.for_each(|(number, column)| column.append(block, number));
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.places.as_ref().map_or(0, Places::len)
    }

    /// The column of this name, if none of its cells is missing.
    pub(crate) fn complete(&self, name: &str) -> Result<&Column> {
        let column = &self.columns[self.header.find(name)?];
        let Some(row) = column.first_missing else {
            return Ok(column);
        };
        let spread = Spread {
            name,
            row,
            count: column.missing,
            cell: "",
            column,
        };
        let missing = missing(column.missing, &[spread]);
        let problem = format!("{missing}; fill in every cell or leave the row out");
        Err(self.error_at(row, name, problem))
    }

    /// The values of this column, which must all be numbers.
    pub fn number(&self, name: &str) -> Result<Cow<'_, [f64]>> {
        let column = self.complete(name)?;
        match column.first_text {
            None => Ok(column.numbers()),
            Some(_) => Err(self.not_a_number(name, "write a number there")),
        }
    }

    /// The cells of this column as text, none of them missing; see
    /// [`Column::spelled`].
    pub(crate) fn text(&self, name: &str) -> Result<Vec<Cow<'_, str>>> {
        Ok(self.complete(name)?.spelled())
    }

    /// The error of the first cell of a column that should be a number and is not, and what to
    /// do about it.
    pub(crate) fn not_a_number(&self, name: &str, fix: &str) -> anyhow::Error {
        let column = match self.header.find(name) {
            Ok(position) => &self.columns[position],
            Err(error) => return error,
        };
        let (row, cell) = (column.first_text.unwrap_or(0), column.text_cell());
        let oddity = Oddity::of(cell);
        let (what, usual) = explained(oddity, cell);
        let fix = match oddity {
            Oddity::Text => fix,
            _ => &usual,
        };
        self.error_at(row, name, format_args!("{what}; {fix}"))
    }

    /// Where a row is, in words.
    pub(crate) fn place(&self, row: usize) -> String {
        (self.places.as_ref()).map_or_else(String::new, |places| places.name(row))
    }

    /// An error about a column.
    pub(crate) fn error_in(&self, name: &str, problem: impl Display) -> anyhow::Error {
        let name = quoted(name);
        self.header.error(format_args!("column {name}: {problem}"))
    }

    /// An error about one cell.
    pub fn error_at(&self, row: usize, name: &str, problem: impl Display) -> anyhow::Error {
        self.header.error(self.at(row, name, problem))
    }

    /// What is wrong with one cell, in words that name it.
    pub(crate) fn at(&self, row: usize, name: &str, problem: impl Display) -> String {
        format!("{}, column {}: {problem}", self.place(row), quoted(name))
    }
}

#[cfg(test)]
mod tests;
