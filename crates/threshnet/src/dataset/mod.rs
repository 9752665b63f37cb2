//! Rows, feature columns and a response: what every fit starts from.

mod features;
mod missing;
mod response;
mod terms;
mod weights;

pub use crate::columns::Column;
pub use features::Features;
pub use missing::{Fill, Gaps, Missing, Unseen};
pub use response::Response;
pub use terms::{KEPT, Terms};
pub use weights::Weights;

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What is predicted, and so which loss is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A number; squared loss.
    Regression,
    /// One of two classes; logistic loss.
    Binary,
    /// One of several classes; cross-entropy.
    Multiclass,
    /// A time to event, possibly censored; Cox partial likelihood.
    Cox,
}

impl Task {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Task::Regression => "regression",
            Task::Binary => "binary",
            Task::Multiclass => "multiclass",
            Task::Cox => "cox",
        }
    }
}

/// The outcome of every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A number per row.
    Continuous(Vec<f64>),
    /// A class per row, as a position in `classes` (sorted; with two classes
    /// and [`Task::Binary`] the last is the positive one).
    Classes {
        /// The class of each row.
        labels: Vec<usize>,
        /// The names of the classes.
        classes: Vec<String>,
        /// [`Task::Binary`] (one output) or [`Task::Multiclass`] (one per class).
        task: Task,
    },
    /// A time per row, and whether the event happened then.
    Survival {
        /// Time to event or censoring, not negative.
        time: Vec<f64>,
        /// True where the event was seen, false where the row is censored.
        event: Vec<bool>,
    },
}

impl Outcome {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Outcome::Continuous(y) => y.len(),
            Outcome::Classes { labels, .. } => labels.len(),
            Outcome::Survival { time, .. } => time.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The task this outcome is for.
    pub fn task(&self) -> Task {
        match self {
            Outcome::Continuous(_) => Task::Regression,
            Outcome::Classes { task, .. } => *task,
            Outcome::Survival { .. } => Task::Cox,
        }
    }

    /// The outcome of the given rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Outcome {
        match self {
            Outcome::Continuous(y) => Outcome::Continuous(rows.iter().map(|&i| y[i]).collect()),
            Outcome::Classes {
                labels,
                classes,
                task,
            } => Outcome::Classes {
                labels: rows.iter().map(|&i| labels[i]).collect(),
                classes: classes.clone(),
                task: *task,
            },
            Outcome::Survival { time, event } => Outcome::Survival {
                time: rows.iter().map(|&i| time[i]).collect(),
                event: rows.iter().map(|&i| event[i]).collect(),
            },
        }
    }

    /// The stratum of each row when rows are split: its class, or whether it
    /// had the event; one stratum for a continuous outcome.
    pub fn strata(&self) -> Vec<usize> {
        match self {
            Outcome::Continuous(y) => vec![0; y.len()],
            Outcome::Classes { labels, .. } => labels.clone(),
            Outcome::Survival { event, .. } => event.iter().map(|&e| usize::from(e)).collect(),
        }
    }

    /// Refuses an outcome that no model can be fitted to: non-finite values,
    /// a constant, a single class, a class without a name, no event.
    pub fn validate(&self) -> Result<()> {
        let data = |problem: &str| Err(Error::Data(problem.to_string()));
        match self {
            Outcome::Continuous(y) => {
                if y.iter().any(|v| !v.is_finite()) {
                    return data("the outcome has missing or infinite values");
                }
                if let Some(large) = y.iter().find(|v| v.abs() > LARGEST_OUTCOME) {
                    return data(&format!(
                        "the outcome has values such as {large:e}, whose squares leave the range of \
                         numbers: write it in a larger unit"
                    ));
                }
                if y.iter().all(|&v| v == y[0]) {
                    return data("the outcome is constant: there is nothing to fit");
                }
            }
            Outcome::Classes {
                labels,
                classes,
                task,
            } => {
                match task {
                    Task::Binary if classes.len() == 2 => {}
                    Task::Binary => return data("a binary outcome has exactly two classes"),
                    Task::Multiclass => {}
                    _ => return data("classes are for a binary or a multiclass task"),
                }
                if labels.iter().any(|&c| c >= classes.len()) {
                    return data("the outcome has a class without a name");
                }
                if labels.iter().all(|&c| c == labels[0]) {
                    return data("the outcome has one class only: there is nothing to separate");
                }
            }
            Outcome::Survival { time, event } => {
                if time.len() != event.len() {
                    return data("there must be as many times as events");
                }
                if time.iter().any(|t| !(t.is_finite() && *t >= 0.0)) {
                    return data("times must be finite and not negative");
                }
                if !event.contains(&true) {
                    return data("no event is observed: the partial likelihood is empty");
                }
            }
        }
        Ok(())
    }
}

