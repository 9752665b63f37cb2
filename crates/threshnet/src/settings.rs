//! What a fit can be told, its defaults by protocol, and one check of it all.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::loss::Ties;
use crate::model::Model;
use crate::path::Direction;
use crate::penalty::Penalty;
use crate::solver::{Adam, Solver};
use crate::split::{MOST_GROUPS, held_out_count};
use serde::Serialize;

/// The widest hidden layer there can be.
const WIDEST: usize = 10_000;
/// The longest list of λs or ridges.
const LONGEST_GRID: usize = 10_000;

/// With more columns than this the default protocol screens them …
const SCREENED_ABOVE: usize = 200_000;
/// … down to so many, which a path takes in seconds.
const SCREENED_TO: usize = 50_000;

/// Epochs of a network without λ in the paper.
pub const UNPENALISED_EPOCHS: usize = 5000;

/// Draws of the default protocol.
const DRAWS: usize = 12;
/// The share of its group's rows that a draw holds out, unless it is told otherwise.
pub const DRAWN_SHARE: f64 = 0.15;
/// The tolerance of the default protocol's Adam.
const QUICK: f64 = 0.01;
/// And its rate.
const FAST: f64 = 0.003;

/// How (λ, ridge) is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Validation {
    /// A random share of the rows is held out once.
    Holdout {
        /// Between 0 and 1.
        share: f64,
        /// Whether classes (events) are held out in equal shares.
        stratified: bool,
    },
    /// Stratified cross-validation with this many folds, at least 2.
    Folds(usize),
    /// Many fits, each with rows held out and starts of its own, each choosing for
    /// itself: columns are selected by how many of them do, predictions averaged
    /// (see [`tune`](crate::tune)).
    Draws {
        /// At least 2.
        count: usize,
        /// Held out by each, stratified; between 0 and 1.
        share: f64,
    },
    /// Nothing is chosen: there is one λ and one ridge.
    None,
}

impl Validation {
    /// How many times rows are divided.
    pub fn splits(self) -> usize {
        match self {
            Validation::Folds(count) | Validation::Draws { count, .. } => count,
            Validation::Holdout { .. } | Validation::None => 1,
        }
    }

    /// The rows left to learn from (in the smallest training part).
    pub fn training_rows(self, n: usize) -> usize {
        match self {
            Validation::Holdout { share, .. } => n - held_out_count(n, share).min(n),
            // (a fold is left to nobody)
            Validation::Draws { count, share } => {
                let rows = n - n.div_ceil(count.clamp(1, MOST_GROUPS));
                rows - held_out_count(rows, share).min(rows)
            }
            Validation::Folds(count) => n - n.div_ceil(count.max(1)),
            Validation::None => n,
        }
    }
}

/// Which λ is taken at the best ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
                share: 0.2,
                stratified: false,
            },
            Protocol::Default => Validation::Draws {
                count: DRAWS,
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
    /// ReLU.
    pub activation: Activation,
    /// Group penalties, ascending, not negative.
    pub lambdas: Vec<f64>,
    /// Ridge penalties, ascending, not negative.
    pub ridges: Vec<f64>,
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
    /// Whether to trace every other ridge first, and to start the others from
    /// the λ_min network of their better neighbour, with `epochs` in place of
    /// `first_epochs`. No; needs validation, backward paths and no `init`.
    pub share_start: bool,
    /// Epochs with λ = 0 on the columns selected at each λ, from the weights found
    /// there, before it is scored: the relaxed LASSO. At least 1; none to leave
    /// every λ's network as it is.
    pub relax: Option<usize>,
    /// Leave. Anything else needs validation.
    pub linear: Linear,
    /// The columns that may enter a network, ascending; none for all.
    pub columns: Option<Vec<usize>>,
    /// How many columns are left by a [screening](crate::screen) of the training rows of
    /// every split; at least 2, none for no screening. By protocol: 50 000 of more than
    /// 200 000, or none.
    pub screen: Option<usize>,
    /// Whether columns, and a continuous outcome, are standardised.
    pub standardize: bool,
    /// Seed of splits and starts; 0.
    pub seed: u64,
    /// Start from this model's first network instead of a random one.
    pub init: Option<Model>,
    /// Where the defaults came from; kept for the record.
    pub protocol: Protocol,
}

