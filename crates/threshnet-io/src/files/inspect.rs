//! What is in a file, and the fit it suggests: `threshnet inspect`.

mod columns;
mod guess;
mod report;

use super::source::Keep;
use super::table::{Reader, Table};
use super::{
    Columns, Input, OutcomeColumns, Reached, find_all, load_dataset, outcome, read_beside,
    same_rows,
};
use crate::cell::{Oddity, decimal_point, has_thousands};
use anyhow::{Result, anyhow, bail};
use columns::{Described, Kind, duplicates};
use glob::Pattern;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use threshnet::dataset::{Missing, Outcome, Task};
use threshnet::leak::suspects;
use threshnet::model::{CensoredCells, Decimal, Reading};

/// What was found in a file.
pub struct Inspection {
    input: Input,
    rows: usize,
    /// All columns, in file order.
    columns: Vec<Described>,
    /// (column, the first column that is equal to it)
    duplicates: Vec<(usize, usize)>,
    outcome: Option<Found>,
    /// The columns of a file of the outcome's own.
    beside: Vec<String>,
    /// How the text is encoded, if that is to be said.
    encoding: Option<String>,
    /// Why the suggested fit cannot be made, if it cannot.
    problem: Option<String>,
    read_in: Duration,
}

/// The outcome, or what is wrong with it.
struct Found {
    columns: OutcomeColumns,
    /// Whether it was found by its name, without a flag.
    guessed: bool,
    outcome: Result<Outcome>,
    /// How events are read, if that is to be said.
    coding: Option<String>,
}

