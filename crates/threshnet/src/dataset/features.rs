//! How features become columns: a number is one column, a text one for each of its levels,
//! 1 where a row has this level and 0 elsewhere.

use crate::groups::Groups;
use std::collections::BTreeMap;
use std::ops::Range;

/// The features of a data set, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Features {
    names: Vec<String>,
    /// The levels of those that are texts, by feature number.
    levels: BTreeMap<usize, Vec<String>>,
    /// The first column of every feature, and their number; empty if every feature is a column.
    starts: Vec<usize>,
}

impl Features {
    /// Numbers, all of them.
    pub fn numbers(names: Vec<String>) -> Self {
        Features {
            names,
            levels: BTreeMap::new(),
            starts: vec![],
        }
    }

    /// Of which those with levels, given by feature number, are texts.
    pub fn new(names: Vec<String>, levels: BTreeMap<usize, Vec<String>>) -> Self {
        if levels.is_empty() {
            return Features::numbers(names);
        }
        let mut starts = vec![0];
        for feature in 0..names.len() {
            let columns = levels.get(&feature).map_or(1, Vec::len);
            starts.push(starts[feature] + columns);
        }
        Features {
            names,
            levels,
            starts,
        }
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// How many columns they are.
    pub fn columns(&self) -> usize {
        self.starts.last().copied().unwrap_or(self.names.len())
    }

    /// The levels of a text.
    pub fn levels(&self, feature: usize) -> Option<&[String]> {
        self.levels.get(&feature).map(Vec::as_slice)
    }

    /// The texts: their numbers and levels.
    pub fn texts(&self) -> impl Iterator<Item = (usize, &[String])> {
        self.levels
            .iter()
            .map(|(&feature, levels)| (feature, &levels[..]))
    }

    /// The columns of a feature.
    pub fn columns_of(&self, feature: usize) -> Range<usize> {
        match self.starts.is_empty() {
            true => feature..feature + 1,
            false => self.starts[feature]..self.starts[feature + 1],
        }
    }

    /// The feature that a column is of.
    pub fn of_column(&self, column: usize) -> usize {
        match self.starts.is_empty() {
            true => column,
            false => self.starts.partition_point(|&start| start <= column) - 1,
        }
    }

    /// The features that these ascending columns are of, ascending.
    pub fn of_columns(&self, columns: &[usize]) -> Vec<usize> {
        let mut features: Vec<usize> = columns.iter().map(|&j| self.of_column(j)).collect();
        features.dedup();
        features
    }

    /// A column's name: its feature's, for a text with the level.
    pub fn column_name(&self, column: usize) -> String {
        let feature = self.of_column(column);
        let name = &self.names[feature];
        match self.levels(feature) {
            None => name.clone(),
            Some(levels) => format!("{name}={}", levels[column - self.starts[feature]]),
        }
    }

    /// The columns of a feature belong together.
    pub fn groups(&self) -> Groups {
        let sizes: Vec<usize> = self.starts.windows(2).map(|at| at[1] - at[0]).collect();
        Groups::of_sizes(&sizes)
    }

    /// The columns of a text whose rows have these levels, by position.
    pub fn one_hot(levels: usize, of_rows: &[usize]) -> Vec<Vec<f64>> {
        (0..levels)
            .map(|level| {
                of_rows
                    .iter()
                    .map(|&l| f64::from(u8::from(l == level)))
                    .collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Features {
        let levels = ["a", "b", "c"].map(String::from).to_vec();
        let names = ["age", "stage", "dose"].map(String::from).to_vec();
        Features::new(names, BTreeMap::from([(1, levels)]))
    }

    #[test]
    fn a_text_is_a_column_for_every_level() {
        let features = mixed();
        assert_eq!((features.count(), features.columns()), (3, 5));
        assert_eq!(
            (0..3).map(|f| features.columns_of(f)).collect::<Vec<_>>(),
            [0..1, 1..4, 4..5]
        );
        assert_eq!(
            (0..5).map(|j| features.of_column(j)).collect::<Vec<_>>(),
            [0, 1, 1, 1, 2]
        );
        assert_eq!(features.of_columns(&[1, 3, 4]), [1, 2]);
        assert_eq!(features.column_name(2), "stage=b");
        assert_eq!(features.groups(), Groups::of_sizes(&[1, 3, 1]));
        assert_eq!(
            Features::one_hot(3, &[2, 0]),
            [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
        );
    }

    #[test]
    fn numbers_are_their_own_columns() {
        let features = Features::numbers(vec!["a".into(), "b".into()]);
        assert_eq!((features.columns(), features.of_column(1)), (2, 1));
        assert_eq!(features.columns_of(1), 1..2);
        assert_eq!(features.groups(), Groups::default());
        assert_eq!(
            features,
            Features::new(features.names.clone(), BTreeMap::new())
        );
    }
}
