//! The first line of a data file: its column names, which are unique.

use super::wording::{did_you_mean, list, quoted};
use anyhow::{Result, anyhow};
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file's name and its column names.
#[derive(Debug, Clone)]
pub struct Header {
    path: PathBuf,
    /// Shared, for there may be a million.
    names: Arc<[String]>,
}

impl Header {
    /// Trims the names and checks that each column has one of its own.
    pub fn new<'a>(path: &Path, cells: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let header = Header {
            path: path.to_path_buf(),
            names: cells.into_iter().map(|c| c.trim().to_string()).collect(),
        };
        header.check()?;
        Ok(header)
    }

    /// Refuses empty names and names that occur twice.
    fn check(&self) -> Result<()> {
        let problem = |text: String| Err(self.error(format_args!("header: {text}")));
        if let Some(unnamed) = self.names.iter().position(String::is_empty) {
            return problem(format!(
                "column {} has no name; name it, or write the file without row names",
                unnamed + 1
            ));
        }
        self.duplicates().map_or(Ok(()), problem)
    }

    /// Says which names occur more than once, and where the first does.
    fn duplicates(&self) -> Option<String> {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(self.names.len());
        let mut repeated = Vec::new();
        for (position, name) in self.names.iter().enumerate() {
            let places = places.entry(name).or_default();
            places.push(position + 1);
            if places.len() == 2 {
                repeated.push(name);
            }
        }
        let name = repeated.first()?;
        let (a, b) = (places[name.as_str()][0], places[name.as_str()][1]);
        let pair = format!("columns {a} and {b} are both named {}", quoted(name));
        Some(match repeated.len() {
            1 => format!("{pair}; rename one"),
            many => format!(
                "{many} names occur more than once ({}); {pair}; give each column a \
                 name of its own",
                list(&repeated)
            ),
        })
    }

    /// The same file with these columns only.
    pub fn subset(&self, positions: impl IntoIterator<Item = usize> + Clone) -> Header {
        let all = positions.clone().into_iter().eq(0..self.names.len());
        Header {
            path: self.path.clone(),
            names: match all {
                true => self.names.clone(),
                false => (positions.into_iter())
                    .map(|p| self.names[p].clone())
                    .collect(),
            },
        }
    }

    /// The file, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The column names, in file order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The position of each name, for many look-ups.
    pub fn positions(&self) -> HashMap<&str, usize> {
        let names = self.names.iter().enumerate();
        names
            .map(|(position, name)| (name.as_str(), position))
            .collect()
    }

    /// The position of a name, or an error with the nearest one.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|n| n == name).ok_or_else(|| {
            let hint = did_you_mean(name, &self.names);
            self.error(format_args!("there is no column {}; {hint}", quoted(name)))
        })
    }

    /// An error about this file.
    pub fn error(&self, problem: impl Display) -> anyhow::Error {
        anyhow!("{}: {problem}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of `d.csv` with these cells.
    fn header(cells: &[&str]) -> Result<Header> {
        Header::new(Path::new("d.csv"), cells.iter().copied())
    }

    #[test]
    fn names_are_trimmed_and_found() {
        let header = header(&[" a ", "b", "c d"]).unwrap();
        assert_eq!(header.names(), ["a", "b", "c d"]);
        assert_eq!(header.find("c d").unwrap(), 2);
        assert_eq!(header.positions()["b"], 1);
        assert_eq!(header.subset([2, 0]).names(), ["c d", "a"]);
    }

    #[test]
    fn bad_headers_are_refused() {
        for (cells, message) in [
            (
                &["a", "b", "a "][..],
                r#"d.csv: header: columns 1 and 3 are both named "a"; rename one"#,
            ),
            (
                &["c", "a", "b", "a", "a", "b", "c"],
                r#"d.csv: header: 3 names occur more than once ("a", "b", "c"); columns 2 and 4 are both named "a"; give each column a name of its own"#,
            ),
            (
                &["a", " "],
                "d.csv: header: column 2 has no name; name it, or write the file without row names",
            ),
        ] {
            assert_eq!(header(cells).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one() {
        let header = header(&["time", "status"]).unwrap();
        for (name, message) in [
            (
                "tme",
                r#"d.csv: there is no column "tme"; did you mean "time"?"#,
            ),
            (
                "q",
                r#"d.csv: there is no column "q"; the columns are "time", "status""#,
            ),
        ] {
            assert_eq!(header.find(name).unwrap_err().to_string(), message);
        }
    }
}
