//! The network: its shape, its weights as one vector, its start, its pruning.
//!
//! A network f_w = L_D ∘ σ ∘ … ∘ σ ∘ L₀ keeps all its parameters in one
//! vector, layer by layer, `[W₀ | b₀ | W₁ | b₁ | …]`. A layer's weight is
//! stored input by input: the weights that leave input j are contiguous, so a
//! group of the penalty is one slice and pruning a column removes one slice.

use crate::activation::Activation;
use crate::columns::Scaling;
use crate::dataset::{Features, Task};
use crate::groups::{Divided, Groups};
use crate::random::Random;
use std::ops::Range;

/// Initial weights are standard normal, truncated to ± this.
const INITIAL_BOUND: f64 = 0.2;

/// Below this sum of absolute weights a column leaves the network.
const PRUNE_BELOW: f64 = 1e-6;

/// Widths of all layers, from the inputs to the outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Inputs, hidden widths, outputs.
    pub widths: Vec<usize>,
    /// Between layers; not after the last.
    pub activation: Activation,
    /// Whether the last layer has a bias (not in a Cox model, where it cancels).
    pub output_bias: bool,
    /// Whether inputs also lead straight to the outputs. The first layer then has a unit
    /// more for each output, which is not activated, has no bias and is added to it:
    ///
    /// ```text
    /// f(x) = L_D ∘ σ ∘ … ∘ σ ∘ L₀(x) + Θx
    /// ```
    pub shortcut: bool,
    /// Which columns are penalised together, and how much.
    pub groups: Groups,
}

/// Where one layer's parameters are in the vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerSpan {
    /// Units below.
    pub inputs: usize,
    /// Units of this layer.
    pub outputs: usize,
    /// `inputs` rows of `outputs` weights.
    pub weight: Range<usize>,
    /// A bias for each output, or none; none for what a shortcut adds.
    pub bias: Range<usize>,
}

impl Shape {
    /// For a task, without inputs as yet, shortcut and groups. A Cox model has no output
    /// bias: its η is known up to a constant only.
    pub fn new(hidden: &[usize], outputs: usize, activation: Activation, task: Task) -> Self {
        Shape {
            widths: [&[0], hidden, &[outputs]].concat(),
            activation,
            output_bias: task != Task::Cox,
            shortcut: false,
            groups: Groups::default(),
        }
    }

    /// The number of layers, one more than hidden ones.
    pub fn depth(&self) -> usize {
        self.widths.len() - 1
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.widths[self.depth()]
    }

    /// The number of units that inputs lead to, h: the weights that leave an input.
    pub fn group(&self) -> usize {
        self.widths[1] + if self.shortcut { self.outputs() } else { 0 }
    }

    /// Where the layers are, in order.
    pub fn layers(&self) -> Vec<LayerSpan> {
        let mut end = 0;
        (0..self.depth())
            .map(|l| {
                let (inputs, width) = (self.widths[l], self.widths[l + 1]);
                let outputs = if l == 0 { self.group() } else { width };
                let has_bias = l + 1 < self.depth() || self.output_bias;
                let weight = end..end + inputs * outputs;
                let bias = weight.end..weight.end + if has_bias { width } else { 0 };
                end = bias.end;
                LayerSpan {
                    inputs,
                    outputs,
                    weight,
                    bias,
                }
            })
            .collect()
    }

    /// The number of parameters.
    pub fn parameters(&self) -> usize {
        self.layers().last().map_or(0, |layer| layer.bias.end)
    }

    /// The number of parameters in the first layer's groups, which come first.
    pub fn grouped(&self) -> usize {
        self.widths[0] * self.group()
    }
}

/// A network with its weights, and which columns of the data feed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp {
    /// Its widths and activation.
    pub shape: Shape,
    /// The column number behind each input, ascending.
    pub inputs: Vec<usize>,
    /// All parameters, as [`Shape::layers`] divides them.
    pub weights: Vec<f64>,
    /// The number of the [chain](crate::impute::Chain) that imputes what it is fed, under multiple
    /// imputation.
    pub chain: Option<usize>,
}

