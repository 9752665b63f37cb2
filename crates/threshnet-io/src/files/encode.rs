//! Features as the engine takes them: a number is a column, a text one for each of its levels.

use super::Keep;
use super::column::Cells;
use super::table::Table;
use crate::text::KnownText;
use anyhow::Result;
use std::collections::BTreeMap;
use threshnet::dataset;
use threshnet::model::Model;

/// Features, and their columns in order.
pub struct ToFit {
    pub features: dataset::Features,
    pub columns: Vec<dataset::Column<'static>>,
}

/// The first `count` columns of a table as features to fit to. Levels are in sorted order.
pub fn to_fit(table: Table, count: usize) -> Result<ToFit> {
    let rows = table.rows();
    let names = table.header.names()[..count].to_vec();
    let mut levels = BTreeMap::new();
    let mut columns = Vec::with_capacity(count);
    for (feature, column) in table.columns.into_iter().take(count).enumerate() {
        match column.cells {
            Cells::Text(text) => {
                let (sorted, of_levels) = text.to_fit();
                columns.extend(of_levels.into_iter().map(dataset::Column::from));
                levels.insert(feature, sorted);
            }
            Cells::Stored(stored) => {
                columns.push(dataset::Column::sparse(rows, stored.rows, stored.values)?);
            }
            _ => columns.push(column.into_numbers().into()),
        }
    }
    Ok(ToFit {
        features: dataset::Features::new(names, levels),
        columns,
    })
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

impl Needed {
    /// The features of a model.
    pub fn of(model: &Model) -> Needed {
        let needs = model.selected().into_iter().map(|feature| Need {
            name: model.features.names()[feature].clone(),
            text: KnownText::of(model, feature),
        });
        Needed(needs.collect())
    }

    /// Numbers of these names.
    #[cfg(test)]
    pub(crate) fn numbers(names: &[&str]) -> Needed {
        let need = |name: &&str| Need {
            name: name.to_string(),
            text: None,
        };
        Needed(names.iter().map(need).collect())
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|need| &need.name[..]).collect()
    }

    /// How they are kept when they are read.
    pub(crate) fn keeps(&self) -> impl Iterator<Item = Keep> {
        self.0.iter().map(|need| match need.text {
            // (a level may look like a number)
            Some(_) => Keep::Spelling,
            None => Keep::Values,
        })
    }

    /// Which of them are numbers.
    pub(crate) fn are_numbers(&self) -> Vec<bool> {
        self.0.iter().map(|need| need.text.is_none()).collect()
    }

    /// The columns of the model, of a checked table that begins with these features.
    pub(crate) fn columns(&self, mut table: Table) -> Result<Vec<Vec<f64>>> {
        let read = std::mem::take(&mut table.columns);
        let mut columns = Vec::new();
        for (Need { name, text }, column) in self.0.iter().zip(read) {
            match (text, &column.cells) {
                (None, _) => columns.push(column.into_numbers()),
                (Some(text), Cells::Text(cells)) => {
                    let unknown = |row| table.error_at(row, name, text.unknown(cells.cell(row)));
                    columns.extend(text.columns(cells).map_err(unknown)?);
                }
                _ => return Err(table.error_in(name, "no text, which the model needs")),
            }
        }
        Ok(columns)
    }
}
