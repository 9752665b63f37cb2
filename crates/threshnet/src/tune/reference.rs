//! What all columns together can tell: dense models beside the sparse ones, and everything that was
//! fitted as one ensemble.
//!
//! A ridge and a forest use every column. What they explain of held-out rows and the sparse model
//! does not is the price of its sparsity. The ensemble is the mean of all (`stack.rs`): the sparse
//! models, the draws behind them with columns of their own, the ridge, the forest. All rows are
//! predicted by each member without having been seen: by folds, or by the trees of a forest that
//! did not draw them.

use super::assemble::log_baseline;
use super::contest::Entry;
use super::data_grid::null_lambda;
use super::draws::Bag;
use super::held_out::HeldOut;
use super::jobs::Unreported;
use super::training::Training;
use super::{Constants, Context, Fit, grid, stack};
use crate::columns::usable_columns;
use crate::dataset::{Response, Task};
use crate::error::{Error, Result};
use crate::forest::Forest;
use crate::impute::Chain;
use crate::loss::{Ties, for_response};
use crate::model::{Model, SharedForest};
use crate::network::Mlp;
use crate::penalty::Penalty;
use crate::settings::{Linear, Settings, Validation, log_grid};
use crate::split::most_folds;
use serde::{Deserialize, Serialize};

/// Everything that was fitted, as one predictor.
#[derive(Debug, Clone)]
pub struct Ensemble {
    /// It predicts as any model does; its file is `ensemble.json`.
    pub model: Model,
    /// What it is made of, and what each part counts.
    pub members: Vec<Member>,
    /// What it says of rows that no part of it saw. What the parts count was chosen by these.
    pub held_out: HeldOut,
    /// The same of the dense references alone.
    pub dense: HeldOut,
}

/// A part of an ensemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// What it is.
    pub kind: MemberKind,
    /// What it counts, all together 1.
    pub share: f64,
    /// How many columns it uses.
    pub columns: usize,
}

/// What an ensemble is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberKind {
    /// The network of the selected columns.
    Network,
    /// A linear model of selected columns.
    Linear,
    /// The networks of all draws, each with its own columns.
    NetworkDraws,
    /// The linear models of all draws, each with its own columns.
    LinearDraws,
    /// A ridge of all columns.
    Ridge,
    /// A forest of all columns.
    Forest,
}

/// A part, and what it says of every row.
struct Part {
    kind: MemberKind,
    networks: Vec<Mlp>,
    /// What imputes for them, under multiple imputation.
    chains: Vec<Chain>,
    forest: Option<Forest>,
    held_out: Vec<Vec<f64>>,
}

/// The dense references and the ensemble of all that was fitted.
pub fn ensemble(context: Context, entries: &[Entry]) -> Result<Ensemble> {
    let Context { data, .. } = context;
    let (task, n) = (data.outcome().task(), data.n());
    let mut parts: Vec<Part> = entries
        .iter()
        .flat_map(|entry| sparse_parts(entry, n))
        .collect();
    let sparse = parts.len();
    if let Some(settings) = ridge_settings(context) {
        let ridge = grid::fit(Context {
            settings: &settings,
            observer: &Unreported(context.observer),
            ..context
        })?;
        let of_ridge = ridge.held_out.as_ref().and_then(|said| by_row(said, n));
        parts.extend(of_ridge.map(|held_out| Part {
            kind: MemberKind::Ridge,
            networks: ridge.model.networks.clone(),
            chains: vec![],
            forest: None,
            held_out,
        }));
    }
    parts.push(forest(context)?);
    let said: Vec<Vec<Vec<f64>>> = parts.iter().map(|part| part.held_out.clone()).collect();
    let shares = stack::weights(&said, data.response());
    let dense_shares = stack::weights(&said[sparse..], data.response());
    let mean = stack::weighted_sum(&said, &shares);
    let all_rows = |response| HeldOut::of_all_rows(task, response);
    Ok(Ensemble {
        dense: all_rows(stack::weighted_sum(&said[sparse..], &dense_shares)),
        members: members(&parts, &shares),
        model: model(context, &entries[0].fit.model, parts, &shares, &mean),
        held_out: all_rows(mean),
    })
}

/// The model of an entry, and its draws.
fn sparse_parts(entry: &Entry, n: usize) -> Vec<Part> {
    let (alone, drawn) = match entry.settings.hidden.is_empty() {
        true => (MemberKind::Linear, MemberKind::LinearDraws),
        false => (MemberKind::Network, MemberKind::NetworkDraws),
    };
    let part = |kind, (networks, chains): (&[Mlp], &[Chain]), held_out: Option<&HeldOut>| {
        Some(Part {
            kind,
            networks: networks.to_vec(),
            chains: chains.to_vec(),
            forest: None,
            held_out: by_row(held_out?, n)?,
        })
    };
    let Fit {
        model,
        held_out,
        bag,
        ..
    } = &entry.fit;
    let of_draws = |bag: &Bag| part(drawn, (&bag.networks, &bag.chains), bag.held_out.as_ref());
    let own = (&model.networks[..], model.scaling.fill.chains());
    let own = part(alone, own, held_out.as_ref());
    own.into_iter()
        .chain(bag.as_ref().and_then(of_draws))
        .collect()
}

/// Held-out responses in the order of all rows; none if some row has none.
fn by_row(held_out: &HeldOut, n: usize) -> Option<Vec<Vec<f64>>> {
    let columns = held_out.prediction.columns().iter().map(|unit| {
        let mut all = vec![f64::NAN; n];
        for (&row, &value) in held_out.rows.iter().zip(unit) {
            all[row] = value;
        }
        all.iter().all(|value| value.is_finite()).then_some(all)
    });
    columns.collect()
}

