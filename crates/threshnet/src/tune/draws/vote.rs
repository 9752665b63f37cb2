//! Which columns are selected: those that enough draws select.
//!
//! ```text
//! π̂ⱼ = Σ wₖ over the draws k that select column j / Σ wₖ,     S = { j : π̂ⱼ ≥ τ }
//! ```
//!
//! where wₖ is the share of the null model's loss that draw k explains of the rows it held
//! out, at most what all of the best quarter explain (a draw whose starts went astray
//! explains little, and says little about columns; but a lucky one must not decide alone).
//! S errs less than a draw (after Meinshausen and Bühlmann 2010, JRSS B 72:417–473). Where
//! the user gives no τ it is
//!
//! ```text
//! τ = min( base + slope · mean of π̂,  0.8 ),     base = 0.25, or 0.4 after a second look
//! ```
//!
//! Columns that are to stay are selected beside S, whatever the draws say. In τ they count as what
//! they are, selected by every draw.

use super::Draws;
use super::pick::Pick;
use crate::tune::{Constants, Context};

/// What the draws select together.
pub struct Vote {
    /// π̂ of every column.
    pub frequencies: Vec<f64>,
    /// τ.
    pub threshold: f64,
}

/// Lets no draw weigh more than others of the best.
pub fn cap_weights(picks: &mut [Pick]) {
    let mut weights: Vec<f64> = picks.iter().map(|pick| pick.weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let best = (weights.len() / Constants::DEFAULT.best_one_in).max(1);
    for pick in picks {
        pick.weight = pick.weight.min(weights[best - 1]);
    }
}

/// Counts the votes of all draws.
pub fn vote(draws: &Draws, picks: &[Pick]) -> Vote {
    let settings = draws.paths.context.settings;
    let frequencies = frequencies(draws, &picks.iter().collect::<Vec<_>>());
    let threshold = (settings.frequency)
        .unwrap_or_else(|| default_threshold(&frequencies, settings.look_again));
    Vote {
        frequencies,
        threshold,
    }
}

/// π̂ of every column over some draws; zero where none of them explains anything.
fn frequencies(draws: &Draws, picks: &[&Pick]) -> Vec<f64> {
    let Context { data, .. } = draws.paths.context;
    let mut frequencies = vec![0.0; data.d()];
    let total: f64 = picks.iter().map(|pick| pick.weight).sum();
    for pick in picks.iter().filter(|pick| pick.weight > 0.0) {
        for &j in &pick.network().inputs {
            frequencies[j] += pick.weight / total;
        }
    }
    // (shares that are rounded may sum to more than 1)
    frequencies
        .iter_mut()
        .for_each(|share| *share = share.min(1.0));
    // (a level that a draw's rows lack is no column there)
    data.features().groups().level(&mut frequencies);
    frequencies
}

/// The columns that most of these draws select, so many beside those that are to stay; of equals
/// the stronger.
pub fn most_frequent(draws: &Draws, picks: &[&Pick], size: usize) -> Vec<usize> {
    let groups = draws.paths.context.data.features().groups();
    let frequencies = frequencies(draws, picks);
    let mut strengths = vec![0.0; frequencies.len()];
    for network in picks.iter().map(|pick| pick.network()) {
        for (&j, norm) in network.inputs.iter().zip(network.norms()) {
            strengths[j] += norm;
        }
    }
    groups.level(&mut strengths);
    let mut ranked: Vec<usize> = (0..frequencies.len())
        .filter(|&j| frequencies[j] > 0.0 && !groups.is_kept(j))
        .collect();
    ranked.sort_by(|&a, &b| {
        let by_frequency = frequencies[b].total_cmp(&frequencies[a]);
        by_frequency.then(strengths[b].total_cmp(&strengths[a]))
    });
    ranked.truncate(size);
    groups.with_kept(groups.completed(&ranked))
}

/// τ for draws with these frequencies.
fn default_threshold(frequencies: &[f64], second_look: bool) -> f64 {
    let constants = Constants::DEFAULT;
    let share = crate::statistics::mean(frequencies.iter().copied());
    let base = match second_look {
        true => constants.second_look_threshold,
        false => constants.threshold,
    };
    (base + constants.threshold_slope * share).min(constants.largest_threshold)
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
}
