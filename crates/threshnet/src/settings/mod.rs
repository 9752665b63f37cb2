//! What a fit can be told, and its defaults by protocol.
//!
//! [`TABLE`] has every option once: its name, what it takes, its range, defaults and help. A
//! front end makes its flags or parameters of the table and fills a [`Request`] by name;
//! [`Settings`] is what then follows for data of a [`Size`], in full, and what a fit works by.

mod check;
mod names;
mod outer;
mod request;
mod setting;
mod size;
mod table;
mod validation;
mod value;

pub use names::Named;
pub use outer::Outer;
pub use request::{PenaltyName, SolverName, ValidationName};
pub use setting::{Group, Range, Setting, Stage, Takes};
pub use size::Size;
pub use table::{Request, TABLE, setting};
pub use validation::Validation;
pub use value::{Typed, Value};

use crate::activation::Activation;
use crate::dataset::Task;
use crate::linear::Descent;
use crate::loss::Ties;
use crate::model::Model;
use crate::path::Direction;
use crate::penalty::Penalty;
use crate::solver::{Adam, Solver};
use crate::tune::Constants;
use serde::{Deserialize, Serialize};

/// The widest hidden layer there can be.
const LONGEST_LAYER: usize = 10_000;
/// The longest list of λs or ridges.
pub const LONGEST_GRID: usize = 10_000;

/// Quadratic models that coordinate descent may take of a loss at one λ; few are needed.
const DESCENT_EPOCHS: usize = 1000;

/// Epochs of a network without λ in the paper.
pub const UNPENALISED_EPOCHS: usize = 5000;

/// The share of the rows that a single hold-out has, unless it is told otherwise.
pub const HELD_OUT_SHARE: f64 = 0.2;
/// The share of its group's rows that a draw holds out, unless it is told otherwise.
pub const DRAWN_SHARE: f64 = Constants::DEFAULT.held_out_share;

/// Which λ is taken at the best ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// The one with the lowest validation loss.
    #[serde(rename = "min")]
    Min,
    /// The largest within one standard error of it.
    #[serde(rename = "1se")]
    OneStandardError,
}

/// What a linear model is fitted for, beside the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linear {
    /// It is left out.
    Leave,
    /// To tell whether the network predicts better.
    Compare,
    /// To be the model if the network does not; one under the LASSO competes too.
    Choose,
}

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The paper's, to the letter: an unstratified 20 % hold-out.
    Paper,
    /// Many draws with the paper's grids, work saved where it changes little, and linear
    /// models beside the network.
    Default,
}

impl Protocol {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Paper => "paper",
            Protocol::Default => "default",
        }
    }

    /// Its validation.
    pub fn validation(self) -> Validation {
        match self {
            Protocol::Paper => Validation::Holdout {
                share: HELD_OUT_SHARE,
                stratified: false,
            },
            Protocol::Default => Validation::Draws {
                count: Constants::DEFAULT.draws,
                share: DRAWN_SHARE,
            },
        }
    }
}

/// Everything a fit can be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// ρ; MCP with a = 3.
    pub penalty: Penalty,
    /// Widths of the hidden layers, each at least 1; empty for a linear model.
    /// 10, 5.
    pub hidden: Vec<usize>,
    /// Whether inputs also lead straight to the output, beside the hidden layers. The
    /// weights of an input on this way belong to its group. No; needs a hidden layer.
    pub shortcut: bool,
    /// ReLU.
    pub activation: Activation,
    /// Group penalties, ascending, not negative.
    pub lambdas: Vec<f64>,
    /// Ridge penalties, ascending, not negative.
    pub ridges: Vec<f64>,
    /// Whether the output's bias is free of the ridge; no.
    pub free_bias: bool,
    /// Adam.
    pub solver: Solver,
    /// Backward.
    pub direction: Direction,
    /// Epochs at λ_min and from any other random start; at least 1.
    pub first_epochs: usize,
    /// Epochs from a warm start; at least 1.
    pub epochs: usize,
    /// Rows per step of Adam; at least 1, and never for a survival outcome. None
    /// for all rows.
    pub batch_size: Option<usize>,
    /// Breslow.
    pub ties: Ties,
    /// By protocol.
    pub validation: Validation,
    /// Min.
    pub rule: Rule,
    /// The share of draws that must select a column, above 0 and at most 1; none for
    /// the share that [`tune`](crate::tune) derives. Means nothing without draws.
    pub frequency: Option<f64>,
    /// Whether to fit again on all rows at the chosen point.
    pub refit: bool,
    /// Whether to trace every other ridge first, and of the others only those
    /// beside a promising one. No; needs validation.
    pub skip_ridges: bool,
    /// Epochs with λ = 0 on the columns selected at each λ, from the weights found
    /// there, before it is scored: the relaxed LASSO. At least 1; none to leave
    /// every λ's network as it is.
    pub relax: Option<usize>,
    /// Leave. Anything else needs validation.
    pub linear: Linear,
    /// Whether references that use all columns are fitted, too, and an ensemble is made of all. By
    /// protocol: with draws or folds; needs one of them.
    pub ensemble: bool,
    /// The columns that may enter a network, ascending; none for all.
    pub columns: Option<Vec<usize>>,
    /// How many columns are left by a [screening](crate::screen) of the training rows of
    /// every split; at least 2, none for no screening. By protocol: 50 000 of more than
    /// 200 000, or none.
    pub screen: Option<usize>,
    /// Whether draws look again at columns they have left out, beside those they select. By
    /// protocol: yes if the data are wide, or no.
    pub look_again: bool,
    /// Whether columns, and a continuous outcome, are standardised.
    pub standardize: bool,
    /// How many of its standard deviations the mean of a standardised outcome lies above 0
    /// for a network, not negative; 0.
    pub lift: f64,
    /// Seed of splits and starts; 0.
    pub seed: u64,
    /// Start from this model's first network instead of a random one.
    pub init: Option<Model>,
    /// Where the defaults came from; kept for the record.
    pub protocol: Protocol,
}

