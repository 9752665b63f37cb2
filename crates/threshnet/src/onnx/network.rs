//! One network: its layers, its activation.

use super::graph::{Graph, Value};
use super::proto::Element;
use crate::activation::{Activation, SELU_FLOOR, SELU_SCALE};
use crate::network::{LayerSpan, Mlp};
use crate::precise;
use std::ops::Range;

/// The network's output η, a column per unit; a single row if it has no inputs. `selected` are
/// the numbers of the columns of `inputs`.
pub fn output(
    graph: &mut Graph,
    network: &Mlp,
    inputs: Option<&Value>,
    selected: &[usize],
) -> Value {
    let (Some(inputs), false) = (inputs, network.inputs.is_empty()) else {
        let constant = precise::forward::<f64>(network, &[], 1);
        return graph.row(constant.output().to_vec());
    };
    let positions: Vec<usize> = (network.inputs.iter())
        .map(|j| selected.partition_point(|s| s < j))
        .collect();
    let inputs = if positions.len() == selected.len() {
        inputs.clone()
    } else {
        graph.columns(inputs, &positions)
    };
    let shape = &network.shape;
    let layers = shape.layers();
    let mut below = inputs.clone();
    for (l, layer) in layers.iter().enumerate() {
        let units = 0..shape.widths[l + 1];
        below = affine(graph, network, layer, units, &below);
        if l + 1 < shape.depth() {
            below = activated(graph, shape.activation, &below);
        }
    }
    if shape.shortcut {
        let weight = weights(graph, network, &layers[0], shape.widths[1]..shape.group());
        let straight = graph.node("MatMul", &[&inputs, &weight]);
        below = graph.node("Add", &[&below, &straight]);
    }
    below
}

/// a·W + b for some units of a layer, without b where the layer has none.
fn affine(
    graph: &mut Graph,
    network: &Mlp,
    layer: &LayerSpan,
    units: Range<usize>,
    a: &Value,
) -> Value {
    let weight = weights(graph, network, layer, units);
    let product = graph.node("MatMul", &[a, &weight]);
    if layer.bias.is_empty() {
        return product;
    }
    let bias = graph.row(network.weights[layer.bias.clone()].to_vec());
    // Not Gemm or Add, which older versions of onnxruntime (1.16) join with the activation to
    // something that they have in 32 bit only.
    graph.node("Sum", &[&product, &bias])
}

/// The weights that lead to some units of a layer: a row per input.
fn weights(graph: &mut Graph, network: &Mlp, layer: &LayerSpan, units: Range<usize>) -> Value {
    let width = units.len();
    let of_inputs = network.weights[layer.weight.clone()].chunks_exact(layer.outputs);
    let values = of_inputs.flat_map(|of_input| &of_input[units.clone()]);
    let values = values.copied().collect();
    graph.matrix((layer.inputs, width), values)
}

/// σ(z). onnxruntime has Relu, Tanh and Sigmoid in 64 bit; the others are made of what it has.
fn activated(graph: &mut Graph, activation: Activation, z: &Value) -> Value {
    match activation {
        Activation::Relu => graph.node("Relu", &[z]),
        Activation::Tanh => graph.node("Tanh", &[z]),
        Activation::Sigmoid => graph.node("Sigmoid", &[z]),
        // max(z, 0) + log(1 + exp(−|z|))
        Activation::Softplus => {
            let above = graph.node("Relu", &[z]);
            let size = graph.node("Abs", &[z]);
            let negative = graph.node("Neg", &[&size]);
            let exp = graph.node("Exp", &[&negative]);
            let one = graph.number(1.0);
            let sum = graph.node("Add", &[&exp, &one]);
            let log = graph.node("Log", &[&sum]);
            graph.node("Add", &[&above, &log])
        }
        // z·(1 + erf(z/√2))/2; onnxruntime has erf in 32 bit only
        Activation::Gelu => {
            let root = graph.number(std::f64::consts::FRAC_1_SQRT_2);
            let scaled = graph.node("Mul", &[z, &root]);
            let single = graph.cast(&scaled, Element::Float);
            let erf = graph.node("Erf", &[&single]);
            let erf = graph.cast(&erf, Element::Double);
            let one = graph.number(1.0);
            let twice = graph.node("Add", &[&erf, &one]);
            let half = graph.number(0.5);
            let share = graph.node("Mul", &[&twice, &half]);
            graph.node("Mul", &[z, &share])
        }
        // scale·max(z, 0) + floor·(exp(min(z, 0)) − 1)
        Activation::Selu => {
            let zero = graph.number(0.0);
            let above = graph.node("Relu", &[z]);
            let below = graph.node("Min", &[z, &zero]);
            let scale = graph.number(SELU_SCALE);
            let above = graph.node("Mul", &[&above, &scale]);
            let exp = graph.node("Exp", &[&below]);
            let one = graph.number(1.0);
            let rise = graph.node("Sub", &[&exp, &one]);
            let floor = graph.number(SELU_FLOOR);
            let below = graph.node("Mul", &[&rise, &floor]);
            graph.node("Add", &[&above, &below])
        }
    }
}
