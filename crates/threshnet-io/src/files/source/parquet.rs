//! Parquet files.

use super::batch::{broken, rows_at_a_time, source};
use super::{Manner, Source, most_columns, most_rows};
use anyhow::Result;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

/// Opens a file that is read a few rows at a time, and only the columns that are wanted.
pub fn open(path: &Path, file: File, manner: &Manner) -> Result<Source> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| broken(path, error))?;
    let all = builder.metadata().file_metadata().num_rows();
    u64::try_from(all)
        .map_err(|_| format!("{all} rows"))
        .and_then(most_rows)
        .and_then(|_| most_columns(builder.schema().fields().len() as u64))
        .map_err(|problem| broken(path, problem))?;
    let (schema, shown) = (builder.schema().clone(), path.to_path_buf());
    Ok(source(path, &schema, manner, move |columns| {
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let rows = rows_at_a_time(columns.len());
        let reader = builder.with_projection(mask).with_batch_size(rows).build();
        let mut done = 0;
        Ok(reader
            .map_err(|error| broken(&shown, error))?
            .map(move |batch| {
                let batch = batch?;
                done += batch.num_rows();
                Ok((batch, done as f64 / all as f64))
            }))
    }))
}
