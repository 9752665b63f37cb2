//! How much each selected column is worth on rows that networks did not see.
//!
//! The rows are divided into folds; on the others of each, models of the selected columns are fitted,
//! without a penalty on columns: of all of them, and of all but one.
//!
//! ```text
//! drop-column(j)   = M(model of all selected) − M(model of all selected but j)
//! permutation(j)   = M(model of all selected) − M(the same model, column j permuted)
//! ```
//!
//! with M the main metric on the rows of the folds. What is permuted is what the other selected columns do not say
//! of column j (its residuals from a linear regression on them), so that the rows stay plausible: a permutation of
//! the column itself asks the model about rows that cannot be (Hooker, Mentch and Zhou 2021, Statistics and
//! Computing 31:82; Strobl et al. 2008, BMC Bioinformatics 9:307). A column with a near copy among the others is
//! worth little by either.
//!
//! The columns were selected with all rows, so this is importance *after selection*: it ranks what was
//! selected, and does not show that a column matters at all.

use super::figures::{Part, Parts};
use super::{of_outer, said_of};
use crate::dataset::{Dataset, Response};
use crate::error::Result;
use crate::metrics::Metric;
use crate::model::{Model, Prediction};
use crate::random::{Purpose, Random};
use crate::report::MetricEstimate;
use crate::settings::{Linear, Request};
use crate::solver::Observer;
use crate::split::{self, Split};
use crate::tune::{self, Fit};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Folds, at most.
const FOLDS: usize = 5;
/// Columns whose importance is asked for, the strongest; each costs a fit per fold.
const MOST: usize = 20;
/// Permutations of every column in every fold.
const PERMUTATIONS: usize = 10;
/// A ridge on the regression of a column on others, as a share of their mean variance: copies of a column
/// have no inverse.
const RIDGE: f64 = 1e-6;
/// The number of this among the outer splits, far behind all others.
const STREAM: u64 = u64::MAX;

/// What the selected columns are worth, after selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// In which it is counted.
    pub metric: Metric,
    /// On so many folds.
    pub folds: usize,
    /// The metric of the models of all selected columns.
    pub all: Option<MetricEstimate>,
    /// By drop-column importance, the largest first.
    pub columns: Vec<ColumnImportance>,
}

/// What a column is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnImportance {
    /// Its name.
    pub name: String,
    /// Its number.
    pub index: usize,
    /// What is lost where models do without it, with a 95 % interval.
    pub dropped: Option<MetricEstimate>,
    /// What is lost where it is permuted given the others.
    pub permuted: Option<MetricEstimate>,
}

/// Fits the columns of a fit again, with each left out in turn. Paths are solved on the rayon pool
/// the caller is in. None if nothing is selected.
pub fn importance(
    data: &Dataset,
    request: &Request,
    fit: &Fit,
    observer: &dyn Observer,
) -> Result<Option<Importance>> {
    let selected = fit.model.selected();
    if selected.is_empty() {
        return Ok(None);
    }
    let mut asked = selected.clone();
    asked.sort_by(|&a, &b| fit.model.norm(b).total_cmp(&fit.model.norm(a)));
    asked.truncate(MOST);
    let seed = Random::new(request.seed, Purpose::Outer, STREAM, 0).word();
    let response = data.response();
    let folds = FOLDS.min(split::most_folds(response));
    let splits = split::folds(response, folds, seed).map_err(of_outer)?;
    let request = of_selected(request, &fit.model, seed);
    // what is left out: nothing, or a column
    let left_out: Vec<Option<usize>> = std::iter::once(None)
        .chain(asked.iter().copied().map(Some))
        .collect();
    let jobs: Vec<(usize, Option<usize>)> = (0..folds)
        .flat_map(|fold| left_out.iter().map(move |&out| (fold, out)))
        .collect();
    let models: Vec<Model> = (jobs.into_par_iter())
        .map(|(fold, out)| {
            let part = data.subset(&splits[fold].train)?;
            let mut columns = selected.clone();
            columns.retain(|&feature| Some(feature) != out);
            let settings = request.on_selected(&part, &columns)?;
            Ok(tune::fit(&part, &settings, observer)?.model)
        })
        .collect::<Result<_>>()?;
    let model = |fold: usize, at: usize| &models[fold * left_out.len() + at];
    let said = |fold: usize, at: usize| {
        let Split { train, held_out } = &splits[fold];
        Part {
            rows: held_out.clone(),
            said: said_of(model(fold, at), data, train, None, held_out),
        }
    };
    let of_all = |at: usize| {
        Parts::new(
            response,
            (0..folds).map(|fold| said(fold, at)).collect(),
            folds,
        )
    };
    let metric = Metric::main(response.task());
    let whole = of_all(0);
    let mut columns: Vec<ColumnImportance> = (asked.par_iter().enumerate())
        .map(|(number, &feature)| {
            let permuted =
                (0..PERMUTATIONS).flat_map(|repeat| (0..folds).map(move |fold| (repeat, fold)));
            let permuted = permuted.map(|(repeat, fold)| {
                let stream = (repeat * folds + fold) as u64;
                let random = Random::new(seed, Purpose::Shuffles, feature as u64, stream);
                permuted_part(model(fold, 0), data, &splits[fold], feature, random)
            });
            let permuted = Parts::new(response, permuted.collect(), folds);
            ColumnImportance {
                name: data.names()[feature].clone(),
                index: feature,
                dropped: whole.difference(&of_all(number + 1), metric, seed),
                permuted: whole.difference(&permuted, metric, seed),
            }
        })
        .collect();
    let lost = |of: &ColumnImportance| of.dropped.map_or(f64::NEG_INFINITY, |of| of.value);
    columns.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    Ok(Some(Importance {
        metric,
        folds,
        all: whole.estimates(&[metric], seed)[0],
        columns,
    }))
}

