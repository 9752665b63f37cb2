//! A data file in memory, column by column.

use super::column::{Column, Keep};
use super::header::Header;
use super::source::Source;
use super::wording::{count, missing, quoted};
use anyhow::{Result, bail};
use csv::StringRecord;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;

/// A file whose header is read and checked, and whose rows are still to come:
/// a wrong column name costs no reading.
pub struct Reader {
    header: Header,
    source: Source,
}

impl Reader {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Reader> {
        Reader::open_as(path, |names| names)
    }

    /// As [`open`](Self::open), but a name that occurs again is numbered:
    /// `gene`, `gene (2)`.
    pub fn open_numbered(path: &Path) -> Result<Reader> {
        Reader::open_as(path, numbered)
    }

    fn open_as(path: &Path, rename: fn(Vec<String>) -> Vec<String>) -> Result<Reader> {
        let mut source = Source::open(path)?;
        let mut record = StringRecord::new();
        if source.next(&mut record)?.is_none() {
            let shown = path.display();
            bail!("{shown}: the file is empty; write a header line and rows");
        }
        let names = rename(record.iter().map(|name| name.trim().to_string()).collect());
        let header = Header::new(path, names.iter().map(String::as_str))?;
        Ok(Reader { header, source })
    }

    /// The column names of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads all rows into a table of the wanted columns, in the order given.
    pub fn read(self, wanted: &[(usize, Keep)]) -> Result<Table> {
        self.read_where(wanted, |_| true)
    }

    /// As [`read`](Self::read), but leaves out rows that are not wanted.
    pub fn read_where(
        mut self,
        wanted: &[(usize, Keep)],
        keep: impl Fn(&StringRecord) -> bool,
    ) -> Result<Table> {
        let mut columns: Vec<Column> = wanted.iter().map(|&(_, keep)| Column::new(keep)).collect();
        let mut lines = Vec::new();
        let mut record = StringRecord::new();
        while let Some(line) = self.source.next(&mut record)? {
            if record.len() != self.header.names().len() {
                return Err(self.ragged(line, record.len(), lines.is_empty()));
            }
            if !keep(&record) {
                continue;
            }
            for (column, &(position, _)) in columns.iter_mut().zip(wanted) {
                column.push(&record[position]);
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Err(self.header.error("a header, but no rows; add some"));
        }
        columns.iter_mut().for_each(Column::shrink);
        Ok(Table {
            header: self
                .header
                .subset(wanted.iter().map(|&(position, _)| position)),
            columns,
            lines,
        })
    }

    /// The error of a row with more or fewer cells than the header.
    fn ragged(&self, line: u64, found: usize, first: bool) -> anyhow::Error {
        let expected = self.header.names().len();
        let fix = if first && found == expected + 1 {
            "name the column of row names, too"
        } else {
            "write one for each column"
        };
        let found = count(found, "cell");
        self.header.error(format_args!(
            "line {line}: {found}, but the header has {expected}; {fix}"
        ))
    }
}

/// Numbers the names that occur again.
fn numbered(mut names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in &mut names {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *name = format!("{name} ({count})");
        }
    }
    names
}

/// Named columns and the lines their rows come from.
#[derive(Debug)]
pub struct Table {
    header: Header,
    columns: Vec<Column>,
    lines: Vec<u64>,
}

impl Table {
    /// Reads every column of a file, as numbers where they are numbers.
    pub fn read(path: &Path) -> Result<Table> {
        let reader = Reader::open(path)?;
        let all: Vec<_> = (0..reader.header.names().len())
            .map(|position| (position, Keep::Numbers))
            .collect();
        reader.read(&all)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The names of the columns.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The columns, in the order of the names.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of this name, if none of its cells is missing.
    pub fn complete(&self, name: &str) -> Result<&Column> {
        let column = &self.columns[self.header.find(name)?];
        let Some(row) = column.first_missing() else {
            return Ok(column);
        };
        let missing = missing(column.missing(), 1);
        let problem = format!("{missing}; fill in every cell or leave the row out");
        Err(self.error_at(row, name, problem))
    }

    /// The values of this column, which must all be numbers.
    pub fn number(&self, name: &str) -> Result<Cow<'_, [f64]>> {
        let column = self.complete(name)?;
        match column.first_text() {
            None => Ok(column.numbers()),
            Some(row) => Err(self.not_a_number(row, name, "write a number there")),
        }
    }

