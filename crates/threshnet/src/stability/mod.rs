//! Stability selection on complementary half-samples, with a bound on the columns
//! falsely selected (Shah and Samworth 2013, JRSS B 75:55–80).
//!
//! Each of B pairs divides the rows at random into two halves; the fit is run on
//! each of the 2B halves. With
//!
//! ```text
//! π̂ⱼ = share of the 2B halves that select column j,     S = { j : π̂ⱼ ≥ τ },
//! q  = mean number of columns that a half selects,      θ = q/d,
//! ```
//!
//! call a column *unlikely* if a half selects it with a probability of at most θ, as
//! often as a column picked at random. Whatever the fit does, if rows are independent S
//! holds on average at most q²/d/(2τ − 1) unlikely columns (their Theorem 1). That is for
//! the worst of all distributions. Let, for an unlikely column, the share of pairs whose
//! halves both select it and π̂ⱼ have distributions that are r-concave with r = −½ and r = −¼,
//! the values they take (`tail.rs`). Then it is at most
//!
//! ```text
//! d · min( D(θ², 2τ − 1, B, −½),  D(θ, τ, 2B, −¼) )
//! ```
//!
//! which is much less where θ is small. With one mode and no more
//! than that it would be at most C(τ, B)·q²/d with
//!
//! ```text
//! C(τ, B) = 1/(2(2τ − 1 − 1/(2B)))      for ½ + min(θ², 1/(2B) + ¾θ²) < τ ≤ ¾, θ ≤ 1/√3
//!           4(1 − τ + 1/(2B))/(1 + 1/B) for ¾ < τ ≤ 1
//! ```
//!
//! The smallest of the three is used: the first and the last follow from weaker
//! assumptions, so they hold, too. They take q and τ as given; here q is the mean over the
//! same halves, as is usual, and τ follows from it. A column that does not matter is unlikely
//! unless the fit prefers it to most others, such as the neighbour of one that does.

mod tail;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::random::{Purpose, Random};
use crate::settings::{Settings, setting};
use crate::solver::Observer;
use crate::split::halves;
use crate::tune::{fit, splits};
use tail::largest_tail;

/// The fewest pairs for which there is a τ between ½ + 1/B and the largest.
pub const FEWEST_PAIRS: usize = 3;

/// The largest τ that is asked for: beyond it a single half that misses a column would
/// decide too much.
const LARGEST_THRESHOLD: f64 = 0.9;

/// Refuses too few pairs, and what is no number of columns to allow.
pub fn check_bound(pairs: usize, max_false: f64) -> Result<()> {
    setting("stability").check(&pairs)?;
    setting("max_false").check(&max_false)
}

/// Refuses data of which some half, or what is held out of it, cannot be fitted: better
/// before the first half than after most of them.
pub fn check(data: &Dataset, settings: &Settings, pairs: usize) -> Result<()> {
    for number in 0..2 * pairs {
        let (rows, settings) = half(data, settings, number)?;
        let response = data.response().rows(&rows);
        splits(&response, &settings).map_err(in_half)?;
    }
    Ok(())
}

/// The rows of a half-sample and the settings of its fit, which has a seed of its own.
fn half(data: &Dataset, settings: &Settings, number: usize) -> Result<(Vec<usize>, Settings)> {
    let [even, odd] = halves(data.response(), settings.seed, number as u64 / 2)?;
    let rows = if number.is_multiple_of(2) { even } else { odd };
    let seed = Random::new(settings.seed, Purpose::Halves, number as u64, 1).word();
    let settings = Settings {
        seed,
        ..settings.clone()
    };
    Ok((rows, settings))
}

/// What is wrong is so in a half of the rows.
fn in_half(error: Error) -> Error {
    match error {
        Error::Data(problem) => Error::Data(format!("in a half of the rows: {problem}")),
        Error::Setting { name, problem } => {
            Error::setting(name, format!("in a half of the rows: {problem}"))
        }
        other => other,
    }
}

