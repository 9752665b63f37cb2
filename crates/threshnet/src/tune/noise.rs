//! What noise looks like: how closely columns that do not matter are related to an outcome.
//!
//! Two statistics are compared with those of shuffled outcomes. The largest squared correlation with a
//! column sees one strong effect. What a ridge regression on all columns explains sees many weak ones,
//! also where columns depend on each other: with standardised columns Z (rows weighted by √w), K = ZZ′,
//! residuals r and λ the mean eigenvalue of K,
//!
//! ```text
//! r′K(K + λ)⁻¹r = r′r − λ·r′(K + λ)⁻¹r.
//! ```
//!
//! The sum of all squared correlations, r′Kr, hears little but the few directions in which most columns
//! vary together (of these tests: Goeman et al. 2004, Bioinformatics 20:93–99).

use super::Constants;
use crate::dataset::{Column, Dataset, Weights};
use crate::random::{Purpose, Random};
use crate::statistics::{Spread, weighted_mean, weighted_spread};
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Columns that are taken at a time: sums in this order are the same for any number of threads.
const CHUNK: usize = 64;
/// K is of so many rows at most, a random part of more.
const MOST_ROWS: usize = 1000;

/// The residuals of every output, row by row.
type Units = Vec<Vec<f64>>;

/// Whether columns have more to do with what a null model leaves of the outcome than with the same
/// shuffled: the strongest of them, or all together. Among data sets without any effect three in a
/// hundred seem to, however its columns depend on each other. Columns that are to stay are part of the
/// null model, and not asked.
pub fn columns_are_associated(data: &Dataset, residuals: Units, seed: u64) -> bool {
    let constants = Constants::DEFAULT;
    let groups = data.features().groups();
    let rows: Vec<usize> = (0..data.n()).collect();
    let data = &*data.imputed(&rows);
    let asked: Vec<&Column> = (data.columns().iter().enumerate())
        .filter(|(j, _)| !groups.is_kept(*j) && !groups.is_dropped(*j))
        .map(|(_, column)| column)
        .collect();
    let weights = data.response().weights();
    let outcome: Units = (residuals.into_iter())
        .map(|unit| winsorised(unit, weights))
        .collect();
    let order = |number| Random::new(seed, Purpose::Shuffles, number, 0).permutation(data.n());
    let shuffled = (0..constants.shuffles).map(|number| {
        let order = order(number);
        let of_unit = |unit: &Vec<f64>| order.iter().map(|&i| unit[i]).collect();
        outcome.iter().map(of_unit).collect()
    });
    let outcomes: Vec<Units> = std::iter::once(outcome.clone()).chain(shuffled).collect();
    let mut some = order(constants.shuffles);
    some.truncate(MOST_ROWS);
    some.sort_unstable();
    let column = |column: &Column| winsorised(column.rows(&rows), weights);
    stands_out(&largest_correlations(&asked, column, &outcomes, weights))
        || stands_out(&explained(&asked, column, &outcomes, (&some, weights)))
}

/// Whether the first is larger than nearly all others.
fn stands_out(statistics: &[f64]) -> bool {
    let as_large = statistics[1..].iter().filter(|&&one| one >= statistics[0]);
    as_large.count() <= Constants::DEFAULT.as_large
}

/// The largest squared correlation of a column with each outcome.
fn largest_correlations(
    columns: &[&Column],
    winsorised: impl Fn(&Column) -> Vec<f64> + Sync,
    outcomes: &[Units],
    weights: Weights,
) -> Vec<f64> {
    let of_chunk = |chunk: &[&Column]| {
        let mut largest = vec![0.0; outcomes.len()];
        for column in chunk.iter().map(|column| winsorised(column)) {
            for (largest, outcome) in largest.iter_mut().zip(outcomes) {
                for unit in outcome {
                    *largest = f64::max(*largest, correlation(&column, unit, weights).powi(2));
                }
            }
        }
        largest
    };
    let larger = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a.max(b)).collect();
    (columns.par_chunks(CHUNK).map(of_chunk)).reduce(|| vec![0.0; outcomes.len()], larger)
}