impl Mlp {
    /// A random start on the given columns: weights truncated normal, biases and what is on
    /// a shortcut 0.
    pub fn random(inputs: Vec<usize>, shape: Shape, random: &mut Random) -> Self {
        let mut network = Mlp::zero(inputs, shape);
        for (l, layer) in network.shape.layers().into_iter().enumerate() {
            let width = network.shape.widths[l + 1];
            for of_input in network.weights[layer.weight].chunks_exact_mut(layer.outputs) {
                for w in &mut of_input[..width] {
                    *w = random.truncated_normal(INITIAL_BOUND);
                }
            }
        }
        network
    }

    /// All weights zero.
    pub fn zero(inputs: Vec<usize>, mut shape: Shape) -> Self {
        shape.widths[0] = inputs.len();
        Mlp {
            weights: vec![0.0; shape.parameters()],
            inputs,
            shape,
            chain: None,
        }
    }

    /// ‖W₀ⱼ‖₂ of every input.
    pub fn norms(&self) -> Vec<f64> {
        (0..self.inputs.len())
            .map(|input| self.norm(input))
            .collect()
    }

    /// ‖W₀ⱼ‖₂ of one input.
    pub fn norm(&self, input: usize) -> f64 {
        let h = self.shape.group();
        let group = &self.weights[input * h..(input + 1) * h];
        group.iter().map(|w| w * w).sum::<f64>().sqrt()
    }

    /// The features that feed it, by number, with their group norms.
    pub fn feature_norms(&self, features: &Features) -> Vec<(usize, f64)> {
        let mut start = 0;
        (self.inputs)
            .chunk_by(|&a, &b| features.of_column(a) == features.of_column(b))
            .map(|columns| {
                let own: Vec<usize> = (start..start + columns.len()).collect();
                start += columns.len();
                (features.of_column(columns[0]), self.norm_of(&own))
            })
            .collect()
    }

    /// The first-layer weights, input by input.
    fn of_inputs(&self) -> impl Iterator<Item = &[f64]> {
        self.weights[..self.shape.grouped()].chunks_exact(self.shape.group())
    }

    /// Its inputs by group.
    pub fn divided(&self) -> Divided {
        self.shape.groups.divide(&self.inputs)
    }

    /// How many groups feed it.
    pub fn size(&self) -> usize {
        self.divided().groups.len()
    }

    /// Whether nothing was selected: whether it has no columns but those that always stay.
    pub fn is_null(&self) -> bool {
        self.inputs.iter().all(|&j| self.shape.groups.is_kept(j))
    }

    /// The weights of some inputs.
    fn weights_of<'a>(&'a self, inputs: &'a [usize]) -> impl Iterator<Item = f64> + 'a {
        let h = self.shape.group();
        (inputs.iter()).flat_map(move |input| self.weights[input * h..][..h].iter().copied())
    }

    /// ‖W₀_g‖₂ of some inputs together.
    pub fn norm_of(&self, inputs: &[usize]) -> f64 {
        self.weights_of(inputs).map(|w| w * w).sum::<f64>().sqrt()
    }

    /// The network without the groups whose weights are (nearly) all zero. What is to stay does.
    pub fn pruned(&self) -> Mlp {
        let mut kept: Vec<bool> = (self.inputs.iter())
            .map(|&j| self.shape.groups.is_kept(j))
            .collect();
        for (inputs, _) in self.divided().iter() {
            if self.weights_of(inputs).map(f64::abs).sum::<f64>() >= PRUNE_BELOW {
                inputs.iter().for_each(|&input| kept[input] = true);
            }
        }
        let inputs: Vec<usize> = (self.inputs.iter().zip(&kept))
            .filter(|(_, kept)| **kept)
            .map(|(&j, _)| j)
            .collect();
        let mut weights: Vec<f64> = (self.of_inputs().zip(&kept))
            .filter(|(_, kept)| **kept)
            .flat_map(|(group, _)| group.iter().copied())
            .collect();
        weights.extend_from_slice(&self.weights[self.shape.grouped()..]);
        let mut shape = self.shape.clone();
        shape.widths[0] = inputs.len();
        Mlp {
            shape,
            inputs,
            weights,
            chain: self.chain,
        }
    }

    /// The network of those of its columns alone that always stay.
    pub fn restricted_to_kept(&self) -> Mlp {
        let mut kept = self.inputs.clone();
        kept.retain(|&j| self.shape.groups.is_kept(j));
        self.widened(&kept)
    }

