//! Opens a data file by its name (plain or gzip, commas or tabs) and hands
//! out its rows with their line numbers.

use super::wording::quoted;
use anyhow::{Result, anyhow, bail};
use csv::{StringRecord, Terminator};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;
use std::path::{Path, PathBuf};

/// How a gzip file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A line put behind every file: it ends the last line if need be, and a quote
/// that is never closed swallows it.
const END: &str = "\u{4}\n";

/// The rows of a data file, one after the other.
pub struct Source {
    path: PathBuf,
    gzip: bool,
    csv: csv::Reader<Box<dyn Read>>,
}

impl Source {
    /// Opens the file: `.gz` is decompressed, `.tsv` and `.tab` are separated
    /// by tabs, everything else by commas.
    pub fn open(path: &Path) -> Result<Source> {
        let shown = path.display();
        if path.is_dir() {
            bail!("{shown}: this is a folder; name a .csv or .tsv file in it");
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{shown}: no such file; check the path"),
            _ => anyhow!("{shown}: cannot be opened: {error}"),
        })?;
        let mut file = BufReader::new(file);
        let (gzip, delimiter) = format(path);
        let start = file
            .fill_buf()
            .map_err(|error| anyhow!("{shown}: cannot be read: {error}"))?;
        match (gzip, start.starts_with(&GZIP)) {
            (false, true) => bail!("{shown}: the file is compressed; let its name end in .gz"),
            (true, false) => bail!("{shown}: the file is not compressed; take .gz off its name"),
            _ => {}
        }
        let end = format!("\n{END}");
        let bytes: Box<dyn Read> = if gzip {
            Box::new(MultiGzDecoder::new(file).chain(Cursor::new(end)))
        } else {
            Box::new(file.chain(Cursor::new(end)))
        };
        let csv = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .terminator(Terminator::Any(b'\n'))
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 17)
            .from_reader(bytes);
        Ok(Source {
            path: path.to_path_buf(),
            gzip,
            csv,
        })
    }

    /// Reads the next row that is not blank into `record` and returns the line
    /// it starts in, or `None` after the last one. Cells are not trimmed; a
    /// carriage return before the line break is left for trimming.
    pub fn next(&mut self, record: &mut StringRecord) -> Result<Option<u64>> {
        loop {
            let mut row = mem::take(record).into_byte_record();
            let more = self.csv.read_byte_record(&mut row);
            if !more.map_err(|error| self.unreadable(&error))? || row == [END.trim_end()][..] {
                return Ok(None);
            }
            // The reader stands behind the row; quoted cells may span lines.
            let breaks = row.as_slice().iter().filter(|&&b| b == b'\n').count();
            let line = self.csv.position().line() - breaks as u64;
            if row.as_slice().ends_with(END.as_bytes()) {
                return Err(self.error(line, "a quote is opened and never closed; close it"));
            }
            *record = StringRecord::from_byte_record(row).map_err(|_| {
                self.error(
                    line - 1,
                    "this is not UTF-8 text; save the file as UTF-8 CSV",
                )
            })?;
            if record.len() > 1 || !record.as_slice().trim().is_empty() {
                return Ok(Some(line - 1));
            }
        }
    }

    /// An error about a line.
    fn error(&self, line: u64, problem: &str) -> anyhow::Error {
        anyhow!("{}: line {line}: {problem}", self.path.display())
    }

    /// The error of bytes that cannot be had.
    fn unreadable(&self, error: &csv::Error) -> anyhow::Error {
        let shown = self.path.display();
        if self.gzip {
            anyhow!("{shown}: the gzip data is broken ({error}); compress the file again")
        } else {
            anyhow!("{shown}: cannot be read: {error}")
        }
    }
}

/// Whether the name says gzip, and the separator it stands for.
fn format(path: &Path) -> (bool, u8) {
    let name = path.to_string_lossy().to_lowercase();
    let (name, gzip) = match name.strip_suffix(".gz") {
        Some(inner) => (inner, true),
        None => (name.as_str(), false),
    };
    let tabs = name.ends_with(".tsv") || name.ends_with(".tab");
    (gzip, if tabs { b'\t' } else { b',' })
}

