//! What the model of the draws is worth, on rows that no draw of a group saw.
//!
//! The rows a draw held out cannot tell how good the model of all draws is: other draws
//! learned from them which columns to select. So draws come in groups, each of which leaves a
//! fold of the rows to nobody. What the draws of a group make of the others, with as many
//! columns as are selected in all, is judged on this fold. How much better than the null model that
//! has to be depends on the columns. Where they are more correlated with the outcome than with a
//! shuffled one, there is something to be found: a linear model stays, and a network if it is ahead
//! by a standard error or in nearly all folds. Where they are not, a linear model has to show a lead
//! that nobody doubts, and a network one in which some folds gain a multiple of what others lose, as
//! where two columns matter only together. Columns that are to stay are in the null
//! model and take a part of the gain, so that what is left for others is small: of these less is
//! asked. The folds also decide how much of the penalties is kept in the last fit: they cost where
//! they shrink what matters, and help where there are many columns for few rows.

use super::Draws;
use super::pick::Pick;
use super::refit::{refit_networks, restricted};
use super::vote::{Vote, most_frequent};
use crate::dataset::Task;
use crate::error::Result;
use crate::network::Mlp;
use crate::split::groups;
use crate::stability::frequent;
use crate::tune::choose::diverged;
use crate::tune::fold_loss::{FoldLoss, differences, mean_over_folds};
use crate::tune::held_out::{FoldPrediction, HeldOut};
use crate::tune::score::Fold;
use crate::tune::training::Training;
use crate::tune::{Constants, Context, KeptPenalties};
use rayon::prelude::*;

/// What the folds decide.
pub struct Judged {
    /// The columns of the model: those of the vote, or those alone that are to stay.
    pub selected: Vec<usize>,
    /// The share of draws from which on a column is selected.
    pub threshold: f64,
    /// What to keep of the penalties.
    pub kept: KeptPenalties,
    /// Of what the groups make of their rows in this way, or of the null model.
    pub losses: Vec<FoldLoss>,
    /// What the same networks predict.
    pub held_out: Option<HeldOut>,
}

/// A selection, and what the groups make of their rows with as many columns, on the rows they
/// never saw.
struct Candidate {
    selected: Vec<usize>,
    threshold: f64,
    kept: KeptPenalties,
    on_folds: OnFolds,
}

struct OnFolds {
    losses: Vec<FoldLoss>,
    held_out: Option<HeldOut>,
}

/// Judges a selection, and decides what of it and of the penalties is kept.
pub fn judge(draws: &Draws, picks: &[Pick], vote: &Vote) -> Result<Judged> {
    let context = draws.paths.context;
    let model = match tries_sizes(context) {
        true => best_size(draws, picks, vote)?,
        false => candidate(draws, picks, vote, vote.threshold)?,
    };
    let null = on_folds(draws, picks, 0, Constants::DEFAULT.kept[0])?;
    let losses = &model.on_folds.losses;
    let asked = Asked {
        is_linear: context.settings.hidden.is_empty(),
        beside_kept: !context.data.features().groups().kept().is_empty(),
        columns_stand_out: context.columns_are_associated(),
    };
    let stays = asked.is_met(losses, &null.losses);
    let Candidate {
        selected,
        threshold,
        kept,
        on_folds,
    } = model;
    let (selected, on_folds) = match stays {
        true => (selected, on_folds),
        false => (context.data.features().groups().kept(), null),
    };
    Ok(Judged {
        selected,
        threshold,
        kept,
        losses: on_folds.losses,
        held_out: on_folds.held_out,
    })
}

/// Whether the folds choose the number of columns, too, and among many penalties: of a linear
/// model, which is fitted in no time, but not of several classes.
fn tries_sizes(context: Context) -> bool {
    let several = context.data.outcome().task() == Task::Multiclass;
    context.settings.draws_choose_together() && !several
}

/// The fewest columns with which the groups predict about as well as with any number of those
/// that are tried: every τ from the usual one up to nearly all draws.
fn best_size(draws: &Draws, picks: &[Pick], vote: &Vote) -> Result<Candidate> {
    let constants = Constants::DEFAULT;
    let given = draws.paths.context.settings.frequency;
    let higher = (constants.linear_thresholds.iter().copied())
        .filter(|&threshold| given.is_none() && threshold > vote.threshold);
    let mut candidates: Vec<Candidate> = vec![];
    for threshold in std::iter::once(vote.threshold).chain(higher) {
        let next = candidate(draws, picks, vote, threshold)?;
        let size = |candidate: &Candidate| candidate.selected.len();
        if candidates
            .last()
            .is_none_or(|last| size(&next) < size(last))
        {
            candidates.push(next);
        }
    }
    let loss = |candidate: &Candidate| mean_loss(&candidate.on_folds.losses);
    let best = (candidates.iter()).min_by(|a, b| loss(a).total_cmp(&loss(b)));
    let best = best.expect("the first is one").on_folds.losses.clone();
    let fewest = candidates.into_iter().rev().find(|candidate| {
        let behind = mean_over_folds(differences(&candidate.on_folds.losses, &best));
        behind.mean <= constants.sparser_within * behind.se
    });
    Ok(fewest.expect("the best is not behind itself"))
}

