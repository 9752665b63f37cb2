//! The model of many draws: columns selected by frequency, predictions averaged.
//!
//! A draw is a fit with rows held out and starts of its own; each picks its own
//! (ridge, λ). One fit is a lottery: validation on a few rows keeps noise that
//! happens to help them, and a start can lose a column that matters. But noise
//! differs from draw to draw, and what matters does not, so with
//!
//! ```text
//! π̂ⱼ = Σ wₖ over the draws k that select column j / Σ wₖ,     S = { j : π̂ⱼ ≥ τ }
//! ```
//!
//! where wₖ is the share of the null model's loss that draw k explains of the rows it held
//! out, at most what all of the best quarter explain (a draw whose starts went astray
//! explains little, and says little about columns; but a lucky one must not decide alone),
//! S errs less than a draw (after Meinshausen and Bühlmann 2010, JRSS B 72:417–473).
//! The networks of each draw's best ridges are then fitted again on S and all rows, from
//! where they stand; a column one had lost returns with weight zero, and leaves again if that
//! does not change. These networks are the model. One that selected nothing of S has nothing to give, unless S is empty.
//!
//! The rows a draw held out cannot tell how good this model is: other draws learned from
//! them which columns to select. So draws come in groups, each of which leaves a fold of
//! the rows to nobody. What the draws of a group make of the others in the same way, with
//! as many columns as there are in S, is judged on this fold; if it is not better than the
//! null model by a standard error, or in nearly all folds, nothing is selected; a linear model
//! of columns that have no more in common with the outcome than with a shuffled one must show more. The folds also decide how much of the penalties is kept
//! in the last fit: they cost where they shrink what matters, and help where there are many
//! columns for few rows.

mod folds;
mod pick;
mod refit;

use super::Fit;
use super::choose::{gather, mean_over_folds};
use super::noise::stands_out;
use super::part::Scale;
use super::search::{Search, everything};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::groups::Groups;
use crate::stability::frequent;
use folds::{Judged, is_better, is_surely_better};
use pick::{Pick, cap_weights, first_path, look_again, picks};
use refit::worst;

/// Without a threshold of the user's, τ is this …
const BASE_THRESHOLD: f64 = 0.25;
/// … or this after a second look, which few columns that matter escape …
const SECOND_THRESHOLD: f64 = 0.4;
/// … plus this, times the share of all columns that a draw selects on average: where
/// draws select many, noise meets itself more often.
const THRESHOLD_SLOPE: f64 = 1.2;
/// But never more than this.
const LARGEST_THRESHOLD: f64 = 0.8;

/// The draws of a fit, once every one has been searched.
struct Draws<'a> {
    search: Search<'a>,
    picks: Vec<Pick>,
    /// The scale of all rows.
    scale: Scale,
    groups: Groups,
}

