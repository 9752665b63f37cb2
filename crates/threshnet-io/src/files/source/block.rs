//! Some rows of a file: what every format hands out.

use crate::cell::parse;
use crate::files::places::Places;
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// How a column is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// As numbers if its cells are numbers, else as text.
    Values,
    /// As it is written in the file, such as class names that may be numbers.
    Spelling,
}

/// Rows of the wanted columns. A cell is a number, a text or missing: infinite numbers count as
/// missing.
#[derive(Debug)]
pub struct Block {
    keep: Vec<Keep>,
    /// Column after column, each with room for `stride` rows; NaN where a cell is no number.
    numbers: Vec<f64>,
    stride: usize,
    /// The cells that are kept as they are spelled, by column.
    spelled: BTreeMap<usize, Spelled>,
    /// Where the rows are.
    pub places: Places,
    /// The share of the file that has been read at the end of this block, if it is known.
    pub share: Option<f64>,
}

/// Cells of one column that are kept as they are spelled.
#[derive(Debug, Default)]
pub struct Spelled {
    /// The distinct cells, in the order in which they occur.
    pub levels: IndexSet<String>,
    /// (row, level), in the order of rows.
    pub cells: Vec<(usize, usize)>,
}

impl Block {
    /// Room for so many rows of these columns, which `places` will say.
    pub fn new(keep: &[Keep], rows: usize, places: Places) -> Block {
        Block {
            keep: keep.to_vec(),
            numbers: vec![0.0; keep.len() * rows],
            stride: rows,
            spelled: BTreeMap::new(),
            places,
            share: None,
        }
    }

    /// The rows whose number in a column is positive, or missing.
    pub fn positive(self, column: usize) -> Block {
        let out = |row: &usize| self.numbers(column)[*row] <= 0.0;
        let rows: Vec<usize> = (0..self.rows()).filter(|row| !out(row)).collect();
        if rows.len() == self.rows() {
            return self;
        }
        let mut kept = Block::new(&self.keep, rows.len(), self.places.only(&rows));
        kept.share = self.share;
        for column in 0..self.keep.len() {
            for (at, &row) in rows.iter().enumerate() {
                kept.put_plain(at, column, self.numbers(column)[row]);
            }
            for &(row, level) in self.spelled(column).map_or(&[][..], |s| &s.cells) {
                if let Ok(at) = rows.binary_search(&row) {
                    kept.spell(at, column, &self.spelled[&column].levels[level]);
                }
            }
        }
        kept
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    /// How a column is kept.
    pub fn keep(&self, column: usize) -> Keep {
        self.keep[column]
    }

    /// The values of a column; NaN where a cell is no finite number.
    pub fn numbers(&self, column: usize) -> &[f64] {
        &self.numbers[column * self.stride..][..self.rows()]
    }

    /// The cells of a column that are kept as they are spelled: all that are not missing with
    /// [`Keep::Spelling`], else those that are no numbers.
    pub fn spelled(&self, column: usize) -> Option<&Spelled> {
        match self.spelled.is_empty() {
            true => None,
            false => self.spelled.get(&column),
        }
    }

    /// Puts a finite number that needs no spelling.
    #[inline]
    pub fn put_plain(&mut self, row: usize, column: usize, value: f64) {
        self.numbers[column * self.stride + row] = value;
    }

    /// Puts a number from a file that has numbers as such.
    pub fn put_number(&mut self, row: usize, column: usize, value: f64) {
        let value = if value.is_finite() { value } else { f64::NAN };
        if self.keep[column] == Keep::Spelling && !value.is_nan() {
            self.spell(row, column, &value.to_string());
        }
        self.put_plain(row, column, value);
    }

    /// Puts a missing cell.
    pub fn put_missing(&mut self, row: usize, column: usize) {
        self.put_plain(row, column, f64::NAN);
    }

    /// Puts a cell as it is written, surrounding blanks aside.
    pub fn put_text(&mut self, row: usize, column: usize, cell: &str) {
        let cell = cell.trim();
        let value = parse(cell);
        let missing = value.is_some_and(f64::is_nan);
        if value.is_none() || (self.keep[column] == Keep::Spelling && !missing) {
            self.spell(row, column, cell);
        }
        self.put_plain(row, column, value.unwrap_or(f64::NAN));
    }

    fn spell(&mut self, row: usize, column: usize, cell: &str) {
        let spelled = self.spelled.entry(column).or_default();
        let level = match spelled.levels.get_index_of(cell) {
            Some(level) => level,
            None => spelled.levels.insert_full(cell.to_string()).0,
        };
        spelled.cells.push((row, level));
    }
}
