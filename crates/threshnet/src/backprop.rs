//! Forward and backward in single precision, on a workspace that is made once
//! and then never allocates.
//!
//! Rows are taken in the blocks of the columns' [`Layout`](crate::columns::Layout). A loss that is a sum over
//! rows goes forward and backward over a block while it is in cache, so that
//! X is read from memory once per step; Cox's partial likelihood needs all
//! outputs first. Blocks are dealt to *stripes*, each with a gradient of its
//! own, which are added up in order: how many there are depends on the sizes
//! alone, so the result is the same for any number of threads.
//!
//! The first layer's products are those of its [`Columns`], however they are
//! stored. Above it, every product is one of two kernels: [`Affine`] (a layer
//! forward, and with its transposed weights backward) and [`Products`] (a
//! layer's weight gradient). The loss itself is evaluated in 64 bit.

use crate::activation::Activation;
use crate::columns::{Block, Columns};
use crate::kernel::{
    Activate, Affine, LANES, Lanes, Layer, MultiplySlope, Plain, Products, ReluSlope, Sums,
    as_rows, as_rows_mut, dispatch,
};
use crate::loss::{Loss, RowPart};
use crate::network::{LayerSpan, Shape};
use rayon::prelude::*;
use std::ops::Range;

/// Below so many products per step, threads cost more than they save.
const WORTH_DIVIDING: usize = 1 << 24;
/// A stripe has at least so many lanes …
const STRIPE_LANES: usize = 8;
/// … and there are at most so many.
const MOST_STRIPES: usize = 16;

/// Everything between the weights and their gradient.
pub struct Workspace {
    plan: Plan,
    stripes: Vec<Stripe>,
    /// Of all rows, for a loss that is not additive.
    whole: Outputs,
    parallel: bool,
}

/// What all blocks share.
struct Plan {
    activation: Activation,
    layers: Vec<LayerSpan>,
    /// Widths of the layers but for what a shortcut adds to the first.
    widths: Vec<usize>,
    shortcut: bool,
    /// The first layer's biases, with zeros for the shortcut.
    first_bias: Vec<f32>,
    /// The place of each input among the columns.
    inputs: Vec<u32>,
    /// 0, 1, 2, …: the inputs of an upper layer.
    all: Vec<u32>,
    /// Per layer but the first: its weights, output by output.
    transposed: Vec<Vec<f32>>,
}

/// Some of the blocks, one after the other.
struct Stripe {
    /// One per block if the loss needs all outputs at once, else one for all.
    slots: Vec<Slot>,
    outputs: Outputs,
    gradient: Vec<f32>,
    loss: f64,
}

/// The network's output and the loss's answer, in 64 bit.
struct Outputs {
    eta: Vec<f64>,
    gradient: Vec<f64>,
    scratch: Vec<f64>,
}

/// What a block leaves on its way, per layer.
struct Slot {
    /// z of the last layer, and of the others where σ′ needs it.
    z: Vec<Vec<Lanes>>,
    /// σ(z), below the last layer.
    a: Vec<Vec<Lanes>>,
    /// ∂loss/∂z.
    delta: Vec<Vec<Lanes>>,
}

