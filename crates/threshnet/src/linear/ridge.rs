//! Ridge regression where there are more columns than rows.
//!
//! Without another penalty the weights are w = X′a with a number for each row, and K = XX′ is all
//! that the model needs to know of the columns. With the working response z = η − δ/V of the
//! quadratic model, a solves
//!
//! ```text
//! (2·ridge·V⁻¹ + K)·a = z − b,
//! ```
//!
//! and with a second derivative H that joins rows (2·ridge + HK)·a = Hη − δ. K is made once for all
//! ridges. Saunders, Gammerman and Vovk (1998), ICML, for the squared loss.

use super::design::Design;
use super::newton::{Model, Newton};
use super::point::Point;
use crate::loss::Curvature;
use nalgebra::{DMatrix, DVector};
use std::borrow::Cow;

/// The least curvature of a row, as a share of a row's weight.
const LEAST_CURVATURE: f64 = 1e-8;
/// K has the square of this many numbers, at most.
const MOST_ROWS: usize = 4000;

/// The model as a function of a.
pub struct RowSpace<'a> {
    design: &'a Design<'a>,
    gram: Cow<'a, DMatrix<f64>>,
    /// By output.
    solutions: Vec<Solution>,
}

struct Solution {
    a: DVector<f64>,
    bias: f64,
}

/// Whether a model at this λ is best found from its rows.
pub fn pays(design: &Design, lambda: f64) -> bool {
    lambda == 0.0
        && design.problem.ridge > 0.0
        && design.width() > design.rows
        && design.rows <= MOST_ROWS
}

impl<'a> RowSpace<'a> {
    pub fn new(design: &'a Design<'a>) -> Self {
        RowSpace {
            gram: design.row_gram(),
            design,
            solutions: vec![],
        }
    }

    /// Where rows bend by themselves, with S = V^½·K·V^½ + 2·ridge and a = V^½·S⁻¹·V^½(z − b).
    fn solve_rows(&self, point: &Point, curvature: Vec<f64>, factor: f64) -> Vec<Solution> {
        let (design, rows) = (self.design, self.design.rows);
        let least = LEAST_CURVATURE / rows as f64;
        let curvature = curvature.iter().map(|v| factor * v.max(least));
        let ridge = design.problem.ridge;
        let roots = DVector::from_iterator(rows, curvature.map(f64::sqrt));
        let mut matrix = self.gram.clone().into_owned();
        for (j, mut column) in matrix.column_iter_mut().enumerate() {
            column.component_mul_assign(&roots);
            column *= roots[j];
            column[j] += 2.0 * ridge;
        }
        let Some(factors) = matrix.cholesky() else {
            return vec![];
        };
        let solve = |right: DVector<f64>| factors.solve(&right).component_mul(&roots);
        let of_ones = solve(roots.clone());
        let units = point
            .output
            .chunks_exact(rows)
            .zip(point.slopes.chunks_exact(rows));
        let of_unit = |(output, slopes): (&[f64], &[f64])| {
            let parts = output.iter().zip(slopes).zip(&roots);
            let z = parts.map(|((eta, slope), root)| eta * root - slope / root);
            let mut a = solve(DVector::from_iterator(rows, z));
            let bias = match point.bias.is_empty() {
                true => 0.0,
                false => a.sum() / (of_ones.sum() + design.bias_ridge / ridge),
            };
            a.axpy(-bias, &of_ones, 1.0);
            Solution { a, bias }
        };
        units.map(of_unit).collect()
    }

    /// Where they bend together; such a model has one output and no bias.
    fn solve_joint(&self, point: &Point, curvature: &Curvature, factor: f64) -> Option<Solution> {
        let rows = self.design.rows;
        let bent = |direction: &[f64]| {
            let mut product = vec![0.0; rows];
            curvature.product(direction, &mut product);
            DVector::from_vec(product) * factor
        };
        let mut matrix = DMatrix::zeros(rows, rows);
        for (column, mut to) in self.gram.column_iter().zip(matrix.column_iter_mut()) {
            to.copy_from(&bent(column.as_slice()));
        }
        for i in 0..rows {
            matrix[(i, i)] += 2.0 * self.design.problem.ridge;
        }
        let right = bent(&point.output) - DVector::from_column_slice(&point.slopes);
        let a = matrix.lu().solve(&right)?;
        Some(Solution { a, bias: 0.0 })
    }
}

impl Model for RowSpace<'_> {
    fn take(&mut self, _: &Newton, point: &Point, factor: f64) {
        self.solutions = match self.design.problem.loss.curvature(&point.output) {
            Curvature::Rows(by_row) => self.solve_rows(point, by_row, factor),
            Curvature::Classes(classes) => self.solve_rows(point, classes.bound(), factor),
            joint => self
                .solve_joint(point, &joint, factor)
                .into_iter()
                .collect(),
        };
    }

    /// It is solved as it is taken.
    fn solve(&mut self, _: &Newton, _: &[usize], _: f64) {}

    fn move_point(&self, point: &mut Point, _: &Point, working: &[usize]) {
        let (design, outputs) = (self.design, self.solutions.len());
        let of_rows: Vec<f64> = (self.solutions.iter())
            .flat_map(|solution| solution.a.iter().copied())
            .collect();
        if outputs == 0 {
            return;
        }
        point.weights = design.dots(working, &of_rows);
        let units = point.output.chunks_exact_mut(design.rows);
        for (k, (unit, solution)) in units.zip(&self.solutions).enumerate() {
            let products = &*self.gram * &solution.a;
            for (eta, product) in unit.iter_mut().zip(&products) {
                *eta = product + solution.bias;
            }
            if let Some(bias) = point.bias.get_mut(k) {
                *bias = solution.bias;
            }
        }
        point.take_slopes(design);
    }
}
