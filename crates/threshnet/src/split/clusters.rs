//! Splits of rows that come in clusters, such as the visits of a patient or the patients of a
//! centre: the rows of one are never on both sides.
//!
//! Clusters are dealt in random order. With T_s rows of stratum s in all, of which a cluster has
//! c_s and a fold has F_s so far, it goes to the fold with the least of what it brings,
//!
//! ```text
//! argmin Σ_s c_s·F_s/T_s²,
//! ```
//!
//! and among equals to the one with the fewest rows. A share q is held out by taking every
//! cluster that brings Σ_s (F_s/T_s − q)² down.

use super::HoldOut;
use crate::dataset::Response;
use crate::error::{Error, Result};
use crate::random::Random;

/// How many times its share of the rows a fold takes at most, and which share of all.
const CROWDED: f64 = 2.0;
const MOST: f64 = 2.0 / 3.0;

/// The clusters of some rows.
pub struct Clusters {
    /// The rows of each, in the order in which clusters come.
    members: Vec<Vec<usize>>,
    /// c_s/T_s of each.
    shares: Vec<Vec<f64>>,
    rows: usize,
}

impl Clusters {
    /// Those of a response, if its rows come in clusters; each stratum counts by itself if
    /// `stratified`.
    pub fn of(response: &Response, stratified: bool) -> Option<Clusters> {
        let numbers = response.clusters.as_ref()?;
        let strata = match stratified {
            true => response.outcome.strata(),
            false => vec![0; numbers.len()],
        };
        let mut totals = vec![0.0; strata.iter().max().map_or(0, |s| s + 1)];
        strata.iter().for_each(|&stratum| totals[stratum] += 1.0);
        let members = members(numbers);
        let share = |rows: &Vec<usize>| {
            let mut share = vec![0.0; totals.len()];
            let of_rows = rows.iter().map(|&row| strata[row]);
            of_rows.for_each(|stratum| share[stratum] += 1.0 / totals[stratum]);
            share
        };
        Some(Clusters {
            shares: members.iter().map(share).collect(),
            members,
            rows: numbers.len(),
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// How many rows the largest has.
    fn largest(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The most rows that one of so many folds takes.
    fn room(&self, folds: usize) -> f64 {
        let rows = self.rows as f64;
        (CROWDED * rows / folds as f64).min(MOST * rows)
    }

    /// How many folds there can be, at most so many.
    pub fn most_folds(&self, folds: usize) -> usize {
        let possible = |&folds: &usize| self.largest() as f64 <= self.room(folds);
        let range = (2..=folds.min(self.count())).rev();
        range.into_iter().find(possible).unwrap_or(2)
    }

    /// The held-out rows of so many folds.
    pub fn folds(&self, count: usize, mut random: Random) -> Result<Vec<Vec<usize>>> {
        if self.count() < count {
            return Err(Error::Data(format!(
                "{count} folds of {}: a cluster is never on both sides of a split, so there can \
                 be no more folds than clusters; take fewer folds, such as cv:{}",
                counted(self.count()),
                self.count().max(2)
            )));
        }
        self.check_size(count)?;
        let mut folds: Vec<Vec<usize>> = vec![vec![]; count];
        let mut loads = vec![vec![0.0; self.shares[0].len()]; count];
        for cluster in random.permutation(self.count()) {
            let brought = &self.shares[cluster];
            let cost = |fold: usize| dot(brought, &loads[fold]);
            let order = |&a: &usize, &b: &usize| {
                let by_cost = cost(a).total_cmp(&cost(b));
                by_cost.then(folds[a].len().cmp(&folds[b].len()))
            };
            let fold = (0..count).min_by(order).expect("there are folds");
            folds[fold].extend(&self.members[cluster]);
            let load = loads[fold].iter_mut().zip(brought);
            load.for_each(|(load, share)| *load += share);
        }
        Ok(folds)
    }

    /// The rows of a hold-out, as near to its share as clusters allow.
    pub fn holdout(&self, share: f64, mut random: Random) -> Result<Vec<usize>> {
        if self.count() < 2 {
            return Err(Error::Data(
                "all rows to divide are in one cluster, which cannot be on both sides of a split; \
                 there must be more clusters, or fewer folds and draws"
                    .into(),
            ));
        }
        let off = |held: &[f64]| held.iter().map(|h| (h - share).powi(2)).sum::<f64>();
        let with = |held: &[f64], cluster: usize| -> Vec<f64> {
            let own = held.iter().zip(&self.shares[cluster]);
            own.map(|(held, share)| held + share).collect()
        };
        let order = random.permutation(self.count());
        let mut held = vec![0.0; self.shares[0].len()];
        let mut taken = Vec::new();
        for &cluster in &order {
            let next = with(&held, cluster);
            if off(&next) < off(&held) && taken.len() + 1 < self.count() {
                held = next;
                taken.push(cluster);
            }
        }
        if taken.is_empty() {
            // (where all are too large, the one that is least so)
            let nearest =
                |&&a: &&usize, &&b: &&usize| off(&with(&held, a)).total_cmp(&off(&with(&held, b)));
            taken.extend(order.iter().min_by(nearest));
        }
        let rows = taken.iter().flat_map(|&cluster| &self.members[cluster]);
        Ok(rows.copied().collect())
    }

    /// Refuses a cluster that one of so many folds cannot take.
    pub fn check_size(&self, folds: usize) -> Result<()> {
        let (largest, room) = (self.largest(), self.room(folds));
        if largest as f64 <= room {
            return Ok(());
        }
        Err(Error::Data(format!(
            "a cluster has {largest} of {} rows, which stay together, and one of {folds} folds \
             takes {} at most; {}",
            self.rows,
            room.floor(),
            match self.most_folds(folds) {
                fewer if fewer < folds && largest as f64 <= self.room(fewer) =>
                    format!("take fewer folds, such as cv:{fewer}"),
                _ => "divide it, or leave some of its rows out".into(),
            }
        )))
    }

    /// The same for a single hold-out, whose other side has to learn.
    pub fn check_holdout(&self, how: HoldOut) -> Result<()> {
        let folds = (1.0 / how.share).round() as usize;
        self.check_size(folds.max(2))
    }
}

/// As many clusters as there are, with replacement: the rows of a bootstrap sample. It ends early
/// where it has so many rows.
pub fn resampled(clusters: &[usize], most: usize, random: &mut Random) -> Vec<usize> {
    let members = members(clusters);
    let mut rows = Vec::with_capacity(clusters.len());
    for _ in 0..members.len() {
        rows.extend(&members[random.below(members.len())]);
        if rows.len() >= most {
            break;
        }
    }
    rows
}

/// The rows of each cluster, by the order of their first rows.
fn members(numbers: &[usize]) -> Vec<Vec<usize>> {
    let mut places: Vec<Option<usize>> = vec![None; numbers.iter().max().map_or(0, |n| n + 1)];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (row, &number) in numbers.iter().enumerate() {
        let place = *places[number].get_or_insert_with(|| {
            members.push(vec![]);
            members.len() - 1
        });
        members[place].push(row);
    }
    members
}

/// `1 cluster`, `2 clusters`.
fn counted(count: usize) -> String {
    format!("{count} cluster{}", if count == 1 { "" } else { "s" })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{draws, folds, given, groups, halves, holdout};
    use super::*;
    use crate::dataset::Outcome;
    use crate::random::Purpose;
    use std::collections::BTreeSet;

    /// Rows of clusters of one to `most` rows, three in ten with an event.
    fn clustered(rows: usize, most: usize, seed: u64) -> Response {
        let mut random = Random::new(seed, Purpose::Simulation, 5, 0);
        let mut numbers = Vec::new();
        while numbers.len() < rows {
            let cluster = numbers.last().map_or(0, |last| last + 1);
            let size = 1 + random.below(most);
            numbers.extend(std::iter::repeat_n(cluster, size.min(rows - numbers.len())));
        }
        random.shuffle(&mut numbers);
        Response {
            clusters: Some(numbers),
            ..Response::from(Outcome::Survival {
                time: (0..rows).map(|row| row as f64).collect(),
                event: (0..rows).map(|_| random.uniform() < 0.3).collect(),
            })
        }
    }

    fn of(response: &Response, rows: &[usize]) -> BTreeSet<usize> {
        let numbers = response.clusters.as_ref().unwrap();
        rows.iter().map(|&row| numbers[row]).collect()
    }

    fn apart(response: &Response, a: &[usize], b: &[usize]) {
        assert!(of(response, a).is_disjoint(&of(response, b)));
        assert!(!a.is_empty() && !b.is_empty());
    }

    #[test]
    fn no_cluster_is_on_both_sides_of_any_split() {
        for seed in 0..60 {
            let response = clustered(150, 1 + seed as usize % 9, seed);
            let mut all = Vec::new();
            for split in folds(&response, 5, seed).unwrap() {
                apart(&response, &split.train, &split.held_out);
                assert!((18..=42).contains(&split.held_out.len()), "{split:?}");
                all.extend(split.held_out);
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..150));
            for stratified in [true, false] {
                let how = HoldOut {
                    share: 0.2,
                    stratified,
                };
                let split = holdout(&response, how, seed, 3).unwrap();
                apart(&response, &split.train, &split.held_out);
                assert!((20..=40).contains(&split.held_out.len()), "{split:?}");
            }
            let fold_of_group = groups(&response, 24, seed).unwrap();
            for (k, draw) in draws(&response, 24, 0.25, seed).unwrap().iter().enumerate() {
                apart(&response, &draw.train, &draw.held_out);
                let unseen = &fold_of_group[k % fold_of_group.len()].held_out;
                apart(&response, unseen, &draw.train);
                apart(&response, unseen, &draw.held_out);
            }
            let [a, b] = halves(&response, seed, 1).unwrap();
            apart(&response, &a, &b);
            assert!(a.len().abs_diff(b.len()) <= 20, "{} {}", a.len(), b.len());
            assert_ne!([a, b], halves(&response, seed, 2).unwrap());
        }
    }

    #[test]
    fn strata_are_shared_as_clusters_allow() {
        let response = clustered(600, 4, 1);
        let events = |rows: &[usize]| response.outcome.rows(rows).strata().iter().sum::<usize>();
        let all = events(&(0..600).collect::<Vec<_>>()) as f64;
        for split in folds(&response, 5, 2).unwrap() {
            let share = events(&split.held_out) as f64 / all;
            assert!((share - 0.2).abs() < 0.03, "{share}");
        }
        let how = HoldOut {
            share: 0.2,
            stratified: true,
        };
        let split = holdout(&response, how, 4, 0).unwrap();
        let share = events(&split.held_out) as f64 / all;
        assert!((share - 0.2).abs() < 0.03, "{share}");
    }

    #[test]
    fn a_bootstrap_draws_whole_clusters() {
        let numbers = [0, 0, 1, 2, 2, 2];
        for seed in 0..20 {
            let mut random = Random::new(seed, Purpose::Bootstrap, 0, 0);
            let rows = resampled(&numbers, usize::MAX, &mut random);
            let times = |row: usize| rows.iter().filter(|r| **r == row).count();
            assert!(times(0) == times(1) && times(3) == times(4) && times(4) == times(5));
            assert_eq!(times(0) + times(2) + times(3), 3);
        }
    }

    #[test]
    fn what_clusters_do_not_allow_is_told() {
        let with = |clusters: Vec<usize>| Response {
            clusters: Some(clusters),
            ..Response::from(Outcome::Continuous((0..60).map(f64::from).collect()))
        };
        let three = with((0..60).map(|row| row % 3).collect());
        let said = |result: Result<Vec<super::super::Split>>| result.unwrap_err().to_string();
        let few = said(folds(&three, 5, 0));
        assert!(
            few.contains("5 folds of 3 clusters") && few.contains("cv:3"),
            "{few}"
        );
        // one of half of the rows
        let large = with((0..60).map(|row| if row < 30 { 0 } else { row }).collect());
        let crowded = said(folds(&large, 5, 0));
        assert!(
            crowded.contains("30 of 60 rows") && crowded.contains("cv:4"),
            "{crowded}"
        );
        assert!(folds(&large, 4, 0).is_ok());
        let how = HoldOut {
            share: 0.2,
            stratified: true,
        };
        assert!(
            holdout(&large, how, 0, 0)
                .unwrap_err()
                .to_string()
                .contains("30 of 60 rows")
        );
        // draws come in fewer groups then
        assert_eq!(groups(&large, 12, 0).unwrap().len(), 4);
        assert_eq!(groups(&three, 12, 0).unwrap().len(), 3);
        assert!(draws(&three, 12, 0.25, 0).is_ok());
        let two = with((0..60).map(|row| row % 2).collect());
        assert!(said(draws(&two, 12, 0.25, 0)).contains("all rows to divide are in one cluster"));
        let most = with((0..60).map(|row| usize::from(row < 5)).collect());
        assert!(
            halves(&most, 0, 0)
                .unwrap_err()
                .to_string()
                .contains("divide it")
        );
        // folds that are given divide one
        let given_folds: Vec<usize> = (0..60).map(|row| 1 + row / 30).collect();
        let divided = said(given(&three, &given_folds));
        assert!(divided.contains("is in the folds 1 and 2"), "{divided}");
    }
}
