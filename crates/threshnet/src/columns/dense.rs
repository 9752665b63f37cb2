//! Every value, standardised as it is gathered.

use super::{Block, CellSums, Column, Columns, Layout, Part, Scaling};
use crate::dataset::Dataset;
use crate::kernel::{
    AddColumn, AddProducts, ColumnMoments, DotColumn, DotProducts, Lanes, Layer, Products, as_rows,
    as_rows_mut, dispatch,
};
use std::ops::Range;

/// The copy of what is left of a path's columns is within so manieth of those it is left of.
const PACKED_IN: usize = 5;

/// Blocks of rows, in each of which columns follow each other, every one with the same number of
/// lanes, the last padded with zeros.
pub struct Dense {
    layout: Layout,
    width: usize,
    /// The first lanes of every block, and the end of the last.
    starts: Vec<usize>,
    values: Vec<Lanes>,
}

impl Dense {
    /// These cells of the data, on this scale.
    pub fn new(data: &Dataset, part: Part, scaling: &Scaling, layout: Layout) -> Self {
        let mut dense = Dense::zeros(layout, part.columns.len());
        for (place, &j) in part.columns.iter().enumerate() {
            dense.write(place, &data.columns()[j], part.rows, |x| {
                scaling.apply(j, x) as f32
            });
        }
        dense
    }

    /// Zeros.
    pub(super) fn zeros(layout: Layout, width: usize) -> Self {
        let mut starts = vec![0];
        for block in layout.blocks() {
            starts.push(starts[starts.len() - 1] + block.lanes * width);
        }
        Dense {
            values: vec![Lanes::ZERO; starts[starts.len() - 1]],
            layout,
            width,
            starts,
        }
    }

    /// Writes the given rows of a column.
    fn write(&mut self, place: usize, column: &Column, rows: &[usize], scale: impl Fn(f64) -> f32) {
        // (a search for every row of a column without its zeros would be slow)
        let gathered = column.entries().map(|_| column.rows(rows));
        for (number, block) in self.layout.blocks().iter().enumerate() {
            let start = self.starts[number] + place * block.lanes;
            let slots = as_rows_mut(&mut self.values[start..start + block.lanes]);
            match &gathered {
                Some(values) => {
                    for (slot, &x) in slots.iter_mut().zip(&values[block.rows.clone()]) {
                        *slot = scale(x);
                    }
                }
                None => {
                    for (slot, &row) in slots.iter_mut().zip(&rows[block.rows.clone()]) {
                        *slot = scale(column.at(row));
                    }
                }
            }
        }
    }

    /// Writes all rows of a column.
    pub(super) fn set(&mut self, place: usize, values: &[f32]) {
        for (number, block) in self.layout.blocks().iter().enumerate() {
            let start = self.starts[number] + place * block.lanes;
            let slots = as_rows_mut(&mut self.values[start..start + block.lanes]);
            slots[..block.rows.len()].copy_from_slice(&values[block.rows.clone()]);
        }
    }

    /// All columns of a block, as the kernels want them.
    fn block(&self, number: usize) -> (&Block, &[Lanes]) {
        let lanes = self.starts[number]..self.starts[number + 1];
        (&self.layout.blocks()[number], &self.values[lanes])
    }

    /// The rows of a block of a column.
    fn slice(&self, number: usize, place: u32) -> &[f32] {
        let (block, x) = self.block(number);
        let start = place as usize * block.lanes;
        &as_rows(&x[start..start + block.lanes])[..block.rows.len()]
    }

    /// The rows of a block of each of these columns.
    fn slices(&self, number: usize, inputs: &[u32]) -> Vec<&[f32]> {
        inputs.iter().map(|&j| self.slice(number, j)).collect()
    }

    /// The rows of a column, block by block, and which they are.
    fn pieces(&self, place: u32) -> impl Iterator<Item = (&[f32], Range<usize>)> {
        let blocks = self.layout.blocks().iter().enumerate();
        blocks.map(move |(number, block)| (self.slice(number, place), block.rows.clone()))
    }
}

impl Columns for Dense {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn width(&self) -> usize {
        self.width
    }

    fn forward(&self, block: usize, layer: Layer, z: &mut [Lanes]) {
        let (block, x) = self.block(block);
        layer.forward(x, block.lanes, z);
    }

    fn gradient(&self, block: usize, inputs: &[u32], delta: &[Lanes], gradient: &mut [f32]) {
        let (block, x) = self.block(block);
        dispatch(Products {
            x,
            lanes: block.lanes,
            columns: inputs,
            delta,
            gradient,
        });
    }

    fn add_products(&self, block: usize, inputs: &[u32], weight: &[f64], z: &mut [f64]) {
        dispatch(AddProducts {
            weight,
            x: &self.slices(block, inputs),
            z,
            rows: self.layout.blocks()[block].rows.len(),
        });
    }

    fn dot_products(&self, block: usize, inputs: &[u32], delta: &[f64], gradient: &mut [f64]) {
        dispatch(DotProducts {
            x: &self.slices(block, inputs),
            delta,
            gradient,
            rows: self.layout.blocks()[block].rows.len(),
        });
    }

    fn shift(&self, _place: u32) -> f64 {
        0.0
    }

    fn dot_cells(&self, place: u32, vector: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (x, rows) in self.pieces(place) {
            let (y, sum) = (&vector[rows], &mut sum);
            dispatch(DotColumn { x, y, sum });
        }
        sum
    }

    fn add_cells(&self, place: u32, factor: f64, weights: &[f64], vector: &mut [f64]) {
        for (x, rows) in self.pieces(place) {
            dispatch(AddColumn {
                x,
                factor,
                weights: &weights[rows.clone()],
                y: &mut vector[rows],
            });
        }
    }

    fn cell_sums(&self, place: u32, weights: &[f64]) -> CellSums {
        let mut sums = CellSums::default();
        for (x, rows) in self.pieces(place) {
            dispatch(ColumnMoments {
                x,
                weights: &weights[rows],
                sum: &mut sums.sum,
                squares: &mut sums.squares,
            });
        }
        sums
    }

    fn column(&self, place: usize) -> Vec<f32> {
        let pieces = self.pieces(place as u32);
        pieces.flat_map(|(values, _)| values).copied().collect()
    }

    fn worth_packing(&self, columns: usize) -> bool {
        PACKED_IN * columns <= self.width && self.width > 0
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
