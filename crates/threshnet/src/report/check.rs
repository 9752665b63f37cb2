//! What a `report.json` must be for a page to be made of it: a file may come from anywhere.

use super::{
    ColumnEffect, Curves, Evidence, FitReport, HeldOutReport, JointEffect, OutcomeKind, PathReport,
};
use crate::dataset::Task;
use crate::metrics::SmoothCurve;
use crate::validate::Nested;

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
        self.nested
            .iter()
            .try_for_each(|of| of.check(self.task, classes))?;
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
        self.evidence.check()?;
        match &self.curves {
            None => Ok(()),
            Some(curves) => curves.check(task, classes),
        }
    }
}

impl Nested {
    fn check(&self, task: Task, classes: usize) -> Checked {
        for of in self.metrics.values().flatten() {
            let (low, high) = of.interval.unwrap_or_default();
            drawn("a metric", [&of.value, &low, &high])?;
        }
        drawn("a number of columns", [&self.size])?;
        self.evidence.check()?;
        match &self.curves {
            None => Ok(()),
            Some(curves) => curves.check(task, classes),
        }
    }
}

impl Evidence {
    fn check(&self) -> Checked {
        for part in &self.calibration {
            let of = &part.of;
            let known = [
                of.observed_expected,
                of.in_the_large,
                of.intercept,
                of.slope,
            ];
            let known = known.into_iter().chain([of.ici, of.e50, of.e90]).flatten();
            let known: Vec<f64> = known.chain(part.time).collect();
            drawn(
                "a calibration",
                known.iter().chain([&of.observed, &of.expected]),
            )?;
            of.curve.iter().try_for_each(SmoothCurve::check)?;
        }
        for part in &self.decision {
            let of = &part.of;
            let lengths_of = [of.net_benefit.len(), of.treat_all.len()];
            lengths("a decision curve", &lengths_of, of.threshold.len())?;
            let benefits: Vec<f64> = of.net_benefit.iter().copied().flatten().collect();
            let all = benefits.iter().chain(&of.threshold).chain(&of.treat_all);
            drawn("a net benefit", all.chain(&part.time))?;
        }
        for of in &self.at {
            let known = [of.auc, of.brier, of.brier_null, of.brier_scaled];
            let known: Vec<f64> = known.into_iter().flatten().collect();
            drawn("a score", known.iter().chain([&of.time]))?;
        }
        Ok(())
    }
}

impl SmoothCurve {
    fn check(&self) -> Checked {
        let of = [self.observed.len(), self.low.len(), self.high.len()];
        lengths("a smooth curve", &of, self.at.len())?;
        let all = self.at.iter().chain(&self.observed);
        drawn("a smooth curve", all.chain(&self.low).chain(&self.high))
    }
}

impl Curves {
    fn check(&self, task: Task, classes: usize) -> Checked {
        let of_both = |pairs: &[(f64, f64)]| -> Vec<f64> {
            pairs.iter().flat_map(|&(x, y)| [x, y]).collect()
        };
        match (self, task) {
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
                    let of = [group.survival.len(), group.low.len(), group.high.len()];
                    lengths("a survival curve", &of, group.time.len())?;
                    lengths("rows at risk", &[group.at_risk.len()], risk_times.len())?;
                    let shares = group.survival.iter().chain(&group.low).chain(&group.high);
                    let times = group.time.iter().chain(&group.censored);
                    drawn(
                        "a time",
                        times.chain(shares).chain(&of_both(&group.predicted)),
                    )?;
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
