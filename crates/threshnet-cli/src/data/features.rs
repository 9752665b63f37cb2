//! Feature columns must hold a number in every row.

use super::table::Table;
use super::wording::{drop_flag, missing};
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
    refuse_text(table, columns, purpose)?;
    refuse_missing(table, columns, purpose)
}

/// Names the first cell that is text, and all columns like it.
fn refuse_text(table: &Table, columns: usize, purpose: Purpose) -> Result<()> {
    let names = table.header().names();
    let rows = table.columns()[..columns].iter().map(|c| c.first_text());
    let texts: Vec<(usize, &String)> = rows
        .zip(names)
        .filter_map(|(row, name)| Some((row?, name)))
        .collect();
    let Some(&(row, first)) = texts.iter().min_by_key(|(row, _)| row) else {
        return Ok(());
    };
    let named: Vec<&String> = texts.iter().map(|&(_, name)| name).collect();
    let fix = match (purpose, named.len()) {
        (Purpose::Predict, _) => "the model needs a number there".to_string(),
        (Purpose::Fit, 1) => format!("leave the column out with {}", drop_flag(&named)),
        (Purpose::Fit, many) => format!(
            "leave the {many} columns of text out with {}",
            drop_flag(&named)
        ),
    };
    Err(table.not_a_number(row, first, &fix))
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
    let fix = match purpose {
        Purpose::Fit => "fill in every cell, or leave out the row, or the column with --drop",
        Purpose::Predict => "fill in every cell or leave the row out",
    };
    let missing = missing(cells, affected);
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
                    r#"line 2, column "the sex": "f" is not a number; leave the 2 columns of text out with --drop 'a,the sex'"#,
                ),
                Some(
                    r#"line 2, column "the sex": "f" is not a number; the model needs a number there"#,
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
                    r#"line 3, column "b": the first of 4 missing or infinite cells in 3 columns; fill in every cell or leave the row out"#,
                ),
            ),
        ] {
            let file = Fixture::new("d.csv", text);
            let table = Table::read(&file.path).unwrap();
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
    fn only_the_first_columns_are_checked() {
        let file = Fixture::new("d.csv", "a,b,c\n1,x,NA\n");
        let table = Table::read(&file.path).unwrap();
        assert!(check(&table, 1, Purpose::Fit).is_ok());
    }
}
