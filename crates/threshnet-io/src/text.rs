//! A column of text as the engine takes it: a column for each of its levels, 1 where a row has
//! this level and 0 elsewhere.

use crate::cell::{Oddity, parse};
use crate::wording::{list, quoted};
use indexmap::IndexSet;
use threshnet::dataset::{Features, Unseen};
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

    /// Whether most rows differ, as names and numbers of patients do: less than two rows of a level
    /// on average are nothing to learn from.
    pub fn identifies(&self) -> bool {
        let rows = self.codes().len();
        rows >= FEW_ROWS && self.levels.len() * 2 >= rows
    }

    /// Whether all its cells that are not missing are dates.
    pub fn is_dates(&self) -> bool {
        let is_date = |level: &String| Oddity::of(level) == Oddity::Date;
        !self.levels.is_empty() && self.levels.iter().all(is_date)
    }

    /// The cell of a row; empty where it is missing.
    pub fn cell(&self, row: usize) -> &str {
        let level = self.levels.get_index(self.codes[row] as usize);
        level.map_or("", String::as_str)
    }

    /// What a fit takes: the levels in sorted order, and a column for each, NaN where a cell is
    /// missing.
    pub fn to_fit(&self) -> (Vec<String>, Vec<Vec<f64>>) {
        let mut levels: Vec<String> = self.levels.iter().cloned().collect();
        levels.sort_unstable();
        let places: Vec<usize> = (self.levels.iter())
            .map(|level| levels.partition_point(|before| before < level))
            .collect();
        let of_rows: Vec<Option<usize>> = (self.codes.iter())
            .map(|&code| places.get(code as usize).copied())
            .collect();
        let cell = |level: usize, of_row: &Option<usize>| match of_row {
            Some(own) => f64::from(u8::from(*own == level)),
            None => f64::NAN,
        };
        let columns = (0..levels.len())
            .map(|level| of_rows.iter().map(|of_row| cell(level, of_row)).collect());
        let columns = columns.collect();
        (levels, columns)
    }
}

/// A feature of a model, as it takes rows to predict.
#[derive(Debug, Clone)]
pub struct KnownFeature {
    /// The levels of a text.
    levels: Option<Vec<String>>,
    /// The columns that the model has, among those of the feature: not one that no row of its fit
    /// had.
    used: Vec<usize>,
    imputes: bool,
    unseen: Unseen,
}

/// The columns of a model for a feature, and what had to be put into them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encoded {
    /// The columns; NaN where the model imputes.
    pub columns: Vec<Vec<f64>>,
    /// How many cells are missing.
    pub imputed: usize,
    /// How many cells have a level that the model does not know.
    pub unseen: usize,
    /// The rows whose cell the model cannot take, ascending.
    pub bad: Vec<usize>,
}

impl KnownFeature {
    /// A feature of a model, by number.
    pub fn of(model: &Model, feature: usize) -> KnownFeature {
        let own = model.features.columns_of(feature);
        let columns = model.columns().into_iter().filter(|j| own.contains(j));
        KnownFeature {
            levels: model.features.levels(feature).map(<[String]>::to_vec),
            used: columns.map(|j| j - own.start).collect(),
            imputes: model.imputes(),
            unseen: model.unseen,
        }
    }

    /// A number of a model that takes no gaps.
    #[cfg(test)]
    pub(crate) fn number() -> KnownFeature {
        KnownFeature {
            levels: None,
            used: vec![0],
            imputes: false,
            unseen: Unseen::Error,
        }
    }

    /// Whether it is a text.
    pub fn is_text(&self) -> bool {
        self.levels.is_some()
    }

    /// What to say of a cell that is none of the levels that the model knows.
    pub fn unknown(&self, cell: &str) -> String {
        let levels = list(self.levels.as_deref().unwrap_or_default());
        let cell = quoted(cell);
        format!(
            "{cell} is none of the levels the model knows; write one of {levels}, or leave the \
             row out"
        )
    }

    /// The columns of the model for a number.
    pub fn of_numbers(&self, values: Vec<f64>) -> Encoded {
        let missing = missing(values.iter().map(|value| value.is_nan()));
        let bad = (0..values.len()).filter(|&row| !self.imputes && missing[row] > 0.0);
        let bad = bad.collect();
        self.encoded(vec![values], missing, bad)
    }

