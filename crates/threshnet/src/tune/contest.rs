//! Is non-linearity needed? Linear models, chosen in the same way on the same rows, stand
//! beside the network, or in its place if they predict better: after draws by more
//! than a standard error, for a network averages more of them than a fold can show. With
//! more columns than rows the LASSO has the benefit of the doubt, unless a sparser linear
//! model predicts better still: then few columns matter. Where both are clearly ahead of the
//! network it has this benefit against the sparser one, too: then many matter a little.
//!
//! Linear models come first: their objective is the network's without hidden layers, which can be
//! solved exactly, in a fraction of the time. A network whose first draws are far behind them gets
//! no others. A model without columns wins only where there is no evidence that columns matter.
//!
//! λ comes down from the smallest that selects nothing, and columns enter as they are
//! needed. A concave penalty is at its best where few columns matter; where many do and
//! rows are few, the LASSO predicts better, so it competes too, under several ridges: with a
//! large one near copies of a column share its weight (Zou and Hastie 2005, JRSS B 67:301–320).

use super::data_grid::null_lambda;
use super::fold_loss::{FoldLoss, differences, mean_over_folds};
use super::reference::ensemble;
use super::scale::Scale;
use super::{Constants, Context, Fit, is_wide};
use crate::dataset::{self, Dataset, Task};
use crate::error::Result;
use crate::linear::Descent;
use crate::network::Mlp;
use crate::penalty::Penalty;
use crate::settings::{Linear, Settings, Validation, log_grid};
use crate::solver::{Proximal, Solver};
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

/// A fit that takes part, and what it was fitted with.
pub struct Entry {
    pub settings: Settings,
    pub fit: Fit,
}

/// The best of the linear models, draw by draw.
pub struct Rival {
    /// What it loses on the rows that a draw holds out.
    pub losses: Vec<f64>,
    /// What the draw made of the others.
    networks: Vec<Mlp>,
    /// The scale of these.
    scale: Scale,
}

impl Rival {
    /// What a draw made of its rows, on another scale.
    pub fn on_scale(&self, draw: usize, scale: &Scale) -> Mlp {
        self.scale.translated(&self.networks[draw], scale)
    }
}

/// What comes of the network.
pub enum Raced {
    /// It was fitted.
    Fitted(Box<Fit>),
    /// Its first draws were too far behind the linear models for the others to be made.
    Hopeless(Hopeless),
}

/// What the first draws of a network have shown.
#[derive(Debug, Clone, Copy)]
pub struct Hopeless {
    /// Their loss on the rows they held out.
    pub loss: Estimate,
    /// How much more that is than their rival's.
    pub behind: Estimate,
    /// How many columns they select, rounded.
    pub size: usize,
}

