//! Multiple imputation by chained equations (van Buuren and Groothuis-Oudshoorn 2011, Journal of
//! Statistical Software 45(3)).
//!
//! Each of M chains imputes the gaps of a feature from other columns by a linear equation, of one
//! feature after the other and over again:
//!
//! ```text
//! x̂_j = a_j + Σ_{k ∈ P_j} b_jk·x_k,     |P_j| ≤ 30,
//! ```
//!
//! where the equation of a text gives the share of each of its levels. Chains differ by chance: the
//! rows of an equation count with random weights (the Bayesian bootstrap, Rubin 1981, Annals of
//! Statistics 9:130–134), so its coefficients are a draw from what the data leave open.
//!
//! In rows that are learned from, the outcome is among the predictors, and what is put in is drawn,
//! too: for a number the value of one of the rows that are predicted most alike, for a text a level
//! by its share (`learn.rs`). Rows that are held out, and new ones, are imputed by equations without
//! the outcome, fitted to the imputed rows: the expected value within the range that was seen. These
//! equations are what a model stores ([`Chain`]).

mod learn;
mod regression;

pub use learn::{Imputed, impute};

use crate::dataset::{Dataset, Fill};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How often the equations are gone through, in fits and predictions.
pub(crate) const SWEEPS: usize = 5;

/// One of the ways to impute gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Its number; networks that learned from its imputations know it.
    pub number: usize,
    /// In the order in which they are gone through.
    pub equations: Vec<Equation>,
}

/// What a feature's gaps are imputed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Equation {
    /// The columns it is computed from.
    pub predictors: Vec<usize>,
    /// One for the column of a number, one for each level of a text.
    pub lines: Vec<Line>,
}

/// A column as a linear function of others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The column.
    pub column: usize,
    /// What is imputed where all predictors are 0.
    pub intercept: f64,
    /// A factor for each predictor.
    pub slopes: Vec<f64>,
    /// The smallest value that is imputed.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Line {
    fn at(&self, predictors: impl Iterator<Item = f64>) -> f64 {
        let products = self.slopes.iter().zip(predictors).map(|(b, x)| b * x);
        (self.intercept + products.sum::<f64>()).clamp(self.low, self.high)
    }
}

/// Some columns of some rows, by number.
pub type Cells = BTreeMap<usize, Vec<f64>>;

impl Equation {
    /// The feature's columns.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().map(|line| line.column)
    }

    /// The rows in which the feature is missing.
    fn gaps(&self, cells: &Cells) -> Vec<usize> {
        let first = &cells[&self.lines[0].column];
        (0..first.len()).filter(|&i| first[i].is_nan()).collect()
    }
}

impl Chain {
    /// The columns it reads or writes.
    pub fn columns(&self) -> BTreeSet<usize> {
        let of = |equation: &Equation| -> Vec<usize> {
            let read = equation.predictors.iter().copied();
            read.chain(equation.columns()).collect()
        };
        self.equations.iter().flat_map(of).collect()
    }

    /// Puts values into the gaps of [its columns](Chain::columns). What has no equation is filled as usual.
    pub fn complete(&self, cells: &mut Cells, fill: &Fill) {
        let gaps: Vec<Vec<usize>> = (self.equations.iter())
            .map(|equation| equation.gaps(cells))
            .collect();
        for (&j, column) in cells.iter_mut() {
            column.iter_mut().for_each(|x| *x = fill.of(j, *x));
        }
        if gaps.iter().all(Vec::is_empty) {
            return;
        }
        for _ in 0..SWEEPS {
            for (equation, gaps) in self.equations.iter().zip(&gaps) {
                for &row in gaps {
                    let predictors = || equation.predictors.iter().map(|k| cells[k][row]);
                    let values: Vec<f64> = (equation.lines.iter())
                        .map(|line| line.at(predictors()))
                        .collect();
                    for (line, value) in equation.lines.iter().zip(values) {
                        let column = cells.get_mut(&line.column).expect("its columns are there");
                        column[row] = value;
                    }
                }
            }
        }
    }

    /// The data with the gaps of these rows imputed, as far as this chain has equations.
    pub fn completed<'d>(&self, data: &'d Dataset, rows: &[usize], fill: &Fill) -> Dataset<'d> {
        let columns = self.columns().into_iter();
        let mut cells: Cells = columns.map(|j| (j, data.columns()[j].rows(rows))).collect();
        self.complete(&mut cells, fill);
        let written: BTreeSet<usize> = (self.equations.iter())
            .flat_map(Equation::columns)
            .collect();
        cells.retain(|j, _| written.contains(j));
        data.with_gaps_filled(rows, &cells)
    }

    /// The equations of these ascending columns, from these alone: any other predictor counts as
    /// what it is filled with.
    pub fn restricted_to(&self, columns: &[usize], fill: &Fill) -> Chain {
        let is_there = |j: &usize| columns.binary_search(j).is_ok();
        let of = |equation: &Equation| Equation {
            predictors: equation
                .predictors
                .iter()
                .copied()
                .filter(is_there)
                .collect(),
            lines: (equation.lines.iter().filter(|line| is_there(&line.column)))
                .map(|line| {
                    let (mut intercept, mut slopes) = (line.intercept, vec![]);
                    for (&k, &slope) in equation.predictors.iter().zip(&line.slopes) {
                        match is_there(&k) {
                            true => slopes.push(slope),
                            false => intercept += slope * fill.of(k, f64::NAN),
                        }
                    }
                    Line {
                        intercept,
                        slopes,
                        ..*line
                    }
                })
                .collect(),
        };
        let uses = |equation: &&Equation| equation.columns().any(|j| is_there(&j));
        Chain {
            number: self.number,
            equations: self.equations.iter().filter(uses).map(of).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rare level may be in no network: then the model does not read it, and nothing is imputed
    /// into it. A predictor that is not there counts as what it is filled with.
    #[test]
    fn a_restricted_chain_needs_its_columns_alone() {
        let line = |column: usize| Line {
            column,
            intercept: 1.0,
            slopes: vec![2.0, 3.0],
            low: -100.0,
            high: 100.0,
        };
        let equation = Equation {
            predictors: vec![0, 1],
            lines: vec![line(2), line(3)],
        };
        let other = Equation {
            predictors: vec![0],
            lines: vec![Line {
                slopes: vec![1.0],
                ..line(5)
            }],
        };
        let chain = Chain {
            number: 4,
            equations: vec![equation, other],
        };
        let fill = Fill::new(vec![0.0, 10.0, 0.0, 0.0, 0.0, 0.0]);
        let restricted = chain.restricted_to(&[0, 3, 4], &fill);
        assert_eq!(restricted.columns(), BTreeSet::from([0, 3]));
        let mut cells = Cells::from([
            (0, vec![5.0, f64::NAN]),
            (3, vec![f64::NAN, 7.0]),
            (4, vec![f64::NAN, 1.0]),
        ]);
        restricted.complete(&mut cells, &fill);
        assert_eq!(cells[&3], [1.0 + 2.0 * 5.0 + 3.0 * 10.0, 7.0]);
        assert_eq!((cells[&0][1], cells[&4][0]), (0.0, 0.0));
    }
}
