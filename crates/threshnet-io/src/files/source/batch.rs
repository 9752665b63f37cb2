//! From Arrow's record batches, in which both Parquet and Arrow files are read, to blocks.

use super::{Block, Keep};
use crate::files::places::Places;
use crate::files::wording::{drop_flag, one_line, quoted};
use anyhow::{Result, anyhow};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use std::path::{Path, PathBuf};

/// About how many cells a block has.
const CELLS: usize = 1 << 19;

/// How many rows of so many columns to read at a time.
pub fn rows_at_a_time(columns: usize) -> usize {
    (CELLS / columns.max(1)).clamp(16, 1 << 16)
}

/// The wanted columns of a file that is read in record batches.
pub struct Wanted {
    path: PathBuf,
    /// Their positions in the file, ascending.
    pub projection: Vec<usize>,
    /// For each wanted column its position in a batch.
    sources: Vec<usize>,
    keep: Vec<Keep>,
    rows: usize,
}

impl Wanted {
    /// Refuses columns of lists, structures and the like.
    pub fn new(path: &Path, schema: &Schema, wanted: &[(usize, Keep)]) -> Result<Wanted> {
        for &(position, _) in wanted {
            if let Some(problem) = unreadable(schema, position) {
                let (shown, name) = (path.display(), schema.field(position).name());
                let flag = drop_flag(&[name]);
                let name = quoted(name);
                return Err(anyhow!(
                    "{shown}: column {name}: {problem}; leave it out with {flag}"
                ));
            }
        }
        let mut projection: Vec<usize> = wanted.iter().map(|&(position, _)| position).collect();
        projection.sort_unstable();
        Ok(Wanted {
            path: path.to_path_buf(),
            sources: (wanted.iter())
                .map(|(position, _)| projection.partition_point(|p| p < position))
                .collect(),
            projection,
            keep: wanted.iter().map(|&(_, keep)| keep).collect(),
            rows: 0,
        })
    }

    /// The rows of a batch, the next of the file.
    pub fn block(&mut self, batch: &RecordBatch, share: f64) -> Result<Block> {
        let rows = batch.num_rows();
        let mut places = Places::rows();
        places.extend_by(self.rows as u64 + 1, rows);
        let mut block = Block::new(&self.keep, rows, places);
        block.share = Some(share);
        for (column, &source) in self.sources.iter().enumerate() {
            fill(&mut block, column, batch.column(source).as_ref())
                .map_err(|error| broken(&self.path, &error))?;
        }
        self.rows += rows;
        Ok(block)
    }
}

/// The error of a file that does not hold what it says.
pub fn broken(path: &Path, error: &dyn std::error::Error) -> anyhow::Error {
    broken_because(path, &error.to_string())
}

/// The same for a reason in words.
pub fn broken_because(path: &Path, why: &str) -> anyhow::Error {
    let (shown, why) = (path.display(), one_line(why));
    anyhow!("{shown}: the file is broken ({why}); write it again")
}

/// Why a column cannot be read, if it cannot.
pub fn unreadable(schema: &Schema, column: usize) -> Option<String> {
    let data = schema.field(column).data_type();
    match kind(data) {
        Some(_) => None,
        None => Some(format!("{data} is neither a number nor text")),
    }
}

/// As what the cells of a type are read: numbers or text.
fn kind(data: &DataType) -> Option<DataType> {
    match data {
        DataType::Null | DataType::Boolean => Some(DataType::Float64),
        data if data.is_numeric() => Some(DataType::Float64),
        DataType::Dictionary(_, values) => kind(values),
        data if data.is_nested() => None,
        DataType::Interval(_) | DataType::Duration(_) => None,
        _ => Some(DataType::Utf8),
    }
}

/// Puts the cells of an array into a column.
fn fill(block: &mut Block, column: usize, array: &dyn Array) -> Result<(), ArrowError> {
    if kind(array.data_type()) == Some(DataType::Utf8) {
        let texts = cast(array, &DataType::Utf8)?;
        for (row, text) in texts.as_string::<i32>().iter().enumerate() {
            match text {
                Some(text) => block.put_text(row, column, text),
                None => block.put_missing(row, column),
            }
        }
    } else {
        let numbers = cast(array, &DataType::Float64)?;
        for (row, value) in numbers.as_primitive::<Float64Type>().iter().enumerate() {
            match value {
                Some(value) => block.put_number(row, column, value),
                None => block.put_missing(row, column),
            }
        }
    }
    Ok(())
}
