//! The settings that follow from what a user asks for: so that every front end makes the
//! same fit of the same words.

use super::names::Named;
use super::setting::Setting;
use super::table::{Request, TABLE};
use super::{
    DRAWN_SHARE, HELD_OUT_SHARE, Linear, Protocol, Settings, Size, UNPENALISED_EPOCHS, Validation,
};
use crate::control::{Control, MAX_FALSE};
use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use crate::linear::Descent;
use crate::penalty::Penalty;
use crate::solver::{Adam, Proximal, Solver, StepRule};
use crate::tune::{data_lambdas, data_ridges};
use serde::{Deserialize, Serialize};

/// Epochs of the proximal solver, which stops by itself when it is done.
const PROXIMAL_EPOCHS: usize = 5000;

/// A penalty without its concavity, which is asked for apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PenaltyName {
    /// The group LASSO, which has none.
    Lasso,
    /// The minimax concave penalty.
    Mcp,
    /// The smoothly clipped absolute deviation.
    Scad,
}

impl From<Penalty> for PenaltyName {
    fn from(penalty: Penalty) -> Self {
        match penalty {
            Penalty::Lasso => PenaltyName::Lasso,
            Penalty::Mcp(_) => PenaltyName::Mcp,
            Penalty::Scad(_) => PenaltyName::Scad,
        }
    }
}

impl PenaltyName {
    /// With its usual concavity.
    pub fn usual(self) -> Penalty {
        match self {
            PenaltyName::Lasso => Penalty::Lasso,
            PenaltyName::Mcp => Penalty::MCP,
            PenaltyName::Scad => Penalty::SCAD,
        }
    }
}

/// A solver without its settings, which are asked for apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SolverName {
    /// The paper's.
    Adam,
    /// Composite gradient descent.
    Proximal,
    /// Coordinate descent.
    Descent,
}

impl From<Solver> for SolverName {
    fn from(solver: Solver) -> Self {
        match solver {
            Solver::Adam(_) => SolverName::Adam,
            Solver::Proximal(_) => SolverName::Proximal,
            Solver::Descent(_) => SolverName::Descent,
        }
    }
}

/// A validation without what the protocol adds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValidationName {
    /// One hold-out of this share.
    Holdout(f64),
    /// Cross-validation with so many folds.
    Folds(usize),
    /// So many draws.
    Draws(usize),
    /// Nothing is chosen.
    None,
}

impl ValidationName {
    /// As the protocol does it.
    pub fn under(self, protocol: Protocol) -> Validation {
        match self {
            ValidationName::Holdout(share) => Validation::Holdout {
                share,
                stratified: protocol != Protocol::Paper,
            },
            ValidationName::Folds(count) => Validation::Folds { count },
            ValidationName::Draws(count) => Validation::Draws {
                count,
                share: DRAWN_SHARE,
            },
            ValidationName::None => Validation::None,
        }
    }
}

impl Request {
    /// The settings of a fit to data of this size: what was asked for, on top of the
    /// protocol's defaults. What cannot go together is for [`Settings::validate`].
    pub fn settings(&self, size: Size) -> Result<Settings> {
        self.check()?;
        let validation = match self.validation {
            Some(name) => name.under(self.protocol),
            None => self.protocol.validation(),
        };
        let usual = Settings::new(self.protocol, self.penalty()?, validation, size);
        let solver = self.solver_name();
        if solver == SolverName::Descent && !self.is_linear() {
            return Err(Error::setting(
                "solver",
                "coordinate descent is for linear models; ask for no hidden layers, too",
            ));
        }
        let usual = match solver {
            SolverName::Descent => usual.linear(),
            SolverName::Adam | SolverName::Proximal => usual,
        };
        self.check_task(size.task)?;
        if self.lift.is_some() && !self.standardize {
            return Err(Error::setting(
                "lift",
                "a target that is taken as it is cannot be lifted; leave out one of the two",
            ));
        }
        let (first_epochs, epochs) = match solver {
            SolverName::Adam | SolverName::Descent => (usual.first_epochs, usual.epochs),
            SolverName::Proximal => (PROXIMAL_EPOCHS, PROXIMAL_EPOCHS),
        };
        Ok(Settings {
            hidden: self.hidden.clone().unwrap_or(usual.hidden),
            shortcut: self.shortcut,
            activation: self.activation,
            lambdas: self.lambdas.clone().unwrap_or(usual.lambdas),
            ridges: self.ridges.clone().unwrap_or(usual.ridges),
            solver: self.solver(solver, usual.solver)?,
            direction: self.path.unwrap_or(usual.direction),
            first_epochs: self.first_epochs.unwrap_or(first_epochs),
            epochs: self.epochs.unwrap_or(epochs),
            batch_size: self.batch_size,
            ties: self.ties,
            rule: self.rule,
            frequency: self.frequency,
            refit: self.refit.unwrap_or(usual.refit),
            skip_ridges: self.skip_ridges,
            linear: match (self.linear, usual.linear, &self.hidden) {
                (Some(linear), ..) => linear,
                (None, Linear::Choose, Some(_)) => Linear::Compare,
                (None, linear, _) => linear,
            },
            ensemble: self.ensemble.unwrap_or(usual.ensemble),
            screen: self.screen.or(usual.screen),
            look_again: self.look_again.unwrap_or_else(|| {
                let bends = self.hidden.as_ref().is_none_or(|hidden| !hidden.is_empty());
                usual.look_again && bends && self.init.is_none()
            }),
            standardize: self.standardize,
            lift: self.lift.unwrap_or(usual.lift),
            seed: self.seed,
            init: self.init.clone(),
            ..usual
        })
    }

