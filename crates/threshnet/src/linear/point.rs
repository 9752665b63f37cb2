//! Where a linear model stands: its weights, what it makes of every row, and how the loss falls
//! from there.

use super::design::{Design, norm, squares};
use crate::certificate::{Certificate, larger};
use crate::loss::RowPart;
use crate::network::Mlp;

/// A linear model and what follows from it.
#[derive(Clone)]
pub struct Point {
    /// Column by column, one for every output.
    pub weights: Vec<f64>,
    /// One for every output, or none.
    pub bias: Vec<f64>,
    /// η = Xw + b, one block of rows per output.
    pub output: Vec<f64>,
    /// The mean loss.
    pub loss: f64,
    /// ∂loss/∂η, likewise.
    pub slopes: Vec<f64>,
}

impl Point {
    /// Where a model stands.
    pub fn new(design: &Design, model: &Mlp) -> Self {
        let (weights, bias) = model.weights.split_at(design.width() * design.outputs);
        let of_input = |input: &usize| &weights[input * design.outputs..][..design.outputs];
        let mut output = vec![0.0; design.outputs * design.rows];
        for (unit, &bias) in output.chunks_exact_mut(design.rows).zip(bias) {
            unit.fill(bias);
        }
        let mut point = Point {
            weights: design.inputs.iter().flat_map(of_input).copied().collect(),
            bias: bias.to_vec(),
            loss: f64::NAN,
            slopes: vec![0.0; output.len()],
            output,
        };
        let used: Vec<usize> = (0..design.width())
            .filter(|&column| point.column(design, column).iter().any(|w| *w != 0.0))
            .collect();
        let of_used: Vec<f64> = (used.iter())
            .flat_map(|&column| point.column(design, column))
            .copied()
            .collect();
        design.add_products(&used, &of_used, &mut point.output);
        point.take_slopes(design);
        point
    }

    /// The weights of a column.
    pub fn column(&self, design: &Design, column: usize) -> &[f64] {
        &self.weights[column * design.outputs..(column + 1) * design.outputs]
    }

    /// The weights of a group.
    pub fn group(&self, design: &Design, group: usize) -> &[f64] {
        &self.weights[design.weights_of(group)]
    }

    /// Brings output, loss and slopes, which are those of another point still, to where the weights
    /// and the bias are. They differ in these groups at most.
    pub fn follow(&mut self, design: &Design, from: &Point, groups: &[usize]) {
        let (mut moved, mut steps) = (Vec::new(), Vec::new());
        for column in groups.iter().flat_map(|&g| design.groups[g].clone()) {
            let (new, old) = (self.column(design, column), from.column(design, column));
            if new != old {
                moved.push(column);
                steps.extend(new.iter().zip(old).map(|(new, old)| new - old));
            }
        }
        design.add_products(&moved, &steps, &mut self.output);
        let units = self.output.chunks_exact_mut(design.rows);
        for ((unit, new), old) in units.zip(&self.bias).zip(&from.bias) {
            unit.iter_mut().for_each(|eta| *eta += new - old);
        }
        self.take_slopes(design);
    }

    /// Takes loss and slopes at the output.
    pub fn take_slopes(&mut self, design: &Design) {
        let all = RowPart::all(design.rows);
        let loss = design.problem.loss;
        self.loss = loss.gradient(all, &self.output, &mut self.slopes, &mut Vec::new());
    }

    /// Mean loss, ridge and penalty, where no group but these has weights.
    pub fn objective(&self, design: &Design, lambda: f64, working: &[usize]) -> f64 {
        let (ridge, penalty) = (design.problem.ridge, design.problem.penalty);
        let of_groups = working.iter().map(|&group| {
            let size = squares(self.group(design, group));
            let lambda = lambda * design.factors[group];
            ridge * size + penalty.value(size.sqrt(), lambda)
        });
        self.loss + of_groups.sum::<f64>() + design.bias_ridge * squares(&self.bias)
    }

    /// How stationary it is over some groups and the bias.
    pub fn certify(&self, design: &Design, lambda: f64, groups: &[usize]) -> Certificate {
        let mut gradients = design.dots(groups, &self.slopes);
        let mut rest = &mut gradients[..];
        let (mut active, mut inactive) = (0.0, 0.0);
        for &group in groups {
            let weights = self.group(design, group);
            let (gradient, others) = rest.split_at_mut(weights.len());
            rest = others;
            let (size, lambda) = (norm(weights), lambda * design.factors[group]);
            if size == 0.0 {
                inactive = larger(inactive, norm(gradient) - lambda);
                continue;
            }
            let slope = design.problem.penalty.derivative(size, lambda) / size;
            for (g, w) in gradient.iter_mut().zip(weights) {
                *g += (2.0 * design.problem.ridge + slope) * w;
            }
            active = larger(active, norm(gradient));
        }
        Certificate {
            active,
            inactive,
            rest: self.bias_violation(design),
        }
    }

    /// max |∂/∂b|
    fn bias_violation(&self, design: &Design) -> f64 {
        let units = self.slopes.chunks_exact(design.rows);
        (units.zip(&self.bias)).fold(0.0, |most, (slopes, b)| {
            let slope = slopes.iter().sum::<f64>() + 2.0 * design.bias_ridge * b;
            larger(most, slope.abs())
        })
    }

    /// The model, of the columns alone that have weights or stay.
    pub fn model(&self, design: &Design, like: &Mlp) -> Mlp {
        let has_weights = |group: usize| self.group(design, group).iter().any(|w| *w != 0.0);
        let mut used: Vec<(usize, usize)> = (0..design.groups.len())
            .filter(|&group| design.is_kept(group) || has_weights(group))
            .flat_map(|group| design.groups[group].clone())
            .map(|column| (design.inputs[column], column))
            .collect();
        used.sort_unstable();
        let inputs: Vec<usize> = used.iter().map(|&(input, _)| like.inputs[input]).collect();
        let mut weights: Vec<f64> = (used.iter())
            .flat_map(|&(_, column)| self.column(design, column))
            .copied()
            .collect();
        weights.extend_from_slice(&self.bias);
        let mut shape = like.shape.clone();
        shape.widths[0] = inputs.len();
        Mlp {
            shape,
            inputs,
            weights,
            chain: like.chain,
        }
    }
}
