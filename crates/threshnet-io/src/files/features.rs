//! Feature columns must hold a number in every row, or a text in every row.

use super::column::{Cells, Column};
use super::table::Table;
use super::wording::{count, drop_flag, missing};
use crate::cell::decimal_point;
use anyhow::Result;

/// What the first columns are read for: it decides what they may be, and what the user can do
/// about a bad cell.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// A fit with so many columns, which can leave some out.
    Fit(usize),
    /// A prediction, which needs the columns of the model: numbers where this says so.
    Predict(&'a [bool]),
}

/// Refuses mixtures, identifiers, decimal commas, text where a number is needed, missing and
/// infinite cells in the first columns.
pub fn check(table: &Table, purpose: Purpose) -> Result<()> {
    match purpose {
        Purpose::Fit(columns) => {
            refuse_mixtures(table, columns)?;
            refuse_unfit_text(table, columns)?;
            refuse_missing(table, columns, true)
        }
        Purpose::Predict(numbers) => {
            refuse_text(table, numbers)?;
            refuse_missing(table, numbers.len(), false)
        }
    }
}

/// The first row, and the first column of it, of which something holds, and what.
fn first<T>(
    table: &Table,
    columns: usize,
    of: impl Fn(usize, &Column) -> Option<(usize, T)>,
) -> Option<(usize, T, &String)> {
    let columns = table.columns[..columns].iter().enumerate();
    (columns.zip(table.header.names()))
        .filter_map(|((at, column), name)| of(at, column).map(|(row, what)| (row, what, name)))
        .min_by_key(|&(row, ..)| row)
}

/// Names the first cell of text in a column that has numbers, too, and the first number.
fn refuse_mixtures(table: &Table, columns: usize) -> Result<()> {
    let mixture = first(table, columns, |_, c| {
        Some((c.first_text?, c.first_number?))
    });
    let Some((_, (row, number), name)) = mixture else {
        return Ok(());
    };
    let (place, flag) = (table.place(row), drop_flag(&[name]));
    let fix = format!(
        "{place} has the number {number}: correct one of them, or leave the column out with {flag}"
    );
    Err(table.not_a_number(name, &fix))
}

/// Names the first cell of text where the model needs a number.
fn refuse_text(table: &Table, numbers: &[bool]) -> Result<()> {
    let text = |at: usize, column: &Column| Some((column.first_text.filter(|_| numbers[at])?, ()));
    match first(table, numbers.len(), text) {
        None => Ok(()),
        Some((_, (), name)) => Err(table.not_a_number(name, "the model needs a number there")),
    }
}

/// Names the first column of text that no fit can use: numbers with a decimal comma, or
/// identifiers, with all columns like it.
fn refuse_unfit_text(table: &Table, columns: usize) -> Result<()> {
    let named = || table.columns[..columns].iter().zip(table.header.names());
    // (a column without text has an empty one)
    if let Some((_, name)) = named().find(|(column, _)| decimal_point(column.text_cell()).is_some())
    {
        return Err(table.not_a_number(name, "write a number there"));
    }
    let identifiers = named().filter_map(|(column, name)| match &column.cells {
        Cells::Text(text) if text.identifies() => Some((text, name)),
        _ => None,
    });
    let (texts, names): (Vec<_>, Vec<&String>) = identifiers.unzip();
    let (Some(text), Some(first)) = (texts.first(), names.first()) else {
        return Ok(());
    };
    let (levels, rows) = (text.levels().len(), count(table.rows(), "row"));
    let fix = match names.len() {
        1 => "leave the column out with".to_string(),
        many => format!("leave the {many} columns like it out with"),
    };
    let flag = drop_flag(&names);
    let problem = format!("{levels} different texts in {rows} look like identifiers; {fix} {flag}");
    Err(table.error_in(first, problem))
}

