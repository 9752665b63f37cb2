//! Counts, mostly zero, of which a few columns matter.

use threshnet::dataset::{Column, Dataset, Outcome};
use threshnet::error::Result;
use threshnet::random::{Purpose, Random};

/// So many columns matter, the first of all: two straight, one bent, two together.
pub const MATTER: usize = 5;

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// One cell in so many is not zero, among the columns that matter one in four.
    pub filled_in: usize,
    /// Of the random numbers.
    pub seed: u64,
}

/// The cells of a column that are not zero.
struct Stored {
    rows: Vec<i32>,
    values: Vec<f64>,
}

impl Counts {
    /// The stored cells of every column, and the outcome.
    fn draw(&self) -> (Vec<Stored>, Vec<f64>) {
        let mut random = Random::new(self.seed, Purpose::Simulation, 77, 0);
        let columns: Vec<Stored> = (0..self.d)
            .map(|j| {
                let filled_in = if j < MATTER { 4 } else { self.filled_in };
                let filled = |_: &i32| random.below(filled_in) == 0;
                let rows: Vec<i32> = (0..self.n as i32).filter(filled).collect();
                let values = rows.iter().map(|_| 1.0 + random.below(4) as f64).collect();
                Stored { rows, values }
            })
            .collect();
        let cell = |j: usize, row: usize| {
            let Stored { rows, values } = &columns[j];
            rows.binary_search(&(row as i32))
                .map_or(0.0, |at| values[at])
        };
        let outcome = (0..self.n)
            .map(|row| {
                let x: [f64; MATTER] = std::array::from_fn(|j| cell(j, row).min(3.0));
                x[0] - x[1] + (x[2] - 1.0).abs() + x[3] * x[4] + 0.5 * random.normal()
            })
            .collect();
        (columns, outcome)
    }

    /// Without the zeros.
    pub fn sparse(&self) -> Result<Dataset<'static>> {
        let (columns, outcome) = self.draw();
        let columns = columns.into_iter();
        let columns = columns.map(|of| Column::sparse(self.n, of.rows, of.values));
        self.data(columns.collect::<Result<_>>()?, outcome)
    }

    /// With them.
    pub fn dense(&self) -> Result<Dataset<'static>> {
        let sparse = self.sparse()?;
        let columns = sparse.columns().iter().map(|c| Column::from(c.to_vec()));
        Dataset::of(
            sparse.names().to_vec(),
            columns.collect(),
            sparse.outcome().clone(),
        )
    }

    fn data(&self, columns: Vec<Column<'static>>, outcome: Vec<f64>) -> Result<Dataset<'static>> {
        let names = (0..self.d).map(|j| format!("x{j}")).collect();
        Dataset::of(names, columns, Outcome::Continuous(outcome))
    }
}
