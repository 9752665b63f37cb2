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
mod tests;