/// Says what to do if a header of one column was meant to be several.
pub fn other_separator(name: &str) -> Option<String> {
    let (separator, fix) = [
        ("\t", "let the file name end in .tsv"),
        (";", "write commas instead"),
    ]
    .into_iter()
    .find(|(separator, _)| name.contains(separator))?;
    let separator = quoted(separator);
    Some(format!("the cells are separated by {separator}; {fix}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::{Fixture, gzip};

    /// Every row of a file, with its line.
    fn rows(path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
        let mut source = Source::open(path)?;
        let mut record = StringRecord::new();
        let mut rows = Vec::new();
        while let Some(line) = source.next(&mut record)? {
            rows.push((line, record.iter().map(|c| c.trim().to_string()).collect()));
        }
        Ok(rows)
    }

    #[test]
    fn lines_count_through_blank_lines_quoted_breaks_and_both_line_endings() {
        let text = "a,b\n1,2\n\n  \n3,\"x\ny\"\n4,\"5\"";
        let expected = [
            (1, "a", "b"),
            (2, "1", "2"),
            (5, "3", "x\ny"),
            (7, "4", "5"),
        ];
        for (text, line_break) in [
            (text.to_string(), "\n"),
            (format!("{text}\n\n"), "\n"),
            (text.replace('\n', "\r\n"), "\r\n"),
            (format!("{}\r\n\r\n", text.replace('\n', "\r\n")), "\r\n"),
            (format!("\u{feff}{text}"), "\n"),
        ] {
            let file = Fixture::new("d.csv", &text);
            let expected: Vec<_> = expected
                .iter()
                .map(|&(line, a, b)| (line, vec![a.to_string(), b.replace('\n', line_break)]))
                .collect();
            assert_eq!(rows(&file.path).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn the_name_decides_on_tabs_and_gzip() {
        for (name, text) in [
            ("d.csv", "a,b"),
            ("d.txt", "a,b"),
            ("d.tsv", "a\tb"),
            ("d.TAB", "a\tb"),
        ] {
            let plain = Fixture::new(name, text);
            let zipped = Fixture::bytes(&format!("{name}.gz"), &gzip(text));
            for file in [plain, zipped] {
                let row = vec![(1, vec!["a".to_string(), "b".to_string()])];
                assert_eq!(rows(&file.path).unwrap(), row, "{name}");
            }
        }
        let members = [gzip("a,b\n"), gzip("1,2\n")].concat();
        let file = Fixture::bytes("d.csv.gz", &members);
        assert_eq!(rows(&file.path).unwrap().len(), 2);
    }

    #[test]
    fn says_why_a_file_cannot_be_read() {
        let cut = gzip(&"1,2\n".repeat(1000));
        for (name, bytes, message) in [
            (
                "d.csv",
                &gzip("a,b\n")[..],
                "FILE: the file is compressed; let its name end in .gz",
            ),
            (
                "d.csv",
                b"a,b\n1,2\n3,\xff\n",
                "FILE: line 3: this is not UTF-8 text; save the file as UTF-8 CSV",
            ),
            (
                "d.csv",
                b"a,b\n1,2\n3,\"4\n5,6\n",
                "FILE: line 3: a quote is opened and never closed; close it",
            ),
            (
                "d.csv.gz",
                b"a,b\n1,2\n",
                "FILE: the file is not compressed; take .gz off its name",
            ),
            (
                "d.csv.gz",
                &cut[..cut.len() - 9],
                "FILE: the gzip data is broken (",
            ),
        ] {
            let file = Fixture::bytes(name, bytes);
            let said = file.complaint(rows(&file.path));
            assert!(said.starts_with(message), "{said}");
        }
    }

    #[test]
    fn a_missing_file_and_a_folder_are_told_apart() {
        let file = Fixture::new("d.csv", "a");
        let gone = Path::new("no/such.csv");
        assert_eq!(
            rows(gone).unwrap_err().to_string(),
            "no/such.csv: no such file; check the path"
        );
        let folder = file.path.parent().unwrap();
        let said = rows(folder).unwrap_err().to_string();
        assert!(
            said.ends_with("this is a folder; name a .csv or .tsv file in it"),
            "{said}"
        );
    }
}
