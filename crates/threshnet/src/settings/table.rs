//! Every setting of a fit, once: front ends make their flags, parameters, help and checks of
//! this table, and a fit's record names what was asked for by it.
//!
//! An entry is a field of [`Request`]: its documentation (the first line is the short help),
//! name, type and value where nobody asks for it, then what [`Setting`] knows beside.

use super::outer::Outer;
use super::request::{PenaltyName, SolverName, ValidationName};
use super::setting::{Group, Range, Setting, Stage};
use super::value::{Typed, Value};
use super::{LONGEST_LAYER, Linear, Protocol, Rule};
use crate::activation::Activation;
use crate::dataset::{Gaps, Missing, Task, Unseen};
use crate::error::{Error, Result};
use crate::loss::Ties;
use crate::model::Model;
use crate::path::Direction;
use crate::stability::FEWEST_PAIRS;

/// Makes the request and the table of the same entries.
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty = $usual:expr, { $($known:ident: $value:expr),+ $(,)? }
    )+) => {
        /// What a user asks of a fit. `None` leaves it to the protocol; see
        /// [`Settings`](super::Settings) for what each means to the engine.
        #[derive(Debug, Clone)]
        pub struct Request {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Default for Request {
            fn default() -> Self {
                Request { $($name: $usual,)+ }
            }
        }

        /// Every setting, in the order in which people read them.
        pub static TABLE: &[Setting] = &[$(
            Setting {
                $($known: $value,)+
                ..Setting::new(stringify!($name), <$type as Typed>::TAKES, concat!($($doc, "\n"),+))
            },
        )+];

        impl Request {
            /// Sets the setting of this name, if its value can be read and is in its range.
            pub fn set(&mut self, name: &str, value: Value) -> Result<()> {
                match name {
                    $(stringify!($name) => self.$name = setting(name).read(value)?,)+
                    _ => return Err(Error::Data(format!("there is no setting {name:?}"))),
                }
                Ok(())
            }

            /// The value of every setting by name, null where it is left to the protocol.
            pub fn values(&self) -> serde_json::Map<String, serde_json::Value> {
                [$((stringify!($name).to_string(), self.$name.shown()),)+].into_iter().collect()
            }

            /// Refuses what is outside its range, by whatever way it came.
            pub fn check(&self) -> Result<()> {
                $(setting(stringify!($name)).check(&self.$name)?;)+
                Ok(())
            }
        }
    };
}

/// The setting of this name, which there must be.
pub fn setting(name: &str) -> &'static Setting {
    let mut found = TABLE.iter().filter(|setting| setting.name == name);
    found
        .next()
        .unwrap_or_else(|| panic!("there is no setting {name:?}"))
}

