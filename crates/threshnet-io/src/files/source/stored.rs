//! Matrices of which a file has only the cells that are not zero.

use super::{Block, Keep, most_columns, most_rows};
use crate::files::places::Places;
use crate::files::wording::count;
use std::ops::Range;
use std::sync::Arc;

/// How many rows a block has at most. (Its size does not grow with them.)
const ROWS: usize = 1 << 16;

/// So many rows and columns may be empty, and beyond them so many for each cell.
const FEW: u64 = 1 << 21;
const LONELY: u64 = 64;

/// A column that is not wanted.
const UNWANTED: u32 = u32::MAX;

/// How many rows and columns a matrix has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub rows: usize,
    pub columns: usize,
}

impl Shape {
    /// Refuses more than there can be: what a file says of its size is not to be trusted.
    pub fn new(rows: u64, columns: u64) -> Result<Shape, String> {
        Ok(Shape {
            rows: most_rows(rows)?,
            columns: most_columns(columns)?,
        })
    }
}

impl Shape {
    /// Refuses a matrix nearly all of whose rows and columns have no cell: they cost memory and time
    /// that a file of some bytes could ask for.
    pub fn of_cells(self, cells: u64) -> Result<Shape, String> {
        let empty = (self.rows as u64 + self.columns as u64).saturating_sub(FEW);
        match empty / LONELY <= cells {
            true => Ok(self),
            false => Err(format!(
                "{} rows and {} columns of {}; correct the size",
                self.rows,
                self.columns,
                count(cells as usize, "stored cell")
            )),
        }
    }
}

/// Cells of the wanted columns, in any order.
pub struct Cells {
    rows: usize,
    keep: Vec<Keep>,
    /// For each column of the file its number among the wanted ones.
    wanted: Vec<u32>,
    cells: Vec<Cell>,
    /// The most that several cells in one place can be together.
    most: f64,
}

#[derive(Clone, Copy)]
struct Cell {
    column: u32,
    row: i32,
    value: f64,
}

impl Cells {
    /// None yet, of a matrix of this shape.
    pub fn new(shape: Shape, wanted: &[(usize, Keep)]) -> Cells {
        let mut numbers = vec![UNWANTED; shape.columns];
        for (number, &(position, _)) in wanted.iter().enumerate() {
            numbers[position] = number as u32;
        }
        Cells {
            rows: shape.rows,
            keep: wanted.iter().map(|&(_, keep)| keep).collect(),
            wanted: numbers,
            cells: vec![],
            most: f64::INFINITY,
        }
    }

    /// Cells are true or false: in one place, several are no more than one.
    pub fn are_bools(&mut self) {
        self.most = 1.0;
    }

    /// Puts a cell, if its column is wanted. Several in one place are added up.
    pub fn put(&mut self, row: usize, column: usize, value: f64) {
        let column = self.wanted[column];
        if column != UNWANTED {
            let row = row as i32;
            self.cells.push(Cell { column, row, value });
        }
    }

    /// No rows, at some share of the file.
    pub fn no_rows(&self, share: Option<f64>) -> Block {
        let mut block = Block::new(&self.keep, 0, Places::of_rows(0, 0));
        block.share = share;
        block
    }

    /// All rows, once all cells are there.
    pub fn blocks(&mut self) -> impl Iterator<Item = Block> + use<> {
        let (rows, keep) = (self.rows, self.keep.clone());
        let stored = Arc::new(self.stored());
        (0..rows).step_by(ROWS).map(move |start| {
            let end = rows.min(start + ROWS);
            let mut block = Block::stored(&keep, &stored, start..end);
            block.share = Some(end as f64 / rows as f64);
            block
        })
    }

    /// The cells by column and row. Those of one place become one, added up in their order.
    fn stored(&mut self) -> Stored {
        let cells = std::mem::take(&mut self.cells);
        let mut starts = vec![0; self.keep.len() + 1];
        for cell in &cells {
            starts[cell.column as usize + 1] += 1;
        }
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; cells.len()], vec![0.0; cells.len()]);
        for cell in &cells {
            let at = &mut next[cell.column as usize];
            (rows[*at], values[*at]) = (cell.row, cell.value);
            *at += 1;
        }
        drop(cells);
        let mut stored = Stored {
            starts,
            rows,
            values,
        };
        stored.settle(self.most);
        stored
    }
}

/// Cells column by column, and in each by row.
pub struct Stored {
    /// The first cell of each column, and the end of the last.
    starts: Vec<usize>,
    rows: Vec<i32>,
    /// NaN where a cell is missing or not finite.
    values: Vec<f64>,
}

impl Stored {
    /// Sorts the cells of every column, adds up those of one row, up to a limit, and closes the gaps.
    fn settle(&mut self, most: f64) {
        let mut end = 0;
        for column in 0..self.starts.len() - 1 {
            let cells = self.starts[column]..self.starts[column + 1];
            self.sort(cells.clone());
            self.starts[column] = end;
            for cell in cells {
                if end > self.starts[column] && self.rows[end - 1] == self.rows[cell] {
                    self.values[end - 1] = most.min(self.values[end - 1] + self.values[cell]);
                } else {
                    self.rows[end] = self.rows[cell];
                    self.values[end] = self.values[cell];
                    end += 1;
                }
            }
        }
        if let Some(last) = self.starts.last_mut() {
            *last = end;
        }
        self.rows.truncate(end);
        self.values.truncate(end);
        for value in self.values.iter_mut().filter(|value| !value.is_finite()) {
            *value = f64::NAN;
        }
    }

