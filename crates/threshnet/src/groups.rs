//! Columns that enter and leave a network together, such as the levels of a category.
//!
//! The penalty's group is then all first-layer weights of these columns,
//!
//! ```text
//! Σ_g ρ_{λ√(p_g·h)}(‖W₀_g‖₂),
//! ```
//!
//! with p_g columns in group g and h weights of each: λ grows with the root of the group's
//! size (Yuan and Lin 2006, JRSS B 68:49–67), so noise in many columns enters no sooner
//! than noise in one. A group of one column is the paper's.

use std::ops::Range;
use std::sync::Arc;

/// Which columns of the data belong together; by default none do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// The first column of every column's group, if any group has more than one.
    firsts: Option<Arc<[usize]>>,
}

impl Groups {
    /// Neighbouring columns, so many in each group.
    pub fn of_sizes(sizes: &[usize]) -> Self {
        if sizes.iter().all(|&size| size == 1) {
            return Groups::default();
        }
        let mut firsts = Vec::with_capacity(sizes.iter().sum());
        for &size in sizes {
            let first = firsts.len();
            firsts.extend(std::iter::repeat_n(first, size));
        }
        Groups {
            firsts: Some(firsts.into()),
        }
    }

    /// The first column of a column's group.
    pub fn first(&self, column: usize) -> usize {
        self.firsts.as_ref().map_or(column, |firsts| firsts[column])
    }

    /// Divides ascending columns by groups: the positions of each group's.
    pub fn runs<'a>(&'a self, columns: &'a [usize]) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut start = 0;
        std::iter::from_fn(move || {
            let first = self.first(*columns.get(start)?);
            let mut end = start + 1;
            while self.firsts.is_some() && end < columns.len() && self.first(columns[end]) == first
            {
                end += 1;
            }
            let run = start..end;
            start = end;
            Some(run)
        })
    }

    /// How many of these ascending columns are in each group; none if every column is a
    /// group of its own.
    pub fn sizes(&self, columns: &[usize]) -> Option<Vec<usize>> {
        self.firsts.as_ref()?;
        Some(self.runs(columns).map(|run| run.len()).collect())
    }

    /// These columns and all that belong to them, ascending.
    pub fn completed(&self, columns: &[usize]) -> Vec<usize> {
        let Some(firsts) = &self.firsts else {
            let mut columns = columns.to_vec();
            columns.sort_unstable();
            return columns;
        };
        let mut wanted = vec![false; firsts.len()];
        for &column in columns {
            wanted[firsts[column]] = true;
        }
        (0..firsts.len())
            .filter(|&column| wanted[firsts[column]])
            .collect()
    }

    /// Gives every column of a group the largest of their values.
    pub fn level(&self, values: &mut [f64]) {
        let Some(firsts) = &self.firsts else {
            return;
        };
        for (column, &first) in firsts.iter().enumerate() {
            values[first] = values[first].max(values[column]);
        }
        for (column, &first) in firsts.iter().enumerate() {
            values[column] = values[first];
        }
    }
}

/// The λ of a group of so many columns, given that of a single one.
pub fn group_lambda(single: f64, columns: usize) -> f64 {
    match columns {
        1 => single,
        _ => single * (columns as f64).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_every_column_is_a_run() {
        for groups in [Groups::default(), Groups::of_sizes(&[1, 1, 1])] {
            assert_eq!(
                groups.runs(&[0, 2]).collect::<Vec<_>>(),
                [0..1, 1..2],
                "{groups:?}"
            );
            assert_eq!(groups.sizes(&[0, 2]), None);
            assert_eq!(groups.completed(&[2, 0]), [0, 2]);
        }
    }

    #[test]
    fn groups_stay_together_whoever_is_missing() {
        let groups = Groups::of_sizes(&[1, 3, 2, 1]);
        let runs: Vec<_> = groups.runs(&[1, 3, 4, 5, 6]).collect();
        assert_eq!(runs, [0..2, 2..4, 4..5]);
        assert_eq!(groups.sizes(&[0, 2, 3]), Some(vec![1, 2]));
        assert_eq!(groups.sizes(&[]), Some(vec![]));
        assert_eq!(groups.completed(&[2, 6]), [1, 2, 3, 6]);
        let mut values = [0.5, 0.1, 0.0, 0.2, 0.0, 0.3, 0.4];
        groups.level(&mut values);
        assert_eq!(values, [0.5, 0.2, 0.2, 0.2, 0.3, 0.3, 0.4]);
    }
}
