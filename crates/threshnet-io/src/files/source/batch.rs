//! From Arrow's record batches, in which both Parquet and Arrow files are read, to blocks.

use super::{Block, Blocks, Keep, Manner, Source};
use crate::cell::Rules;
use crate::files::places::Places;
use anyhow::{Result, anyhow};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use std::fmt::Display;
use std::path::Path;

/// About how many cells a block has.
const CELLS: usize = 1 << 19;

/// How many rows of so many columns to read at a time.
pub fn rows_at_a_time(columns: usize) -> usize {
    (CELLS / columns.max(1)).clamp(16, 1 << 16)
}

/// A batch, and the share of the file that has been read at its end.
pub type Batch = Result<(RecordBatch, f64), ArrowError>;

/// A file of these columns that is read in record batches: `read` begins to, given the positions
/// of the wanted columns in ascending order.
pub fn source<B: Iterator<Item = Batch> + Send + 'static>(
    path: &Path,
    schema: &Schema,
    manner: &Manner,
    read: impl FnOnce(&[usize]) -> Result<B> + Send + 'static,
) -> Source {
    let fields = || schema.fields().iter();
    let unreadable = fields().map(|field| field.data_type()).enumerate();
    let path = path.to_path_buf();
    let rules = Rules::of(&manner.reading);
    Source {
        names: fields().map(|f| f.name().trim().to_string()).collect(),
        encoding: None,
        unreadable: unreadable
            .filter(|(_, data)| kind(data).is_none())
            .map(|(at, data)| (at, format!("{data} is neither a number nor text")))
            .collect(),
        start: Box::new(move |wanted| -> Result<Blocks> {
            let mut projection: Vec<usize> = wanted.iter().map(|&(at, _)| at).collect();
            projection.sort_unstable();
            let batches = read(&projection)?;
            let keep: Vec<Keep> = wanted.iter().map(|&(_, keep)| keep).collect();
            // For each wanted column its position in a batch.
            let places: Vec<usize> = (wanted.iter())
                .map(|(position, _)| projection.partition_point(|p| p < position))
                .collect();
            let mut rows = 0;
            let block = move |batch: Batch| {
                let (batch, share) = batch?;
                let count = batch.num_rows();
                let mut block = Block::new(&keep, count, Places::of_rows(rows, count));
                block.share = Some(share);
                for (column, &place) in places.iter().enumerate() {
                    fill(&mut block, column, batch.column(place).as_ref(), &rules)?;
                }
                rows += count;
                Ok(block)
            };
            let blocks = batches.map(block);
            Ok(Box::new(blocks.map(move |block| {
                block.map_err(|error: ArrowError| broken(&path, error))
            })))
        }),
    }
}

/// The error of a file that does not hold what it says, on one line whatever a library says.
pub fn broken(path: &Path, why: impl Display) -> anyhow::Error {
    let (shown, why) = (path.display(), why.to_string());
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    anyhow!("{shown}: the file is broken ({why}); write it again")
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
fn fill(
    block: &mut Block,
    column: usize,
    array: &dyn Array,
    rules: &Rules,
) -> Result<(), ArrowError> {
    if kind(array.data_type()) == Some(DataType::Utf8) {
        let texts = cast(array, &DataType::Utf8)?;
        for (row, text) in texts.as_string::<i32>().iter().enumerate() {
            match text {
                Some(text) => block.put_text(row, column, text, rules),
                None => block.put_missing(row, column),
            }
        }
    } else {
        let numbers = cast(array, &DataType::Float64)?;
        for (row, value) in numbers.as_primitive::<Float64Type>().iter().enumerate() {
            match value {
                Some(value) if !rules.is_marker(value) => block.put_number(row, column, value),
                _ => block.put_missing(row, column),
            }
        }
    }
    Ok(())
}
