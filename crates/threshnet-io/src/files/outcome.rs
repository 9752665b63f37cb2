//! The outcome columns: what is predicted, and the task that follows from it.

use super::classes::{Classes, map_onto};
use super::events::Coding;
use super::table::Table;
use super::wording::{full_list, list, quoted};
use crate::cell::parse;
use anyhow::Result;
use std::collections::HashMap;
use threshnet::dataset::{Outcome, Response, Task};

/// Where the outcome is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutcomeColumns {
    /// `--target COL`: a number or a class.
    Target(String),
    /// `--time COL --event COL`: survival.
    Survival {
        /// Time to event or censoring.
        time: String,
        /// 1 = happened, 0 = censored.
        event: String,
    },
}

impl OutcomeColumns {
    /// The names of the columns.
    pub fn names(&self) -> Vec<&str> {
        match self {
            OutcomeColumns::Target(target) => vec![target],
            OutcomeColumns::Survival { time, event } => vec![time, event],
        }
    }
}

/// Reads an outcome to fit to. Without a task, it follows from the columns:
/// time and event are survival, two distinct values are binary, three or more
/// texts are classes, and anything else is a regression. A task must be one
/// for these columns: `Columns::outcome` sees to it.
pub fn to_fit(table: &Table, columns: &OutcomeColumns, task: Option<Task>) -> Result<Outcome> {
    match columns {
        OutcomeColumns::Target(name) => target(table, name, task),
        OutcomeColumns::Survival { time, event } => {
            let outcome = survival(table, time, event)?;
            match &outcome {
                Outcome::Survival { event: all, .. } if !all.contains(&true) => Err(table.error_in(
                    event,
                    "no event happened, every row is 0 = censored; a fit needs some 1 = happened",
                )),
                _ => Ok(outcome),
            }
        }
    }
}

/// The columns that say of rows what is neither feature nor outcome.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowColumns<'a> {
    /// What each row counts.
    pub weights: Option<&'a str>,
    /// Which rows belong together.
    pub clusters: Option<&'a str>,
}

impl<'a> RowColumns<'a> {
    /// Those that there are.
    pub fn names(self) -> impl Iterator<Item = &'a str> {
        self.weights.into_iter().chain(self.clusters)
    }
}

/// An outcome with what each row counts and belongs to, if there are columns that say it.
pub fn of_rows(table: &Table, outcome: Outcome, columns: RowColumns) -> Result<Response> {
    let RowColumns {
        weights: of_weights,
        clusters: of_clusters,
    } = columns;
    Ok(Response {
        weights: of_weights.map(|name| weights(table, name)).transpose()?,
        clusters: of_clusters.map(|name| clusters(table, name)).transpose()?,
        ..outcome.into()
    })
}

/// Reads the cluster of each row: rows with the same cell are one.
pub fn clusters(table: &Table, name: &str) -> Result<Vec<usize>> {
    let cells = table.text(name)?;
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let of_row = cells.iter().map(|cell| {
        let next = numbers.len();
        *numbers.entry(cell.as_ref()).or_insert(next)
    });
    let of_rows: Vec<usize> = of_row.collect();
    match numbers.len() {
        1 => Err(table.error_in(
            name,
            "all rows are in one cluster; it cannot be on both sides of a split",
        )),
        _ => Ok(of_rows),
    }
}

/// Reads what each row counts: numbers that are not negative, some of them above 0.
fn weights(table: &Table, name: &str) -> Result<Vec<f64>> {
    let weights = table.number(name)?.into_owned();
    if let Some(row) = weights.iter().position(|weight| *weight < 0.0) {
        let problem = format!(
            "{} is no weight; write what the row counts, or 0 to leave it out",
            weights[row]
        );
        return Err(table.error_at(row, name, problem));
    }
    match weights.iter().any(|weight| *weight > 0.0) {
        true => Ok(weights),
        false => Err(table.error_in(name, "every row has weight 0; some must count")),
    }
}

/// Reads an outcome for a model whose task and class names are known. Rows of
/// one class only, or without an event, are no error here.
pub fn for_model(
    table: &Table,
    columns: &OutcomeColumns,
    task: Task,
    classes: &[String],
) -> Result<Outcome> {
    match (columns, task) {
        (OutcomeColumns::Survival { time, event }, Task::Cox) => survival(table, time, event),
        (OutcomeColumns::Target(name), Task::Regression) => {
            Ok(Outcome::Continuous(table.number(name)?.into_owned()))
        }
        (OutcomeColumns::Target(name), Task::Binary | Task::Multiclass) => {
            let cells = table.text(name)?;
            let labels = map_onto(&cells, classes).map_err(|row| {
                let (cell, known) = (quoted(&cells[row]), full_list(classes));
                let problem =
                    format!("{cell} is none of the model's classes; write one of {known}");
                table.error_at(row, name, problem)
            })?;
            Ok(Outcome::Classes {
                labels,
                classes: classes.to_vec(),
                task,
            })
        }
        (_, task) => {
            let (kind, flags) = match task {
                Task::Cox => ("survival", "--time COL and --event COL"),
                task => (task.name(), "--target COL"),
            };
            let problem = format!("this is a {kind} model; name its outcome with {flags}");
            Err(table.header.error(problem))
        }
    }
}