    /// Those for a text.
    pub fn of_text(&self, text: &Text) -> Encoded {
        let levels = self.levels.as_deref().unwrap_or_default();
        let known: Vec<Option<usize>> = (text.levels.iter())
            .map(|level| levels.iter().position(|known| known == level))
            .collect();
        let (mut of_rows, mut unseen) = (Vec::with_capacity(text.codes.len()), 0);
        let mut bad = vec![];
        for (row, &code) in text.codes.iter().enumerate() {
            let level = known.get(code as usize).copied().flatten();
            match (level, code == Text::MISSING) {
                (Some(_), _) => {}
                (None, true) if self.imputes => {}
                (None, false) if self.unseen == Unseen::Zero => unseen += 1,
                _ => bad.push(row),
            }
            of_rows.push(level.unwrap_or(levels.len()));
        }
        let missing = missing(text.codes.iter().map(|&code| code == Text::MISSING));
        let mut columns = Features::one_hot(levels.len(), &of_rows);
        for column in &mut columns {
            let gaps = column
                .iter_mut()
                .zip(&missing)
                .filter(|(_, missing)| **missing > 0.0);
            gaps.for_each(|(value, _)| *value = f64::NAN);
        }
        Encoded {
            unseen,
            ..self.encoded(columns, missing, bad)
        }
    }

    /// The columns of all values that the model has, and of where they are missing if it has that.
    fn encoded(&self, mut columns: Vec<Vec<f64>>, missing: Vec<f64>, bad: Vec<usize>) -> Encoded {
        let gaps = missing.iter().filter(|&&missing| missing > 0.0);
        let imputed = if self.imputes { gaps.count() } else { 0 };
        columns.push(missing);
        let used = self.used.iter().map(|&at| std::mem::take(&mut columns[at]));
        Encoded {
            columns: used.collect(),
            imputed,
            unseen: 0,
            bad,
        }
    }
}

/// 1 where this is so, else 0.
fn missing(cells: impl Iterator<Item = bool>) -> Vec<f64> {
    cells.map(|missing| f64::from(u8::from(missing))).collect()
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
        let dates = |cells: [&str; 2]| Text::of(cells.map(Some)).is_dates();
        assert!(dates(["2019-03-12", "3.4.2020"]) && !dates(["2019-03-12", "late"]));
        assert_eq!(
            (numbers.first_text(), numbers.first_missing()),
            (None, None)
        );
    }

    fn known(imputes: bool, unseen: Unseen) -> KnownFeature {
        KnownFeature {
            levels: Some(["a", "b", "c"].map(String::from).into()),
            used: vec![0, 2, 3],
            imputes,
            unseen,
        }
    }

    #[test]
    fn a_model_takes_only_its_levels() {
        let strict = known(false, Unseen::Error);
        let columns = |cells: &[Option<&str>]| strict.of_text(&Text::of(cells.iter().copied()));
        let found = columns(&[Some("c"), Some("a"), Some("b")]);
        assert_eq!(found.columns, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]]);
        assert!(found.bad.is_empty());
        assert_eq!(columns(&[Some("a"), Some("d")]).bad, [1]);
        assert_eq!(columns(&[None, Some("d")]).bad, [0, 1]);
        let said = r#""d" is none of the levels the model knows; write one of "a", "b", "c""#;
        assert!(strict.unknown("d").starts_with(said));
    }

    #[test]
    fn gaps_and_new_levels_are_counted_where_a_model_takes_them() {
        let text = Text::of([Some("a"), None, Some("d")]);
        assert_eq!(known(true, Unseen::Error).of_text(&text).bad, [2]);
        assert_eq!(known(false, Unseen::Zero).of_text(&text).bad, [1]);
        let found = known(true, Unseen::Zero).of_text(&text);
        assert_eq!((found.imputed, found.unseen), (1, 1));
        assert_eq!(format!("{:?}", found.columns[0]), "[1.0, NaN, 0.0]");
        assert_eq!(found.columns[2], [0.0, 1.0, 0.0]);
        let number = KnownFeature {
            levels: None,
            used: vec![0, 1],
            ..known(true, Unseen::Error)
        };
        let found = number.of_numbers(vec![1.0, f64::NAN]);
        assert_eq!(
            (found.columns[1].clone(), found.imputed),
            (vec![0.0, 1.0], 1)
        );
    }
}