    /// The same for these data, which give a linear model the λs that are left to the protocol.
    pub fn settings_for(&self, data: &Dataset) -> Result<Settings> {
        self.with_data_grids(self.settings(Size::of(data))?, data)
    }

    /// Gives settings that follow from this request the grids that these data have for linear
    /// models.
    pub(crate) fn with_data_grids(
        &self,
        mut settings: Settings,
        data: &Dataset,
    ) -> Result<Settings> {
        let by_data =
            settings.protocol == Protocol::Default && matches!(settings.solver, Solver::Descent(_));
        if !by_data {
            return Ok(settings);
        }
        settings.validate_path()?;
        if self.lambdas.is_none() && settings.lambdas != [0.0] {
            settings.lambdas = data_lambdas(data, &settings);
        }
        if self.ridges.is_none() && settings.lambdas == [0.0] {
            settings.ridges = data_ridges(data, &settings);
        }
        Ok(settings)
    }

    /// The error control that was asked for, if any.
    pub fn control(&self) -> Result<Option<Control>> {
        match (self.stability, self.fdr) {
            (Some(_), Some(_)) => Err(Error::setting(
                "fdr",
                "stability selection bounds another error; leave out one of the two",
            )),
            (None, _) if self.max_false.is_some() => Err(Error::setting(
                "max_false",
                "it bounds what stability selection lets in; ask for that, too",
            )),
            (Some(pairs), None) => Ok(Some(Control::Stability {
                pairs,
                max_false: self.max_false.unwrap_or(MAX_FALSE),
            })),
            (None, None) => Ok(None),
            (None, Some(rate)) => {
                self.check_knockoffs()?;
                Ok(Some(Control::Fdr { rate }))
            }
        }
    }

    /// Refuses what means nothing for a task.
    fn check_task(&self, task: Task) -> Result<()> {
        let given = self.given();
        let of_others =
            |setting: &&Setting| !setting.is_for(task) && given.contains_key(setting.name);
        match TABLE.iter().find(of_others) {
            None => Ok(()),
            Some(setting) => {
                let tasks: Vec<&str> = setting.tasks.iter().map(|task| task.name()).collect();
                let problem = format!(
                    "it is for {} alone, and means nothing for {}; leave it out",
                    tasks.join(", "),
                    task.name()
                );
                Err(Error::setting(setting.name, problem))
            }
        }
    }

    /// Refuses what gives columns and their knockoffs unequal chances.
    pub(crate) fn check_knockoffs(&self) -> Result<()> {
        let refused = |name| {
            Err(Error::setting(
                name,
                "columns and knockoffs must stand the same chance; leave it out, or the control \
                 of the false-discovery rate",
            ))
        };
        match (&self.init, self.screen) {
            (Some(_), _) => refused("init"),
            (_, Some(_)) => refused("screen"),
            (None, None) => Ok(()),
        }
    }

    /// The settings of a fit that is one of many, or the last after many: where the user
    /// does not ask for more, one hold-out chooses.
    pub fn one_split(&self, size: Size) -> Result<Settings> {
        let holdout = ValidationName::Holdout(HELD_OUT_SHARE);
        let request = Request {
            validation: self.validation.or(Some(holdout)),
            linear: self.linear.or(Some(Linear::Leave)),
            ensemble: self.ensemble.or(Some(false)),
            ..self.clone()
        };
        request.settings(size)
    }

