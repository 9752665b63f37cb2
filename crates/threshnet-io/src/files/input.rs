//! Which files a command reads.

use super::Columns;
use super::header::Header;
use super::source::{Manner, Names};
use super::table::Reader;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// The data file, and what stands beside it.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The file with the columns.
    pub data: PathBuf,
    /// A file with the outcome, of as many rows.
    pub outcome: Option<PathBuf>,
    /// A file with the names of a matrix's columns, one on each line.
    pub names: Option<PathBuf>,
    /// How they are written.
    pub manner: Manner,
}

impl Input {
    /// A file alone, written in the usual way.
    pub fn of(data: &std::path::Path) -> Input {
        Input {
            data: data.to_path_buf(),
            ..Input::default()
        }
    }

    /// Opens the data file and reads its header.
    pub(crate) fn open(&self) -> Result<Reader> {
        Reader::open(&self.data, &self.names()?, &self.manner)
    }

    /// Opens the file with the outcome, if there is one.
    pub(crate) fn open_outcome(&self) -> Result<Option<Reader>> {
        let open = |path: &PathBuf| Reader::open(path, &Names::Outcome, &self.manner);
        self.outcome.as_ref().map(open).transpose()
    }

    /// What the columns of a matrix are called.
    fn names(&self) -> Result<Names> {
        let Some(path) = &self.names else {
            return Ok(Names::Features);
        };
        let shown = path.display();
        let text = fs::read_to_string(path)
            .with_context(|| format!("{shown}: cannot read the names of the columns"))?;
        let text = text.trim_start_matches('\u{feff}').trim_end();
        let header = Header::new(path, text.lines())?;
        Ok(Names::Given(header.names().to_vec()))
    }

    /// The outcome flags, or where there are none what the outcome's own file says: its only
    /// column beside the weights is the target, and `time` and `event` are a survival outcome.
    pub fn complete(&self, columns: Columns) -> Result<Columns> {
        if columns.target.is_some() || columns.time.is_some() || columns.event.is_some() {
            return Ok(columns);
        }
        let Some(outcome) = self.open_outcome()? else {
            return Ok(columns);
        };
        let names = outcome.header.names().iter();
        let is_other = |name: &&String| {
            [&columns.weights, &columns.fold_by].contains(&&Some(name.to_string()))
        };
        let names: Vec<String> = (names.filter(|name| !is_other(name))).cloned().collect();
        Ok(match &names[..] {
            [target] => Columns {
                target: Some(target.clone()),
                ..columns
            },
            [time, event] if time == "time" && event == "event" => Columns {
                time: Some(time.clone()),
                event: Some(event.clone()),
                ..columns
            },
            _ => columns,
        })
    }
}
