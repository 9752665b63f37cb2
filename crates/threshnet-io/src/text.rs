//! A column of text as the engine takes it: a column for each of its levels, 1 where a row has
//! this level and 0 elsewhere.

use crate::cell::parse;
use crate::wording::{list, quoted};
use indexmap::IndexSet;
use threshnet::dataset::Features;
use threshnet::model::Model;

/// From how many rows on a column of text can be told from identifiers.
const FEW_ROWS: usize = 20;

/// Text of some levels.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The distinct cells as they are spelled, in the order in which they occur.
    pub(crate) levels: IndexSet<String>,
    /// The level of each row.
    pub(crate) codes: Vec<u32>,
}

impl Text {
    /// The code of a missing cell.
    pub const MISSING: u32 = u32::MAX;

    /// The text with these cells, `None` where one is missing.
    pub fn of<S: AsRef<str>>(cells: impl IntoIterator<Item = Option<S>>) -> Text {
        let mut text = Text::default();
        for cell in cells {
            let code = cell.map(|cell| text.code(cell.as_ref()));
            text.codes.push(code.unwrap_or(Text::MISSING));
        }
        text
    }

    /// The text whose rows have these cells, given by their positions, as a file with them would
    /// be read: blanks around a cell do not count, and a cell may say that its value is missing.
    pub fn read<S: AsRef<str>>(cells: &[S], rows: impl IntoIterator<Item = usize>) -> Text {
        let mut text = Text::default();
        // (a cell that no row has is no level)
        let mut known = vec![None; cells.len()];
        for cell in rows {
            let code = *known[cell].get_or_insert_with(|| {
                let cell = cells[cell].as_ref().trim();
                match parse(cell).is_some_and(f64::is_nan) {
                    true => Text::MISSING,
                    false => text.code(cell),
                }
            });
            text.codes.push(code);
        }
        text
    }

    /// The code of a level, which may be new.
    pub(crate) fn code(&mut self, level: &str) -> u32 {
        match self.levels.get_index_of(level) {
            Some(code) => code as u32,
            None => self.levels.insert_full(level.to_string()).0 as u32,
        }
    }

    /// The distinct cells, in the order in which they occur.
    pub fn levels(&self) -> &IndexSet<String> {
        &self.levels
    }

    /// The position in [`levels`](Self::levels) of each row's cell, or [`Self::MISSING`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The first row whose cell is missing.
    pub fn first_missing(&self) -> Option<usize> {
        self.codes.iter().position(|&code| code == Text::MISSING)
    }

    /// The first row whose cell is a number.
    pub fn first_number(&self) -> Option<usize> {
        self.numbers().iter().position(|value| !value.is_nan())
    }

    /// The first row whose cell is neither a number nor missing.
    pub fn first_text(&self) -> Option<usize> {
        let no_number = |(&code, value): (&u32, &f64)| code != Text::MISSING && value.is_nan();
        self.codes.iter().zip(&self.numbers()).position(no_number)
    }

    /// The values of its cells; NaN where one is missing or no finite number.
    pub fn numbers(&self) -> Vec<f64> {
        let levels: Vec<f64> = (self.levels.iter())
            .map(|level| parse(level).unwrap_or(f64::NAN))
            .collect();
        let value = |&code: &u32| levels.get(code as usize).copied().unwrap_or(f64::NAN);
        self.codes.iter().map(value).collect()
    }

    /// Whether nearly every row differs, as names and numbers of patients do.
    pub fn identifies(&self) -> bool {
        let rows = self.codes().len();
        rows >= FEW_ROWS && self.levels.len() * 10 >= rows * 9
    }

    /// The cell of a row; empty where it is missing.
    pub fn cell(&self, row: usize) -> &str {
        let level = self.levels.get_index(self.codes[row] as usize);
        level.map_or("", String::as_str)
    }

