//! What each row counts.

/// Case weights of some rows, or none, where each row counts once: a row of weight 2 is the row
/// twice, one of weight ½ half a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights<'a>(Option<&'a [f64]>);

impl<'a> Weights<'a> {
    /// Every row counts once.
    pub const EQUAL: Weights<'static> = Weights(None);

    /// The given weight for each row.
    pub fn new(weights: &'a [f64]) -> Self {
        Weights(Some(weights))
    }

    /// The weights, if rows do not all count once.
    pub fn given(self) -> Option<&'a [f64]> {
        self.0
    }

    /// That of a row.
    #[inline]
    pub fn at(self, row: usize) -> f64 {
        self.0.map_or(1.0, |weights| weights[row])
    }

    /// Those of the first `rows` rows, in order.
    pub fn iter(self, rows: usize) -> impl ExactSizeIterator<Item = f64> + Clone + 'a {
        (0..rows).map(move |row| self.at(row))
    }

    /// What `rows` rows count together.
    pub fn total(self, rows: usize) -> f64 {
        match self.0 {
            None => rows as f64,
            Some(weights) => weights.iter().sum(),
        }
    }
}

impl<'a> From<Option<&'a [f64]>> for Weights<'a> {
    fn from(weights: Option<&'a [f64]>) -> Self {
        Weights(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_weights_every_row_counts_once() {
        let ones = [1.0; 3];
        for weights in [Weights::EQUAL, Weights::new(&ones)] {
            assert_eq!((weights.at(2), weights.total(3)), (1.0, 3.0));
            assert!(weights.iter(3).eq(ones));
        }
        assert_eq!(Weights::new(&[0.5, 2.0]).total(2), 2.5);
    }
}
