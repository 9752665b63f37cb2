//! The products of a layer in 64 bit, of columns in any precision.

use super::{Isa, Kernel};

/// z_k += Σⱼ w_jk·xⱼ
pub struct AddProducts<'a, T> {
    /// One row of as many weights as there are units per input.
    pub weight: &'a [f64],
    /// One slice of rows per input.
    pub x: &'a [&'a [T]],
    /// One block of rows per unit.
    pub z: &'a mut [f64],
    /// Rows per unit.
    pub rows: usize,
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
pub struct DotProducts<'a, T> {
    /// One slice of rows per input.
    pub x: &'a [&'a [T]],
    /// One block of rows per unit.
    pub delta: &'a [f64],
    /// One row of as many sums as there are units per input.
    pub gradient: &'a mut [f64],
    /// Rows per unit.
    pub rows: usize,
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
