//! Data files of any format. The rest of the program sees named columns and blocks of rows, and
//! does not know where they come from.

mod arrow;
mod batch;
mod block;
mod bytes;
mod delimited;
mod encoding;
mod guarded;
mod mtx;
mod npy;
mod npz;
mod parquet;
mod stored;

#[cfg(test)]
mod tests;

pub use block::{Block, Keep, Spelled};
pub use encoding::Encoding;

use super::wording::count;
use anyhow::{Result, anyhow, bail};
use bytes::Bytes;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use threshnet::model::Reading;

/// The rows that a matrix may have: the library counts those of its cells in 32 bit.
const MOST_ROWS: u64 = i32::MAX as u64;

/// The columns that a file may have: each has a name, whether it has a cell or not.
const MOST_COLUMNS: u64 = 1 << 24;

/// Refuses more columns than there can be.
fn most_columns(count: u64) -> Result<usize, String> {
    at_most("columns", count, MOST_COLUMNS)
}

/// Refuses more rows than there can be.
fn most_rows(count: u64) -> Result<usize, String> {
    at_most("rows", count, MOST_ROWS)
}

/// What a file says of its size is not to be trusted: it is compared before anything is made of it.
fn at_most(what: &str, count: u64, most: u64) -> Result<usize, String> {
    match count <= most {
        true => Ok(count as usize),
        false => Err(format!("{count} {what}, but {most} are the most")),
    }
}

/// A file whose rows are still to come.
pub struct Source {
    /// The names of all columns, as they are in the file.
    pub names: Vec<String>,
    /// How its text is encoded, if that was detected and is not UTF-8.
    pub encoding: Option<Encoding>,
    /// Why columns cannot be read, by position; most files have none of these.
    pub unreadable: BTreeMap<usize, String>,
    start: Start,
}

/// How files are written: what was said of them.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// The encoding of text; detected if none is said.
    pub encoding: Option<Encoding>,
    /// How cells are written.
    pub reading: Reading,
}

/// Begins to read some columns, each once, in the order of the blocks' columns.
type Start = Box<dyn FnOnce(&[(usize, Keep)]) -> Result<Blocks> + Send>;

/// The rows of a file. A block may be empty.
pub type Blocks = Box<dyn Iterator<Item = Result<Block>> + Send>;

impl Source {
    /// The rows of these columns.
    pub fn read(self, wanted: &[(usize, Keep)]) -> Result<Blocks> {
        (self.start)(wanted)
    }

    /// Leaves out the rows whose number in a column, if it is wanted, is not positive.
    pub fn positive(self, column: usize) -> Source {
        let start = self.start;
        Source {
            start: Box::new(move |wanted| {
                let at = wanted.iter().position(|&(position, _)| position == column);
                let blocks = start(wanted)?;
                Ok(match at {
                    Some(at) => Box::new(blocks.map(move |block| Ok(block?.positive(at)))),
                    None => blocks,
                })
            }),
            ..self
        }
    }
}

/// What a file is by its first bytes.
enum Format {
    /// Plain, or gzipped.
    Delimited {
        gzip: bool,
    },
    Parquet,
    Arrow,
    Npy,
    Npz,
    /// Plain, or gzipped.
    Mtx {
        gzip: bool,
    },
}

/// How the columns of a matrix without names are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// x1, x2, …, as `simulate` calls them.
    Features,
    /// y, or time and event, or y1, y2, ….
    Outcome,
    /// As `--names` says.
    Given(Vec<String>),
}

impl Names {
    /// The names of so many columns.
    fn of(&self, columns: usize) -> Result<Vec<String>, String> {
        let numbered = |letter: &str| (1..=columns).map(|j| format!("{letter}{j}")).collect();
        Ok(match (self, columns) {
            (Names::Features, _) => numbered("x"),
            (Names::Outcome, 1) => vec!["y".into()],
            (Names::Outcome, 2) => vec!["time".into(), "event".into()],
            (Names::Outcome, _) => numbered("y"),
            (Names::Given(names), _) if names.len() == columns => names.clone(),
            (Names::Given(names), _) => {
                let (columns, names) = (count(columns, "column"), count(names.len(), "name"));
                return Err(format!("{columns}, but --names has {names}; give each one"));
            }
        })
    }
}

