//! The grammar of delimited text (RFC 4180, and what files make of it): cells, quotes, row ends.
//!
//! A row ends at a line feed; a carriage return before it is a blank at the end of a cell. A
//! quote opens a quoted cell only where a cell begins; within it two quotes are one, and
//! separators and line ends are text. Elsewhere a quote is a character like any other.

use memchr::{memchr, memchr2, memrchr};
use std::borrow::Cow;

/// Where complete rows end.
#[derive(Debug, PartialEq, Eq)]
pub struct RowEnds {
    /// The first byte after the last complete row.
    pub last: usize,
    /// The quote that is still open at the end of the bytes.
    pub open_quote: Option<usize>,
}

/// Finds the end of the last complete row in bytes that begin with a row.
pub fn row_ends(bytes: &[u8], delimiter: u8) -> RowEnds {
    let mut ends = RowEnds {
        last: 0,
        open_quote: None,
    };
    let mut at = 0;
    loop {
        let quote = memchr(b'"', &bytes[at..]).map(|found| at + found);
        if let Some(line_end) = memrchr(b'\n', &bytes[at..quote.unwrap_or(bytes.len())]) {
            ends.last = at + line_end + 1;
        }
        let Some(quote) = quote else { return ends };
        let opens = quote == 0 || [delimiter, b'\n'].contains(&bytes[quote - 1]);
        if !opens {
            // (whoever looked for its other end would look at the rest once for every such quote)
            at = quote + 1;
            continue;
        }
        let Some(closing) = closing_quote(bytes, quote) else {
            ends.open_quote = Some(quote);
            return ends;
        };
        at = closing + 1;
    }
}

/// The quote that closes a cell which the quote at `opening` opens.
fn closing_quote(bytes: &[u8], opening: usize) -> Option<usize> {
    let mut at = opening + 1;
    loop {
        let quote = at + memchr(b'"', &bytes[at..])?;
        match bytes.get(quote + 1) {
            Some(b'"') => at = quote + 2,
            _ => return Some(quote),
        }
    }
}

/// A cell and the byte after it: a delimiter, a line feed, or the end.
pub struct Cell<'a> {
    /// What is in it, without quotes.
    pub text: Cow<'a, [u8]>,
    /// Where it ends.
    pub end: usize,
}

/// The cell that begins at `start`.
pub fn cell(bytes: &[u8], start: usize, delimiter: u8) -> Cell<'_> {
    let quoted = match bytes.get(start) {
        Some(b'"') => closing_quote(bytes, start),
        _ => None,
    };
    let plain = quoted.map_or(start, |closing| closing + 1);
    let end = memchr2(delimiter, b'\n', &bytes[plain..]).map_or(bytes.len(), |found| plain + found);
    let text = match quoted {
        None => Cow::Borrowed(&bytes[start..end]),
        Some(closing) => {
            let (inner, after) = (&bytes[start + 1..closing], &bytes[plain..end]);
            match after.is_empty() && memchr(b'"', inner).is_none() {
                true => Cow::Borrowed(inner),
                false => Cow::Owned([&unescaped(inner), after].concat()),
            }
        }
    };
    Cell { text, end }
}

/// Two quotes become one.
fn unescaped(inner: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(quote) = memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=quote]);
        rest = &rest[(quote + 2).min(rest.len())..];
    }
    text.extend_from_slice(rest);
    text
}

/// Whether a row that begins at `start` is a blank line, and where the line ends.
pub fn blank_line(bytes: &[u8], start: usize, delimiter: u8) -> Option<usize> {
    if !bytes.get(start)?.is_ascii_whitespace() {
        return None;
    }
    let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
    let line = &bytes[start..end];
    let blank = line.trim_ascii().is_empty() && memchr(delimiter, line).is_none();
    blank.then_some(end)
}

/// Where the first row from here on that is not blank begins, which may be the end.
pub fn row_start(bytes: &[u8], mut at: usize, delimiter: u8) -> usize {
    while let Some(end) = blank_line(bytes, at, delimiter) {
        at = end + 1;
    }
    at
}

/// The cells of a row, one after the other: what a file says of their number costs nothing.
pub struct Row<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    /// Where the next cell begins, or after the last one the next row.
    pub at: usize,
    ended: bool,
}

/// The row that begins at `start`.
pub fn row(bytes: &[u8], start: usize, delimiter: u8) -> Row<'_> {
    Row {
        bytes,
        delimiter,
        at: start,
        ended: false,
    }
}

impl<'a> Iterator for Row<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        if self.ended {
            return None;
        }
        let cell = cell(self.bytes, self.at, self.delimiter);
        self.ended = self.bytes.get(cell.end) != Some(&self.delimiter);
        self.at = cell.end + 1;
        Some(cell.text)
    }
}

/// The first rows that are not blank, at most so many.
pub fn first_rows(bytes: &[u8], delimiter: u8, most: usize) -> impl Iterator<Item = Row<'_>> {
    let mut at = 0;
    let next = std::iter::from_fn(move || {
        at = row_start(bytes, at, delimiter);
        let found = (at < bytes.len()).then(|| row(bytes, at, delimiter))?;
        let mut ended = row(bytes, at, delimiter);
        ended.by_ref().for_each(drop);
        at = ended.at;
        Some(found)
    });
    next.take(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_open_only_where_a_cell_begins() {
        for (text, rows) in [
            ("a,b\n1,2\n", vec![vec!["a", "b"], vec!["1", "2"]]),
            ("\"a,\"\"b\"\"\n\",c", vec![vec!["a,\"b\"\n", "c"]]),
            ("5\" pipe,b\n", vec![vec!["5\" pipe", "b"]]),
            ("\"a\"x\"y,z\n", vec![vec!["ax\"y", "z"]]),
            ("\"\",\n \n1,2\n", vec![vec!["", ""], vec!["1", "2"]]),
            ("a\r\n\r\nb\r\n", vec![vec!["a\r"], vec!["b\r"]]),
        ] {
            let found: Vec<Vec<String>> = first_rows(text.as_bytes(), b',', 9)
                .map(|row| row.map(|c| String::from_utf8_lossy(&c).into()).collect())
                .collect();
            assert_eq!(found, rows, "{text:?}");
        }
    }

    #[test]
    fn rows_end_outside_of_quotes() {
        for (text, last, open_quote) in [
            ("a,b\n1,2\n3", 8, None),
            ("a\n\"b\nc", 2, Some(2)),
            ("a\n\"b\nc\"\nd", 8, None),
            ("5\" pipe\nx", 8, None),
            ("a,\"x\"\"\n\"\n", 9, None),
            ("", 0, None),
        ] {
            let expected = RowEnds { last, open_quote };
            assert_eq!(row_ends(text.as_bytes(), b','), expected, "{text:?}");
        }
    }
}