/// The features that the half-sample with this number selects, strongest first, without those
/// that stay anyhow. Numbers 2b and 2b + 1 are the halves of pair b.
pub fn on_half(
    data: &Dataset,
    settings: &Settings,
    number: usize,
    observer: &dyn Observer,
) -> Result<Vec<usize>> {
    let (rows, settings) = half(data, settings, number)?;
    let half = data.subset(&rows).map_err(in_half)?;
    let model = fit(&half, &settings, observer).map_err(in_half)?.model;
    let kept = data.features().terms().kept();
    let mut ranked = model.selected();
    ranked.retain(|feature| !kept.contains(feature));
    ranked.sort_by(|&a, &b| model.norm(b).total_cmp(&model.norm(a)).then(a.cmp(&b)));
    Ok(ranked)
}

/// What came of all halves.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// π̂ⱼ of every column.
    pub frequencies: Vec<f64>,
    /// τ.
    pub threshold: f64,
    /// Of unlikely columns in the selection, on average; at most what was allowed.
    pub bound: f64,
    /// q.
    pub mean_size: f64,
    /// How many columns of a half were counted at most, strongest first; none if all.
    pub counted: Option<usize>,
}

impl Stability {
    /// From what each half selected, strongest first: the smallest τ whose bound is at
    /// most `max_false`. Where the halves select too many columns for any τ up to 0.9,
    /// only the strongest of each are counted.
    pub fn new(ranked: &[Vec<usize>], d: usize, max_false: f64) -> Result<Self> {
        // (a half without its other is no pair)
        let pairs = if ranked.len().is_multiple_of(2) {
            ranked.len() / 2
        } else {
            0
        };
        check_bound(pairs, max_false)?;
        let longest = ranked.iter().map(Vec::len).max().unwrap_or(0);
        let mean_size = |counted: usize| {
            let sizes = ranked.iter().map(|half| half.len().min(counted));
            sizes.sum::<usize>() as f64 / ranked.len() as f64
        };
        let threshold =
            |counted: usize| smallest_threshold(mean_size(counted), d, pairs, max_false);
        // The more are counted, the larger the bound: the most that any τ allows.
        let counts: Vec<usize> = (1..=longest.max(1)).collect();
        let counted = counts.partition_point(|&counted| threshold(counted).is_some());
        if let Some((threshold, bound)) = threshold(counted).filter(|_| counted > 0) {
            return Ok(Stability {
                frequencies: shares(ranked.iter().map(|half| first(half, counted)), d),
                threshold,
                bound,
                mean_size: mean_size(counted),
                counted: (counted < longest).then_some(counted),
            });
        }
        Err(Error::setting(
            "max_false",
            format!(
                "{} pairs of halves cannot show that at most {max_false} of {d} columns is falsely \
                 selected; allow more, or take more pairs",
                ranked.len() / 2
            ),
        ))
    }

    /// The columns with π̂ⱼ ≥ τ, ascending.
    pub fn selected(&self) -> Vec<usize> {
        frequent(&self.frequencies, self.threshold)
    }
}

/// The columns whose share is at least `threshold`, but for rounding, and not 0.
pub fn frequent(shares: &[f64], threshold: f64) -> Vec<usize> {
    (0..shares.len())
        .filter(|&j| shares[j] > 0.0 && shares[j] >= threshold - 1e-9)
        .collect()
}

/// The share of the selections that hold each of `d` columns.
pub fn shares<'a>(selections: impl Iterator<Item = &'a [usize]>, d: usize) -> Vec<f64> {
    let mut counts = vec![0usize; d];
    let mut all = 0;
    for selection in selections {
        all += 1;
        for &j in selection {
            counts[j] += 1;
        }
    }
    let share = |count| count as f64 / all as f64;
    counts.into_iter().map(share).collect()
}

fn first(columns: &[usize], count: usize) -> &[usize] {
    &columns[..columns.len().min(count)]
}