impl Workspace {
    /// For networks of this shape that are fed by the columns at `inputs`. If
    /// `parallel`, stripes run on the rayon pool.
    pub fn new(
        shape: &Shape,
        inputs: Vec<u32>,
        columns: &dyn Columns,
        loss: &dyn Loss,
        parallel: bool,
    ) -> Self {
        let layout = columns.layout();
        assert!(
            loss.additive() || layout.batches() == 1,
            "a loss that is no sum over rows takes them all at once"
        );
        let blocks = layout.batch(0);
        let lanes_of = |block: usize| layout.blocks()[block].lanes;
        let lanes: usize = blocks.clone().map(lanes_of).sum();
        let count = stripe_count(lanes, shape).clamp(1, blocks.len().max(1));
        let largest = (layout.blocks().iter().map(|block| block.lanes).max()).unwrap_or(0);
        let outputs = shape.widths[shape.depth()];
        let stripes = (0..count).map(|s| {
            let (slots, rows) = if loss.additive() {
                (vec![Slot::new(shape, largest)], largest * LANES)
            } else {
                let own = share(&blocks, s, count).map(lanes_of);
                (own.map(|lanes| Slot::new(shape, lanes)).collect(), 0)
            };
            Stripe {
                slots,
                outputs: Outputs::new(outputs * rows),
                gradient: vec![0.0; shape.parameters()],
                loss: 0.0,
            }
        });
        let rows = if loss.additive() { 0 } else { layout.rows() };
        let layers = shape.layers();
        let widest = layers.iter().map(|layer| layer.outputs).max().unwrap_or(0);
        Workspace {
            stripes: stripes.collect(),
            whole: Outputs::new(outputs * rows),
            parallel: parallel && count > 1,
            plan: Plan {
                activation: shape.activation,
                transposed: (layers[1..].iter())
                    .map(|layer| vec![0.0; layer.weight.len()])
                    .collect(),
                widths: shape.widths[1..].to_vec(),
                shortcut: shape.shortcut,
                first_bias: match layers[0].bias.len() {
                    0 => vec![],
                    _ => vec![0.0; layers[0].outputs],
                },
                layers,
                inputs,
                all: (0..widest as u32).collect(),
            },
        }
    }

    /// Writes the gradient of a batch's mean loss and returns that loss.
    pub fn gradient(
        &mut self,
        columns: &dyn Columns,
        batch: usize,
        loss: &dyn Loss,
        weights: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        self.plan.prepare(weights);
        let layout = columns.layout();
        let blocks = layout.batch(batch);
        let value = if loss.additive() {
            let own = &layout.blocks()[blocks.clone()];
            let rows = own[0].rows.start..own[own.len() - 1].rows.end;
            let factor = batch_factor(loss, rows, layout.rows());
            self.each_stripe(&blocks, |plan, stripe, blocks| {
                stripe.down_and_up(plan, columns, blocks, (loss, factor), weights);
            });
            self.stripes.iter().map(|stripe| stripe.loss).sum()
        } else {
            self.each_stripe(&blocks, |plan, stripe, blocks| {
                for (number, slot) in blocks.zip(&mut stripe.slots) {
                    plan.forward(columns, number, slot, weights);
                }
            });
            let value = self.whole_loss(columns, loss);
            self.each_stripe(&blocks, |plan, stripe, blocks| {
                stripe.gradient.fill(0.0);
                for (number, slot) in blocks.zip(&mut stripe.slots) {
                    plan.backward(columns, number, slot, &mut stripe.gradient);
                }
            });
            value
        };
        let (first, others) = self.stripes.split_first().expect("there is a stripe");
        gradient.copy_from_slice(&first.gradient);
        for stripe in others {
            for (sum, g) in gradient.iter_mut().zip(&stripe.gradient) {
                *sum += g;
            }
        }
        value
    }

    /// Runs `work` on every stripe and its share of the blocks.
    fn each_stripe(
        &mut self,
        blocks: &Range<usize>,
        work: impl Fn(&Plan, &mut Stripe, Range<usize>) + Sync,
    ) {
        let (plan, count) = (&self.plan, self.stripes.len());
        let stripes = &mut self.stripes;
        if self.parallel {
            (stripes.par_iter_mut().enumerate())
                .for_each(|(s, stripe)| work(plan, stripe, share(blocks, s, count)));
        } else {
            for (s, stripe) in stripes.iter_mut().enumerate() {
                work(plan, stripe, share(blocks, s, count));
            }
        }
    }

    /// From the last z of all blocks to their last δ.
    fn whole_loss(&mut self, columns: &dyn Columns, loss: &dyn Loss) -> f64 {
        let layout = columns.layout();
        let rows = layout.rows();
        let Outputs {
            eta,
            gradient,
            scratch,
        } = &mut self.whole;
        let slots = || self.stripes.iter().flat_map(|stripe| &stripe.slots);
        for (block, slot) in layout.blocks().iter().zip(slots()) {
            for (k, eta) in eta.chunks_exact_mut(rows).enumerate() {
                slot.read_output(block, k, &mut eta[block.rows.clone()]);
            }
        }
        let value = loss.gradient(RowPart::all(rows), eta, gradient, scratch);
        let slots = (self.stripes.iter_mut()).flat_map(|stripe| &mut stripe.slots);
        for (block, slot) in layout.blocks().iter().zip(slots) {
            for (k, gradient) in gradient.chunks_exact(rows).enumerate() {
                slot.write_delta(block, k, &gradient[block.rows.clone()]);
            }
        }
        value
    }
}

