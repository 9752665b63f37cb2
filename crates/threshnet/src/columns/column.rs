//! The values of a feature column, wherever they are.

use crate::error::{Error, Result};
use std::borrow::Cow;

/// A column of a [`Dataset`](super::Dataset): numbers of its own, or someone else's in 64 or 32
/// bit, which are not copied, or only those that are not zero. Values are read in 64 bit, which
/// holds every 32-bit number exactly.
#[derive(Debug, Clone)]
pub struct Column<'a>(Values<'a>);

#[derive(Debug, Clone)]
enum Values<'a> {
    Own(Vec<f64>),
    Double(&'a [f64]),
    Single(&'a [f32]),
    Sparse(Sparse<'a>),
}

#[derive(Debug, Clone)]
struct Sparse<'a> {
    len: usize,
    rows: Cow<'a, [i32]>,
    values: Cow<'a, [f64]>,
}

/// The cells of a column that are stored; all others are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entries<'a> {
    /// Their rows, ascending.
    pub rows: &'a [i32],
    /// Their values, of which some may be zero, too.
    pub values: &'a [f64],
}

impl From<Vec<f64>> for Column<'_> {
    fn from(values: Vec<f64>) -> Self {
        Column(Values::Own(values))
    }
}

impl<'a> From<&'a [f64]> for Column<'a> {
    fn from(values: &'a [f64]) -> Self {
        Column(Values::Double(values))
    }
}

impl<'a> From<&'a [f32]> for Column<'a> {
    fn from(values: &'a [f32]) -> Self {
        Column(Values::Single(values))
    }
}

impl<'a> Column<'a> {
    /// A column of `len` rows whose cells are zero but for these. Refuses rows that are not
    /// ascending or not there.
    pub fn sparse(
        len: usize,
        rows: impl Into<Cow<'a, [i32]>>,
        values: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self> {
        let (rows, values) = (rows.into(), values.into());
        let known = |row: &i32| usize::try_from(*row).is_ok_and(|row| row < len);
        if rows.len() != values.len() || !rows.iter().all(known) || !rows.is_sorted_by(|a, b| a < b)
        {
            return Err(Error::Data(format!(
                "a sparse column of {len} rows needs a value for each of its rows, which ascend \
                 from 0; sort them and add up those that occur twice"
            )));
        }
        Ok(Column(Values::Sparse(Sparse { len, rows, values })))
    }
}

impl Column<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Values::Own(values) => values.len(),
            Values::Double(values) => values.len(),
            Values::Single(values) => values.len(),
            Values::Sparse(sparse) => sparse.len,
        }
    }

    /// The cells that are stored, of a column that leaves out zeros.
    pub fn entries(&self) -> Option<Entries<'_>> {
        match &self.0 {
            Values::Sparse(Sparse { rows, values, .. }) => Some(Entries { rows, values }),
            _ => None,
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row.
    #[inline]
    pub fn at(&self, row: usize) -> f64 {
        match &self.0 {
            Values::Own(values) => values[row],
            Values::Double(values) => values[row],
            Values::Single(values) => f64::from(values[row]),
            Values::Sparse(Sparse { rows, values, len }) => {
                assert!(row < *len, "row {row} of {len}");
                let at = rows.binary_search(&(row as i32));
                at.map_or(0.0, |at| values[at])
            }
        }
    }

    /// The values of all rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + Clone + '_ {
        (0..self.len()).map(|row| self.at(row))
    }

    /// The values of the given rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Vec<f64> {
        match self.entries() {
            Some(_) => {
                let all = self.to_vec();
                rows.iter().map(|&row| all[row]).collect()
            }
            None => rows.iter().map(|&row| self.at(row)).collect(),
        }
    }

    /// A column of the given ascending rows alone, which leaves out zeros if this one does.
    pub fn subset(&self, rows: &[usize]) -> Column<'static> {
        let Some(entries) = self.entries() else {
            return Column::from(self.rows(rows));
        };
        debug_assert!(rows.is_sorted(), "entries are merged with rows");
        let (mut kept, mut values) = (Vec::new(), Vec::new());
        let mut wanted = rows.iter().enumerate().peekable();
        for (&row, &value) in entries.rows.iter().zip(entries.values) {
            while wanted.next_if(|(_, want)| **want < row as usize).is_some() {}
            if let Some((place, _)) = wanted.next_if(|(_, want)| **want == row as usize) {
                kept.push(place as i32);
                values.push(value);
            }
        }
        Column(Values::Sparse(Sparse {
            len: rows.len(),
            rows: kept.into(),
            values: values.into(),
        }))
    }

    /// A copy of the values.
    pub fn to_vec(&self) -> Vec<f64> {
        match self.entries() {
            Some(Entries { rows, values }) => {
                let mut all = vec![0.0; self.len()];
                for (&row, &value) in rows.iter().zip(values) {
                    all[row as usize] = value;
                }
                all
            }
            None => self.iter().collect(),
        }
    }

    /// The same column with other values; a zero that is left out stays one.
    pub fn mapped(&self, of: impl Fn(f64) -> f64) -> Column<'static> {
        match &self.0 {
            Values::Sparse(Sparse { len, rows, values }) => Column(Values::Sparse(Sparse {
                len: *len,
                rows: rows.to_vec().into(),
                values: values
                    .iter()
                    .map(|&value| of(value))
                    .collect::<Vec<f64>>()
                    .into(),
            })),
            _ => self.iter().map(of).collect::<Vec<f64>>().into(),
        }
    }

    /// The same column without a copy of its values.
    pub fn borrowed(&self) -> Column<'_> {
        Column(match &self.0 {
            Values::Own(values) => Values::Double(values),
            Values::Double(values) => Values::Double(values),
            Values::Single(values) => Values::Single(values),
            Values::Sparse(Sparse { len, rows, values }) => Values::Sparse(Sparse {
                len: *len,
                rows: Cow::Borrowed(rows),
                values: Cow::Borrowed(values),
            }),
        })
    }

    /// The same column with these in the place of values that are missing, by row; what is missing
    /// there, too, stays so.
    pub fn with_gaps_filled(&self, by_row: &[f64]) -> Column<'static> {
        let filled = |(row, value): (usize, f64)| if value.is_nan() { by_row[row] } else { value };
        match &self.0 {
            Values::Sparse(Sparse { len, rows, values }) => {
                let stored = rows
                    .iter()
                    .map(|&row| row as usize)
                    .zip(values.iter().copied());
                Column(Values::Sparse(Sparse {
                    len: *len,
                    rows: rows.to_vec().into(),
                    values: stored.map(filled).collect::<Vec<f64>>().into(),
                }))
            }
            _ => self
                .iter()
                .enumerate()
                .map(filled)
                .collect::<Vec<f64>>()
                .into(),
        }
    }

    /// How many values are missing.
    pub fn missing(&self) -> usize {
        match self.entries() {
            Some(Entries { values, .. }) => values.iter().filter(|v| v.is_nan()).count(),
            None => self.iter().filter(|v| v.is_nan()).count(),
        }
    }

    /// The first row whose value is infinite.
    pub fn first_infinite(&self) -> Option<usize> {
        match self.entries() {
            Some(Entries { rows, values }) => {
                let at = values.iter().position(|v| v.is_infinite());
                at.map(|at| rows[at] as usize)
            }
            None => self.iter().position(|v| v.is_infinite()),
        }
    }

    /// Whether every value is a finite number, or the first row whose value is not.
    pub fn first_not_finite(&self) -> Option<usize> {
        match self.entries() {
            Some(Entries { rows, values }) => {
                let at = values.iter().position(|v| !v.is_finite());
                at.map(|at| rows[at] as usize)
            }
            None => self.iter().position(|v| !v.is_finite()),
        }
    }

    /// Whether all rows whose value is not missing have one value.
    pub fn is_constant(&self) -> bool {
        match self.entries() {
            Some(Entries { values, .. }) if values.len() < self.len() => {
                values.iter().all(|&v| v == 0.0 || v.is_nan())
            }
            _ => {
                let mut known = self.iter().filter(|v| !v.is_nan());
                let first = known.next();
                known.all(|v| Some(v) == first)
            }
        }
    }
}