/// The columns with these frequencies and those that are to stay, with the penalties that are best
/// for as many.
fn candidate(draws: &Draws, picks: &[Pick], vote: &Vote, threshold: f64) -> Result<Candidate> {
    let Context { data, settings, .. } = draws.paths.context;
    let groups = data.features().groups();
    let mut chosen = frequent(&vote.frequencies, threshold);
    chosen.retain(|&j| !groups.is_kept(j));
    if chosen.is_empty() && settings.draws_choose_together() {
        let all: Vec<&Pick> = picks.iter().collect();
        chosen = most_frequent(draws, &all, 1);
        chosen.retain(|&j| !groups.is_kept(j));
    }
    let (kept, on_folds) = best_penalties(draws, picks, chosen.len())?;
    Ok(Candidate {
        selected: groups.with_kept(chosen),
        threshold,
        kept,
        on_folds,
    })
}

/// The penalties with which the groups make the most of their rows with `size` chosen columns.
/// Less and less of the ridge is kept as long as that helps.
fn best_penalties(draws: &Draws, picks: &[Pick], size: usize) -> Result<(KeptPenalties, OnFolds)> {
    let constants = Constants::DEFAULT;
    let (tried_kept, always_tried) = match tries_sizes(draws.paths.context) {
        true => (&constants.linear_kept[..], constants.linear_kept.len()),
        false => (&constants.kept[..], constants.always_tried),
    };
    let mut best: Option<(KeptPenalties, OnFolds)> = None;
    for (tried, &kept) in tried_kept.iter().enumerate() {
        let found = on_folds(draws, picks, size, kept)?;
        let loss = mean_loss(&found.losses);
        // (a fit that diverged has no loss)
        let better = loss.is_finite()
            && (best.as_ref()).is_none_or(|(_, before)| loss < mean_loss(&before.losses));
        if better {
            best = Some((kept, found));
        } else if tried >= always_tried {
            break;
        }
    }
    best.ok_or_else(|| diverged(draws.paths.context.settings))
}

/// What every group makes of its rows with `size` columns, on those it never saw.
fn on_folds(draws: &Draws, picks: &[Pick], size: usize, kept: KeptPenalties) -> Result<OnFolds> {
    let Context { data, settings, .. } = draws.paths.context;
    let groups = groups(data.response(), picks.len(), settings.seed)?;
    let scored: Vec<(FoldLoss, FoldPrediction)> = (groups.par_iter().enumerate())
        .map(|(number, split)| {
            let own: Vec<&Pick> = picks.iter().skip(number).step_by(groups.len()).collect();
            let columns = most_frequent(draws, &own, size);
            let networks: Vec<&Mlp> = own.iter().flat_map(|pick| pick.all()).collect();
            let settings = restricted(settings, &columns);
            let training = Training::for_networks(data, &split.train, &settings, &networks);
            let fold = Fold::new(data, training, &split.held_out, true);
            let refitted = refit_networks(draws, &fold.training, &own, kept)?;
            let networks: Vec<Mlp> = refitted.into_iter().map(|(network, _)| network).collect();
            Ok((fold.loss(&networks), fold.predict_held_out(&networks)))
        })
        .collect::<Result<_>>()?;
    let (losses, predictions) = scored.into_iter().unzip();
    Ok(OnFolds {
        losses,
        held_out: HeldOut::of(data.outcome().task(), predictions),
    })
}

fn mean_loss(folds: &[FoldLoss]) -> f64 {
    mean_over_folds(folds.iter().copied()).mean
}

/// What decides how much a model has to show beside the null model.
struct Asked {
    is_linear: bool,
    /// Whether columns that are to stay are in the null model: they take a part of the gain.
    beside_kept: bool,
    /// Whether columns are more correlated with the outcome than with shuffled ones.
    columns_stand_out: bool,
}

impl Asked {
    fn is_met(&self, folds: &[FoldLoss], null: &[FoldLoss]) -> bool {
        match (self.columns_stand_out, self.is_linear, self.beside_kept) {
            (true, true, _) => true,
            (_, false, true) => is_ahead(folds, null),
            (true, false, false) | (false, true, true) => is_better(folds, null),
            (false, false, false) => is_clearly_better(folds, null),
            (false, true, false) => is_surely_better(folds, null),
        }
    }
}