impl Stripe {
    /// Forward, loss and backward over each block.
    fn down_and_up(
        &mut self,
        plan: &Plan,
        columns: &dyn Columns,
        blocks: Range<usize>,
        (loss, factor): (&dyn Loss, f64),
        weights: &[f32],
    ) {
        let slot = &mut self.slots[0];
        self.loss = 0.0;
        self.gradient.fill(0.0);
        for number in blocks {
            let block = &columns.layout().blocks()[number];
            plan.forward(columns, number, slot, weights);
            let rows = block.rows.len();
            let eta = &mut self.outputs.eta[..loss.outputs() * rows];
            let gradient = &mut self.outputs.gradient[..loss.outputs() * rows];
            for (k, eta) in eta.chunks_exact_mut(rows).enumerate() {
                slot.read_output(block, k, eta);
            }
            let part = RowPart {
                rows: block.rows.clone(),
                factor,
            };
            self.loss += loss.gradient(part, eta, gradient, &mut self.outputs.scratch);
            for (k, gradient) in gradient.chunks_exact(rows).enumerate() {
                slot.write_delta(block, k, gradient);
            }
            plan.backward(columns, number, slot, &mut self.gradient);
        }
    }
}

impl Outputs {
    fn new(count: usize) -> Self {
        Outputs {
            eta: vec![0.0; count],
            gradient: vec![0.0; count],
            scratch: Vec::new(),
        }
    }
}

impl Slot {
    /// For blocks of at most `lanes` lanes.
    fn new(shape: &Shape, lanes: usize) -> Self {
        let room = |width: usize| vec![Lanes::ZERO; width * lanes];
        let layers = shape.layers();
        let last = layers.len() - 1;
        let with_z = |l: usize| {
            shape.activation != Activation::Relu || l == last || l == 0 && shape.shortcut
        };
        let units = |layer: &LayerSpan| layer.outputs;
        Slot {
            z: (layers.iter().map(units).enumerate())
                .map(|(l, width)| room(if with_z(l) { width } else { 0 }))
                .collect(),
            a: layers[..last].iter().map(units).map(room).collect(),
            delta: layers.iter().map(units).map(room).collect(),
        }
    }

    /// η of output unit `k`, in 64 bit.
    fn read_output(&self, block: &Block, k: usize, eta: &mut [f64]) {
        let unit = &self.z[self.z.len() - 1][k * block.lanes..(k + 1) * block.lanes];
        for (eta, &z) in eta.iter_mut().zip(as_rows(unit)) {
            *eta = f64::from(z);
        }
    }

    /// δ of output unit `k`; padded rows have none.
    fn write_delta(&mut self, block: &Block, k: usize, gradient: &[f64]) {
        let last = self.delta.len() - 1;
        let unit = as_rows_mut(&mut self.delta[last][k * block.lanes..(k + 1) * block.lanes]);
        let (rows, padded) = unit.split_at_mut(gradient.len());
        for (delta, &g) in rows.iter_mut().zip(gradient) {
            *delta = g as f32;
        }
        padded.fill(0.0);
    }
}

impl Plan {
    /// Writes the upper layers' weights output by output, for the way back, and the first
    /// layer's biases.
    fn prepare(&mut self, weights: &[f32]) {
        let bias = &weights[self.layers[0].bias.clone()];
        self.first_bias[..bias.len()].copy_from_slice(bias);
        for (layer, transposed) in self.layers[1..].iter().zip(&mut self.transposed) {
            let rows = weights[layer.weight.clone()].chunks_exact(layer.outputs);
            for (j, row) in rows.enumerate() {
                for (k, &w) in row.iter().enumerate() {
                    transposed[k * layer.inputs + j] = w;
                }
            }
        }
    }

