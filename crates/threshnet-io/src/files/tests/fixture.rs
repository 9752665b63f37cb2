//! Files for the tests of the reader.

use crate::files::source::{Keep, Manner, Names};
use crate::files::table::{Reader, Table};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// A file in a folder of its own, gone when it is dropped.
pub struct Fixture {
    /// Where the file is.
    pub path: PathBuf,
    _folder: TempDir,
}

impl Fixture {
    /// A text file.
    pub fn new(name: &str, text: &str) -> Self {
        Fixture::bytes(name, text.as_bytes())
    }

    /// A file of any bytes.
    pub fn bytes(name: &str, bytes: &[u8]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Fixture {
            path,
            _folder: folder,
        }
    }

    /// All columns of the file, as numbers where they are numbers.
    pub fn table(&self) -> Table {
        self.read().unwrap()
    }

    /// The same, if the file can be read.
    pub fn read(&self) -> anyhow::Result<Table> {
        let reader = Reader::open(&self.path, &Names::Features, &Manner::default())?;
        let columns = reader.header.names().len();
        let all: Vec<_> = (0..columns)
            .map(|position| (position, Keep::Values))
            .collect();
        reader.read(&all, &|_| ())
    }

    /// What an error says, on one line, with `FILE` for this file.
    pub fn complaint<T>(&self, result: anyhow::Result<T>) -> String {
        let Err(error) = result else {
            panic!("there is no error");
        };
        let text = format!("{error:#}");
        assert!(!text.contains('\n'), "{text}");
        text.replace(self.path.to_str().unwrap(), "FILE")
    }
}

/// Text as a gzip file.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
