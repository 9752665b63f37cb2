//! What noise looks like: how large the correlations of columns that do not matter get.

use crate::dataset::{Column, Dataset};
use crate::random::{Purpose, Random};
use crate::screen::null_residuals;
use rayon::prelude::*;

/// Values beyond so many standard deviations count as this many: no row decides alone.
const BOUND: f64 = 3.0;

/// How often the outcome is shuffled, and in how many of these a statistic may be as large
/// as it is and stand out still: one in forty, itself included.
const SHUFFLES: u64 = 199;
const AS_LARGE: usize = 4;

/// Columns that one thread takes at a time: sums in this order are the same for any number
/// of threads.
const AT_A_TIME: usize = 64;

/// What columns have in common with an outcome: their largest squared correlation, and the
/// sum of all, which sees many weak effects.
type Common = [f64; 2];

/// Whether columns have more in common with the outcome than with shuffled ones: the
/// strongest of them, or all together. Among data sets without any effect one in twenty has,
/// however its columns depend on each other.
pub fn stands_out(data: &Dataset, seed: u64) -> bool {
    let rows: Vec<usize> = (0..data.n()).collect();
    let outcome: Vec<Vec<f64>> = (null_residuals(data.outcome()).into_iter())
        .map(bounded)
        .collect();
    let shuffled = (0..SHUFFLES).map(|number| {
        let order = Random::new(seed, Purpose::Shuffles, number, 0).permutation(data.n());
        let of_unit = |unit: &Vec<f64>| order.iter().map(|&i| unit[i]).collect();
        outcome.iter().map(of_unit).collect()
    });
    let outcomes: Vec<Vec<Vec<f64>>> = std::iter::once(outcome.clone()).chain(shuffled).collect();
    let of_columns = |columns: &[Column]| {
        let columns = columns.iter().map(|column| bounded(column.rows(&rows)));
        in_common(columns, &outcomes)
    };
    let parts: Vec<Vec<Common>> = (data.columns().par_chunks(AT_A_TIME))
        .map(of_columns)
        .collect();
    let all = parts
        .iter()
        .fold(vec![[0.0; 2]; outcomes.len()], |mut all, part| {
            all.iter_mut()
                .zip(part)
                .for_each(|(all, one)| add(all, one));
            all
        });
    (0..2).any(|i| {
        let as_large = all[1..].iter().filter(|one| one[i] >= all[0][i]);
        as_large.count() <= AS_LARGE
    })
}

/// What these columns have in common with each outcome.
fn in_common(columns: impl Iterator<Item = Vec<f64>>, outcomes: &[Vec<Vec<f64>>]) -> Vec<Common> {
    let mut common = vec![[0.0; 2]; outcomes.len()];
    for column in columns {
        for (common, outcome) in common.iter_mut().zip(outcomes) {
            for unit in outcome {
                let square = correlation(&column, unit).powi(2);
                add(common, &[square, square]);
            }
        }
    }
    common
}

fn add(common: &mut Common, [largest, sum]: &Common) {
    *common = [common[0].max(*largest), common[1] + sum];
}

/// What the largest of so many correlations with noise over n rows seldom exceeds: of 2m
/// normal tails beyond √(2 ln 2m) less than one in ten data sets has any.
pub fn level(correlations: usize, n: usize) -> f64 {
    (2.0 * (2.0 * correlations as f64).ln() / n as f64).sqrt()
}

/// Of values with residuals of mean 0 and deviation 1.
pub fn correlation(values: &[f64], residuals: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let product = values
        .iter()
        .zip(residuals)
        .map(|(v, r)| v * r)
        .sum::<f64>()
        / n;
    match variance > 0.0 {
        true => product / variance.sqrt(),
        false => 0.0,
    }
}

/// With mean 0 and deviation 1, but for what lies beyond the bound.
pub fn bounded(mut values: Vec<f64>) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    for v in &mut values {
        *v = ((*v - mean) / scale).clamp(-BOUND, BOUND);
    }
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|v| *v -= mean);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::simulate::{Scenario, Simulation};

    #[test]
    fn a_straight_effect_stands_out_and_a_joint_one_does_not() {
        for design in [Scenario::Regression, Scenario::Rare, Scenario::Survival] {
            let data = Simulation::new(design, 300, 400).draw().unwrap();
            assert!(stands_out(&data, 1), "{design:?}");
        }
        let draws = (0..60).map(|seed| {
            let noise = Simulation {
                seed,
                ..Simulation::new(Scenario::Xor, 60, 300)
            };
            stands_out(&noise.draw().unwrap(), seed)
        });
        // 3 are expected
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
        let outcomes = |y: &[f64]| vec![vec![bounded(y.to_vec())]];
        let of = |y: &[f64]| in_common(columns.iter().cloned().map(bounded), &outcomes(y))[0];
        let noise: Vec<f64> = (0..100).map(|_| random.normal()).collect();
        assert!(of(&y)[1] > 1.5 * of(&noise)[1]);
        let names = (0..40).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(names, columns, Outcome::Continuous(y));
        assert!(stands_out(&data.unwrap(), 0));
    }

    #[test]
    fn no_row_decides_alone() {
        let mut values = vec![0.0; 100];
        values[7] = 1e9;
        let held = bounded(values);
        assert!(held[7] < 2.0 * BOUND && held.iter().all(|v| v.is_finite()));
        assert_eq!(bounded(vec![2.0; 5]), [0.0; 5]);
    }
}