settings! {
    /// Group penalty
    ///
    /// Of all weights that leave a column. The LASSO shrinks what it keeps; MCP and SCAD, which
    /// are concave, leave strong columns alone.
    penalty: PenaltyName = PenaltyName::Mcp, {
        group: Group::Model, stage: Stage::Common,
        default: "mcp",
    }
    /// Concavity of the penalty, the paper's a
    ///
    /// Above 2 for scad. The lasso has none.
    concavity: Option<f64> = None, {
        group: Group::Model, range: Some(Range::above(0.0, 1e6)),
        default: "3 (mcp), 3.7 (scad)",
    }
    /// Widths of the hidden layers
    ///
    /// At most 20. To give them is to want that network: linear models are then compared with it
    /// but do not replace it.
    hidden: Option<Vec<usize>> = None, {
        group: Group::Model, stage: Stage::Common, range: Some(Range::from_to(1.0, LONGEST_LAYER as f64)),
        default: "10,5",
    }
    /// Whether columns also lead straight to the output, beside the hidden layers
    ///
    /// For data that are nearly linear. The weights on this way belong to their column's group.
    shortcut: bool = false, { group: Group::Model, default: "no" }
    /// Linear models beside the network, validated in the same way
    ///
    /// To be the model if they predict better (choose), to compare with (compare), or none
    /// (leave).
    linear: Option<Linear> = None, {
        group: Group::Model,
        default: "choose; compare if hidden layers are given; leave without validation and with \
                  error control",
        paper: Some("leave"),
    }
    /// Everything that was fitted as one more predictor, beside references that use all columns
    ///
    /// A ridge and a forest of all columns tell what the sparse model leaves out; averaged with it,
    /// with the linear models and with all repeated fits they make the ensemble, which selects nothing
    /// and often predicts better, not always: a fit says by how much on held-out rows.
    ensemble: Option<bool> = None, {
        group: Group::Model,
        default: "yes; no for a linear model, with a hold-out, without validation and with error control",
        paper: Some("no"),
    }
    /// Activation between layers
    activation: Activation = Activation::Relu, { group: Group::Model, default: "relu" }
    /// Tied events of a survival outcome
    ties: Ties = Ties::Breslow, { group: Group::Model, default: "breslow", tasks: &[Task::Cox] }
    /// Where defaults come from: the best measured ones, or the paper's procedure to the letter
    protocol: Protocol = Protocol::Default, { stage: Stage::Common, default: "default" }
    /// How lambda and ridge are chosen
    ///
    /// `holdout:0.2` holds out a share of the rows, `cv:5` crosses folds, `draws:12` fits twelve
    /// times, each time with other rows held out and from another start, selects columns by how often
    /// they were selected, and averages predictions; `none` takes one lambda and one ridge. There can
    /// be 2 to 1000 folds or repeated fits.
    validation: Option<ValidationName> = None, {
        stage: Stage::Common,
        default: "draws:12; holdout:0.2 with error control",
        paper: Some("holdout:0.2, not stratified"),
    }
    /// Nested validation: everything is done again in every outer split
    ///
    /// `cv:5` crosses folds, `cv:5x10` ten times, `boot:200` draws bootstrap samples and corrects optimism by
    /// .632+ and Harrell's. Selection, imputation, screening and the contest are repeated without the
    /// rows that are scored: the honest figure of the whole procedure, at the cost of as many fits.
    outer: Option<Outer> = None, { default: "none" }
    /// What each selected column is worth on held-out rows
    ///
    /// Models of the selected columns are fitted again on folds of the rows, with each column left out
    /// in turn (drop-column importance), and with it permuted given the others (conditional permutation). It is
    /// importance after selection, which saw all rows.
    importance: bool = false, { default: "no" }
    /// Group penalties
    ///
    /// At most 10000 numbers in ascending order, or MIN:MAX:COUNT on a log scale.
    lambdas: Option<Vec<f64>> = None, {
        range: Some(Range::from_to(0.0, 1e6)),
        default: "1e-3:0.5:50; 1e-2:0.5:50 for more columns than training rows; 5e-4:2e-3:50 with \
                  lasso; with descent 100 from the smallest that selects nothing down to 1e-4 of \
                  it, 1e-2 for more columns than training rows",
        paper: Some("1e-3:0.5:50, or 1e-2:0.5:50 for more columns than training rows; 5e-4:2e-3:50 \
                     with lasso"),
    }
    /// Ridge penalties
    ///
    /// At most 10000 numbers in ascending order, or MIN:MAX:COUNT on a log scale.
    ridges: Option<Vec<f64>> = None, {
        range: Some(Range::from_to(0.0, 1e6)),
        default: "1e-3:0.06:9; 1e-2:0.06:8 for more columns than training rows (a regression \
                  1e-3:0.06:8); 1e-3:0.06:4 for more than 2000 rows; three of them to control the \
                  false-discovery rate; with descent 0 for lasso, else and for repeated fits 1e-3, and 30 \
                  that the data give where lambda is 0",
        paper: Some("1e-3:0.1:10, or 1e-2:0.1:10 for more columns than training rows"),
    }
    /// Which lambda: the best, or the largest within one standard error of it
    rule: Rule = Rule::Min, { default: "min" }
    /// The share of the repeated fits that must select a column
    frequency: Option<f64> = None, {
        range: Some(Range::above(0.0, 1.0)),
        default: "0.25, or 0.4 after a second look, and more where the fits select a large part of \
                  all columns",
    }
    /// Whether to fit again on all rows at the chosen point
    refit: Option<bool> = None, { default: "yes after cv, no after holdout" }
    /// Whether to trace every other ridge first, then only those beside a promising one
    ///
    /// About a quarter less work, now and then another model.
    skip_ridges: bool = false, { default: "no" }
    /// Whether repeated fits take a second look at columns they have left out
    ///
    /// Finds what matters only in a curve or with another column.
    look_again: Option<bool> = None, {
        default: "yes for repeated fits of networks on more columns than training rows, no otherwise, with \
                  lasso and from a given model",
        paper: Some("no"),
    }
    /// Select by stability: so many pairs of complementary half-samples
    ///
    /// The columns that most of them select; then a network is fitted on these. 50 is usual.
    stability: Option<usize> = None, {
        group: Group::Control, stage: Stage::Common, range: Some(Range::from_to(FEWEST_PAIRS as f64, 10_000.0)),
        default: "none",
    }
    /// How many columns no better than chance to allow among those, on average
    max_false: Option<f64> = None, {
        group: Group::Control, range: Some(Range::above(0.0, 1e6)),
        default: "1",
    }
    /// Select at a false-discovery rate, such as 0.1: the columns that beat their knockoffs
    ///
    /// A rate q cannot certify fewer than 1/q columns.
    fdr: Option<f64> = None, {
        group: Group::Control, stage: Stage::Common, range: Some(Range::between(0.0, 1.0)),
        default: "none",
    }
    /// Keep only so many columns, by how much each tells of the outcome alone or with a strong one
    ///
    /// Anew for every split. For very wide data; columns that matter only together are lost.
    screen: Option<usize> = None, {
        group: Group::Data, range: Some(Range::from_to(2.0, 1e9)),
        default: "50000 of more than 200000, all of fewer",
        paper: Some("all"),
    }
    /// What becomes of missing cells
    ///
    /// They are refused (error), or become the median of their column, of a text the most frequent
    /// level, learned on the training rows of every split (impute; predictions do the same with those of
    /// all rows), or are imputed in several ways by chained equations, a way for each
    /// repeated fit (multiple:10), or their rows are left out (drop).
    missing: Missing = Missing::Error, { group: Group::Data, default: "error" }
    /// Whether columns with imputed cells get another that says which, in the same group
    missing_indicators: bool = false, { group: Group::Data, default: "no" }
    /// What becomes of a text's level that the fit did not know, at prediction
    ///
    /// It is refused (error), or all columns of the text are zero (zero).
    unseen: Unseen = Unseen::Error, { group: Group::Data, default: "error" }
    /// Whether columns, and the target of a regression, are standardised with the training rows
    ///
    /// Predictions come back on the original scale.
    standardize: bool = true, { group: Group::Data, default: "yes" }
    /// Lift the standardised target of a regression by so many standard deviations
    ///
    /// A network that has to learn a mean, too, finds more of what matters only in a curve, and more
    /// noise; 0.5 has been tried.
    lift: Option<f64> = None, {
        group: Group::Data, range: Some(Range::from_to(0.0, 1000.0)), tasks: &[Task::Regression],
        default: "0",
    }
    /// The paper's Adam, composite gradient with line search, or coordinate descent
    ///
    /// Coordinate descent is exact and quick, and for linear models alone.
    solver: Option<SolverName> = None, {
        group: Group::Solver,
        default: "adam; descent without hidden layers",
        paper: Some("adam"),
    }
    /// Adam's rate
    learning_rate: Option<f64> = None, {
        group: Group::Solver, range: Some(Range::above(0.0, 1e6)),
        default: "0.003; 0.001 with lasso",
        paper: Some("0.001"),
    }
    /// Step of the threshold, the paper's gamma
    threshold_step: Option<f64> = None, {
        group: Group::Solver, range: Some(Range::above(0.0, 1e6)),
        default: "1 (adam), a line search (proximal)",
    }
    /// When a lambda is finished
    ///
    /// With adam once its remaining epochs would lower loss and ridge by less than this share
    /// (0.01 saves about half of the epochs; not with lasso), with proximal and descent at this
    /// certificate, which is at most 1e-6 with descent.
    tolerance: Option<f64> = None, {
        group: Group::Solver, range: Some(Range::from_to(0.0, 1.0)),
        default: "0.01 (adam; 0, never early, with lasso), 1e-6 (proximal), 1e-7 (descent)",
        paper: Some("0"),
    }
    /// Epochs at each lambda after the first
    epochs: Option<usize> = None, {
        group: Group::Solver, range: Some(Range::from_to(1.0, 1e6)),
        default: "200 (adam), 5000 (proximal), 1000 (descent)",
    }
    /// Epochs at the smallest lambda
    first_epochs: Option<usize> = None, {
        group: Group::Solver, range: Some(Range::from_to(1.0, 1e6)),
        default: "2000, or 200 for more columns than training rows (adam), 5000 (proximal), 1000 \
                  (descent)",
    }
    /// Most rows per step of adam, for many rows
    ///
    /// Never for survival, whose risk sets need all rows.
    batch_size: Option<usize> = None, {
        group: Group::Solver, range: Some(Range::from_to(1.0, 1e9)), tasks: &[Task::Regression, Task::Binary, Task::Multiclass],
        default: "all rows",
    }
    /// Order of the lambdas and what each starts from
    path: Option<Direction> = None, {
        group: Group::Solver,
        default: "backward; forward with descent",
        paper: Some("backward"),
    }
    /// Start from this model's weights (same columns) in place of random ones
    init: Option<Model> = None, { group: Group::Solver, default: "random weights" }
    /// Seed of splits and starts: same seed, same bits, on AVX-512 and AVX2 alike
    ///
    /// A whole number below 2 to the power of 64.
    seed: u64 = 0, { group: Group::Run, stage: Stage::Common, default: "0" }
    /// Threads; does not change the result
    jobs: Option<usize> = None, {
        group: Group::Run, stage: Stage::Common, range: Some(Range::from_to(1.0, 1024.0)),
        default: "all cores",
    }
}

