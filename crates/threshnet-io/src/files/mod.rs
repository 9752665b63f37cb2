//! Data files: a file becomes a [`Table`], a table becomes a [`Dataset`].
//! Every error is one line that begins with the file as the user named it.

mod classes;
mod column;
mod encode;
mod events;
mod features;
mod folds;
mod header;
mod input;
mod inspect;
mod outcome;
mod overview;
mod places;
mod select;
mod source;
mod table;
mod terms;
mod troubles;
mod wording;
mod write;

pub use encode::{BadRows, Needed};
pub use folds::load_folds;
pub use input::Input;
pub use inspect::Inspection;
pub use outcome::{OutcomeColumns, RowColumns, for_model, of_rows, two_classes};
pub use source::{Encoding, Keep, Manner};
pub use table::Table;
pub use wording::shell;
pub use write::{sync_folder, write_whole};

use crate::text::Encoded;
use anyhow::{Result, bail};
use header::Header;
use places::Places;
use std::iter::repeat;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::{Reader, Stream};
use threshnet::dataset::{Dataset, Gaps, Missing, Response, Task};
use wording::{count, drop_flag, list, quoted};

/// Is told, as a file is read, what share of it has been; not of a file whose length is unknown.
pub type Reached<'a> = &'a dyn Fn(f64);

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
    /// The column that says what each row counts, in the file that has the outcome.
    pub weights: Option<String>,
    /// What becomes of missing cells.
    pub gaps: Gaps,
    /// The fold of each row; see [`load_folds`].
    pub folds: Option<Vec<usize>>,
    /// The column whose equal cells are a cluster of rows, in the file that has the outcome.
    pub fold_by: Option<String>,
    /// Features that stay, whatever λ; globs allowed.
    pub keep: Vec<String>,
    /// A file of lines `column,factor`: what λ is multiplied by for a feature.
    pub penalty_factors: Option<PathBuf>,
    /// A file of lines `column,group`: features that enter and leave together.
    pub groups: Option<PathBuf>,
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
        let names = self.of_response(&outcome);
        if let Some(weights) = &self.weights
            && outcome.names().contains(&weights.as_str())
        {
            bail!(
                "--weights: {} is the outcome; name the column that says what each row counts",
                quoted(weights)
            )
        }
        if let Some(fold_by) = &self.fold_by
            && names.iter().filter(|name| *name == fold_by).count() > 1
        {
            bail!(
                "--fold-by: {} is the outcome or the weights; name the column of the clusters",
                quoted(fold_by)
            )
        }
        match self.features.iter().find(|f| names.contains(&f.trim())) {
            Some(name) if self.weights.as_deref() == Some(name.trim()) => bail!(
                "--features: {} says what each row counts; take it out of the list",
                quoted(name.trim())
            ),
            Some(name) if self.fold_by.as_deref() == Some(name.trim()) => bail!(
                "--features: {} says which rows are a cluster; take it out of the list",
                quoted(name.trim())
            ),
            None => Ok(outcome),
            Some(name) => bail!(
                "--features: {} is the outcome; take it out of the list",
                quoted(name.trim())
            ),
        }
    }
}

impl Columns {
    /// The columns of the outcome, and those of the weights and the clusters if there are any.
    fn of_response<'a>(&'a self, outcome: &'a OutcomeColumns) -> Vec<&'a str> {
        let others = [&self.weights, &self.fold_by].into_iter().flatten();
        let others = others.map(String::as_str);
        outcome.names().into_iter().chain(others).collect()
    }
}

/// The columns of a model, read from a file for which it shall predict.
#[derive(Debug)]
pub struct Features {
    /// The number of rows, also where a model needs no column.
    pub rows: usize,
    /// The columns of the model, in its order, and what had to be put into them.
    pub encoded: Encoded,
    /// What is wrong with rows that the model cannot take, by row.
    pub bad: BadRows,
    places: Option<Places>,
}

impl Features {
    /// What is wrong with a row whose prediction is no number.
    pub fn beyond(&self, row: usize) -> String {
        format!(
            "{}: its values are so large that the prediction is no number; correct them",
            self.places
                .as_ref()
                .map_or_else(String::new, |places| places.name(row))
        )
    }
}

/// Some rows to predict.
#[derive(Debug)]
pub struct Rows {
    /// What the model takes of them.
    pub features: Features,
    /// Their identifiers, column by column.
    pub ids: Vec<Vec<String>>,
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
    /// What is known of the rows beside it.
    pub rows: RowColumns<'a>,
}

