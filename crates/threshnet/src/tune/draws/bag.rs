//! The draws as they are, each with its own columns, averaged (Breiman 1996, Machine Learning
//! 24:123–140). That is no sparse model: it uses what any draw uses. It predicts, as a member of the
//! ensemble.

use super::Draws;
use super::pick::Pick;
use crate::error::Result;
use crate::impute::{Chain, impute};
use crate::network::Mlp;
use crate::split::groups;
use crate::tune::held_out::{FoldPrediction, HeldOut};
use crate::tune::score::Fold;
use crate::tune::training::Training;
use crate::tune::{Context, chains_of};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The networks of all draws.
#[derive(Debug, Clone)]
pub struct Bag {
    /// On the scale of all rows.
    pub networks: Vec<Mlp>,
    /// What imputes for them, under multiple imputation.
    pub chains: Vec<Chain>,
    /// What those of each group say of the rows that none of them saw.
    pub held_out: Option<HeldOut>,
}

/// Takes the networks that draws have picked as they are.
pub fn bag(draws: &Draws, picks: &[Pick]) -> Result<Bag> {
    let Context { data, settings, .. } = draws.paths.context;
    let groups = groups(data.response(), picks.len(), settings.seed)?;
    let of_group = |(number, split): (usize, &crate::split::Split)| -> FoldPrediction {
        let own = picks.iter().skip(number).step_by(groups.len());
        let networks: Vec<&Mlp> = own.flat_map(Pick::all).collect();
        let (columns, chains) = (columns_of(&networks), chains_of(networks.iter().copied()));
        let training = Training::of_columns(data, &split.train, settings, columns, &chains);
        let translated: Vec<Mlp> = (networks.into_iter())
            .map(|network| draws.scale.translated(network, &training.scale))
            .collect();
        Fold::new(data, training, &split.held_out, false).predict_held_out(&translated)
    };
    let predictions = groups.par_iter().enumerate().map(of_group).collect();
    let networks: Vec<&Mlp> = picks.iter().flat_map(Pick::all).collect();
    let (rows, columns): (Vec<usize>, _) = ((0..data.n()).collect(), columns_of(&networks));
    let chains = (chains_of(networks.iter().copied()).into_par_iter())
        .map(|chain| impute(data, &rows, &columns, chain, settings.seed).chain)
        .collect();
    Ok(Bag {
        networks: networks.into_iter().cloned().collect(),
        chains,
        held_out: HeldOut::of(data.outcome().task(), predictions),
    })
}

/// The columns that any of these networks uses, ascending.
fn columns_of(networks: &[&Mlp]) -> Vec<usize> {
    let of_networks = networks.iter().flat_map(|network| &network.inputs);
    let columns: BTreeSet<usize> = of_networks.copied().collect();
    columns.into_iter().collect()
}
