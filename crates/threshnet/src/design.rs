//! The columns a network is trained on: chosen rows, standardised, in single
//! precision, column by column.

use crate::dataset::{Column, Dataset};
use crate::kernel::{LANES, Lanes, as_rows, as_rows_mut};
use crate::statistics::moments;
use std::ops::Range;

/// How raw columns become inputs: (x − center)/scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// Subtracted from a column.
    pub center: Vec<f64>,
    /// Divides it then.
    pub scale: Vec<f64>,
}

impl Scaling {
    /// Learned on the given rows: mean 0 and standard deviation 1 (by n) if
    /// `standardize`, else columns as they are.
    pub fn learn(data: &Dataset, rows: &[usize], standardize: bool) -> Self {
        let (center, scale) = data
            .columns()
            .iter()
            .map(|column| {
                if standardize && varies(column, rows) {
                    let moments = moments(rows.iter().map(|&i| column.at(i)));
                    (moments.mean, moments.deviation)
                } else {
                    (0.0, 1.0)
                }
            })
            .unzip();
        Scaling { center, scale }
    }

    /// A value of column `j` as the network sees it.
    pub fn apply(&self, j: usize, value: f64) -> f64 {
        (value - self.center[j]) / self.scale[j]
    }
}

/// The columns that vary over the given rows: the others cannot be learned
/// from, so they never enter a network.
pub fn usable_columns(data: &Dataset, rows: &[usize]) -> Vec<usize> {
    (0..data.d())
        .filter(|&j| varies(&data.columns()[j], rows))
        .collect()
}

fn varies(column: &Column, rows: &[usize]) -> bool {
    rows.iter().any(|&i| column.at(i) != column.at(rows[0]))
}

/// A block should stay in cache between the forward and the backward pass: in
/// a core's own, with room for weights and gradient, if that leaves it …
const CORE_CACHE: usize = 1 << 19;
/// … this many lanes, so that kernels fill many vectors for each they add up;
const LONG_BLOCK: usize = 32;
/// else in its share of the last one,
const SHARED_CACHE: usize = 1 << 22;
/// though with very many columns not even this many lanes may fit.
const SHORT_BLOCK: usize = 4;

/// Rows of a data set, scaled, in blocks of rows. Within a block columns follow
/// each other, each with the same number of lanes, the last padded with zeros.
pub struct Design {
    rows: usize,
    columns: usize,
    batches: usize,
    spans: Vec<Span>,
    values: Vec<Lanes>,
}

/// Where a block is.
#[derive(Debug, Clone)]
struct Span {
    rows: Range<usize>,
    lanes: usize,
    /// Its first lanes among all.
    start: usize,
}

/// Consecutive rows of a design.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// Which rows.
    pub rows: Range<usize>,
    /// Lanes per column.
    pub lanes: usize,
    /// All columns, as the kernels want them.
    pub x: &'a [Lanes],
}

impl<'a> Block<'a> {
    /// The given columns, as plain rows.
    pub fn columns(&self, inputs: &[usize]) -> Vec<&'a [f32]> {
        inputs.iter().map(|&j| self.column(j)).collect()
    }

    fn column(&self, j: usize) -> &'a [f32] {
        &as_rows(&self.x[j * self.lanes..(j + 1) * self.lanes])[..self.rows.len()]
    }
}

impl Design {
    /// The given rows of every column.
    pub fn new(data: &Dataset, rows: &[usize], scaling: &Scaling) -> Self {
        Design::in_batches(data, rows, scaling, rows.len())
    }

    /// The given rows of every column, in as few batches of at most `batch`
    /// rows as there can be, of nearly equal size, at whose ends blocks end.
    pub fn in_batches(data: &Dataset, rows: &[usize], scaling: &Scaling, batch: usize) -> Self {
        let batches = rows.len().div_ceil(batch.max(1)).max(1);
        let mut design = Design::empty(rows.len(), data.d(), batches);
        let Design { spans, values, .. } = &mut design;
        for span in spans {
            let block = &mut values[span.start..span.start + span.lanes * data.d()];
            let columns = block.chunks_exact_mut(span.lanes).zip(data.columns());
            for (j, (lanes, column)) in columns.enumerate() {
                for (slot, &i) in as_rows_mut(lanes).iter_mut().zip(&rows[span.rows.clone()]) {
                    *slot = scaling.apply(j, column.at(i)) as f32;
                }
            }
        }
        design
    }

