//! One column of a table: numbers, or text of some levels, or a mixture of both that nothing can
//! be done with.

use super::source::{Block, Keep, Spelled};
use super::troubles::explained;
use super::wording::MISSING_CELL;
use crate::cell::Oddity;
use crate::text::Text;
use indexmap::IndexSet;
use std::borrow::Cow;

/// The cells of a column, and where they are of which kind.
#[derive(Debug, Clone)]
pub struct Column {
    /// The cells by their kind.
    pub cells: Cells,
    rows: usize,
    /// How many cells are missing or not finite, and the first row with such a cell.
    pub missing: usize,
    pub first_missing: Option<usize>,
    /// The first row whose cell is a number, and the number.
    pub first_number: Option<(usize, f64)>,
    /// The first row whose cell is neither a number nor missing.
    pub first_text: Option<usize>,
    /// The cells that are neither, by what they look like, in the order in which they occur.
    pub odd: Vec<OddCells>,
}

/// Cells of a column that look alike and are neither numbers nor missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddCells {
    /// What they look like.
    pub oddity: Oddity,
    /// Their rows, ascending.
    pub rows: Vec<u32>,
    /// The first.
    pub cell: String,
}

/// The storage of a column.
#[derive(Debug, Clone)]
pub enum Cells {
    /// A value per row; NaN where it is missing or not finite.
    Numbers(Vec<f64>),
    /// The same without zeros.
    Stored(Stored),
    /// A level per row. (In a box: there may be a million columns, and few are text.)
    Text(Box<Text>),
    /// Numbers and text: the first cell of text stands for all.
    Mixed(String),
}

/// The cells of a column that are not zero, and maybe some that are, by row.
#[derive(Debug, Clone, Default)]
pub struct Stored {
    /// Ascending.
    pub rows: Vec<i32>,
    /// NaN where a cell is missing or not finite.
    pub values: Vec<f64>,
}

impl OddCells {
    /// The row of the first.
    pub fn first(&self) -> usize {
        self.rows[0] as usize
    }
}