/// Reads the classes of rows that come with a probability of the last one in
/// sorted order. Rows of one class only can be scored if it is 0 or 1, for then
/// the other class is known.
pub fn two_classes(table: &Table, name: &str) -> Result<Outcome> {
    let Classes { mut labels, names } = Classes::of(table.complete(name)?);
    let classes = match &names[..] {
        [_, _] => names,
        [only] if matches!(parse(only), Some(0.0 | 1.0)) => {
            labels.fill(usize::from(parse(only) == Some(1.0)));
            vec!["0".into(), "1".into()]
        }
        [only] => {
            let only = quoted(only);
            let problem = format!(
                "every row is {only}, which may or may not be what the probability is of; write \
                 1 for what it is of, else 0"
            );
            return Err(table.error_in(name, problem));
        }
        many => {
            let (found, values) = (many.len(), list(many));
            let problem = format!(
                "{found} distinct values ({values}), but a probability is of one of 2 classes; \
                 write 1 for what it is of, else 0"
            );
            return Err(table.error_in(name, problem));
        }
    };
    Ok(Outcome::Classes {
        labels,
        classes,
        task: Task::Binary,
    })
}

/// Reads a number or a class per row, with at least two distinct values.
fn target(table: &Table, name: &str, task: Option<Task>) -> Result<Outcome> {
    let column = table.complete(name)?;
    let classes = Classes::of(column);
    let found = classes.names.len();
    if found < 2 {
        let problem = format!(
            "every row is {}; there is nothing to fit",
            list(&classes.names)
        );
        return Err(table.error_in(name, problem));
    }
    let task = task.unwrap_or(match classes.texts() {
        _ if found == 2 => Task::Binary,
        3.. => Task::Multiclass,
        _ => Task::Regression,
    });
    if task == Task::Regression {
        let fix = "correct it, or say --task multiclass if the values are classes";
        return match column.first_text {
            None => Ok(Outcome::Continuous(column.numbers().into_owned())),
            Some(_) => Err(table.not_a_number(name, fix)),
        };
    }
    if task == Task::Binary && found != 2 {
        let values = list(&classes.names);
        let problem = format!("{found} distinct values ({values}), but --task binary needs 2");
        return Err(table.error_in(name, problem));
    }
    if task == Task::Multiclass {
        refuse_single_rows(table, name, &classes)?;
    }
    Ok(Outcome::Classes {
        labels: classes.labels,
        classes: classes.names,
        task,
    })
}

/// Refuses classes of one row, which cannot be on both sides of a split: the
/// target is rather an identifier or a number.
fn refuse_single_rows(table: &Table, name: &str, classes: &Classes) -> Result<()> {
    let mut rows = vec![0; classes.names.len()];
    for &label in &classes.labels {
        rows[label] += 1;
    }
    let Some(row) = classes.labels.iter().position(|&label| rows[label] == 1) else {
        return Ok(());
    };
    let class = quoted(&classes.names[classes.labels[row]]);
    let problem = match rows.iter().filter(|&&rows| rows == 1).count() {
        1 => format!("{class} is a class of 1 row; merge it with another or leave the row out"),
        many => format!(
            "{class} is the first of {many} classes of 1 row; merge them with others or leave \
             their rows out"
        ),
    };
    let numbers = match classes.texts() {
        0 => ", or say --task regression, since the values are numbers",
        _ => "",
    };
    Err(table.error_at(row, name, problem + numbers))
}

/// How the events of a survival outcome are read, if not 1 = happened, 0 = censored.
pub fn coding(table: &Table, columns: &OutcomeColumns) -> Option<String> {
    match columns {
        OutcomeColumns::Target(_) => None,
        OutcomeColumns::Survival { event, .. } => Coding::said(&table.text(event).ok()?),
    }
}

/// Reads a time and an event indicator per row.
fn survival(table: &Table, time: &str, event: &str) -> Result<Outcome> {
    let times = table.number(time)?.into_owned();
    if let Some(row) = times.iter().position(|&t| t < 0.0) {
        let problem = format!("the time {} is negative; times start at 0", times[row]);
        return Err(table.error_at(row, time, problem));
    }
    let cells = table.text(event)?;
    let coding = Coding::of(&cells);
    let events: Vec<bool> = (cells.iter().enumerate())
        .map(|(row, cell)| {
            coding.event(cell).ok_or_else(|| {
                let cell = quoted(cell);
                let problem = format!(
                    "{cell} is not an event indicator; write 1 = happened, 0 = censored, or words such as \
                     dead and alive"
                );
                table.error_at(row, event, problem)
            })
        })
        .collect::<Result<_>>()?;
    Ok(Outcome::Survival {
        time: times,
        event: events,
    })
}

#[cfg(test)]
mod tests;
