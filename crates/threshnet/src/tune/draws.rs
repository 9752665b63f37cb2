//! The model of many draws: columns selected by frequency, predictions averaged.
//!
//! A draw is a fit with rows held out and starts of its own; each picks its own
//! (ridge, λ). One fit is a lottery: validation on a few rows keeps noise that
//! happens to help them, and a start can lose a column that matters. But noise
//! differs from draw to draw, and what matters does not, so with
//!
//! ```text
//! π̂ⱼ = Σ wₖ over the draws k that select column j / Σ wₖ,     S = { j : π̂ⱼ ≥ τ }
//! ```
//!
//! where wₖ is the share of the null model's loss that draw k explains of the rows it held
//! out, at most what all of the best quarter explain (a draw whose starts went astray
//! explains little, and says little about columns; but a lucky one must not decide alone),
//! S errs less than a draw (after Meinshausen and Bühlmann 2010, JRSS B 72:417–473).
//! The networks of each draw's best ridges are then fitted again on S and all rows, from
//! where they stand; a column one had lost returns with weight zero, and leaves again if that
//! does not change. These networks are the model. One that selected nothing of S has nothing to give, unless S is empty.
//!
//! The rows a draw held out cannot tell how good this model is: other draws learned from
//! them which columns to select. So draws come in groups, each of which leaves a fold of
//! the rows to nobody. What the draws of a group make of the others in the same way, with
//! as many columns as there are in S, is judged on this fold; if it is not better than the
//! null model by a standard error, or in nearly all folds, nothing is selected; a linear model
//! of columns that have no more in common with the outcome than with a shuffled one must show more. The folds also decide how much of the penalties is kept
//! in the last fit: they cost where they shrink what matters, and help where there are many
//! columns for few rows.

use super::Fit;
use super::again::promising;
use super::choose::{choose, gather, mean_over_folds};
use super::held_out::HeldOut;
use super::noise::stands_out;
use super::part::{Part, Scale};
use super::rounds::Planned;
use super::search::{Leader, Search, everything};
use crate::certificate::{Certificate, larger};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::groups::Groups;
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::Settings;
use crate::solver::{Solved, Status};
use crate::split::{Split, groups};
use crate::stability::frequent;
use rayon::prelude::*;

/// Epochs on the selected columns.
const REFIT_EPOCHS: usize = 1000;

/// Networks of a draw that are averaged, each of another ridge and start.
const AVERAGED: usize = 3;

/// No draw weighs more than the last of the best quarter, one in so many.
const BEST_ONE_IN: usize = 4;

/// What its last fit may keep of a draw's penalties.
#[derive(Clone, Copy)]
struct Kept {
    /// The part of its λ.
    lambda: f64,
    /// The part of its ridge, which was chosen for many more columns.
    ridge: f64,
}

impl Kept {
    const fn new(lambda: f64, ridge: f64) -> Self {
        Kept { lambda, ridge }
    }
}

/// All, or no λ and ever less of the ridge: heavy tails of an outcome leave a ridge that
/// many columns need far too large for few.
const KEPT: [Kept; 5] = [
    Kept::new(0.0, 1.0),
    Kept::new(1.0, 1.0),
    Kept::new(0.0, 0.2),
    Kept::new(0.0, 0.03),
    Kept::new(0.0, 0.005),
];

/// So many of these are tried in any case.
const ALWAYS_TRIED: usize = 2;

/// The share of the folds that cannot all have been lucky.
const MOST_FOLDS: f64 = 0.8;

/// Standard errors of a gain that nobody doubts.
const SURE: f64 = 2.0;

/// Without a threshold of the user's, τ is this …
const BASE_THRESHOLD: f64 = 0.25;
/// … or this after a second look, which few columns that matter escape …
const SECOND_THRESHOLD: f64 = 0.4;
/// … plus this, times the share of all columns that a draw selects on average: where
/// draws select many, noise meets itself more often.
const THRESHOLD_SLOPE: f64 = 1.2;
/// But never more than this.
const LARGEST_THRESHOLD: f64 = 0.8;

/// A draw's choice.
struct Pick {
    /// Position in the grid.
    cell: usize,
    leader: Leader,
    /// Position in the leader's path.
    lambda: usize,
    /// The networks of its best ridges, the chosen one first.
    networks: Vec<Averaged>,
    /// On the rows held out.
    loss: f64,
    /// The share of the null model's loss that it explains of them.
    weight: f64,
}

