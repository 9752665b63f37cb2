//! Features as the engine takes them: a number is a column, a text one for each of its levels.

use super::Keep;
use super::column::{Cells, Column};
use super::table::Table;
use crate::text::{Encoded, KnownFeature, Text};
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
    known: KnownFeature,
}

impl Needed {
    /// The features of a model.
    pub fn of(model: &Model) -> Needed {
        let needs = model.selected().into_iter().map(|feature| Need {
            name: model.features.names()[feature].clone(),
            known: KnownFeature::of(model, feature),
        });
        Needed(needs.collect())
    }

    /// Numbers of these names.
    #[cfg(test)]
    pub(crate) fn numbers(names: &[&str]) -> Needed {
        let need = |name: &&str| Need {
            name: name.to_string(),
            known: KnownFeature::number(),
        };
        Needed(names.iter().map(need).collect())
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|need| &need.name[..]).collect()
    }

    /// How they are kept when they are read.
    pub(crate) fn keeps(&self) -> impl Iterator<Item = Keep> {
        self.0.iter().map(|need| match need.known.is_text() {
            // (a level may look like a number)
            true => Keep::Spelling,
            false => Keep::Numbers,
        })
    }

    /// What the model takes of a table that begins with these features, and what is wrong with
    /// rows that it cannot take.
    pub(crate) fn encoded(&self, table: &mut Table) -> (Encoded, BadRows) {
        let read: Vec<Column> = table.columns.drain(..self.0.len()).collect();
        let (mut all, mut rows) = (Encoded::default(), BadRows::new());
        for (Need { name, known }, column) in self.0.iter().zip(read) {
            let (of_one, cells) = match &column.cells {
                Cells::Text(cells) if known.is_text() => (known.of_text(cells), Some(cells)),
                _ => (known.of_numbers(column.numbers().into_owned()), None),
            };
            // (text among numbers is not imputed)
            let texts = match known.is_text() {
                true => vec![],
                false => column.text_rows(),
            };
            for &row in of_one.bad.iter().chain(&texts) {
                let why = || match cells {
                    Some(cells) if cells.codes()[row] != Text::MISSING => {
                        let problem = known.unknown(cells.cell(row));
                        format!("{problem}; a fit with --unseen zero takes new levels")
                    }
                    _ => column.refusal(row),
                };
                rows.entry(row)
                    .or_insert_with(|| table.at(row, name, why()));
            }
            all.columns.extend(of_one.columns);
            all.imputed += of_one.imputed.saturating_sub(texts.len());
            all.unseen += of_one.unseen;
        }
        all.bad = rows.keys().copied().collect();
        (all, rows)
    }
}

/// What is wrong with rows, by row: the first cell that a model cannot take.
pub type BadRows = BTreeMap<usize, String>;