    /// The settings of a fit to features that were selected before, by number: these stay,
    /// whatever λ, beside those that are to stay anyhow.
    pub fn on_selected(&self, data: &Dataset, selected: &[usize]) -> Result<Settings> {
        let features = data.features();
        let columns: Vec<usize> = (selected.iter())
            .flat_map(|&feature| features.columns_of(feature))
            .collect();
        let settings = self.one_split(Size {
            d: columns.len(),
            ..Size::of(data)
        })?;
        let settings = Settings {
            lambdas: vec![0.0],
            first_epochs: self.first_epochs.unwrap_or(UNPENALISED_EPOCHS),
            columns: Some(columns),
            // What has been selected is not asked again.
            screen: None,
            ..settings
        };
        self.with_data_grids(settings, data)
    }

    /// The penalty with its concavity.
    fn penalty(&self) -> Result<Penalty> {
        match (self.penalty, self.concavity) {
            (name, None) => Ok(name.usual()),
            (PenaltyName::Lasso, Some(_)) => Err(Error::setting("concavity", "the lasso has none")),
            (PenaltyName::Mcp, Some(a)) => Ok(Penalty::Mcp(a)),
            (PenaltyName::Scad, Some(a)) => Ok(Penalty::Scad(a)),
        }
    }

    /// Whether a model without hidden layers was asked for.
    fn is_linear(&self) -> bool {
        self.hidden.as_ref().is_some_and(Vec::is_empty)
    }

    /// The solver that was asked for, or the usual one.
    fn solver_name(&self) -> SolverName {
        self.solver.unwrap_or(match self.protocol {
            Protocol::Default if self.is_linear() => SolverName::Descent,
            Protocol::Default | Protocol::Paper => SolverName::Adam,
        })
    }

