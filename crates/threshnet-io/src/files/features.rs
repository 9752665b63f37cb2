//! Feature columns must hold a number in every row, or a text in every row.

use super::column::{Cells, Column};
use super::table::Table;
use super::troubles::{Spread, explained, tally};
use super::wording::{count, drop_flag, flag, missing, quoted};
use crate::cell::Oddity;

/// All that is wrong with the first columns, which a fit shall use, each in words that name the first
/// cell: mixtures, identifiers, dates, numbers in another country's writing, limits, and missing and
/// infinite cells unless there may be gaps.
pub fn troubles(table: &Table, columns: usize, gaps: bool) -> Vec<String> {
    let mut found = among_numbers(table, columns);
    found.push(dates(table, columns));
    found.push(identifiers(table, columns));
    if !gaps {
        found.push(missing_cells(table, columns));
    }
    found.into_iter().flatten().collect()
}

/// The first columns with their names.
fn named(table: &Table, columns: usize) -> impl Iterator<Item = (&Column, &String)> {
    table.columns[..columns].iter().zip(table.header.names())
}

/// The cells of a column that look like this.
fn spread<'a>(column: &'a Column, name: &'a str, oddity: Oddity) -> Option<Spread<'a>> {
    let odd = column.odd(oddity)?;
    Some(Spread {
        name,
        row: odd.first(),
        count: odd.rows.len(),
        cell: &odd.cell,
        column,
    })
}

/// Cells that are no numbers in columns that have some, by what they look like.
fn among_numbers(table: &Table, columns: usize) -> Vec<Option<String>> {
    let oddities = [
        Oddity::Comma,
        Oddity::Below,
        Oddity::Above,
        Oddity::Date,
        Oddity::Text,
    ];
    (oddities.into_iter())
        .map(|oddity| {
            let odd: Vec<Spread> = named(table, columns)
                .filter(|(column, _)| column.has_numbers())
                .filter_map(|(column, name)| spread(column, name, oddity))
                .collect();
            let first = odd.iter().min_by_key(|spread| spread.row)?;
            let names: Vec<&str> = odd.iter().map(|spread| spread.name).collect();
            let (what, fix) = explained(oddity, first.cell);
            let fix = match oddity {
                Oddity::Text => mixture(table, first, &names),
                Oddity::Above | Oddity::Date => {
                    format!("{fix}, or leave it out with {}", drop_flag(&names))
                }
                Oddity::Comma | Oddity::Below => fix,
            };
            let problem = format!("{what}{}; {fix}", tally(&odd));
            Some(table.at(first.row, first.name, problem))
        })
        .collect()
}

/// What to do about text among numbers.
fn mixture(table: &Table, first: &Spread, names: &[&str]) -> String {
    let (marker, drop) = (flag("--na", first.cell), drop_flag(names));
    let correct = match first.column.first_number {
        Some((row, number)) => {
            let place = table.place(row);
            format!("{place} has the number {number}: correct one of them")
        }
        None => "write a number there".into(),
    };
    format!(
        "{correct}, say {marker} if that stands for a missing value, or leave the column out with \
         {drop}"
    )
}

/// Columns of dates alone.
fn dates(table: &Table, columns: usize) -> Option<String> {
    let odd: Vec<Spread> = named(table, columns)
        .filter(|(column, _)| column.is_dates())
        .filter_map(|(column, name)| spread(column, name, Oddity::Date))
        .collect();
    let first = odd.first()?;
    let names: Vec<&str> = odd.iter().map(|spread| spread.name).collect();
    let (what, fix) = explained(Oddity::Date, first.cell);
    let (tally, drop) = (tally(&odd), drop_flag(&names));
    let problem = format!("{what}{tally}; {fix}, or leave it out with {drop}");
    Some(table.at(first.row, first.name, problem))
}

