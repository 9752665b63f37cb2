//! Some rows of a file: what every format hands out.

use super::stored::Stored;
use crate::cell::{Rules, parse};
use crate::files::places::Places;
use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// How a column is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// As numbers if its cells are numbers, else as text.
    Values,
    /// As numbers, whatever else its cells are.
    Numbers,
    /// As it is written in the file, such as class names that may be numbers.
    Spelling,
}

/// Rows of the wanted columns. A cell is a number, a text or missing: infinite numbers count as
/// missing.
pub struct Block {
    keep: Vec<Keep>,
    numbers: Numbers,
    /// The cells that are kept as they are spelled, by column.
    spelled: BTreeMap<usize, Spelled>,
    /// Where the rows are.
    pub places: Places,
    /// The share of the file that has been read at the end of this block, if it is known.
    pub share: Option<f64>,
}

/// The numbers of a block; NaN where a cell is none.
enum Numbers {
    /// Column after column, each with room for `stride` rows.
    All { values: Vec<f64>, stride: usize },
    /// Only those that are not zero, in some rows of a matrix.
    Stored {
        matrix: Arc<Stored>,
        rows: Range<usize>,
    },
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
            numbers: Numbers::All {
                values: vec![0.0; keep.len() * rows],
                stride: rows,
            },
            spelled: BTreeMap::new(),
            places,
            share: None,
        }
    }

    /// These rows of a matrix that has the columns to be kept, in their order.
    pub fn stored(keep: &[Keep], matrix: &Arc<Stored>, rows: Range<usize>) -> Block {
        let mut block = Block {
            keep: keep.to_vec(),
            numbers: Numbers::Stored {
                matrix: matrix.clone(),
                rows: rows.clone(),
            },
            spelled: BTreeMap::new(),
            places: Places::of_rows(rows.start, rows.len()),
            share: None,
        };
        for column in (0..keep.len()).filter(|&column| keep[column] == Keep::Spelling) {
            for (row, value) in block.numbers(column).into_owned().into_iter().enumerate() {
                if !value.is_nan() {
                    block.spell(row, column, &value.to_string());
                }
            }
        }
        block
    }

    /// The rows whose number in a column is positive, or missing; with their zeros.
    pub fn positive(self, column: usize) -> Block {
        let of_column = self.numbers(column);
        let out = |row: &usize| of_column[*row] <= 0.0;
        let rows: Vec<usize> = (0..self.rows()).filter(|row| !out(row)).collect();
        drop(of_column);
        if rows.len() == self.rows() && !self.is_sparse() {
            return self;
        }
        let mut kept = Block::new(&self.keep, rows.len(), self.places.only(&rows));
        kept.share = self.share;
        for column in 0..self.keep.len() {
            let numbers = self.numbers(column);
            for (at, &row) in rows.iter().enumerate() {
                kept.put_plain(at, column, numbers[row]);
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
    pub fn numbers(&self, column: usize) -> Cow<'_, [f64]> {
        match &self.numbers {
            Numbers::All { values, stride } => {
                Cow::Borrowed(&values[column * stride..][..self.rows()])
            }
            Numbers::Stored { matrix, rows } => {
                let mut all = vec![0.0; rows.len()];
                for (row, value) in matrix.cells(column, rows) {
                    all[row] = value;
                }
                Cow::Owned(all)
            }
        }
    }

    /// Whether zeros are left out.
    pub fn is_sparse(&self) -> bool {
        matches!(self.numbers, Numbers::Stored { .. })
    }

    /// The rows of a column that are stored, and their values, where zeros are left out.
    pub fn cells(&self, column: usize) -> Option<impl Iterator<Item = (usize, f64)> + Clone + '_> {
        match &self.numbers {
            Numbers::Stored { matrix, rows } => Some(matrix.cells(column, rows)),
            Numbers::All { .. } => None,
        }
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
        if let Numbers::All { values, stride } = &mut self.numbers {
            values[column * *stride + row] = value;
        }
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

    /// Puts a cell as it is written, surrounding blanks aside; a number that is written in the
    /// file's own way is spelled as it is everywhere.
    pub fn put_text(&mut self, row: usize, column: usize, cell: &str, rules: &Rules) {
        let cell = cell.trim();
        let value = rules.parse(cell);
        match value {
            None => self.spell(row, column, cell),
            Some(number) if self.keep[column] == Keep::Spelling && !number.is_nan() => {
                match parse(cell) == value {
                    true => self.spell(row, column, cell),
                    false => self.spell(row, column, &number.to_string()),
                }
            }
            Some(_) => {}
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
