//! Seeded randomness whose meaning does not change from version to version.
//!
//! A generator is keyed by (seed, purpose, two numbers), so that every random
//! decision of a fit (its split, the start of ridge 3 in fold 2, …) has a
//! stream of its own and no decision depends on which thread ran first. The
//! stream is ChaCha8, which is specified; the few distributions are written
//! out here because libraries reserve the right to change theirs.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a stream of random numbers is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Simulated data.
    Simulation = 1,
    /// Which rows are held out, and which fold a row is in.
    Split = 2,
    /// Initial weights.
    Weights = 3,
    /// Which rows form a batch, and the order of the batches.
    Batches = 4,
    /// Which half of the rows a row is in, and the seeds of fits to halves.
    Halves = 5,
    /// Knockoffs of columns, and the seeds of runs with them.
    Knockoffs = 6,
    /// Rows drawn again, with replacement, to see how sure a figure is.
    Bootstrap = 7,
    /// Outcomes in another order, to see what chance does.
    Shuffles = 8,
    /// Rows and columns of the trees of a forest.
    Forest = 9,
    /// What multiple imputation puts into gaps.
    Imputation = 10,
    /// Outer splits of a nested validation, and the seeds of their fits.
    Outer = 11,
}

/// A reproducible stream of random numbers.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of `purpose` number (`a`, `b`) under `seed`.
    pub fn new(seed: u64, purpose: Purpose, a: u64, b: u64) -> Self {
        let mut key = [0; 32];
        for (part, word) in key.chunks_exact_mut(8).zip([seed, purpose as u64, a, b]) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        Random(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits: a seed of its own.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on [0, 1), 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Standard normal, by Marsaglia's polar method (one of its pair is used).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Standard normal truncated to [−`bound`, `bound`], by rejection from the
    /// uniform distribution.
    pub fn truncated_normal(&mut self, bound: f64) -> f64 {
        loop {
            let x = bound * (2.0 * self.uniform() - 1.0);
            if self.uniform() < (-0.5 * x * x).exp() {
                return x;
            }
        }
    }

    /// Standard exponential.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// −1 or 1 with equal probability.
    pub fn sign(&mut self) -> f64 {
        if self.0.next_u64() >> 63 == 0 {
            -1.0
        } else {
            1.0
        }
    }

    /// Uniform on 0..`end`.
    pub fn below(&mut self, end: usize) -> usize {
        // The product is exact to 2⁻⁵³, far below what any split can show.
        ((self.uniform() * end as f64) as usize).min(end - 1)
    }

    /// The numbers 0..`n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.shuffle(&mut order);
        order
    }

    /// Puts values into random order (Fisher and Yates).
    pub fn shuffle(&mut self, values: &mut [usize]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Spread, spread};

    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let values: Vec<f64> = (0..200_000).map(|_| draw()).collect();
        let Spread { mean, variance } = spread(values.iter().copied());
        (mean, variance)
    }

    #[test]
    fn distributions_have_their_moments() {
        let mut r = Random::new(7, Purpose::Simulation, 0, 0);
        for (name, (mean, variance), (m, v)) in [
            ("uniform", moments(|| r.uniform()), (0.5, 1.0 / 12.0)),
            ("normal", moments(|| r.normal()), (0.0, 1.0)),
            ("exponential", moments(|| r.exponential()), (1.0, 1.0)),
            ("sign", moments(|| r.sign()), (0.0, 1.0)),
            // nearly uniform on ±0.2: variance 0.04/3, less 0.5 % for the bend
            (
                "truncated",
                moments(|| r.truncated_normal(0.2)),
                (0.0, 0.01322),
            ),
        ] {
            assert!((mean - m).abs() < 0.01, "{name}: mean {mean}");
            assert!(
                (variance - v).abs() < 0.02 * v.max(0.01),
                "{name}: variance {variance}"
            );
        }
    }

    #[test]
    fn streams_are_distinct_and_repeatable() {
        let draw = |seed, purpose, a, b| Random::new(seed, purpose, a, b).uniform();
        let first = draw(1, Purpose::Split, 0, 0);
        assert_eq!(first, draw(1, Purpose::Split, 0, 0));
        for other in [
            draw(2, Purpose::Split, 0, 0),
            draw(1, Purpose::Weights, 0, 0),
            draw(1, Purpose::Split, 1, 0),
            draw(1, Purpose::Split, 0, 1),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_permutation_holds_every_number_once() {
        let mut order = Random::new(3, Purpose::Split, 0, 0).permutation(100);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
