//! What a protocol's defaults depend on.

use crate::dataset::{Dataset, Task};

/// Of the data: rows, columns and what is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// What is predicted.
    pub task: Task,
}

impl Size {
    /// So many rows and columns.
    pub fn new(n: usize, d: usize, task: Task) -> Self {
        Size { n, d, task }
    }

    /// That of these data.
    pub fn of(data: &Dataset) -> Self {
        Size::new(data.n(), data.d(), data.outcome().task())
    }
}
