//! Arrow files, which is what version 2 of Feather is.

use super::batch::{self, Wanted, broken};
use super::{Block, Keep, Rows};
use anyhow::Result;
use arrow_ipc::reader::{FileReader, FileReaderBuilder};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Columns that a file may have: the library's limit is a half of what wide data need.
const MOST_TABLES: usize = 50_000_000;

/// An Arrow file, read one of its batches at a time, and only the columns that are wanted.
pub struct Arrow {
    path: PathBuf,
    names: Vec<String>,
    reader: FileReader<BufReader<File>>,
    wanted: Option<Wanted>,
    batches: usize,
}

/// Opens a file, to read these columns of it or all.
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
    reader.map_err(|error| broken(path, &error))
}

impl Arrow {
    /// Reads the names of the columns.
    pub fn open(path: &Path, file: File) -> Result<Arrow> {
        let reader = reader(path, file, None)?;
        let names = reader.schema();
        let names = names.fields().iter();
        Ok(Arrow {
            path: path.to_path_buf(),
            names: names.map(|field| field.name().trim().to_string()).collect(),
            reader,
            wanted: None,
            batches: 0,
        })
    }
}

impl Rows for Arrow {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn want(&mut self, wanted: &[(usize, Keep)]) -> Result<()> {
        let wanted = Wanted::new(&self.path, &self.reader.schema(), wanted)?;
        let file = self.reader.get_ref().get_ref().try_clone();
        let file = file.map_err(|error| broken(&self.path, &error))?;
        self.reader = reader(&self.path, file, Some(&wanted.projection))?;
        self.wanted = Some(wanted);
        Ok(())
    }

    fn unreadable(&self, column: usize) -> Option<String> {
        batch::unreadable(&self.reader.schema(), column)
    }

    fn next(&mut self) -> Result<Option<Block>> {
        let (Some(wanted), Some(batch)) = (&mut self.wanted, self.reader.next()) else {
            return Ok(None);
        };
        let batch = batch.map_err(|error| broken(&self.path, &error))?;
        self.batches += 1;
        let share = self.batches as f64 / self.reader.num_batches() as f64;
        wanted.block(&batch, share).map(Some)
    }
}