/// The fit, once every draw has been searched.
pub fn combined(mut search: Search) -> Result<Fit> {
    let (data, settings) = (search.data, search.settings);
    let rows: Vec<usize> = (0..data.n()).collect();
    let scale = Scale::learn(data, &rows, settings);
    let mut picks = picks(&mut search, &scale)?;
    if settings.look_again {
        look_again(&search, &scale, &mut picks)?;
    }
    cap_weights(&mut picks);
    let draws = Draws {
        search,
        picks,
        scale,
        groups: data.features().groups(),
    };
    let frequencies = draws.frequencies(&draws.picks.iter().collect::<Vec<_>>());
    let threshold = (settings.frequency)
        .unwrap_or_else(|| default_threshold(&frequencies, settings.look_again));
    let selected = frequent(&frequencies, threshold);
    let Judged { kept, made, null } = draws.judged(selected.len())?;
    let sure = || is_surely_better(&made.losses, &null.losses) || stands_out(data, settings.seed);
    // (what a network sees no correlation shows)
    let linear = settings.hidden.is_empty();
    let better = is_better(&made.losses, &null.losses) && (!linear || sure());
    let (selected, made) = match better {
        true => (selected, made),
        false => (vec![], null),
    };
    let folds = made.losses;
    let whole = draws.part(everything(data.n()), &selected);
    let (networks, solves) =
        draws.refits(&whole, &whole.usable, draws.picks.iter().collect(), kept)?;
    let Draws {
        search,
        picks,
        scale,
        ..
    } = draws;
    let path = first_path(&search, &picks[0], &scale);
    Ok(Fit {
        model: whole.model(data, networks),
        lambda: median(picks.iter().map(|p| settings.lambdas[p.lambda])),
        ridge: median(picks.iter().map(|p| settings.ridges[p.leader.ridge])),
        cells: gather(&search, 0..picks.len()),
        chosen: picks.iter().map(|pick| pick.cell).collect(),
        validation: mean_over_folds(folds.iter().copied()),
        folds,
        frequencies: Some(of_features(data, &frequencies)),
        threshold: Some(threshold),
        solved: worst(&solves),
        rows,
        held_out: made.held_out,
        contenders: vec![],
        winner: 0,
        baselines: whole.baselines(data, &path),
        path,
    })
}

/// The value that all columns of a feature share.
fn of_features(data: &Dataset, of_columns: &[f64]) -> Vec<f64> {
    let features = data.features();
    (0..features.count())
        .map(|feature| of_columns[features.columns_of(feature).start])
        .collect()
}

impl Draws<'_> {
    /// π̂ of every column over some draws; zero where none of them explains anything.
    fn frequencies(&self, picks: &[&Pick]) -> Vec<f64> {
        let mut frequencies = vec![0.0; self.search.data.d()];
        let total: f64 = picks.iter().map(|pick| pick.weight).sum();
        for pick in picks.iter().filter(|pick| pick.weight > 0.0) {
            for &j in &pick.network().inputs {
                frequencies[j] += pick.weight / total;
            }
        }
        // (a level that a draw's rows lack is no column there)
        self.groups.level(&mut frequencies);
        frequencies
    }

    /// The columns that most of these draws select, so many; of equals the stronger.
    fn strongest(&self, picks: &[&Pick], size: usize) -> Vec<usize> {
        let frequencies = self.frequencies(picks);
        let mut strengths = vec![0.0; frequencies.len()];
        for network in picks.iter().map(|pick| pick.network()) {
            for (&j, norm) in network.inputs.iter().zip(network.norms()) {
                strengths[j] += norm;
            }
        }
        self.groups.level(&mut strengths);
        let mut ranked: Vec<usize> = (0..frequencies.len())
            .filter(|&j| frequencies[j] > 0.0)
            .collect();
        ranked.sort_by(|&a, &b| {
            let by_frequency = frequencies[b].total_cmp(&frequencies[a]);
            by_frequency.then(strengths[b].total_cmp(&strengths[a]))
        });
        ranked.truncate(size);
        self.groups.completed(&ranked)
    }
}

/// τ for draws with these frequencies.
fn default_threshold(frequencies: &[f64], looked_again: bool) -> f64 {
    let share = frequencies.iter().sum::<f64>() / frequencies.len() as f64;
    let base = if looked_again {
        SECOND_THRESHOLD
    } else {
        BASE_THRESHOLD
    };
    (base + THRESHOLD_SLOPE * share).min(LARGEST_THRESHOLD)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_rises_with_what_draws_select_and_has_an_end() {
        let at = |shares: &[f64]| default_threshold(shares, false);
        assert!((at(&[0.0; 4]) - 0.25).abs() < 1e-12);
        // two of five columns on average
        assert!((at(&[1.0, 0.5, 0.5, 0.0, 0.0]) - 0.73).abs() < 1e-12);
        assert!((at(&[1.0; 4]) - 0.8).abs() < 1e-12);
        assert!((default_threshold(&[0.0; 4], true) - 0.4).abs() < 1e-12);
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