    fn forward(&self, columns: &dyn Columns, block: usize, slot: &mut Slot, weights: &[f32]) {
        let lanes = columns.layout().blocks()[block].lanes;
        for (l, layer) in self.layers.iter().enumerate() {
            let size = layer.outputs * lanes;
            let weight = &weights[layer.weight.clone()];
            let (done, ahead) = slot.a.split_at_mut(l);
            // What leads straight to the outputs is not activated.
            let straight = l == 0 && self.shortcut;
            let relu = self.activation == Activation::Relu && !straight && !ahead.is_empty();
            let z = match relu {
                true => &mut ahead[0][..size],
                false => &mut slot.z[l][..size],
            };
            match done.last() {
                None => {
                    let first = Layer {
                        inputs: &self.inputs,
                        weight,
                        bias: &self.first_bias,
                        relu,
                    };
                    columns.forward(block, first, z);
                }
                Some(below) => {
                    let upper = Layer {
                        inputs: &self.all[..layer.inputs],
                        weight,
                        bias: &weights[layer.bias.clone()],
                        relu,
                    };
                    upper.forward(&below[..layer.inputs * lanes], lanes, z);
                }
            }
            if !relu && let Some(a) = ahead.first_mut() {
                let activated = self.widths[l] * lanes;
                dispatch(Activate {
                    activation: self.activation,
                    z: &slot.z[l][..activated],
                    a: &mut a[..activated],
                });
            }
        }
        if self.shortcut {
            let (first, last) = slot.z.split_at_mut(self.layers.len() - 1);
            let straight = self.straight(lanes);
            let size = straight.len();
            let sums = as_rows_mut(&mut last[0][..size]).iter_mut();
            sums.zip(as_rows(&first[0][straight]))
                .for_each(|(z, s)| *z += s);
        }
    }

    /// Where the first layer's units that lead straight to the outputs are.
    fn straight(&self, lanes: usize) -> Range<usize> {
        self.widths[0] * lanes..self.layers[0].outputs * lanes
    }

    /// Adds the block's share to the gradient.
    fn backward(&self, columns: &dyn Columns, block: usize, slot: &mut Slot, gradient: &mut [f32]) {
        let lanes = columns.layout().blocks()[block].lanes;
        if self.shortcut {
            let (first, last) = slot.delta.split_at_mut(self.layers.len() - 1);
            let straight = self.straight(lanes);
            let size = straight.len();
            first[0][straight].copy_from_slice(&last[0][..size]);
        }
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (below, delta) = slot.delta.split_at_mut(l);
            let delta = &delta[0][..layer.outputs * lanes];
            let weight_gradient = &mut gradient[layer.weight.clone()];
            match l.checked_sub(1) {
                None => columns.gradient(block, &self.inputs, delta, weight_gradient),
                Some(below) => dispatch(Products {
                    x: &slot.a[below][..layer.inputs * lanes],
                    lanes,
                    columns: &self.all[..layer.inputs],
                    delta,
                    gradient: weight_gradient,
                }),
            }
            dispatch(Sums {
                delta,
                lanes,
                gradient: &mut gradient[layer.bias.clone()],
            });
            let Some(below) = below.last_mut() else {
                continue;
            };
            let size = layer.inputs * lanes;
            let (below, a) = (&mut below[..size], &slot.a[l - 1][..size]);
            let columns = &self.all[..layer.outputs];
            let weight = &self.transposed[l - 1];
            if self.activation == Activation::Relu {
                dispatch(Affine {
                    x: delta,
                    lanes,
                    columns,
                    weight,
                    bias: &[],
                    epilogue: ReluSlope(as_rows(a)),
                    z: below,
                });
                continue;
            }
            dispatch(Affine {
                x: delta,
                lanes,
                columns,
                weight,
                bias: &[],
                epilogue: Plain,
                z: &mut *below,
            });
            dispatch(MultiplySlope {
                activation: self.activation,
                z: &slot.z[l - 1][..size],
                a,
                delta: below,
            });
        }
    }
}

/// What a batch of rows is multiplied by to stand for all.
fn batch_factor(loss: &dyn Loss, batch: Range<usize>, all: usize) -> f64 {
    let weights = loss.weights();
    match weights.given() {
        None => all as f64 / batch.len() as f64,
        Some(given) => weights.total(all) / given[batch].iter().sum::<f64>(),
    }
}