impl Settings {
    /// The defaults of a protocol for data of this size. They are wide when there are more
    /// columns than training rows.
    pub fn new(protocol: Protocol, penalty: Penalty, validation: Validation, size: Size) -> Self {
        let Size { n, d, task } = size;
        let tuned = Constants::DEFAULT;
        let wide = d > validation.training_rows(n);
        let (smallest_ridge, first_epochs) = if wide { (1e-2, 200) } else { (1e-3, 2000) };
        let ridges = match protocol {
            Protocol::Paper => log_grid(smallest_ridge, 0.1, 10),
            // A squared loss is in units of the outcome's variance, and what is left to
            // explain of it can be far less than of other losses; so must the ridge be.
            Protocol::Default if wide && task == Task::Regression => log_grid(
                tuned.wide_regression_ridge,
                tuned.largest_ridge,
                tuned.wide_ridges,
            ),
            // (a path costs most where data are wide and ridges small, or rows many)
            Protocol::Default => {
                let count = match wide {
                    true => tuned.wide_ridges,
                    false if n > tuned.many_rows => tuned.long_ridges,
                    false => tuned.ridges,
                };
                log_grid(smallest_ridge, tuned.largest_ridge, count)
            }
        };
        let quick = protocol == Protocol::Default && penalty != Penalty::Lasso;
        let validated = protocol == Protocol::Default && validation != Validation::None;
        Settings {
            penalty,
            hidden: vec![10, 5],
            shortcut: false,
            activation: Activation::Relu,
            lambdas: default_lambdas(penalty, wide),
            ridges,
            free_bias: false,
            solver: Solver::Adam(Adam {
                tolerance: if quick { tuned.tolerance } else { 0.0 },
                learning_rate: if quick {
                    tuned.learning_rate
                } else {
                    Adam::default().learning_rate
                },
                ..Adam::default()
            }),
            direction: Direction::Backward,
            first_epochs,
            epochs: 200,
            batch_size: None,
            ties: Ties::Breslow,
            validation,
            rule: Rule::Min,
            frequency: None,
            refit: matches!(validation, Validation::Folds { .. }),
            skip_ridges: false,
            relax: None,
            linear: if validated {
                Linear::Choose
            } else {
                Linear::Leave
            },
            ensemble: protocol == Protocol::Default
                && matches!(
                    validation,
                    Validation::Draws { .. } | Validation::Folds { .. }
                ),
            columns: None,
            screen: (protocol == Protocol::Default && d > tuned.screened_above)
                .then_some(tuned.screened_to),
            look_again: wide && quick && matches!(validation, Validation::Draws { .. }),
            standardize: true,
            lift: 0.0,
            seed: 0,
            init: None,
            protocol,
        }
    }
}

impl Settings {
    /// Whether all draws take one (ridge, λ), the best on all that they hold out. Each of them
    /// holds out too little to choose by where effects are weak; and linear models of different
    /// draws have nothing to gain from different penalties, as networks have from different starts.
    pub fn draws_choose_together(&self) -> bool {
        self.hidden.is_empty() && matches!(self.validation, Validation::Draws { .. })
    }