    /// The same network fed by `columns`: new ones get zero weights, inputs that
    /// are not among them are left out.
    pub fn widened(&self, columns: &[usize]) -> Mlp {
        let mut shape = self.shape.clone();
        shape.widths[0] = columns.len();
        let mut weights = vec![0.0; shape.grouped()];
        let h = shape.group();
        for (&column, group) in self.inputs.iter().zip(self.of_inputs()) {
            if let Ok(at) = columns.binary_search(&column) {
                weights[at * h..(at + 1) * h].copy_from_slice(group);
            }
        }
        weights.extend_from_slice(&self.weights[self.shape.grouped()..]);
        Mlp {
            shape,
            inputs: columns.to_vec(),
            weights,
            chain: self.chain,
        }
    }
}

/// How raw columns become inputs, and a raw outcome y the output (y − center)/unit.
#[derive(Debug, Clone, Copy)]
pub struct Units<'a> {
    /// Of the inputs.
    pub columns: &'a Scaling,
    /// The outcome that becomes 0.
    pub center: f64,
    /// How much of it becomes 1.
    pub unit: f64,
}

impl Mlp {
    /// The same function of raw columns, for inputs and output on another scale. With
    /// z = (x − c)/s in the old and z′ = (x − c′)/s′ in the new one,
    ///
    /// ```text
    /// z = z′·s′/s + (c′ − c)/s,
    /// ```
    ///
    /// so weights take the factor and biases the rest; likewise the outputs. What a
    /// network without biases cannot take is a constant that a Cox model does not know.
    pub fn rescaled(&self, from: Units, to: Units) -> Mlp {
        let mut network = self.clone();
        let layers = self.shape.layers();
        let (first, last) = (&layers[0], &layers[layers.len() - 1]);
        let mut shift = vec![0.0; first.outputs];
        for (&j, group) in self
            .inputs
            .iter()
            .zip(network.weights[first.weight.clone()].chunks_exact_mut(first.outputs))
        {
            for (shift, w) in shift.iter_mut().zip(group) {
                *shift +=
                    *w * (to.columns.center[j] - from.columns.center[j]) / from.columns.scale[j];
                *w *= to.columns.scale[j] / from.columns.scale[j];
            }
        }
        for (bias, shift) in network.weights[first.bias.clone()].iter_mut().zip(&shift) {
            *bias += shift;
        }
        for w in &mut network.weights[last.weight.clone()] {
            *w *= from.unit / to.unit;
        }
        if self.shape.shortcut {
            let begin = self.shape.widths[1];
            for group in network.weights[first.weight.clone()].chunks_exact_mut(first.outputs) {
                group[begin..]
                    .iter_mut()
                    .for_each(|w| *w *= from.unit / to.unit);
            }
            for (bias, shift) in
                (network.weights[last.bias.clone()].iter_mut()).zip(&shift[begin..])
            {
                *bias += shift;
            }
        }
        for bias in &mut network.weights[last.bias.clone()] {
            *bias = (*bias * from.unit + from.center - to.center) / to.unit;
        }
        network
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn network() -> Mlp {
        let shape = Shape::new(&[3, 2], 1, Activation::Relu, Task::Cox);
        let mut random = Random::new(1, Purpose::Weights, 0, 0);
        Mlp::random(vec![2, 5, 7, 11], shape, &mut random)
    }

    #[test]
    fn layers_tile_the_parameters() {
        let network = network();
        let layers = network.shape.layers();
        assert_eq!(layers[0].weight, 0..12);
        assert_eq!(layers[0].bias, 12..15);
        assert_eq!(layers[1].weight, 15..21);
        assert_eq!(layers[1].bias, 21..23);
        assert_eq!(layers[2].weight, 23..25);
        assert!(layers[2].bias.is_empty());
        assert_eq!(network.shape.parameters(), 25);
    }

    #[test]
    fn a_shortcut_joins_the_groups_and_starts_at_nothing() {
        let plain = Shape::new(&[3, 2], 2, Activation::Relu, Task::Multiclass);
        let shape = Shape {
            shortcut: true,
            ..plain
        };
        let mut random = Random::new(1, Purpose::Weights, 0, 0);
        let network = Mlp::random(vec![2, 5], shape, &mut random);
        let layers = network.shape.layers();
        assert_eq!((network.shape.group(), network.shape.grouped()), (5, 10));
        assert_eq!(
            (layers[0].weight.clone(), layers[0].bias.clone()),
            (0..10, 10..13)
        );
        assert_eq!((layers[1].inputs, layers[1].weight.clone()), (3, 13..19));
        for group in network.weights[..10].chunks_exact(5) {
            assert!(group[..3].iter().all(|w| *w != 0.0));
            assert_eq!(group[3..], [0.0, 0.0]);
        }
    }

    #[test]
    fn a_start_has_bounded_weights_and_no_biases() {
        let network = network();
        for layer in network.shape.layers() {
            assert!(
                network.weights[layer.weight]
                    .iter()
                    .all(|w| *w != 0.0 && w.abs() <= 0.2)
            );
            assert!(network.weights[layer.bias].iter().all(|b| *b == 0.0));
        }
    }

    #[test]
    fn pruning_keeps_column_numbers_and_widening_restores_them() {
        let mut network = network();
        network.weights[3..6].fill(0.0);
        network.weights[9..12].fill(3e-7);
        let pruned = network.pruned();
        assert_eq!(pruned.inputs, [2, 7]);
        assert_eq!(pruned.weights[..3], network.weights[..3]);
        assert_eq!(pruned.weights[3..6], network.weights[6..9]);
        assert_eq!(pruned.weights[6..], network.weights[12..]);
        network.weights[9..12].fill(0.0);
        assert_eq!(pruned.widened(&[2, 5, 7, 11]), network);
    }

    /// The output on the raw scale, of raw inputs.
    fn raw(network: &Mlp, units: Units, x: &[f64]) -> f64 {
        let z: Vec<[f64; 1]> = (network.inputs.iter().zip(x))
            .map(|(&j, &x)| [units.columns.apply(j, x)])
            .collect();
        let columns: Vec<&[f64]> = z.iter().map(|z| &z[..]).collect();
        let eta = crate::precise::forward(network, &columns, 1).output()[0];
        units.center + units.unit * eta
    }

    #[test]
    fn another_scale_is_the_same_function() {
        let scale = |center: f64, scale: f64| Scaling {
            fill: crate::dataset::Fill::default(),
            center: (0..12).map(|j| center + j as f64).collect(),
            scale: (0..12).map(|j| scale + 0.1 * j as f64).collect(),
        };
        let (old, new) = (scale(-3.0, 0.5), scale(1.0, 2.0));
        for (hidden, task, shortcut) in [
            (&[3, 2][..], Task::Regression, false),
            (&[3, 2], Task::Regression, true),
            (&[], Task::Regression, false),
            (&[3, 2], Task::Cox, false),
            (&[3, 2], Task::Cox, true),
            (&[], Task::Cox, false),
        ] {
            let plain = Shape::new(hidden, 1, Activation::Relu, task);
            let shape = Shape { shortcut, ..plain };
            let mut random = Random::new(2, Purpose::Weights, 0, 0);
            let mut network = Mlp::random(vec![2, 5, 7, 11], shape, &mut random);
            network.weights.iter_mut().for_each(|w| *w += 0.3);
            // a Cox model's risk has no scale of its own
            let targets = match task {
                Task::Cox => ((0.0, 1.0), (0.0, 1.0)),
                _ => ((5.0, 3.0), (-1.0, 0.7)),
            };
            let units = |columns, (center, unit)| Units {
                columns,
                center,
                unit,
            };
            let (from, to) = (units(&old, targets.0), units(&new, targets.1));
            let moved = network.rescaled(from, to);
            let points = [[0.3, -1.0, 2.0, 0.1], [4.0, 1.5, -0.2, 9.0]];
            let change = points.map(|x| raw(&moved, to, &x) - raw(&network, from, &x));
            let constant = if task == Task::Cox { change[0] } else { 0.0 };
            assert!(hidden.is_empty() || shortcut || change[0].abs() < 1e-12);
            for change in change {
                let off = (change - constant).abs();
                assert!(off < 1e-12, "{hidden:?} {task:?} {shortcut}");
            }
        }
    }
}
