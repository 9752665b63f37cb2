//! The values of a feature column, wherever they are.

/// A column of a [`Dataset`](super::Dataset): numbers of its own, or someone else's in 64 or 32
/// bit, which are not copied. Values are read in 64 bit, which holds every 32-bit number exactly.
#[derive(Debug, Clone)]
pub struct Column<'a>(Values<'a>);

#[derive(Debug, Clone)]
enum Values<'a> {
    Own(Vec<f64>),
    Double(&'a [f64]),
    Single(&'a [f32]),
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

impl Column<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Values::Own(values) => values.len(),
            Values::Double(values) => values.len(),
            Values::Single(values) => values.len(),
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
        }
    }

    /// The values of all rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + Clone + '_ {
        (0..self.len()).map(|row| self.at(row))
    }

    /// The values of the given rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Vec<f64> {
        rows.iter().map(|&row| self.at(row)).collect()
    }

    /// A copy of the values.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().collect()
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
        ];
        for column in &columns {
            assert_eq!(column, &columns[0]);
            assert_eq!((column.len(), column.at(2)), (3, f64::from(0.1f32)));
            assert_eq!(column.to_vec(), double);
            assert_eq!(column.rows(&[1, 0]), [-2.0, 1.5]);
        }
        assert_ne!(columns[0], Column::from(vec![1.5]));
    }
}
