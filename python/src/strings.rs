//! Columns of strings, which are read by the rules that files are read by.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use threshnet::dataset::Column;
use threshnet::model::Model;
use threshnet_io::cell::decimal_point;
use threshnet_io::text::{KnownFeature, Text};
use threshnet_io::wording::quoted;

/// A column of strings: the distinct ones, and the position of each row's among them.
#[derive(FromPyObject)]
pub struct Strings<'py> {
    #[pyo3(item)]
    levels: Vec<String>,
    #[pyo3(item)]
    codes: PyReadonlyArray1<'py, i64>,
}

/// Columns of strings by the number of their feature.
pub type ByFeature<'py> = BTreeMap<usize, Strings<'py>>;

/// A feature as it is given.
pub enum Given<'a, 'py> {
    Numbers(Column<'a>),
    Strings(&'a Strings<'py>),
}

/// The features of which some are given as strings and the others as numbers, in order.
pub fn in_order<'a, 'py>(
    strings: &'a ByFeature<'py>,
    numbers: Vec<Column<'a>>,
) -> Vec<Given<'a, 'py>> {
    let count = numbers.len() + strings.len();
    let mut numbers = numbers.into_iter();
    (0..count)
        .filter_map(|feature| match strings.get(&feature) {
            Some(strings) => Some(Given::Strings(strings)),
            None => numbers.next().map(Given::Numbers),
        })
        .collect()
}

/// What a column of strings turned out to be.
pub enum Read {
    Numbers(Vec<f64>),
    Text(Text),
}

impl Strings<'_> {
    /// Its cells, of which some may only say that its value is not known if there may be gaps.
    fn text(&self, name: &str, gaps: bool) -> PyResult<Text> {
        let codes = self.codes.as_slice()?.iter().map(|&code| code as usize);
        if !codes.clone().all(|code| code < self.levels.len()) {
            return Err(PyValueError::new_err("a row has none of the levels"));
        }
        let text = Text::read(&self.levels, codes.clone());
        let missing = text.first_missing().filter(|_| !gaps);
        match missing.and_then(|row| Some((row, codes.clone().nth(row)?))) {
            None => Ok(text),
            Some((row, code)) => {
                let cell = quoted(&self.levels[code]);
                let problem = format!(
                    "{cell} stands for a missing or infinite value; fill it in or leave the row out"
                );
                Err(at(name, row, problem))
            }
        }
    }

    /// What a fit makes of it.
    pub fn to_fit(&self, name: &str, gaps: bool) -> PyResult<Read> {
        let text = self.text(name, gaps)?;
        let Some(first) = text.first_text() else {
            return Ok(Read::Numbers(text.numbers()));
        };
        if let Some(row) = text.first_number() {
            let number = text.numbers()[row];
            let fix = format!(
                "row {row} has the number {number}: correct one of them, or leave the column out"
            );
            return Err(not_a_number(name, &text, first, &fix));
        }
        if decimal_point(text.cell(first)).is_some() {
            return Err(not_a_number(name, &text, first, "write a number there"));
        }
        if text.is_dates() {
            let cell = quoted(text.cell(first));
            let problem = format!(
                "{cell} is a date; make it a number, such as the days since a fixed day, or leave the \
                 column out"
            );
            return Err(at(name, first, problem));
        }
        if text.identifies() {
            let (levels, rows) = (text.levels().len(), text.codes().len());
            return Err(PyValueError::new_err(format!(
                "column '{name}': {levels} different texts in {rows} rows look like identifiers; \
                 leave the column out"
            )));
        }
        Ok(Read::Text(text))
    }

    /// The numbers that a model needs.
    fn numbers(&self, name: &str, gaps: bool) -> PyResult<Vec<f64>> {
        let text = self.text(name, gaps)?;
        match text.first_text() {
            None => Ok(text.numbers()),
            Some(row) => {
                let fix = "the model needs a number there";
                Err(not_a_number(name, &text, row, fix))
            }
        }
    }
}

/// The columns that a model needs, of the features that it selects.
pub fn to_predict(model: &Model, given: Vec<Given>) -> PyResult<Vec<Vec<f64>>> {
    let selected = model.selected();
    if selected.len() != given.len() {
        return Err(PyValueError::new_err(format!(
            "the model needs {} columns, these are {}",
            selected.len(),
            given.len()
        )));
    }
    let mut columns = Vec::with_capacity(given.len());
    for (feature, given) in selected.into_iter().zip(given) {
        let name = &model.features.names()[feature];
        let (known, gaps) = (KnownFeature::of(model, feature), model.imputes());
        let encoded = match (known.is_text(), given) {
            (false, Given::Numbers(values)) => known.of_numbers(values.to_vec()),
            (false, Given::Strings(strings)) => known.of_numbers(strings.numbers(name, gaps)?),
            (true, given) => {
                let text = match given {
                    Given::Strings(strings) => strings.text(name, gaps)?,
                    // (no level is a number, so one of them is refused as it is spelled)
                    Given::Numbers(values) => {
                        let cell = |value: f64| (!value.is_nan()).then(|| value.to_string());
                        Text::of(values.iter().map(cell))
                    }
                };
                let encoded = known.of_text(&text);
                if let Some(&row) = encoded.bad.first() {
                    return Err(at(name, row, known.unknown(text.cell(row))));
                }
                encoded
            }
        };
        columns.extend(encoded.columns);
    }
    Ok(columns)
}

/// The error of a cell that should be a number and is not, and what to do about it.
fn not_a_number(name: &str, text: &Text, row: usize, fix: &str) -> PyErr {
    let cell = quoted(text.cell(row));
    let problem = match decimal_point(text.cell(row)) {
        Some(point) => format!("{cell} has a comma; write decimal points: {point}"),
        None => format!("{cell} is not a number; {fix}"),
    };
    at(name, row, problem)
}

/// An error about one cell.
fn at(name: &str, row: usize, problem: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("column '{name}', row {row}: {problem}"))
}
