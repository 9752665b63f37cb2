//! What a draw chooses, by the rows it held out.

use crate::error::Result;
use crate::network::Mlp;
use crate::path::Step;
use crate::tune::again::promising;
use crate::tune::choose::{choose, gather};
use crate::tune::part::Scale;
use crate::tune::search::{Leader, Search};
use rayon::prelude::*;

/// Networks of a draw that are averaged, each of another ridge and start.
const AVERAGED: usize = 3;

/// No draw weighs more than the last of the best quarter, one in so many.
const BEST_ONE_IN: usize = 4;

/// A draw's choice.
pub struct Pick {
    /// Position in the grid.
    pub cell: usize,
    pub leader: Leader,
    /// Position in the leader's path.
    pub lambda: usize,
    /// The networks of its best ridges, the chosen one first.
    pub networks: Vec<Averaged>,
    /// On the rows held out.
    loss: f64,
    /// The share of the null model's loss that it explains of them.
    pub weight: f64,
}

/// A network to be averaged.
pub struct Averaged {
    /// On the scale of all rows.
    pub network: Mlp,
    pub lambda: f64,
    pub ridge: f64,
}

impl Pick {
    pub fn network(&self) -> &Mlp {
        &self.networks[0].network
    }
}

impl Averaged {
    pub fn selects_some_of(&self, columns: &[usize]) -> bool {
        let mut inputs = self.network.inputs.iter();
        inputs.any(|j| columns.binary_search(j).is_ok())
    }
}

/// The path that the first draw chose from, on the scale of all rows.
pub fn first_path(search: &Search, first: &Pick, scale: &Scale) -> Vec<Step> {
    let own = Scale::learn(search.data, search.training_rows(0), search.settings);
    (first.leader.steps.iter())
        .map(|step| Step {
            network: own.translated(&step.network, scale),
            ..step.clone()
        })
        .collect()
}

/// What each draw chooses on its own rows.
pub fn picks(search: &mut Search, scale: &Scale) -> Result<Vec<Pick>> {
    (0..search.splits())
        .map(|draw| {
            let cells = gather(search, draw..draw + 1);
            let cell = choose(&cells, search.settings)?;
            let lambda = cell % search.settings.lambdas.len();
            let leader = search.take_leader(draw);
            let leader = leader.expect("every draw keeps its best path");
            let settings = search.settings;
            let own = Scale::learn(search.data, search.training_rows(draw), settings);
            let averaged = |network: &Mlp, (ridge, lambda): (usize, usize)| Averaged {
                network: own.translated(network, scale),
                lambda: settings.lambdas[lambda],
                ridge: settings.ridges[ridge],
            };
            let chosen = averaged(&leader.steps[lambda].network, (leader.ridge, lambda));
            let others = (search.best_of(draw).into_iter())
                .filter(|(ridge, _)| *ridge != leader.ridge)
                .map(|(ridge, best)| averaged(&best.network, (ridge, best.lambda)));
            Ok(Pick {
                cell,
                lambda,
                networks: std::iter::once(chosen)
                    .chain(others)
                    .take(AVERAGED)
                    .collect(),
                loss: cells[cell].validation_loss,
                weight: explained(search, draw, cells[cell].validation_loss),
                leader,
            })
        })
        .collect()
}

/// Gives every draw a second look, and what came of it where that is better.
pub fn look_again(search: &Search, scale: &Scale, picks: &mut [Pick]) -> Result<()> {
    let columns = (picks.par_iter().enumerate())
        .map(|(draw, pick)| {
            let network = &pick.leader.steps[pick.lambda].network;
            promising(&search.part(draw), network)
        })
        .collect();
    let mut again = search.among(columns);
    let all = (0..search.settings.ridges.len()).collect();
    again.run(&vec![all; picks.len()])?;
    for (pick, second) in picks.iter_mut().zip(self::picks(&mut again, scale)?) {
        if second.loss < pick.loss {
            *pick = second;
        }
    }
    Ok(())
}

/// Lets no draw weigh more than others of the best.
pub fn cap_weights(picks: &mut [Pick]) {
    let mut weights: Vec<f64> = picks.iter().map(|pick| pick.weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let most = weights[(weights.len() / BEST_ONE_IN).max(1) - 1];
    for pick in picks {
        pick.weight = pick.weight.min(most);
    }
}

/// The share of the null model's loss that a loss is below it.
fn explained(search: &Search, draw: usize, loss: f64) -> f64 {
    let null = search.null_loss(draw);
    // (a loss below 0 cannot be: it is a sum of squares or of negative logs)
    ((null - loss) / null).max(0.0)
}
