//! z_k = b_k + Σⱼ w_jk·xⱼ: a layer's forward pass, and, with the transposed
//! weights, its backward pass.

use super::{
    Epilogue, Isa, Kernel, LANES, Lanes, MOST_UNITS, as_rows, as_rows_mut, tiles, with_units,
};

/// z_k = b_k + Σⱼ w_jk·xⱼ over the listed columns of x, through an epilogue.
pub struct Affine<'a, E> {
    /// Columns of `lanes` each.
    pub x: &'a [Lanes],
    /// Lanes per column; at least 1.
    pub lanes: usize,
    /// Which columns of `x` are inputs.
    pub columns: &'a [u32],
    /// One row of as many weights as there are units per input.
    pub weight: &'a [f32],
    /// One per unit, or none for zeros.
    pub bias: &'a [f32],
    /// What is stored of the sums.
    pub epilogue: E,
    /// One column of lanes per unit.
    pub z: &'a mut [Lanes],
}

impl<E: Epilogue> Kernel for Affine<'_, E> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let units = self.z.len() / self.lanes;
        let columns = self.x.len() / self.lanes;
        assert!(self.columns.iter().all(|&j| (j as usize) < columns));
        assert!(self.weight.len() == self.columns.len() * units);
        assert!(self.bias.is_empty() || self.bias.len() == units);
        assert!(self.z.len() == units * self.lanes);
        assert!(self.epilogue.covers(as_rows(self.z).len()));
        let body = Body {
            x: as_rows(self.x).as_ptr(),
            rows: self.lanes * LANES,
            columns: self.columns,
            weight: self.weight.as_ptr(),
            bias: self.bias,
            units,
            epilogue: self.epilogue,
            z: as_rows_mut(self.z).as_mut_ptr(),
        };
        // Rows that all tiles of units take before the next, so that the second
        // tile finds their columns in cache.
        let pair = 2 * I::WIDTH;
        let chunk = (CHUNK / self.columns.len().max(1)).max(pair) / pair * pair;
        for from in (0..body.rows).step_by(chunk) {
            let to = body.rows.min(from + chunk);
            for (first, count) in tiles(units, I::UNITS) {
                // SAFETY: all lengths were checked above; this is the shell of I.
                unsafe { with_units!(count, body.tile::<I>(first, from, to)) };
            }
        }
    }
}

/// So many numbers of x stay in a core's cache.
const CHUNK: usize = 1 << 16;

/// As many zeros as a tile has units: always reading a bias keeps the sums in
/// registers, where a choice would send them through memory.
const NO_BIAS: [f32; MOST_UNITS] = [0.0; MOST_UNITS];

/// [`Affine`] with its lengths checked.
struct Body<'a, E> {
    x: *const f32,
    rows: usize,
    columns: &'a [u32],
    weight: *const f32,
    bias: &'a [f32],
    units: usize,
    epilogue: E,
    z: *mut f32,
}

impl<E: Epilogue> Body<'_, E> {
    /// K units from `first` over rows `from` to `to`, two vectors of rows at a
    /// time: each weight is then read once for two products.
    #[inline(always)]
    unsafe fn tile<I: Isa, const K: usize>(&self, first: usize, from: usize, to: usize) {
        let mut row = from;
        // SAFETY: rows is a multiple of LANES and so of the width.
        unsafe {
            while row + 2 * I::WIDTH <= to {
                self.at::<I, K, 2>(first, row);
                row += 2 * I::WIDTH;
            }
            while row < to {
                self.at::<I, K, 1>(first, row);
                row += I::WIDTH;
            }
        }
    }

    /// K units over V vectors of rows, summed in registers.
    #[inline(always)]
    unsafe fn at<I: Isa, const K: usize, const V: usize>(&self, first: usize, row: usize) {
        let bias = match self.bias {
            [] => NO_BIAS.as_ptr(),
            bias => bias[first..].as_ptr(),
        };
        // SAFETY: there are K biases from `first`, and K zeros.
        let mut sums: [[I::Vector; V]; K] =
            std::array::from_fn(|k| [I::splat(unsafe { *bias.add(k) }); V]);
        let mut weight = self.weight.wrapping_add(first);
        for &column in self.columns {
            // SAFETY: a column has `rows` numbers, a row of weights `units`,
            // and first + K ≤ units.
            unsafe {
                let x = self.x.add(column as usize * self.rows + row);
                let x: [I::Vector; V] = std::array::from_fn(|v| I::load(x.add(v * I::WIDTH)));
                for (k, sums) in sums.iter_mut().enumerate() {
                    let w = I::splat(*weight.add(k));
                    for (sum, &x) in sums.iter_mut().zip(&x) {
                        *sum = I::mul_add(w, x, *sum);
                    }
                }
            }
            weight = weight.wrapping_add(self.units);
        }
        for (k, sums) in sums.iter().enumerate() {
            for (v, &sum) in sums.iter().enumerate() {
                let at = (first + k) * self.rows + row + v * I::WIDTH;
                // SAFETY: unit first + k has `rows` numbers, which the epilogue
                // covers.
                unsafe { I::store(self.epilogue.apply::<I>(sum, at), self.z.add(at)) };
            }
        }
    }
}
