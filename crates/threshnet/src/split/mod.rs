//! Which rows are held out. Where rows come in clusters, these stay together (`clusters.rs`).

mod clusters;

pub use clusters::resampled;

use crate::dataset::{Outcome, Response};
use crate::error::{Error, Result};
use crate::random::{Purpose, Random};
use crate::tune::Constants;
use clusters::Clusters;
use std::borrow::Cow;
use std::collections::HashMap;

/// Rows to learn from and rows to score on, both ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to score on.
    pub held_out: Vec<usize>,
}

impl Split {
    /// All of so many rows to learn from, none held out.
    pub fn all(rows: usize) -> Split {
        Split {
            train: (0..rows).collect(),
            held_out: vec![],
        }
    }
}

/// How a single hold-out is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HoldOut {
    /// The share of the rows that is held out.
    pub share: f64,
    /// Whether every class (or events and censored rows) is held out in the same share.
    pub stratified: bool,
}

/// How many of `n` rows a share holds out: rounded up, as scikit-learn does.
pub fn held_out_count(n: usize, share: f64) -> usize {
    (share * n as f64 - 1e-9).ceil() as usize
}

/// One random split, that of the draw with this number.
pub fn holdout(response: &Response, how: HoldOut, seed: u64, draw: u64) -> Result<Split> {
    if let Some(clusters) = Clusters::of(response, how.stratified) {
        clusters.check_holdout(how)?;
    }
    part(response, how, seed, draw)
}

/// The same, however large clusters are.
fn part(response: &Response, how: HoldOut, seed: u64, draw: u64) -> Result<Split> {
    let HoldOut { share, stratified } = how;
    let outcome = &response.outcome;
    let n = outcome.len();
    let count = held_out_count(n, share);
    if count == 0 || count + 2 > n {
        return Err(Error::setting(
            "validation",
            format!(
                "holding out {share} of {n} rows leaves too few to learn from or to score on; \
                 use more rows, or folds such as cv:3"
            ),
        ));
    }
    let mut random = Random::new(seed, Purpose::Split, draw, 0);
    if let Some(clusters) = Clusters::of(response, stratified) {
        return split(outcome, clusters.holdout(share, random)?);
    }
    let order = random.permutation(n);
    let held_out = if stratified {
        interleaved(outcome, order)
    } else {
        order
    };
    split(outcome, held_out[..count].to_vec())
}

/// `count` random folds of nearly equal size, stratified by class or event.
pub fn folds(response: &Response, count: usize, seed: u64) -> Result<Vec<Split>> {
    let outcome = &response.outcome;
    let n = outcome.len();
    if count < 2 || count > n {
        return Err(Error::setting(
            "validation",
            format!("{count} folds of {n} rows: choose between 2 and {n}"),
        ));
    }
    let mut random = Random::new(seed, Purpose::Split, 0, 0);
    if let Some(clusters) = Clusters::of(response, true) {
        let held_out = clusters.folds(count, random)?.into_iter();
        return held_out.map(|rows| split(outcome, rows)).collect();
    }
    let order = random.permutation(n);
    let mut strata: Vec<Vec<usize>> = Vec::new();
    let stratum = outcome.strata();
    for row in order {
        if strata.len() <= stratum[row] {
            strata.resize(stratum[row] + 1, Vec::new());
        }
        strata[stratum[row]].push(row);
    }
    // Dealing goes on from stratum to stratum, so fold sizes differ by one.
    let dealt: Vec<usize> = strata.into_iter().flatten().collect();
    (0..count)
        .map(|fold| {
            split(
                outcome,
                dealt.iter().copied().skip(fold).step_by(count).collect(),
            )
        })
        .collect()
}

