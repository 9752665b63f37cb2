//! From the text of some rows to a block, with no copy of a cell that is a number.

use super::cells::{blank_line, cell};
use super::chunks::Chunk;
use crate::cell::Rules;
use crate::files::places::Places;
use crate::files::source::{Block, Keep};
use crate::formula::unguarded;
use memchr::{memchr, memchr_iter};

/// What the rows of a file have in common.
pub struct Layout {
    /// What separates cells.
    pub delimiter: u8,
    /// For each column of the file its number among the wanted ones.
    pub wanted: Vec<Option<usize>>,
    /// How the wanted columns are kept.
    pub keep: Vec<Keep>,
    /// How cells are read.
    pub rules: Rules,
}

/// What is wrong with a row.
#[derive(Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The line it begins in.
    pub line: u64,
    /// How many rows of the chunk are before it.
    pub before: usize,
    /// What it is.
    pub problem: Problem,
}

/// What can be wrong with a row.
#[derive(Debug, PartialEq, Eq)]
pub enum Problem {
    /// It has so many cells, which is not what the header has.
    Cells(usize),
    /// A wanted cell is no UTF-8 text.
    Encoding,
}

/// Parses the rows of a chunk.
pub fn parse(chunk: &Chunk, layout: &Layout) -> Result<Block, BadRow> {
    let bytes = &chunk.bytes[..];
    // (blank lines are no rows, and a row has a byte for each of its cells, but for the last one)
    let most = memchr_iter(b'\n', bytes)
        .count()
        .min(bytes.len() / layout.wanted.len())
        + 1;
    let mut block = Block::new(&layout.keep, most, Places::lines());
    block.share = chunk.share;
    let (mut at, mut line) = (0, chunk.line);
    while at < bytes.len() {
        if let Some(end) = blank_line(bytes, at, layout.delimiter) {
            at = end + 1;
            line += 1;
            continue;
        }
        let end = row(bytes, at, layout, &mut block).map_err(|problem| BadRow {
            line,
            before: block.rows(),
            problem,
        })?;
        block.places.push(line);
        // (line feeds within quoted cells)
        line += 1 + memchr_iter(b'\n', &bytes[at..end]).count() as u64;
        at = end + 1;
    }
    Ok(block)
}

/// Parses the row that begins at `start`; where it ends.
fn row(bytes: &[u8], start: usize, layout: &Layout, block: &mut Block) -> Result<usize, Problem> {
    let (row, delimiter) = (block.rows(), layout.delimiter);
    let mut at = start;
    let mut found = 0;
    loop {
        let wanted = layout.wanted.get(found).copied().flatten();
        let end = match wanted {
            None => cell(bytes, at, delimiter).end,
            Some(column) => match plain_number(bytes, at, delimiter) {
                Some((value, end)) if is_plain(&bytes[at..end], value, column, layout) => {
                    block.put_plain(row, column, value);
                    end
                }
                _ => {
                    let cell = cell(bytes, at, delimiter);
                    let text = str::from_utf8(&cell.text).map_err(|_| Problem::Encoding)?;
                    block.put_text(row, column, unguarded(text.trim()), &layout.rules);
                    cell.end
                }
            },
        };
        found += 1;
        if bytes.get(end) != Some(&delimiter) {
            let all = layout.wanted.len();
            return match found == all {
                true => Ok(end),
                false => Err(Problem::Cells(found)),
            };
        }
        at = end + 1;
    }
}

/// Whether a number is what its cell says, as far as the file's own way of writing goes.
#[inline]
fn is_plain(cell: &[u8], value: f64, column: usize, layout: &Layout) -> bool {
    let rules = &layout.rules;
    layout.keep[column] != Keep::Spelling
        && !rules.is_marker(value)
        && !(rules.points_divide_thousands() && memchr(b'.', cell).is_some())
}

/// The finite number that is the whole cell at `start`, and the end of the cell. Anything else,
/// blanks and quotes included, is left to those who take their time.
#[inline]
fn plain_number(bytes: &[u8], start: usize, delimiter: u8) -> Option<(f64, usize)> {
    let (value, length) = fast_float2::parse_partial::<f64, _>(&bytes[start..]).ok()?;
    let end = start + length;
    let end = match bytes.get(end) {
        None | Some(b'\n') => end,
        Some(&byte) if byte == delimiter => end,
        Some(b'\r') if bytes.get(end + 1).is_none_or(|&byte| byte == b'\n') => end + 1,
        Some(_) => return None,
    };
    value.is_finite().then_some((value, end))
}