/// Counts the missing cells and names the first, by line, then by column.
fn refuse_missing(table: &Table, columns: usize, to_fit: bool) -> Result<()> {
    let Some((row, (), name)) = first(table, columns, |_, c| Some((c.first_missing?, ()))) else {
        return Ok(());
    };
    let columns = &table.columns[..columns];
    let cells: usize = columns.iter().map(|c| c.missing).sum();
    let affected = columns.iter().filter(|c| c.missing > 0).count();
    let (missing, fix) = match to_fit {
        true => (
            missing(cells, affected),
            "fill in every cell, or leave out the row, or the column with --drop",
        ),
        // (rows are read as they come: how many cells are missing is not known)
        false => (missing(1, 1), "fill in every cell or leave the row out"),
    };
    Err(table.error_at(row, name, format_args!("{missing}; {fix}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::fixture::Fixture;

    #[test]
    fn bad_cells_are_named_with_a_fix() {
        for (text, fit, predict) in [
            ("a,b\n1,2\n3,4\n", None, None),
            (
                "sex,b\nf,2\nm,4\n",
                None,
                Some(
                    r#"line 2, column "sex": "f" is not a number; the model needs a number there"#,
                ),
            ),
            (
                "a,the sex\n1,f\nx,m\n",
                Some(
                    r#"line 3, column "a": "x" is not a number; line 2 has the number 1: correct one of them, or leave the column out with --drop a"#,
                ),
                Some(
                    r#"line 2, column "the sex": "f" is not a number; the model needs a number there"#,
                ),
            ),
            (
                "the age;b\n1,5;2\n2,5;3\n",
                Some(
                    r#"line 2, column "the age": "1,5" has a decimal comma; write decimal points: 1.5"#,
                ),
                Some(
                    r#"line 2, column "the age": "1,5" has a decimal comma; write decimal points: 1.5"#,
                ),
            ),
            (
                "a;b\n1;2\n1;-2,5e3\n",
                Some(
                    r#"line 3, column "b": "-2,5e3" has a decimal comma; write decimal points: -2.5e3"#,
                ),
                Some(
                    r#"line 3, column "b": "-2,5e3" has a decimal comma; write decimal points: -2.5e3"#,
                ),
            ),
            (
                "a,b,c\n1,2,3\n4,NA,inf\n,,6\n",
                Some(
                    r#"line 3, column "b": the first of 4 missing or infinite cells in 3 columns; fill in every cell, or leave out the row, or the column with --drop"#,
                ),
                Some(
                    r#"line 3, column "b": a missing or infinite cell; fill in every cell or leave the row out"#,
                ),
            ),
        ] {
            let file = Fixture::new("d.csv", text);
            let table = file.table();
            let numbers = vec![true; table.columns.len()];
            let fitted = Purpose::Fit(numbers.len());
            for (purpose, message) in [(fitted, fit), (Purpose::Predict(&numbers), predict)] {
                let checked = check(&table, purpose);
                match message {
                    None => assert!(checked.is_ok()),
                    Some(message) => {
                        assert_eq!(file.complaint(checked), format!("FILE: {message}"));
                    }
                }
            }
        }
    }

    #[test]
    fn identifiers_are_told_from_other_text() {
        let rows = |name: fn(usize) -> String| -> String {
            (0..40).map(|i| format!("{},{i}\n", name(i))).collect()
        };
        let file = Fixture::new("d.csv", &format!("id,x\n{}", rows(|i| format!("MB-{i}"))));
        assert_eq!(
            file.complaint(check(&file.table(), Purpose::Fit(2))),
            r#"FILE: column "id": 40 different texts in 40 rows look like identifiers; leave the column out with --drop id"#
        );
        let file = Fixture::new(
            "d.csv",
            &format!("sex,x\n{}", rows(|i| format!("s{}", i % 2))),
        );
        assert!(check(&file.table(), Purpose::Fit(2)).is_ok());
    }

    #[test]
    fn only_the_first_columns_are_checked() {
        let file = Fixture::new("d.csv", "a,b,c\n1,x,NA\n");
        let table = file.table();
        assert!(check(&table, Purpose::Fit(1)).is_ok());
    }
}
