//! Forward and backward over all rows in single precision, on a workspace
//! that is made once per solve.
//!
//! Every product is one of two kernels: [`Affine`] (a layer forward, and with
//! its transposed weights backward) and [`Products`] (a layer's weight
//! gradient). The loss itself is evaluated in 64 bit.

use crate::design::Design;
use crate::kernel::{
    Activate, Affine, LANES, Lanes, MultiplySlope, Products, as_rows, as_rows_mut, dispatch,
};
use crate::loss::Loss;
use crate::network::{LayerSpan, Mlp, Shape};

/// Everything between the weights and their gradient.
pub struct Workspace {
    shape: Shape,
    layers: Vec<LayerSpan>,
    /// Column of the design behind each input.
    inputs: Vec<u32>,
    /// 0, 1, 2, …: the inputs of an upper layer.
    all: Vec<u32>,
    blocks: usize,
    /// Per layer: its z, and a = σ(z) below the last.
    z: Vec<Vec<Lanes>>,
    a: Vec<Vec<Lanes>>,
    /// Per layer: ∂loss/∂z.
    delta: Vec<Vec<Lanes>>,
    transposed: Vec<f32>,
    eta: Vec<f64>,
    eta_gradient: Vec<f64>,
}

impl Workspace {
    /// For a network of this shape on the rows of `design`.
    pub fn new(network: &Mlp, design: &Design) -> Self {
        let shape = network.shape.clone();
        let blocks = design.blocks();
        let per_layer = || {
            shape.widths[1..]
                .iter()
                .map(|width| vec![Lanes::ZERO; width * blocks])
                .collect()
        };
        let widest = shape.widths[1..].iter().max().copied().unwrap_or(0);
        let outputs = shape.widths[shape.depth()] * design.rows();
        Workspace {
            layers: shape.layers(),
            inputs: network.inputs.iter().map(|&j| j as u32).collect(),
            all: (0..widest as u32).collect(),
            blocks,
            z: per_layer(),
            a: per_layer(),
            delta: per_layer(),
            transposed: vec![0.0; widest * widest],
            eta: vec![0.0; outputs],
            eta_gradient: vec![0.0; outputs],
            shape,
        }
    }

    /// Writes the gradient of the mean loss and returns the loss.
    pub fn gradient(
        &mut self,
        design: &Design,
        loss: &dyn Loss,
        weights: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        self.forward(design, weights);
        let value = self.loss_gradient(design.rows(), loss);
        self.backward(design, weights, gradient);
        value
    }

    fn forward(&mut self, design: &Design, weights: &[f32]) {
        for (l, layer) in self.layers.iter().enumerate() {
            let (x, columns) = if l == 0 {
                (design.lanes(), &self.inputs[..])
            } else {
                (&self.a[l - 1][..], &self.all[..layer.inputs])
            };
            dispatch(Affine {
                x,
                blocks: self.blocks,
                columns,
                weight: &weights[layer.weight.clone()],
                bias: &weights[layer.bias.clone()],
                z: &mut self.z[l],
            });
            if l + 1 < self.layers.len() {
                dispatch(Activate {
                    activation: self.shape.activation,
                    z: &self.z[l],
                    a: &mut self.a[l],
                });
            }
        }
    }

    /// From the last z to the last δ, in 64 bit; padded rows keep δ = 0.
    fn loss_gradient(&mut self, rows: usize, loss: &dyn Loss) -> f64 {
        let last = self.layers.len() - 1;
        let padded = self.blocks * LANES;
        for (eta, z) in self
            .eta
            .chunks_exact_mut(rows)
            .zip(as_rows(&self.z[last]).chunks(padded))
        {
            for (eta, &z) in eta.iter_mut().zip(z) {
                *eta = f64::from(z);
            }
        }
        let value = loss.gradient(&self.eta, &mut self.eta_gradient);
        let delta = as_rows_mut(&mut self.delta[last]);
        for (delta, g) in delta
            .chunks_mut(padded)
            .zip(self.eta_gradient.chunks_exact(rows))
        {
            for (delta, &g) in delta.iter_mut().zip(g) {
                *delta = g as f32;
            }
        }
        value
    }

