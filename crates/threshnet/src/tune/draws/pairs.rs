//! Pairs of columns that matter only together.
//!
//! Neither of two such columns differs from noise alone, and among very many a network drops both
//! before it has learned to multiply them. But a product of two columns can be looked at without a
//! fit. With r what a draw leaves to explain of the rows it learned from, and z the standardised
//! columns, all products of two are asked:
//!
//! ```text
//! |cor(r, zⱼ·zₖ)| > √(2 ln(2m)/n),      m products in all.
//! ```
//!
//! n·d²/2 multiplications are what a matrix product takes, a tile at a time in single precision.
//! What comes near the bound is computed again in 64 bit, so no rounding decides.

use crate::dataset::Weights;
use crate::statistics::noise_level;
use crate::tune::noise::{correlation, winsorised};
use crate::tune::training::Training;
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Columns of a tile.
const TILE: usize = 512;
/// Multiplications, at most: about a second of one core.
const MOST_WORK: f64 = 3e10;
/// Where noise reaches this, no product can stand out that is not plain to see otherwise.
const TOO_NOISY: f64 = 0.6;
/// A product this near the bound is computed again: columns that depend on each other have products
/// of another variance than 1.
const NEAR: f64 = 0.85;
/// So many are, at most: the strongest.
const MOST_NEAR: usize = 50_000;

/// Two columns and how strongly their product is related to what is left to explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    pub columns: [usize; 2],
    pub strength: f64,
}

/// The pairs of usable columns whose products stand out from noise, strongest first.
pub fn standing_out(training: &Training, residuals: &[Vec<f64>]) -> Vec<Pair> {
    let columns = &training.usable;
    let (rows, d) = (training.rows.len(), columns.len());
    let products = d * d.saturating_sub(1) / 2 * residuals.len();
    let noise = noise_level(products.max(1), training.weights().total(rows));
    if products == 0 || noise >= TOO_NOISY || rows as f64 * products as f64 > MOST_WORK {
        return vec![];
    }
    let mut near: Vec<Pair> = (residuals.iter())
        .flat_map(|residuals| near(training, residuals, NEAR * noise))
        .collect();
    strongest_first(&mut near);
    near.truncate(MOST_NEAR);
    let mut pairs: Vec<[usize; 2]> = near.into_iter().map(|pair| pair.columns).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut found: Vec<Pair> = (pairs.into_par_iter())
        .map(|columns| Pair {
            columns,
            strength: strength(training, columns, residuals),
        })
        .filter(|pair| pair.strength > noise)
        .collect();
    strongest_first(&mut found);
    found
}

/// Strongest first; of equals the earlier columns.
fn strongest_first(pairs: &mut [Pair]) {
    pairs.sort_by(|a, b| {
        let by_strength = b.strength.total_cmp(&a.strength);
        by_strength.then(a.columns.cmp(&b.columns))
    });
}

/// The largest correlation of a product with residuals.
fn strength(training: &Training, columns: [usize; 2], residuals: &[Vec<f64>]) -> f64 {
    let weights = training.weights();
    let [first, second] = columns.map(|j| winsorised(training.column(j), weights));
    let product: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a * b).collect();
    (residuals.iter())
        .map(|residuals| correlation(&product, residuals, weights).abs())
        .fold(0.0, f64::max)
}

/// The pairs whose products are about as strongly related to these residuals, were their variance 1.
fn near(training: &Training, residuals: &[f64], bound: f64) -> Vec<Pair> {
    let (weights, rows) = (training.weights(), residuals.len());
    let total = weights.total(rows);
    let counted: Vec<f32> = (residuals.iter().zip(weights.iter(rows)))
        .map(|(r, w)| (w * r / total) as f32)
        .collect();
    let tiles: Vec<&[usize]> = training.usable.chunks(TILE).collect();
    (0..tiles.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let mut first = tile(training, tiles[at], weights);
            for (mut row, r) in first.row_iter_mut().zip(&counted) {
                row *= *r;
            }
            let first = first.transpose();
            let mut found = vec![];
            for (number, others) in tiles.iter().enumerate().skip(at) {
                let products = &first * tile(training, others, weights);
                for (k, column) in products.column_iter().enumerate() {
                    let last = if number == at { k } else { column.len() };
                    for (j, value) in column.iter().take(last).enumerate() {
                        let strength = f64::from(value.abs());
                        if strength > bound {
                            let columns = [tiles[at][j], others[k]];
                            found.push(Pair { columns, strength });
                        }
                    }
                }
            }
            found
        })
        .collect()
}

/// Some columns as they are looked at.
fn tile(training: &Training, columns: &[usize], weights: Weights) -> DMatrix<f32> {
    let values = columns.iter().flat_map(|&j| {
        let column = winsorised(training.column(j), weights);
        column.into_iter().map(|value| value as f32)
    });
    DMatrix::from_iterator(training.rows.len(), columns.len(), values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Mlp;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Settings, Size, Validation};
    use crate::simulate::{Scenario, Simulation};

    /// All rows of a draw of XOR, and the outcome as a null model leaves it.
    fn of_xor(n: usize, d: usize, seed: u64) -> (Training, Vec<Vec<f64>>) {
        let simulation = Simulation {
            seed,
            ..Simulation::new(Scenario::Xor, n, d)
        };
        let data = simulation.draw().unwrap();
        let (mcp, none) = (Penalty::MCP, Validation::None);
        let settings = Settings::new(Protocol::Default, mcp, none, Size::of(&data));
        let rows: Vec<usize> = (0..data.n()).collect();
        let training = Training::new(&data, &rows, &settings, &[]);
        let null = Mlp::zero(vec![], training.shape(&settings));
        let residuals = training.residuals(&null).into_iter();
        let residuals = residuals.map(|unit| winsorised(unit, training.weights()));
        let residuals = residuals.collect();
        (training, residuals)
    }

    #[test]
    fn tiles_find_what_every_product_by_itself_shows() {
        let d = TILE + 40;
        let (training, residuals) = of_xor(150, d, 3);
        let noise = noise_level(d * (d - 1) / 2, 150.0);
        let mut all: Vec<Pair> = (0..d)
            .flat_map(|k| (0..k).map(move |j| [j, k]))
            .map(|columns| Pair {
                columns,
                strength: strength(&training, columns, &residuals),
            })
            .filter(|pair| pair.strength > noise)
            .collect();
        strongest_first(&mut all);
        let found = standing_out(&training, &residuals);
        assert_eq!(found, all);
        assert_eq!(found[0].columns, [0, 1]);
    }

    #[test]
    fn two_columns_of_two_thousand_are_found_and_noise_is_not() {
        let mut others = 0;
        for seed in 0..5 {
            let (training, residuals) = of_xor(400, 2000, seed);
            let found = standing_out(&training, &residuals);
            assert_eq!(found[0].columns, [0, 1], "{seed}");
            others += found.len() - 1;
        }
        assert!(others <= 3, "{others}");
    }

    #[test]
    fn few_rows_show_no_pair() {
        let (training, residuals) = of_xor(40, 2000, 1);
        assert_eq!(standing_out(&training, &residuals), []);
    }
}
