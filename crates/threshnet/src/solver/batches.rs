//! The order in which an epoch visits the batches of the rows.

use super::Problem;
use crate::random::{Purpose, Random};

/// The batches of the rows, in a new random order every epoch.
pub struct Batches {
    order: Vec<usize>,
    seed: u64,
    lambda: f64,
}

impl Batches {
    /// Those of the problem's columns; the order depends on its seed, λ and the
    /// epoch.
    pub fn new(problem: &Problem, lambda: f64) -> Self {
        Batches {
            order: (0..problem.columns.layout().batches()).collect(),
            seed: problem.seed,
            lambda,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Their order in an epoch.
    pub fn shuffled(&mut self, epoch: usize) -> &[usize] {
        if self.order.len() > 1 {
            let key = (self.lambda.to_bits(), epoch as u64);
            Random::new(self.seed, Purpose::Batches, key.0, key.1).shuffle(&mut self.order);
        }
        &self.order
    }
}
