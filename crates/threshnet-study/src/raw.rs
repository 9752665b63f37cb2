//! A CSV file as it is: numbers with gaps, texts, and names that may repeat.

use anyhow::{Context, Result, anyhow, bail};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// NaN where nothing is known.
    Numbers(Vec<f64>),
    /// None where nothing is known.
    Texts(Vec<Option<String>>),
}

/// A file of named columns.
pub struct Raw {
    pub names: Vec<String>,
    pub columns: Vec<Cells>,
}

/// The bytes of a file, unzipped if its name says that it is zipped.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("{shown}: cannot read"))?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(bytes);
    }
    let mut plain = vec![];
    GzDecoder::new(&bytes[..])
        .read_to_end(&mut plain)
        .with_context(|| format!("{shown}: cannot unzip; download it again"))?;
    Ok(plain)
}

impl Raw {
    /// Reads a file; `missing` are texts that stand for nothing, beside none at all and `NA`. A
    /// column is one of numbers if all that is known of it is.
    pub fn read(path: &Path, missing: &[&str]) -> Result<Raw> {
        let shown = path.display();
        let bytes = bytes(path)?;
        let cannot = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            anyhow!("{shown}: line {line}: not a row of the file ({error}); download it again")
        };
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().map_err(cannot)?.clone();
        let is_missing = |cell: &str| cell.is_empty() || cell == "NA" || missing.contains(&cell);
        let number = |cell: &str| match is_missing(cell) {
            true => Some(f64::NAN),
            false => cell.parse().ok(),
        };
        let rows = || csv::Reader::from_reader(&bytes[..]).into_records();
        let mut is_number = vec![true; header.len()];
        for row in rows() {
            for (all, cell) in is_number.iter_mut().zip(&row.map_err(cannot)?) {
                *all = *all && number(cell).is_some();
            }
        }
        let mut columns: Vec<Cells> = (is_number.into_iter())
            .map(|is_number| match is_number {
                true => Cells::Numbers(vec![]),
                false => Cells::Texts(vec![]),
            })
            .collect();
        for row in rows() {
            for (column, cell) in columns.iter_mut().zip(&row.map_err(cannot)?) {
                match column {
                    Cells::Numbers(numbers) => numbers.extend(number(cell)),
                    Cells::Texts(texts) => texts.push((!is_missing(cell)).then(|| cell.into())),
                }
            }
        }
        Ok(Raw {
            names: numbered(header.iter()),
            columns,
        })
    }

    /// The column of this name.
    pub fn column(&self, path: &Path, name: &str) -> Result<&Cells> {
        match self.names.iter().position(|known| known == name) {
            Some(at) => Ok(&self.columns[at]),
            None => bail!(
                "{}: no column {name:?}; docs/battery.md says where to get the file",
                path.display()
            ),
        }
    }
}

/// Names, those that occur again being numbered.
pub fn numbered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    names
        .map(|name| {
            let count = seen.entry(name).or_default();
            *count += 1;
            match count {
                1 => name.into(),
                count => format!("{name} ({count})"),
            }
        })
        .collect()
}

impl Cells {
    /// Its numbers; an error if it has texts.
    pub fn numbers(&self) -> Result<&[f64]> {
        match self {
            Cells::Numbers(numbers) => Ok(numbers),
            Cells::Texts(_) => bail!("it has texts, not numbers"),
        }
    }

    /// Its cells as texts, whatever they are.
    pub fn texts(&self) -> Vec<Option<String>> {
        match self {
            Cells::Texts(texts) => texts.clone(),
            Cells::Numbers(numbers) => (numbers.iter())
                .map(|number| (!number.is_nan()).then(|| number.to_string()))
                .collect(),
        }
    }

    /// The given rows.
    pub fn rows(&self, rows: &[usize]) -> Cells {
        match self {
            Cells::Numbers(numbers) => Cells::Numbers(rows.iter().map(|&i| numbers[i]).collect()),
            Cells::Texts(texts) => Cells::Texts(rows.iter().map(|&i| texts[i].clone()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_told_from_texts_and_names_are_numbered() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("some.csv");
        fs::write(&path, "a,b,a,c\n1,x,NA,unknown\n,,2.5,3\n-1e3,NA,?,4\n").unwrap();
        let raw = Raw::read(&path, &["?", "unknown"]).unwrap();
        assert_eq!(raw.names, ["a", "b", "a (2)", "c"]);
        let numbers = |at: usize| raw.columns[at].numbers().unwrap();
        assert_eq!(format!("{:?}", numbers(0)), "[1.0, NaN, -1000.0]");
        assert_eq!(format!("{:?}", numbers(2)), "[NaN, 2.5, NaN]");
        assert_eq!(
            raw.columns[1],
            Cells::Texts(vec![Some("x".into()), None, None])
        );
        assert_eq!(
            raw.columns[3].texts(),
            [None, Some("3".into()), Some("4".into())]
        );
        // what stands for nothing is for the file to say
        let strict = Raw::read(&path, &[]).unwrap();
        assert!(strict.columns[2].numbers().is_err() && strict.columns[3].numbers().is_err());
        assert_eq!(raw.columns[3].rows(&[2, 1]), Cells::Numbers(vec![4.0, 3.0]));
    }

    #[test]
    fn what_is_not_such_a_file_is_refused_in_one_line() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("some.csv");
        fs::write(&path, "a,b\n1,2\n3\n").unwrap();
        let problem = |path: &Path| Raw::read(path, &[]).err().unwrap().to_string();
        assert!(
            problem(&path).contains("some.csv: line 3: not a row"),
            "{}",
            problem(&path)
        );
        fs::write(&path, "a,b\n1,2\n").unwrap();
        let raw = Raw::read(&path, &[]).unwrap();
        let absent = raw.column(&path, "class").err().unwrap().to_string();
        assert!(absent.contains("no column \"class\""), "{absent}");
        let zipped = home.path().join("some.csv.gz");
        fs::write(&zipped, "a,b\n1,2\n").unwrap();
        assert!(problem(&zipped).contains("cannot unzip"));
    }
}
