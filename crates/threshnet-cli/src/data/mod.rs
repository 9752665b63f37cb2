//! Data files: a file becomes a [`Table`], a table becomes a [`Dataset`].
//! Every error is one line that begins with the file as the user named it.

mod classes;
mod column;
mod features;
#[cfg(test)]
mod fixture;
mod header;
mod outcome;
mod select;
mod source;
mod table;
mod wording;

pub use outcome::{OutcomeColumns, for_model, two_classes};
pub use table::Table;

use anyhow::{Result, bail};
use column::{Keep, parse};
use features::Purpose;
use header::Header;
use std::path::Path;
use table::Reader;
use threshnet::dataset::{Dataset, Outcome, Task};
use wording::{count, list, quoted};

/// Which columns a fit uses, and as what: the flags of the same names.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// The column to predict, unless it is a survival outcome.
    pub target: Option<String>,
    /// The time column of a survival outcome.
    pub time: Option<String>,
    /// The event column of a survival outcome: 1 = happened, 0 = censored.
    pub event: Option<String>,
    /// Feature columns, globs allowed; empty for all but the outcome.
    pub features: Vec<String>,
    /// Columns to leave out, globs allowed.
    pub drop: Vec<String>,
    /// The task; inferred from the outcome if there is none.
    pub task: Option<Task>,
}

impl Columns {
    /// Where the outcome is, if the flags say so without contradiction. An
    /// error is one of the command line, whatever the data.
    pub fn outcome(&self) -> Result<OutcomeColumns> {
        let outcome = match (&self.target, &self.time, &self.event) {
            (Some(target), None, None) => OutcomeColumns::Target(target.clone()),
            (None, Some(time), Some(event)) if time != event => OutcomeColumns::Survival {
                time: time.clone(),
                event: event.clone(),
            },
            (None, Some(_), Some(_)) => bail!("--time and --event name the same column"),
            _ => bail!("say what to predict: either --target COL, or --time COL and --event COL"),
        };
        match (&outcome, self.task) {
            (OutcomeColumns::Target(_), Some(Task::Cox)) => {
                bail!("--task cox needs --time COL and --event COL, not --target")
            }
            (OutcomeColumns::Survival { .. }, Some(task)) if task != Task::Cox => bail!(
                "--task {} needs --target COL, not --time and --event",
                task.name()
            ),
            _ => {}
        }
        let names = outcome.names();
        match self.features.iter().find(|f| names.contains(&f.trim())) {
            None => Ok(outcome),
            Some(name) => bail!(
                "--features: {} is the outcome; take it out of the list",
                quoted(name.trim())
            ),
        }
    }
}

/// The columns of a model, read from a file for which it shall predict.
#[derive(Debug)]
pub struct Features {
    /// The number of rows, also where a model needs no column.
    pub rows: usize,
    /// The needed columns, in the order they were asked for.
    pub columns: Vec<Vec<f64>>,
}

/// The outcome of a fitted model: where it is in a file, and what it can be.
#[derive(Debug, Clone, Copy)]
pub struct ModelOutcome<'a> {
    /// Where the outcome is.
    pub columns: &'a OutcomeColumns,
    /// The task of the model.
    pub task: Task,
    /// The class names of the model; empty unless it classifies.
    pub classes: &'a [String],
}

/// Reads the rows to fit to.
pub fn load_dataset(path: &Path, columns: &Columns) -> Result<Dataset<'static>> {
    load_rows(Reader::open(path)?, columns, |_| false)
}

/// Reads rows to fit to as leniently as a study of public files needs: names that occur
/// again are numbered, and rows of a survival outcome whose time is not positive are left
/// out.
pub fn load_cohort(path: &Path, columns: &Columns) -> Result<Dataset<'static>> {
    let reader = Reader::open_numbered(path)?;
    let survival = columns.time.is_some();
    load_rows(reader, columns, |first| {
        survival && parse(first).is_some_and(|time| time <= 0.0)
    })
}

/// Reads the rows to fit to, unless the first outcome column says not to.
fn load_rows(
    reader: Reader,
    columns: &Columns,
    drop: impl Fn(&str) -> bool,
) -> Result<Dataset<'static>> {
    let header = reader.header().clone();
    let outcome = columns.outcome().map_err(|error| header.error(error))?;
    let outcome_positions = find_all(&header, &outcome.names())?;
    let chosen = select::features(
        &header,
        &columns.features,
        &columns.drop,
        &outcome_positions,
    )?;
    let table = reader.read_where(&wanted(&chosen, &outcome_positions), |record| {
        !drop(&record[outcome_positions[0]])
    })?;
    if table.rows() < 2 {
        let rows = count(table.rows(), "row");
        return Err(header.error(format_args!("{rows} of data; a fit needs at least 2")));
    }
    let outcome = outcome::to_fit(&table, &outcome, columns.task)?;
    features::check(&table, chosen.len(), Purpose::Fit)?;
    let (names, columns) = table.into_numbers(chosen.len());
    Dataset::new(names, columns, outcome).map_err(|error| header.error(error))
}

/// Reads the columns that a model needs, wherever they are in the file.
pub fn load_features(path: &Path, needed: &[&str]) -> Result<Features> {
    let reader = Reader::open(path)?;
    let chosen = find_needed(reader.header(), needed)?;
    let table = reader.read(&wanted(&chosen, &[]))?;
    take_features(table, chosen.len())
}

/// Reads the columns that a model needs and the outcome to compare with.
pub fn load_labelled(
    path: &Path,
    needed: &[&str],
    outcome: ModelOutcome,
) -> Result<(Features, Outcome)> {
    let reader = Reader::open(path)?;
    let chosen = find_needed(reader.header(), needed)?;
    let outcome_positions = find_all(reader.header(), &outcome.columns.names())?;
    let table = reader.read(&wanted(&chosen, &outcome_positions))?;
    let values = for_model(&table, outcome.columns, outcome.task, outcome.classes)?;
    Ok((take_features(table, chosen.len())?, values))
}

/// Features as numbers and then the outcome as it is spelled.
fn wanted(features: &[usize], outcome: &[usize]) -> Vec<(usize, Keep)> {
    let features = features.iter().map(|&position| (position, Keep::Numbers));
    let outcome = outcome.iter().map(|&position| (position, Keep::Spelling));
    features.chain(outcome).collect()
}

/// The positions of outcome columns.
fn find_all(header: &Header, names: &[&str]) -> Result<Vec<usize>> {
    names.iter().map(|name| header.find(name)).collect()
}

/// The positions of the columns a model needs.
fn find_needed(header: &Header, needed: &[&str]) -> Result<Vec<usize>> {
    let index = header.positions();
    let absent: Vec<&str> = needed
        .iter()
        .copied()
        .filter(|n| !index.contains_key(n))
        .collect();
    if absent.is_empty() {
        return Ok(needed.iter().map(|name| index[name]).collect());
    }
    let names = list(&absent);
    Err(match absent.len() {
        1 => header.error(format_args!(
            "the file lacks column {names}, which the model needs; add it under this name"
        )),
        many => header.error(format_args!(
            "the file lacks {many} of the {} columns the model needs: {names}; add them under \
             these names",
            needed.len()
        )),
    })
}

/// Checks the first columns and takes them out of the table.
fn take_features(table: Table, columns: usize) -> Result<Features> {
    features::check(&table, columns, Purpose::Predict)?;
    Ok(Features {
        rows: table.rows(),
        columns: table.into_numbers(columns).1,
    })
}

#[cfg(test)]
mod tests;
