//! What noise looks like: how large the correlations of columns that do not matter get.

use super::Constants;
use crate::dataset::{Column, Dataset, Weights};
use crate::random::{Purpose, Random};
use crate::statistics::{Spread, weighted_mean, weighted_spread};
use rayon::prelude::*;

/// Columns that one thread takes at a time: sums in this order are the same for any number
/// of threads.
const CHUNK: usize = 64;

/// How columns are related to an outcome.
#[derive(Clone, Copy, Default)]
struct Association {
    /// Their largest squared correlation.
    largest: f64,
    /// The sum of all, which sees many weak effects.
    sum: f64,
}

impl Association {
    /// That of these columns and of others.
    fn and(self, other: Association) -> Association {
        Association {
            largest: self.largest.max(other.largest),
            sum: self.sum + other.sum,
        }
    }
}

/// Whether columns are more correlated with what a null model leaves of the outcome than with
/// the same shuffled: the strongest of them, or all together. Among data sets without any effect
/// three in a hundred are, however its columns depend on each other. Columns that are to stay are part
/// of the null model, and not asked.
pub fn columns_are_associated(data: &Dataset, residuals: Vec<Vec<f64>>, seed: u64) -> bool {
    let constants = Constants::DEFAULT;
    let groups = data.features().groups();
    let rows: Vec<usize> = (0..data.n()).collect();
    let data = &*data.imputed(&rows);
    let asked: Vec<&Column> = (data.columns().iter().enumerate())
        .filter(|(j, _)| !groups.is_kept(*j) && !groups.is_dropped(*j))
        .map(|(_, column)| column)
        .collect();
    let weights = data.response().weights();
    let outcome: Vec<Vec<f64>> = (residuals.into_iter())
        .map(|unit| winsorised(unit, weights))
        .collect();
    let shuffled = (0..constants.shuffles).map(|number| {
        let order = Random::new(seed, Purpose::Shuffles, number, 0).permutation(data.n());
        let of_unit = |unit: &Vec<f64>| order.iter().map(|&i| unit[i]).collect();
        outcome.iter().map(of_unit).collect()
    });
    let outcomes: Vec<Vec<Vec<f64>>> = std::iter::once(outcome.clone()).chain(shuffled).collect();
    let of_columns = |columns: &[&Column]| {
        let columns = (columns.iter()).map(|column| winsorised(column.rows(&rows), weights));
        associations(columns, &outcomes, weights)
    };
    let parts: Vec<Vec<Association>> = (asked.par_chunks(CHUNK)).map(of_columns).collect();
    let mut all = vec![Association::default(); outcomes.len()];
    for part in parts {
        for (all, one) in all.iter_mut().zip(part) {
            *all = all.and(one);
        }
    }
    let statistics: [fn(&Association) -> f64; 2] = [|of| of.largest, |of| of.sum];
    statistics.into_iter().any(|statistic| {
        let own = statistic(&all[0]);
        let as_large = all[1..].iter().filter(|one| statistic(one) >= own);
        as_large.count() <= constants.as_large
    })
}

/// How these columns are related to each outcome.
fn associations(
    columns: impl Iterator<Item = Vec<f64>>,
    outcomes: &[Vec<Vec<f64>>],
    weights: Weights,
) -> Vec<Association> {
    let mut found = vec![Association::default(); outcomes.len()];
    for column in columns {
        for (found, outcome) in found.iter_mut().zip(outcomes) {
            for unit in outcome {
                let square = correlation(&column, unit, weights).powi(2);
                *found = found.and(Association {
                    largest: square,
                    sum: square,
                });
            }
        }
    }
    found
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

    #[test]
    fn many_weak_effects_stand_out_together() {
        let mut random = Random::new(3, Purpose::Simulation, 0, 0);
        let columns: Vec<Vec<f64>> = (0..40)
            .map(|_| (0..100).map(|_| random.normal()).collect())
            .collect();
        let sum = |i: usize| columns.iter().map(|column| column[i]).sum::<f64>();
        let y: Vec<f64> = (0..100).map(|i| sum(i) + 3.0 * random.normal()).collect();
        let outcomes = |y: &[f64]| vec![vec![winsorised(y.to_vec(), Weights::EQUAL)]];
        let columns_held = || (columns.iter()).map(|c| winsorised(c.clone(), Weights::EQUAL));
        let of = |y: &[f64]| associations(columns_held(), &outcomes(y), Weights::EQUAL)[0];
        let noise: Vec<f64> = (0..100).map(|_| random.normal()).collect();
        assert!(of(&y).sum > 1.5 * of(&noise).sum);
        let names = (0..40).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(names, columns, Outcome::Continuous(y));
        assert!(are_associated(&data.unwrap(), 0));
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