/// Columns of text that differs in most rows.
fn identifiers(table: &Table, columns: usize) -> Option<String> {
    let found = named(table, columns).filter_map(|(column, name)| match &column.cells {
        Cells::Text(text) if text.identifies() && !column.has_numbers() && !column.is_dates() => {
            Some((text, name))
        }
        _ => None,
    });
    let (texts, names): (Vec<_>, Vec<&String>) = found.unzip();
    let (text, first) = (texts.first()?, names.first()?);
    let (levels, rows) = (text.levels().len(), count(table.rows(), "row"));
    let fix = match names.len() {
        1 => "leave the column out with".to_string(),
        many => format!("leave the {many} columns like it out with"),
    };
    let flag = drop_flag(&names);
    let problem = format!("{levels} different texts in {rows} look like identifiers; {fix} {flag}");
    Some(format!("column {}: {problem}", quoted(first)))
}

/// Counts the missing cells and names the first, by line, then by column.
fn missing_cells(table: &Table, columns: usize) -> Option<String> {
    let spread: Vec<Spread> = named(table, columns)
        .filter_map(|(column, name)| {
            let row = column.first_missing?;
            Some(Spread {
                name,
                row,
                count: column.missing,
                cell: "",
                column,
            })
        })
        .collect();
    let first = spread.iter().min_by_key(|spread| spread.row)?;
    let cells = spread.iter().map(|spread| spread.count).sum();
    let problem = format!(
        "{}; --missing impute fills them in, --missing drop leaves out their rows, --drop a column",
        missing(cells, &spread)
    );
    Some(table.at(first.row, first.name, problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::fixture::Fixture;
    use anyhow::Result;

    fn check(table: &Table, columns: usize) -> Result<()> {
        table.header.refuse(&troubles(table, columns, false))
    }

    #[test]
    fn bad_cells_are_named_with_a_fix() {
        for (text, message) in [
            ("a,b\n1,2\n3,4\n", None),
            ("sex,b\nf,2\nm,4\n", None),
            (
                "a,the sex\n1,f\nx,m\n",
                Some(
                    r#"line 3, column "a": "x" is not a number; line 2 has the number 1: correct one of them, say --na x if that stands for a missing value, or leave the column out with --drop a"#,
                ),
            ),
            (
                "the age;b\n1,5;2\n2,5;3\n",
                Some(
                    r#"line 2, column "the age": "1,5" has a comma, the first of 2 such cells in 1 column: the age (2); say --decimal , if it stands before decimals"#,
                ),
            ),
            (
                "a;b\n1;2\n1;-2,5e3\n",
                Some(
                    r#"line 3, column "b": "-2,5e3" has a comma; say --decimal , if it stands before decimals"#,
                ),
            ),
            (
                "a,b,c\n1,2,3\n4,NA,inf\n,,6\n",
                Some(
                    r#"line 3, column "b": the first of 4 missing or infinite cells in 3 columns: a (1), b (2), c (1); --missing impute fills them in, --missing drop leaves out their rows, --drop a column"#,
                ),
            ),
        ] {
            let file = Fixture::new("d.csv", text);
            let table = file.table();
            let checked = check(&table, table.columns.len());
            match message {
                None => assert!(checked.is_ok()),
                Some(message) => {
                    assert_eq!(file.complaint(checked), format!("FILE: {message}"));
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
            file.complaint(check(&file.table(), 2)),
            r#"FILE: column "id": 40 different texts in 40 rows look like identifiers; leave the column out with --drop id"#
        );
        let file = Fixture::new(
            "d.csv",
            &format!("sex,x\n{}", rows(|i| format!("s{}", i % 2))),
        );
        assert!(check(&file.table(), 2).is_ok());
    }

    #[test]
    fn only_the_first_columns_are_checked() {
        let file = Fixture::new("d.csv", "a,b,c\n1,x,NA\n");
        let table = file.table();
        assert!(check(&table, 1).is_ok());
    }
}