/// The folds that are given for the rows, 1, 2, … to the last; none may divide a cluster.
pub fn given(response: &Response, folds: &[usize]) -> Result<Vec<Split>> {
    let last = folds.iter().copied().max().unwrap_or(0);
    let of_clusters = response.clusters.iter().flatten().zip(folds).enumerate();
    let mut seen = HashMap::new();
    for (row, (cluster, &fold)) in of_clusters {
        let before = *seen.entry(cluster).or_insert(fold);
        if before != fold {
            return Err(Error::Data(format!(
                "the cluster of row {} is in the folds {before} and {fold}: it cannot be on both \
                 sides of a split; give all its rows one fold",
                row + 1
            )));
        }
    }
    (1..=last)
        .map(|fold| {
            let rows: Vec<usize> = (0..folds.len()).filter(|&row| folds[row] == fold).collect();
            match rows.len() {
                0 => Err(Error::Data(format!(
                    "no row that counts is in fold {fold}, but some are in {last}; number the folds \
                     anew"
                ))),
                all if all == folds.len() => Err(Error::Data(format!(
                    "all rows are in fold {fold}: there must be two folds or more"
                ))),
                _ => split(&response.outcome, rows),
            }
        })
        .collect()
}

/// How many folds there may be: every one of a survival outcome needs an event, and should have
/// two; and every cluster of rows has to fit into one.
pub fn most_folds(response: &Response) -> usize {
    let scarce = match &response.outcome {
        Outcome::Survival { event, .. } => event.iter().filter(|event| **event).count(),
        outcome => outcome.len(),
    };
    let most = (scarce / 2).max(2);
    Clusters::of(response, true).map_or(most, |clusters| clusters.most_folds(most))
}

/// The groups of so many draws: folds, whose held-out rows no draw of the group sees.
pub fn groups(response: &Response, draws: usize, seed: u64) -> Result<Vec<Split>> {
    let most = Constants::DEFAULT.most_groups;
    folds(response, most.min(draws).min(most_folds(response)), seed)
}

/// `count` draws, dealt to their [`groups`] in turn: of the group's rows, or of so many of these
/// as are enough, each holds out a share of its own, stratified.
pub fn draws(response: &Response, count: usize, share: f64, seed: u64) -> Result<Vec<Split>> {
    let groups = groups(response, count, seed)?;
    (0..count)
        .map(|draw| {
            let of_group = &groups[draw % groups.len()].train;
            let rows = &enough(response, of_group, seed, draw as u64)?[..];
            let how = HoldOut {
                share,
                stratified: true,
            };
            // (number 0 divided the groups)
            let split = part(&response.rows(rows), how, seed, draw as u64 + 1)?;
            let of_all = |part: Vec<usize>| part.into_iter().map(|row| rows[row]).collect();
            Ok(Split {
                train: of_all(split.train),
                held_out: of_all(split.held_out),
            })
        })
        .collect()
}

/// These rows, or of very many a random part, stratified: what more rows would show costs more than
/// it is worth twelve times.
fn enough<'r>(
    response: &Response,
    rows: &'r [usize],
    seed: u64,
    draw: u64,
) -> Result<Cow<'r, [usize]>> {
    /// What no draw's own split has for a number.
    const APART: u64 = 1 << 32;
    let most = Constants::DEFAULT.most_drawn_rows;
    if rows.len() <= most {
        return Ok(Cow::Borrowed(rows));
    }
    let how = HoldOut {
        share: 1.0 - most as f64 / rows.len() as f64,
        stratified: true,
    };
    let part = part(&response.rows(rows), how, seed, APART + draw)?;
    Ok(part.train.into_iter().map(|row| rows[row]).collect())
}

/// Two disjoint random halves of the rows, those of the pair with this number, each
/// ascending and with its share of every class (or of events); an odd row is left out. Where rows
/// come in clusters, each is of the halves of these.
pub fn halves(response: &Response, seed: u64, pair: u64) -> Result<[Vec<usize>; 2]> {
    let outcome = &response.outcome;
    let n = outcome.len();
    let mut random = Random::new(seed, Purpose::Halves, pair, 0);
    let sorted = |rows: &[usize]| {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows
    };
    let pair = match Clusters::of(response, true) {
        Some(clusters) => {
            let dealt = clusters.folds(2, random)?;
            [sorted(&dealt[0]), sorted(&dealt[1])]
        }
        None => {
            let order = interleaved(outcome, random.permutation(n));
            [sorted(&order[..n / 2]), sorted(&order[n - n / 2..])]
        }
    };
    for half in &pair {
        if let Err(problem) = outcome.rows(half).validate() {
            return Err(Error::Data(format!(
                "in a half of the rows {problem}; stability selection needs more rows"
            )));
        }
    }
    Ok(pair)
}