/// The largest outcome that is fitted: losses are made of squares.
const LARGEST_OUTCOME: f64 = 1e150;

/// Features as columns, and the response of every row.
#[derive(Debug, Clone)]
pub struct Dataset<'a> {
    features: Features,
    columns: Vec<Column<'a>>,
    response: Response,
    /// The numbers that the rows had before those of weight 0 were left out, if any were.
    numbers: Option<Vec<usize>>,
    /// How many rows were left out for a missing cell.
    dropped: usize,
    /// What becomes of cells that are still missing wherever they are learned from.
    missing: Missing,
}

impl<'a> Dataset<'a> {
    /// Checks shapes and values of numbers and takes them over.
    pub fn new(
        names: Vec<String>,
        columns: Vec<Vec<f64>>,
        response: impl Into<Response>,
    ) -> Result<Self> {
        let columns = columns.into_iter().map(Column::from).collect();
        Dataset::of(names, columns, response)
    }

    /// The same of columns that may belong to someone else.
    pub fn of(
        names: Vec<String>,
        columns: Vec<Column<'a>>,
        response: impl Into<Response>,
    ) -> Result<Self> {
        Dataset::encoded(Features::numbers(names), columns, response)
    }

    /// The same of features some of which may be texts, with their columns in order. Rows of
    /// weight 0 are left out here, so that they can matter nowhere.
    pub fn encoded(
        features: Features,
        columns: Vec<Column<'a>>,
        response: impl Into<Response>,
    ) -> Result<Self> {
        Dataset::incomplete(features, columns, response, Gaps::default())
    }

    /// The same with missing cells, which are NaN.
    pub fn incomplete(
        features: Features,
        columns: Vec<Column<'a>>,
        response: impl Into<Response>,
        gaps: Gaps,
    ) -> Result<Self> {
        let response = response.into();
        response.check_weights()?;
        response.check_folds()?;
        check_lengths(&features, &columns, response.len())?;
        let imputes = gaps.missing.imputes();
        let mut present = response.present();
        let mut dropped = 0;
        if gaps.missing == Missing::Drop {
            let counted = present.unwrap_or_else(|| (0..response.len()).collect());
            let complete = |&row: &usize| !columns.iter().any(|column| column.at(row).is_nan());
            let left: Vec<usize> = counted.iter().copied().filter(complete).collect();
            dropped = counted.len() - left.len();
            if left.is_empty() {
                let problem = "every row has a missing cell, so that none is left";
                return Err(Error::Data(problem.into()));
            }
            present = (left.len() < response.len()).then_some(left);
        }
        let (features, columns, response) = match &present {
            None => (features, columns, response),
            Some(rows) => {
                let columns = columns.iter().map(|column| column.subset(rows));
                (features, columns.collect(), response.rows(rows))
            }
        };
        let empty = |column: &Column| column.missing() == column.len();
        if let Some(j) = columns.iter().position(empty).filter(|_| imputes) {
            let name = features.column_name(j);
            let problem = format!("column {name:?} is missing in every row: leave it out");
            return Err(Error::Data(problem));
        }
        let (features, columns) = match imputes && gaps.indicators {
            true => missing::with_indicators(features, columns),
            false => (features, columns),
        };
        let data = Dataset::checked(features, columns, response, gaps.missing)?;
        Ok(Dataset {
            numbers: present,
            dropped,
            ..data
        })
    }