/// The smallest τ = i/(2B) above ½ whose bound is at most `max_false`, and the bound.
fn smallest_threshold(
    mean_size: f64,
    d: usize,
    pairs: usize,
    max_false: f64,
) -> Option<(f64, f64)> {
    // τ = ½ + 1/B is the first that all theorems speak of
    let thresholds: Vec<f64> = (pairs + 2..=2 * pairs)
        .map(|i| i as f64 / (2 * pairs) as f64)
        .take_while(|&threshold| threshold <= LARGEST_THRESHOLD)
        .collect();
    let at = |threshold: f64| bound(threshold, pairs, mean_size, d);
    // The larger τ, the smaller the bound.
    let smallest = thresholds.partition_point(|&threshold| at(threshold) > max_false);
    let threshold = *thresholds.get(smallest)?;
    Some((threshold, at(threshold)))
}

/// How many unlikely columns S holds on average, at most.
pub fn bound(threshold: f64, pairs: usize, mean_size: f64, d: usize) -> f64 {
    let (b, share) = (pairs as f64, mean_size / d as f64);
    let worst = 1.0 / (2.0 * threshold - 1.0);
    let first = 0.5 + (share * share).min(0.5 / b + 0.75 * share * share);
    let unimodal = if share > 1.0 / 3f64.sqrt() || threshold <= first {
        worst
    } else if threshold <= 0.75 {
        1.0 / (2.0 * (2.0 * threshold - 1.0 - 0.5 / b))
    } else {
        4.0 * (1.0 - threshold + 0.5 / b) / (1.0 + 1.0 / b)
    };
    // At least i = 2Bτ of the halves select the column, so both of at least i − B pairs do.
    // With r = −½ and −¼, tails fall like the powers −2 and −4.
    let halves = (2.0 * b * threshold - 1e-9).ceil() as usize;
    let concave = f64::min(
        largest_tail(share * share, halves - pairs, pairs, -2),
        largest_tail(share, halves, 2 * pairs, -4),
    );
    f64::min(worst.min(unimodal) * mean_size * share, concave * d as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::statistics::mean;

    #[test]
    fn the_bounds_of_the_papers_theorems() {
        // q = 40 of 100 columns, 50 pairs: q²/d = 16, and too many for tapering tails to say much
        let at = |threshold| bound(threshold, 50, 40.0, 100);
        let (worst, unimodal) = (16.0 / 0.4, 16.0 / (2.0 * (0.4 - 0.01)));
        assert!(at(0.7) <= unimodal && unimodal < worst);
        // where halves select most columns only the worst case holds
        let many = bound(0.9, 50, 15.0, 20);
        assert!((many - 15.0 * 15.0 / 20.0 / 0.8).abs() < 1e-12);
        // never more than with one mode and no more, and falling with τ
        for (size, d) in [(10.0, 1000), (20.0, 200), (40.0, 100), (5.0, 20)] {
            let q2 = size * size / d as f64;
            for i in 53..=100 {
                let threshold = i as f64 / 100.0;
                let one_mode = if 0.5 + 0.75 * (size / d as f64).powi(2) + 0.01 >= threshold {
                    1.0 / (2.0 * threshold - 1.0)
                } else if i <= 75 {
                    1.0 / (2.0 * (2.0 * threshold - 1.0 - 0.01))
                } else {
                    4.0 * (1.0 - threshold + 0.01) / 1.02
                };
                let found = bound(threshold, 50, size, d);
                assert!(found <= q2 * one_mode + 1e-12, "{size} {d} {threshold}");
                assert!(found <= bound(threshold - 0.01, 50, size, d) + 1e-12);
                assert!(found <= bound(threshold, 50, size + 1.0, d) + 1e-12);
            }
        }
    }

    /// What tapering tails are worth where halves select 20 of 200 columns, and τ is 0.7.
    #[test]
    fn tapering_tails_cut_the_bound_to_a_third() {
        let found = bound(0.7, 50, 20.0, 200);
        let one_mode = 2.0 / (2.0 * (0.4 - 0.01));
        assert!((0.8..0.9).contains(&found), "{found}");
        assert!(found < one_mode / 3.0);
    }

    /// Pure noise on few rows: the columns that correlate most with the outcome on a half
    /// do so on many halves, so some are selected by most of them. No column is likelier
    /// than another, so all are unlikely and the bound speaks of every one.
    #[test]
    fn pure_noise_keeps_within_the_bound() {
        let (n, d, pairs, replicates) = (30, 40, 25, 300);
        let mut random = Random::new(5, Purpose::Simulation, 0, 0);
        for (size, max_false) in [(2usize, 0.5), (5, 1.0), (8, 2.0)] {
            let (mut selected, mut promised) = (0, 0.0);
            for replicate in 0..replicates {
                let mut column = || -> Vec<f64> { (0..n).map(|_| random.normal()).collect() };
                let columns: Vec<Vec<f64>> = (0..d).map(|_| column()).collect();
                let y = Outcome::Continuous(column());
                let response = y.clone().into();
                let ranked: Vec<Vec<usize>> = (0..pairs as u64)
                    .flat_map(|pair| halves(&response, replicate, pair).unwrap())
                    .map(|rows| most_correlated(&columns, &y, &rows)[..size].to_vec())
                    .collect();
                let stability = Stability::new(&ranked, d, max_false).unwrap();
                assert!(stability.bound <= max_false);
                selected += stability.selected().len();
                promised += stability.bound;
            }
            assert!(selected as f64 <= promised, "{selected} {promised}");
            assert!(selected > 0, "a test of nothing: {size} of {d}");
        }
    }

    fn most_correlated(columns: &[Vec<f64>], y: &Outcome, rows: &[usize]) -> Vec<usize> {
        let Outcome::Continuous(y) = y else {
            unreachable!("the outcome is continuous");
        };
        let mean = mean(rows.iter().map(|&i| y[i]));
        let size = |j: usize| -> f64 {
            let products = rows.iter().map(|&i| columns[j][i] * (y[i] - mean));
            products.sum::<f64>().abs()
        };
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        order
    }

    #[test]
    fn what_every_half_selects_is_selected() {
        // columns 3 and 8 always, and one other at random
        let mut random = Random::new(6, Purpose::Simulation, 0, 0);
        let ranked: Vec<Vec<usize>> = (0..40).map(|_| vec![8, 3, 9 + random.below(91)]).collect();
        let stability = Stability::new(&ranked, 100, 1.0).unwrap();
        assert_eq!(stability.selected(), [3, 8]);
        assert_eq!(stability.counted, None);
        assert!((stability.mean_size - 3.0).abs() < 1e-12);
        assert_eq!(stability.frequencies[3], 1.0);
    }

    #[test]
    fn halves_that_select_too_much_are_cut_to_their_strongest() {
        let ranked: Vec<Vec<usize>> = (0..20).map(|_| (0..20).collect()).collect();
        let stability = Stability::new(&ranked, 20, 1.0).unwrap();
        let counted = stability.counted.expect("20 of 20 columns bound nothing");
        assert_eq!(stability.selected(), (0..counted).collect::<Vec<_>>());
        assert!(counted >= 3 && stability.bound <= 1.0);
        // one more would have been too many
        assert!(smallest_threshold(counted as f64 + 1.0, 20, 10, 1.0).is_none());
    }

    #[test]
    fn what_cannot_be_promised_is_refused() {
        let ranked: Vec<Vec<usize>> = (0..8).map(|_| vec![0, 1]).collect();
        assert!(Stability::new(&ranked, 3, 1e-6).is_err());
        assert!(Stability::new(&ranked, 3, 0.0).is_err());
        assert!(Stability::new(&ranked, 3, f64::NAN).is_err());
        assert!(Stability::new(&ranked[..7], 3, 1.0).is_err());
        assert!(Stability::new(&ranked[..4], 3, 1.0).is_err());
        assert!(Stability::new(&ranked[..6], 3, 1.0).is_ok());
        // nothing selected, nothing false
        let none = vec![vec![]; 20];
        let stability = Stability::new(&none, 3, 1.0).unwrap();
        assert!(stability.selected().is_empty());
        assert_eq!(stability.bound, 0.0);
    }
}
