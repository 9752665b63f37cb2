//! z_k = b_k + Σⱼ w_jk·xⱼ: a layer's forward pass, and, with the transposed
//! weights, its backward pass.

use super::{Isa, Kernel, Lanes, tiles, with_units};

/// z_k = b_k + Σⱼ w_jk·xⱼ over the listed columns of x.
pub struct Affine<'a> {
    /// Columns of `blocks` lanes each.
    pub x: &'a [Lanes],
    /// Lanes per column.
    pub blocks: usize,
    /// Which columns of `x` are inputs.
    pub columns: &'a [u32],
    /// One row of `units` weights per input.
    pub weight: &'a [f32],
    /// One per unit, or none for zeros.
    pub bias: &'a [f32],
    /// One column of lanes per unit.
    pub z: &'a mut [Lanes],
}

impl Kernel for Affine<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let units = self.z.len() / self.blocks;
        for (first, count) in tiles(units, I::UNITS) {
            with_units!(count, self.tile::<I>(first, units));
        }
    }
}

impl Affine<'_> {
    #[inline(always)]
    fn tile<I: Isa, const K: usize>(&mut self, first: usize, units: usize) {
        let mut block = 0;
        if I::PAIRS {
            while block + 2 <= self.blocks {
                self.rows::<I, K, 2>(first, units, block);
                block += 2;
            }
        }
        while block < self.blocks {
            self.rows::<I, K, 1>(first, units, block);
            block += 1;
        }
    }

    /// K units over V lanes, summed in registers.
    #[inline(always)]
    fn rows<I: Isa, const K: usize, const V: usize>(
        &mut self,
        first: usize,
        units: usize,
        block: usize,
    ) {
        let mut sums = [[I::splat(0.0); V]; K];
        if !self.bias.is_empty() {
            for (sums, &bias) in sums.iter_mut().zip(&self.bias[first..]) {
                *sums = [I::splat(bias); V];
            }
        }
        for (w, &column) in self.weight.chunks_exact(units).zip(self.columns) {
            let start = column as usize * self.blocks + block;
            let x = &self.x[start..start + V];
            let x: [I::Vector; V] = std::array::from_fn(|v| I::load(&x[v]));
            for (sums, &w) in sums.iter_mut().zip(&w[first..first + K]) {
                for (sum, &x) in sums.iter_mut().zip(&x) {
                    *sum = I::mul_add(I::splat(w), x, *sum);
                }
            }
        }
        for (k, sums) in sums.iter().enumerate() {
            let start = (first + k) * self.blocks + block;
            for (z, &sum) in self.z[start..start + V].iter_mut().zip(sums) {
                I::store(sum, z);
            }
        }
    }
}
