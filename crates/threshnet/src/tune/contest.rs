//! Is non-linearity needed? A linear model, chosen in the same way on the same rows,
//! stands beside the network, or in its place if it predicts better: after draws by more
//! than a standard error, for a network averages more of them than a fold can show. With
//! more columns than rows the LASSO has the benefit of the doubt.
//!
//! Its objective is the network's without hidden layers. That one can be solved exactly,
//! so λ comes down from the smallest that selects nothing, and columns enter as they are
//! needed. A concave penalty is at its best where few columns matter; where many do and
//! rows are few, the LASSO predicts better, so it competes too.

use super::choose::mean_over_folds;
use super::part::Part;
use super::search::everything;
use super::{Fit, tuned};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::network::{Mlp, Shape};
use crate::path::Direction;
use crate::penalty::Penalty;
use crate::settings::{Linear, Settings, Validation, log_grid};
use crate::solver::{Observer, Proximal, Solver, Unobserved};
use crate::split::MOST_GROUPS;

/// λs of a linear path.
const LAMBDAS: usize = 30;
/// The largest, as a multiple of the smallest λ that selects nothing from all rows: some
/// rows may tell more than all.
const ABOVE_NULL: f64 = 1.25;
/// The smallest, as a part of the largest: with fewer rows than columns, and with more.
const SMALLEST: (f64, f64) = (0.05, 0.005);
/// A ridge that keeps correlated columns from growing against each other.
const RIDGE: f64 = 1e-3;
/// For every draw of the network so many of a linear model, which has but one ridge.
const MORE_DRAWS: usize = 3;
/// Certificate and epochs of a linear fit: validation sees no more.
const TOLERANCE: f64 = 1e-3;
const EPOCHS: usize = 50;

/// What took part in a contest.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Widths of its hidden layers; none for a linear model.
    pub hidden: Vec<usize>,
    /// Its penalty.
    pub penalty: Penalty,
    /// Its [`Fit::validation`].
    pub validation: (f64, f64),
    /// How many columns it selects.
    pub size: usize,
    /// (mean, standard error) of how much more it loses than the network on the same
    /// folds, if there were draws.
    pub behind: Option<(f64, f64)>,
}

impl Contender {
    /// Whether a linear model may take the network's place: if it loses less by more than a
    /// standard error. With more columns than rows it is the network that has to show as
    /// much against the LASSO.
    fn may_replace_network(&self, wide: bool) -> bool {
        self.behind.is_none_or(|(mean, se)| match self.penalty {
            Penalty::Lasso if wide => mean - se < 0.0,
            _ => mean + se < 0.0,
        })
    }
}

/// Fits the network and what the settings want beside it.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    let mut best = tuned(data, settings, observer)?;
    let rivals = rivals(settings);
    if rivals.is_empty() {
        return Ok(best);
    }
    let network_folds = best.folds.clone();
    let mut contenders = vec![contender(settings, &best, &network_folds)];
    for penalty in rivals {
        let of_linear = linear(data, settings, penalty);
        let fit = tuned(data, &of_linear, observer)?;
        let linear = contender(&of_linear, &fit, &network_folds);
        let replaces = match best.winner {
            0 => linear.may_replace_network(is_wide(data, settings)),
            _ => true,
        };
        // (without folds in common there is only what each says of itself)
        let better =
            fit.validation.0 < best.validation.0 || best.winner == 0 && linear.behind.is_some();
        contenders.push(linear);
        if settings.linear == Linear::Choose && replaces && better {
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
    let splits = settings.validation.splits();
    let own =
        (splits * settings.ridges.len() + usize::from(settings.refit)) * settings.lambdas.len();
    let linear = (of_linear(settings.validation).splits() + usize::from(settings.refit)) * LAMBDAS;
    own + rivals(settings).len() * linear
}

/// The penalties of the linear models that take part.
fn rivals(settings: &Settings) -> Vec<Penalty> {
    match settings.linear {
        _ if settings.hidden.is_empty() => vec![],
        Linear::Leave => vec![],
        Linear::Choose if settings.penalty != Penalty::Lasso => {
            vec![settings.penalty, Penalty::Lasso]
        }
        Linear::Compare | Linear::Choose => vec![settings.penalty],
    }
}

fn contender(settings: &Settings, fit: &Fit, network: &[(f64, f64)]) -> Contender {
    let differences = (fit.folds.iter().zip(network))
        .map(|(&(loss, weight), (of_network, _))| (loss - of_network, weight));
    Contender {
        behind: (!fit.folds.is_empty()).then(|| mean_over_folds(differences)),
        hidden: settings.hidden.clone(),
        penalty: settings.penalty,
        validation: fit.validation,
        size: fit.model.selected().len(),
    }
}

/// More draws, if they have the same groups.
fn of_linear(validation: Validation) -> Validation {
    match validation {
        Validation::Draws { count, share } if count >= MOST_GROUPS => Validation::Draws {
            count: MORE_DRAWS * count,
            share,
        },
        other => other,
    }
}

/// Whether there are more columns than rows to learn from.
fn is_wide(data: &Dataset, settings: &Settings) -> bool {
    data.d() > settings.validation.training_rows(data.n())
}

/// The settings of a linear model that is to be compared with a network of these.
fn linear(data: &Dataset, settings: &Settings, penalty: Penalty) -> Settings {
    let linear = Settings {
        penalty,
        hidden: vec![],
        ridges: vec![RIDGE],
        solver: Solver::Proximal(Proximal {
            tolerance: TOLERANCE,
            ..Proximal::default()
        }),
        direction: Direction::Forward,
        first_epochs: EPOCHS,
        epochs: EPOCHS,
        batch_size: None,
        validation: of_linear(settings.validation),
        skip_ridges: false,
        share_start: false,
        init: None,
        ..settings.clone()
    };
    let largest = ABOVE_NULL * null_lambda(data, &linear);
    let wide = is_wide(data, settings);
    let smallest = largest * if wide { SMALLEST.0 } else { SMALLEST.1 };
    Settings {
        lambdas: log_grid(smallest, largest, LAMBDAS),
        ..linear
    }
}

/// The smallest λ at which a linear model of all rows selects nothing: the largest
/// gradient of a column where the bias alone is fitted.
fn null_lambda(data: &Dataset, settings: &Settings) -> f64 {
    let part = Part::new(data, everything(data.n()), settings, false);
    let task = data.outcome().task();
    let shape = Shape::new(&[], part.outputs(), settings.activation, task);
    let mut null = Mlp {
        weights: vec![0.0; shape.parameters()],
        inputs: vec![],
        shape,
    };
    let problem = part.problem(settings, RIDGE, false);
    (settings.solver).solve(&problem, 0.0, &mut null, EPOCHS, &Unobserved);
    let (_, certificate) = problem.assess(&null.widened(&part.usable), 0.0);
    certificate.inactive
}