/// A network to be averaged.
struct Averaged {
    /// On the scale of all rows.
    network: Mlp,
    lambda: f64,
    ridge: f64,
}

impl Pick {
    fn network(&self) -> &Mlp {
        &self.networks[0].network
    }
}

impl Averaged {
    fn selects_some_of(&self, columns: &[usize]) -> bool {
        let mut inputs = self.network.inputs.iter();
        inputs.any(|j| columns.binary_search(j).is_ok())
    }
}

/// The draws of a fit, once every one has been searched.
struct Draws<'a> {
    search: Search<'a>,
    picks: Vec<Pick>,
    /// The scale of all rows.
    scale: Scale,
    groups: Groups,
}

/// The loss on a fold that no draw of its group saw, and its weight.
type Fold = (f64, f64);

/// What the groups make of their rows, on the rows they never saw.
struct OnFolds {
    losses: Vec<Fold>,
    held_out: Option<HeldOut>,
}

/// What the folds say.
struct Judged {
    /// What to keep of the penalties.
    kept: Kept,
    /// Of what the groups make of their rows with it.
    made: OnFolds,
    /// Of the null model.
    null: OnFolds,
}

fn mean_loss(folds: &[Fold]) -> f64 {
    mean_over_folds(folds.iter().copied()).0
}

/// Whether these folds lose less than the null model, by a standard error or nearly all of
/// them (a single row can spoil the mean: a Cox model's loss has no bound): what does not
/// on rows it never saw may have been chosen by chance.
fn is_better(folds: &[Fold], null: &[Fold]) -> bool {
    let gains = gains(folds, null);
    let wins = gains.clone().filter(|(gain, _)| *gain > 0.0).count();
    let (mean, se) = mean_over_folds(gains);
    mean > se || wins as f64 >= MOST_FOLDS * folds.len() as f64
}

/// Whether they lose less than the null model beyond doubt. Folds share the rows that are
/// learned from, so they agree more than rows would; with K of them the standard error of
/// what new rows would show is √(1 + K/(K − 1)) times theirs (Nadeau and Bengio 2003,
/// Machine Learning 52:239–281).
fn is_surely_better(folds: &[Fold], null: &[Fold]) -> bool {
    let (mean, se) = mean_over_folds(gains(folds, null));
    let count = folds.len() as f64;
    mean > SURE * se * (1.0 + count / (count - 1.0)).sqrt()
}

fn gains<'a>(folds: &'a [Fold], null: &'a [Fold]) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
    (folds.iter().zip(null)).map(|(&(loss, weight), (null, _))| (null - loss, weight))
}

/// The fit, once every draw has been searched.
pub fn combined(mut search: Search) -> Result<Fit> {
    let (data, settings) = (search.data, search.settings);
    let rows: Vec<usize> = (0..data.n()).collect();
    let scale = Scale::learn(data, &rows, settings);
    let mut picks = picks(&mut search, &scale)?;
    if settings.look_again {
        look_again(&search, &scale, &mut picks)?;
    }
    cap_weights(&mut picks);
    let draws = Draws {
        search,
        picks,
        scale,
        groups: data.features().groups(),
    };
    let frequencies = draws.frequencies(&draws.picks.iter().collect::<Vec<_>>());
    let threshold = (settings.frequency)
        .unwrap_or_else(|| default_threshold(&frequencies, settings.look_again));
    let selected = frequent(&frequencies, threshold);
    let Judged { kept, made, null } = draws.judged(selected.len())?;
    let sure = || is_surely_better(&made.losses, &null.losses) || stands_out(data, settings.seed);
    // (what a network sees no correlation shows)
    let linear = settings.hidden.is_empty();
    let better = is_better(&made.losses, &null.losses) && (!linear || sure());
    let (selected, made) = match better {
        true => (selected, made),
        false => (vec![], null),
    };
    let folds = made.losses;
    let whole = draws.part(everything(data.n()), &selected);
    let (networks, solves) =
        draws.refits(&whole, &whole.usable, draws.picks.iter().collect(), kept)?;
    let Draws {
        search,
        picks,
        scale,
        ..
    } = draws;
    let path = first_path(&search, &picks[0], &scale);
    Ok(Fit {
        model: whole.model(data, networks),
        lambda: median(picks.iter().map(|p| settings.lambdas[p.lambda])),
        ridge: median(picks.iter().map(|p| settings.ridges[p.leader.ridge])),
        cells: gather(&search, 0..picks.len()),
        chosen: picks.iter().map(|pick| pick.cell).collect(),
        validation: mean_over_folds(folds.iter().copied()),
        folds,
        frequencies: Some(of_features(data, &frequencies)),
        threshold: Some(threshold),
        solved: worst(&solves),
        rows,
        held_out: made.held_out,
        contenders: vec![],
        winner: 0,
        baselines: whole.baselines(data, &path),
        path,
    })
}

