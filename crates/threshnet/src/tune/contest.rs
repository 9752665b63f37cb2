//! Is non-linearity needed? A linear model, chosen in the same way on the same rows,
//! stands beside the network, or in its place if it predicts better: after draws by more
//! than a standard error, for a network averages more of them than a fold can show. With
//! more columns than rows the LASSO has the benefit of the doubt, unless a sparser linear
//! model predicts better still: then few columns matter. Where both are clearly ahead of the
//! network it has this benefit against the sparser one, too: then many matter a little.
//!
//! A linear model's objective is the network's without hidden layers. That one can be solved exactly,
//! so λ comes down from the smallest that selects nothing, and columns enter as they are
//! needed. A concave penalty is at its best where few columns matter; where many do and
//! rows are few, the LASSO predicts better, so it competes too.

use super::data_grid::null_lambda;
use super::fold_loss::{FoldLoss, differences, mean_over_folds};
use super::{Constants, Context, Fit, is_wide};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::penalty::Penalty;
use crate::settings::{Linear, Settings, Validation, log_grid};
use crate::statistics::Estimate;

/// What took part in a contest.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Widths of its hidden layers; none for a linear model.
    pub hidden: Vec<usize>,
    /// Its penalty.
    pub penalty: Penalty,
    /// Its [`Fit::validation`].
    pub validation: Estimate,
    /// How many columns it selects.
    pub size: usize,
    /// How much more it loses than the network on the same folds, if there were draws.
    pub behind: Option<Estimate>,
}

impl Contender {
    /// Whether it may take the place of the network that was asked for: if it loses less by
    /// more than a standard error. With more columns than rows it is the network that has to
    /// show as much against the linear LASSO, if that is the best of the linear models.
    fn may_replace_network(&self, wide: bool, others: &[Contender]) -> bool {
        let mut linear = others.iter().filter(|other| other.is_linear());
        let trusted = wide
            && self.is_lasso()
            && linear.all(|other| self.validation.mean < other.validation.mean);
        match trusted {
            true => self.behind.is_some_and(is_not_clearly_behind),
            false => self.behind.is_some_and(is_clearly_ahead),
        }
    }

    /// Whether it may take the place of a model that has replaced the network, behind which
    /// it is by so much: if it loses less. With more columns than rows it is that model which
    /// has to show that it is ahead of a linear LASSO that could replace the network, too.
    fn may_replace_winner(&self, wide: bool, winner: &Contender, behind: Option<Estimate>) -> bool {
        let trusted = wide && self.is_lasso() && self.behind.is_some_and(is_clearly_ahead);
        self.validation.mean < winner.validation.mean
            || trusted && behind.is_some_and(is_not_clearly_behind)
    }

    fn is_lasso(&self) -> bool {
        self.penalty == Penalty::Lasso
    }

    /// Whether it is a linear model.
    pub fn is_linear(&self) -> bool {
        self.hidden.is_empty()
    }
}

/// How much more one model loses than another on the same folds, if there were draws.
fn difference(fit: &Fit, other: &[FoldLoss]) -> Option<Estimate> {
    (!fit.folds.is_empty()).then(|| mean_over_folds(differences(&fit.folds, other)))
}

fn is_clearly_ahead(behind: Estimate) -> bool {
    behind.mean + behind.se < 0.0
}

fn is_not_clearly_behind(behind: Estimate) -> bool {
    behind.mean - behind.se < 0.0
}

