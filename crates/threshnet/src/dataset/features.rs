//! How features become columns: a number is one column, a text one for each of its levels,
//! 1 where a row has this level and 0 elsewhere.

use super::Terms;
use crate::error::Result;
use crate::groups::Groups;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The features of a data set, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Features {
    names: Vec<String>,
    /// The levels of those that are texts, by feature number.
    levels: BTreeMap<usize, Vec<String>>,
    /// Those with a column that says where they are missing, the last of their columns.
    indicators: BTreeSet<usize>,
    /// The first column of every feature, and their number; empty if every feature is a column.
    starts: Vec<usize>,
    terms: Terms,
}

impl Features {
    /// Numbers, all of them.
    pub fn numbers(names: Vec<String>) -> Self {
        Features {
            names,
            levels: BTreeMap::new(),
            indicators: BTreeSet::new(),
            starts: vec![],
            terms: Terms::default(),
        }
    }

    /// Of which those with levels, given by feature number, are texts.
    pub fn new(names: Vec<String>, levels: BTreeMap<usize, Vec<String>>) -> Self {
        let features = Features {
            levels,
            ..Features::numbers(names)
        };
        features.with_indicators(BTreeSet::new())
    }

    /// Of which these, by number, have one more column: where they are missing.
    pub fn with_indicators(mut self, indicators: BTreeSet<usize>) -> Self {
        self.indicators = indicators;
        self.starts = vec![];
        if self.levels.is_empty() && self.indicators.is_empty() {
            return self;
        }
        let mut starts = vec![0];
        for feature in 0..self.names.len() {
            let own = self.levels.get(&feature).map_or(1, Vec::len);
            let indicator = usize::from(self.indicators.contains(&feature));
            starts.push(starts[feature] + own + indicator);
        }
        self.starts = starts;
        self
    }

    /// The features with a column that says where they are missing.
    pub fn indicators(&self) -> &BTreeSet<usize> {
        &self.indicators
    }

    /// Whether a column says where its feature is missing.
    pub fn is_indicator(&self, column: usize) -> bool {
        let feature = self.of_column(column);
        self.indicators.contains(&feature) && column + 1 == self.columns_of(feature).end
    }

    /// The same features on other terms.
    pub fn on(self, terms: Terms) -> Result<Self> {
        terms.check(&self.names)?;
        Ok(Features { terms, ..self })
    }

    /// On what terms they enter a model.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Whether they are the same features, on whatever terms.
    pub fn are_those_of(&self, other: &Features) -> bool {
        self.names == other.names
            && self.levels == other.levels
            && self.indicators == other.indicators
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
        if self.is_indicator(column) {
            return format!("{name} is missing");
        }
        match self.levels(feature) {
            None => name.clone(),
            Some(levels) => format!("{name}={}", levels[column - self.starts[feature]]),
        }
    }

    /// How their columns are penalised: those of a feature belong together.
    pub fn groups(&self) -> Groups {
        if self.starts.is_empty() && self.terms.is_empty() {
            return Groups::default();
        }
        self.terms.of_columns(self)
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