/// Those of a ridge without another penalty, chosen by folds; none where it would take too long.
fn ridge_settings(context: Context) -> Option<Settings> {
    let Context { data, settings, .. } = context;
    let constants = Constants::DEFAULT;
    let (n, d) = (data.n(), data.d());
    if n * d > constants.largest_ridge_cells {
        return None;
    }
    let (ridges, folds) = match n > constants.quick_ridge_rows {
        true => (
            constants.quick_reference_ridges,
            constants.quick_reference_folds,
        ),
        false => (constants.reference_ridges, constants.reference_folds),
    };
    let given = (data.response().folds.as_ref()).and_then(|folds| folds.iter().copied().max());
    let folds = folds.min(most_folds(data.response()));
    let linear = Settings {
        penalty: Penalty::Lasso,
        validation: Validation::folds(given.unwrap_or(folds)),
        refit: true,
        linear: Linear::Leave,
        frequency: None,
        relax: None,
        ..settings.clone()
    }
    .linear();
    let largest = constants.reference_largest_ridge * null_lambda(data, &linear);
    Some(Settings {
        lambdas: vec![0.0],
        ridges: log_grid(
            constants.reference_smallest_ridge * largest,
            largest,
            ridges,
        ),
        first_epochs: constants.reference_epochs,
        epochs: constants.reference_epochs,
        ..linear
    })
}

fn forest(context: Context) -> Result<Part> {
    let Context {
        data,
        settings,
        observer,
        ..
    } = context;
    let rows: Vec<usize> = (0..data.n()).collect();
    let groups = data.features().groups();
    let mut columns = usable_columns(data, &rows);
    columns.retain(|&j| !groups.is_dropped(j));
    if let Some(only) = &settings.columns {
        columns.retain(|&j| groups.is_kept(j) || only.binary_search(&j).is_ok());
    }
    // (like the bins of its columns, what fills their gaps is that of all rows)
    let data = &*data.imputed(&rows);
    let grown = Forest::grow(data, &columns, settings.seed, observer).ok_or(Error::Cancelled)?;
    let (mut forest, mut held_out) = (grown.forest, grown.held_out);
    if data.outcome().task() == Task::Cox {
        let slope = slope(&held_out[0], data.response());
        forest.multiply(slope);
        held_out[0].iter_mut().for_each(|risk| *risk *= slope);
    }
    Ok(Part {
        kind: MemberKind::Forest,
        networks: vec![],
        chains: vec![],
        forest: Some(forest),
        held_out,
    })
}

/// What log-risks are to be multiplied by, so that they are on the scale of a Cox model.
fn slope(risk: &[f64], response: &Response) -> f64 {
    const LARGEST: f64 = 4.0;
    const TRIED: usize = 41;
    let loss = for_response(response, Ties::Breslow);
    let at = |step: usize| LARGEST * step as f64 / (TRIED - 1) as f64;
    let value = |slope: f64| loss.value(&risk.iter().map(|r| slope * r).collect::<Vec<f64>>());
    let best = (0..TRIED).min_by(|&a, &b| value(at(a)).total_cmp(&value(at(b))));
    at(best.expect("some are tried"))
}

fn members(parts: &[Part], shares: &[f64]) -> Vec<Member> {
    let columns = |part: &Part| {
        let mut columns: Vec<usize> = match &part.forest {
            Some(forest) => forest.columns(),
            None => (part.networks.iter())
                .flat_map(|network| network.inputs.iter().copied())
                .collect(),
        };
        columns.sort_unstable();
        columns.dedup();
        columns.len()
    };
    (parts.iter().zip(shares))
        .map(|(part, &share)| Member {
            kind: part.kind,
            share,
            columns: columns(part),
        })
        .collect()
}

/// The parts that count as one model.
fn model(
    context: Context,
    like: &Model,
    parts: Vec<Part>,
    shares: &[f64],
    held_out: &[Vec<f64>],
) -> Model {
    let mut model = Model {
        networks: vec![],
        ..like.clone()
    };
    let mut chains: Vec<Chain> = vec![];
    for (part, &share) in parts.into_iter().zip(shares) {
        let each = share / part.networks.len().max(1) as f64;
        if share > 0.0 {
            model.shares.extend(part.networks.iter().map(|_| each));
            // (the chains of a part are its own: they impute from its columns)
            let first = chains.last().map_or(0, |last| last.number + 1);
            model
                .networks
                .extend(part.networks.into_iter().map(|network| Mlp {
                    chain: network.chain.map(|chain| first + chain),
                    ..network
                }));
            chains.extend(part.chains.into_iter().map(|chain| Chain {
                number: first + chain.number,
                ..chain
            }));
            model.forest = model
                .forest
                .or(part.forest.map(|forest| SharedForest { share, forest }));
        }
    }
    model.scaling.fill = model.scaling.fill.with_chains(chains);
    if model.networks.is_empty() {
        // (a file of a model has a network, be it one that does not count)
        let rows: Vec<usize> = (0..context.data.n()).collect();
        let training = Training::of_columns(context.data, &rows, context.settings, vec![], &[]);
        model.networks.push(training.null(context.settings));
        model.shares.push(0.0);
    }
    // (what it says of rows that it was made of flatters it, and with it the hazard)
    model.baseline = log_baseline(context.data.response(), &held_out[0]);
    model
}
