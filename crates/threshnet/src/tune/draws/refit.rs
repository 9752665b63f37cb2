//! The networks of draws, fitted again to the columns that were selected.
//!
//! They start from where they stand; a column one had lost returns with weight zero, and
//! leaves again if that does not change. A network that selected none of the columns has
//! nothing to give, unless there are none.

use super::Draws;
use super::judge::Judged;
use super::pick::{Pick, PickedNetwork};
use crate::certificate::{Certificate, larger};
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::settings::Settings;
use crate::solver::{Solved, Status};
use crate::tune::training::Training;
use crate::tune::{Constants, Context, KeptPenalties, chains_of};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The networks that are the model.
pub struct Refitted {
    /// The rows they were trained on: all.
    pub training: Training,
    pub networks: Vec<Mlp>,
    /// How their solves ended, the worst of every figure.
    pub solved: Solved,
}

/// Fits the networks of all draws to the selected columns and all rows.
pub fn refit(draws: &Draws, picks: &[Pick], judged: &Judged) -> Result<Refitted> {
    let Context { data, settings, .. } = draws.paths.context;
    let rows: Vec<usize> = (0..data.n()).collect();
    let chains = chains_of(picks.iter().flat_map(Pick::all));
    let settings = restricted(settings, &judged.selected);
    let training = Training::new(data, &rows, &settings, &chains);
    let picks: Vec<&Pick> = picks.iter().collect();
    let (networks, solves): (_, Vec<Solved>) =
        (refit_networks(draws, &training, &picks, judged.kept)?.into_iter()).unzip();
    Ok(Refitted {
        training,
        networks,
        solved: worst(&solves),
    })
}

/// The settings of a fit that may use these columns alone.
pub fn restricted(settings: &Settings, columns: &[usize]) -> Settings {
    Settings {
        columns: Some(columns.to_vec()),
        screen: None,
        ..settings.clone()
    }
}

/// The networks of some draws, fitted to the usable columns of these rows.
pub fn refit_networks(
    draws: &Draws,
    training: &Training,
    picks: &[&Pick],
    kept: KeptPenalties,
) -> Result<Vec<(Mlp, Solved)>> {
    let columns = &training.usable;
    let mut starts: Vec<&PickedNetwork> = (picks.iter())
        .flat_map(|pick| &pick.networks)
        .filter(|picked| columns.is_empty() || picked.selects_any(columns))
        .collect();
    if draws.paths.context.settings.draws_choose_together() {
        // (of the same columns, rows, gaps and penalties a linear model is but one)
        let mut known = BTreeSet::new();
        starts.retain(|picked| known.insert(picked.network.chain));
    }
    let refitted: Vec<_> = (starts.into_par_iter())
        .map(|picked| refit_network(draws, training, picked, kept))
        .collect();
    match draws.paths.context.observer.cancelled() {
        true => Err(Error::Cancelled),
        false => Ok(refitted),
    }
}

fn refit_network(
    draws: &Draws,
    training: &Training,
    picked: &PickedNetwork,
    kept: KeptPenalties,
) -> (Mlp, Solved) {
    let Context {
        settings, observer, ..
    } = draws.paths.context;
    let mut network = (draws.scale)
        .translated(&picked.network, &training.scale)
        .widened(&training.usable);
    let problem = training.problem(&network, settings, kept.ridge * picked.ridge, false);
    let lambda = kept.lambda * picked.lambda;
    let epochs = Constants::DEFAULT.refit_epochs;
    let solved = (settings.solver).solve(&problem, lambda, &mut network, epochs, observer);
    // (a column that came back in vain is no part of it)
    (network.pruned(), solved)
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
