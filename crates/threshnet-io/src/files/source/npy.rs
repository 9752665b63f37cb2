//! Matrices of numbers as NumPy writes them.

use super::batch::{broken, rows_at_a_time};
use super::stored::Shape;
use super::{Block, Keep, Names, Source};
use crate::files::places::Places;
use anyhow::{Result, anyhow, bail};
use npyz::{DType, Deserialize, NpyHeader, Order, TypeChar, TypeRead};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Makes a number of the bytes of an element.
pub type Decode = Box<dyn Fn(&[u8]) -> f64 + Send>;

/// A matrix of one or two dimensions, read a few rows at a time.
struct Matrix {
    path: PathBuf,
    file: File,
    /// Where the first element is.
    start: u64,
    size: usize,
    decode: Decode,
    order: Order,
    rows: usize,
    columns: usize,
    wanted: Vec<(usize, Keep)>,
    done: usize,
}

/// How long the header of an array may be, in bytes: NumPy's own limit is less.
const LONGEST_HEADER: usize = 1 << 16;

/// The header of an array. It is looked at before it is parsed: the parser takes the time of 4ⁿ
/// for n braces within each other, and what it is told of a length it sets aside.
pub fn header(input: &mut impl Read) -> Result<NpyHeader, String> {
    let mut bytes = Vec::new();
    let mut more = |bytes: &mut Vec<u8>, count: usize| {
        let start = bytes.len();
        bytes.resize(start + count, 0);
        let read = input.read_exact(&mut bytes[start..]);
        read.map_err(|_| "it ends within a header".to_string())
    };
    more(&mut bytes, 10)?;
    let length = match bytes[6] {
        1 => usize::from(u16::from_le_bytes([bytes[8], bytes[9]])),
        _ => {
            more(&mut bytes, 2)?;
            u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize
        }
    };
    if length > LONGEST_HEADER {
        return Err(format!(
            "a header of {length} bytes, but {LONGEST_HEADER} are the most"
        ));
    }
    let start = bytes.len();
    more(&mut bytes, length)?;
    // That of numbers has a brace for the whole and a parenthesis for the shape.
    let opened = |byte: &&u8| matches!(byte, b'{' | b'(' | b'[');
    if bytes[start..].iter().filter(opened).count() > 2 {
        return Err("its elements have parts; write floats of 32 or 64 bit".into());
    }
    NpyHeader::from_reader(&bytes[..]).map_err(|error| error.to_string())
}

/// Reads the header and checks that the file has what it says.
pub fn open(path: &Path, file: File, names: &Names) -> Result<Source> {
    let shown = path.display();
    let mut input = BufReader::new(&file);
    let header = header(&mut input).map_err(|error| broken(path, error))?;
    let start = input
        .stream_position()
        .map_err(|error| broken(path, error))?;
    let (rows, columns) = match header.shape() {
        &[rows] => (rows, 1),
        &[rows, columns] => (rows, columns),
        shape => bail!(
            "{shown}: {} dimensions; write a matrix of rows and columns",
            shape.len()
        ),
    };
    let shape = Shape::new(rows, columns).map_err(|problem| anyhow!("{shown}: {problem}"))?;
    if shape.columns == 0 {
        bail!("{shown}: a matrix without columns; write some");
    }
    let dtype = header.dtype();
    let Some((decode, size)) = decoder(&dtype) else {
        bail!(
            "{shown}: elements of type {}; write floats of 32 or 64 bit, integers or booleans",
            dtype.descr()
        );
    };
    let there = file.metadata().map_err(|error| broken(path, error))?.len();
    let needed = (rows.checked_mul(columns))
        .and_then(|cells| cells.checked_mul(size as u64))
        .and_then(|bytes| bytes.checked_add(start));
    if needed.is_none_or(|needed| needed > there) {
        return Err(broken(path, "it is shorter than its header says"));
    }
    let Shape { rows, columns } = shape;
    let mut matrix = Matrix {
        path: path.to_path_buf(),
        start,
        size,
        decode,
        order: header.order(),
        rows,
        columns,
        wanted: vec![],
        done: 0,
        file,
    };
    Ok(Source {
        names: names.of(columns).map_err(|e| anyhow!("{shown}: {e}"))?,
        encoding: None,
        unreadable: BTreeMap::new(),
        start: Box::new(move |wanted| {
            matrix.wanted = wanted.to_vec();
            Ok(Box::new(matrix))
        }),
    })
}

