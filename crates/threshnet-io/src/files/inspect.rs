//! What is in a file, and the fit it suggests: `threshnet inspect`.

mod columns;
mod guess;
mod report;

use super::source::Keep;
use super::table::{Reader, Table};
use super::{Columns, Input, OutcomeColumns, Reached, find_all, outcome, read_beside, same_rows};
use anyhow::{Result, anyhow};
use columns::{Described, Kind, duplicates};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use threshnet::dataset::Outcome;

/// What was found in a file.
pub struct Inspection {
    input: Input,
    rows: usize,
    /// All columns, in file order.
    columns: Vec<Described>,
    /// (column, the first column that is equal to it)
    duplicates: Vec<(usize, usize)>,
    outcome: Option<Found>,
    read_in: Duration,
}

/// The outcome, or what is wrong with it.
struct Found {
    columns: OutcomeColumns,
    /// Whether it was found by its name, without a flag.
    guessed: bool,
    outcome: Result<Outcome>,
}

impl Inspection {
    /// Reads all of a file. The outcome is as the flags say, or as names suggest.
    pub fn read(input: &Input, flags: &Columns, reached: Reached) -> Result<Inspection> {
        let started = Instant::now();
        let flags = input.complete(flags.clone())?;
        let asked = match (&flags.target, &flags.time, &flags.event) {
            (None, None, None) => None,
            _ => Some(flags.outcome()?),
        };
        let reader = input.open()?;
        let beside = input.open_outcome()?;
        let candidates = match (&asked, &beside) {
            (None, None) => guess::candidates(reader.header.names()),
            (Some(asked), None) => vec![asked.clone()],
            (_, Some(_)) => vec![],
        };
        if asked.is_some() {
            find_all(&reader.header, &names_of(&candidates))?;
        }
        let (table, mut columns) = read_all(reader, &candidates, reached)?;
        let read_in = started.elapsed();
        let found = match (asked, beside) {
            (Some(asked), Some(beside)) => Some(in_file(beside, asked, &table)?),
            (asked, _) => {
                let guessed = asked.is_none();
                let mut all = (candidates.into_iter()).map(|columns| Found {
                    outcome: outcome::to_fit(&table, &columns, flags.task),
                    columns,
                    guessed,
                });
                // A guess must do; of what was asked for, the problem is told.
                all.find(|found| found.outcome.is_ok() || !guessed)
            }
        };
        if let Some(found) = &found {
            let names: HashSet<&str> = found.columns.names().into_iter().collect();
            for column in &mut columns {
                column.outcome = names.contains(column.name.as_str()) && input.outcome.is_none();
            }
        }
        Ok(Inspection {
            input: input.clone(),
            rows: table.rows(),
            duplicates: duplicates(&table, &columns),
            columns,
            outcome: found,
            read_in,
        })
    }
}

/// The names of all columns that candidates for an outcome have.
fn names_of(candidates: &[OutcomeColumns]) -> Vec<&str> {
    candidates.iter().flat_map(OutcomeColumns::names).collect()
}

/// Reads every column that can be read, candidates for the outcome as they are spelled, and
/// describes them all.
fn read_all(
    reader: Reader,
    candidates: &[OutcomeColumns],
    reached: Reached,
) -> Result<(Table, Vec<Described>)> {
    let spelled: HashSet<&str> = names_of(candidates).into_iter().collect();
    let header = reader.header.clone();
    let unreadable: Vec<Option<String>> = (0..header.names().len())
        .map(|position| reader.unreadable(position).cloned())
        .collect();
    let wanted: Vec<(usize, Keep)> = (header.names().iter().enumerate())
        .filter(|&(position, _)| unreadable[position].is_none())
        .map(|(position, name)| match spelled.contains(name.as_str()) {
            true => (position, Keep::Spelling),
            false => (position, Keep::Values),
        })
        .collect();
    let table = reader.read(&wanted, reached)?;
    let mut read = table.columns.iter().enumerate();
    let columns = (header.names().iter().zip(unreadable))
        .filter_map(|(name, problem)| match problem {
            Some(problem) => Some(Described::of_kind(name, Kind::Unreadable(problem))),
            None => read
                .next()
                .map(|(at, column)| Described::new(name, &table, at, column)),
        })
        .collect();
    Ok((table, columns))
}

/// The outcome in a file of its own.
fn in_file(beside: Reader, columns: OutcomeColumns, features: &Table) -> Result<Found> {
    let all = features.header.names().len();
    let table = read_beside(beside, &columns.names(), &features.header)?;
    same_rows(features, &table, all)?;
    Ok(Found {
        outcome: outcome::to_fit(&table, &columns, None).map_err(|error| anyhow!("{error:#}")),
        columns,
        guessed: false,
    })
}
