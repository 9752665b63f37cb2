//! What is not zero, by column; centring and scaling are part of the products.
//!
//! A stored cell is x/scale, and every column has a shift, center/scale, so that its standardised
//! value is the cell less the shift. With v the cells,
//!
//! ```text
//! Σⱼ w_jk·xⱼ = Σⱼ w_jk·vⱼ − Σⱼ w_jk·shiftⱼ,        Σᵢ x_ij·δ_ik = Σᵢ v_ij·δ_ik − shiftⱼ·Σᵢ δ_ik,
//! ```
//!
//! sums over the stored cells and one number for each unit. A column without a zero is stored
//! standardised, with no shift: its center may be large beside its scale, and the difference
//! would be lost to rounding.

use super::{CellSums, Column, Columns, Dense, Layout, Part, Scaling};
use crate::dataset::Dataset;
use crate::kernel::{Lanes, Layer, SparseAffine, SparseCells, SparseProducts, dispatch};
use std::cell::RefCell;
use std::ops::Range;

/// Where more than one cell in so many is filled, a dense matrix is faster.
const FILLED_IN: usize = 5;

/// Sums over cells that go on side by side.
const SUMS: usize = 4;

/// A row that was not chosen.
const ABSENT: u32 = u32::MAX;

thread_local! {
    /// A block's units row by row, between calls.
    static BY_ROW: RefCell<Vec<Lanes>> = const { RefCell::new(Vec::new()) };
}

/// The cells that are not zero, block by block and in each column by column.
pub struct Sparse {
    layout: Layout,
    width: usize,
    /// Of every block the first cell of each column, and the end of the last.
    starts: Vec<usize>,
    /// The row of every cell within its block.
    rows: Vec<u16>,
    values: Vec<f32>,
    /// What is subtracted from every cell of a column.
    shifts: Vec<f32>,
}

impl Sparse {
    /// Whether some column leaves out its zeros, and few cells are left.
    pub fn saves_room(data: &Dataset, part: Part) -> bool {
        let stored = |&j: &usize| {
            let column = &data.columns()[j];
            (column.entries()).map_or(column.len(), |entries| entries.rows.len())
        };
        let stored: usize = part.columns.iter().map(stored).sum();
        data.is_sparse() && FILLED_IN * stored <= data.n() * part.columns.len()
    }

    /// These cells of the data, on this scale.
    pub fn new(data: &Dataset, part: Part, scaling: &Scaling, layout: Layout) -> Self {
        let places = Places::new(&layout, part.rows, data.n());
        let (width, blocks) = (part.columns.len(), layout.blocks().len());
        // Cells are counted first, so that each finds its place among those of its block.
        let mut starts = vec![0; blocks * (width + 1)];
        let mut full = vec![true; width];
        for (place, &j) in part.columns.iter().enumerate() {
            let mut count = 0;
            for (row, _) in stored(&data.columns()[j]) {
                if let Some(at) = places.of(row) {
                    starts[at.block * (width + 1) + place] += 1;
                    count += 1;
                }
            }
            full[place] = count == part.rows.len();
        }
        let mut end = 0;
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        let (mut rows, mut values) = (vec![0; end], vec![0.0; end]);
        let mut next = starts.clone();
        for (place, &j) in part.columns.iter().enumerate() {
            for (row, x) in stored(&data.columns()[j]) {
                if let Some(at) = places.of(row) {
                    let cell = &mut next[at.block * (width + 1) + place];
                    rows[*cell] = at.row;
                    values[*cell] = match full[place] {
                        true => scaling.apply(j, x) as f32,
                        false => (scaling.fill.of(j, x) / scaling.scale[j]) as f32,
                    };
                    *cell += 1;
                }
            }
        }
        let shift = |(&j, &full): (&usize, &bool)| match full {
            true => 0.0,
            false => (scaling.center[j] / scaling.scale[j]) as f32,
        };
        Sparse {
            shifts: part.columns.iter().zip(&full).map(shift).collect(),
            layout,
            width,
            starts,
            rows,
            values,
        }
    }