impl Request {
    /// What becomes of missing cells.
    pub fn gaps(&self) -> Result<Gaps> {
        if self.missing_indicators && !self.missing.imputes() {
            return Err(Error::setting(
                "missing_indicators",
                "nothing is imputed: impute missing cells, or leave this out",
            ));
        }
        Ok(Gaps {
            missing: self.missing,
            indicators: self.missing_indicators,
        })
    }

    /// What was asked for beyond what is usual, by name: what a record of the fit keeps.
    pub fn given(&self) -> serde_json::Map<String, serde_json::Value> {
        let usual = Request::default().values();
        let mut values = self.values();
        values.retain(|name, value| usual.get(name) != Some(value));
        values
    }

    /// The same without the number of threads, which changes nothing.
    pub fn given_but_jobs(&self) -> serde_json::Map<String, serde_json::Value> {
        let mut given = self.given();
        given.remove("jobs");
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Settings, Size};
    use crate::solver::Solver;

    #[test]
    fn every_setting_says_what_it_is_for_and_does_without() {
        let mut names: Vec<&str> = TABLE.iter().map(|setting| setting.name).collect();
        for setting in TABLE {
            assert!(
                !setting.help().is_empty() && !setting.default.is_empty(),
                "{setting:?}"
            );
            assert!(setting.help().len() <= 100, "{}", setting.help());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    /// Written by hand beside the code that decides, so it is checked against it.
    #[test]
    fn written_defaults_are_those_of_a_fit() {
        let of = |protocol: Protocol| {
            let size = Size::new(300, 20, Task::Regression);
            let request = Request {
                protocol,
                ..Request::default()
            };
            request.settings(size).unwrap()
        };
        let (usual, paper) = (of(Protocol::Default), of(Protocol::Paper));
        let first = |text: &str| -> String { text.split([';', ' ', ',']).next().unwrap().into() };
        let shown = |name: &str, of: fn(&Settings) -> String| {
            let known = setting(name);
            assert_eq!(first(known.default), of(&usual), "{name}");
            assert_eq!(
                first(known.paper.unwrap_or(known.default)),
                of(&paper),
                "{name}"
            );
        };
        fn adam(of: &Settings) -> crate::solver::Adam {
            match of.solver {
                Solver::Adam(adam) => adam,
                _ => panic!("the paper's solver is usual"),
            }
        }
        fn grid(values: &[f64]) -> String {
            let [first, .., last] = values else { panic!() };
            let short = |x: &f64| {
                if *x <= 0.01 {
                    format!("{x:e}")
                } else {
                    x.to_string()
                }
            };
            format!("{}:{}:{}", short(first), short(last), values.len())
        }
        shown("learning_rate", |of| adam(of).learning_rate.to_string());
        shown("tolerance", |of| adam(of).tolerance.to_string());
        shown("threshold_step", |of| adam(of).threshold_step.to_string());
        shown("epochs", |of| of.epochs.to_string());
        shown("first_epochs", |of| of.first_epochs.to_string());
        shown("lambdas", |of| grid(&of.lambdas));
        shown("ridges", |of| grid(&of.ridges));
        shown("lift", |of| of.lift.to_string());

        // what follows the first word: data of other sizes and another penalty
        let of = |n, d, task, penalty| {
            let request = Request {
                penalty,
                ..Request::default()
            };
            request.settings(Size::new(n, d, task)).unwrap()
        };
        let (mcp, lasso) = (PenaltyName::Mcp, PenaltyName::Lasso);
        let wide = of(100, 500, Task::Cox, mcp);
        for (name, said) in [
            ("ridges", grid(&wide.ridges)),
            ("ridges", grid(&of(100, 500, Task::Regression, mcp).ridges)),
            ("ridges", grid(&of(3000, 20, Task::Cox, mcp).ridges)),
            ("lambdas", grid(&wide.lambdas)),
            ("lambdas", grid(&of(300, 20, Task::Cox, lasso).lambdas)),
            ("first_epochs", wide.first_epochs.to_string()),
            (
                "learning_rate",
                adam(&of(300, 20, Task::Cox, lasso))
                    .learning_rate
                    .to_string(),
            ),
        ] {
            assert!(setting(name).default.contains(&said), "{name}: {said}");
        }
        assert!(wide.look_again && !usual.look_again && !paper.look_again);
    }

    #[test]
    fn the_usual_values_are_in_their_ranges_and_nothing_is_given() {
        Request::default().check().unwrap();
        assert!(Request::default().given().is_empty());
    }

    #[test]
    fn values_are_set_by_name_and_refused_by_name() {
        let mut request = Request::default();
        let text = |text: &str| Value::Text(text.into());
        request.set("penalty", text("scad")).unwrap();
        request.set("hidden", text("4,2")).unwrap();
        request.set("epochs", Value::Whole(7)).unwrap();
        request.set("refit", Value::YesNo(true)).unwrap();
        assert_eq!(request.penalty, PenaltyName::Scad);
        assert_eq!(request.hidden, Some(vec![4, 2]));
        let given: Vec<String> = request.given().keys().cloned().collect();
        assert_eq!(given, ["penalty", "hidden", "refit", "epochs"]);
        for (name, value, problem) in [
            (
                "learning_rate",
                text("-1"),
                "-1 is not a number above 0 and at most 1000000",
            ),
            (
                "epochs",
                text("1000000000000000000"),
                "is not a whole number from 1 to 1000000",
            ),
            ("epochs", Value::Whole(0), "0 is not a whole number from 1"),
            (
                "stability",
                text("1e19"),
                "1e19 is not a whole number from 3 to 10000",
            ),
            (
                "jobs",
                text("100000"),
                "100000 is not a whole number from 1 to 1024",
            ),
            (
                "validation",
                text("draws:1000000000"),
                "draws from 2 to 1000 are possible",
            ),
            (
                "lambdas",
                text("1e-3:0.5:1000000000"),
                "COUNT is a whole number from 1 to 10000",
            ),
            (
                "lambdas",
                Value::Numbers(vec![-1.0]),
                "-1 is not a number from 0",
            ),
            (
                "hidden",
                Value::Numbers(vec![20_000.0]),
                "20000 is not a whole number",
            ),
            (
                "penalty",
                text("ridge"),
                "ridge is none of lasso, mcp, scad",
            ),
            ("refit", Value::Whole(1), "1 is neither yes nor no"),
            (
                "fdr",
                Value::Number(f64::NAN),
                "NaN is not a number between 0 and 1",
            ),
        ] {
            match request.set(name, value) {
                Err(Error::Setting {
                    name: of,
                    problem: said,
                }) => {
                    assert_eq!(of, name);
                    assert!(said.contains(problem), "{name}: {said}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert!(request.set("nothing", text("1")).is_err());
    }
}