impl Settings {
    /// The defaults of a protocol for `n` rows and `d` columns. Data are wide
    /// when there are more columns than training rows.
    pub fn new(
        protocol: Protocol,
        penalty: Penalty,
        validation: Validation,
        (n, d): (usize, usize),
    ) -> Self {
        let wide = d > validation.training_rows(n);
        let lambdas = match (penalty, wide) {
            (Penalty::Lasso, _) => log_grid(5e-4, 2e-3, 50),
            (_, false) => log_grid(1e-3, 0.5, 50),
            (_, true) => log_grid(1e-2, 0.5, 50),
        };
        let (smallest_ridge, first_epochs) = if wide { (1e-2, 200) } else { (1e-3, 2000) };
        let ridges = match protocol {
            Protocol::Paper => log_grid(smallest_ridge, 0.1, 10),
            Protocol::Default => log_grid(smallest_ridge, 0.06, 9),
        };
        let quick = protocol == Protocol::Default && penalty != Penalty::Lasso;
        let validated = protocol == Protocol::Default && validation != Validation::None;
        Settings {
            penalty,
            hidden: vec![10, 5],
            activation: Activation::Relu,
            lambdas,
            ridges,
            solver: Solver::Adam(Adam {
                tolerance: if quick { QUICK } else { 0.0 },
                learning_rate: if quick {
                    FAST
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
            refit: matches!(validation, Validation::Folds(_)),
            skip_ridges: false,
            share_start: false,
            relax: None,
            linear: if validated {
                Linear::Choose
            } else {
                Linear::Leave
            },
            columns: None,
            screen: (protocol == Protocol::Default && d > SCREENED_ABOVE).then_some(SCREENED_TO),
            standardize: true,
            seed: 0,
            init: None,
            protocol,
        }
    }

    /// Refuses anything outside its range, before any work.
    pub fn validate(&self) -> Result<()> {
        self.penalty.validate()?;
        self.solver.validate(self.penalty)?;
        check_grid("lambdas", &self.lambdas)?;
        check_grid("ridges", &self.ridges)?;
        if let Some(width) = self.hidden.iter().find(|w| **w > WIDEST) {
            return Err(Error::setting(
                "hidden",
                format!("{width} units in a layer: {WIDEST} is the most"),
            ));
        }
        if self.hidden.contains(&0) {
            return Err(Error::setting(
                "hidden",
                "a hidden layer needs at least 1 unit; use `none` for a linear model",
            ));
        }
        if self.first_epochs == 0 || self.epochs == 0 {
            return Err(Error::setting("epochs", "at least 1 epoch is needed"));
        }
        if self.screen.is_some_and(|keep| keep < 2) {
            return Err(Error::setting("screen", "keep at least 2 columns"));
        }
        if self.relax == Some(0) {
            return Err(Error::setting("relax", "at least 1 epoch is needed"));
        }
        if self.batch_size == Some(0) {
            return Err(Error::setting("batch-size", "a batch needs at least 1 row"));
        }
        if self.batch_size.is_some() && !matches!(self.solver, Solver::Adam(_)) {
            return Err(Error::setting(
                "batch-size",
                "only the adam solver takes some rows at a time; leave it out",
            ));
        }
        self.validate_savings()?;
        self.validate_draws()?;
        match self.validation {
            Validation::Holdout { share, .. } | Validation::Draws { share, .. }
                if !(share > 0.0 && share < 1.0) =>
            {
                Err(Error::setting(
                    "validation",
                    format!("cannot hold out a share of {share}"),
                ))
            }
            Validation::Draws { count, .. } if count < 2 => Err(Error::setting(
                "validation",
                format!("draws:{count}: at least 2 draws are needed"),
            )),
            Validation::Folds(count) if count < 2 => Err(Error::setting(
                "validation",
                format!("cv:{count}: at least 2 folds are needed"),
            )),
            Validation::None if self.lambdas.len() * self.ridges.len() != 1 => Err(Error::setting(
                "validation",
                "`none` chooses nothing: give exactly one lambda and one ridge",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses what does not go with draws, or only with them.
    fn validate_draws(&self) -> Result<()> {
        let draws = matches!(self.validation, Validation::Draws { .. });
        match self.frequency {
            Some(share) if !(share > 0.0 && share <= 1.0) => Err(Error::setting(
                "frequency",
                format!("{share} is not a share above 0 and at most 1"),
            )),
            Some(_) if !draws => Err(Error::setting(
                "frequency",
                "it is the share of draws, and there are none; add `--validation draws:12` (with \
                 --stability, the share follows from --max-false)",
            )),
            _ if draws && self.refit => Err(Error::setting(
                "refit",
                "the draws' own networks are the model; leave it out",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses ways to save work that have nothing to go by.
    fn validate_savings(&self) -> Result<()> {
        let refused = |name, problem| Err(Error::setting(name, problem));
        if self.validation == Validation::None {
            if self.linear != Linear::Leave {
                return refused(
                    "linear",
                    "models cannot be compared without validation; say `leave`",
                );
            }
            let problem = "ridges cannot be compared without validation; say `no`";
            if self.skip_ridges {
                return refused("skip-ridges", problem);
            }
            if self.share_start {
                return refused("share-start", problem);
            }
        }
        if self.share_start && self.direction != Direction::Backward {
            return refused(
                "share-start",
                "only a backward path starts at the smallest lambda; say `no`, or take the \
                 backward path",
            );
        }
        if self.share_start && self.relax.is_some() {
            return refused(
                "share-start",
                "a relaxed network is no start of another path; say `no`",
            );
        }
        if self.share_start && self.init.is_some() {
            return refused(
                "share-start",
                "every ridge starts from the given model already; say `no`, or leave out the \
                 model",
            );
        }
        Ok(())
    }
}

fn check_grid(name: &'static str, values: &[f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::setting(name, "the list is empty"));
    }
    if values.len() > LONGEST_GRID {
        return Err(Error::setting(
            name,
            format!("more than {LONGEST_GRID} values"),
        ));
    }
    if let Some(bad) = values.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        return Err(Error::setting(
            name,
            format!("{bad} is not a number of at least 0"),
        ));
    }
    if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(Error::setting(
            name,
            format!(
                "{} before {}: list the values in ascending order, each once",
                pair[0], pair[1]
            ),
        ));
    }
    Ok(())
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
    use crate::solver::Proximal;

    fn settings() -> Settings {
        Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            (300, 20),
        )
    }

    fn draws(count: usize, share: f64) -> Validation {
        Validation::Draws { count, share }
    }

    /// One λ, one ridge, nothing held out.
    fn unvalidated() -> Settings {
        Settings {
            lambdas: vec![0.1],
            ridges: vec![0.01],
            validation: Validation::None,
            ..settings()
        }
    }

    #[test]
    fn the_paper_protocol_is_the_papers_table() {
        let narrow = settings();
        assert_eq!((narrow.lambdas.len(), narrow.ridges.len()), (50, 10));
        assert_eq!((narrow.lambdas[0], narrow.lambdas[49]), (1e-3, 0.5));
        assert_eq!((narrow.ridges[0], narrow.ridges[9]), (1e-3, 0.1));
        assert_eq!((narrow.first_epochs, narrow.epochs), (2000, 200));
        let wide = |penalty| {
            Settings::new(
                Protocol::Paper,
                penalty,
                Protocol::Paper.validation(),
                (500, 1000),
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
            (300, 250),
        );
        assert_eq!(edge.first_epochs, 200);
    }

    #[test]
    fn only_the_default_protocol_screens_unasked_and_only_very_wide_data() {
        let screen = |protocol: Protocol, d| {
            Settings::new(protocol, Penalty::MCP, protocol.validation(), (500, d)).screen
        };
        assert_eq!(screen(Protocol::Default, 200_000), None);
        assert_eq!(screen(Protocol::Default, 200_001), Some(50_000));
        assert_eq!(screen(Protocol::Paper, 1_000_000), None);
    }

    #[test]
    fn everything_out_of_range_is_refused() {
        type Change = fn(&mut Settings);
        let bad: &[(&str, Change)] = &[
            ("unsorted", |s| s.lambdas = vec![0.2, 0.1]),
            ("twice", |s| s.lambdas = vec![0.1, 0.1]),
            ("negative", |s| s.lambdas = vec![-0.1, 0.1]),
            ("nan", |s| s.ridges = vec![f64::NAN]),
            ("empty", |s| s.ridges = vec![]),
            ("hidden", |s| s.hidden = vec![10, 0]),
            ("epochs", |s| s.epochs = 0),
            ("relax", |s| s.relax = Some(0)),
            ("screen", |s| s.screen = Some(1)),
            ("batch", |s| s.batch_size = Some(0)),
            ("proximal batch", |s| {
                s.batch_size = Some(50);
                s.solver = Solver::Proximal(Proximal::default());
            }),
            ("share", |s| {
                s.validation = Validation::Holdout {
                    share: 1.0,
                    stratified: true,
                }
            }),
            ("folds", |s| s.validation = Validation::Folds(1)),
            ("draws", |s| s.validation = draws(1, 0.2)),
            ("draws without rows", |s| s.validation = draws(5, 0.0)),
            ("draws with a refit", |s| {
                s.validation = draws(5, 0.2);
                s.refit = true;
            }),
            ("frequency", |s| {
                s.validation = draws(5, 0.2);
                s.frequency = Some(1.5);
            }),
            ("frequency without draws", |s| s.frequency = Some(0.5)),
            ("none", |s| s.validation = Validation::None),
            ("concavity", |s| s.penalty = Penalty::Scad(2.0)),
            ("step", |s| s.penalty = Penalty::Mcp(1.0)),
            ("rate", |s| {
                s.solver = Solver::Adam(Adam {
                    learning_rate: 0.0,
                    threshold_step: 1.0,
                    tolerance: 0.0,
                })
            }),
            ("skip without validation", |s| {
                *s = unvalidated();
                s.skip_ridges = true;
            }),
            ("share without validation", |s| {
                *s = unvalidated();
                s.share_start = true;
            }),
            ("share forward", |s| {
                s.share_start = true;
                s.direction = Direction::Forward;
            }),
            ("share relaxed", |s| {
                s.share_start = true;
                s.relax = Some(10);
            }),
            ("share cold", |s| {
                s.share_start = true;
                s.direction = Direction::Cold;
            }),
        ];
        assert!(settings().validate().is_ok());
        for (name, change) in bad {
            let mut settings = settings();
            change(&mut settings);
            assert!(settings.validate().is_err(), "{name}");
        }
    }
}