    /// The solver, as asked for on top of the protocol's.
    fn solver(&self, name: SolverName, usual: Solver) -> Result<Solver> {
        let without = |setting: &'static str| {
            let problem = format!(
                "the {} solver has no such setting; leave it out, or ask for another solver",
                Named::name(name)
            );
            Err(Error::setting(setting, problem))
        };
        match name {
            SolverName::Adam => {
                let usual = match usual {
                    Solver::Adam(adam) => adam,
                    Solver::Proximal(_) | Solver::Descent(_) => Adam::default(),
                };
                Ok(Solver::Adam(Adam {
                    learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
                    threshold_step: self.threshold_step.unwrap_or(usual.threshold_step),
                    tolerance: self.tolerance.unwrap_or(usual.tolerance),
                }))
            }
            SolverName::Proximal | SolverName::Descent if self.learning_rate.is_some() => {
                without("learning_rate")
            }
            SolverName::Proximal => {
                let usual = Proximal::default();
                Ok(Solver::Proximal(Proximal {
                    step: self.threshold_step.map_or(usual.step, StepRule::Fixed),
                    tolerance: self.tolerance.unwrap_or(usual.tolerance),
                }))
            }
            SolverName::Descent if self.threshold_step.is_some() => without("threshold_step"),
            SolverName::Descent => {
                let usual = Descent::default();
                Ok(Solver::Descent(Descent {
                    tolerance: self.tolerance.unwrap_or(usual.tolerance),
                    ..usual
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::simulate::{Scenario, Simulation};

    const SIZE: Size = Size {
        n: 300,
        d: 20,
        task: Task::Regression,
    };

    fn refused(request: &Request) -> (&'static str, String) {
        match request.settings(SIZE) {
            Err(Error::Setting { name, problem }) => (name, problem),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn who_asks_for_nothing_gets_the_protocols_defaults() {
        for protocol in [Protocol::Default, Protocol::Paper] {
            let request = Request {
                protocol,
                ..Request::default()
            };
            let usual = Settings::new(protocol, Penalty::MCP, protocol.validation(), SIZE);
            let asked = request.settings(SIZE).unwrap();
            assert_eq!(format!("{asked:?}"), format!("{usual:?}"));
        }
    }

    #[test]
    fn a_network_that_was_asked_for_is_compared_with_linear_models_but_stays() {
        let linear = |hidden: Option<Vec<usize>>, linear, protocol| {
            let request = Request {
                hidden,
                linear,
                protocol,
                ..Request::default()
            };
            request.settings(SIZE).unwrap().linear
        };
        let (given, usual) = (Some(vec![8]), Protocol::Default);
        assert_eq!(linear(None, None, usual), Linear::Choose);
        assert_eq!(linear(given.clone(), None, usual), Linear::Compare);
        let choose = Some(Linear::Choose);
        assert_eq!(linear(given.clone(), choose, usual), Linear::Choose);
        assert_eq!(linear(given, None, Protocol::Paper), Linear::Leave);
    }

    #[test]
    fn the_proximal_solver_has_epochs_and_settings_of_its_own() {
        let proximal = Request {
            solver: Some(SolverName::Proximal),
            threshold_step: Some(0.5),
            ..Request::default()
        };
        let settings = proximal.settings(SIZE).unwrap();
        assert_eq!((settings.first_epochs, settings.epochs), (5000, 5000));
        let expected = Proximal {
            step: StepRule::Fixed(0.5),
            ..Proximal::default()
        };
        assert_eq!(settings.solver, Solver::Proximal(expected));
        let some = Request {
            epochs: Some(7),
            ..proximal.clone()
        };
        let settings = some.settings(SIZE).unwrap();
        assert_eq!((settings.first_epochs, settings.epochs), (5000, 7));
        let rate = Request {
            learning_rate: Some(0.1),
            ..proximal
        };
        assert_eq!(refused(&rate).0, "learning_rate");
    }

    #[test]
    fn only_a_standardised_regression_is_lifted() {
        let lifted = |standardize| Request {
            lift: Some(2.0),
            standardize,
            ..Request::default()
        };
        let size = |task| Size::new(100, 5, task);
        let of = |task, standardize| lifted(standardize).settings(size(task));
        assert_eq!(of(Task::Regression, true).unwrap().lift, 2.0);
        assert!(of(Task::Regression, false).is_err());
        for task in [Task::Binary, Task::Multiclass, Task::Cox] {
            assert!(of(task, true).is_err());
        }
    }

    #[test]
    fn a_concavity_is_for_concave_penalties() {
        let penalty = |penalty| Request {
            penalty,
            concavity: Some(5.0),
            ..Request::default()
        };
        let (name, problem) = refused(&penalty(PenaltyName::Lasso));
        assert_eq!((name, &problem[..]), ("concavity", "the lasso has none"));
        let scad = penalty(PenaltyName::Scad).settings(SIZE).unwrap();
        assert_eq!(scad.penalty, Penalty::Scad(5.0));
    }

    #[test]
    fn a_hold_out_is_stratified_unless_the_paper_says_otherwise() {
        for (protocol, stratified) in [(Protocol::Default, true), (Protocol::Paper, false)] {
            let request = Request {
                protocol,
                validation: Some(ValidationName::Holdout(0.3)),
                ..Request::default()
            };
            let share = 0.3;
            let expected = Validation::Holdout { share, stratified };
            assert_eq!(request.settings(SIZE).unwrap().validation, expected);
        }
    }

    #[test]
    fn one_of_many_fits_has_one_hold_out_and_no_linear_models_unless_asked_for() {
        let settings = Request::default().one_split(SIZE).unwrap();
        let share = HELD_OUT_SHARE;
        let stratified = true;
        let holdout = Validation::Holdout { share, stratified };
        assert_eq!(settings.validation, holdout);
        assert_eq!(settings.linear, Linear::Leave);
        let asked = Request {
            validation: Some(ValidationName::Draws(4)),
            linear: Some(Linear::Compare),
            ..Request::default()
        };
        let settings = asked.one_split(SIZE).unwrap();
        assert_eq!(settings.validation.splits(), 4);
        assert_eq!(settings.linear, Linear::Compare);
    }

    #[test]
    fn selected_columns_are_neither_penalised_nor_screened() {
        let request = Request {
            lambdas: Some(vec![0.1, 0.2]),
            screen: Some(100),
            ..Request::default()
        };
        let data = Simulation::new(Scenario::Regression, 300, 20)
            .draw()
            .unwrap();
        let settings = request.on_selected(&data, &[2, 7]).unwrap();
        assert_eq!(settings.columns, Some(vec![2, 7]));
        assert_eq!(settings.lambdas, [0.0]);
        assert!(settings.screen.is_none());
        assert_eq!(settings.first_epochs, UNPENALISED_EPOCHS);
    }
}