    /// The same for a linear model, by coordinate descent.
    pub fn linear(self) -> Self {
        let constants = Constants::DEFAULT;
        let drawn = matches!(self.validation, Validation::Draws { .. });
        let ridge = match self.penalty {
            Penalty::Lasso if !drawn => 0.0,
            _ => constants.linear_ridge,
        };
        Settings {
            hidden: vec![],
            shortcut: false,
            ridges: match self.protocol {
                Protocol::Paper => self.ridges,
                Protocol::Default => vec![ridge],
            },
            free_bias: self.protocol == Protocol::Default,
            solver: Solver::Descent(Descent::default()),
            direction: Direction::Forward,
            first_epochs: DESCENT_EPOCHS,
            epochs: DESCENT_EPOCHS,
            batch_size: None,
            skip_ridges: false,
            look_again: false,
            ensemble: false,
            init: None,
            ..self
        }
    }
}

/// The paper's λs.
pub fn default_lambdas(penalty: Penalty, wide: bool) -> Vec<f64> {
    match (penalty, wide) {
        (Penalty::Lasso, _) => log_grid(5e-4, 2e-3, 50),
        (_, false) => log_grid(1e-3, 0.5, 50),
        (_, true) => log_grid(1e-2, 0.5, 50),
    }
}

/// `count` values from `min` to `max`, evenly spaced on a log scale.
pub fn log_grid(min: f64, max: f64, count: usize) -> Vec<f64> {
    let ratio = (max / min).ln();
    (0..count)
        .map(|i| match i {
            0 => min,
            _ if i + 1 == count => max,
            _ => min * (ratio * i as f64 / (count - 1) as f64).exp(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_protocol_is_the_papers_table() {
        let narrow = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            Size::new(300, 20, Task::Regression),
        );
        assert_eq!((narrow.lambdas.len(), narrow.ridges.len()), (50, 10));
        assert_eq!((narrow.lambdas[0], narrow.lambdas[49]), (1e-3, 0.5));
        assert_eq!((narrow.ridges[0], narrow.ridges[9]), (1e-3, 0.1));
        assert_eq!((narrow.first_epochs, narrow.epochs), (2000, 200));
        let wide = |penalty| {
            Settings::new(
                Protocol::Paper,
                penalty,
                Protocol::Paper.validation(),
                Size::new(500, 1000, Task::Regression),
            )
        };
        assert_eq!(
            (
                wide(Penalty::SCAD).lambdas[0],
                wide(Penalty::SCAD).ridges[0]
            ),
            (1e-2, 1e-2)
        );
        assert_eq!(
            (wide(Penalty::SCAD).first_epochs, wide(Penalty::SCAD).epochs),
            (200, 200)
        );
        assert_eq!(
            (
                wide(Penalty::Lasso).lambdas[0],
                wide(Penalty::Lasso).lambdas[49]
            ),
            (5e-4, 2e-3)
        );
        assert!(!narrow.refit);
        // 250 columns: more than the 240 training rows
        let edge = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            Size::new(300, 250, Task::Binary),
        );
        assert_eq!(edge.first_epochs, 200);
    }

    #[test]
    fn the_default_protocol_takes_fewer_ridges_of_wide_data_and_of_many_rows() {
        let ridges = |n, d, task| {
            let draws = Protocol::Default.validation();
            let size = Size::new(n, d, task);
            let settings = Settings::new(Protocol::Default, Penalty::MCP, draws, size);
            (settings.ridges[0], settings.ridges.len())
        };
        assert_eq!(ridges(2000, 20, Task::Cox), (1e-3, 9));
        assert_eq!(ridges(2001, 20, Task::Cox), (1e-3, 4));
        assert_eq!(ridges(100, 200, Task::Cox), (1e-2, 8));
        assert_eq!(ridges(100, 200, Task::Regression), (1e-3, 8));
    }

    #[test]
    fn only_the_default_protocol_screens_unasked_and_only_very_wide_data() {
        let screen = |protocol: Protocol, d| {
            Settings::new(
                protocol,
                Penalty::MCP,
                protocol.validation(),
                Size::new(500, d, Task::Cox),
            )
            .screen
        };
        assert_eq!(screen(Protocol::Default, 200_000), None);
        assert_eq!(screen(Protocol::Default, 200_001), Some(50_000));
        assert_eq!(screen(Protocol::Paper, 1_000_000), None);
    }
}