/// Fits linear models and then the network, each in the same way, as far as the settings want
/// them.
pub fn contest(
    context: Context,
    fit_one: impl Fn(Context<'_>, Option<&Rival>) -> Result<Raced>,
) -> Result<Fit> {
    let Context { data, settings, .. } = context;
    let mut entries: Vec<Entry> = vec![];
    for penalty in linear_penalties(settings) {
        let settings = linear(data, settings, penalty);
        let of_linear = Context {
            settings: &settings,
            ..context
        };
        if let Raced::Fitted(fit) = fit_one(of_linear, None)? {
            let fit = *fit;
            entries.push(Entry { settings, fit });
        }
    }
    // (a network that stays whatever linear models show has no rival)
    let rival = rival(data, &entries).filter(|_| settings.linear == Linear::Choose);
    let hopeless = match fit_one(context, rival.as_ref())? {
        Raced::Fitted(fit) => {
            let (settings, fit) = (settings.clone(), *fit);
            entries.insert(0, Entry { settings, fit });
            None
        }
        Raced::Hopeless(network) => Some(network),
    };
    let ensemble = match settings.ensemble {
        true => Some(Box::new(ensemble(context, &entries)?)),
        false => None,
    };
    let contenders = contenders(settings, &entries, hopeless);
    let winner = winner(context, &contenders, &entries);
    let without_network = contenders.len() - entries.len();
    let fit = entries.swap_remove(winner - without_network).fit;
    Ok(Fit {
        contenders: match contenders.len() {
            1 => vec![],
            _ => contenders,
        },
        winner,
        ensemble,
        ..fit
    })
}

/// The linear model that is best on the folds, if there were draws.
fn rival(data: &Dataset, entries: &[Entry]) -> Option<Rival> {
    let drawn = entries.iter().filter(|entry| !entry.fit.draws.is_empty());
    let mean = |entry: &&Entry| entry.fit.validation.mean;
    let best = drawn.min_by(|a, b| mean(a).total_cmp(&mean(b)))?;
    let rows: Vec<usize> = (0..data.n()).collect();
    Some(Rival {
        losses: best.fit.draws.clone(),
        networks: best.fit.bag.as_ref()?.networks.clone(),
        scale: Scale::learn(data, &rows, &best.settings),
    })
}

/// The network and then the linear models.
fn contenders(
    settings: &Settings,
    entries: &[Entry],
    hopeless: Option<Hopeless>,
) -> Vec<Contender> {
    let of_linear = |entry: &Entry, behind| Contender {
        behind,
        hidden: entry.settings.hidden.clone(),
        penalty: entry.settings.penalty,
        validation: entry.fit.validation,
        size: entry.fit.model.selected().len(),
    };
    let Some(network) = hopeless else {
        let folds = &entries[0].fit.folds;
        let beside = |entry| of_linear(entry, difference(&entry.fit, folds));
        return entries.iter().map(beside).collect();
    };
    let ahead = Estimate {
        mean: -network.behind.mean,
        se: network.behind.se,
    };
    let network = Contender {
        behind: Some(Estimate { mean: 0.0, se: 0.0 }),
        hidden: settings.hidden.clone(),
        penalty: settings.penalty,
        validation: network.loss,
        size: network.size,
    };
    let linear = entries.iter().map(|entry| of_linear(entry, Some(ahead)));
    std::iter::once(network).chain(linear).collect()
}

/// Which contender is the model.
fn winner(context: Context, contenders: &[Contender], entries: &[Entry]) -> usize {
    let Context { data, settings, .. } = context;
    if settings.linear != Linear::Choose {
        return 0;
    }
    let wide = is_wide(data, settings);
    let without_network = contenders.len() - entries.len();
    // (what is to stay is selected by nobody)
    let kept = data.features().terms().kept().len();
    let selects = |contender: &Contender| contender.size > kept;
    let must_select = !contenders.iter().all(selects)
        && contenders[1..].iter().any(selects)
        && context.columns_are_associated();
    let may_win = |number: &usize| !must_select || selects(&contenders[*number]);
    let mut best = Some(0).filter(|_| without_network == 0).filter(may_win);
    for number in (1..contenders.len()).filter(may_win) {
        let model = &contenders[number];
        let replaces = match best {
            None => true,
            // (without folds in common there is only what each says of itself)
            Some(0) if model.behind.is_none() => {
                model.validation.mean < contenders[0].validation.mean
            }
            Some(0) => model.may_replace_network(wide, &contenders[..number]),
            Some(winner) => {
                let folds = &entries[winner - without_network].fit.folds;
                let behind = difference(&entries[number - without_network].fit, folds);
                model.may_replace_winner(wide, &contenders[winner], behind)
            }
        };
        if replaces {
            best = Some(number);
        }
    }
    best.unwrap_or(without_network)
}

/// How many λs are solved for in all at most, beside refits and references.
pub fn steps(settings: &Settings) -> usize {
    let (splits, refits) = (settings.validation.splits(), usize::from(settings.refit));
    let looks = if settings.look_again { 2 } else { 1 };
    let network = (looks * splits * settings.ridges.len() + refits) * settings.lambdas.len();
    let constants = Constants::DEFAULT;
    let validation = linear_validation(settings.validation);
    let linear = |penalty: Penalty| {
        let ridges = match validation {
            Validation::Draws { .. } if penalty == Penalty::Lasso => constants.linear_ridges.len(),
            _ => 1,
        };
        (ridges * validation.splits() + refits) * constants.linear_lambdas
    };
    network + (linear_penalties(settings).into_iter().map(linear)).sum::<usize>()
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

/// How many outputs a model has: one, or one for each of several classes.
fn outputs(data: &Dataset) -> usize {
    match data.outcome() {
        dataset::Outcome::Classes {
            classes,
            task: Task::Multiclass,
            ..
        } => classes.len(),
        _ => 1,
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
    let null_lambda = null_lambda(data, &linear);
    let largest = constants.linear_above_null * null_lambda;
    let outputs = outputs(data);
    let many_ridges = penalty == Penalty::Lasso && linear.draws_choose_together() && outputs == 1;
    let (solver, epochs) = match outputs {
        1 => {
            let descent = Descent {
                most_columns: constants.linear_most_columns,
                ..Descent::default()
            };
            (Solver::Descent(descent), linear.epochs)
        }
        // (coordinate descent takes minutes where classes that columns tell apart bend together)
        _ => {
            let proximal = Proximal {
                tolerance: constants.classes_tolerance,
                ..Proximal::default()
            };
            (Solver::Proximal(proximal), constants.classes_epochs)
        }
    };
    let ridges = match many_ridges {
        true => constants
            .linear_ridges
            .map(|share| share * null_lambda)
            .to_vec(),
        false => linear.ridges.clone(),
    };
    let wide = is_wide(data, settings);
    let smallest = match wide {
        true => largest * constants.linear_smallest_wide,
        false => largest * constants.linear_smallest,
    };
    Settings {
        lambdas: log_grid(smallest, largest, constants.linear_lambdas),
        solver,
        first_epochs: epochs,
        epochs,
        ridges,
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