    /// The cells of a block.
    fn cells(&self, block: usize) -> SparseCells<'_> {
        SparseCells {
            starts: &self.starts[block * (self.width + 1)..][..self.width + 1],
            rows: &self.rows,
            values: &self.values,
            shifts: &self.shifts,
        }
    }

    /// The cells of a column, block by block.
    fn pieces(&self, place: u32) -> impl Iterator<Item = Piece<'_>> {
        let blocks = self.layout.blocks().iter().enumerate();
        blocks.map(move |(number, block)| {
            let (rows, values, _) = self.cells(number).of(place);
            Piece {
                block: block.rows.clone(),
                rows,
                values,
            }
        })
    }

    fn bytes(&self) -> usize {
        self.values.len() * (size_of::<f32>() + size_of::<u16>())
            + self.starts.len() * size_of::<usize>()
    }
}

/// The cells of a column in a block.
struct Piece<'a> {
    /// The rows of the block.
    block: Range<usize>,
    /// Which of them have a cell.
    rows: &'a [u16],
    values: &'a [f32],
}

/// The sum, as four interleaved ones: the processor need not wait for each.
fn interleaved_sum(mut values: impl Iterator<Item = f64>) -> f64 {
    let mut sums = [0.0; SUMS];
    loop {
        for sum in &mut sums {
            match values.next() {
                Some(value) => *sum += value,
                None => return (sums[0] + sums[1]) + (sums[2] + sums[3]),
            }
        }
    }
}

/// The stored cells of a column, by row of the data.
fn stored<'a>(column: &'a Column) -> Box<dyn Iterator<Item = (usize, f64)> + 'a> {
    match column.entries() {
        Some(entries) => {
            let rows = entries.rows.iter().map(|&row| row as usize);
            Box::new(rows.zip(entries.values.iter().copied()))
        }
        None => Box::new(column.iter().enumerate()),
    }
}

/// Where the rows of the data are in a layout.
struct Places {
    /// Of every row of the data: which of the chosen ones it is.
    chosen: Vec<u32>,
    /// Of every chosen row: its block, and which row of that it is.
    at: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    block: usize,
    row: u16,
}

impl Places {
    fn new(layout: &Layout, rows: &[usize], n: usize) -> Self {
        let mut chosen = vec![ABSENT; n];
        for (number, &row) in rows.iter().enumerate() {
            chosen[row] = number as u32;
        }
        let of_block = |(block, rows): (usize, usize)| {
            (0..rows).map(move |row| Place {
                block,
                row: row as u16,
            })
        };
        let blocks = layout.blocks().iter().map(|block| block.rows.len());
        Places {
            chosen,
            at: blocks.enumerate().flat_map(of_block).collect(),
        }
    }

    fn of(&self, row: usize) -> Option<Place> {
        match self.chosen[row] {
            ABSENT => None,
            number => Some(self.at[number as usize]),
        }
    }
}

impl Columns for Sparse {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn width(&self) -> usize {
        self.width
    }

    fn forward(&self, block: usize, layer: Layer, z: &mut [Lanes]) {
        BY_ROW.with_borrow_mut(|by_row| {
            dispatch(SparseAffine {
                cells: self.cells(block),
                lanes: self.layout.blocks()[block].lanes,
                layer,
                by_row,
                z,
            });
        });
    }

    fn gradient(&self, block: usize, inputs: &[u32], delta: &[Lanes], gradient: &mut [f32]) {
        BY_ROW.with_borrow_mut(|by_row| {
            dispatch(SparseProducts {
                cells: self.cells(block),
                lanes: self.layout.blocks()[block].lanes,
                columns: inputs,
                delta,
                by_row,
                gradient,
            });
        });
    }