/// What a ridge regression on all columns explains of each outcome, on some of the rows.
fn explained(
    columns: &[&Column],
    winsorised: impl Fn(&Column) -> Vec<f64> + Sync,
    outcomes: &[Units],
    (rows, weights): (&[usize], Weights),
) -> Vec<f64> {
    let n = rows.len();
    let root: Vec<f64> = rows.iter().map(|&row| weights.at(row).sqrt()).collect();
    let weighted = |values: &[f64], scale: f64| -> Vec<f64> {
        let own = rows.iter().zip(&root);
        own.map(|(&row, root)| root * values[row] / scale).collect()
    };
    let mut gram = DMatrix::<f64>::zeros(n, n);
    for chunk in columns.chunks(CHUNK) {
        let standardised: Vec<Vec<f64>> = (chunk.par_iter())
            .filter_map(|column| {
                let values = winsorised(column);
                let variance = weighted_spread(values.iter().copied(), weights).variance;
                (variance > 0.0).then(|| weighted(&values, variance.sqrt()))
            })
            .collect();
        let block = DMatrix::from_vec(n, standardised.len(), standardised.concat());
        gram.gemm(1.0, &block, &block.transpose(), 1.0);
    }
    let lambda = gram.trace() / n as f64;
    for i in 0..n {
        gram[(i, i)] += lambda;
    }
    let Some(factor) = gram.cholesky() else {
        // (no column varies)
        return vec![0.0; outcomes.len()];
    };
    let of_outcome = |outcome: &Units| -> f64 {
        let units = outcome.iter().map(|unit| {
            let residuals = DMatrix::from_vec(n, 1, weighted(unit, 1.0));
            residuals.norm_squared() - lambda * residuals.dot(&factor.solve(&residuals))
        });
        units.sum()
    };
    outcomes.par_iter().map(of_outcome).collect()
}

/// Of values with residuals of mean 0 and deviation 1.
pub fn correlation(values: &[f64], residuals: &[f64], weights: Weights) -> f64 {
    let Spread { variance, .. } = weighted_spread(values.iter().copied(), weights);
    let products = values.iter().zip(residuals).map(|(v, r)| v * r);
    match variance > 0.0 {
        true => weighted_mean(products, weights) / variance.sqrt(),
        false => 0.0,
    }
}

