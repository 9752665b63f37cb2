//! g_jk = Σᵢ x_ij·δ_ik: the gradient of a layer's weights.

use super::{Isa, Kernel, Lanes, tiles, with_units};

/// g_jk = Σᵢ x_ij·δ_ik over the listed columns of x.
pub struct Products<'a> {
    /// Columns of `blocks` lanes each.
    pub x: &'a [Lanes],
    /// Lanes per column.
    pub blocks: usize,
    /// Which columns of `x` are inputs.
    pub columns: &'a [u32],
    /// One column of lanes per unit.
    pub delta: &'a [Lanes],
    /// One row of `units` sums per input.
    pub gradient: &'a mut [f32],
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let units = self.delta.len() / self.blocks;
        let mut j = 0;
        // Two columns at once halve the loads of δ.
        if I::PAIRS {
            while j + 2 <= self.columns.len() {
                for (first, count) in tiles(units, I::UNITS) {
                    with_units!(count, self.pair::<I>(first, units, j));
                }
                j += 2;
            }
        }
        while j < self.columns.len() {
            for (first, count) in tiles(units, I::UNITS) {
                with_units!(count, self.single::<I>(first, units, j));
            }
            j += 1;
        }
    }
}

impl Products<'_> {
    #[inline(always)]
    fn pair<I: Isa, const K: usize>(&mut self, first: usize, units: usize, j: usize) {
        self.columns_at::<I, K, 2>(first, units, j);
    }

    #[inline(always)]
    fn single<I: Isa, const K: usize>(&mut self, first: usize, units: usize, j: usize) {
        self.columns_at::<I, K, 1>(first, units, j);
    }

    /// K units by V columns, summed in registers.
    #[inline(always)]
    fn columns_at<I: Isa, const K: usize, const V: usize>(
        &mut self,
        first: usize,
        units: usize,
        j: usize,
    ) {
        let blocks = self.blocks;
        let x: [&[Lanes]; V] = std::array::from_fn(|v| {
            let start = self.columns[j + v] as usize * blocks;
            &self.x[start..start + blocks]
        });
        let delta: [&[Lanes]; K] = std::array::from_fn(|k| {
            let start = (first + k) * blocks;
            &self.delta[start..start + blocks]
        });
        let mut sums = [[I::splat(0.0); K]; V];
        for block in 0..blocks {
            let x: [I::Vector; V] = std::array::from_fn(|v| I::load(&x[v][block]));
            for (k, delta) in delta.iter().enumerate() {
                let delta = I::load(&delta[block]);
                for (sums, &x) in sums.iter_mut().zip(&x) {
                    sums[k] = I::mul_add(x, delta, sums[k]);
                }
            }
        }
        for (v, sums) in sums.iter().enumerate() {
            for (k, &sum) in sums.iter().enumerate() {
                self.gradient[(j + v) * units + first + k] = I::sum(sum);
            }
        }
    }
}
