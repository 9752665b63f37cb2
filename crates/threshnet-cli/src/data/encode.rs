//! Features as the engine takes them: a number is a column, a text one for each of its levels.

use super::Keep;
use super::column::{Cells, Column, Text};
use super::table::Table;
use super::wording::{list, quoted};
use anyhow::Result;
use std::collections::BTreeMap;
use threshnet::dataset;
use threshnet::model::Model;

/// The first `count` columns of a table as features to fit to. Levels are in sorted order.
pub fn to_fit(table: Table, count: usize) -> (dataset::Features, Vec<Vec<f64>>) {
    let names = table.header().names()[..count].to_vec();
    let mut levels = BTreeMap::new();
    let mut columns = Vec::with_capacity(count);
    for (feature, column) in table.into_columns().into_iter().take(count).enumerate() {
        match column.cells() {
            Cells::Text(text) => {
                let (sorted, of_rows) = sorted(text);
                columns.extend(dataset::Features::one_hot(sorted.len(), &of_rows));
                levels.insert(feature, sorted);
            }
            _ => columns.push(column.into_numbers()),
        }
    }
    (dataset::Features::new(names, levels), columns)
}

/// The levels of a text without missing cells in sorted order, and the place of each row's among
/// them.
fn sorted(text: &Text) -> (Vec<String>, Vec<usize>) {
    let mut order: Vec<usize> = (0..text.levels().len()).collect();
    order.sort_by_key(|&code| &text.levels()[code]);
    let mut places = vec![0; order.len()];
    for (place, &code) in order.iter().enumerate() {
        places[code] = place;
    }
    let levels = order.iter().map(|&code| text.levels()[code].clone());
    let of_rows = text.codes().iter().map(|&code| places[code as usize]);
    (levels.collect(), of_rows.collect())
}

/// What a model needs of a file: the features that it uses, in order.
#[derive(Debug, Clone)]
pub struct Needed(Vec<Need>);

/// A feature, and what it is.
#[derive(Debug, Clone)]
struct Need {
    name: String,
    text: Option<KnownText>,
}

/// A text of a model.
#[derive(Debug, Clone)]
struct KnownText {
    levels: Vec<String>,
    /// Those that the model has a column for: not one that no row of its fit had.
    used: Vec<usize>,
}

impl Needed {
    /// The features of a model.
    pub fn of(model: &Model) -> Needed {
        let columns = model.columns();
        let needs = model.selected().into_iter().map(|feature| {
            let own = model.features.columns_of(feature);
            let used = columns.iter().filter(|j| own.contains(j));
            Need {
                name: model.features.names()[feature].clone(),
                text: (model.features.levels(feature)).map(|levels| KnownText {
                    levels: levels.to_vec(),
                    used: used.map(|j| j - own.start).collect(),
                }),
            }
        });
        Needed(needs.collect())
    }

    /// Numbers of these names.
    #[cfg(test)]
    pub fn numbers(names: &[&str]) -> Needed {
        let need = |name: &&str| Need {
            name: name.to_string(),
            text: None,
        };
        Needed(names.iter().map(need).collect())
    }

    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|need| &need.name[..]).collect()
    }

    /// How they are kept when they are read.
    pub fn keeps(&self) -> impl Iterator<Item = Keep> {
        self.0.iter().map(|need| match need.text {
            // (a level may look like a number)
            Some(_) => Keep::Spelling,
            None => Keep::Values,
        })
    }

    /// Which of them are numbers.
    pub fn are_numbers(&self) -> Vec<bool> {
        self.0.iter().map(|need| need.text.is_none()).collect()
    }

    /// The columns of the model, of a checked table that begins with these features.
    pub fn columns(&self, table: Table) -> Result<Vec<Vec<f64>>> {
        let mut texts: Vec<Option<Vec<usize>>> = Vec::with_capacity(self.0.len());
        for (need, column) in self.0.iter().zip(table.columns()) {
            let of_rows = (need.text.as_ref()).map(|text| text.of_rows(&table, &need.name, column));
            texts.push(of_rows.transpose()?);
        }
        let mut columns = Vec::new();
        for ((need, of_rows), column) in self.0.iter().zip(texts).zip(table.into_columns()) {
            match (&need.text, of_rows) {
                (Some(text), Some(of_rows)) => {
                    let all = dataset::Features::one_hot(text.levels.len(), &of_rows);
                    let used = all.into_iter().enumerate();
                    columns.extend(used.filter(|(l, _)| text.used.contains(l)).map(|(_, c)| c));
                }
                _ => columns.push(column.into_numbers()),
            }
        }
        Ok(columns)
    }
}

impl KnownText {
    /// The level of every row, which must be one of the model's.
    fn of_rows(&self, table: &Table, name: &str, column: &Column) -> Result<Vec<usize>> {
        let Cells::Text(text) = column.cells() else {
            return Err(table.error_in(name, "no text, which the model needs"));
        };
        let known: Vec<Option<usize>> = (text.levels().iter())
            .map(|level| self.levels.iter().position(|known| known == level))
            .collect();
        let level = |(row, &code): (usize, &u32)| {
            known[code as usize].ok_or_else(|| {
                let cell = quoted(&text.levels()[code as usize]);
                let levels = list(&self.levels);
                let problem = format!(
                    "{cell} is none of the levels the model knows; write one of {levels}, or leave \
                     the row out"
                );
                table.error_at(row, name, problem)
            })
        };
        text.codes().iter().enumerate().map(level).collect()
    }
}
