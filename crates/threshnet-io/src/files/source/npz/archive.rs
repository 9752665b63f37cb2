//! A zip file of NumPy arrays.

use super::super::batch::broken;
use super::super::npy::{Decode, decoder, header};
use anyhow::{Result, bail};
use npyz::{DType, NpyHeader, TypeChar};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::read::ZipFile;

/// How long the name of a format may be, in bytes.
const LONGEST_TEXT: usize = 64;

/// What the numbers of an array are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To count: integers.
    Whole,
    /// Values of cells: of any type.
    Any,
}

/// The arrays of a file.
pub struct Archive {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
}

/// An array whose elements are still to come.
struct Array<'a> {
    header: NpyHeader,
    input: BufReader<ZipFile<'a, BufReader<File>>>,
}

impl Archive {
    /// Reads which arrays there are.
    pub fn open(path: &Path, file: File) -> Result<Archive> {
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(path, error))?;
        Ok(Archive {
            path: path.to_path_buf(),
            zip,
        })
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(&member(name)).is_some()
    }

    fn array(&mut self, name: &str) -> Result<Array<'_>> {
        let path = &self.path;
        let file = self
            .zip
            .by_name(&member(name))
            .map_err(|error| broken(path, error))?;
        let mut input = BufReader::with_capacity(1 << 16, file);
        let header = header(&mut input).map_err(|error| broken(path, error))?;
        Ok(Array { header, input })
    }

    /// A text of one element, in ASCII.
    pub fn text(&mut self, name: &str) -> Result<String> {
        let path = self.path.clone();
        let Array { header, input } = self.array(name)?;
        let size = header.dtype().num_bytes().unwrap_or(0).min(LONGEST_TEXT);
        let mut bytes = vec![];
        let read = input.take(size as u64).read_to_end(&mut bytes);
        read.map_err(|error| broken(&path, error))?;
        // (of two bytes or four the others are 0, and what is left of its place is filled with 0)
        bytes.retain(|&byte| byte != 0);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The numbers of a flat array.
    pub fn numbers(&mut self, name: &str, kind: Kind) -> Result<Numbers<'_>> {
        let path = self.path.clone();
        let Array { header, input } = self.array(name)?;
        let &[count] = header.shape() else {
            return Err(broken(&path, format!("{name} is no flat array")));
        };
        let dtype = header.dtype();
        let is = |kinds: &[TypeChar]| match &dtype {
            DType::Plain(plain) => kinds.contains(&plain.type_char()),
            _ => false,
        };
        let fits = kind == Kind::Any || is(&[TypeChar::Int, TypeChar::Uint]);
        let Some((decode, size)) = decoder(&dtype).filter(|_| fits) else {
            let (shown, dtype) = (path.display(), dtype.descr());
            let wanted = match kind {
                Kind::Whole => "integers",
                Kind::Any => "floats of 32 or 64 bit, integers or booleans",
            };
            bail!("{shown}: {name} has elements of type {dtype}; write {wanted}");
        };
        Ok(Numbers {
            path,
            input,
            decode,
            size,
            left: count,
            are_bools: is(&[TypeChar::Bool]),
        })
    }
}

/// The file of an array.
fn member(name: &str) -> String {
    format!("{name}.npy")
}

/// The elements of an array, one after the other: what a file says of their number costs nothing.
pub struct Numbers<'a> {
    path: PathBuf,
    input: BufReader<ZipFile<'a, BufReader<File>>>,
    decode: Decode,
    size: usize,
    left: u64,
    /// Whether they are true or false.
    pub are_bools: bool,
}

impl Numbers<'_> {
    /// How many are still to come.
    pub fn len(&self) -> u64 {
        self.left
    }

    /// An error about them.
    pub fn broken(&self, why: impl Display) -> anyhow::Error {
        broken(&self.path, why)
    }
}

impl Iterator for Numbers<'_> {
    type Item = Result<f64>;

    fn next(&mut self) -> Option<Result<f64>> {
        let mut element = [0; 8];
        let element = &mut element[..self.size];
        if self.left == 0 {
            // (at its end a file is compared with its checksum)
            return match self.input.read(&mut element[..1]) {
                Ok(0) => None,
                Ok(_) => Some(Err(self.broken("an array is longer than its header says"))),
                Err(error) => Some(Err(self.broken(error))),
            };
        }
        self.left -= 1;
        Some(match self.input.read_exact(element) {
            Ok(()) => Ok((self.decode)(element)),
            Err(error) => Err(self.broken(error)),
        })
    }
}
