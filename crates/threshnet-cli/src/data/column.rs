//! One column of a table: numbers while all cells are numbers, else text.

use csv::StringRecord;
use std::borrow::Cow;

/// How a cell says that its value is not known.
const MISSING: [&str; 7] = ["", "NA", "N/A", "NaN", "nan", "null", "."];

/// How a column is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// As numbers while all cells are numbers.
    Numbers,
    /// As it is written in the file, such as class names that may be numbers.
    Spelling,
}

/// The cells of a column, and where they are not plain numbers.
#[derive(Debug, Clone)]
pub struct Column {
    cells: Cells,
    missing: usize,
    first_missing: Option<usize>,
    first_text: Option<usize>,
}

/// The storage of a column; a record is one buffer and the ends of its cells.
#[derive(Debug, Clone)]
enum Cells {
    Numbers(Vec<f64>),
    Text(StringRecord),
}

impl Column {
    /// An empty column.
    pub fn new(keep: Keep) -> Self {
        Column {
            cells: match keep {
                Keep::Numbers => Cells::Numbers(Vec::new()),
                Keep::Spelling => Cells::Text(StringRecord::new()),
            },
            missing: 0,
            first_missing: None,
            first_text: None,
        }
    }

    /// Adds a cell, trimmed of surrounding blanks.
    pub fn push(&mut self, cell: &str) {
        let cell = cell.trim();
        let number = parse(cell);
        match number {
            Some(value) if value.is_nan() => {
                self.missing += 1;
                self.first_missing.get_or_insert(self.len());
            }
            Some(_) => {}
            None if self.first_text.is_none() => {
                self.first_text = Some(self.len());
                self.cells = Cells::Text(self.spelled().iter().map(AsRef::as_ref).collect());
            }
            None => {}
        }
        match &mut self.cells {
            Cells::Numbers(values) => values.push(number.unwrap_or(f64::NAN)),
            Cells::Text(cells) => cells.push_field(cell),
        }
    }

    /// Gives back memory that was set aside for more rows.
    pub fn shrink(&mut self) {
        if let Cells::Numbers(values) = &mut self.cells {
            values.shrink_to_fit();
        }
    }

    /// The number of cells.
    fn len(&self) -> usize {
        match &self.cells {
            Cells::Numbers(values) => values.len(),
            Cells::Text(cells) => cells.len(),
        }
    }

    /// How many cells are missing or not finite.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The first row whose cell is missing or not finite.
    pub fn first_missing(&self) -> Option<usize> {
        self.first_missing
    }

    /// The first row whose cell is neither a number nor missing.
    pub fn first_text(&self) -> Option<usize> {
        self.first_text
    }

    /// The values; NaN where a cell is no finite number.
    pub fn numbers(&self) -> Cow<'_, [f64]> {
        match &self.cells {
            Cells::Numbers(values) => Cow::Borrowed(values),
            Cells::Text(cells) => Cow::Owned(
                cells
                    .iter()
                    .map(|cell| parse(cell).unwrap_or(f64::NAN))
                    .collect(),
            ),
        }
    }

    /// The values, without a copy where they are kept as numbers.
    pub fn into_numbers(self) -> Vec<f64> {
        match self.cells {
            Cells::Numbers(values) => values,
            Cells::Text(_) => self.numbers().into_owned(),
        }
    }

    /// The cells as text: the file's own spelling, except of numbers in a
    /// column that was kept as [`Keep::Numbers`] when they were read.
    pub fn spelled(&self) -> Vec<Cow<'_, str>> {
        match &self.cells {
            Cells::Numbers(values) => values
                .iter()
                .map(|v| match v.is_nan() {
                    true => Cow::Borrowed(""),
                    false => Cow::Owned(v.to_string()),
                })
                .collect(),
            Cells::Text(cells) => cells.iter().map(Cow::Borrowed).collect(),
        }
    }
}

/// The number in a cell, NaN if it is missing or not finite, `None` if it is text.
pub fn parse(cell: &str) -> Option<f64> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Some(value),
        Ok(_) => Some(f64::NAN),
        Err(_) => MISSING.contains(&cell).then_some(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of the given cells.
    fn column(keep: Keep, cells: &[&str]) -> Column {
        let mut column = Column::new(keep);
        cells.iter().for_each(|cell| column.push(cell));
        column
    }

    #[test]
    fn numbers_are_parsed_in_64_bit() {
        let cells = ["1", " -2.5e-3 ", "+7", "0.1234567890123456789", ".5"];
        let values = vec![1.0, -2.5e-3, 7.0, 0.123_456_789_012_345_68, 0.5];
        for keep in [Keep::Numbers, Keep::Spelling] {
            let column = column(keep, &cells);
            assert_eq!(column.first_text(), None);
            assert_eq!(column.missing(), 0);
            assert_eq!(column.numbers(), values);
            assert_eq!(column.into_numbers(), values);
        }
    }

    #[test]
    fn missing_and_infinite_cells_are_counted() {
        for cell in [
            "", " ", "NA", "N/A", "NaN", "nan", "null", ".", "inf", "-Inf", "1e999",
        ] {
            for keep in [Keep::Numbers, Keep::Spelling] {
                let column = column(keep, &["1", cell, "2", cell]);
                assert_eq!(column.missing(), 2, "{cell}");
                assert_eq!(column.first_missing(), Some(1));
                assert_eq!(column.first_text(), None);
                assert!(column.numbers()[1].is_nan());
                assert_eq!(column.numbers()[2], 2.0);
            }
        }
    }

    #[test]
    fn text_is_kept_from_the_first_cell_that_is_no_number() {
        let cells = ["1.0", "NA", "a", "2.0", "b"];
        let mixed = column(Keep::Numbers, &cells);
        assert_eq!(mixed.first_text(), Some(2));
        assert_eq!(mixed.missing(), 1);
        assert_eq!(mixed.spelled(), ["1", "", "a", "2.0", "b"]);
        assert!(mixed.numbers()[2].is_nan());
        let verbatim = column(Keep::Spelling, &cells);
        assert_eq!(verbatim.spelled(), cells);
        assert_eq!(verbatim.first_text(), Some(2));
    }
}