/// The rows of `order`, rearranged so that every prefix has each stratum in
/// (nearly) its share of all rows.
fn interleaved(outcome: &Outcome, order: Vec<usize>) -> Vec<usize> {
    let stratum = outcome.strata();
    let mut size = vec![0usize; stratum.iter().max().map_or(0, |s| s + 1)];
    for &s in &stratum {
        size[s] += 1;
    }
    let mut seen = vec![0usize; size.len()];
    let mut placed: Vec<(f64, usize)> = order
        .into_iter()
        .map(|row| {
            let s = stratum[row];
            seen[s] += 1;
            ((seen[s] as f64 - 0.5) / size[s] as f64, row)
        })
        .collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, row)| row).collect()
}

fn split(outcome: &Outcome, mut held_out: Vec<usize>) -> Result<Split> {
    held_out.sort_unstable();
    let train: Vec<usize> = (0..outcome.len())
        .filter(|row| held_out.binary_search(row).is_err())
        .collect();
    // (numbers that happen to be all the same can be learned: as a constant)
    let constant = matches!(outcome, Outcome::Continuous(_)) && !train.is_empty();
    if let Err(problem) = outcome.rows(&train).validate()
        && !constant
    {
        return Err(Error::Data(format!(
            "in the training part of a split {problem}; use more rows, another seed, or no validation"
        )));
    }
    if let Outcome::Survival { event, .. } = outcome.rows(&held_out)
        && !event.contains(&true)
    {
        return Err(Error::Data(
            "no event among the held-out rows: use more rows, fewer folds, a larger hold-out or another seed"
                .into(),
        ));
    }
    Ok(Split { train, held_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival(events: usize, n: usize) -> Response {
        Response::from(Outcome::Survival {
            time: (0..n).map(|i| i as f64).collect(),
            event: (0..n).map(|i| i < events).collect(),
        })
    }

    fn events(response: &Response, rows: &[usize]) -> usize {
        response.outcome.rows(rows).strata().iter().sum()
    }

    fn how(share: f64, stratified: bool) -> HoldOut {
        HoldOut { share, stratified }
    }

    #[test]
    fn a_holdout_has_its_share() {
        let outcome = survival(30, 100);
        let plain = holdout(&outcome, how(0.2, false), 1, 0).unwrap();
        assert_eq!((plain.train.len(), plain.held_out.len()), (80, 20));
        let even = holdout(&outcome, how(0.2, true), 1, 0).unwrap();
        assert_eq!(even.held_out.len(), 20);
        assert_eq!(events(&outcome, &even.held_out), 6);
        for (seed, draw) in [(2, 0), (1, 1)] {
            let other = holdout(&outcome, how(0.2, true), seed, draw).unwrap();
            assert_ne!(even, other);
        }
        assert_eq!(held_out_count(7, 0.2), 2);
        assert_eq!(held_out_count(300, 0.2), 60);
    }

    #[test]
    fn folds_tile_the_rows_and_share_the_events() {
        let outcome = survival(13, 52);
        let splits = folds(&outcome, 5, 3).unwrap();
        let mut all: Vec<usize> = splits.iter().flat_map(|s| s.held_out.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..52).collect::<Vec<_>>());
        for split in splits {
            assert!((10..=11).contains(&split.held_out.len()));
            assert!((2..=3).contains(&events(&outcome, &split.held_out)));
            assert_eq!(split.train.len() + split.held_out.len(), 52);
        }
    }

    #[test]
    fn given_folds_are_taken_as_they_are() {
        let response = survival(4, 6);
        let splits = given(&response, &[2, 1, 2, 1, 3, 1]);
        // the third fold has no event
        let problem = splits.unwrap_err().to_string();
        assert!(
            problem.contains("no event among the held-out rows"),
            "{problem}"
        );
        let splits = given(&response, &[2, 1, 2, 1, 2, 1]).unwrap();
        let held_out: Vec<_> = splits.iter().map(|split| split.held_out.clone()).collect();
        assert_eq!(held_out, [[1, 3, 5], [0, 2, 4]]);
        assert_eq!(splits[0].train, [0, 2, 4]);
        for (folds, says) in [
            ([1; 6], "all rows are in fold 1"),
            ([3, 1, 3, 1, 3, 1], "in fold 2"),
        ] {
            let problem = given(&response, &folds).unwrap_err().to_string();
            assert!(problem.contains(says), "{problem}");
        }
    }

    #[test]
    fn draws_come_in_groups_that_leave_rows_to_judge_them() {
        let outcome = survival(40, 96);
        let groups = groups(&outcome, 24, 3).unwrap();
        assert_eq!(groups.len(), 12);
        let drawn = draws(&outcome, 24, 0.25, 3).unwrap();
        assert_eq!(drawn.len(), 24);
        for (k, draw) in drawn.iter().enumerate() {
            let group = &groups[k % 12];
            assert_eq!((draw.train.len(), draw.held_out.len()), (66, 22));
            assert!(draw.train.is_sorted() && draw.held_out.is_sorted());
            let mut rows = [&draw.train[..], &draw.held_out].concat();
            rows.sort_unstable();
            assert_eq!(rows, group.train);
            assert!((9..=10).contains(&events(&outcome, &draw.held_out)));
            // and no two are the same
            assert!(drawn[..k].iter().all(|other| other != draw));
        }
        // no more groups than there are draws, or events to judge them by
        assert_eq!(super::groups(&outcome, 3, 0).unwrap().len(), 3);
        assert_eq!(super::groups(&survival(9, 96), 24, 0).unwrap().len(), 4);
        // a draw is the same whatever comes after it
        assert_eq!(draws(&outcome, 13, 0.25, 3).unwrap(), drawn[..13]);
    }

    #[test]
    fn a_draw_of_very_many_rows_takes_a_part_of_them_in_the_share_of_events() {
        let most = Constants::DEFAULT.most_drawn_rows;
        let response = survival(2 * most / 5, 2 * most);
        let draws = draws(&response, 3, 0.15, 7).unwrap();
        for split in &draws {
            assert_eq!(split.train.len() + split.held_out.len(), most);
            let of_events = |rows: &[usize]| events(&response, rows) as f64 / rows.len() as f64;
            assert!((of_events(&split.train) - 0.2).abs() < 0.01);
            assert!((of_events(&split.held_out) - 0.2).abs() < 0.01);
        }
        assert_ne!(draws[0], draws[1]);
    }

    #[test]
    fn halves_are_complementary_and_share_the_events() {
        for (n, events_in_all) in [(52, 13), (41, 7)] {
            let outcome = survival(events_in_all, n);
            let pair = halves(&outcome, 3, 0).unwrap();
            let mut all = pair.concat();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), n / 2 * 2);
            for half in &pair {
                assert_eq!(half.len(), n / 2);
                assert!(half.is_sorted());
                let share = events(&outcome, half);
                assert!((events_in_all / 2..=events_in_all.div_ceil(2)).contains(&share));
            }
            assert_ne!(pair, halves(&outcome, 3, 1).unwrap());
            assert_ne!(pair, halves(&outcome, 4, 0).unwrap());
        }
        assert!(halves(&survival(1, 10), 0, 0).is_err());
    }

    #[test]
    fn impossible_splits_are_refused() {
        assert!(folds(&survival(5, 10), 11, 0).is_err());
        assert!(folds(&survival(5, 10), 1, 0).is_err());
        assert!(holdout(&survival(5, 10), how(0.95, true), 0, 0).is_err());
        // one event: either side of the split lacks it
        for seed in 0..10 {
            assert!(holdout(&survival(1, 10), how(0.3, false), seed, 0).is_err());
        }
        // but a number that is the same in all rows that are left can be learned
        let constant = Outcome::Continuous(vec![1.0, 1.0, 1.0, 2.0]);
        assert!(folds(&constant.into(), 4, 0).is_ok());
    }
}
