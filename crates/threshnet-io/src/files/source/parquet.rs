//! Parquet files.

use super::batch::{self, Wanted, broken, rows_at_a_time};
use super::{Block, Keep, Rows};
use anyhow::Result;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A Parquet file, read a few rows at a time, and only the columns that are wanted.
pub struct Parquet {
    path: PathBuf,
    names: Vec<String>,
    rows: f64,
    done: usize,
    state: State,
}

enum State {
    Opened(Box<ParquetRecordBatchReaderBuilder<File>>),
    Reading(Box<ParquetRecordBatchReader>, Wanted),
    Ended,
}

impl Parquet {
    /// Reads the names of the columns.
    pub fn open(path: &Path, file: File) -> Result<Parquet> {
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| broken(path, &error))?;
        let names = builder.schema().fields().iter();
        Ok(Parquet {
            path: path.to_path_buf(),
            names: names.map(|field| field.name().trim().to_string()).collect(),
            rows: builder.metadata().file_metadata().num_rows() as f64,
            done: 0,
            state: State::Opened(Box::new(builder)),
        })
    }
}

impl Rows for Parquet {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn want(&mut self, wanted: &[(usize, Keep)]) -> Result<()> {
        if let State::Opened(builder) = std::mem::replace(&mut self.state, State::Ended) {
            let wanted = Wanted::new(&self.path, builder.schema(), wanted)?;
            let roots = wanted.projection.iter().copied();
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
            let rows = rows_at_a_time(wanted.projection.len());
            let reader = builder.with_projection(mask).with_batch_size(rows).build();
            let reader = reader.map_err(|error| broken(&self.path, &error))?;
            self.state = State::Reading(Box::new(reader), wanted);
        }
        Ok(())
    }

    fn unreadable(&self, column: usize) -> Option<String> {
        match &self.state {
            State::Opened(builder) => batch::unreadable(builder.schema(), column),
            _ => None,
        }
    }

    fn next(&mut self) -> Result<Option<Block>> {
        let State::Reading(reader, wanted) = &mut self.state else {
            return Ok(None);
        };
        let Some(batch) = reader.next() else {
            return Ok(None);
        };
        let batch = batch.map_err(|error| broken(&self.path, &error))?;
        self.done += batch.num_rows();
        wanted.block(&batch, self.done as f64 / self.rows).map(Some)
    }
}
