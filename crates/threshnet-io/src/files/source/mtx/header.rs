//! What the first lines of a Matrix Market file say of it.

use super::super::stored::Shape;
use super::lines::{Lines, words};
use crate::files::wording::quoted;
use anyhow::Result;

/// The first word of every such file.
const BANNER: &[u8] = b"%%MatrixMarket";

/// Whether a file that begins like this is one.
pub fn is_banner(start: &[u8]) -> bool {
    (start.get(..BANNER.len())).is_some_and(|word| word.eq_ignore_ascii_case(BANNER))
}

/// What a line of a cell has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// A value: all cells are there, column after column.
    Value,
    /// Row, column and value.
    Cell,
    /// Row and column: the value is 1.
    Place,
}

/// What the cells that are there say of those on the other side of the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    General,
    /// They are the same.
    Symmetric,
    /// They have the other sign, and the diagonal is zero.
    Skew,
}

impl Symmetry {
    /// The first row of a column that a file has.
    pub fn first_row(self, column: usize) -> usize {
        match self {
            Symmetry::General => 0,
            Symmetry::Symmetric => column,
            Symmetry::Skew => column + 1,
        }
    }
}

/// Banner and size.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    pub line: Line,
    pub symmetry: Symmetry,
    pub shape: Shape,
    /// How many lines of cells there are.
    pub cells: u64,
}

impl Header {
    /// Reads all lines before the first cell.
    pub fn read(lines: &mut Lines) -> Result<Header> {
        let banner = lines.any()?.unwrap_or_default().to_ascii_lowercase();
        let kind = kind(&banner).map_err(|problem| lines.error(problem))?;
        let size = lines.next()?.map(size);
        let size =
            size.unwrap_or_else(|| Err("the file ends before its size; write it again".into()));
        let most = lines.most();
        let header = size.and_then(|size| Header::new(kind, &size)?.within(most));
        header.map_err(|problem| lines.error(problem))
    }

    /// The same, if a file of so many characters can have a cell in each column where all cells are in
    /// it: columns are set up before cells are read.
    fn within(self, most: Option<u64>) -> Result<Header, String> {
        let columns = self.shape.columns;
        match (self.line, most) {
            (Line::Value, Some(most)) if columns as u64 > most => Err(format!(
                "{columns} columns, for which the file is too short; write it again"
            )),
            _ => Ok(self),
        }
    }

    fn new((line, symmetry): (Line, Symmetry), size: &[u64]) -> Result<Header, String> {
        let (rows, columns, stored) = match (line, size) {
            (Line::Value, &[rows, columns]) => (rows, columns, None),
            (Line::Cell | Line::Place, &[rows, columns, stored]) => (rows, columns, Some(stored)),
            (Line::Value, _) => return Err("write the number of rows and that of columns".into()),
            _ => return Err("write the numbers of rows, of columns and of stored cells".into()),
        };
        let shape = Shape::new(rows, columns)?.of_cells(stored.unwrap_or(u64::MAX))?;
        if symmetry != Symmetry::General && rows != columns {
            return Err(format!(
                "{rows} rows and {columns} columns cannot be symmetric; write general in line 1"
            ));
        }
        // (a shape is far too small for an overflow)
        let all = match symmetry {
            Symmetry::General => rows * columns,
            Symmetry::Symmetric => rows * (rows + 1) / 2,
            Symmetry::Skew => rows * rows.saturating_sub(1) / 2,
        };
        Ok(Header {
            line,
            symmetry,
            shape,
            cells: stored.unwrap_or(all),
        })
    }
}

/// What the banner says, in lower case.
fn kind(banner: &[u8]) -> Result<(Line, Symmetry), String> {
    let said: Vec<&[u8]> = words(banner).collect();
    if said
        .iter()
        .any(|word| matches!(*word, b"complex" | b"hermitian"))
    {
        return Err("complex numbers; write real ones".into());
    }
    let unknown = || {
        format!(
            "{} is no known kind of matrix; write %%MatrixMarket matrix coordinate real general, or \
             array for coordinate, integer or pattern for real, symmetric or skew-symmetric for \
             general",
            quoted(&String::from_utf8_lossy(banner))
        )
    };
    let &[_, b"matrix", layout, field, symmetry] = &said[..] else {
        return Err(unknown());
    };
    let line = match (layout, field) {
        (b"array", b"real" | b"double" | b"integer" | b"unsigned-integer") => Line::Value,
        (b"coordinate", b"real" | b"double" | b"integer" | b"unsigned-integer") => Line::Cell,
        (b"coordinate", b"pattern") => Line::Place,
        _ => return Err(unknown()),
    };
    let symmetry = match symmetry {
        b"general" => Symmetry::General,
        b"symmetric" => Symmetry::Symmetric,
        b"skew-symmetric" => Symmetry::Skew,
        _ => return Err(unknown()),
    };
    Ok((line, symmetry))
}

/// Whole numbers.
fn size(line: &[u8]) -> Result<Vec<u64>, String> {
    let number = |word: &[u8]| {
        let word = String::from_utf8_lossy(word);
        word.parse()
            .map_err(|_| format!("{} is no whole number", quoted(&word)))
    };
    words(line).map(number).collect()
}
