//! The network's output and gradient in 64 bit.
//!
//! This is the exact path: predictions, validation losses, certificates and
//! the line-search solver use it, and it is what the single-precision kernels
//! are tested against. Unit k of a layer is a block of rows,
//! `z[k * n..(k + 1) * n]`, so every inner loop runs over rows.

use crate::columns::{Layout, Standardised};
use crate::kernel::{AddProducts, DotProducts, dispatch};
use crate::network::Mlp;

/// What the forward pass leaves for the backward pass: per layer its z and,
/// below the last layer, a = σ(z).
pub struct Tape {
    z: Vec<Vec<f64>>,
    a: Vec<Vec<f64>>,
}

impl Tape {
    /// The network's output η, one block of rows per output unit.
    pub fn output(&self) -> &[f64] {
        self.z.last().expect("a network has at least one layer")
    }
}

/// The network's output on every row of some columns.
pub fn output(network: &Mlp, columns: &Standardised) -> Vec<f64> {
    let tapes = tapes(network, columns);
    gathered(&tapes, columns.layout())
}

/// Runs the network on columns, block by block.
pub fn tapes(network: &Mlp, columns: &Standardised) -> Vec<Tape> {
    let inputs = columns.places(&network.inputs);
    (columns.layout().blocks().iter().enumerate())
        .map(|(number, block)| {
            let storage = columns.storage();
            run(network, block.rows.len(), |weight, z| {
                storage.add_products(number, &inputs, weight, z);
            })
        })
        .collect()
}

/// The outputs of all blocks, one block of rows per output unit.
pub fn gathered(tapes: &[Tape], layout: &Layout) -> Vec<f64> {
    let rows = layout.rows();
    let outputs = tapes.iter().map(|tape| tape.output().len()).sum::<usize>() / rows;
    let mut eta = vec![0.0; outputs * rows];
    for (tape, block) in tapes.iter().zip(layout.blocks()) {
        let units = tape.output().chunks_exact(block.rows.len());
        for (eta, unit) in eta.chunks_exact_mut(rows).zip(units) {
            eta[block.rows.clone()].copy_from_slice(unit);
        }
    }
    eta
}

/// ∂loss/∂w for every parameter, from `delta` = ∂loss/∂η on all rows.
pub fn gradient(network: &Mlp, columns: &Standardised, tapes: &[Tape], delta: &[f64]) -> Vec<f64> {
    let inputs = columns.places(&network.inputs);
    let layout = columns.layout();
    let mut sum = vec![0.0; network.weights.len()];
    for (number, (tape, block)) in tapes.iter().zip(layout.blocks()).enumerate() {
        let own: Vec<f64> = (delta.chunks_exact(layout.rows()))
            .flat_map(|unit| &unit[block.rows.clone()])
            .copied()
            .collect();
        backward(network, tape, own, &mut sum, |delta, gradient| {
            let storage = columns.storage();
            storage.dot_products(number, &inputs, delta, gradient);
        });
    }
    sum
}

/// Runs the network on columns (one slice of rows per input, standardised).
pub fn forward<T: Copy + Into<f64>>(network: &Mlp, columns: &[&[T]], rows: usize) -> Tape {
    run(network, rows, |weight, z| {
        add_products(weight, columns, z, rows);
    })
}

/// Runs the network on rows of which `add_inputs` adds the products with the first layer's
/// weights to its z.
fn run(network: &Mlp, rows: usize, add_inputs: impl Fn(&[f64], &mut [f64])) -> Tape {
    let activation = network.shape.activation;
    let mut tape = Tape {
        z: Vec::new(),
        a: Vec::new(),
    };
    for (l, layer) in network.shape.layers().iter().enumerate() {
        let mut z = vec![0.0; layer.outputs * rows];
        for (unit, &bias) in z
            .chunks_exact_mut(rows)
            .zip(&network.weights[layer.bias.clone()])
        {
            unit.fill(bias);
        }
        let weight = &network.weights[layer.weight.clone()];
        if l == 0 {
            add_inputs(weight, &mut z);
        } else {
            add_products(weight, &blocks(&tape.a[l - 1], rows), &mut z, rows);
        }
        let width = network.shape.widths[l + 1];
        if l + 1 < network.shape.depth() {
            let z = z[..width * rows].iter();
            tape.a.push(z.map(|&z| activation.value(z)).collect());
        } else if network.shape.shortcut {
            let straight = &tape.z[0][network.shape.widths[1] * rows..];
            z.iter_mut().zip(straight).for_each(|(z, s)| *z += s);
        }
        tape.z.push(z);
    }
    tape
}

/// Adds ∂loss/∂w of these rows, from their `delta` = ∂loss/∂η; `dot_inputs` adds the products
/// of the inputs with the first layer's δ.
fn backward(
    network: &Mlp,
    tape: &Tape,
    mut delta: Vec<f64>,
    gradient: &mut [f64],
    dot_inputs: impl Fn(&[f64], &mut [f64]),
) {
    let rows = delta.len() / network.shape.outputs();
    let activation = network.shape.activation;
    // What the shortcut leads to the outputs gets their δ.
    let straight = network.shape.shortcut.then(|| delta.clone());
    for (l, layer) in network.shape.layers().iter().enumerate().rev() {
        for (g, unit) in gradient[layer.bias.clone()]
            .iter_mut()
            .zip(delta.chunks_exact(rows))
        {
            *g += unit.iter().sum::<f64>();
        }
        let weight_gradient = &mut gradient[layer.weight.clone()];
        if l == 0 {
            dot_inputs(&delta, weight_gradient);
            break;
        }
        dot_products(&blocks(&tape.a[l - 1], rows), &delta, weight_gradient, rows);
        let weight = &network.weights[layer.weight.clone()];
        let mut below = vec![0.0; layer.inputs * rows];
        for (unit, w) in below
            .chunks_exact_mut(rows)
            .zip(weight.chunks_exact(layer.outputs))
        {
            for (above, w) in delta.chunks_exact(rows).zip(w) {
                for (b, d) in unit.iter_mut().zip(above) {
                    *b += w * d;
                }
            }
        }
        for ((b, &z), &a) in below.iter_mut().zip(&tape.z[l - 1]).zip(&tape.a[l - 1]) {
            *b *= activation.slope(z, a);
        }
        if let Some(straight) = straight.as_ref().filter(|_| l == 1) {
            below.extend(straight);
        }
        delta = below;
    }
}

fn add_products<T: Copy + Into<f64>>(weight: &[f64], x: &[&[T]], z: &mut [f64], rows: usize) {
    dispatch(AddProducts { weight, x, z, rows });
}

fn dot_products(x: &[&[f64]], delta: &[f64], gradient: &mut [f64], rows: usize) {
    dispatch(DotProducts {
        x,
        delta,
        gradient,
        rows,
    });
}

fn blocks(units: &[f64], rows: usize) -> Vec<&[f64]> {
    units.chunks_exact(rows).collect()
}