/// Reads the rows to fit to, and what there is to say of them to a person.
pub fn load_dataset(
    input: &Input,
    columns: &Columns,
    reached: Reached,
) -> Result<(Dataset<'static>, String)> {
    let started = Instant::now();
    let reader = input.open()?;
    let (header, encoding) = (reader.header.clone(), reader.encoding());
    let beside = input.open_outcome()?;
    let (data, coding) = load_rows(reader, beside, columns, reached)?;
    let names = [
        &columns.target,
        &columns.time,
        &columns.event,
        &columns.weights,
        &columns.fold_by,
    ];
    let outcome: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    let of = overview::Of {
        all: header.names(),
        outcome: &outcome,
        encoding,
        coding,
    };
    let overview = overview::overview(&input.data, &data, of, started.elapsed());
    Ok((data, overview))
}

/// Reads rows to fit to as leniently as a study of public files needs: names that occur
/// again are numbered, and rows of a survival outcome whose time is not positive are left
/// out.
pub fn load_cohort(path: &Path, columns: &Columns) -> Result<Dataset<'static>> {
    let mut reader = Reader::open_numbered(path)?;
    if let Ok(OutcomeColumns::Survival { time, .. }) = columns.outcome() {
        let column = reader.header.find(&time)?;
        reader.source = reader.source.positive(column);
    }
    Ok(load_rows(reader, None, columns, &|_| ())?.0)
}

/// Reads the rows to fit to, with the outcome from the file beside if there is one, and how its
/// events are read if that is to be said.
fn load_rows(
    reader: Reader,
    beside: Option<Reader>,
    columns: &Columns,
    reached: Reached,
) -> Result<(Dataset<'static>, Option<String>)> {
    let header = reader.header.clone();
    let outcome = columns.outcome().map_err(|error| header.error(error))?;
    let names = columns.of_response(&outcome);
    let positions = outcome_positions(&header, &beside, &names)?;
    let gaps = columns.gaps;
    let chosen = select::features(&header, columns, &positions)?;
    let features = header.subset(chosen.iter().copied());
    let terms = terms::terms(&features, columns)?;
    let beside = beside.map(|beside| read_beside(beside, &names, &features));
    let beside = beside.transpose()?;
    let wanted = wanted(&chosen, repeat(Keep::Values), &positions);
    let table = reader.read(&wanted, reached)?;
    if table.rows() < 2 {
        let rows = count(table.rows(), "row");
        return Err(header.error(format_args!("{rows} of data; a fit needs at least 2")));
    }
    let outcome_table = beside.as_ref().unwrap_or(&table);
    same_rows(&table, outcome_table, header.names().len())?;
    let values = outcome::to_fit(outcome_table, &outcome, columns.task);
    let may_be_missing = gaps.missing != Missing::Error;
    let troubles = features::troubles(&table, chosen.len(), may_be_missing);
    let values = header.refuse_all(values, troubles)?;
    let coding = outcome::coding(outcome_table, &outcome);
    let of_columns = RowColumns {
        weights: columns.weights.as_deref(),
        clusters: columns.fold_by.as_deref(),
    };
    let response = Response {
        folds: columns.folds.clone(),
        ..of_rows(outcome_table, values, of_columns)?
    };
    let encode::ToFit { features, columns } = encode::to_fit(table, chosen.len())?;
    let data =
        Dataset::incomplete(features, columns, response, gaps).and_then(|data| data.on(terms));
    Ok((data.map_err(|error| header.error(error))?, coding))
}

/// Where the outcome is among the features; nowhere if it has a file of its own.
fn outcome_positions(
    header: &Header,
    beside: &Option<Reader>,
    names: &[&str],
) -> Result<Vec<usize>> {
    match beside {
        None => find_all(header, names),
        Some(_) => Ok(vec![]),
    }
}

/// Reads an outcome from a file of its own, which no feature may be named after.
fn read_beside(beside: Reader, names: &[&str], features: &Header) -> Result<Table> {
    let mut of_features = features.names().iter();
    if let Some(twice) = of_features.find(|name| names.contains(&name.as_str())) {
        let flag = drop_flag(&[twice]);
        return Err(features.error(format_args!(
            "column {} is the outcome, which --outcome has, too; leave it out with {flag}",
            quoted(twice)
        )));
    }
    let positions = find_all(&beside.header, names)?;
    let wanted = wanted(&[], [].into_iter(), &positions);
    beside.read(&wanted, &|_| ())
}

/// Refuses an outcome of more or fewer rows than the features have, which are of a file of so many
/// columns.
fn same_rows(features: &Table, outcome: &Table, columns: usize) -> Result<()> {
    if features.rows() == outcome.rows() {
        return Ok(());
    }
    let (rows, others) = (count(outcome.rows(), "row"), features.rows());
    let fix = match outcome.rows() == columns {
        true => format!(
            " rows and {columns} columns; a single-cell file is often genes × cells: transpose it, so \
             that every sample is a row"
        ),
        false => "; write one row for each, in the same order".to_string(),
    };
    Err(outcome
        .header
        .error(format_args!("{rows}, but the features have {others}{fix}")))
}

