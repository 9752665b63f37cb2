//! What noise looks like: how large the correlations of columns that do not matter get.
//!
//! Of n normal values the squared correlation with noise is Beta(½, (n − 2)/2), and exceeds
//! c with a probability below (1 − c)^((n − 2)/2) (where c is above 1/(n − 2)). So of m
//! correlations one has a square above
//!
//! ```text
//! 1 − (p/m)^(2/(n − 2))
//! ```
//!
//! in fewer than a share p of all data sets where nothing matters.

use crate::dataset::Dataset;
use crate::screen::null_residuals;
use rayon::prelude::*;

/// Values beyond so many standard deviations count as this many: no row decides alone.
const BOUND: f64 = 3.0;

/// The share of data sets of noise in which a column may stand out.
const STANDING_OUT: f64 = 0.1;

/// Whether a column correlates with the outcome more than noise would.
pub fn stands_out(data: &Dataset) -> bool {
    let rows: Vec<usize> = (0..data.n()).collect();
    let residuals: Vec<Vec<f64>> = (null_residuals(data.outcome()).into_iter())
        .map(bounded)
        .collect();
    let tried = data.d() * residuals.len();
    let least = 1.0 - (STANDING_OUT / tried as f64).powf(2.0 / (data.n() as f64 - 2.0));
    (data.columns().par_iter()).any(|column| {
        let column = bounded(column.rows(&rows));
        (residuals.iter()).any(|of_row| correlation(&column, of_row).powi(2) > least)
    })
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
    use crate::simulate::{Design, Simulation};

    #[test]
    fn a_straight_effect_stands_out_and_a_joint_one_does_not() {
        for design in [Design::Regression, Design::Rare, Design::Survival] {
            let data = Simulation::new(design, 300, 400).draw().unwrap();
            assert!(stands_out(&data), "{design:?}");
        }
        let draws = (0..40).map(|seed| {
            let mut noise = Simulation::new(Design::Xor, 60, 300);
            noise.seed = seed;
            stands_out(&noise.draw().unwrap())
        });
        assert!(draws.filter(|out| *out).count() <= 4);
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
