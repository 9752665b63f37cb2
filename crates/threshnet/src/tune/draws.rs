//! The model of many draws: columns selected by frequency, predictions averaged.
//!
//! A draw is a fit with rows held out and starts of its own; each picks its own
//! (ridge, λ). One fit is a lottery: validation on a few rows keeps noise that
//! happens to help them, and a start can lose a column that matters. But noise
//! differs from draw to draw, and what matters does not, so with
//!
//! ```text
//! π̂ⱼ = share of the draws that select column j,     S = { j : π̂ⱼ ≥ τ }
//! ```
//!
//! S errs less than a draw (after Meinshausen and Bühlmann 2010, JRSS B 72:417–473).
//! Each draw's network is then fitted again on S and its own rows without the group
//! penalty, from where it stands; a column it had lost returns with weight zero. These
//! networks are the model. A draw that selected nothing of S has none to give, unless
//! S is empty.

use super::Fit;
use super::choose::{choose, gather};
use super::part::{Part, translated};
use super::search::{Leader, Search, everything};
use crate::certificate::{Certificate, larger};
use crate::design::usable_columns;
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::solver::{Solved, Status};
use crate::stability::{frequent, shares};
use rayon::prelude::*;

/// Epochs on the selected columns.
const REFIT_EPOCHS: usize = 1000;

/// Without a threshold of the user's, τ is this …
const BASE_THRESHOLD: f64 = 0.3;
/// … plus this, times the share of all columns that a draw selects on average: where
/// draws select many, noise meets itself more often.
const THRESHOLD_SLOPE: f64 = 0.6;
/// But never more than this.
const LARGEST_THRESHOLD: f64 = 0.8;

/// A draw's choice.
struct Pick {
    split: usize,
    /// Position in the grid.
    cell: usize,
    leader: Leader,
    /// Position in the leader's path.
    lambda: usize,
    validation: f64,
}

impl Pick {
    fn network(&self) -> &Mlp {
        &self.leader.steps[self.lambda].network
    }

    fn selects_some_of(&self, columns: &[usize]) -> bool {
        let mut inputs = self.network().inputs.iter();
        inputs.any(|j| columns.binary_search(j).is_ok())
    }
}

/// The fit, once every draw has been searched.
pub fn combined(mut search: Search) -> Result<Fit> {
    let (data, settings) = (search.data, search.settings);
    let picks = picks(&mut search)?;
    let frequencies = shares(
        picks.iter().map(|pick| &pick.network().inputs[..]),
        data.d(),
    );
    let threshold = (settings.frequency).unwrap_or_else(|| default_threshold(&frequencies));
    let selected = frequent(&frequencies, threshold);

    let whole = Part::new(data, everything(data.n()), settings, false);
    let (networks, solves): (Vec<Mlp>, Vec<Solved>) = picks
        .par_iter()
        .filter(|pick| selected.is_empty() || pick.selects_some_of(&selected))
        .map(|pick| refit(&search, pick, &selected, &whole))
        .collect::<Vec<_>>()
        .into_iter()
        .unzip();
    if search.observer.cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(Fit {
        model: whole.model(data, networks),
        lambda: median(picks.iter().map(|p| settings.lambdas[p.lambda])),
        ridge: median(picks.iter().map(|p| settings.ridges[p.leader.ridge])),
        cells: gather(&search, 0..picks.len()),
        chosen: picks.iter().map(|pick| pick.cell).collect(),
        validation: picks.iter().map(|p| p.validation).sum::<f64>() / picks.len() as f64,
        frequencies: Some(frequencies),
        solved: worst(&solves),
        rows: (0..data.n()).collect(),
        path: picks
            .into_iter()
            .next()
            .map_or(vec![], |first| first.leader.steps),
    })
}

/// What each draw chooses on its own rows.
fn picks(search: &mut Search) -> Result<Vec<Pick>> {
    (0..search.splits())
        .map(|split| {
            let cells = gather(search, split..split + 1);
            let cell = choose(&cells, search.settings)?;
            let leader = search.take_leader(split);
            Ok(Pick {
                split,
                cell,
                leader: leader.expect("every draw keeps its best path"),
                lambda: cell % search.settings.lambdas.len(),
                validation: cells[cell].validation_loss,
            })
        })
        .collect()
}

/// τ for draws with these frequencies.
fn default_threshold(frequencies: &[f64]) -> f64 {
    let share = frequencies.iter().sum::<f64>() / frequencies.len() as f64;
    (BASE_THRESHOLD + THRESHOLD_SLOPE * share).min(LARGEST_THRESHOLD)
}

/// A draw's network, fitted to the selected columns of its own training rows and
/// brought to the scale of all rows.
fn refit(search: &Search, pick: &Pick, selected: &[usize], whole: &Part) -> (Mlp, Solved) {
    let settings = search.settings;
    let part = search.part(pick.split);
    // What does not vary in these rows cannot be learned from them.
    let varying = usable_columns(search.data, &part.split.train);
    let varies = |j: &&usize| varying.binary_search(j).is_ok();
    let columns: Vec<usize> = selected.iter().filter(varies).copied().collect();
    let mut network = pick.network().widened(&columns);
    let problem = part.problem(settings, settings.ridges[pick.leader.ridge], false);
    let solver = settings.solver;
    let solved = solver.solve(&problem, 0.0, &mut network, REFIT_EPOCHS, search.observer);
    (translated(&network, &part, whole), solved)
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

/// The worst of every figure.
fn worst(solves: &[Solved]) -> Solved {
    let largest = |of: fn(&Solved) -> f64| solves.iter().map(of).fold(0.0, larger);
    let status = solves.iter().map(|s| s.status).max_by_key(|s| s.severity());
    Solved {
        status: status.unwrap_or(Status::Skipped),
        epochs: solves.iter().map(|s| s.epochs).sum(),
        loss: solves.iter().map(|s| s.loss).sum::<f64>() / solves.len() as f64,
        certificate: Certificate {
            active: largest(|s| s.certificate.active),
            inactive: largest(|s| s.certificate.inactive),
            rest: largest(|s| s.certificate.rest),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_rises_with_what_draws_select_and_has_an_end() {
        let at = |shares: &[f64]| default_threshold(shares);
        assert!((at(&[0.0; 4]) - 0.3).abs() < 1e-12);
        // two of five columns on average
        assert!((at(&[1.0, 0.5, 0.5, 0.0, 0.0]) - 0.54).abs() < 1e-12);
        assert!((at(&[1.0; 4]) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