/// The columns that a model needs, a few rows at a time.
pub struct FeatureStream {
    stream: Stream,
    header: Header,
    needed: Needed,
    /// What is to be said of how the file is read.
    pub notes: Vec<String>,
}

impl FeatureStream {
    /// Opens the file and finds the columns, wherever they are in it, and those with identifiers.
    pub fn open(input: &Input, needed: Needed, ids: &[String]) -> Result<FeatureStream> {
        let reader = input.open()?;
        let header = reader.header.clone();
        let chosen = find_needed(&header, &needed.names())?;
        let ids: Vec<&str> = ids.iter().map(|id| id.trim()).collect();
        if let Some(twice) = ids.iter().find(|id| needed.names().contains(id)) {
            let twice = quoted(twice);
            let problem = format_args!("--id: {twice} is a column of the model; name another");
            return Err(header.error(problem));
        }
        let ids = find_all(&header, &ids)?;
        let encoding = reader.encoding();
        let notes = encoding.map(|how| format!("{}: the text is {how}", input.data.display()));
        Ok(FeatureStream {
            notes: notes.into_iter().collect(),
            stream: reader.stream(&wanted(&chosen, needed.keeps(), &ids))?,
            header,
            needed,
        })
    }
}

impl FeatureStream {
    /// The error of a file in which these rows are bad, the first of so many.
    pub fn refused(&self, first: &str, bad: usize) -> anyhow::Error {
        let of = match bad {
            1 => "; --skip-bad leaves its prediction empty".to_string(),
            _ => {
                format!("; the first of {bad} bad rows; --skip-bad leaves their predictions empty")
            }
        };
        self.header.error(format_args!("{first}{of}"))
    }
}

impl Iterator for FeatureStream {
    type Item = Result<Rows>;

    fn next(&mut self) -> Option<Result<Rows>> {
        let table = self.stream.next().transpose()?;
        Some(table.map(|table| {
            let (features, table) = take_features(table, &self.needed);
            let ids = table.columns.iter().map(|column| {
                let cells = column.spelled().into_iter();
                cells.map(|cell| cell.into_owned()).collect()
            });
            Rows {
                ids: ids.collect(),
                features,
            }
        }))
    }
}

/// Reads the columns that a model needs and the outcome to compare with.
pub fn load_labelled(
    input: &Input,
    needed: &Needed,
    outcome: ModelOutcome,
) -> Result<(Features, Response)> {
    let reader = input.open()?;
    let beside = input.open_outcome()?;
    let chosen = find_needed(&reader.header, &needed.names())?;
    let of_outcome = outcome.columns.names().into_iter();
    let names: Vec<&str> = of_outcome.chain(outcome.rows.names()).collect();
    let positions = outcome_positions(&reader.header, &beside, &names)?;
    let features = reader.header.subset(chosen.iter().copied());
    let all = reader.header.names().len();
    let beside = beside.map(|beside| read_beside(beside, &names, &features));
    let beside = beside.transpose()?;
    let table = reader.read(&wanted(&chosen, needed.keeps(), &positions), &|_| ())?;
    let outcome_table = beside.as_ref().unwrap_or(&table);
    same_rows(&table, outcome_table, all)?;
    let values = for_model(
        outcome_table,
        outcome.columns,
        outcome.task,
        outcome.classes,
    )?;
    let response = of_rows(outcome_table, values, outcome.rows)?;
    let (features, table) = take_features(table, needed);
    match features.bad.values().next() {
        None => Ok((features, response)),
        Some(first) if features.bad.len() == 1 => Err(table.header.error(first)),
        Some(first) => {
            let bad = features.bad.len();
            Err(table
                .header
                .error(format_args!("{first}; the first of {bad} bad rows")))
        }
    }
}

/// Features, each as it shall be kept, and then the outcome as it is spelled.
fn wanted(
    features: &[usize],
    keeps: impl Iterator<Item = Keep>,
    outcome: &[usize],
) -> Vec<(usize, Keep)> {
    let features = features.iter().copied().zip(keeps);
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
    let (many, all) = (absent.len(), needed.len());
    Err(header.error(match many {
        1 => {
            format!("the file lacks column {names}, which the model needs; add it under this name")
        }
        _ => format!(
            "the file lacks {many} of the {all} columns the model needs: {names}; add them under \
             these names"
        ),
    }))
}

/// Takes what a model needs out of a table that begins with it; the columns behind it stay.
fn take_features(mut table: Table, needed: &Needed) -> (Features, Table) {
    let (encoded, bad) = needed.encoded(&mut table);
    let features = Features {
        rows: table.rows(),
        encoded,
        bad,
        places: table.places.take(),
    };
    (features, table)
}

#[cfg(test)]
mod tests;