/// With mean 0 and deviation 1, but for what lies beyond so many deviations and counts as
/// that many.
pub fn winsorised(mut values: Vec<f64>, weights: Weights) -> Vec<f64> {
    let bound = Constants::DEFAULT.winsorised_at;
    let Spread {
        mean: center,
        variance,
    } = weighted_spread(values.iter().copied(), weights);
    let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    for v in &mut values {
        *v = ((*v - center) / scale).clamp(-bound, bound);
    }
    let center = weighted_mean(values.iter().copied(), weights);
    values.iter_mut().for_each(|v| *v -= center);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::screen::null_residuals;
    use crate::simulate::{Scenario, Simulation};

    fn are_associated(data: &Dataset, seed: u64) -> bool {
        columns_are_associated(data, null_residuals(data.response()), seed)
    }

    #[test]
    fn a_straight_effect_columns_are_associated_and_a_joint_one_does_not() {
        for scenario in [Scenario::Regression, Scenario::Rare, Scenario::Survival] {
            let data = Simulation::new(scenario, 300, 400).draw().unwrap();
            assert!(are_associated(&data, 1), "{scenario:?}");
        }
        let draws = (0..60).map(|seed| {
            let noise = Simulation {
                seed,
                ..Simulation::new(Scenario::Xor, 60, 300)
            };
            are_associated(&noise.draw().unwrap(), seed)
        });
        // 2 are expected
        let standing_out = draws.filter(|out| *out).count();
        assert!(standing_out <= 8, "{standing_out}");
    }

    fn normals(random: &mut Random, count: usize) -> Vec<f64> {
        (0..count).map(|_| random.normal()).collect()
    }

    fn data_of(columns: &[Vec<f64>], y: Vec<f64>) -> Dataset<'static> {
        let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
        Dataset::new(names, columns.to_vec(), Outcome::Continuous(y)).unwrap()
    }

    #[test]
    fn many_weak_effects_stand_out_together() {
        let mut random = Random::new(3, Purpose::Simulation, 0, 0);
        let columns: Vec<Vec<f64>> = (0..40).map(|_| normals(&mut random, 100)).collect();
        let noise = normals(&mut random, 100);
        let sum = |i: usize| columns.iter().map(|column| column[i]).sum::<f64>();
        let y = (0..100).map(|i| sum(i) + 3.0 * noise[i]).collect();
        assert!(are_associated(&data_of(&columns, y), 0));
        assert!(!are_associated(&data_of(&columns, noise), 0));
    }

    /// All columns go with one hidden variable, which says nothing of the outcome; what each has of its
    /// own says a little, for or against. A sum of squared correlations would hear the hidden one alone.
    #[test]
    fn weak_effects_stand_out_beside_a_variation_that_columns_share() {
        let found = (0..10).filter(|&seed| {
            let mut random = Random::new(seed, Purpose::Simulation, 0, 0);
            let shared = normals(&mut random, 120);
            let own: Vec<Vec<f64>> = (0..40).map(|_| normals(&mut random, 120)).collect();
            let columns: Vec<Vec<f64>> = (own.iter())
                .map(|own| own.iter().zip(&shared).map(|(a, b)| a + 2.0 * b).collect())
                .collect();
            let noise = normals(&mut random, 120);
            let sign = |j: usize| if j.is_multiple_of(2) { 1.0 } else { -1.0 };
            let sum = |i: usize| {
                (own.iter().enumerate())
                    .map(|(j, own)| sign(j) * own[i])
                    .sum::<f64>()
            };
            let y = (0..120).map(|i| sum(i) + 4.0 * noise[i]).collect();
            are_associated(&data_of(&columns, y), seed)
        });
        assert!(found.count() >= 8);
    }

    /// By brute force: what the fitted values of a ridge have in common with the outcome.
    #[test]
    fn what_a_ridge_explains_is_that() {
        let mut random = Random::new(4, Purpose::Simulation, 0, 0);
        let columns: Vec<Column> = (0..3).map(|_| normals(&mut random, 20).into()).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let y = normals(&mut random, 20);
        let rows: Vec<usize> = (0..20).collect();
        let given = [1.0, 2.0, 0.0, 0.5].repeat(5);
        let weights = Weights::new(&given);
        let standardised = |column: &Column| {
            let values = winsorised(column.to_vec(), weights);
            let spread = weighted_spread(values.iter().copied(), weights)
                .variance
                .sqrt();
            values.into_iter().map(|v| v / spread).collect::<Vec<f64>>()
        };
        let z = DMatrix::from_columns(
            &(columns.iter().map(|column| standardised(column).into()))
                .collect::<Vec<nalgebra::DVector<f64>>>(),
        );
        let w = DMatrix::from_diagonal(&given.clone().into());
        let r = DMatrix::from_vec(20, 1, y.clone());
        let gram = z.transpose() * &w * &z;
        let lambda = gram.trace() / 20.0;
        let shrunken = (gram + lambda * DMatrix::identity(3, 3))
            .try_inverse()
            .unwrap();
        let fitted = &z * shrunken * z.transpose() * &w * &r;
        let by_hand = (r.transpose() * &w * fitted)[(0, 0)];
        let raw = |column: &Column| winsorised(column.to_vec(), weights);
        let found = explained(&columns, raw, &[vec![y]], (&rows, weights))[0];
        assert!(
            (found - by_hand).abs() < 1e-10 * by_hand,
            "{found} {by_hand}"
        );
    }

    #[test]
    fn no_row_decides_alone() {
        let mut values = vec![0.0; 100];
        values[7] = 1e9;
        let held = winsorised(values, Weights::EQUAL);
        assert!(
            held[7] < 2.0 * Constants::DEFAULT.winsorised_at && held.iter().all(|v| v.is_finite())
        );
        assert_eq!(winsorised(vec![2.0; 5], Weights::EQUAL), [0.0; 5]);
    }
}
