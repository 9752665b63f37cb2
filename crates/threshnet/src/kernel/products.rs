//! g_jk = Σᵢ x_ij·δ_ik and Σᵢ δ_ik: the gradient of a layer's weights and
//! biases.

use super::lane_sums::{self, MOST_VECTORS, Terms, add_up};
use super::{Isa, Kernel, LANES, Lanes, as_rows, tiles, with_units};

/// g_jk += Σᵢ x_ij·δ_ik over the listed columns of x.
pub struct Products<'a> {
    /// Columns of `lanes` each.
    pub x: &'a [Lanes],
    /// Lanes per column; at least 1.
    pub lanes: usize,
    /// Which columns of `x` are inputs.
    pub columns: &'a [u32],
    /// One column of lanes per unit.
    pub delta: &'a [Lanes],
    /// One row of as many sums as there are units per input.
    pub gradient: &'a mut [f32],
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let units = self.delta.len() / self.lanes;
        let columns = self.x.len() / self.lanes;
        assert!(self.columns.iter().all(|&j| (j as usize) < columns));
        assert!(self.gradient.len() == self.columns.len() * units);
        let mut body = Body {
            x: as_rows(self.x).as_ptr(),
            rows: self.lanes * LANES,
            delta: as_rows(self.delta).as_ptr(),
            units,
            gradient: self.gradient,
        };
        // Two columns at once halve the loads of δ.
        let pairs = self.columns.chunks_exact(2);
        let last = pairs.remainder();
        for (number, pair) in pairs.enumerate() {
            for (first, count) in tiles(units, I::UNITS) {
                let pair = [pair[0], pair[1]];
                // SAFETY: all lengths were checked above; this is the shell of I.
                unsafe { with_units!(count, body.pair::<I>(first, 2 * number, pair)) };
            }
        }
        for &column in last {
            for (first, count) in tiles(units, I::UNITS) {
                let number = self.columns.len() - 1;
                // SAFETY: as above.
                unsafe { with_units!(count, body.single::<I>(first, number, [column])) };
            }
        }
    }
}

/// [`Products`] with its lengths checked.
struct Body<'a> {
    x: *const f32,
    rows: usize,
    delta: *const f32,
    units: usize,
    gradient: &'a mut [f32],
}

impl Body<'_> {
    #[inline(always)]
    unsafe fn pair<I: Isa, const K: usize>(&mut self, first: usize, j: usize, columns: [u32; 2]) {
        // SAFETY: as the caller vouches.
        unsafe { self.tile::<I, K, 2>(first, j, columns) }
    }

    #[inline(always)]
    unsafe fn single<I: Isa, const K: usize>(&mut self, first: usize, j: usize, columns: [u32; 1]) {
        // SAFETY: as the caller vouches.
        unsafe { self.tile::<I, K, 1>(first, j, columns) }
    }

    /// K units from `first` by V columns, whose sums start at input `j`, summed
    /// in registers over all rows: of every sixteen those of one vector, then
    /// those of the next, which finds them in cache.
    #[inline(always)]
    unsafe fn tile<I: Isa, const K: usize, const V: usize>(
        &mut self,
        first: usize,
        j: usize,
        columns: [u32; V],
    ) {
        let x = columns.map(|column| self.x.wrapping_add(column as usize * self.rows));
        let delta = self.delta.wrapping_add(first * self.rows);
        let mut partial = [[[I::splat(0.0); MOST_VECTORS]; V]; K];
        for vector in 0..I::VECTORS {
            let mut sums = [[I::splat(0.0); V]; K];
            let mut row = vector * I::WIDTH;
            while row < self.rows {
                // SAFETY: columns and units have `rows` numbers, a multiple of
                // LANES, and first + K ≤ units.
                unsafe {
                    let x = x.map(|x| I::load(x.add(row)));
                    for (k, sums) in sums.iter_mut().enumerate() {
                        let delta = I::load(delta.add(k * self.rows + row));
                        for (sum, &x) in sums.iter_mut().zip(&x) {
                            *sum = I::mul_add(x, delta, *sum);
                        }
                    }
                }
                row += LANES;
            }
            for (partial, sums) in partial
                .as_flattened_mut()
                .iter_mut()
                .zip(sums.as_flattened())
            {
                partial[vector] = *sums;
            }
        }
        for v in 0..V {
            let start = (j + v) * self.units + first;
            for (g, partial) in self.gradient[start..start + K].iter_mut().zip(&partial) {
                *g += lane_sums::sum::<I>(partial[v]);
            }
        }
    }
}

/// g_k += Σᵢ δ_ik.
pub struct Sums<'a> {
    /// One column of lanes per unit.
    pub delta: &'a [Lanes],
    /// Lanes per column; at least 1.
    pub lanes: usize,
    /// One sum per unit.
    pub gradient: &'a mut [f32],
}

impl Kernel for Sums<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (g, unit) in (self.gradient.iter_mut()).zip(self.delta.chunks_exact(self.lanes)) {
            let rows = as_rows(unit);
            // SAFETY: these are the rows; this is the shell of I.
            *g += unsafe { add_up::<I>(Rows(rows.as_ptr()), 0, rows.len()) };
        }
    }
}

/// δᵢ, in whole vectors.
struct Rows(*const f32);

// SAFETY: reads the given numbers.
unsafe impl Terms for Rows {
    #[inline(always)]
    unsafe fn add<I: Isa>(&self, at: usize, _: usize, sums: I::Vector) -> I::Vector {
        // SAFETY: as the caller vouches; rows are a multiple of the width.
        unsafe { I::mul_add(I::splat(1.0), I::load(self.0.add(at)), sums) }
    }
}