    fn checked(
        features: Features,
        columns: Vec<Column<'a>>,
        response: Response,
        missing: Missing,
    ) -> Result<Self> {
        let n = response.len();
        if n < 2 {
            return Err(Error::Data(format!(
                "{n} row{} of data: a fit needs at least 2",
                if n == 1 { "" } else { "s" }
            )));
        }
        if columns.is_empty() {
            return Err(Error::Data("no feature columns are left to use".into()));
        }
        for (j, column) in columns.iter().enumerate() {
            let unusable = match missing.imputes() {
                true => column.first_infinite(),
                false => column.first_not_finite(),
            };
            if let Some(row) = unusable {
                return Err(Error::Data(format!(
                    "column {:?} is missing or infinite in row {}",
                    features.column_name(j),
                    row + 1
                )));
            }
        }
        response.validate()?;
        let data = Dataset {
            features,
            columns,
            response,
            numbers: None,
            dropped: 0,
            missing,
        };
        if data.constant_columns().len() == data.d() {
            return Err(Error::Data(
                "every feature column is constant: there is nothing to select from".into(),
            ));
        }
        Ok(data)
    }

    /// The same data, their features on other terms. A column that is to stay has to vary: else
    /// it has nothing to say in a model.
    pub fn on(self, terms: Terms) -> Result<Self> {
        let kept = terms.kept();
        let constant = self.constant_features();
        if let Some(&feature) = constant.iter().find(|feature| kept.contains(feature)) {
            return Err(Error::Data(format!(
                "column {:?} is to stay but has one value in all rows: leave it out",
                self.names()[feature]
            )));
        }
        Ok(Dataset {
            features: self.features.on(terms)?,
            ..self
        })
    }

    /// The given rows, ascending.
    pub fn subset(&self, rows: &[usize]) -> Result<Dataset<'static>> {
        self.drawn(rows, None)
    }

    /// The same, each as often as it was drawn: by its weight, for a row may be on one side of a
    /// split alone.
    pub fn drawn(&self, rows: &[usize], times: Option<&[f64]>) -> Result<Dataset<'static>> {
        let columns = self.columns.iter().map(|column| column.subset(rows));
        Dataset::checked(
            self.features.clone(),
            columns.collect(),
            self.response.drawn(rows, times),
            self.missing,
        )
    }

    /// Whether cells may be missing, which are imputed wherever they are learned from.
    pub fn imputes(&self) -> bool {
        self.missing.imputes()
    }

    /// The ways in which they are, under multiple imputation.
    pub fn chains(&self) -> usize {
        match self.missing {
            Missing::Multiple(chains) => chains,
            _ => 0,
        }
    }

    /// How many rows were left out for a missing cell.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The number of rows.
    pub fn n(&self) -> usize {
        self.response.len()
    }

    /// The number that a row had among those that were given, of which some may not count.
    pub fn number(&self, row: usize) -> usize {
        self.numbers.as_ref().map_or(row, |numbers| numbers[row])
    }

    /// The number of columns, constant ones included: one for every feature that is a number,
    /// several for one that is a text.
    pub fn d(&self) -> usize {
        self.columns.len()
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The names of the features.
    pub fn names(&self) -> &[String] {
        self.features.names()
    }

    /// The columns.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// The outcome.
    pub fn outcome(&self) -> &Outcome {
        &self.response.outcome
    }

    /// The outcome and what each row counts.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// Whether any column leaves out zeros.
    pub fn is_sparse(&self) -> bool {
        (self.columns.iter()).any(|column| column.entries().is_some())
    }

    /// The features that have one value in all rows, by number.
    pub fn constant_features(&self) -> Vec<usize> {
        let constant = self.constant_columns();
        let is_constant = |j: usize| constant.binary_search(&j).is_ok();
        (0..self.features.count())
            .filter(|&feature| self.features.columns_of(feature).all(is_constant))
            .collect()
    }

    /// Positions of the columns that have one value in all rows. They keep
    /// their column number but never enter a network.
    pub fn constant_columns(&self) -> Vec<usize> {
        (0..self.d())
            .filter(|&j| self.columns[j].is_constant())
            .collect()
    }
}

/// Refuses more or fewer columns than there are names, and one of another number of rows.
fn check_lengths(features: &Features, columns: &[Column], n: usize) -> Result<()> {
    if features.columns() != columns.len() {
        return Err(Error::Data(format!(
            "{} names for {} columns",
            features.columns(),
            columns.len()
        )));
    }
    match columns.iter().position(|column| column.len() != n) {
        None => Ok(()),
        Some(j) => Err(Error::Data(format!(
            "column {:?} has {} rows, the outcome has {n}",
            features.column_name(j),
            columns[j].len()
        ))),
    }
}
