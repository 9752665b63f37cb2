//! Is non-linearity needed? A linear model, chosen in the same way on the same rows,
//! stands beside the network, or in its place if it predicts better: after draws by more
//! than a standard error, for a network averages more of them than a fold can show.
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
use crate::settings::{Linear, Settings, log_grid};
use crate::solver::{Observer, Proximal, Solver, Unobserved};

/// λs of a linear path.
pub const LAMBDAS: usize = 30;
/// The largest, as a multiple of the smallest λ that selects nothing from all rows: some
/// rows may tell more than all.
const ABOVE_NULL: f64 = 1.25;
/// The smallest, as a part of the largest: with fewer rows than columns, and with more.
const SMALLEST: (f64, f64) = (0.05, 0.005);
/// A ridge that keeps correlated columns from growing against each other.
const RIDGE: f64 = 1e-3;
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
    /// Whether it loses less than the network by more than a standard error.
    fn clearly_ahead(&self) -> bool {
        self.behind.is_none_or(|(mean, se)| mean + se < 0.0)
    }
}

/// Fits the network and what the settings want beside it.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    let mut best = tuned(data, settings, observer)?;
    let rivals = rivals(settings);
    if rivals.is_empty() {
        return Ok(best);
    }
    let mut contenders = vec![contender(settings, &best, &best.folds)];
    let network_folds = best.folds.clone();
    for penalty in rivals {
        let settings_of_linear = linear(data, settings, penalty);
        let fit = tuned(data, &settings_of_linear, observer)?;
        contenders.push(contender(&settings_of_linear, &fit, &network_folds));
        let clearly = contenders[contenders.len() - 1].clearly_ahead();
        if settings.linear == Linear::Choose && clearly && fit.validation.0 < best.validation.0 {
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
    let linear = (splits + usize::from(settings.refit)) * LAMBDAS;
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
        skip_ridges: false,
        share_start: false,
        init: None,
        ..settings.clone()
    };
    let largest = ABOVE_NULL * null_lambda(data, &linear);
    let wide = data.d() > settings.validation.training_rows(data.n());
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
