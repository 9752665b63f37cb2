//! On what terms features enter a model: which stay whatever λ, which enter sooner or later than
//! others, which never, and which only together.

use super::Features;
use crate::error::{Error, Result};
use crate::groups::Groups;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// What is asked of features beside their values, by their numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// What λ is multiplied by for a feature: 0 for one that stays, whatever λ, and infinite for
    /// one that never enters. 1 where there is nothing.
    pub factors: BTreeMap<usize, f64>,
    /// Features that enter and leave together, by the name of their group.
    pub groups: BTreeMap<String, Vec<usize>>,
}

/// The factor of a feature that stays.
pub const KEPT: f64 = 0.0;

// (a factor is never NaN)
impl Eq for Terms {}

impl Hash for Terms {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (feature, factor) in &self.factors {
            (feature, factor.to_bits()).hash(state);
        }
        self.groups.hash(state);
    }
}

impl Terms {
    /// Whether all features enter alike, each by itself.
    pub fn is_empty(&self) -> bool {
        self.factors.is_empty() && self.groups.is_empty()
    }

    /// What λ is multiplied by for a feature.
    pub fn factor(&self, feature: usize) -> f64 {
        self.factors.get(&feature).copied().unwrap_or(1.0)
    }

    /// The name of a feature's group, if it has one.
    pub fn group_of(&self, feature: usize) -> Option<&str> {
        let mut groups = self.groups.iter();
        let (name, _) = groups.find(|(_, members)| members.contains(&feature))?;
        Some(name)
    }

    /// Refuses factors that are none, a feature in two groups, and several factors in one.
    pub(super) fn check(&self, names: &[String]) -> Result<()> {
        let name = |feature: usize| format!("{:?}", names[feature]);
        for (&feature, &factor) in &self.factors {
            if factor.is_nan() || factor < 0.0 {
                return Err(Error::Data(format!(
                    "the penalty factor of column {} is {factor}: give 0 to keep it, a positive \
                     number, or inf to drop it",
                    name(feature)
                )));
            }
        }
        if (0..names.len()).all(|feature| self.factor(feature) == f64::INFINITY) {
            return Err(Error::Data(
                "every column has the penalty factor inf: nothing is left to use".into(),
            ));
        }
        let mut grouped: BTreeMap<usize, &str> = BTreeMap::new();
        for (group, members) in &self.groups {
            for &feature in members {
                if let Some(other) = grouped.insert(feature, group) {
                    return Err(Error::Data(overlap(&name(feature), other, group)));
                }
            }
            let differs = |feature: &&usize| self.factor(**feature) != self.factor(members[0]);
            if let Some(&feature) = members.iter().find(differs) {
                let factors = (self.factor(members[0]), self.factor(feature));
                return Err(Error::Data(format!(
                    "columns {} and {} of group {group:?} have the penalty factors {} and {}: a \
                     group has one, since it enters and leaves as a whole; give all its columns \
                     the same",
                    name(members[0]),
                    name(feature),
                    factors.0,
                    factors.1
                )));
            }
        }
        Ok(())
    }

    /// How the columns of these features are penalised then: the columns of a feature belong
    /// together anyhow.
    pub(super) fn of_columns(&self, features: &Features) -> Groups {
        let mut first_features: Vec<usize> = (0..features.count()).collect();
        for members in self.groups.values() {
            let first = members.iter().copied().min();
            for &feature in members {
                first_features[feature] = first.unwrap_or(feature);
            }
        }
        let mut firsts = Vec::with_capacity(features.columns());
        let mut factors = Vec::with_capacity(features.columns());
        for (feature, &first) in first_features.iter().enumerate() {
            let columns = features.columns_of(feature).len();
            let first = features.columns_of(first).start;
            firsts.extend(std::iter::repeat_n(first, columns));
            factors.extend(std::iter::repeat_n(self.factor(feature), columns));
        }
        Groups::new(firsts, factors)
    }

    /// The features that stay, ascending.
    pub fn kept(&self) -> BTreeSet<usize> {
        let kept = self.factors.iter().filter(|(_, factor)| **factor == KEPT);
        kept.map(|(&feature, _)| feature).collect()
    }
}

/// Why a column cannot be in two groups.
fn overlap(column: &str, one: &str, other: &str) -> String {
    match one == other {
        true => format!("column {column} is twice in group {one:?}: name it once"),
        false => format!(
            "column {column} is in the groups {one:?} and {other:?}: a column's weights have one \
             penalty, so groups cannot overlap; leave it in one of them, or give it twice under \
             two names"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["age", "stage", "dose", "site"].map(String::from).to_vec()
    }

    fn features() -> Features {
        let levels = ["a", "b", "c"].map(String::from).to_vec();
        Features::new(names(), BTreeMap::from([(1, levels)]))
    }

    fn terms<const F: usize, const G: usize>(
        factors: [(usize, f64); F],
        groups: [(&str, &[usize]); G],
    ) -> Terms {
        Terms {
            factors: factors.into(),
            groups: groups.map(|(name, own)| (name.into(), own.to_vec())).into(),
        }
    }

    #[test]
    fn columns_follow_their_features() {
        let asked = terms([(2, KEPT), (1, 2.0), (3, 2.0)], [("g", &[3, 1])]);
        let features = features().on(asked).unwrap();
        let firsts = vec![0, 1, 1, 1, 4, 1];
        let factors = vec![1.0, 2.0, 2.0, 2.0, 0.0, 2.0];
        assert_eq!(features.groups(), Groups::new(firsts, factors));
        assert_eq!(features.terms().group_of(3), Some("g"));
        assert_eq!(features.terms().group_of(0), None);
        assert_eq!(features.terms().kept(), BTreeSet::from([2]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let inf = f64::INFINITY;
        let (g, h): (&[usize], &[usize]) = (&[0, 1], &[1, 2]);
        for (asked, says) in [
            (terms([(0, -1.0)], []), "factor of column \"age\" is -1"),
            (terms([(3, f64::NAN)], []), "\"site\" is NaN"),
            (
                terms([(0, inf), (1, inf), (2, inf), (3, inf)], []),
                "nothing is left",
            ),
            (terms([], [("g", g), ("h", h)]), "groups cannot overlap"),
            (terms([], [("g", &[0, 0])]), "twice in group \"g\""),
            (terms([(0, KEPT)], [("g", g)]), "factors 0 and 1"),
        ] {
            let said = features().on(asked).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
    }
}
