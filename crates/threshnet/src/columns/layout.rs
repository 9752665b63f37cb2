//! Rows in blocks that stay in cache, and blocks in batches.

use crate::kernel::{LANES, Lanes};
use std::ops::Range;

/// A block should stay in cache between the forward and the backward pass: in
/// a core's own, with room for weights and gradient, if that leaves it …
const CORE_CACHE: usize = 1 << 19;
/// … this many lanes, so that kernels fill many vectors for each they add up;
const LONG_BLOCK: usize = 32;
/// else in its share of the last one,
const SHARED_CACHE: usize = 1 << 22;
/// though with very many columns not even this many lanes may fit.
const SHORT_BLOCK: usize = 4;
/// The number of a row within its block is stored in 16 bit.
const LONGEST_BLOCK: usize = (1 << 16) / LANES;

/// Where the rows of some columns are.
#[derive(Debug, Clone)]
pub struct Layout {
    rows: usize,
    batches: usize,
    blocks: Vec<Block>,
}

/// Consecutive rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which.
    pub rows: Range<usize>,
    /// How many lanes hold them, the last padded.
    pub lanes: usize,
}

impl Layout {
    /// Blocks of rows of which so many columns fit the caches, in as few batches of at most
    /// `batch` rows as there can be, of nearly equal size.
    pub fn fitting(rows: usize, batch: usize, columns: usize) -> Self {
        Layout::new(rows, batch_count(rows, batch), longest_fitting(columns))
    }

    /// The same rows and batches for other columns.
    pub fn fitting_likewise(&self, columns: usize) -> Self {
        Layout::new(self.rows, self.batches, longest_fitting(columns))
    }

    /// Blocks of a length that does not depend on the columns.
    pub fn of_long_blocks(rows: usize, batch: usize) -> Self {
        Layout::new(rows, batch_count(rows, batch), LONG_BLOCK)
    }

    /// As few blocks as can be, all in one batch: a column is in one piece, or in several of
    /// 65,536 rows.
    pub fn of_whole_columns(rows: usize) -> Self {
        Layout::new(rows, 1, LONGEST_BLOCK)
    }

    fn new(rows: usize, batches: usize, longest: usize) -> Self {
        let mut blocks = Vec::new();
        let mut first = 0;
        for batch in 0..batches {
            let end = batch_start(batch + 1, batches, rows);
            for lanes in block_lanes(Lanes::for_rows(end - first), longest) {
                let next = end.min(first + lanes * LANES);
                blocks.push(Block {
                    rows: first..next,
                    lanes,
                });
                first = next;
            }
        }
        Layout {
            rows,
            batches,
            blocks,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All blocks, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The number of batches.
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The numbers of a batch's blocks.
    pub fn batch(&self, number: usize) -> Range<usize> {
        let before = |batch: usize| {
            let row = batch_start(batch, self.batches, self.rows);
            self.blocks.partition_point(|block| block.rows.start < row)
        };
        before(number)..before(number + 1)
    }
}

/// The lanes of a block of so many columns, at most.
fn longest_fitting(columns: usize) -> usize {
    let one = size_of::<Lanes>() * columns.max(1);
    match CORE_CACHE / one {
        fitting if fitting >= LONG_BLOCK => fitting,
        _ => (SHARED_CACHE / one).clamp(SHORT_BLOCK, LONG_BLOCK),
    }
}

/// How many batches of at most `batch` rows hold all.
fn batch_count(rows: usize, batch: usize) -> usize {
    rows.div_ceil(batch.max(1)).max(1)
}

/// The first row of a batch.
fn batch_start(batch: usize, batches: usize, rows: usize) -> usize {
    batch * rows / batches
}

/// Divides `lanes` into blocks of at most `longest` and nearly equal size, by twos because
/// kernels take two lanes at a time.
fn block_lanes(lanes: usize, longest: usize) -> Vec<usize> {
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

    #[test]
    fn blocks_fit_the_cache_and_have_all_lanes() {
        let blocks = |lanes, columns| block_lanes(lanes, longest_fitting(columns));
        let longest = |lanes, columns| blocks(lanes, columns).into_iter().max();
        for (lanes, columns) in [(1, 1), (32, 1000), (19, 20), (63, 10_000), (6250, 100)] {
            let blocks = blocks(lanes, columns);
            assert_eq!(blocks.iter().sum::<usize>(), lanes);
            assert!(blocks.iter().all(|&block| block > 0), "{blocks:?}");
        }
        assert!(blocks(0, 5).is_empty());
        // a core's cache, the shared cache, neither
        assert!(longest(6250, 100).unwrap() * 100 * 64 <= CORE_CACHE + 3 * 100 * 64);
        assert_eq!(longest(32, 1000), Some(32));
        assert!(longest(6250, 10_000).unwrap() * 10_000 * 64 <= SHARED_CACHE + 3 * 10_000 * 64);
        assert!(longest(32, 100_000).unwrap() <= SHORT_BLOCK);
    }

    #[test]
    fn batches_are_of_nearly_equal_size_and_end_where_blocks_do() {
        let rows = 1003;
        for batch in [1, 100, 512, 1003, 5000] {
            let layout = Layout::fitting(rows, batch, 300);
            assert_eq!(layout.batches(), rows.div_ceil(batch));
            let blocks: Vec<usize> = (0..layout.batches())
                .flat_map(|b| layout.batch(b))
                .collect();
            assert!(blocks.iter().copied().eq(0..layout.blocks().len()));
            for b in 0..layout.batches() {
                let own = &layout.blocks()[layout.batch(b)];
                let count: usize = own.iter().map(|block| block.rows.len()).sum();
                assert!(
                    count <= batch && count >= rows / layout.batches(),
                    "{count}"
                );
            }
            assert_eq!(layout.fitting_likewise(3).batches(), layout.batches());
        }
    }
}
