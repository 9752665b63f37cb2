//! The outcome columns: what is predicted, and the task that follows from it.

use super::classes::{Classes, map_onto};
use super::table::Table;
use super::wording::{list, quoted};
use anyhow::Result;
use threshnet::dataset::{Outcome, Task};

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
/// texts are classes, and anything else is a regression.
pub fn to_fit(table: &Table, columns: &OutcomeColumns, task: Option<Task>) -> Result<Outcome> {
    match columns {
        OutcomeColumns::Target(_) if task == Some(Task::Cox) => Err(table
            .header()
            .error("--task cox needs --time COL and --event COL, not --target")),
        OutcomeColumns::Target(name) => target(table, name, task),
        OutcomeColumns::Survival { time, event } => {
            if let Some(task) = task.filter(|&task| task != Task::Cox) {
                let task = task.name();
                return Err(table.header().error(format_args!(
                    "--task {task} needs --target COL, not --time and --event"
                )));
            }
            let (times, events) = survival(table, time, event)?;
            if !events.contains(&true) {
                return Err(table.error_in(
                    event,
                    "no event happened, every row is 0 = censored; a fit needs some 1 = happened",
                ));
            }
            Ok(Outcome::Survival {
                time: times,
                event: events,
            })
        }
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
        (OutcomeColumns::Survival { time, event }, Task::Cox) => {
            let (time, event) = survival(table, time, event)?;
            Ok(Outcome::Survival { time, event })
        }
        (OutcomeColumns::Target(name), Task::Regression) => {
            Ok(Outcome::Continuous(table.number(name)?.into_owned()))
        }
        (OutcomeColumns::Target(name), Task::Binary | Task::Multiclass) => {
            let cells = table.text(name)?;
            let labels = map_onto(&cells, classes).map_err(|row| {
                let (cell, known) = (quoted(&cells[row]), list(classes));
                let problem = format!("{cell} is none of the model's classes, which are {known}");
                table.error_at(row, name, problem)
            })?;
            let classes = classes.to_vec();
            Ok(Outcome::Classes {
                labels,
                classes,
                task,
            })
        }
        (_, Task::Cox) => Err(table
            .header()
            .error("this is a survival model; name its outcome with --time COL and --event COL")),
        (_, task) => Err(table.header().error(format_args!(
            "this is a {} model; name its outcome with --target COL",
            task.name()
        ))),
    }
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
        return match column.first_text() {
            None => Ok(Outcome::Continuous(column.numbers().into_owned())),
            Some(row) => Err(table.not_a_number(row, name, fix)),
        };
    }
    if task == Task::Binary && found != 2 {
        let values = list(&classes.names);
        let problem = format!("{found} distinct values ({values}), but --task binary needs 2");
        return Err(table.error_in(name, problem));
    }
    Ok(Outcome::Classes {
        labels: classes.labels,
        classes: classes.names,
        task,
    })
}

/// Reads a time and an event indicator per row.
fn survival(table: &Table, time: &str, event: &str) -> Result<(Vec<f64>, Vec<bool>)> {
    let times = table.number(time)?.into_owned();
    if let Some(row) = times.iter().position(|&t| t < 0.0) {
        let problem = format!("the time {} is negative; times start at 0", times[row]);
        return Err(table.error_at(row, time, problem));
    }
    let mut events = Vec::with_capacity(times.len());
    for (row, cell) in table.text(event)?.iter().enumerate() {
        events.push(match cell.parse() {
            Ok(1.0) => true,
            Ok(0.0) => false,
            _ => {
                let problem = format!(
                    "{} is not an event indicator; write 1 = happened, 0 = censored",
                    quoted(cell)
                );
                return Err(table.error_at(row, event, problem));
            }
        });
    }
    Ok((times, events))
}

#[cfg(test)]
mod tests;
