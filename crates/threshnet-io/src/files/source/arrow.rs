//! Arrow files, which is what version 2 of Feather is.

use super::batch::{broken, source};
use super::{Manner, Source};
use anyhow::Result;
use arrow_ipc::reader::{FileReader, FileReaderBuilder};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Columns that a file may have: the library's limit is a half of what wide data need.
const MOST_TABLES: usize = 50_000_000;

/// Opens a file that is read one of its batches at a time, and only the columns that are wanted.
pub fn open(path: &Path, file: File, manner: &Manner) -> Result<Source> {
    let all = reader(path, file, None)?;
    let (schema, path_read) = (all.schema(), path.to_path_buf());
    Ok(source(path, &schema, manner, move |columns| {
        let file = all.get_ref().get_ref().try_clone();
        let file = file.map_err(|error| broken(&path_read, error))?;
        let reader = reader(&path_read, file, Some(columns))?;
        let batches = reader.num_batches() as f64;
        let share = move |number: usize| (number + 1) as f64 / batches;
        Ok((reader.enumerate()).map(move |(number, batch)| Ok((batch?, share(number)))))
    }))
}

/// Reads these columns of a file, or all.
fn reader(
    path: &Path,
    file: File,
    columns: Option<&[usize]>,
) -> Result<FileReader<BufReader<File>>> {
    let mut builder = FileReaderBuilder::new().with_max_footer_fb_tables(MOST_TABLES);
    if let Some(columns) = columns {
        builder = builder.with_projection(columns.to_vec());
    }
    let reader = builder.build(BufReader::new(file));
    reader.map_err(|error| broken(path, error))
}