/// The value that all columns of a feature share.
fn of_features(data: &Dataset, of_columns: &[f64]) -> Vec<f64> {
    let features = data.features();
    (0..features.count())
        .map(|feature| of_columns[features.columns_of(feature).start])
        .collect()
}

/// The path that the first draw chose from, on the scale of all rows.
fn first_path(search: &Search, first: &Pick, scale: &Scale) -> Vec<Step> {
    let own = Scale::learn(search.data, search.training_rows(0), search.settings);
    (first.leader.steps.iter())
        .map(|step| Step {
            network: own.translated(&step.network, scale),
            ..step.clone()
        })
        .collect()
}

/// What each draw chooses on its own rows.
fn picks(search: &mut Search, scale: &Scale) -> Result<Vec<Pick>> {
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
fn look_again(search: &Search, scale: &Scale, picks: &mut [Pick]) -> Result<()> {
    let columns = (picks.par_iter().enumerate())
        .map(|(draw, pick)| {
            let network = &pick.leader.steps[pick.lambda].network;
            promising(&search.part(draw), network)
        })
        .collect();
    let mut again = search.among(columns);
    let all = (0..search.settings.ridges.len()).map(|ridge| Planned { ridge, from: None });
    again.run(&vec![all.collect(); picks.len()])?;
    for (pick, second) in picks.iter_mut().zip(self::picks(&mut again, scale)?) {
        if second.loss < pick.loss {
            *pick = second;
        }
    }
    Ok(())
}

/// Lets no draw weigh more than others of the best.
fn cap_weights(picks: &mut [Pick]) {
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

impl Draws<'_> {
    /// What the groups make of their rows with `size` columns, on the rows they never saw.
    /// Less and less of the ridge is kept as long as that helps.
    fn judged(&self, size: usize) -> Result<Judged> {
        let mut best: Option<(Kept, OnFolds)> = None;
        for (tried, &kept) in KEPT.iter().enumerate() {
            let made = self.folds(size, kept)?;
            let loss = mean_loss(&made.losses);
            // (a fit that diverged has no loss)
            let better = loss.is_finite()
                && (best.as_ref()).is_none_or(|(_, before)| loss < mean_loss(&before.losses));
            if better {
                best = Some((kept, made));
            } else if tried >= ALWAYS_TRIED {
                break;
            }
        }
        let (kept, made) = best.ok_or_else(|| super::diverged(self.search.settings))?;
        Ok(Judged {
            kept,
            made,
            null: self.folds(0, KEPT[0])?,
        })
    }

    /// For every group, what it makes of its rows on those it never saw.
    fn folds(&self, size: usize, kept: Kept) -> Result<OnFolds> {
        let data = self.search.data;
        let groups = groups(data.outcome(), self.picks.len(), self.search.settings.seed)?;
        let scored: Vec<_> = (groups.par_iter().enumerate())
            .map(|(number, split)| {
                let own: Vec<&Pick> = (self.picks.iter().skip(number))
                    .step_by(groups.len())
                    .collect();
                let part = self.part(split.clone(), &self.strongest(&own, size));
                let (networks, _) = self.refits(&part, &part.usable, own, kept)?;
                let loss = (part.score(data, &networks).0, part.weight());
                Ok((loss, part.foretold(data, &networks)))
            })
            .collect::<Result<_>>()?;
        let (losses, foretold) = scored.into_iter().unzip();
        Ok(OnFolds {
            losses,
            held_out: HeldOut::of(data.outcome().task(), foretold),
        })
    }

    /// π̂ of every column over some draws; zero where none of them explains anything.
    fn frequencies(&self, picks: &[&Pick]) -> Vec<f64> {
        let mut frequencies = vec![0.0; self.search.data.d()];
        let total: f64 = picks.iter().map(|pick| pick.weight).sum();
        for pick in picks.iter().filter(|pick| pick.weight > 0.0) {
            for &j in &pick.network().inputs {
                frequencies[j] += pick.weight / total;
            }
        }
        // (a level that a draw's rows lack is no column there)
        self.groups.level(&mut frequencies);
        frequencies
    }

    /// The columns that most of these draws select, so many; of equals the stronger.
    fn strongest(&self, picks: &[&Pick], size: usize) -> Vec<usize> {
        let frequencies = self.frequencies(picks);
        let mut strengths = vec![0.0; frequencies.len()];
        for network in picks.iter().map(|pick| pick.network()) {
            for (&j, norm) in network.inputs.iter().zip(network.norms()) {
                strengths[j] += norm;
            }
        }
        self.groups.level(&mut strengths);
        let mut ranked: Vec<usize> = (0..frequencies.len())
            .filter(|&j| frequencies[j] > 0.0)
            .collect();
        ranked.sort_by(|&a, &b| {
            let by_frequency = frequencies[b].total_cmp(&frequencies[a]);
            by_frequency.then(strengths[b].total_cmp(&strengths[a]))
        });
        ranked.truncate(size);
        self.groups.completed(&ranked)
    }

    /// These rows, with these columns for a network to use.
    fn part(&self, split: Split, selected: &[usize]) -> Part {
        let settings = Settings {
            columns: Some(selected.to_vec()),
            screen: None,
            ..self.search.settings.clone()
        };
        Part::new(self.search.data, split, &settings, true)
    }

    /// The networks of some draws, fitted to these columns of a part's rows.
    fn refits(
        &self,
        part: &Part,
        columns: &[usize],
        picks: Vec<&Pick>,
        kept: Kept,
    ) -> Result<(Vec<Mlp>, Vec<Solved>)> {
        let refitted: Vec<_> = picks
            .into_par_iter()
            .flat_map_iter(|pick| &pick.networks)
            .filter(|of| columns.is_empty() || of.selects_some_of(columns))
            .map(|of| self.refit(part, columns, of, kept))
            .collect();
        if self.search.observer.cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(refitted.into_iter().unzip())
    }

    fn refit(&self, part: &Part, columns: &[usize], of: &Averaged, kept: Kept) -> (Mlp, Solved) {
        let settings = self.search.settings;
        let mut network = (self.scale)
            .translated(&of.network, &part.scale)
            .widened(columns);
        let problem = part.problem(settings, kept.ridge * of.ridge, false);
        let lambda = kept.lambda * of.lambda;
        let observer = self.search.observer;
        let solved =
            (settings.solver).solve(&problem, lambda, &mut network, REFIT_EPOCHS, observer);
        // (a column that came back in vain is no part of it)
        (network.pruned(), solved)
    }
}

/// τ for draws with these frequencies.
fn default_threshold(frequencies: &[f64], looked_again: bool) -> f64 {
    let share = frequencies.iter().sum::<f64>() / frequencies.len() as f64;
    let base = if looked_again {
        SECOND_THRESHOLD
    } else {
        BASE_THRESHOLD
    };
    (base + THRESHOLD_SLOPE * share).min(LARGEST_THRESHOLD)
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
        let at = |shares: &[f64]| default_threshold(shares, false);
        assert!((at(&[0.0; 4]) - 0.25).abs() < 1e-12);
        // two of five columns on average
        assert!((at(&[1.0, 0.5, 0.5, 0.0, 0.0]) - 0.73).abs() < 1e-12);
        assert!((at(&[1.0; 4]) - 0.8).abs() < 1e-12);
        assert!((default_threshold(&[0.0; 4], true) - 0.4).abs() < 1e-12);
    }

    #[test]
    fn one_fold_spoils_no_model_and_makes_none() {
        let folds = |losses: &[f64]| -> Vec<Fold> { losses.iter().map(|&l| (l, 1.0)).collect() };
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
    fn what_is_sure_takes_the_rows_that_folds_share_into_account() {
        let null: Vec<Fold> = vec![(1.0, 1.0); 4];
        // gains m ± s in turns: a standard error of s/√3, times √(1 + 4/3)
        let folds = |m: f64, s: f64| [s, -s, s, -s].map(|g| (1.0 - m - g, 1.0));
        let least = 2.0 * (7.0f64 / 9.0).sqrt() * 0.1;
        assert!(is_surely_better(&folds(1.01 * least, 0.1), &null));
        assert!(!is_surely_better(&folds(0.99 * least, 0.1), &null));
        assert!(is_better(&folds(0.99 * least, 0.1), &null));
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
