//! The columns that a linear model may use, group by group.

use crate::columns::{Columns, row_gram};
use crate::groups::Divided;
use crate::network::Mlp;
use crate::solver::Problem;
use nalgebra::DMatrix;
use std::borrow::Cow;
use std::ops::Range;

/// The columns of a problem that a linear model may use.
pub struct Design<'a> {
    pub problem: &'a Problem<'a>,
    pub columns: &'a dyn Columns,
    /// Which inputs of the model they are: those of a group are together.
    pub inputs: Vec<usize>,
    /// Where they are stored.
    pub places: Vec<u32>,
    /// The columns of each group, by position among these.
    pub groups: Vec<Range<usize>>,
    /// What λ is multiplied by for each group.
    pub factors: Vec<f64>,
    pub rows: usize,
    pub outputs: usize,
    /// Whether the model has a bias.
    pub has_bias: bool,
    /// Factor of ‖b‖² in the objective.
    pub bias_ridge: f64,
}

impl<'a> Design<'a> {
    /// All inputs of a linear model.
    pub fn new(problem: &'a Problem<'a>, model: &Mlp) -> Self {
        assert!(model.shape.depth() == 1, "a linear model has one layer");
        let Divided { order, groups } = model.divided();
        let numbers: Vec<usize> = order.iter().map(|&input| model.inputs[input]).collect();
        Design {
            problem,
            columns: problem.columns.storage(),
            inputs: order,
            places: problem.columns.places(&numbers),
            factors: groups.iter().map(|group| group.factor).collect(),
            groups: groups.into_iter().map(|group| group.range).collect(),
            rows: problem.columns.layout().rows(),
            outputs: model.shape.outputs(),
            has_bias: model.shape.output_bias,
            bias_ridge: problem.bias_ridge(),
        }
    }

    /// The groups that stay, whatever λ.
    pub fn kept(&self) -> Vec<usize> {
        let groups = 0..self.groups.len();
        groups.filter(|&group| self.is_kept(group)).collect()
    }

    /// Whether a group stays, whatever λ.
    pub fn is_kept(&self, group: usize) -> bool {
        self.factors[group] == 0.0
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// Where the weights of a group are among all, which stand column by column.
    pub fn weights_of(&self, group: usize) -> Range<usize> {
        let columns = &self.groups[group];
        columns.start * self.outputs..columns.end * self.outputs
    }

    /// X′·`vectors` for the columns of some groups, one row of as many sums as there are vectors
    /// per column; `vectors` has one block of rows per output.
    pub fn dots(&self, groups: &[usize], vectors: &[f64]) -> Vec<f64> {
        let places: Vec<u32> = (groups.iter())
            .flat_map(|&group| &self.places[self.groups[group].clone()])
            .copied()
            .collect();
        let mut sums = vec![0.0; places.len() * self.outputs];
        for (number, block) in self.columns.layout().blocks().iter().enumerate() {
            let part = match block.rows.len() == self.rows {
                true => None,
                false => Some(self.of_rows(vectors, &block.rows)),
            };
            let vectors = part.as_deref().unwrap_or(vectors);
            self.columns
                .dot_products(number, &places, vectors, &mut sums);
        }
        sums
    }

    /// Adds X·`weights` to `vectors`, for the columns with these positions.
    pub fn add_products(&self, columns: &[usize], weights: &[f64], vectors: &mut [f64]) {
        let places: Vec<u32> = columns.iter().map(|&column| self.places[column]).collect();
        for (number, block) in self.columns.layout().blocks().iter().enumerate() {
            if block.rows.len() == self.rows {
                self.columns.add_products(number, &places, weights, vectors);
                continue;
            }
            let mut part = self.of_rows(vectors, &block.rows);
            self.columns
                .add_products(number, &places, weights, &mut part);
            let units = part.chunks_exact(block.rows.len());
            for (all, part) in vectors.chunks_exact_mut(self.rows).zip(units) {
                all[block.rows.clone()].copy_from_slice(part);
            }
        }
    }

    /// XX′, of all stored columns once for all.
    pub fn row_gram(&self) -> Cow<'a, DMatrix<f64>> {
        match self.width() == self.columns.width() {
            true => Cow::Borrowed(self.problem.columns.row_gram()),
            false => Cow::Owned(row_gram(self.columns, &self.places)),
        }
    }

    /// Some rows of each vector.
    fn of_rows(&self, vectors: &[f64], rows: &Range<usize>) -> Vec<f64> {
        (vectors.chunks_exact(self.rows))
            .flat_map(|vector| &vector[rows.clone()])
            .copied()
            .collect()
    }
}

/// ‖v‖₂
pub fn norm(values: &[f64]) -> f64 {
    squares(values).sqrt()
}

/// ‖v‖₂²
pub fn squares(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}