/// Whether these folds lose less than the null model, by a standard error or nearly all of
/// them (a single row can spoil the mean: a Cox model's loss has no bound): what does not
/// on rows it never saw may have been chosen by chance.
fn is_better(folds: &[FoldLoss], null: &[FoldLoss]) -> bool {
    let gains = differences(null, folds);
    let wins = gains.clone().filter(|gain| gain.loss > 0.0).count();
    let gain = mean_over_folds(gains);
    gain.mean > gain.se || wins as f64 >= Constants::DEFAULT.most_folds * folds.len() as f64
}

/// Whether these folds lose less than the null model on average.
fn is_ahead(folds: &[FoldLoss], null: &[FoldLoss]) -> bool {
    mean_over_folds(differences(null, folds)).mean > 0.0
}

/// Whether these folds lose less than the null model, and what some gain is a multiple of what others
/// lose. Noise gains here and loses there. Where two columns matter only together, folds whose network
/// found them gain much, and those whose network went astray lose little.
fn is_clearly_better(folds: &[FoldLoss], null: &[FoldLoss]) -> bool {
    let sum = |sign: f64| -> f64 {
        let gains = differences(null, folds).map(|gain| gain.weight * (sign * gain.loss).max(0.0));
        gains.sum()
    };
    is_better(folds, null) && sum(1.0) >= Constants::DEFAULT.gained_to_lost * sum(-1.0)
}

/// Whether they lose less than the null model beyond doubt. Folds share the rows that are
/// learned from, so they agree more than rows would; with K of them the standard error of
/// what new rows would show is √(1 + K/(K − 1)) times theirs (Nadeau and Bengio 2003,
/// Machine Learning 52:239–281).
fn is_surely_better(folds: &[FoldLoss], null: &[FoldLoss]) -> bool {
    let gain = mean_over_folds(differences(null, folds));
    let count = folds.len() as f64;
    gain.mean > Constants::DEFAULT.sure * gain.se * (1.0 + count / (count - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(loss: f64) -> FoldLoss {
        FoldLoss { loss, weight: 1.0 }
    }

    #[test]
    fn one_fold_spoils_no_model_and_makes_none() {
        let folds =
            |losses: &[f64]| -> Vec<FoldLoss> { losses.iter().copied().map(fold).collect() };
        let null = folds(&[1.0; 8]);
        assert!(is_better(
            &folds(&[0.7, 0.8, 0.6, 0.7, 0.7, 0.9, 0.8, 9.0]),
            &null
        ));
        assert!(is_better(
            &folds(&[0.2, 0.2, 0.3, 0.2, 1.1, 1.1, 1.1, 0.2]),
            &null
        ));
        assert!(!is_better(
            &folds(&[0.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1]),
            &null
        ));
        assert!(!is_better(&null, &null));
    }

    #[test]
    fn less_is_asked_beside_columns_that_stay() {
        let null = [fold(1.0); 4];
        // gains of m ± 0.1 in turns: a standard error of 0.058, of 0.088 for new rows
        let folds = |m: f64| [0.1, -0.1, 0.1, -0.1].map(|g| fold(1.0 - m - g));
        for (columns_stand_out, is_linear, beside_kept, least) in [
            (false, false, true, 0.0),
            (true, false, true, 0.0),
            (false, true, true, 0.0578),
            (true, false, false, 0.0578),
            (false, false, false, 0.0667),
            (false, true, false, 0.1764),
        ] {
            let asked = Asked {
                is_linear,
                beside_kept,
                columns_stand_out,
            };
            assert!(asked.is_met(&folds(least + 0.001), &null));
            assert!(!asked.is_met(&folds(least - 0.001), &null));
        }
        let shown = Asked {
            is_linear: true,
            beside_kept: false,
            columns_stand_out: true,
        };
        assert!(
            shown.is_met(&folds(-1.0), &null),
            "what is shown needs no folds"
        );
    }

    #[test]
    fn what_is_sure_takes_the_rows_that_folds_share_into_account() {
        let null = [fold(1.0); 4];
        // gains m ± s in turns: a standard error of s/√3, times √(1 + 4/3)
        let folds = |m: f64, s: f64| [s, -s, s, -s].map(|g| fold(1.0 - m - g));
        let least = 2.0 * (7.0f64 / 9.0).sqrt() * 0.1;
        assert!(is_surely_better(&folds(1.01 * least, 0.1), &null));
        assert!(!is_surely_better(&folds(0.99 * least, 0.1), &null));
        assert!(is_better(&folds(0.99 * least, 0.1), &null));
    }
}