    fn backward(&mut self, design: &Design, weights: &[f32], gradient: &mut [f32]) {
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (below, delta) = self.delta.split_at_mut(l);
            let delta = &delta[0];
            let (x, columns) = if l == 0 {
                (design.lanes(), &self.inputs[..])
            } else {
                (&self.a[l - 1][..], &self.all[..layer.inputs])
            };
            dispatch(Products {
                x,
                blocks: self.blocks,
                columns,
                delta,
                gradient: &mut gradient[layer.weight.clone()],
            });
            let units = delta.chunks_exact(self.blocks);
            for (g, unit) in gradient[layer.bias.clone()].iter_mut().zip(units) {
                *g = sum(unit);
            }
            let Some(below) = below.last_mut() else {
                continue;
            };
            let weight = &weights[layer.weight.clone()];
            let transposed = &mut self.transposed[..weight.len()];
            for (j, row) in weight.chunks_exact(layer.outputs).enumerate() {
                for (k, &w) in row.iter().enumerate() {
                    transposed[k * layer.inputs + j] = w;
                }
            }
            dispatch(Affine {
                x: delta,
                blocks: self.blocks,
                columns: &self.all[..layer.outputs],
                weight: transposed,
                bias: &[],
                z: below,
            });
            dispatch(MultiplySlope {
                activation: self.shape.activation,
                z: &self.z[l - 1],
                a: &self.a[l - 1],
                delta: below,
            });
        }
    }
}

/// The sum over a column, lane by lane first.
fn sum(column: &[Lanes]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for lanes in column {
        for (sum, value) in sums.iter_mut().zip(lanes.0) {
            *sum += value;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::dataset::{Dataset, Outcome, Task};
    use crate::design::Scaling;
    use crate::loss::{Ties, for_outcome};
    use crate::precise;
    use crate::random::{Purpose, Random};

    fn outcomes(n: usize) -> Vec<Outcome> {
        let label = |i: usize, k: usize| (i * 5 + 1) % k;
        let classes = |k: usize, task| Outcome::Classes {
            labels: (0..n).map(|i| label(i, k)).collect(),
            classes: (0..k).map(|c| c.to_string()).collect(),
            task,
        };
        vec![
            Outcome::Continuous((0..n).map(|i| (i as f64 * 0.37).sin()).collect()),
            classes(2, Task::Binary),
            classes(3, Task::Multiclass),
            Outcome::Survival {
                time: (0..n).map(|i| (i % 7) as f64).collect(),
                event: (0..n).map(|i| i % 3 != 0).collect(),
            },
        ]
    }

    /// Both gradient paths, for every loss × activation × depth: 64 bit
    /// against central differences, single precision against 64 bit.
    #[test]
    fn gradients_equal_central_differences() {
        let (n, d) = (37, 4);
        let rows: Vec<usize> = (0..n).collect();
        for outcome in outcomes(n) {
            let mut random = Random::new(5, Purpose::Simulation, 0, 0);
            let columns = (0..d)
                .map(|_| (0..n).map(|_| random.normal()).collect())
                .collect();
            let names = (0..d).map(|j| format!("x{j}")).collect();
            let data = Dataset::new(names, columns, outcome.clone()).unwrap();
            let scaling = Scaling::learn(&data, &rows, true);
            let design = Design::new(&data, &rows, &scaling);
            for ties in [Ties::Breslow, Ties::Efron] {
                let loss = for_outcome(&outcome, ties);
                for activation in Activation::ALL {
                    for hidden in [vec![], vec![5], vec![6, 3], vec![4, 3, 2]] {
                        let shape = Shape::new(&hidden, loss.outputs(), activation, outcome.task());
                        let mut network = Mlp::random(vec![0, 2, 3], shape, &mut random);
                        // A ReLU at its kink has no derivative: move the biases off it.
                        for w in &mut network.weights {
                            *w = 4.0 * *w + 0.05;
                        }
                        check(
                            &mut network,
                            &design,
                            &*loss,
                            &format!("{activation:?} {hidden:?}"),
                        );
                    }
                }
            }
        }
    }

    fn check(network: &mut Mlp, design: &Design, loss: &dyn Loss, name: &str) {
        let columns = design.columns(&network.inputs);
        let value =
            |network: &Mlp| loss.value(precise::forward(network, &columns, design.rows()).output());
        let tape = precise::forward(network, &columns, design.rows());
        let mut delta = vec![0.0; tape.output().len()];
        let exact_value = loss.gradient(tape.output(), &mut delta);
        let exact = precise::backward(network, &columns, &tape, &delta);
        let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
        let mut fast = vec![f32::NAN; single.len()];
        let fast_value = Workspace::new(network, design).gradient(design, loss, &single, &mut fast);
        assert!(
            (fast_value - exact_value).abs() < 1e-4 * (1.0 + exact_value),
            "{name}"
        );
        for i in 0..exact.len() {
            let (center, step) = (network.weights[i], 1e-6);
            network.weights[i] = center + step;
            let above = value(network);
            network.weights[i] = center - step;
            let below = value(network);
            network.weights[i] = center;
            let difference = (above - below) / (2.0 * step);
            let scale = 1.0 + exact[i].abs();
            assert!(
                (exact[i] - difference).abs() < 1e-6 * scale,
                "{name}[{i}]: {} against {difference}",
                exact[i]
            );
            assert!(
                (f64::from(fast[i]) - exact[i]).abs() < 1e-4 * scale,
                "{name}[{i}] f32"
            );
        }
    }
}