    /// A copy of the given columns, close together.
    pub fn packed(&self, columns: &[u32]) -> Self {
        let mut packed = Design::empty(self.rows, columns.len(), self.batches);
        let Design { spans, values, .. } = &mut packed;
        // Blocks of both follow the rows: where they overlap, rows are copied.
        let (mut number, mut into) = (0, 0);
        while number < self.spans.len() && into < spans.len() {
            let (from, span) = (self.block(number), &spans[into]);
            let rows = from.rows.start.max(span.rows.start)..from.rows.end.min(span.rows.end);
            let block = &mut values[span.start..span.start + span.lanes * columns.len()];
            for (lanes, &j) in block.chunks_exact_mut(span.lanes).zip(columns) {
                let source = &from.column(j as usize)[rows.start - from.rows.start..][..rows.len()];
                as_rows_mut(lanes)[rows.start - span.rows.start..][..rows.len()]
                    .copy_from_slice(source);
            }
            number += usize::from(from.rows.end == rows.end);
            into += usize::from(span.rows.end == rows.end);
        }
        packed
    }

    /// Blocks of zeros.
    fn empty(rows: usize, columns: usize, batches: usize) -> Self {
        let mut spans = Vec::new();
        let (mut first, mut start) = (0, 0);
        for batch in 0..batches {
            let end = batch_start(batch + 1, batches, rows);
            for lanes in block_lanes(Lanes::for_rows(end - first), columns) {
                let next = end.min(first + lanes * LANES);
                spans.push(Span {
                    rows: first..next,
                    lanes,
                    start,
                });
                first = next;
                start += lanes * columns;
            }
        }
        Design {
            rows,
            columns,
            batches,
            spans,
            values: vec![Lanes::ZERO; start],
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns
    }

    /// A block of rows by its number.
    pub fn block(&self, number: usize) -> Block<'_> {
        let span = &self.spans[number];
        Block {
            rows: span.rows.clone(),
            lanes: span.lanes,
            x: &self.values[span.start..span.start + span.lanes * self.columns],
        }
    }

    /// All blocks, in order.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block<'_>> + Clone {
        (0..self.spans.len()).map(|number| self.block(number))
    }

    /// The number of batches.
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The numbers of a batch's blocks.
    pub fn batch(&self, number: usize) -> Range<usize> {
        let before = |batch: usize| {
            let row = batch_start(batch, self.batches, self.rows);
            self.spans.partition_point(|span| span.rows.start < row)
        };
        before(number)..before(number + 1)
    }
}

/// The first row of a batch.
fn batch_start(batch: usize, batches: usize, rows: usize) -> usize {
    batch * rows / batches
}