/// What is asked of a model of selected columns: the same kind of model, and nothing beside it.
fn of_selected(request: &Request, model: &Model, seed: u64) -> Request {
    let is_linear = model
        .networks
        .iter()
        .all(|network| network.shape.depth() == 1);
    Request {
        hidden: match is_linear {
            true => Some(vec![]),
            false => request.hidden.clone(),
        },
        // (a solver and its steps may be those of a network)
        solver: request.solver.filter(|_| !is_linear),
        learning_rate: request.learning_rate.filter(|_| !is_linear),
        threshold_step: request.threshold_step.filter(|_| !is_linear),
        tolerance: request.tolerance.filter(|_| !is_linear),
        lambdas: None,
        linear: Some(Linear::Leave),
        ensemble: Some(false),
        screen: None,
        init: None,
        look_again: None,
        frequency: None,
        stability: None,
        max_false: None,
        fdr: None,
        outer: None,
        seed,
        ..request.clone()
    }
}

/// What a model says of held-out rows in which what is particular to a feature is permuted.
fn permuted_part(
    model: &Model,
    data: &Dataset,
    split: &Split,
    feature: usize,
    mut random: Random,
) -> Part {
    let used = model.columns();
    let own = data.features().columns_of(feature);
    let value = |j: usize, row: usize| model.scaling.fill.of(j, data.columns()[j].at(row));
    let mut columns: Vec<Vec<f64>> = (used.iter())
        .map(|&j| split.held_out.iter().map(|&row| value(j, row)).collect())
        .collect();
    let others: Vec<usize> = used.iter().copied().filter(|j| !own.contains(j)).collect();
    let order = random.permutation(split.held_out.len());
    for (at, &j) in used.iter().enumerate().filter(|(_, j)| own.contains(j)) {
        let regression = Regression::learn(&value, &others, j, data.response(), &split.train);
        let explained = |row: usize| regression.of(&value, &others, row);
        let left: Vec<f64> = split
            .held_out
            .iter()
            .map(|&row| value(j, row) - explained(row))
            .collect();
        for (place, &row) in split.held_out.iter().enumerate() {
            columns[at][place] = explained(row) + left[order[place]];
        }
    }
    let said = model.predict(&columns, split.held_out.len());
    let said = match said {
        Prediction::Risk(risk) => {
            // (the same constant as that of the rows as they are)
            let plain = super::predicted(model, data, split.held_out.clone());
            let centred = said_of(model, data, &split.train, None, &split.held_out);
            let shift = centred.columns()[0][0] - plain.columns()[0][0];
            Prediction::Risk(risk.iter().map(|risk| risk + shift).collect())
        }
        other => other,
    };
    Part {
        rows: split.held_out.clone(),
        said,
    }
}

/// A column as a linear function of others.
struct Regression {
    means: Vec<f64>,
    mean: f64,
    slopes: DVector<f64>,
}

impl Regression {
    fn learn(
        value: &impl Fn(usize, usize) -> f64,
        others: &[usize],
        column: usize,
        response: &Response,
        rows: &[usize],
    ) -> Self {
        let weights: Vec<f64> = rows.iter().map(|&row| response.weights().at(row)).collect();
        let total: f64 = weights.iter().sum();
        let mean_of = |j: usize| {
            let terms = rows
                .iter()
                .zip(&weights)
                .map(|(&row, weight)| weight * value(j, row));
            terms.sum::<f64>() / total
        };
        let means: Vec<f64> = others.iter().map(|&j| mean_of(j)).collect();
        let mean = mean_of(column);
        let centred = DMatrix::from_fn(rows.len(), others.len(), |at, k| {
            weights[at].sqrt() * (value(others[k], rows[at]) - means[k])
        });
        let target = DVector::from_fn(rows.len(), |at, _| {
            weights[at].sqrt() * (value(column, rows[at]) - mean)
        });
        let mut gram = centred.tr_mul(&centred);
        let ridge = RIDGE * gram.trace() / others.len().max(1) as f64;
        (0..others.len()).for_each(|k| gram[(k, k)] += ridge);
        let products = centred.tr_mul(&target);
        let slopes = match gram.cholesky() {
            Some(factor) => factor.solve(&products),
            // (others that are all constant say nothing)
            None => DVector::zeros(others.len()),
        };
        Regression {
            means,
            mean,
            slopes,
        }
    }

    fn of(&self, value: &impl Fn(usize, usize) -> f64, others: &[usize], row: usize) -> f64 {
        let terms = others.iter().enumerate();
        let terms = terms.map(|(k, &j)| self.slopes[k] * (value(j, row) - self.means[k]));
        self.mean + terms.sum::<f64>()
    }
}
