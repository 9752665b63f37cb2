//! What a `report.json` must be for a page to be made of it: a file may come from anywhere.

use super::{ColumnEffect, Curves, FitReport, HeldOutReport, JointEffect, OutcomeKind, PathReport};
use crate::dataset::Task;

/// What is wrong, in words.
type Checked = Result<(), String>;

/// The largest number: differences and squares of what is drawn are numbers, too.
const LARGEST: f64 = 1e150;

impl FitReport {
    /// Refuses parts that do not fit together.
    pub(super) fn check(&self) -> Checked {
        self.path.check()?;
        let grid = self.validation.grid.len();
        if self.validation.chosen.iter().any(|&chosen| chosen >= grid) {
            return Err("a choice outside of the grid".into());
        }
        let rows = self.data.n;
        let (fits, scarce) = match (&self.outcome.kind, self.task) {
            (OutcomeKind::Number { .. }, Task::Regression) => (true, 0),
            (OutcomeKind::Survival { events, .. }, Task::Cox) => (true, *events),
            (OutcomeKind::Classes { classes }, Task::Binary) => (classes.len() == 2, 0),
            (OutcomeKind::Classes { classes }, Task::Multiclass) => (classes.len() >= 2, 0),
            _ => (false, 0),
        };
        if !fits || scarce > rows {
            return Err(format!(
                "an outcome that is none of a {} model",
                self.task.name()
            ));
        }
        if self.data.constant > self.data.d {
            return Err("more constant columns than columns".into());
        }
        let classes = self.classes().len().max(1);
        self.effects
            .iter()
            .try_for_each(|effect| effect.check(classes))?;
        self.joint.iter().try_for_each(JointEffect::check)?;
        self.held_out
            .iter()
            .try_for_each(|of| of.check(self.task, classes))
    }
}

/// Refuses a number that cannot be drawn.
fn drawn<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Checked {
    match values.into_iter().find(|value| value.abs() > LARGEST) {
        Some(value) => Err(format!("{what} of {value:e}")),
        None => Ok(()),
    }
}

/// Refuses parts that are not as long as they should be.
fn lengths(what: &str, of: &[usize], expected: usize) -> Checked {
    match of.iter().find(|length| **length != expected) {
        Some(length) => Err(format!(
            "{what} with {length} values in place of {expected}"
        )),
        None => Ok(()),
    }
}

impl PathReport {
    fn check(&self) -> Checked {
        let steps = self.lambdas.len();
        lengths("a path", &[self.sizes.len(), self.others.len()], steps)?;
        if self.chosen >= steps.max(1) {
            return Err(format!(
                "a choice of step {} of {steps} on the path",
                self.chosen
            ));
        }
        drawn("a lambda", &self.lambdas)?;
        drawn("a norm", &self.others)?;
        self.columns.iter().try_for_each(|column| {
            lengths("a column's path", &[column.norms.len()], steps)?;
            drawn("a norm", &column.norms)
        })
    }
}

impl ColumnEffect {
    fn check(&self, classes: usize) -> Checked {
        if ![1, classes].contains(&self.partial.len()) || self.local.len() != self.partial.len() {
            return Err(format!(
                "an effect on {} of {classes} classes",
                self.partial.len()
            ));
        }
        let levels = (!self.levels.is_empty()).then_some(self.levels.len());
        let curves = || self.partial.iter().chain(&self.local);
        let of: Vec<usize> = curves().map(Vec::len).chain(levels).collect();
        lengths("an effect", &of, self.at.len())?;
        drawn(
            "an effect",
            curves().flatten().chain(&self.at).chain(&self.rug),
        )?;
        drawn("a swing", [&self.swing])
    }
}

impl JointEffect {
    fn check(&self) -> Checked {
        let what = "a joint effect";
        lengths(what, &[self.mean.len()], self.second_at.len())?;
        let rows: Vec<usize> = self.mean.iter().map(Vec::len).collect();
        lengths(what, &rows, self.first_at.len())?;
        let places = self.first_at.iter().chain(&self.second_at);
        drawn(what, self.mean.iter().flatten().chain(places))
    }
}

impl HeldOutReport {
    fn check(&self, task: Task, classes: usize) -> Checked {
        for estimate in self.metrics.values().flatten() {
            let (low, high) = estimate.interval.unwrap_or_default();
            drawn("a metric", [&estimate.value, &low, &high])?;
        }
        drawn("a metric", self.by_fold.iter().flatten())?;
        let of_both = |pairs: &[(f64, f64)]| -> Vec<f64> {
            pairs.iter().flat_map(|&(x, y)| [x, y]).collect()
        };
        let Some(curves) = &self.curves else {
            return Ok(());
        };
        match (curves, task) {
            (
                Curves::Regression {
                    predicted,
                    observed,
                },
                Task::Regression,
            ) => {
                lengths("predicted rows", &[predicted.len()], observed.len())?;
                drawn("a row", predicted.iter().chain(observed))
            }
            (
                Curves::Binary {
                    roc,
                    precision_recall,
                    prevalence,
                    calibration,
                    confusion,
                },
                Task::Binary,
            ) => {
                square(confusion, classes)?;
                let bins = calibration
                    .iter()
                    .flat_map(|bin| [bin.predicted, bin.observed, bin.interval.0, bin.interval.1]);
                let bins: Vec<f64> = bins.collect();
                let points = [
                    of_both(roc),
                    of_both(precision_recall),
                    bins,
                    vec![*prevalence],
                ];
                drawn("a rate", points.iter().flatten())
            }
            (Curves::Multiclass { confusion }, Task::Multiclass) => square(confusion, classes),
            (
                Curves::Cox {
                    groups,
                    risk_times,
                    time_auc,
                    ..
                },
                Task::Cox,
            ) => {
                for group in groups {
                    lengths(
                        "a survival curve",
                        &[group.time.len()],
                        group.survival.len(),
                    )?;
                    lengths("rows at risk", &[group.at_risk.len()], risk_times.len())?;
                    drawn("a time", group.time.iter().chain(&group.survival))?;
                }
                drawn("a time", of_both(time_auc).iter().chain(risk_times))
            }
            _ => Err(format!("curves of another task than {}", task.name())),
        }
    }
}

/// Refuses a table of truth and prediction that is not by class.
fn square(confusion: &[Vec<usize>], classes: usize) -> Checked {
    let rows: Vec<usize> = confusion.iter().map(Vec::len).collect();
    lengths("a confusion", &[rows.len()], classes)?;
    lengths("a confusion", &rows, classes)
}
