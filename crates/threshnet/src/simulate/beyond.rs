//! Designs that the paper lacks: what its own do not ask of a method.

use super::{Scenario, f};
use crate::random::Random;

/// Columns that matter in the scenario of many.
pub const MANY: usize = 30;
/// Columns that matter a little in the scenario of weak effects, and how much.
pub const WEAK: usize = 20;
const WEAK_EFFECT: f64 = 0.4;
/// Columns of a block, of which the first of the first four matters.
pub const BLOCK: usize = 10;
/// Correlation of two columns of a block.
const WITHIN: f64 = 0.8;
/// Lowers log-odds until one row in ten is positive.
pub const RARE: f64 = 7.0;

/// Standard normal quantiles at which a count of mean 2 (Poisson) steps up.
const COUNT_STEPS: [f64; 7] = [-1.102, -0.238, 0.458, 1.068, 1.619, 2.130, 2.611];
/// … and a genotype (two draws of an allele with frequency 0.3).
const GENOTYPE_STEPS: [f64; 2] = [-0.025, 1.341];

/// Makes the columns of a scenario from standard normal ones.
pub fn shape(scenario: Scenario, row: &mut [f64], random: &mut Random) {
    match scenario {
        Scenario::Blocks => {
            for block in row.chunks_mut(BLOCK) {
                let common = random.normal();
                for x in block {
                    *x = WITHIN.sqrt() * common + (1.0 - WITHIN).sqrt() * *x;
                }
            }
        }
        Scenario::Discrete => {
            for (j, x) in row.iter_mut().enumerate() {
                let above = |steps: &[f64]| steps.iter().filter(|step| *x > **step).count() as f64;
                *x = match j % 3 {
                    0 => above(&[0.0]),
                    1 => above(&COUNT_STEPS),
                    _ => above(&GENOTYPE_STEPS),
                };
            }
        }
        _ => {}
    }
}

/// The signal of a row; none if the scenario is one of the paper's.
pub fn signal(scenario: Scenario, row: &[f64]) -> Option<f64> {
    let half = |j: usize, x: f64| if j.is_multiple_of(2) { x } else { x.abs() };
    let alternating = |count: usize| -> f64 {
        let columns = row[..count].iter().enumerate();
        columns.map(|(j, &x)| half(j, x)).sum()
    };
    Some(match scenario {
        Scenario::Triple => 2.0 * row[0] * row[1] * row[2] + row[0] + row[1] + row[2],
        Scenario::Weak => WEAK_EFFECT * alternating(WEAK),
        Scenario::Many => alternating(MANY),
        Scenario::Blocks => f([row[0], row[BLOCK], row[2 * BLOCK], row[3 * BLOCK]]),
        Scenario::Discrete => 2.0 * row[0] + (row[1] - 2.0).abs() + 1.5 * row[2] + row[0] * row[4],
        _ => return None,
    })
}

/// Student's t with two degrees of freedom: no variance.
pub fn heavy_tailed(random: &mut Random) -> f64 {
    random.normal() / random.exponential().sqrt()
}