/// Opens a file of any format and reads its column names; `names` is for those that have none.
pub fn open(path: &Path, names: &Names, manner: &Manner) -> Result<Source> {
    let shown = path.display();
    if path.is_dir() {
        bail!("{shown}: this is a folder; name a data file in it, such as a .csv or .parquet");
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow!("{shown}: no such file; check the path"),
        _ => anyhow!("{shown}: cannot be opened: {error}"),
    })?;
    let mut file = BufReader::with_capacity(1 << 17, file);
    let start = file
        .fill_buf()
        .map_err(|error| anyhow!("{shown}: cannot be read: {error}"))?;
    let format = format(path, start).map_err(|problem| anyhow!("{shown}: {problem}"))?;
    let has_names = matches!(
        format,
        Format::Delimited { .. } | Format::Parquet | Format::Arrow
    );
    if matches!(names, Names::Given(_)) && has_names {
        bail!(
            "{shown}: --names is for .npy, .npz and .mtx matrices; this file has names of its own"
        );
    }
    match format {
        Format::Delimited { gzip } => {
            return delimited::open(path, Bytes::new(path, file, gzip), manner);
        }
        Format::Mtx { gzip } => return mtx::open(path, Bytes::new(path, file, gzip), names),
        _ => {}
    }
    // These are read here and there, so that a pipe will not do.
    if !file.get_ref().metadata().is_ok_and(|data| data.is_file()) {
        bail!("{shown}: this format cannot be read from a pipe; write a file");
    }
    let file = File::open(path).map_err(|error| anyhow!("{shown}: cannot be opened: {error}"))?;
    guarded::open(path, || match format {
        Format::Parquet => parquet::open(path, file, manner),
        Format::Arrow => arrow::open(path, file, manner),
        Format::Npz => npz::open(path, file, names),
        _ => npy::open(path, file, names),
    })
}

/// The format of a file by its first bytes, where its name does not contradict them.
fn format(path: &Path, start: &[u8]) -> Result<Format, String> {
    let name = path.to_string_lossy().to_lowercase();
    let found = match start {
        [0x1f, 0x8b, ..] => match mtx::is_banner(&unzipped(start)) {
            true => Format::Mtx { gzip: true },
            false => Format::Delimited { gzip: true },
        },
        [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Format::Arrow,
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Format::Npy,
        [b'F', b'E', b'A', b'1', ..] => {
            return Err("this is the first version of Feather; write it again as version 2".into());
        }
        [b'P', b'K', 3, 4, ..] if name.ends_with(".npz") => Format::Npz,
        [b'P', b'K', 3, 4, ..] => {
            return Err("this is a zip file or a spreadsheet; save its table as CSV".into());
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', ..] => {
            return Err("this compression is not known; use gzip, or write Parquet".into());
        }
        start if mtx::is_banner(start) => Format::Mtx { gzip: false },
        _ => Format::Delimited { gzip: false },
    };
    let gzip = matches!(
        found,
        Format::Delimited { gzip: true } | Format::Mtx { gzip: true }
    );
    match (gzip, name.strip_suffix(".gz")) {
        (true, None) => {
            return Err("the file is compressed; let its name end in .gz".into());
        }
        (false, Some(_)) => {
            return Err("the file is not compressed; take .gz off its name".into());
        }
        _ => {}
    }
    let name = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    let claimed = match name.extension().and_then(|ending| ending.to_str()) {
        Some("parquet" | "pq") => "Parquet",
        Some("arrow" | "feather" | "ipc") => "Arrow",
        Some("npy") => "NPY",
        Some("npz") => "NPZ",
        Some("mtx") => "Matrix Market",
        _ => return Ok(found),
    };
    match found {
        Format::Delimited { .. } => Err(format!(
            "this is no {claimed} file, whatever its name; write it again, or let the name end in \
             .csv if it is text"
        )),
        _ => Ok(found),
    }
}

/// The first bytes of what is compressed.
fn unzipped(start: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    // (what is broken is told when it is read)
    let _ = GzDecoder::new(start).take(64).read_to_end(&mut bytes);
    bytes
}
