//! How columns are penalised: which of them enter and leave a network together, such as the
//! levels of a category, and how much.
//!
//! The penalty's group is all first-layer weights of its columns,
//!
//! ```text
//! Σ_g ρ_{λ·f_g·√(p_g·h)}(‖W₀_g‖₂),
//! ```
//!
//! with p_g columns in group g, h weights of each and a factor f_g of its own: λ grows with the
//! root of the group's size (Yuan and Lin 2006, JRSS B 68:49–67), so noise in many columns enters
//! no sooner than noise in one. A group of one column and factor 1 is the paper's. One of factor
//! 0 is *kept*: it is free of this penalty and never leaves. One of an infinite factor is
//! *dropped*: it never enters.

use std::ops::Range;
use std::sync::Arc;

/// Which columns of the data belong together, and what λ is multiplied by for each; by default
/// none do, and nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Groups {
    /// The first column of every column's group, if any group has more than one.
    firsts: Option<Arc<[usize]>>,
    /// The factor of every column's group, if any is not 1.
    factors: Option<Arc<[f64]>>,
}

impl Groups {
    /// Given the first column of every column's group and the group's factor.
    pub fn new(firsts: Vec<usize>, factors: Vec<f64>) -> Self {
        let alone = firsts.iter().enumerate().all(|(j, &first)| j == first);
        let plain = factors.iter().all(|&factor| factor == 1.0);
        Groups {
            firsts: (!alone).then(|| firsts.into()),
            factors: (!plain).then(|| factors.into()),
        }
    }

    /// Neighbouring columns, so many in each group, with factors of 1.
    pub fn of_sizes(sizes: &[usize]) -> Self {
        let mut firsts = Vec::with_capacity(sizes.iter().sum());
        for &size in sizes {
            let first = firsts.len();
            firsts.extend(std::iter::repeat_n(first, size));
        }
        Groups::new(firsts, vec![])
    }

    /// The first column of a column's group.
    pub fn first(&self, column: usize) -> usize {
        self.firsts.as_ref().map_or(column, |firsts| firsts[column])
    }

    /// What λ is multiplied by for a column's group, beside the root of its size.
    fn factor(&self, column: usize) -> f64 {
        self.factors.as_ref().map_or(1.0, |factors| factors[column])
    }

    /// Whether a column stays, whatever λ.
    pub fn is_kept(&self, column: usize) -> bool {
        self.factor(column) == 0.0
    }

    /// Whether a column never enters.
    pub fn is_dropped(&self, column: usize) -> bool {
        self.factor(column) == f64::INFINITY
    }

    /// The columns that stay, ascending.
    pub fn kept(&self) -> Vec<usize> {
        let columns = self.factors.as_ref().map_or(0, |factors| factors.len());
        (0..columns)
            .filter(|&column| self.is_kept(column))
            .collect()
    }

    /// These columns and those that stay, ascending.
    pub fn with_kept(&self, mut columns: Vec<usize>) -> Vec<usize> {
        columns.extend(self.kept());
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Whether every column is a group of factor 1.
    pub fn is_plain(&self) -> bool {
        self.firsts.is_none() && self.factors.is_none()
    }

    /// Divides columns by groups.
    pub fn divide(&self, columns: &[usize]) -> Divided {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        if self.firsts.is_some() {
            order.sort_by_key(|&at| self.first(columns[at]));
        }
        let of = |place: usize| self.first(columns[order[place]]);
        let mut groups = Vec::with_capacity(columns.len());
        let mut start = 0;
        while start < order.len() {
            let mut end = start + 1;
            while end < order.len() && of(end) == of(start) {
                end += 1;
            }
            groups.push(Group {
                range: start..end,
                factor: self.factor(columns[order[start]]) * ((end - start) as f64).sqrt(),
            });
            start = end;
        }
        Divided { order, groups }
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

/// Some columns, group by group.
#[derive(Debug, Clone, PartialEq)]
pub struct Divided {
    /// The positions of the columns, those of a group together.
    pub order: Vec<usize>,
    /// In the order of their first columns.
    pub groups: Vec<Group>,
}

/// A group of some columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Where its columns are in the order.
    pub range: Range<usize>,
    /// What λ is multiplied by: f·√p.
    pub factor: f64,
}

impl Divided {
    /// The positions of the columns of every group, and what λ is multiplied by.
    pub fn iter(&self) -> impl Iterator<Item = (&[usize], f64)> {
        (self.groups.iter()).map(|group| (&self.order[group.range.clone()], group.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions of each group.
    fn divided(groups: &Groups, columns: &[usize]) -> Vec<Vec<usize>> {
        let divided = groups.divide(columns);
        divided.iter().map(|(own, _)| own.to_vec()).collect()
    }

    #[test]
    fn alone_every_column_is_a_group() {
        for groups in [Groups::default(), Groups::of_sizes(&[1, 1, 1])] {
            assert!(groups.is_plain());
            assert_eq!(divided(&groups, &[0, 2]), [[0], [1]], "{groups:?}");
            assert_eq!(groups.completed(&[2, 0]), [0, 2]);
        }
    }

    #[test]
    fn groups_stay_together_whoever_is_missing() {
        let groups = Groups::of_sizes(&[1, 3, 2, 1]);
        let found = divided(&groups, &[1, 3, 4, 5, 6]);
        assert_eq!(found, [vec![0, 1], vec![2, 3], vec![4]]);
        let factors: Vec<f64> = (groups.divide(&[0, 2, 3]).iter())
            .map(|(_, factor)| factor)
            .collect();
        assert_eq!(factors, [1.0, 2f64.sqrt()]);
        assert!(divided(&groups, &[]).is_empty());
        assert_eq!(groups.completed(&[2, 6]), [1, 2, 3, 6]);
        let mut values = [0.5, 0.1, 0.0, 0.2, 0.0, 0.3, 0.4];
        groups.level(&mut values);
        assert_eq!(values, [0.5, 0.2, 0.2, 0.2, 0.3, 0.3, 0.4]);
    }

    #[test]
    fn groups_need_not_be_neighbours_and_have_factors() {
        let firsts = vec![0, 1, 0, 3, 1];
        let groups = Groups::new(firsts, vec![2.0, 0.0, 2.0, f64::INFINITY, 0.0]);
        assert_eq!(groups.kept(), [1, 4]);
        assert!(groups.is_dropped(3) && !groups.is_plain());
        let parts = groups.divide(&[0, 1, 2, 4]);
        let found: Vec<(&[usize], f64)> = parts.iter().collect();
        let root = 2f64.sqrt();
        assert_eq!(found, [(&[0, 2][..], 2.0 * root), (&[1, 3][..], 0.0)]);
        assert_eq!(groups.completed(&[2]), [0, 2]);
        // (what is in their order already stays there)
        assert_eq!(groups.divide(&[0, 2, 1, 4]).order, [0, 1, 2, 3]);
    }
}