/// Divides `lanes` into blocks of nearly equal size, by twos because kernels
/// take two lanes at a time, that fit the caches with this many columns.
fn block_lanes(lanes: usize, columns: usize) -> Vec<usize> {
    let one = size_of::<Lanes>() * columns.max(1);
    let longest = match CORE_CACHE / one {
        fitting if fitting >= LONG_BLOCK => fitting,
        _ => (SHARED_CACHE / one).clamp(SHORT_BLOCK, LONG_BLOCK),
    };
    let count = lanes.div_ceil(longest);
    let pairs = lanes / 2;
    (0..count)
        .map(|b| {
            let pairs = (b + 1) * pairs / count - b * pairs / count;
            let single = if b + 1 == count { lanes % 2 } else { 0 };
            2 * pairs + single
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;

    fn data() -> Dataset<'static> {
        Dataset::new(
            vec!["a".into(), "b".into(), "c".into()],
            vec![
                vec![1e6 + 1.0, 1e6 + 2.0, 1e6 + 3.0, 9e9],
                vec![5.0, 5.0, 5.0, 7.0],
                vec![0.0, 0.0, 3.0, 100.0],
            ],
            Outcome::Continuous(vec![1.0, 2.0, 3.0, 4.0]),
        )
        .unwrap()
    }

    #[test]
    fn only_training_rows_decide() {
        let rows = [0, 1, 2];
        let scaling = Scaling::learn(&data(), &rows, true);
        let usable = usable_columns(&data(), &rows);
        assert_eq!(usable, [0, 2]);
        let design = Design::new(&data(), &rows, &scaling);
        for column in design.block(0).columns(&usable) {
            let moments = moments(column.iter().map(|&v| f64::from(v)));
            assert!(moments.mean.abs() < 1e-6 && (moments.deviation - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn columns_can_stay_as_they_are() {
        let scaling = Scaling::learn(&data(), &[0, 2, 3], false);
        let design = Design::new(&data(), &[3, 0], &scaling);
        assert_eq!(design.block(0).columns(&[2])[0], [100.0, 0.0]);
        assert_eq!(design.block(0).columns(&[1])[0], [7.0, 5.0]);
    }

    /// All rows of a column, put together from the blocks.
    fn column(design: &Design, j: usize) -> Vec<f32> {
        design
            .blocks()
            .flat_map(|block| block.columns(&[j])[0].to_vec())
            .collect()
    }

    #[test]
    fn blocks_batches_and_packing_keep_every_value() {
        let (n, d) = (1003, 300);
        let value = |i: usize, j: usize| (i * 1000 + j) as f64;
        let columns: Vec<Vec<f64>> = (0..d)
            .map(|j| (0..n).map(|i| value(i, j)).collect())
            .collect();
        let names = (0..d).map(|j| j.to_string()).collect();
        let data = Dataset::new(
            names,
            columns,
            Outcome::Continuous((0..n).map(|i| i as f64).collect()),
        )
        .unwrap();
        let rows: Vec<usize> = (0..n).rev().collect();
        let scaling = Scaling::learn(&data, &rows, false);
        for batch in [1, 100, 512, 1003, 5000] {
            let design = Design::in_batches(&data, &rows, &scaling, batch);
            assert_eq!(design.batches(), n.div_ceil(batch));
            let blocks: Vec<usize> = (0..design.batches())
                .flat_map(|b| design.batch(b))
                .collect();
            assert!(blocks.iter().copied().eq(0..design.blocks().len()));
            for b in 0..design.batches() {
                let count: usize = design.batch(b).map(|i| design.block(i).rows.len()).sum();
                assert!(count <= batch && count >= n / design.batches(), "{count}");
            }
            let kept = [299, 0, 17];
            let packed = design.packed(&kept);
            for (k, &j) in kept.iter().enumerate() {
                let expected: Vec<f32> =
                    (0..n).rev().map(|i| value(i, j as usize) as f32).collect();
                assert_eq!(column(&design, j as usize), expected);
                assert_eq!(column(&packed, k), expected);
            }
        }
    }

    #[test]
    fn blocks_fit_the_cache_and_have_all_lanes() {
        let longest = |lanes, columns| block_lanes(lanes, columns).into_iter().max();
        for (lanes, columns) in [(1, 1), (32, 1000), (19, 20), (63, 10_000), (6250, 100)] {
            let blocks = block_lanes(lanes, columns);
            assert_eq!(blocks.iter().sum::<usize>(), lanes);
            assert!(blocks.iter().all(|&block| block > 0), "{blocks:?}");
        }
        assert!(block_lanes(0, 5).is_empty());
        // a core's cache, the shared cache, neither
        assert!(longest(6250, 100).unwrap() * 100 * 64 <= CORE_CACHE + 3 * 100 * 64);
        assert_eq!(longest(32, 1000), Some(32));
        assert!(longest(6250, 10_000).unwrap() * 10_000 * 64 <= SHARED_CACHE + 3 * 10_000 * 64);
        assert!(longest(32, 100_000).unwrap() <= SHORT_BLOCK);
    }
}
