//! Rows, or outputs of a row, that bend together: Cox's loss and that of several classes.
//!
//! With the second derivative H of the loss, C = H·1 for a constant of each output and
//! B = 1′C + 2·(the bias's ridge), a step X·d on columns moves the bias at its best by −B⁻¹C′X·d.
//! So the model bends like H − C·B⁻¹·C′, of which products are made here. B is singular along
//! what is added to the biases of all classes, which changes nothing and is not moved.

use super::design::Design;
use crate::loss::Curvature;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The second derivative of a loss, the bias at its best.
pub struct Joint {
    curvature: Curvature,
    factor: f64,
    /// What is added to its diagonal.
    least: f64,
    /// B of the biases, if there are any.
    bias: Option<Cholesky<f64, Dyn>>,
    /// By column of a model with one output, once it has moved: its product.
    pub products: Vec<Vec<f64>>,
}

impl Joint {
    /// A curvature times a factor; `products` are room for those of columns.
    pub fn new(
        design: &Design,
        (curvature, least): (Curvature, f64),
        factor: f64,
        products: Vec<Vec<f64>>,
    ) -> Self {
        let mut joint = Joint {
            curvature,
            factor,
            least: factor * least,
            bias: None,
            products,
        };
        joint.bias = joint.bias_of(design);
        joint
    }

    fn bias_of(&self, design: &Design) -> Option<Cholesky<f64, Dyn>> {
        let (rows, outputs) = (design.rows, design.outputs);
        if !design.has_bias {
            return None;
        }
        let mut columns = DMatrix::zeros(rows * outputs, outputs);
        for k in 0..outputs {
            let mut one = vec![0.0; rows * outputs];
            one[k * rows..(k + 1) * rows].fill(1.0);
            self.bend(&one, columns.column_mut(k).as_mut_slice());
        }
        let mut matrix = DMatrix::from_fn(outputs, outputs, |k, l| {
            columns.column(l).rows(k * rows, rows).sum()
        });
        let along_all = matrix.trace() / (outputs * outputs) as f64;
        matrix.add_scalar_mut(along_all);
        for k in 0..outputs {
            matrix[(k, k)] += 2.0 * design.bias_ridge;
        }
        matrix.cholesky()
    }

    /// H·x
    fn bend(&self, x: &[f64], product: &mut [f64]) {
        self.curvature.product(x, product);
        for (product, x) in product.iter_mut().zip(x) {
            *product = self.factor * *product + self.least * x;
        }
    }

    /// Writes the product with x; by how much the bias moves with it.
    pub fn product(&self, x: &[f64], product: &mut [f64]) -> Vec<f64> {
        self.bend(x, product);
        let Some(bias) = &self.bias else {
            return vec![];
        };
        let rows = x.len() / bias.l_dirty().ncols();
        let sums: Vec<f64> = product
            .chunks_exact(rows)
            .map(|unit| unit.iter().sum())
            .collect();
        self.bias_step(&sums, product)
    }

    /// How the bias moves to where its slopes, which are these, are zero, and the rows' with it.
    pub fn bias_step(&self, slopes: &[f64], rows: &mut [f64]) -> Vec<f64> {
        let Some(bias) = &self.bias else {
            return vec![];
        };
        let step = -bias.solve(&DVector::from_column_slice(slopes));
        // (C·step as H times a constant for each output: a product with C itself takes as many times
        // longer as there are outputs)
        let each = rows.len() / step.len();
        let constants: Vec<f64> = (step.iter())
            .flat_map(|&step| std::iter::repeat_n(step, each))
            .collect();
        let mut moved = vec![0.0; rows.len()];
        self.bend(&constants, &mut moved);
        for (row, moved) in rows.iter_mut().zip(&moved) {
            *row += moved;
        }
        step.as_slice().to_vec()
    }
}