impl Matrix {
    /// The bytes of so many elements, from one on.
    fn read(&mut self, element: usize, count: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; count * self.size];
        let at = self.start + (element * self.size) as u64;
        let mut read = || {
            self.file.seek(SeekFrom::Start(at))?;
            self.file.read_exact(&mut bytes)
        };
        read().map_err(|error| anyhow!("{}: cannot be read: {error}", self.path.display()))?;
        Ok(bytes)
    }

    /// The next rows.
    fn block(&mut self) -> Result<Option<Block>> {
        let rows = match self.order {
            Order::C => rows_at_a_time(self.columns),
            // Each column is a place of its own in the file: few rows would mean many places.
            Order::Fortran => rows_at_a_time(self.wanted.len()).max(8192),
        };
        let rows = rows.min(self.rows - self.done);
        if rows == 0 {
            return Ok(None);
        }
        let keep: Vec<Keep> = self.wanted.iter().map(|&(_, keep)| keep).collect();
        let mut block = Block::new(&keep, rows, Places::of_rows(self.done, rows));
        match self.order {
            // row after row
            Order::C => {
                let columns = self.columns;
                let bytes = self.read(self.done * columns, rows * columns)?;
                for (row, bytes) in bytes.chunks_exact(columns * self.size).enumerate() {
                    for (column, &(position, _)) in self.wanted.iter().enumerate() {
                        let value = (self.decode)(&bytes[position * self.size..][..self.size]);
                        block.put_number(row, column, value);
                    }
                }
            }
            // column after column
            Order::Fortran => {
                for (column, (position, _)) in self.wanted.clone().into_iter().enumerate() {
                    let bytes = self.read(position * self.rows + self.done, rows)?;
                    for (row, bytes) in bytes.chunks_exact(self.size).enumerate() {
                        block.put_number(row, column, (self.decode)(bytes));
                    }
                }
            }
        }
        self.done += rows;
        block.share = Some(self.done as f64 / self.rows as f64);
        Ok(Some(block))
    }
}

/// How elements of a type are read, and how many bytes one has.
pub fn decoder(dtype: &DType) -> Option<(Decode, usize)> {
    let DType::Plain(plain) = dtype else {
        return None;
    };
    let size = plain.num_bytes()?;
    let decode = match (plain.type_char(), size) {
        (TypeChar::Float, 8) => reading::<f64>(dtype, |x| x),
        (TypeChar::Float, 4) => reading::<f32>(dtype, f64::from),
        (TypeChar::Bool, 1) => reading::<bool>(dtype, f64::from),
        (TypeChar::Int, 1) => reading::<i8>(dtype, f64::from),
        (TypeChar::Int, 2) => reading::<i16>(dtype, f64::from),
        (TypeChar::Int, 4) => reading::<i32>(dtype, f64::from),
        (TypeChar::Int, 8) => reading::<i64>(dtype, |x| x as f64),
        (TypeChar::Uint, 1) => reading::<u8>(dtype, f64::from),
        (TypeChar::Uint, 2) => reading::<u16>(dtype, f64::from),
        (TypeChar::Uint, 4) => reading::<u32>(dtype, f64::from),
        (TypeChar::Uint, 8) => reading::<u64>(dtype, |x| x as f64),
        _ => None,
    };
    Some((decode?, size))
}

fn reading<T: Deserialize + 'static>(dtype: &DType, number: fn(T) -> f64) -> Option<Decode>
where
    T::TypeReader: Send + 'static,
{
    let reader = T::reader(dtype).ok()?;
    // What is no value of its type, such as a boolean of 2, is missing.
    Some(Box::new(move |bytes| {
        reader.read_one(bytes).map_or(f64::NAN, number)
    }))
}

impl Iterator for Matrix {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        self.block().transpose()
    }
}
