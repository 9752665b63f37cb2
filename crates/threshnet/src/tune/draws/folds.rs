//! What draws make of rows that no draw of their group saw, and what that says.

use super::Draws;
use super::pick::Pick;
use super::refit::{KEPT, Kept};
use crate::error::Result;
use crate::split::groups;
use crate::tune::choose::mean_over_folds;
use crate::tune::diverged;
use crate::tune::held_out::HeldOut;
use rayon::prelude::*;

/// The share of the folds that cannot all have been lucky.
const MOST_FOLDS: f64 = 0.8;

/// Standard errors of a gain that nobody doubts.
const SURE: f64 = 2.0;

/// So many of these are tried in any case.
const ALWAYS_TRIED: usize = 2;

/// The loss on a fold that no draw of its group saw, and its weight.
pub type Fold = (f64, f64);

/// What the groups make of their rows, on the rows they never saw.
pub struct OnFolds {
    pub losses: Vec<Fold>,
    pub held_out: Option<HeldOut>,
}

/// What the folds say.
pub struct Judged {
    /// What to keep of the penalties.
    pub kept: Kept,
    /// Of what the groups make of their rows with it.
    pub made: OnFolds,
    /// Of the null model.
    pub null: OnFolds,
}

fn mean_loss(folds: &[Fold]) -> f64 {
    mean_over_folds(folds.iter().copied()).0
}

/// Whether these folds lose less than the null model, by a standard error or nearly all of
/// them (a single row can spoil the mean: a Cox model's loss has no bound): what does not
/// on rows it never saw may have been chosen by chance.
pub fn is_better(folds: &[Fold], null: &[Fold]) -> bool {
    let gains = gains(folds, null);
    let wins = gains.clone().filter(|(gain, _)| *gain > 0.0).count();
    let (mean, se) = mean_over_folds(gains);
    mean > se || wins as f64 >= MOST_FOLDS * folds.len() as f64
}

/// Whether they lose less than the null model beyond doubt. Folds share the rows that are
/// learned from, so they agree more than rows would; with K of them the standard error of
/// what new rows would show is √(1 + K/(K − 1)) times theirs (Nadeau and Bengio 2003,
/// Machine Learning 52:239–281).
pub fn is_surely_better(folds: &[Fold], null: &[Fold]) -> bool {
    let (mean, se) = mean_over_folds(gains(folds, null));
    let count = folds.len() as f64;
    mean > SURE * se * (1.0 + count / (count - 1.0)).sqrt()
}

fn gains<'a>(folds: &'a [Fold], null: &'a [Fold]) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
    (folds.iter().zip(null)).map(|(&(loss, weight), (null, _))| (null - loss, weight))
}

impl Draws<'_> {
    /// What the groups make of their rows with `size` columns, on the rows they never saw.
    /// Less and less of the ridge is kept as long as that helps.
    pub fn judged(&self, size: usize) -> Result<Judged> {
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
        let (kept, made) = best.ok_or_else(|| diverged(self.search.settings))?;
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