impl Column {
    /// An empty column.
    pub fn new(keep: Keep) -> Self {
        Column {
            cells: match keep {
                Keep::Values | Keep::Numbers => Cells::Numbers(Vec::new()),
                Keep::Spelling => Cells::Text(Box::default()),
            },
            rows: 0,
            missing: 0,
            first_missing: None,
            first_number: None,
            first_text: None,
            odd: Vec::new(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Sets memory aside for so many rows, if there is any.
    pub fn reserve(&mut self, rows: usize) {
        if let Cells::Numbers(values) = &mut self.cells {
            let _ = values.try_reserve_exact(rows);
        }
    }

    /// Adds the rows of a block, in which this is the given column.
    pub fn append(&mut self, block: &Block, column: usize) {
        let cells = block.cells(column);
        if let Some(cells) = cells.filter(|_| block.keep(column) != Keep::Spelling) {
            self.append_stored(cells, block.rows());
            return;
        }
        let values = &block.numbers(column)[..];
        let spelled = block.spelled(column);
        if let Some(spelled) = spelled {
            self.note_odd(values, spelled);
        }
        self.note(values, spelled.map_or(&[], |spelled| &spelled.cells));
        if block.keep(column) == Keep::Values {
            self.settle_kind(|| spelled.map_or(String::new(), |spelled| spelled.levels[0].clone()));
        }
        match &mut self.cells {
            Cells::Numbers(all) => all.extend_from_slice(values),
            Cells::Text(text) => {
                let start = text.codes.len();
                text.codes.resize(start + values.len(), Text::MISSING);
                let Some(spelled) = spelled else { return };
                let levels: Vec<u32> = (spelled.levels.iter())
                    .map(|level| text.code(level))
                    .collect();
                for &(row, level) in &spelled.cells {
                    text.codes[start + row] = levels[level];
                }
            }
            // (a file leaves out zeros everywhere or nowhere)
            Cells::Mixed(_) | Cells::Stored(_) => {}
        }
    }

    /// Adds so many rows that are zero but for these cells.
    fn append_stored(&mut self, cells: impl Iterator<Item = (usize, f64)> + Clone, rows: usize) {
        let start = self.rows;
        self.rows += rows;
        let missing = || cells.clone().filter(|(_, value)| value.is_nan());
        if self.first_number.is_none() {
            let ahead = missing().enumerate().take_while(|(at, (row, _))| at == row);
            let first = ahead.count();
            let stored = cells.clone().find(|&(row, _)| row == first);
            self.first_number =
                (first < rows).then(|| (start + first, stored.map_or(0.0, |(_, value)| value)));
        }
        if self.first_missing.is_none() {
            self.first_missing = missing().next().map(|(row, _)| start + row);
        }
        self.missing += missing().count();
        if let Cells::Numbers(_) = self.cells {
            self.cells = Cells::Stored(Stored::default());
        }
        if let Cells::Stored(stored) = &mut self.cells {
            for (row, value) in cells {
                stored.rows.push((start + row) as i32);
                stored.values.push(value);
            }
        }
    }

    /// Counts cells by their kind. `spelled` are the cells with a text, some of which may be
    /// numbers.
    fn note(&mut self, values: &[f64], spelled: &[(usize, usize)]) {
        let start = self.rows;
        self.rows += values.len();
        let first = |found: Option<usize>| found.map(|row| start + row);
        if self.first_number.is_none() {
            let found = values.iter().position(|v| !v.is_nan());
            self.first_number = found.map(|row| (start + row, values[row]));
        }
        let no_numbers = values.iter().filter(|v| v.is_nan()).count();
        if no_numbers == 0 {
            return;
        }
        let texts: Vec<usize> = (spelled.iter())
            .map(|&(row, _)| row)
            .filter(|&row| values[row].is_nan())
            .collect();
        if self.first_text.is_none() {
            self.first_text = first(texts.first().copied());
        }
        self.missing += no_numbers - texts.len();
        if self.first_missing.is_none() && no_numbers > texts.len() {
            let mut texts = texts.iter().peekable();
            self.first_missing = first((0..values.len()).find(|&row| {
                let text = texts.next_if(|&&text| text == row).is_some();
                values[row].is_nan() && !text
            }));
        }
    }

    /// Counts cells of text by what they look like.
    fn note_odd(&mut self, values: &[f64], spelled: &Spelled) {
        let mut known: Vec<Option<Oddity>> = vec![None; spelled.levels.len()];
        for &(row, level) in &spelled.cells {
            if !values[row].is_nan() {
                continue;
            }
            let cell = &spelled.levels[level];
            let oddity = *known[level].get_or_insert_with(|| Oddity::of(cell));
            let row = (self.rows + row) as u32;
            match self.odd.iter_mut().find(|odd| odd.oddity == oddity) {
                Some(odd) => odd.rows.push(row),
                None => self.odd.push(OddCells {
                    oddity,
                    rows: vec![row],
                    cell: cell.clone(),
                }),
            }
        }
    }

    /// The cells of text that look like this.
    pub fn odd(&self, oddity: Oddity) -> Option<&OddCells> {
        self.odd.iter().find(|odd| odd.oddity == oddity)
    }

    /// The rows whose cell is neither a number nor missing.
    pub fn text_rows(&self) -> Vec<usize> {
        let rows = self.odd.iter().flat_map(|odd| &odd.rows);
        rows.map(|&row| row as usize).collect()
    }

    /// Why a model cannot take the cell of a row as a number.
    pub fn refusal(&self, row: usize) -> String {
        let odd = (self.odd.iter()).find(|odd| odd.rows.binary_search(&(row as u32)).is_ok());
        match odd {
            None => format!("{}; fill in every cell or leave the row out", MISSING_CELL),
            Some(odd) if odd.oddity == Oddity::Text && odd.first() == row => {
                let (what, _) = explained(odd.oddity, &odd.cell);
                format!("{what}; the model needs a number there")
            }
            Some(odd) if odd.first() == row => {
                let (what, fix) = explained(odd.oddity, &odd.cell);
                format!("{what}; {fix}")
            }
            Some(_) => "this is not a number; the model needs one there".into(),
        }
    }

    /// Whether numbers are in it, though maybe in another country's way of writing.
    pub fn has_numbers(&self) -> bool {
        self.first_number.is_some() || self.odd(Oddity::Comma).is_some()
    }

    /// Whether all its cells that are not missing are dates.
    pub fn is_dates(&self) -> bool {
        let only = self.odd.len() == 1 && self.odd(Oddity::Date).is_some();
        only && self.first_number.is_none()
    }

    /// Numbers become text, or a mixture, as the cells that were seen demand.
    fn settle_kind(&mut self, text: impl Fn() -> String) {
        match (&mut self.cells, self.first_number, self.first_text) {
            (Cells::Numbers(_), Some(_), Some(_)) => self.cells = Cells::Mixed(text()),
            (Cells::Numbers(values), None, Some(_)) => {
                let codes = vec![Text::MISSING; values.len()];
                let levels = IndexSet::new();
                self.cells = Cells::Text(Box::new(Text { levels, codes }));
            }
            (Cells::Text(texts), Some(_), Some(row)) => {
                // No cell of this block is in yet: the text may be one of them.
                let known = texts.codes.get(row).map(|_| texts.cell(row).to_string());
                self.cells = Cells::Mixed(known.unwrap_or_else(text));
            }
            _ => {}
        }
    }

    /// Gives back memory that was set aside for more rows.
    pub fn shrink(&mut self) {
        match &mut self.cells {
            Cells::Numbers(values) => values.shrink_to_fit(),
            Cells::Stored(stored) => {
                stored.rows.shrink_to_fit();
                stored.values.shrink_to_fit();
            }
            Cells::Text(text) => text.codes.shrink_to_fit(),
            Cells::Mixed(_) => {}
        }
    }

    /// The first cell that is neither a number nor missing.
    pub fn text_cell(&self) -> &str {
        match (&self.cells, self.first_text) {
            (Cells::Text(text), Some(row)) => text.cell(row),
            (Cells::Mixed(cell), _) => cell,
            _ => "",
        }
    }

    /// The values; NaN where a cell is no finite number.
    pub fn numbers(&self) -> Cow<'_, [f64]> {
        match &self.cells {
            Cells::Numbers(values) => Cow::Borrowed(values),
            Cells::Stored(stored) => Cow::Owned(stored.of_rows(self.rows)),
            Cells::Text(text) => Cow::Owned(text.numbers()),
            Cells::Mixed(_) => Cow::Owned(vec![f64::NAN; self.rows]),
        }
    }

    /// The values, without a copy where they are kept as numbers.
    pub fn into_numbers(self) -> Vec<f64> {
        match self.cells {
            Cells::Numbers(values) => values,
            _ => self.numbers().into_owned(),
        }
    }

    /// The cells as text: the file's own spelling, except of numbers in a column that was kept
    /// as [`Keep::Values`]; empty where they are missing or were not kept.
    pub fn spelled(&self) -> Vec<Cow<'_, str>> {
        match &self.cells {
            Cells::Numbers(_) | Cells::Stored(_) => (self.numbers().iter())
                .map(|v| match v.is_nan() {
                    true => Cow::Borrowed(""),
                    false => Cow::Owned(v.to_string()),
                })
                .collect(),
            Cells::Text(text) => (0..self.rows)
                .map(|row| Cow::Borrowed(text.cell(row)))
                .collect(),
            Cells::Mixed(_) => vec![Cow::Borrowed(""); self.rows],
        }
    }
}

impl Stored {
    /// A value for every row of so many.
    fn of_rows(&self, rows: usize) -> Vec<f64> {
        let mut all = vec![0.0; rows];
        for (&row, &value) in self.rows.iter().zip(&self.values) {
            all[row as usize] = value;
        }
        all
    }

    /// The cells that are not zero.
    pub fn not_zero(&self) -> impl Iterator<Item = (i32, f64)> + '_ {
        let cells = self.rows.iter().copied().zip(self.values.iter().copied());
        cells.filter(|&(_, value)| value != 0.0)
    }
}

#[cfg(test)]
mod tests;
