//! The draws as they are, each with its own columns, averaged (Breiman 1996, Machine Learning
//! 24:123–140). That is no sparse model: it uses what any draw uses. It predicts, as a member of the
//! ensemble.

use super::Draws;
use super::pick::Pick;
use crate::error::Result;
use crate::network::Mlp;
use crate::split::groups;
use crate::tune::Context;
use crate::tune::held_out::{FoldPrediction, HeldOut};
use crate::tune::score::Fold;
use crate::tune::training::Training;
use rayon::prelude::*;

/// The networks of all draws.
#[derive(Debug, Clone)]
pub struct Bag {
    /// On the scale of all rows.
    pub networks: Vec<Mlp>,
    /// What those of each group say of the rows that none of them saw.
    pub held_out: Option<HeldOut>,
}

/// Takes the networks that draws have picked as they are.
pub fn bag(draws: &Draws, picks: &[Pick]) -> Result<Bag> {
    let Context { data, settings, .. } = draws.paths.context;
    let groups = groups(data.response(), picks.len(), settings.seed)?;
    let of_group = |(number, split): (usize, &crate::split::Split)| -> FoldPrediction {
        let own = picks.iter().skip(number).step_by(groups.len());
        let networks: Vec<&Mlp> = own.flat_map(networks_of).collect();
        let mut columns: Vec<usize> = (networks.iter())
            .flat_map(|network| network.inputs.iter().copied())
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let training = Training::of_columns(data, &split.train, settings, columns);
        let translated: Vec<Mlp> = (networks.into_iter())
            .map(|network| draws.scale.translated(network, &training.scale))
            .collect();
        Fold::new(data, training, &split.held_out, false).predict_held_out(&translated)
    };
    let predictions = groups.par_iter().enumerate().map(of_group).collect();
    Ok(Bag {
        networks: picks.iter().flat_map(networks_of).cloned().collect(),
        held_out: HeldOut::of(data.outcome().task(), predictions),
    })
}

fn networks_of(pick: &Pick) -> impl Iterator<Item = &Mlp> {
    pick.networks.iter().map(|picked| &picked.network)
}