/// Into how many stripes a step of this size is divided. Their gradients
/// together are never larger than the rows they come from.
fn stripe_count(lanes: usize, shape: &Shape) -> usize {
    let (rows, parameters) = (lanes * LANES, shape.parameters().max(1));
    if rows * parameters < WORTH_DIVIDING {
        return 1;
    }
    (lanes / STRIPE_LANES)
        .min(rows * shape.widths[0] / parameters)
        .min(MOST_STRIPES)
}

/// The part of `blocks` that is stripe `s` of `count`.
fn share(blocks: &Range<usize>, s: usize, count: usize) -> Range<usize> {
    let at = |s: usize| blocks.start + s * blocks.len() / count;
    at(s)..at(s + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::columns::{Part, Scaling, Standardised};
    use crate::dataset::{Dataset, Outcome, Task};
    use crate::kernel::InstructionSet;
    use crate::kernel::tests::on;
    use crate::loss::{Ties, for_response};
    use crate::network::Mlp;
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
            let columns = Standardised::of_rows(&data, &rows, &scaling);
            for ties in [Ties::Breslow, Ties::Efron] {
                let loss = for_response(&outcome.clone().into(), ties);
                for activation in Activation::ALL {
                    for (hidden, shortcut) in [
                        (vec![], false),
                        (vec![5], false),
                        (vec![6, 3], false),
                        (vec![4, 3, 2], false),
                        (vec![5], true),
                        (vec![6, 3], true),
                    ] {
                        let plain = Shape::new(&hidden, loss.outputs(), activation, outcome.task());
                        let shape = Shape { shortcut, ..plain };
                        let mut network = Mlp::random(vec![0, 2, 3], shape, &mut random);
                        // A ReLU at its kink has no derivative: move the biases off it.
                        for w in &mut network.weights {
                            *w = 4.0 * *w + 0.05;
                        }
                        check(
                            &mut network,
                            &columns,
                            &*loss,
                            &format!("{activation:?} {hidden:?} {shortcut}"),
                        );
                    }
                }
            }
        }
    }

    fn check(network: &mut Mlp, columns: &Standardised, loss: &dyn Loss, name: &str) {
        let value = |network: &Mlp| loss.value(&precise::output(network, columns));
        let tapes = precise::tapes(network, columns);
        let output = precise::gathered(&tapes, columns.layout());
        let mut delta = vec![0.0; output.len()];
        let all = RowPart::all(columns.layout().rows());
        let exact_value = loss.gradient(all, &output, &mut delta, &mut vec![]);
        let exact = precise::gradient(network, columns, &tapes, &delta);
        let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
        let mut fast = vec![f32::NAN; single.len()];
        let (inputs, storage) = (columns.places(&network.inputs), columns.storage());
        let mut workspace = Workspace::new(&network.shape, inputs, storage, loss, false);
        let fast_value = workspace.gradient(storage, 0, loss, &single, &mut fast);
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

    /// What `kernel/mod.rs` says of sets with and without a fused multiply-add.
    #[test]
    fn sets_agree_on_a_gradient_within_their_bound() {
        let (n, d) = (403, 60);
        let rows: Vec<usize> = (0..n).collect();
        for outcome in outcomes(n) {
            let mut random = Random::new(6, Purpose::Simulation, 0, 0);
            let columns = (0..d)
                .map(|_| (0..n).map(|_| random.normal()).collect())
                .collect();
            let names = (0..d).map(|j| format!("x{j}")).collect();
            let data = Dataset::new(names, columns, outcome.clone()).unwrap();
            let held = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
            let (storage, loss) = (held.storage(), for_response(data.response(), Ties::Efron));
            for activation in Activation::ALL {
                let shape = Shape::new(&[10, 5], loss.outputs(), activation, outcome.task());
                let network = Mlp::random((0..d).collect(), shape, &mut random);
                let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
                let inputs: Vec<u32> = (0..d as u32).collect();
                let gradient = |set: InstructionSet| {
                    on(set, || {
                        let mut workspace =
                            Workspace::new(&network.shape, inputs.clone(), storage, &*loss, false);
                        let mut gradient = vec![f32::NAN; single.len()];
                        workspace.gradient(storage, 0, &*loss, &single, &mut gradient);
                        gradient
                    })
                };
                let sets = InstructionSet::available();
                let first = gradient(sets[0]);
                let scale = first.iter().fold(0f32, |most, g| most.max(g.abs()));
                for &set in &sets[1..] {
                    let differences = first.iter().zip(gradient(set)).map(|(a, b)| (a - b).abs());
                    let most = differences.fold(0f32, f32::max);
                    let bound = match set {
                        InstructionSet::Portable => 1e-5,
                        _ => 0.0,
                    };
                    assert!(
                        most <= bound * scale,
                        "{activation:?} {set:?}: {most} of {scale}"
                    );
                }
            }
        }
    }

    /// The gradient of some rows alone, in 64 bit.
    fn precise_gradient(data: &Dataset, rows: &[usize], network: &Mlp) -> (f64, Vec<f64>) {
        let columns = Standardised::of_rows(data, rows, &Scaling::learn(data, rows, false));
        let loss = for_response(&data.response().rows(rows), Ties::Efron);
        let tapes = precise::tapes(network, &columns);
        let output = precise::gathered(&tapes, columns.layout());
        let mut delta = vec![0.0; output.len()];
        let all = RowPart::all(rows.len());
        let value = loss.gradient(all, &output, &mut delta, &mut vec![]);
        (value, precise::gradient(network, &columns, &tapes, &delta))
    }

    /// Many blocks, batches of them, stripes of them, on several threads: each
    /// step is that of its rows, and its bits are those of one thread.
    #[test]
    fn blocks_batches_and_stripes_are_the_same_sums() {
        let (n, d) = (2003, 850);
        let mut random = Random::new(5, Purpose::Simulation, 0, 0);
        let columns: Vec<Vec<f64>> = (0..d)
            .map(|_| (0..n).map(|_| random.normal()).collect())
            .collect();
        let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
        let rows: Vec<usize> = (0..n).collect();
        for outcome in outcomes(n) {
            let data = Dataset::new(names.clone(), columns.clone(), outcome.clone()).unwrap();
            let scaling = Scaling::learn(&data, &rows, false);
            let loss = for_response(&outcome.clone().into(), Ties::Efron);
            let shape = Shape::new(&[10, 5], loss.outputs(), Activation::Relu, outcome.task());
            let network = Mlp::random((0..d).collect(), shape, &mut random);
            let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
            let batches = if loss.additive() {
                vec![n, 300]
            } else {
                vec![n]
            };
            for batch in batches {
                let all: Vec<usize> = (0..d).collect();
                let part = Part {
                    rows: &rows,
                    columns: &all,
                    batch,
                };
                let columns = Standardised::new(&data, part, &scaling);
                let (storage, layout) = (columns.storage(), columns.layout());
                let inputs: Vec<u32> = (0..d as u32).collect();
                let run = |threads: usize, number: usize| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let parallel = threads > 1;
                    pool.build().unwrap().install(|| {
                        let mut workspace = Workspace::new(
                            &network.shape,
                            inputs.clone(),
                            storage,
                            &*loss,
                            parallel,
                        );
                        assert_eq!(workspace.stripes.len() > 1, batch == n);
                        let mut gradient = vec![f32::NAN; single.len()];
                        let value =
                            workspace.gradient(storage, number, &*loss, &single, &mut gradient);
                        (value, gradient)
                    })
                };
                for number in [0, layout.batches() - 1] {
                    let (value, gradient) = run(1, number);
                    assert_eq!((value, gradient.clone()), run(3, number));
                    let blocks = &layout.blocks()[layout.batch(number)];
                    let own = &rows[blocks[0].rows.start..blocks[blocks.len() - 1].rows.end];
                    let (exact_value, exact) = precise_gradient(&data, own, &network);
                    assert!((value - exact_value).abs() < 1e-4 * (1.0 + exact_value));
                    for (g, exact) in gradient.iter().zip(&exact) {
                        let error = (f64::from(*g) - exact).abs();
                        assert!(error < 1e-4 * (1.0 + exact.abs()), "{g} against {exact}");
                    }
                }
            }
        }
    }
}