impl PartialEq for Column<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_are_the_same_column_wherever_they_are() {
        let single = [1.5f32, -2.0, 0.1];
        let double = single.map(f64::from);
        let columns = [
            Column::from(double.to_vec()),
            Column::from(&double[..]),
            Column::from(&single[..]),
            Column::sparse(3, &[0, 1, 2][..], &double[..]).unwrap(),
        ];
        for column in &columns {
            assert_eq!(column, &columns[0]);
            assert_eq!((column.len(), column.at(2)), (3, f64::from(0.1f32)));
            assert_eq!(column.to_vec(), double);
            assert_eq!(column.rows(&[1, 0]), [-2.0, 1.5]);
        }
        assert_ne!(columns[0], Column::from(vec![1.5]));
    }

    #[test]
    fn what_is_left_out_is_zero() {
        let dense = Column::from(vec![0.0, 3.0, 0.0, -1.0, 0.0]);
        let sparse = Column::sparse(5, vec![1, 2, 3], vec![3.0, 0.0, -1.0]).unwrap();
        assert_eq!(sparse, dense);
        assert_eq!(sparse.to_vec(), dense.to_vec());
        for rows in [&[0, 1, 4][..], &[3], &[0, 2], &[], &[0, 1, 2, 3, 4]] {
            assert_eq!(sparse.rows(rows), dense.rows(rows));
            let subset = sparse.subset(rows);
            assert_eq!(subset, dense.subset(rows), "{rows:?}");
            assert!(subset.entries().is_some());
        }
        assert_eq!(sparse.rows(&[3, 0, 1]), [-1.0, 0.0, 3.0]);
        for (rows, values, constant) in [
            (vec![1], vec![0.0], true),
            (vec![], vec![], true),
            (vec![0], vec![2.0], false),
            (vec![0, 1], vec![2.0, 2.0], true),
            (vec![0, 1], vec![2.0, 0.0], false),
        ] {
            let column = Column::sparse(2, rows, values).unwrap();
            assert_eq!(column.is_constant(), constant, "{column:?}");
        }
        let odd = Column::sparse(9, vec![4, 7], vec![1.0, f64::NAN]).unwrap();
        assert_eq!(odd.first_not_finite(), Some(7));
        assert_eq!(dense.first_not_finite(), None);
    }

    #[test]
    fn entries_that_are_no_column_are_refused() {
        for (rows, values) in [
            (vec![0, 0], vec![1.0, 2.0]),
            (vec![1, 0], vec![1.0, 2.0]),
            (vec![-1], vec![1.0]),
            (vec![3], vec![1.0]),
            (vec![0, 1], vec![1.0]),
        ] {
            assert!(Column::sparse(3, rows, values).is_err());
        }
    }
}
