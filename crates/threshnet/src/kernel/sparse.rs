//! A layer whose inputs are mostly zero, forward and its weight gradient.
//!
//! Of sixteen units at a time, what a row has is one [`Lanes`]: each cell then is one
//! multiplication of vectors, whichever row it is in. Sums over cells go in the order of the
//! cells, so they are the same on every instruction set with a fused multiply-add.

use super::{Isa, Kernel, LANES, Lanes, Layer, as_rows, as_rows_mut};

/// The cells of a block of rows, column by column. The value of a column in a row is its cell
/// there, or 0 where there is none, less the column's shift.
#[derive(Debug, Clone, Copy)]
pub struct SparseCells<'a> {
    /// The first cell of every column, and the end of the last.
    pub starts: &'a [usize],
    /// The row of every cell within the block.
    pub rows: &'a [u16],
    /// Its value.
    pub values: &'a [f32],
    /// One per column.
    pub shifts: &'a [f32],
}

impl<'a> SparseCells<'a> {
    /// Rows and values of a column's cells, and its shift.
    #[inline(always)]
    pub fn of(&self, column: u32) -> (&'a [u16], &'a [f32], f32) {
        let column = column as usize;
        let cells = self.starts[column]..self.starts[column + 1];
        let (rows, values) = (&self.rows[cells.clone()], &self.values[cells]);
        (rows, values, self.shifts[column])
    }
}

/// z_k = b_k + Σⱼ w_jk·xⱼ over the listed columns.
pub struct SparseAffine<'a> {
    /// The inputs.
    pub cells: SparseCells<'a>,
    /// Lanes per unit.
    pub lanes: usize,
    /// Its weights.
    pub layer: Layer<'a>,
    /// Room to work in.
    pub by_row: &'a mut Vec<Lanes>,
    /// One column of lanes per unit.
    pub z: &'a mut [Lanes],
}

impl Kernel for SparseAffine<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (units, rows) = (self.z.len() / self.lanes, self.lanes * LANES);
        let Layer {
            inputs,
            weight,
            bias,
            relu,
        } = self.layer;
        assert!(weight.len() == inputs.len() * units);
        assert!(bias.is_empty() || bias.len() == units);
        let z = as_rows_mut(self.z);
        for first in (0..units).step_by(LANES) {
            let count = LANES.min(units - first);
            self.by_row.clear();
            self.by_row.resize(rows, Lanes::ZERO);
            let mut shifts = Lanes::ZERO;
            for (&column, weight) in inputs.iter().zip(weight.chunks_exact(units)) {
                let mut own = Lanes::ZERO;
                own.0[..count].copy_from_slice(&weight[first..first + count]);
                let (at, values, shift) = self.cells.of(column);
                add_multiple::<I>(&mut shifts, shift, &own);
                for (&row, &value) in at.iter().zip(values) {
                    add_multiple::<I>(&mut self.by_row[row as usize], value, &own);
                }
            }
            for k in 0..count {
                let bias = bias.get(first + k).copied().unwrap_or(0.0);
                let constant = bias - shifts.0[k];
                let unit = &mut z[(first + k) * rows..][..rows];
                for (z, of_row) in unit.iter_mut().zip(&*self.by_row) {
                    let sum = of_row.0[k] + constant;
                    *z = if !relu || sum > 0.0 { sum } else { 0.0 };
                }
            }
        }
    }
}

/// sum += factor·values
#[inline(always)]
fn add_multiple<I: Isa>(sum: &mut Lanes, factor: f32, values: &Lanes) {
    for at in (0..LANES).step_by(I::WIDTH) {
        // SAFETY: both have LANES numbers, a multiple of the width; this is the shell of I.
        unsafe {
            let (to, from) = (sum.0.as_mut_ptr().add(at), values.0.as_ptr().add(at));
            I::store(I::mul_add(I::splat(factor), I::load(from), I::load(to)), to);
        }
    }
}

/// g_jk += Σᵢ x_ij·δ_ik over the listed columns.
pub struct SparseProducts<'a> {
    /// The inputs.
    pub cells: SparseCells<'a>,
    /// Lanes per unit.
    pub lanes: usize,
    /// Which columns are inputs.
    pub columns: &'a [u32],
    /// One column of lanes per unit.
    pub delta: &'a [Lanes],
    /// Room to work in.
    pub by_row: &'a mut Vec<Lanes>,
    /// One row of as many sums as there are units per input.
    pub gradient: &'a mut [f32],
}

/// Sums that go on side by side, cell by cell in turn: the processor need not wait for each.
const SUMS: usize = 4;

impl Kernel for SparseProducts<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (units, rows) = (self.delta.len() / self.lanes, self.lanes * LANES);
        assert!(self.gradient.len() == self.columns.len() * units);
        let delta = as_rows(self.delta);
        for first in (0..units).step_by(LANES) {
            let count = LANES.min(units - first);
            self.by_row.clear();
            self.by_row.resize(rows, Lanes::ZERO);
            for k in 0..count {
                let unit = &delta[(first + k) * rows..][..rows];
                for (of_row, delta) in self.by_row.iter_mut().zip(unit) {
                    of_row.0[k] = *delta;
                }
            }
            let mut total = Lanes::ZERO;
            for of_row in &*self.by_row {
                add_multiple::<I>(&mut total, 1.0, of_row);
            }
            let gradients = self.gradient.chunks_exact_mut(units);
            for (&column, gradient) in self.columns.iter().zip(gradients) {
                let (at, values, shift) = self.cells.of(column);
                let mut sum = products::<I>(at, values, self.by_row);
                add_multiple::<I>(&mut sum, -shift, &total);
                for (g, sum) in gradient[first..first + count].iter_mut().zip(sum.0) {
                    *g += sum;
                }
            }
        }
    }
}

/// Σ value·(what its row has) over some cells.
#[inline(always)]
fn products<I: Isa>(rows: &[u16], values: &[f32], by_row: &[Lanes]) -> Lanes {
    let mut found = Lanes::ZERO;
    let (rows, last_rows) = rows.as_chunks::<SUMS>();
    let (values, last_values) = values.as_chunks::<SUMS>();
    for at in (0..LANES).step_by(I::WIDTH) {
        let mut sums = [I::splat(0.0); SUMS];
        for (rows, values) in rows.iter().zip(values) {
            for (sum, (&row, &value)) in sums.iter_mut().zip(rows.iter().zip(values)) {
                *sum = with_product::<I>(*sum, value, &by_row[row as usize], at);
            }
        }
        for (sum, (&row, &value)) in sums.iter_mut().zip(last_rows.iter().zip(last_values)) {
            *sum = with_product::<I>(*sum, value, &by_row[row as usize], at);
        }
        let one = I::splat(1.0);
        let [a, b, c, d] = sums;
        let sum = I::mul_add(one, I::mul_add(one, a, b), I::mul_add(one, c, d));
        // SAFETY: there are LANES numbers, a multiple of the width; this is the shell of I.
        unsafe { I::store(sum, found.0.as_mut_ptr().add(at)) };
    }
    found
}

/// sum + value·(what a row has from `at` on)
#[inline(always)]
fn with_product<I: Isa>(sum: I::Vector, value: f32, of_row: &Lanes, at: usize) -> I::Vector {
    debug_assert!(at + I::WIDTH <= LANES);
    // SAFETY: a row has LANES numbers from 0 on; this is the shell of I.
    unsafe { I::mul_add(I::splat(value), I::load(of_row.0.as_ptr().add(at)), sum) }
}
