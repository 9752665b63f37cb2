//! The default protocol, from data to a model.
//!
//! 1. **Draw.** Twelve times, some rows are held out at random, and a path of networks is
//!    traced for every ridge on the others, each from a random start of its own. Draws come in
//!    groups, and each group leaves a fold of the rows to nobody.
//! 2. **Second look.** On wide data, and where a linear model is ahead, each draw looks again at
//!    columns that its best network, or that model, has left out. Those that the residuals speak
//!    for, alone or in pairs, join the ones it selects, and paths are traced on these alone.
//! 3. **Pick.** Each draw picks the (ridge, λ) that predicts its held-out rows best.
//! 4. **Vote.** Each draw votes for the columns it selects, with the weight of what it
//!    explains. Columns with enough votes are selected.
//! 5. **Judge.** The draws of each group are fitted again with as many columns and scored on
//!    the fold that none of them saw. Folds decide how much of the penalties is kept. If they
//!    show no gain over the null model, nothing is selected.
//! 6. **Refit.** The networks of all draws are fitted again on the selected columns and all
//!    rows. Together they are the model: their predictions are averaged.
//! 7. **Contest.** Linear models go through the same steps. One of them takes the network's
//!    place where it predicts clearly better.
//!
//! Every number in this that was tuned is in [`Constants`](super::Constants).

use super::assemble::{baselines, model};
use super::choose::gather;
use super::contest::{Raced, contest};
use super::draws::{
    Bag, Drawn, Draws, Judged, Pick, Refitted, Vote, bag, cap_weights, draw, first_path, judge,
    pick, refit, vote,
};
use super::fold_loss::mean_over_folds;
use super::training::Training;
use super::{Context, Fit, chain_of_draw};
use crate::dataset::{Dataset, Task};
use crate::error::Result;
use crate::path::Step;
use crate::statistics::median;

/// The fit of the default protocol.
pub fn fit(context: Context) -> Result<Fit> {
    contest(context, |context, rival| {
        let mut draws = match draw(context, rival)? {
            Drawn::All(draws) => *draws,
            Drawn::Hopeless(network) => return Ok(Raced::Hopeless(network)),
        };
        let mut picks = pick(&mut draws)?;
        cap_weights(&mut picks);
        let vote = vote(&draws, &picks);
        let judged = judge(&draws, &picks, &vote)?;
        let refitted = refit(&draws, &picks, &judged)?;
        let bag = bag(&draws, &picks)?;
        let steps = Steps {
            draws,
            picks,
            vote,
            judged,
            refitted,
            bag,
        };
        Ok(Raced::Fitted(Box::new(steps.into_fit())))
    })
}

/// What the steps have left.
struct Steps<'a> {
    draws: Draws<'a>,
    picks: Vec<Pick>,
    vote: Vote,
    judged: Judged,
    refitted: Refitted,
    bag: Bag,
}

impl Steps<'_> {
    /// The fit that they make.
    fn into_fit(self) -> Fit {
        let Steps {
            draws,
            picks,
            vote,
            judged,
            refitted,
            bag,
        } = self;
        let Context { data, settings, .. } = draws.paths.context;
        let Refitted {
            training,
            networks,
            solved,
        } = refitted;
        let path = first_path(&draws, &picks[0]);
        Fit {
            model: model(data, &training, networks),
            lambda: median(picks.iter().map(|pick| settings.lambdas[pick.at.lambda])),
            ridge: median(picks.iter().map(|pick| settings.ridges[pick.at.ridge])),
            cells: gather(&draws.paths, 0..picks.len()),
            chosen: picks.iter().map(|pick| pick.at.cell(settings)).collect(),
            validation: mean_over_folds(judged.losses.iter().copied()),
            folds: judged.losses,
            frequencies: Some(of_features(data, &vote.frequencies)),
            threshold: Some(judged.threshold),
            solved,
            rows: (0..data.n()).collect(),
            held_out: judged.held_out,
            draws: picks.iter().map(|pick| pick.loss).collect(),
            bag: Some(bag),
            ensemble: None,
            contenders: vec![],
            winner: 0,
            baselines: baselines_of_path(draws.paths.context, &path),
            path,
        }
    }
}

/// The baseline hazard under every step of a draw's path, on all rows: its networks use columns
/// that the model does not.
fn baselines_of_path(context: Context, path: &[Step]) -> Vec<Vec<(f64, f64)>> {
    let Context { data, settings, .. } = context;
    if data.outcome().task() != Task::Cox {
        return vec![vec![]; path.len()];
    }
    let mut columns: Vec<usize> = (path.iter())
        .flat_map(|step| step.network.inputs.iter().copied())
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let rows: Vec<usize> = (0..data.n()).collect();
    let chain = chain_of_draw(data, 0);
    let training = Training::of_columns(data, &rows, settings, columns, chain.as_slice());
    baselines(data, &training, path)
}

/// The value that all columns of a feature share.
fn of_features(data: &Dataset, of_columns: &[f64]) -> Vec<f64> {
    let features = data.features();
    (0..features.count())
        .map(|feature| of_columns[features.columns_of(feature).start])
        .collect()
}
