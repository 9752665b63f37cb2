//! A layer forward, with or without its ReLU.

use super::{Affine, Lanes, Plain, Relu, dispatch};

/// z_k = b_k + Σⱼ w_jk·xⱼ, or max(z_k, 0).
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// Which columns are inputs.
    pub inputs: &'a [u32],
    /// One row of as many weights as there are units per input.
    pub weight: &'a [f32],
    /// One per unit, or none for zeros.
    pub bias: &'a [f32],
    /// Whether what is below 0 becomes 0.
    pub relu: bool,
}

impl Layer<'_> {
    /// Of columns of `lanes` each; one column of lanes per unit.
    pub fn forward(self, x: &[Lanes], lanes: usize, z: &mut [Lanes]) {
        let Layer {
            inputs: columns,
            weight,
            bias,
            relu,
        } = self;
        match relu {
            true => dispatch(Affine {
                x,
                lanes,
                columns,
                weight,
                bias,
                epilogue: Relu,
                z,
            }),
            false => dispatch(Affine {
                x,
                lanes,
                columns,
                weight,
                bias,
                epilogue: Plain,
                z,
            }),
        }
    }
}
