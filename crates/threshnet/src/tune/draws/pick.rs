//! What a draw picks, by the rows it held out.

use super::Draws;
use crate::error::Result;
use crate::network::Mlp;
use crate::path::Step;
use crate::tune::choose::{GridPoint, choose, gather};
use crate::tune::jobs::{Leader, Paths};
use crate::tune::scale::Scale;
use crate::tune::{Cell, Constants, Context};

/// A draw's choice.
pub struct Pick {
    /// Where it is in the grid.
    pub at: GridPoint,
    /// The path that it is a step of.
    pub leader: Leader,
    /// The networks of its best ridges, the chosen one first.
    pub networks: Vec<PickedNetwork>,
    /// On the rows held out.
    pub loss: f64,
    /// The share of the null model's loss that it explains of them.
    pub weight: f64,
}

/// A network to be averaged.
pub struct PickedNetwork {
    /// On the scale of all rows.
    pub network: Mlp,
    pub lambda: f64,
    pub ridge: f64,
}

impl Pick {
    /// The chosen network.
    pub fn network(&self) -> &Mlp {
        &self.networks[0].network
    }

    /// All of its networks.
    pub fn all(&self) -> impl Iterator<Item = &Mlp> {
        self.networks.iter().map(|picked| &picked.network)
    }
}

impl PickedNetwork {
    /// Whether it selects any of these columns.
    pub fn selects_any(&self, columns: &[usize]) -> bool {
        let mut inputs = self.network.inputs.iter();
        inputs.any(|j| columns.binary_search(j).is_ok())
    }
}

/// What each draw picks; its networks are brought to a common scale.
pub fn pick(paths: &mut Paths, scale: &Scale) -> Result<Vec<Pick>> {
    match paths.context.settings.draws_choose_together() {
        true => pick_together(paths, scale),
        false => (0..paths.splits())
            .map(|draw| pick_alone(paths, draw, scale))
            .collect(),
    }
}

/// By the rows that all draws hold out.
fn pick_together(paths: &mut Paths, scale: &Scale) -> Result<Vec<Pick>> {
    let Context { data, settings, .. } = paths.context;
    let mut cells = gather(paths, 0..paths.splits());
    // (what is to stay is selected by nobody)
    let groups = data.features().groups();
    let kept = groups.divide(&groups.kept()).groups.len() as f64;
    let selects = |cell: &Cell| cell.size >= kept + 1.0 && cell.validation_loss.is_finite();
    if cells.iter().any(selects) && paths.context.columns_are_associated() {
        // (where columns matter, the choice is among models that have some)
        for cell in cells.iter_mut().filter(|cell| !selects(cell)) {
            cell.validation_loss = f64::NAN;
        }
    }
    let cell = choose(&cells, settings)?;
    let at = GridPoint::of_cell(cell, settings);
    let losses: Vec<f64> = (paths.traced(at.ridge, 0..paths.splits()).iter())
        .map(|traced| traced.points[at.lambda].validation.mean)
        .collect();
    let picks = (0..paths.splits()).map(|draw| {
        let leader = paths.take_path(draw, at.ridge);
        let network = &leader.steps[at.lambda].network;
        let network = scale_of(paths, draw, [network]).translated(network, scale);
        Pick {
            at,
            networks: vec![PickedNetwork {
                network,
                lambda: settings.lambdas[at.lambda],
                ridge: settings.ridges[at.ridge],
            }],
            loss: losses[draw],
            // (they differ in nothing but their rows)
            weight: 1.0,
            leader,
        }
    });
    Ok(picks.collect())
}

/// By the rows that it holds out.
pub fn pick_alone(paths: &mut Paths, draw: usize, scale: &Scale) -> Result<Pick> {
    let settings = paths.context.settings;
    let cells = gather(paths, draw..draw + 1);
    let cell = choose(&cells, settings)?;
    let loss = cells[cell].validation_loss;
    let leader = paths.take_leader(draw);
    let leader = leader.expect("every draw keeps its best path");
    let at = GridPoint::of_cell(cell, settings);
    let best = paths.best_networks(draw);
    let networks = best.iter().map(|best| &best.network);
    let chosen = &leader.steps[at.lambda].network;
    let own = scale_of(paths, draw, networks.chain([chosen]));
    let picked = |network: &Mlp, at: GridPoint| PickedNetwork {
        network: own.translated(network, scale),
        lambda: settings.lambdas[at.lambda],
        ridge: settings.ridges[at.ridge],
    };
    let chosen = picked(chosen, at);
    let others = (best.into_iter())
        .filter(|best| best.at.ridge != at.ridge)
        .map(|best| picked(&best.network, best.at));
    Ok(Pick {
        at,
        networks: std::iter::once(chosen)
            .chain(others)
            .take(Constants::DEFAULT.averaged)
            .collect(),
        loss,
        weight: explained(paths.null_loss(draw), loss),
        leader,
    })
}

/// The path that the first draw picked from, on the scale of all rows.
pub fn first_path(draws: &Draws, first: &Pick) -> Vec<Step> {
    let networks = first.leader.steps.iter().map(|step| &step.network);
    let own = scale_of(&draws.paths, 0, networks);
    (first.leader.steps.iter())
        .map(|step| Step {
            network: own.translated(&step.network, &draws.scale),
            ..step.clone()
        })
        .collect()
}

/// The scale of a draw's training rows, as far as these networks need it.
fn scale_of<'a>(paths: &Paths, draw: usize, networks: impl IntoIterator<Item = &'a Mlp>) -> Scale {
    let Context { data, settings, .. } = paths.context;
    let inputs = networks.into_iter().flat_map(|network| &network.inputs);
    let mut columns: Vec<usize> = inputs.copied().collect();
    columns.sort_unstable();
    columns.dedup();
    Scale::learn_among(data, paths.training_rows(draw), settings, columns)
}

/// The share of the null model's loss that a loss is below it.
fn explained(null: f64, loss: f64) -> f64 {
    // (a loss below 0 cannot be: it is a sum of squares or of negative logs)
    ((null - loss) / null).max(0.0)
}
