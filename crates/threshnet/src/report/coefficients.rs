//! The coefficients of a linear model.

use super::Fitted;
use crate::dataset::{Dataset, Task};
use crate::statistics::weighted_spread;
use serde::{Deserialize, Serialize};

/// A linear model: what it adds to its intercepts for every column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficients {
    /// By class if there are more than two; of a survival outcome a constant without a meaning of its own.
    pub intercepts: Vec<f64>,
    /// By column and then class.
    pub rows: Vec<Coefficient>,
}

/// What a linear model adds for a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The feature.
    pub name: String,
    /// Its number.
    pub index: usize,
    /// The level of a text that the column is 1 for; `missing` of one that says where cells are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The class that it speaks for, of more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Per unit of the raw column, on the scale of the raw outcome, the log-odds or the log-hazard.
    pub coefficient: f64,
    /// The standard deviation of the column, by n.
    pub sd: f64,
}

impl Coefficient {
    /// Per standard deviation.
    pub fn per_sd(&self) -> f64 {
        self.coefficient * self.sd
    }
}

/// What the ratio of a task is called in files, and to people; none of a number.
pub fn ratio_name(task: Task) -> Option<(&'static str, &'static str)> {
    match task {
        Task::Regression => None,
        Task::Binary | Task::Multiclass => Some(("odds_ratio", "odds ratio")),
        Task::Cox => Some(("hazard_ratio", "hazard ratio")),
    }
}

/// Those of a fit whose model is linear, given its data without missing cells.
pub(super) fn coefficients(fitted: &Fitted, complete: &Dataset) -> Option<Coefficients> {
    let model = &fitted.fit.model;
    let form = model.linear_form()?;
    let weights = complete.response().weights();
    let by_class = form.intercepts.len() > 1;
    let rows = form.columns.iter().enumerate().flat_map(|(at, &column)| {
        let index = model.features.of_column(column);
        let place = column - model.features.columns_of(index).start;
        let level = match model.features.levels(index) {
            _ if model.features.is_indicator(column) => Some("missing".to_string()),
            levels => levels.map(|levels| levels[place].clone()),
        };
        let sd = weighted_spread(complete.columns()[column].to_vec().into_iter(), weights);
        let row = Coefficient {
            name: model.features.names()[index].clone(),
            index,
            level,
            class: None,
            coefficient: 0.0,
            sd: sd.variance.sqrt(),
        };
        form.weights
            .iter()
            .enumerate()
            .map(move |(output, weights)| Coefficient {
                class: by_class.then(|| model.classes[output].clone()),
                coefficient: weights[at],
                ..row.clone()
            })
    });
    Some(Coefficients {
        rows: rows.collect(),
        intercepts: form.intercepts.clone(),
    })
}
