//! Scores of a selected set Ŝ against the true support S among d inputs:
//!
//! ```text
//! FPR = |Ŝ ∩ Sᶜ| / |Sᶜ|        FNR = |Ŝᶜ ∩ S| / |S|
//! ```
//!
//! the rates that the paper's tables report (there in percent, here as
//! fractions).

use crate::error::{Error, Result};

/// How a selection compares with the true support.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selection {
    /// The share of irrelevant inputs that were selected; 0 if there are none.
    pub fpr: f64,
    /// The share of relevant inputs that were missed; 0 if there are none.
    pub fnr: f64,
    /// The number of selected inputs.
    pub size: usize,
}

impl Selection {
    /// Compares the selected with the relevant column numbers, both sets of
    /// numbers below `d` in any order.
    pub fn new(selected: &[usize], relevant: &[usize], d: usize) -> Result<Self> {
        let selected = indicator("selected", selected, d)?;
        let relevant = indicator("relevant", relevant, d)?;
        let count = |s: bool, r: bool| {
            let pairs = selected.iter().zip(&relevant);
            pairs.filter(|&(&a, &b)| a == s && b == r).count()
        };
        let (hit, false_hit) = (count(true, true), count(true, false));
        let (miss, rest) = (count(false, true), count(false, false));
        // Of nothing, nothing can be wrong: an empty S or Sᶜ has rate 0.
        let rate = |wrong: usize, right: usize| wrong as f64 / (wrong + right).max(1) as f64;
        Ok(Selection {
            fpr: rate(false_hit, rest),
            fnr: rate(miss, hit),
            size: hit + false_hit,
        })
    }
}

fn indicator(name: &str, columns: &[usize], d: usize) -> Result<Vec<bool>> {
    let mut member = vec![false; d];
    for &j in columns {
        *member.get_mut(j).ok_or_else(|| {
            Error::Data(format!("{name} column {j}: there are {d} columns, from 0"))
        })? = true;
    }
    Ok(member)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn rates_are_those_of_the_sets(
            selected in prop::collection::btree_set(0usize..12, 0..12),
            relevant in prop::collection::btree_set(0usize..12, 1..12),
        ) {
            let d = 12;
            let irrelevant: BTreeSet<usize> = (0..d).filter(|j| !relevant.contains(j)).collect();
            let list = |s: &BTreeSet<usize>| s.iter().copied().collect::<Vec<_>>();
            let found = Selection::new(&list(&selected), &list(&relevant), d).unwrap();
            let wrong = selected.intersection(&irrelevant).count() as f64;
            let missed = relevant.difference(&selected).count() as f64;
            prop_assert_eq!(found.fpr, wrong / irrelevant.len() as f64);
            prop_assert_eq!(found.fnr, missed / relevant.len() as f64);
            prop_assert_eq!(found.size, selected.len());
        }
    }

    #[test]
    fn empty_sets_have_no_errors_and_bad_columns_are_refused() {
        let all = Selection::new(&[0, 1], &[1, 0], 2).unwrap();
        assert_eq!((all.fpr, all.fnr, all.size), (0.0, 0.0, 2));
        let none = Selection::new(&[], &[], 2).unwrap();
        assert_eq!((none.fpr, none.fnr, none.size), (0.0, 0.0, 0));
        assert!(Selection::new(&[2], &[0], 2).is_err());
    }
}