    /// What a fit takes: the levels in sorted order, and a column for each.
    ///
    /// # Panics
    ///
    /// If a cell is missing; see [`codes`](Self::codes).
    pub fn to_fit(&self) -> (Vec<String>, Vec<Vec<f64>>) {
        let mut levels: Vec<String> = self.levels.iter().cloned().collect();
        levels.sort_unstable();
        let places: Vec<usize> = (self.levels.iter())
            .map(|level| levels.partition_point(|before| before < level))
            .collect();
        let of_rows: Vec<usize> = (self.codes.iter())
            .map(|&code| places[code as usize])
            .collect();
        let columns = Features::one_hot(levels.len(), &of_rows);
        (levels, columns)
    }
}

/// A text of a model.
#[derive(Debug, Clone)]
pub struct KnownText {
    levels: Vec<String>,
    /// Those that the model has a column for: not one that no row of its fit had.
    used: Vec<usize>,
}

impl KnownText {
    /// A feature of a model, by number, if it is a text.
    pub fn of(model: &Model, feature: usize) -> Option<KnownText> {
        let levels = model.features.levels(feature)?;
        let own = model.features.columns_of(feature);
        let columns = model.columns().into_iter().filter(|j| own.contains(j));
        Some(KnownText {
            levels: levels.to_vec(),
            used: columns.map(|j| j - own.start).collect(),
        })
    }

    /// What to say of a cell that is none of the levels that the model knows.
    pub fn unknown(&self, cell: &str) -> String {
        let (cell, levels) = (quoted(cell), list(&self.levels));
        format!(
            "{cell} is none of the levels the model knows; write one of {levels}, or leave the \
             row out"
        )
    }

    /// The columns of the model for a text, or the first row whose cell is missing or none of
    /// the levels that the model knows.
    pub fn columns(&self, text: &Text) -> Result<Vec<Vec<f64>>, usize> {
        let known: Vec<Option<usize>> = (text.levels.iter())
            .map(|level| self.levels.iter().position(|known| known == level))
            .collect();
        let of_rows: Vec<usize> = (text.codes.iter().enumerate())
            .map(|(row, &code)| known.get(code as usize).copied().flatten().ok_or(row))
            .collect::<Result<_, usize>>()?;
        let all = Features::one_hot(self.levels.len(), &of_rows);
        let used = all.into_iter().enumerate();
        Ok(used
            .filter(|(level, _)| self.used.contains(level))
            .map(|(_, column)| column)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_a_column_for_each_sorted_level() {
        let text = Text::of(["b", "a", "b"].map(Some));
        assert_eq!(text.codes(), [0, 1, 0]);
        let (levels, columns) = text.to_fit();
        assert_eq!(levels, ["a", "b"]);
        assert_eq!(columns, [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]);
    }

    #[test]
    fn cells_in_memory_are_read_as_those_of_a_file() {
        let cells = ["unused", " b", "NA", "b ", "a", "2"];
        let text = Text::read(&cells, [1, 2, 3, 4, 5]);
        assert_eq!(text.codes(), [0, Text::MISSING, 0, 1, 2]);
        assert_eq!(text.levels().iter().collect::<Vec<_>>(), ["b", "a", "2"]);
        assert_eq!(text.first_missing(), Some(1));
        assert_eq!((text.first_text(), text.first_number()), (Some(0), Some(4)));
        let numbers = Text::read(&["1.5", " -2 "], [1, 0, 1]);
        assert_eq!(numbers.numbers(), [-2.0, 1.5, -2.0]);
        assert_eq!(
            (numbers.first_text(), numbers.first_missing()),
            (None, None)
        );
    }

    #[test]
    fn a_model_takes_only_its_levels() {
        let known = KnownText {
            levels: ["a", "b", "c"].map(String::from).into(),
            used: vec![0, 2],
        };
        let columns = |cells: &[Option<&str>]| known.columns(&Text::of(cells.iter().copied()));
        let found = columns(&[Some("c"), Some("a"), Some("b")]).unwrap();
        assert_eq!(found, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(columns(&[Some("a"), Some("d")]), Err(1));
        assert_eq!(columns(&[None, Some("d")]), Err(0));
        let said = r#""d" is none of the levels the model knows; write one of "a", "b", "c""#;
        assert!(known.unknown("d").starts_with(said));
    }
}
