//! Feature columns: as data hold them, and standardised for a network to be trained on.
//!
//! A [`Column`] of the data is wherever its values are. What a network is trained on are chosen
//! rows of chosen columns, (x − center)/scale, in single precision: [`Standardised`]. How these
//! are stored is known here and in [`kernel`](crate::kernel) alone; the engine asks for the few
//! products of [`Columns`]:
//!
//! | storage | for | standardised |
//! | --- | --- | --- |
//! | [`Dense`] | numbers, and the survivors of every path | as it is gathered |
//! | [`Sparse`] | mostly zeros: counts, dosages | within the products |
//!
//! Rows come in the blocks of a [`Layout`], which stay in cache between forward and backward.

mod column;
mod dense;
mod layout;
mod scaling;
mod sparse;

pub use column::{Column, Entries};
pub use dense::Dense;
pub use layout::{Block, Layout};
pub use scaling::{Scaling, usable_among, usable_columns};
pub use sparse::Sparse;

use crate::dataset::Dataset;
use crate::kernel::{Lanes, Layer};
use nalgebra::DMatrix;
use std::sync::OnceLock;

/// The products that the engine needs of standardised columns, whatever their storage. Inputs are
/// places among the stored columns.
pub trait Columns: Send + Sync {
    /// The rows, by blocks.
    fn layout(&self) -> &Layout;

    /// The number of columns.
    fn width(&self) -> usize;

    /// The first layer of a block forward, one column of lanes per unit.
    fn forward(&self, block: usize, layer: Layer, z: &mut [Lanes]);

    /// g_jk += Σᵢ x_ij·δ_ik over the rows of a block: its share of the first layer's gradient.
    fn gradient(&self, block: usize, inputs: &[u32], delta: &[Lanes], gradient: &mut [f32]);

    /// z_k += Σⱼ w_jk·xⱼ over the rows of a block, in 64 bit.
    fn add_products(&self, block: usize, inputs: &[u32], weight: &[f64], z: &mut [f64]);

    /// g_jk += Σᵢ x_ij·δ_ik over the rows of a block, in 64 bit.
    fn dot_products(&self, block: usize, inputs: &[u32], delta: &[f64], gradient: &mut [f64]);

    /// What is subtracted from every cell of a column: its value is the cell less this.
    fn shift(&self, place: u32) -> f64;

    /// Σᵢ cellᵢ·vᵢ of a column over all rows.
    fn dot_cells(&self, place: u32, vector: &[f64]) -> f64;

    /// v += factor·w∘cells of a column over all rows.
    fn add_cells(&self, place: u32, factor: f64, weights: &[f64], vector: &mut [f64]);

    /// Σᵢ wᵢ·cellᵢ and Σᵢ wᵢ·cellᵢ² of a column over all rows.
    fn cell_sums(&self, place: u32, weights: &[f64]) -> CellSums;

    /// All rows of a column.
    fn column(&self, place: usize) -> Vec<f32>;

    /// Whether so many of the columns are few enough to be copied close together.
    fn worth_packing(&self, columns: usize) -> bool;

    /// A copy of the given columns, close together.
    fn packed(&self, columns: &[u32]) -> Dense;
}

/// Weighted sums over the cells of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CellSums {
    /// Σᵢ wᵢ·cellᵢ
    pub sum: f64,
    /// Σᵢ wᵢ·cellᵢ²
    pub squares: f64,
}

/// Which cells of the data are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Rows, in the order in which they are learned from.
    pub rows: &'a [usize],
    /// Columns, ascending.
    pub columns: &'a [usize],
    /// Rows per batch, at most; blocks end where batches do.
    pub batch: usize,
}

/// How the rows of columns are divided into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// So that some rows of all columns stay in cache, for networks.
    ByRows,
    /// All rows of a column together, for solvers that take one column at a time.
    ByColumn,
}

/// Rows and columns of a data set as a network sees them.
pub struct Standardised {
    /// The numbers of the columns in the data, ascending.
    numbers: Vec<usize>,
    storage: Box<dyn Columns>,
    /// XX′, once somebody has asked for it.
    row_gram: OnceLock<DMatrix<f64>>,
}

impl Standardised {
    /// These cells of the data, on this scale. Columns that leave out their zeros stay as they
    /// are where that takes less room.
    pub fn new(data: &Dataset, part: Part, scaling: &Scaling) -> Self {
        Standardised::in_blocks(data, part, scaling, Blocks::ByRows)
    }

    /// The same with rows divided in this way.
    pub fn in_blocks(data: &Dataset, part: Part, scaling: &Scaling, blocks: Blocks) -> Self {
        let (rows, whole) = (part.rows.len(), blocks == Blocks::ByColumn);
        let storage: Box<dyn Columns> = match Sparse::saves_room(data, part) {
            true => {
                let layout = match whole {
                    true => Layout::of_whole_columns(rows),
                    false => Layout::of_long_blocks(rows, part.batch),
                };
                Box::new(Sparse::new(data, part, scaling, layout))
            }
            false => {
                let layout = match whole {
                    true => Layout::of_whole_columns(rows),
                    false => Layout::fitting(rows, part.batch, part.columns.len()),
                };
                Box::new(Dense::new(data, part, scaling, layout))
            }
        };
        Standardised {
            numbers: part.columns.to_vec(),
            storage,
            row_gram: OnceLock::new(),
        }
    }

    /// The given rows of every column, in one batch.
    pub fn of_rows(data: &Dataset, rows: &[usize], scaling: &Scaling) -> Self {
        let columns: Vec<usize> = (0..data.d()).collect();
        let part = Part {
            rows,
            columns: &columns,
            batch: rows.len(),
        };
        Standardised::new(data, part, scaling)
    }

    /// How they are stored.
    pub fn storage(&self) -> &dyn Columns {
        &*self.storage
    }

    /// Their rows, by blocks.
    pub fn layout(&self) -> &Layout {
        self.storage.layout()
    }

    /// XX′: the product of every two rows over all columns.
    pub fn row_gram(&self) -> &DMatrix<f64> {
        let all = || (0..self.storage.width() as u32).collect::<Vec<u32>>();
        (self.row_gram).get_or_init(|| row_gram(&*self.storage, &all()))
    }

    /// Where columns of the data are stored, each of which must be.
    pub fn places(&self, numbers: &[usize]) -> Vec<u32> {
        (numbers.iter())
            .map(|number| {
                let place = self.numbers.binary_search(number);
                place.unwrap_or_else(|_| panic!("column {number} is not held")) as u32
            })
            .collect()
    }
}

/// XX′ over some of the columns.
pub fn row_gram(columns: &dyn Columns, places: &[u32]) -> DMatrix<f64> {
    /// Columns that are multiplied at once.
    const AT_ONCE: usize = 256;
    let rows = columns.layout().rows();
    let mut gram = DMatrix::zeros(rows, rows);
    for some in places.chunks(AT_ONCE) {
        let values = (some.iter()).flat_map(|&place| columns.column(place as usize));
        let x = DMatrix::from_iterator(rows, some.len(), values.map(f64::from));
        gram.gemm(1.0, &x, &x.transpose(), 1.0);
    }
    gram
}

#[cfg(test)]
mod tests;
