//! The network's output and gradient in 64 bit.
//!
//! This is the exact path: predictions, validation losses, certificates and
//! the line-search solver use it, and it is what the single-precision kernels
//! are tested against. Unit k of a layer is a block of rows,
//! `z[k * n..(k + 1) * n]`, so every inner loop runs over rows.

use crate::design::Design;
use crate::kernel::{Isa, Kernel, dispatch};
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

/// The network's output on every row of a design.
pub fn output(network: &Mlp, design: &Design) -> Vec<f64> {
    let tapes = tapes(network, design);
    gathered(&tapes, design)
}

/// Runs the network on a design, block by block.
pub fn tapes(network: &Mlp, design: &Design) -> Vec<Tape> {
    design
        .blocks()
        .map(|block| {
            let columns = block.columns(&network.inputs);
            forward(network, &columns, block.rows.len())
        })
        .collect()
}

/// The outputs of all blocks, one block of rows per output unit.
pub fn gathered(tapes: &[Tape], design: &Design) -> Vec<f64> {
    let rows = design.rows();
    let outputs = tapes.iter().map(|tape| tape.output().len()).sum::<usize>() / rows;
    let mut eta = vec![0.0; outputs * rows];
    for (tape, block) in tapes.iter().zip(design.blocks()) {
        let units = tape.output().chunks_exact(block.rows.len());
        for (eta, unit) in eta.chunks_exact_mut(rows).zip(units) {
            eta[block.rows.clone()].copy_from_slice(unit);
        }
    }
    eta
}

/// ∂loss/∂w for every parameter, from `delta` = ∂loss/∂η on all rows.
pub fn gradient(network: &Mlp, design: &Design, tapes: &[Tape], delta: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; network.weights.len()];
    for (tape, block) in tapes.iter().zip(design.blocks()) {
        let own: Vec<f64> = (delta.chunks_exact(design.rows()))
            .flat_map(|unit| &unit[block.rows.clone()])
            .copied()
            .collect();
        backward(
            network,
            &block.columns(&network.inputs),
            tape,
            own,
            &mut sum,
        );
    }
    sum
}

/// Runs the network on columns (one slice of rows per input, standardised).
pub fn forward<T: Copy + Into<f64>>(network: &Mlp, columns: &[&[T]], rows: usize) -> Tape {
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
            add_products(weight, columns, &mut z, rows);
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

/// Adds ∂loss/∂w of these rows, from their `delta` = ∂loss/∂η.
fn backward<T: Copy + Into<f64>>(
    network: &Mlp,
    columns: &[&[T]],
    tape: &Tape,
    mut delta: Vec<f64>,
    gradient: &mut [f64],
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
            dot_products(columns, &delta, weight_gradient, rows);
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

fn dot_products<T: Copy + Into<f64>>(x: &[&[T]], delta: &[f64], gradient: &mut [f64], rows: usize) {
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

/// z_k += Σⱼ w_jk·xⱼ
struct AddProducts<'a, T> {
    weight: &'a [f64],
    x: &'a [&'a [T]],
    z: &'a mut [f64],
    rows: usize,
}

impl<T: Copy + Into<f64>> Kernel for AddProducts<'_, T> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let outputs = self.z.len() / self.rows;
        for (column, w) in self.x.iter().zip(self.weight.chunks_exact(outputs)) {
            for (unit, &w) in self.z.chunks_exact_mut(self.rows).zip(w) {
                if w != 0.0 {
                    for (z, &x) in unit.iter_mut().zip(*column) {
                        *z += w * x.into();
                    }
                }
            }
        }
    }
}

/// g_jk += Σᵢ x_ij·δ_ik, added up in eight interleaved sums.
struct DotProducts<'a, T> {
    x: &'a [&'a [T]],
    delta: &'a [f64],
    gradient: &'a mut [f64],
    rows: usize,
}

impl<T: Copy + Into<f64>> Kernel for DotProducts<'_, T> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        const SUMS: usize = 8;
        let outputs = self.delta.len() / self.rows;
        for (column, g) in self.x.iter().zip(self.gradient.chunks_exact_mut(outputs)) {
            for (unit, g) in self.delta.chunks_exact(self.rows).zip(g) {
                let mut sums = [0.0; SUMS];
                let (xs, ds) = (column.chunks_exact(SUMS), unit.chunks_exact(SUMS));
                let tail: f64 = (xs.remainder().iter().zip(ds.remainder()))
                    .map(|(&x, &d)| x.into() * d)
                    .sum();
                for (xs, ds) in xs.zip(ds) {
                    for (sum, (&x, &d)) in sums.iter_mut().zip(xs.iter().zip(ds)) {
                        *sum += x.into() * d;
                    }
                }
                *g += sums.iter().sum::<f64>() + tail;
            }
        }
    }
}