    /// Sorts these cells by row; those of one row stay in their order.
    fn sort(&mut self, cells: Range<usize>) {
        let (rows, values) = (&mut self.rows[cells.clone()], &mut self.values[cells]);
        if rows.is_sorted() {
            return;
        }
        let mut pairs: Vec<(i32, f64)> =
            (rows.iter().copied()).zip(values.iter().copied()).collect();
        pairs.sort_by_key(|&(row, _)| row);
        for ((row, value), pair) in rows.iter_mut().zip(values).zip(pairs) {
            (*row, *value) = pair;
        }
    }

    /// The cells of a column that are in these rows, which are counted from the first of them.
    pub fn cells(
        &self,
        column: usize,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let cells = self.starts[column]..self.starts[column + 1];
        let (at, values) = (&self.rows[cells.clone()], &self.values[cells]);
        let before = |end: usize| at.partition_point(|&row| (row as usize) < end);
        let within = before(rows.start)..before(rows.end);
        let start = rows.start;
        let cells = at[within.clone()].iter().zip(&values[within]);
        cells.map(move |(&row, &value)| (row as usize - start, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::column::Column;

    fn column(stored: &Stored, column: usize, rows: Range<usize>) -> Vec<(usize, f64)> {
        stored.cells(column, &rows).collect()
    }

    #[test]
    fn cells_in_any_order_become_columns() {
        let shape = Shape::new(6, 4).unwrap();
        let wanted = [(3, Keep::Values), (0, Keep::Values), (2, Keep::Values)];
        let mut cells = Cells::new(shape, &wanted);
        for (row, column, value) in [
            (5, 0, 1.0),
            (2, 3, 0.25),
            (0, 0, 2.0),
            (2, 3, 0.5),
            (1, 1, 9.0),
            (0, 3, f64::INFINITY),
            (5, 0, -1.0),
        ] {
            cells.put(row, column, value);
        }
        let stored = cells.stored();
        let of_first = column(&stored, 0, 0..6);
        assert!(of_first[0].0 == 0 && of_first[0].1.is_nan());
        assert_eq!(of_first[1..], [(2, 0.75)]);
        assert_eq!(column(&stored, 0, 1..3), [(1, 0.75)]);
        assert_eq!(column(&stored, 1, 0..6), [(0, 2.0), (5, 0.0)]);
        assert_eq!(column(&stored, 1, 1..5), []);
        assert_eq!(column(&stored, 2, 0..6), []);
    }

    /// However the rows are cut into blocks, a column is that of the matrix with its zeros.
    #[test]
    fn columns_are_those_with_zeros() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for values in [
            &[0.0, 3.0, 0.0, -1.5, 0.0, 0.0, 7.0][..],
            &[nan, inf, 0.0, 2.0],
            &[nan, nan, nan],
            &[nan, 5.0, nan, 0.0, 0.0],
            &[1.0, 2.0, 3.0],
            &[0.0, 0.0, 0.0, nan],
            &[0.0, 0.0],
        ] {
            let rows = values.len();
            let shape = Shape::new(rows as u64, 1).unwrap();
            for keep in [Keep::Values, Keep::Spelling] {
                let mut dense = Block::new(&[keep], rows, Places::of_rows(0, rows));
                let mut cells = Cells::new(shape, &[(0, keep)]);
                for (row, &value) in values.iter().enumerate() {
                    dense.put_number(row, 0, value);
                    if value != 0.0 {
                        cells.put(row, 0, value);
                    }
                }
                let mut expected = Column::new(keep);
                expected.append(&dense, 0);
                let stored = Arc::new(cells.stored());
                for size in 1..=rows {
                    let mut found = Column::new(keep);
                    for start in (0..rows).step_by(size) {
                        let within = start..rows.min(start + size);
                        found.append(&Block::stored(&[keep], &stored, within), 0);
                    }
                    assert_eq!(same(&found), same(&expected), "{values:?} {keep:?} {size}");
                    // The last block alone, as it is predicted from.
                    let start = (rows - 1) / size * size;
                    let mut last = Column::new(keep);
                    last.append(&Block::stored(&[keep], &stored, start..rows), 0);
                    let expected = format!("{:?}", &expected.numbers()[start..]);
                    assert_eq!(format!("{:?}", last.numbers()), expected);
                }
            }
        }
    }

    /// All that is known of a column, as text: NaN is not equal to itself.
    fn same(column: &Column) -> String {
        format!(
            "{:?} {:?} {} {:?} {:?} {:?}",
            column.numbers(),
            column.spelled(),
            column.missing,
            column.first_missing,
            column.first_number,
            column.first_text
        )
    }

    /// A study leaves out rows of whatever file.
    #[test]
    fn rows_can_be_left_out() {
        let shape = Shape::new(4, 2).unwrap();
        let wanted = [(0, Keep::Values), (1, Keep::Values)];
        let mut cells = Cells::new(shape, &wanted);
        for (row, column, value) in [(1, 0, 2.0), (3, 0, 0.5), (0, 1, 9.0), (3, 1, 8.0)] {
            cells.put(row, column, value);
        }
        let blocks: Vec<Block> = cells.blocks().map(|block| block.positive(0)).collect();
        let mut column = Column::new(Keep::Values);
        column.append(&blocks[0], 1);
        assert_eq!(column.into_numbers(), [0.0, 8.0]);
        assert_eq!(blocks[0].places.name(1), "row 4");
    }

    #[test]
    fn sizes_have_a_limit() {
        assert!(Shape::new(i32::MAX as u64, 1 << 24).is_ok());
        assert_eq!(
            Shape::new(1 << 40, 3).unwrap_err(),
            "1099511627776 rows, but 2147483647 are the most"
        );
        assert_eq!(
            Shape::new(3, u64::MAX).unwrap_err(),
            "18446744073709551615 columns, but 16777216 are the most"
        );
    }
}
