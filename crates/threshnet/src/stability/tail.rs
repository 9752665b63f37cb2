//! The largest tail that a distribution with a known mean and a tapering shape can have
//! (Shah and Samworth 2013).
//!
//! Probabilities f on {0, 1/B, …, 1} are *r-concave*, r < 0, if fʳ is convex (∞ where f is
//! 0): one mode, and tails that fall at least like (a + i)^{1/r}. The smaller r, the weaker
//! the assumption; with r → −∞ one mode is all that is left of it. Among those with mean η
//!
//! ```text
//! D(η, t, B, r) = max P(X ≥ t)
//! ```
//!
//! is attained where fʳ is as straight as it can be: for some k and a > 0, up to a factor,
//!
//! ```text
//! fᵢ = wᵢ = (a + i)^{1/r} for i ≤ k,     f_{k+1} = β ≤ w_{k+1},     0 beyond.
//! ```
//!
//! With m = ηB the mean fixes β = (mΣw − Σi·w)/(k + 1 − m), sums over i ≤ k. So, with T = tB,
//!
//! ```text
//! P(X < t) = (k + 1 − m)·Σ_{i < T} wᵢ / Σ (k + 1 − i)·wᵢ.
//! ```
//!
//! β runs from 0 to w_{k+1} as a falls from the one that gives mean m on {0, …, k} to the
//! one that does on {0, …, k + 1}: a single curve over all k, along which the maximum is sought.

/// Steps that halve, or nearly, the interval in which ln a is sought.
const STEPS: usize = 40;

/// Between these a takes fᵢ from all but a point mass at 0 to all but uniform.
const LN_A: (f64, f64) = (-40.0, 40.0);

/// D(η, t, B, r) with t = `from`/B and r = 1/`exponent`, a negative whole number; 1 where the
/// mean is too large for a shape that only falls: 2m ≥ `from` − 1.
pub fn largest_tail(mean: f64, from: usize, points: usize, exponent: i32) -> f64 {
    let m = mean * points as f64;
    if m <= 0.0 || from > points {
        return 0.0;
    }
    if from == 0 || 2.0 * m >= from as f64 - 1.0 {
        return 1.0;
    }
    let shape = Shape { m, from, exponent };
    // The curve at its whole k, the first of which is below the tail.
    let ends: Vec<f64> = (from - 1..=points).map(|k| shape.ln_a(k)).collect();
    let at_ends = ends
        .iter()
        .zip(from - 1..)
        .map(|(&ln_a, k)| shape.tail(k, ln_a));
    let (best, _) = (at_ends.enumerate())
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there is a k below the tail");
    // and between the best of them and its neighbours
    (best.saturating_sub(1)..=best)
        .filter(|&i| i + 1 < ends.len())
        .map(|i| shape.largest_between(from - 1 + i, (ends[i + 1], ends[i])))
        .fold(0.0, f64::max)
}

/// What all of the curve has in common.
struct Shape {
    m: f64,
    from: usize,
    exponent: i32,
}

impl Shape {
    fn weights(&self, k: usize, ln_a: f64) -> impl Iterator<Item = (f64, f64)> {
        let a = ln_a.exp();
        (0..=k).map(move |i| (i as f64, (a + i as f64).powi(self.exponent)))
    }

    /// ln a of the shape on {0, …, k} with mean m, and β = 0.
    fn ln_a(&self, k: usize) -> f64 {
        let (mut low, mut high) = LN_A;
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            let excess = |sum, (i, w)| sum + (i - self.m) * w;
            if self.weights(k, middle).fold(0.0, excess) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }

    /// P(X ≥ t).
    fn tail(&self, k: usize, ln_a: f64) -> f64 {
        let end = k as f64 + 1.0;
        let (mut below, mut all) = (0.0, 0.0);
        for (i, w) in self.weights(k, ln_a) {
            if i < self.from as f64 {
                below += w;
            }
            all += (end - i) * w;
        }
        1.0 - (end - self.m) * below / all
    }

