//! One check of everything a fit can be told.

use super::table::setting;
use super::value::SPLITS;
use super::{LONGEST_GRID, Linear, Settings, Validation};
use crate::error::{Error, Result};
use crate::solver::Solver;

/// The deepest network there can be, and the most weights between its hidden layers.
const MOST_LAYERS: usize = 20;
const MOST_WEIGHTS: usize = 50_000_000;

impl Settings {
    /// Refuses anything outside its range, before any work.
    pub fn validate(&self) -> Result<()> {
        self.validate_path()?;
        if self.validation == Validation::None && self.lambdas.len() * self.ridges.len() != 1 {
            return Err(Error::setting(
                "validation",
                "`none` chooses nothing: give exactly one lambda and one ridge",
            ));
        }
        Ok(())
    }

    /// The same where nothing needs to be chosen.
    pub(crate) fn validate_path(&self) -> Result<()> {
        self.penalty.validate()?;
        self.solver.validate(self.penalty)?;
        check_grid("lambdas", &self.lambdas)?;
        check_grid("ridges", &self.ridges)?;
        check_layers(&self.hidden)?;
        setting("first_epochs").check(&self.first_epochs)?;
        setting("epochs").check(&self.epochs)?;
        setting("lift").check(&self.lift)?;
        setting("screen").check(&self.screen)?;
        setting("batch_size").check(&self.batch_size)?;
        setting("frequency").check(&self.frequency)?;
        if self.shortcut && self.hidden.is_empty() {
            return Err(Error::setting(
                "shortcut",
                "a linear model has nothing to go around; leave it out",
            ));
        }
        setting("epochs")
            .check(&self.relax)
            .map_err(|_| Error::setting("relax", "give as many epochs as a lambda can have"))?;
        if self.batch_size.is_some() && !matches!(self.solver, Solver::Adam(_)) {
            return Err(Error::setting(
                "batch_size",
                "only the adam solver takes some rows at a time; leave it out",
            ));
        }
        self.validate_solver()?;
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
            Validation::Draws { count, .. } | Validation::Folds { count }
                if !SPLITS.contains(count as f64) =>
            {
                Err(Error::setting(
                    "validation",
                    format!("folds or draws {SPLITS} are possible, not {count}"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what a solver cannot do.
    fn validate_solver(&self) -> Result<()> {
        match self.solver {
            Solver::Descent(_) if !self.hidden.is_empty() => Err(Error::setting(
                "solver",
                "coordinate descent is for linear models: ask for no hidden layer, or for another \
                 solver",
            )),
            Solver::Adam(_) if self.free_bias => Err(Error::setting(
                "solver",
                "adam has one ridge for all weights; free no bias of it, or take another solver",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses what does not go with draws, or only with them.
    fn validate_draws(&self) -> Result<()> {
        let draws = matches!(self.validation, Validation::Draws { .. });
        match self.frequency {
            Some(_) if !draws => Err(Error::setting(
                "frequency",
                "it is the share of repeated fits, and there are none: validate by them, such as \
                 draws:12 (under stability selection the share follows from how many columns may \
                 be false)",
            )),
            _ if draws && self.refit => Err(Error::setting(
                "refit",
                "the networks of the repeated fits are the model; leave it out",
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
                    "models cannot be compared without validation; leave linear models out",
                );
            }
            let problem = "ridges cannot be compared without validation; turn it off";
            if self.skip_ridges {
                return refused("skip_ridges", problem);
            }
        }
        let every_row = matches!(
            self.validation,
            Validation::Draws { .. } | Validation::Folds { .. }
        );
        if self.ensemble && !every_row {
            return refused(
                "ensemble",
                "it is weighted by what its parts say of all rows without having seen them: take \
                 repeated fits such as draws:12 or folds such as cv:5, or leave it out",
            );
        }
        if self.look_again && !matches!(self.validation, Validation::Draws { .. }) {
            return refused(
                "look_again",
                "only repeated fits take a second look; turn it off, or take some, such as draws:12",
            );
        }
        if self.look_again && self.init.is_some() {
            return refused(
                "look_again",
                "a second look starts at random; turn it off, or leave out the model",
            );
        }
        Ok(())
    }
}

fn check_layers(hidden: &Vec<usize>) -> Result<()> {
    setting("hidden").check(hidden)?;
    let between: usize = hidden.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let problem = match hidden.len() {
        count if count > MOST_LAYERS => {
            format!("{count} hidden layers: {MOST_LAYERS} are the most")
        }
        _ if between > MOST_WEIGHTS => {
            format!("{between} weights between hidden layers: {MOST_WEIGHTS} are the most")
        }
        _ => return Ok(()),
    };
    Err(Error::setting("hidden", problem))
}

fn check_grid(name: &'static str, values: &Vec<f64>) -> Result<()> {
    if values.is_empty() {
        return Err(Error::setting(name, "the list is empty"));
    }
    if values.len() > LONGEST_GRID {
        return Err(Error::setting(
            name,
            format!("more than {LONGEST_GRID} values"),
        ));
    }
    setting(name).check(values)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::linear::Descent;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Size};
    use crate::solver::{Adam, Proximal};

    fn settings() -> Settings {
        Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            Size::new(300, 20, Task::Regression),
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
            ("below 0", |s| s.lift = -1.0),
            ("endless", |s| s.lift = f64::INFINITY),
            ("shortcut around nothing", |s| {
                s.hidden = vec![];
                s.shortcut = true;
            }),
            ("relax", |s| s.relax = Some(0)),
            ("screen", |s| s.screen = Some(1)),
            ("batch", |s| s.batch_size = Some(0)),
            ("proximal batch", |s| {
                s.batch_size = Some(50);
                s.solver = Solver::Proximal(Proximal::default());
            }),
            ("descent to a network", |s| {
                s.solver = Solver::Descent(Descent::default());
            }),
            ("loose descent", |s| {
                s.hidden = vec![];
                s.solver = Solver::Descent(Descent {
                    tolerance: 1e-5,
                    ..Descent::default()
                });
            }),
            ("a free bias by adam", |s| s.free_bias = true),
            ("share", |s| {
                s.validation = Validation::Holdout {
                    share: 1.0,
                    stratified: true,
                }
            }),
            ("folds", |s| s.validation = Validation::folds(1)),
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
                    ..Adam::default()
                })
            }),
            ("skip without validation", |s| {
                *s = unvalidated();
                s.skip_ridges = true;
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