    fn add_products(&self, block: usize, inputs: &[u32], weight: &[f64], z: &mut [f64]) {
        let rows = self.layout.blocks()[block].rows.len();
        let (cells, units) = (self.cells(block), z.len() / rows);
        let mut shifts = vec![0.0; units];
        for (&j, weight) in inputs.iter().zip(weight.chunks_exact(units)) {
            let (at, values, shift) = cells.of(j);
            let units = z.chunks_exact_mut(rows).zip(weight).zip(&mut shifts);
            for ((unit, &w), sum) in units {
                *sum += w * f64::from(shift);
                for (&row, &value) in at.iter().zip(values) {
                    unit[row as usize] += w * f64::from(value);
                }
            }
        }
        for (unit, shift) in z.chunks_exact_mut(rows).zip(shifts) {
            unit.iter_mut().for_each(|z| *z -= shift);
        }
    }

    fn dot_products(&self, block: usize, inputs: &[u32], delta: &[f64], gradient: &mut [f64]) {
        let rows = self.layout.blocks()[block].rows.len();
        let (cells, units) = (self.cells(block), delta.len() / rows);
        let totals: Vec<f64> = (delta.chunks_exact(rows))
            .map(|unit| unit.iter().sum())
            .collect();
        for (&j, gradient) in inputs.iter().zip(gradient.chunks_exact_mut(units)) {
            let (at, values, shift) = cells.of(j);
            let units = delta.chunks_exact(rows).zip(&totals).zip(gradient);
            for ((unit, total), g) in units {
                let products = at.iter().zip(values);
                let sum: f64 = products
                    .map(|(&row, &value)| f64::from(value) * unit[row as usize])
                    .sum();
                *g += sum - f64::from(shift) * total;
            }
        }
    }

    fn shift(&self, place: u32) -> f64 {
        f64::from(self.shifts[place as usize])
    }

    fn dot_cells(&self, place: u32, vector: &[f64]) -> f64 {
        let of_blocks = self.pieces(place).map(|piece| {
            let vector = &vector[piece.block];
            let products = piece.rows.iter().zip(piece.values);
            interleaved_sum(products.map(|(&row, &x)| f64::from(x) * vector[row as usize]))
        });
        of_blocks.sum()
    }

    fn add_cells(&self, place: u32, factor: f64, weights: &[f64], vector: &mut [f64]) {
        for piece in self.pieces(place) {
            let (weights, vector) = (&weights[piece.block.clone()], &mut vector[piece.block]);
            for (&row, &x) in piece.rows.iter().zip(piece.values) {
                let row = row as usize;
                vector[row] += factor * (weights[row] * f64::from(x));
            }
        }
    }

    fn cell_sums(&self, place: u32, weights: &[f64]) -> CellSums {
        let mut sums = CellSums::default();
        for piece in self.pieces(place) {
            let weights = &weights[piece.block];
            for (&row, &x) in piece.rows.iter().zip(piece.values) {
                let (x, w) = (f64::from(x), weights[row as usize]);
                sums.sum += w * x;
                sums.squares += w * x * x;
            }
        }
        sums
    }

    fn column(&self, place: usize) -> Vec<f32> {
        let mut column = vec![-self.shifts[place]; self.layout.rows()];
        for (number, block) in self.layout.blocks().iter().enumerate() {
            let (at, values, shift) = self.cells(number).of(place as u32);
            for (&row, &value) in at.iter().zip(values) {
                column[block.rows.start + row as usize] = value - shift;
            }
        }
        column
    }

    fn worth_packing(&self, columns: usize) -> bool {
        // The copy then at most doubles what is held.
        self.layout.rows() * columns * size_of::<f32>() <= self.bytes()
    }

    fn packed(&self, columns: &[u32]) -> Dense {
        let layout = self.layout.fitting_likewise(columns.len());
        let mut packed = Dense::zeros(layout, columns.len());
        for (place, &j) in columns.iter().enumerate() {
            packed.set(place, &self.column(j as usize));
        }
        packed
    }
}