impl Inspection {
    /// Reads all of a file. The outcome is as the flags say, or as names suggest; how numbers are
    /// written as the flags say, or as they look.
    pub fn read(input: &Input, flags: &Columns, reached: Reached) -> Result<Inspection> {
        let started = Instant::now();
        let flags = input.complete(flags.clone())?;
        let asked = match (&flags.target, &flags.time, &flags.event) {
            (None, None, None) => None,
            _ => Some(flags.outcome()?),
        };
        let mut input = input.clone();
        let (mut seen, mut candidates) = Seen::read(&input, &asked, reached)?;
        let manner = seen.manner(&input.manner.reading);
        let again = can_be_read_again(&input);
        if manner != input.manner.reading {
            if !again {
                bail!(
                    "{}: its cells are to be read in another way, and a pipe cannot be read again; write a \
                     file, or say how by --decimal and --censored-cells",
                    input.data.display()
                );
            }
            input.manner.reading = manner;
            (seen, candidates) = Seen::read(&input, &asked, reached)?;
        }
        let read_in = started.elapsed();
        let Seen {
            table,
            mut columns,
            encoding,
        } = seen;
        let open = input.open_outcome()?;
        let beside = (open.as_ref()).map_or(vec![], |open| open.header.names().to_vec());
        let found = match (asked, open) {
            (Some(asked), Some(open)) => Some(in_file(open, asked, &table)?),
            (None, Some(_)) => guessed_in_file(&input, &beside, &table)?,
            (asked, None) => {
                let guessed = asked.is_none();
                let mut all = (candidates.into_iter()).map(|columns| Found {
                    outcome: outcome::to_fit(&table, &columns, flags.task),
                    coding: outcome::coding(&table, &columns),
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
                if column.outcome {
                    column.alarm = None;
                } else if guess::names_an_outcome(&column.name) {
                    column.alarm = Some("looks like another outcome".into());
                }
            }
        }
        let mut inspection = Inspection {
            rows: table.rows(),
            duplicates: duplicates(&table, &columns),
            columns,
            outcome: found,
            beside,
            encoding,
            problem: None,
            read_in,
            input,
        };
        drop(table);
        if again {
            inspection.raise_alarms(flags.task)?;
        }
        Ok(inspection)
    }

    /// Reads the file as the suggested fit would, and looks for columns that alone predict the
    /// outcome almost perfectly; those are not suggested.
    fn raise_alarms(&mut self, task: Option<Task>) -> Result<()> {
        let Some(Found {
            columns: outcome,
            outcome: Ok(_),
            ..
        }) = &self.outcome
        else {
            return Ok(());
        };
        let names = outcome.names();
        let (target, time, event) = match names[..] {
            [time, event] => (None, Some(time.to_string()), Some(event.to_string())),
            _ => (names.first().map(|name| name.to_string()), None, None),
        };
        let usable = self
            .columns
            .iter()
            .filter(|column| column.usable() && !column.outcome);
        let mut suggested = Columns {
            target,
            time,
            event,
            task,
            features: usable.map(|column| Pattern::escape(&column.name)).collect(),
            ..Columns::default()
        };
        if suggested.features.is_empty() {
            return Ok(());
        }
        if self.has_gaps() {
            suggested.gaps.missing = Missing::Impute;
        }
        let (data, _) = match load_dataset(&self.input, &suggested, &|_| ()) {
            Ok(read) => read,
            Err(error) => {
                self.problem = Some(format!("{error:#}"));
                return Ok(());
            }
        };
        let all: Vec<usize> = (0..data.features().count()).collect();
        for suspect in suspects(&data, &all) {
            let name = &data.names()[suspect.feature];
            let column = self.columns.iter_mut().find(|column| column.name == *name);
            if let Some(column) = column {
                column.alarm = Some(suspect.why);
            }
        }
        Ok(())
    }

    /// Whether a column that is suggested has missing cells.
    fn has_gaps(&self) -> bool {
        let features = self
            .columns
            .iter()
            .filter(|column| column.usable() && !column.outcome);
        features.into_iter().any(|column| column.missing > 0)
    }
}

/// All columns of a file.
struct Seen {
    table: Table,
    columns: Vec<Described>,
    encoding: Option<String>,
}

impl Seen {
    /// Reads them, with what may be the outcome.
    fn read(
        input: &Input,
        asked: &Option<OutcomeColumns>,
        reached: Reached,
    ) -> Result<(Seen, Vec<OutcomeColumns>)> {
        let reader = input.open()?;
        let candidates = match (asked, &input.outcome) {
            (None, None) => guess::candidates(reader.header.names()),
            (Some(asked), None) => vec![asked.clone()],
            (_, Some(_)) => vec![],
        };
        if asked.is_some() {
            find_all(&reader.header, &names_of(&candidates))?;
        }
        let encoding = reader.encoding();
        let (table, columns) = read_all(reader, &candidates, reached)?;
        Ok((
            Seen {
                table,
                columns,
                encoding,
            },
            candidates,
        ))
    }

    /// How the file writes numbers, as far as that was not said.
    fn manner(&self, said: &Reading) -> Reading {
        let odd = |oddity| {
            let of_numbers = self
                .table
                .columns
                .iter()
                .filter(|column| column.has_numbers());
            of_numbers.filter_map(move |column| column.odd(oddity))
        };
        let commas: Vec<&str> = odd(Oddity::Comma).map(|odd| &odd.cell[..]).collect();
        let decimal = match commas.iter().all(|cell| decimal_point(cell).is_some()) {
            _ if commas.is_empty() => None,
            true => Some(Decimal::Comma),
            false => commas
                .iter()
                .all(|cell| has_thousands(cell))
                .then_some(Decimal::Point),
        };
        let limits = odd(Oddity::Below).next().map(|_| CensoredCells::Half);
        said.clone().or(&Reading {
            decimal,
            censored_cells: limits,
            ..Reading::default()
        })
    }
}

/// Whether these files can be read again: a pipe cannot.
fn can_be_read_again(input: &Input) -> bool {
    let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file(&input.data) && input.outcome.iter().all(is_file)
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

/// The outcome in a file of its own, as names suggest.
fn guessed_in_file(input: &Input, names: &[String], features: &Table) -> Result<Option<Found>> {
    for columns in guess::candidates(names) {
        let Some(beside) = input.open_outcome()? else {
            break;
        };
        let found = in_file(beside, columns, features)?;
        if found.outcome.is_ok() {
            return Ok(Some(Found {
                guessed: true,
                ..found
            }));
        }
    }
    Ok(None)
}

/// The outcome in a file of its own.
fn in_file(beside: Reader, columns: OutcomeColumns, features: &Table) -> Result<Found> {
    let all = features.header.names().len();
    let table = read_beside(beside, &columns.names(), &features.header)?;
    same_rows(features, &table, all)?;
    Ok(Found {
        outcome: outcome::to_fit(&table, &columns, None).map_err(|error| anyhow!("{error:#}")),
        coding: outcome::coding(&table, &columns),
        columns,
        guessed: false,
    })
}
