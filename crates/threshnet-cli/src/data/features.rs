//! Feature columns must hold a number in every row.

use super::column::{Cells, Column};
use super::table::Table;
use super::wording::{count, drop_flag, missing};
use anyhow::Result;

/// What features are read for: it decides what the user can do about a bad cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A fit, which can leave columns out.
    Fit,
    /// A prediction, which needs the columns of the model.
    Predict,
}

/// Refuses text, missing and infinite cells in the first `columns` columns.
pub fn check(table: &Table, columns: usize, purpose: Purpose) -> Result<()> {
    if purpose == Purpose::Fit {
        refuse_mixtures(table, columns)?;
    }
    refuse_text(table, columns, purpose)?;
    refuse_missing(table, columns, purpose)
}

/// Names the first cell of text in a column that has numbers, too, and the first number.
fn refuse_mixtures(table: &Table, columns: usize) -> Result<()> {
    let columns = table.columns()[..columns].iter();
    let mixture = columns
        .zip(table.header().names())
        .filter_map(|(column, name)| Some((column.first_text()?, column.first_number()?, name)))
        .min_by_key(|&(text, _, _)| text);
    let Some((_, (row, number), name)) = mixture else {
        return Ok(());
    };
    let (place, flag) = (table.place(row), drop_flag(&[name]));
    let fix = format!(
        "{place} has the number {number}: correct one of them, or leave the column out with {flag}"
    );
    Err(table.not_a_number(name, &fix))
}

/// Names the first cell that is text, and all columns like it.
fn refuse_text(table: &Table, columns: usize, purpose: Purpose) -> Result<()> {
    let names = table.header().names();
    let texts: Vec<(&Column, usize, &String)> = (table.columns()[..columns].iter().zip(names))
        .filter_map(|(column, name)| Some((column, column.first_text()?, name)))
        .collect();
    let Some(&(column, _, first)) = texts.iter().min_by_key(|(_, row, _)| row) else {
        return Ok(());
    };
    let named: Vec<&String> = texts.iter().map(|&(_, _, name)| name).collect();
    let fix = match (purpose, named.len()) {
        (Purpose::Predict, _) => "the model needs a number there".to_string(),
        (Purpose::Fit, 1) => format!("leave the column out with {}", drop_flag(&named)),
        (Purpose::Fit, many) => format!(
            "leave the {many} columns of text out with {}",
            drop_flag(&named)
        ),
    };
    match column.cells() {
        Cells::Text(text) if purpose == Purpose::Fit && text.identifies() => {
            let (levels, rows) = (text.levels().len(), count(table.rows(), "row"));
            let problem =
                format!("{levels} different texts in {rows} look like identifiers; {fix}");
            Err(table.error_in(first, problem))
        }
        _ => Err(table.not_a_number(first, &fix)),
    }
}

/// Counts the missing cells and names the first, by line, then by column.
fn refuse_missing(table: &Table, columns: usize, purpose: Purpose) -> Result<()> {
    let names = table.header().names();
    let columns = &table.columns()[..columns];
    let first = columns
        .iter()
        .zip(names)
        .filter_map(|(column, name)| Some((column.first_missing()?, name)))
        .min_by_key(|&(row, _)| row);
    let Some((row, name)) = first else {
        return Ok(());
    };
    let cells: usize = columns.iter().map(|c| c.missing()).sum();
    let affected = columns.iter().filter(|c| c.missing() > 0).count();
    let (missing, fix) = match purpose {
        Purpose::Fit => (
            missing(cells, affected),
            "fill in every cell, or leave out the row, or the column with --drop",
        ),
        // (rows are read as they come: how many cells are missing is not known)
        Purpose::Predict => (missing(1, 1), "fill in every cell or leave the row out"),
    };
    Err(table.error_at(row, name, format_args!("{missing}; {fix}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::Fixture;

    #[test]
    fn bad_cells_are_named_with_a_fix() {
        for (text, fit, predict) in [
            ("a,b\n1,2\n3,4\n", None, None),
            (
                "id,b\nMB-0005,2\nMB-0006,4\n",
                Some(
                    r#"line 2, column "id": "MB-0005" is not a number; leave the column out with --drop id"#,
                ),
                Some(
                    r#"line 2, column "id": "MB-0005" is not a number; the model needs a number there"#,
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
                "a,b,c,d,e,f,g\nu,v,w,x,y,z,1\n",
                Some(
                    r#"line 2, column "a": "u" is not a number; leave the 6 columns of text out with --drop a,b,c,d,e,f"#,
                ),
                Some(r#"line 2, column "a": "u" is not a number; the model needs a number there"#),
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
            for (purpose, message) in [(Purpose::Fit, fit), (Purpose::Predict, predict)] {
                let checked = check(&table, table.columns().len(), purpose);
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
            file.complaint(check(&file.table(), 2, Purpose::Fit)),
            r#"FILE: column "id": 40 different texts in 40 rows look like identifiers; leave the column out with --drop id"#
        );
        let file = Fixture::new(
            "d.csv",
            &format!("sex,x\n{}", rows(|i| format!("s{}", i % 2))),
        );
        assert_eq!(
            file.complaint(check(&file.table(), 2, Purpose::Fit)),
            r#"FILE: line 2, column "sex": "s0" is not a number; leave the column out with --drop sex"#
        );
    }

    #[test]
    fn only_the_first_columns_are_checked() {
        let file = Fixture::new("d.csv", "a,b,c\n1,x,NA\n");
        let table = file.table();
        assert!(check(&table, 1, Purpose::Fit).is_ok());
    }
}