/// Fits the network and what the settings want beside it, each in the same way.
pub fn contest(context: Context, fit_one: impl Fn(Context<'_>) -> Result<Fit>) -> Result<Fit> {
    let Context { data, settings, .. } = context;
    let mut best = fit_one(context)?;
    let wide = is_wide(data, settings);
    let linear: Vec<Settings> = (linear_penalties(settings).into_iter())
        .map(|penalty| linear(data, settings, penalty))
        .collect();
    if linear.is_empty() {
        return Ok(best);
    }
    let network_folds = best.folds.clone();
    let mut contenders = vec![contender(settings, &best, &network_folds)];
    for linear_settings in &linear {
        let fit = fit_one(Context {
            settings: linear_settings,
            ..context
        })?;
        let model = contender(linear_settings, &fit, &network_folds);
        let replaces = match best.winner {
            // (without folds in common there is only what each says of itself)
            0 if model.behind.is_none() => fit.validation.mean < best.validation.mean,
            0 => model.may_replace_network(wide, &contenders),
            winner => {
                let behind = difference(&fit, &best.folds);
                model.may_replace_winner(wide, &contenders[winner], behind)
            }
        };
        contenders.push(model);
        if settings.linear == Linear::Choose && replaces {
            best = Fit {
                winner: contenders.len() - 1,
                ..fit
            };
        }
    }
    Ok(Fit { contenders, ..best })
}

/// How many λs are solved for in all, beside refits.
pub fn steps(settings: &Settings) -> usize {
    let (splits, refits) = (settings.validation.splits(), usize::from(settings.refit));
    let looks = if settings.look_again { 2 } else { 1 };
    let network = (looks * splits * settings.ridges.len() + refits) * settings.lambdas.len();
    let lambdas = Constants::DEFAULT.linear_lambdas;
    let linear = (linear_validation(settings.validation).splits() + refits) * lambdas;
    network + linear_penalties(settings).len() * linear
}

/// The penalties of the linear models that take part.
fn linear_penalties(settings: &Settings) -> Vec<Penalty> {
    match settings.linear {
        _ if settings.hidden.is_empty() => vec![],
        Linear::Leave => vec![],
        Linear::Choose if settings.penalty != Penalty::Lasso => {
            vec![settings.penalty, Penalty::Lasso]
        }
        Linear::Compare | Linear::Choose => vec![settings.penalty],
    }
}

fn contender(settings: &Settings, fit: &Fit, network: &[FoldLoss]) -> Contender {
    Contender {
        behind: difference(fit, network),
        hidden: settings.hidden.clone(),
        penalty: settings.penalty,
        validation: fit.validation,
        size: fit.model.selected().len(),
    }
}

/// More draws, if they have the same groups.
fn linear_validation(validation: Validation) -> Validation {
    let constants = Constants::DEFAULT;
    match validation {
        Validation::Draws { count, share } if count >= constants.most_groups => Validation::Draws {
            count: constants.linear_draws * count,
            share,
        },
        other => other,
    }
}

/// The settings of a linear model that is to be compared with a network of these.
fn linear(data: &Dataset, settings: &Settings, penalty: Penalty) -> Settings {
    let constants = Constants::DEFAULT;
    let linear = Settings {
        ridges: vec![constants.linear_ridge],
        validation: linear_validation(settings.validation),
        ..Settings {
            penalty,
            ..settings.clone()
        }
        .linear()
    };
    let largest = constants.linear_above_null * null_lambda(data, &linear);
    let wide = is_wide(data, settings);
    let smallest = match wide {
        true => largest * constants.linear_smallest_wide,
        false => largest * constants.linear_smallest,
    };
    Settings {
        lambdas: log_grid(smallest, largest, constants.linear_lambdas),
        ..linear
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind_by(mean: f64) -> Option<Estimate> {
        Some(Estimate { mean, se: 0.05 })
    }

    fn linear(penalty: Penalty, loss: f64, behind: f64) -> Contender {
        Contender {
            hidden: vec![],
            penalty,
            validation: Estimate {
                mean: loss,
                se: 0.1,
            },
            size: 5,
            behind: behind_by(behind),
        }
    }

    #[test]
    fn the_lasso_has_the_benefit_of_the_doubt_on_wide_data() {
        let sparse = linear(Penalty::MCP, 1.0, -0.2);
        let replaces = |lasso: Contender, wide: bool, mean: f64| {
            lasso.may_replace_winner(wide, &sparse, behind_by(mean))
        };
        let ahead = || linear(Penalty::Lasso, 1.02, -0.18);
        assert!(replaces(ahead(), true, 0.02));
        assert!(!replaces(ahead(), false, 0.02));
        // the sparse model is ahead by more than a standard error
        assert!(!replaces(ahead(), true, 0.06));
        // it could not have replaced the network itself
        assert!(!replaces(linear(Penalty::Lasso, 1.02, -0.04), true, 0.02));
        assert!(!replaces(linear(Penalty::SCAD, 1.02, -0.18), true, 0.02));
        // what loses less needs no benefit
        assert!(replaces(linear(Penalty::SCAD, 0.99, -0.2), false, -0.01));
    }

    #[test]
    fn a_network_gives_way_to_what_is_clearly_ahead_and_on_wide_data_to_the_best_lasso() {
        let sparse = [linear(Penalty::MCP, 1.1, 0.1)];
        let lasso = |behind: f64| linear(Penalty::Lasso, 1.0 + behind, behind);
        assert!(lasso(-0.06).may_replace_network(false, &sparse));
        assert!(!lasso(-0.04).may_replace_network(false, &sparse));
        assert!(lasso(0.04).may_replace_network(true, &sparse));
        assert!(!lasso(0.06).may_replace_network(true, &sparse));
        let better = [linear(Penalty::MCP, 1.0, 0.0)];
        assert!(!lasso(0.04).may_replace_network(true, &better));
    }
}