    /// The largest tail between two ln a, by thirds: the curve has one maximum there.
    fn largest_between(&self, k: usize, (mut low, mut high): (f64, f64)) -> f64 {
        for _ in 0..STEPS {
            let third = (high - low) / 3.0;
            if self.tail(k, low + third) < self.tail(k, high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        self.tail(k, f64::midpoint(low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Random};

    /// Probabilities whose rth power is convex: drawn as such, and cut off somewhere.
    fn r_concave(random: &mut Random, points: usize, exponent: i32) -> Vec<f64> {
        let cut = 1 + random.below(points);
        let mut slope = -2.0 * random.uniform();
        let mut power = 0.02 + 3.0 * random.uniform();
        let mut f = Vec::new();
        for i in 0..=points {
            f.push(if i <= cut { power.powi(exponent) } else { 0.0 });
            // a convex power: slopes rise, and it stays above 0
            slope += random.uniform().powi(4);
            let next = (power + slope).max(0.01);
            slope = next - power;
            power = next;
        }
        let all: f64 = f.iter().sum();
        f.iter().map(|p| p / all).collect()
    }

    fn mean_and_tail(f: &[f64], from: usize) -> (f64, f64) {
        let mean = f.iter().enumerate().map(|(i, p)| i as f64 * p).sum::<f64>();
        (mean / (f.len() - 1) as f64, f[from..].iter().sum())
    }

    #[test]
    fn no_r_concave_distribution_has_a_larger_tail() {
        let mut random = Random::new(3, Purpose::Simulation, 0, 0);
        let mut close = 0;
        for trial in 0..1000 {
            let (points, exponent) = ([6, 20][trial % 2], [-2, -4][trial / 2 % 2]);
            let f = r_concave(&mut random, points, exponent);
            for from in 1..=points {
                let (mean, tail) = mean_and_tail(&f, from);
                let largest = largest_tail(mean, from, points, exponent);
                assert!(tail <= largest + 1e-9, "{tail} {largest} {f:?}");
                close += usize::from(largest < 1.0 && tail > 0.8 * largest);
            }
        }
        assert!(close > 20, "a test of nothing: {close}");
    }

    /// The largest tail belongs to a distribution: one found among many shares of β in w_{k+1},
    /// for every k.
    #[test]
    fn the_largest_tail_is_attained() {
        for (mean, from, points, exponent) in [
            (0.01, 10, 50, -2),
            (0.04, 20, 50, -2),
            (0.1, 70, 100, -4),
            (0.2, 60, 100, -4),
        ] {
            let shape = |k: usize, share: f64, ln_a: f64| {
                let w = |i: usize| (ln_a.exp() + i as f64).powi(exponent);
                let f: Vec<f64> = (0..=k).map(w).chain([share * w(k + 1)]).collect();
                let (all, end) = (f.iter().sum::<f64>(), vec![0.0; points - k - 1]);
                let f: Vec<f64> = f.iter().map(|w| w / all).chain(end).collect();
                mean_and_tail(&f, from)
            };
            let mut largest = 0.0f64;
            for k in from - 1..points {
                for step in 0..=10 {
                    let share = step as f64 / 10.0;
                    let (mut low, mut high) = (-40.0, 40.0);
                    for _ in 0..60 {
                        let middle = f64::midpoint(low, high);
                        let small = shape(k, share, middle).0 < mean;
                        *(if small { &mut low } else { &mut high }) = middle;
                    }
                    largest = largest.max(shape(k, share, low).1);
                }
            }
            let found = largest_tail(mean, from, points, exponent);
            assert!((found / largest - 1.0).abs() < 1e-3, "{found} {largest}");
        }
    }

    #[test]
    fn ends() {
        assert_eq!(largest_tail(0.0, 3, 10, -2), 0.0);
        assert_eq!(largest_tail(0.2, 11, 10, -2), 0.0);
        // half of the points are reached by a uniform distribution, and more
        assert_eq!(largest_tail(0.5, 5, 10, -2), 1.0);
        assert_eq!(largest_tail(0.5, 0, 10, -2), 1.0);
        let tails: Vec<f64> = (4..=10)
            .map(|from| largest_tail(0.1, from, 10, -2))
            .collect();
        assert!(tails.is_sorted_by(|a, b| a > b), "{tails:?}");
        // a weaker assumption allows a heavier tail
        assert!(largest_tail(0.1, 8, 10, -1) > largest_tail(0.1, 8, 10, -2));
    }
}