    /// The cells of this column as text, none of them missing; see
    /// [`Column::spelled`].
    pub fn text(&self, name: &str) -> Result<Vec<Cow<'_, str>>> {
        Ok(self.complete(name)?.spelled())
    }

    /// The values of the first columns and their names, moved out; NaN where a
    /// cell is no number.
    pub fn into_numbers(self, first: usize) -> (Vec<String>, Vec<Vec<f64>>) {
        let names = self.header.names()[..first].to_vec();
        let columns = self.columns.into_iter().take(first);
        (names, columns.map(Column::into_numbers).collect())
    }

    /// The error of a cell that should be a number, and what to do about it.
    pub fn not_a_number(&self, row: usize, name: &str, fix: &str) -> anyhow::Error {
        match self.header.find(name) {
            Ok(position) => {
                let cell = quoted(&self.columns[position].spelled()[row]);
                self.error_at(row, name, format_args!("{cell} is not a number; {fix}"))
            }
            Err(error) => error,
        }
    }

    /// An error about a column.
    pub fn error_in(&self, name: &str, problem: impl Display) -> anyhow::Error {
        let name = quoted(name);
        self.header.error(format_args!("column {name}: {problem}"))
    }

    /// An error about one cell.
    pub fn error_at(&self, row: usize, name: &str, problem: impl Display) -> anyhow::Error {
        let (line, name) = (self.lines[row], quoted(name));
        self.header
            .error(format_args!("line {line}, column {name}: {problem}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::Fixture;

    #[test]
    fn reads_numbers_and_text() {
        let file = Fixture::new(
            "d.csv",
            "\u{feff}\"id\", x ,y\r\n a ,1, 2.50\r\nb,NA,-3\r\n\r\n",
        );
        let table = Table::read(&file.path).unwrap();
        assert_eq!(table.rows(), 2);
        assert_eq!(table.header().names(), ["id", "x", "y"]);
        assert_eq!(table.text("id").unwrap(), ["a", "b"]);
        assert_eq!(table.number("y").unwrap(), vec![2.5, -3.0]);
        assert_eq!(table.columns()[1].missing(), 1);
    }

    #[test]
    fn repeated_names_can_be_numbered() {
        let file = Fixture::new("d.csv", "a,b, a,a\n1,2,3,4\n");
        assert!(Reader::open(&file.path).is_err());
        let reader = Reader::open_numbered(&file.path).unwrap();
        assert_eq!(reader.header().names(), ["a", "b", "a (2)", "a (3)"]);
    }

    #[test]
    fn reads_the_wanted_columns_in_the_wanted_order() {
        let file = Fixture::new("d.csv", "a,b,c\n1,x,3.0\n4,y,6.0\n");
        let wanted = [(2, Keep::Spelling), (0, Keep::Numbers)];
        let table = Reader::open(&file.path).unwrap().read(&wanted).unwrap();
        assert_eq!(table.header().names(), ["c", "a"]);
        assert_eq!(table.text("c").unwrap(), ["3.0", "6.0"]);
        assert!(table.number("b").is_err());
        let (names, columns) = table.into_numbers(2);
        assert_eq!(names, ["c", "a"]);
        assert_eq!(columns, [[3.0, 6.0], [1.0, 4.0]]);
    }

    #[test]
    fn bad_files_are_refused() {
        let empty = "FILE: the file is empty; write a header line and rows";
        for (text, message) in [
            ("", empty),
            ("\u{feff}\r\n  \n", empty),
            ("a,b\n", "FILE: a header, but no rows; add some"),
            (
                "a,b\n1,\"2\n\"\n3\n",
                "FILE: line 4: 1 cell, but the header has 2; write one for each column",
            ),
            (
                "a,b\n1,2\n3,4,5\n",
                "FILE: line 3: 3 cells, but the header has 2; write one for each column",
            ),
            (
                "a,b\nrow1,2,3\n",
                "FILE: line 2: 3 cells, but the header has 2; name the column of row names, too",
            ),
            (
                "a,a\n1,2\n",
                r#"FILE: header: columns 1 and 2 are both named "a"; rename one"#,
            ),
        ] {
            let file = Fixture::new("d.csv", text);
            assert_eq!(file.complaint(Table::read(&file.path)), message);
        }
    }

    #[test]
    fn bad_cells_are_refused_where_they_are_used() {
        let file = Fixture::new("d.csv", "a,b,c\n1,,x\n\n2,3,4\n3,NA,inf\n");
        let table = Table::read(&file.path).unwrap();
        assert_eq!(table.number("a").unwrap().len(), 3);
        for (column, message) in [
            (
                "b",
                r#"FILE: line 2, column "b": the first of 2 missing or infinite cells; fill in every cell or leave the row out"#,
            ),
            (
                "c",
                r#"FILE: line 5, column "c": a missing or infinite cell; fill in every cell or leave the row out"#,
            ),
            ("ab", r#"FILE: there is no column "ab"; did you mean "a"?"#),
        ] {
            assert_eq!(file.complaint(table.number(column)), message);
            assert_eq!(file.complaint(table.text(column)), message);
        }
        let file = Fixture::new("d.csv", "a\n1\nx\n");
        let table = Table::read(&file.path).unwrap();
        assert_eq!(
            file.complaint(table.number("a")),
            r#"FILE: line 3, column "a": "x" is not a number; write a number there"#
        );
    }
}
