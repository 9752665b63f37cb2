//! How sure a figure is: its 95 % interval, from figures of rows drawn again.
//!
//! A bootstrap sample has as many rows as there are, drawn with replacement (Efron 1979, Annals of
//! Statistics 7:1–26), or as many clusters where rows come in these. A row takes its case weight
//! along; one of weight 0 is not there to be drawn. All figures are computed on the same samples.
//! With θ̂ the figure of all rows and θ* its values on B samples, the ends are
//!
//! ```text
//! percentile   the 2.5th and the 97.5th percentile of θ*
//! BCa          those at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))),  z = ∓1.96
//!              z₀ = Φ⁻¹((#{θ* < θ̂} + ½ #{θ* = θ̂})/B)                    (the bias)
//!              a  = Σ dᵢ³ / 6 (Σ dᵢ²)^(3/2),  dᵢ = mean of θ₍₎ − θ₍ᵢ₎    (the acceleration)
//! ```
//!
//! θ₍ᵢ₎ being the figure without the i-th row, cluster, or, above [`LEFT_OUT`] of them, every so many
//! of them at once (Efron 1987, JASA 82:171–185).
//!
//! A sample has a random stream of its own: the same seed gives the same bits on any number of
//! threads.

use crate::dataset::Response;
use crate::random::{Purpose, Random};
use crate::split::resampled;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// The share of samples outside an interval at either end.
const OUTSIDE: f64 = 0.025;

/// The same share of a normal distribution lies beyond this many standard deviations.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// How often figures are computed without some rows, at most, for the acceleration of BCa.
pub const LEFT_OUT: usize = 200;

/// How an interval came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Percentiles of bootstrap samples.
    Percentile,
    /// The same, corrected for bias and acceleration.
    Bca,
    /// An AUC and its standard error by placements ([`delong`](fn@super::delong)).
    Delong,
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How it came about.
    pub method: IntervalMethod,
}

/// Which samples are drawn, and what is made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// How many samples.
    pub samples: usize,
    /// The seed of their streams.
    pub seed: u64,
    /// Whether intervals are corrected for bias and acceleration.
    pub corrected: bool,
}

/// Figures of all rows and of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// Of all rows; none where undefined.
    pub found: Vec<Option<f64>>,
    /// Of each sample, in the same order; empty where a sample has none.
    pub samples: Vec<Vec<Option<f64>>>,
    /// Without some rows each; empty where intervals are percentiles.
    left_out: Vec<Vec<Option<f64>>>,
    corrected: bool,
}

impl Bootstrap {
    /// Percentiles of 200 samples: what every fit says of its held-out rows.
    pub fn quick(seed: u64) -> Self {
        Bootstrap {
            samples: 200,
            seed,
            corrected: false,
        }
    }

    /// The interval of every figure that is defined on half of the samples or more.
    /// `figures` gives them for some rows, always in the same order.
    pub fn intervals(
        &self,
        response: &Response,
        figures: impl Fn(&[usize]) -> Vec<Option<f64>> + Sync,
    ) -> Vec<Option<Interval>> {
        let replicates = self.replicates(response, figures);
        let numbers = 0..replicates.found.len();
        numbers.map(|number| replicates.interval(number)).collect()
    }

    /// The figures of all rows, of every sample, and what the intervals need besides.
    pub fn replicates(
        &self,
        response: &Response,
        figures: impl Fn(&[usize]) -> Vec<Option<f64>> + Sync,
    ) -> Replicates {
        let units = Units::of(response);
        let of_sample = |sample: usize| {
            let mut random = Random::new(self.seed, Purpose::Bootstrap, sample as u64, 0);
            figures(&units.drawn(&mut random))
        };
        let left_out = match self.corrected {
            true => units.left_out(),
            false => vec![],
        };
        let all: Vec<usize> = (0..response.len()).collect();
        Replicates {
            found: figures(&all),
            samples: (0..self.samples).into_par_iter().map(of_sample).collect(),
            left_out: left_out.par_iter().map(|rows| figures(rows)).collect(),
            corrected: self.corrected,
        }
    }
}

impl Replicates {
    /// The interval of a figure; none if half of the samples leave it undefined.
    pub fn interval(&self, number: usize) -> Option<Interval> {
        let mut values = self.values(number);
        if values.len() < self.samples.len().div_ceil(2).max(1) {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let (shares, method) = match self.corrected {
            false => ((OUTSIDE, 1.0 - OUTSIDE), IntervalMethod::Percentile),
            true => {
                let left_out = defined(&self.left_out, number);
                let shares = corrected_shares((*self.found.get(number)?)?, &values, &left_out);
                (shares?, IntervalMethod::Bca)
            }
        };
        let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
        Some(Interval {
            low: at(shares.0),
            high: at(shares.1),
            method,
        })
    }

    /// How often chance alone makes a figure differ from 0 as much as this one:
    ///
    /// ```text
    /// p = 2 min(#{θ* ≤ 0} + 1, #{θ* ≥ 0} + 1) / (B + 1)     and 1 at most
    /// ```
    ///
    /// (Davison & Hinkley 1997, Bootstrap Methods, 4.4: the interval that just reaches 0). None
    /// if half of the samples leave the figure undefined.
    pub fn p_value(&self, number: usize) -> Option<f64> {
        let values = self.values(number);
        if values.len() < self.samples.len().div_ceil(2).max(1) {
            return None;
        }
        let beyond = |far: &dyn Fn(f64) -> bool| values.iter().filter(|&&v| far(v)).count() + 1;
        let fewer = beyond(&|v| v <= 0.0).min(beyond(&|v| v >= 0.0));
        Some((2.0 * fewer as f64 / (values.len() + 1) as f64).min(1.0))
    }

    fn values(&self, number: usize) -> Vec<f64> {
        defined(&self.samples, number)
    }
}

/// A figure where it is defined.
fn defined(of: &[Vec<Option<f64>>], number: usize) -> Vec<f64> {
    (of.iter())
        .filter_map(|figures| *figures.get(number)?)
        .collect()
}

/// Which shares of the samples lie below the ends of a BCa interval; none where all lie on one side.
fn corrected_shares(found: f64, sorted: &[f64], left_out: &[f64]) -> Option<(f64, f64)> {
    let normal = Normal::standard();
    let below = sorted.partition_point(|&value| value < found);
    let equal = sorted.partition_point(|&value| value <= found) - below;
    let share = (below as f64 + 0.5 * equal as f64) / sorted.len() as f64;
    let bias = normal.inverse_cdf(share);
    if !bias.is_finite() {
        return None;
    }
    let mean = left_out.iter().sum::<f64>() / left_out.len().max(1) as f64;
    let power = |p: i32| left_out.iter().map(|v| (mean - v).powi(p)).sum::<f64>();
    let spread = power(2).powf(1.5);
    // (what no row moves has no acceleration)
    let acceleration = match spread > 0.0 {
        true => power(3) / (6.0 * spread),
        false => 0.0,
    };
    let at = |share: f64| {
        let z = bias + normal.inverse_cdf(share);
        normal.cdf(bias + z / (1.0 - acceleration * z))
    };
    Some((at(OUTSIDE), at(1.0 - OUTSIDE)))
}

/// What is drawn: the rows that count, one by one or in clusters.
struct Units {
    /// The rows that count.
    rows: Vec<usize>,
    /// The cluster of each of them.
    clusters: Option<Vec<usize>>,
}

impl Units {
    fn of(response: &Response) -> Units {
        let all = || (0..response.len()).collect();
        let rows: Vec<usize> = response.present().unwrap_or_else(all);
        let of_rows = |clusters: &Vec<usize>| rows.iter().map(|&row| clusters[row]).collect();
        Units {
            clusters: response.clusters.as_ref().map(of_rows),
            rows,
        }
    }

    /// The rows of a sample.
    fn drawn(&self, random: &mut Random) -> Vec<usize> {
        let n = self.rows.len();
        let positions: Vec<usize> = match &self.clusters {
            None => (0..n).map(|_| random.below(n)).collect(),
            Some(clusters) => resampled(clusters, usize::MAX, random),
        };
        positions.into_iter().map(|at| self.rows[at]).collect()
    }

    /// All rows but a unit, for each unit, or but every so many units.
    fn left_out(&self) -> Vec<Vec<usize>> {
        let own: Vec<usize> = (0..self.rows.len()).collect();
        let unit = self.clusters.as_ref().unwrap_or(&own);
        let mut numbers = unit.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let parts = numbers.len().min(LEFT_OUT);
        let part = |unit: usize| numbers.partition_point(|&number| number < unit) % parts.max(1);
        let without = |left_out: usize| {
            let stays = |(_, unit): &(&usize, &usize)| part(**unit) != left_out;
            let kept = self.rows.iter().zip(unit).filter(stays);
            kept.map(|(&row, _)| row).collect()
        };
        (0..parts).map(without).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Outcome, Weights};
    use crate::statistics::weighted_mean;

    fn response(y: &[f64]) -> Response {
        Outcome::Continuous(y.to_vec()).into()
    }

    /// The mean of some rows, as they count.
    fn mean_of(response: &Response) -> impl Fn(&[usize]) -> Vec<Option<f64>> + Sync {
        move |rows| {
            let some = response.rows(rows);
            let Outcome::Continuous(y) = &some.outcome else {
                unreachable!("it is one");
            };
            vec![Some(weighted_mean(y.iter().copied(), some.weights()))]
        }
    }

    fn skewed(n: usize) -> Vec<f64> {
        let mut random = Random::new(4, Purpose::Simulation, 0, 0);
        (0..n).map(|_| random.exponential()).collect()
    }

    const CORRECTED: Bootstrap = Bootstrap {
        samples: 400,
        seed: 1,
        corrected: true,
    };

    /// The mean of n numbers has a standard error of σ/√n.
    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        let data = response(&skewed(400));
        for how in [Bootstrap::quick(1), CORRECTED] {
            let [Some(found)] = how.intervals(&data, mean_of(&data))[..] else {
                panic!("a mean has an interval");
            };
            let mean = mean_of(&data)(&(0..400).collect::<Vec<_>>())[0].unwrap();
            assert!(found.low < mean && mean < found.high);
            let width = (found.high - found.low) / (2.0 * 1.96 / 20.0);
            assert!((0.8..1.25).contains(&width), "{width}");
        }
    }

    /// scipy.stats._resampling._bca_interval on the same numbers, scipy 1.17.1.
    #[test]
    fn corrections_are_those_of_scipy() {
        let data = [0.1, 0.4, 0.5, 0.9, 1.3, 2.2, 4.1, 7.3];
        let mean = data.iter().sum::<f64>() / 8.0;
        let left_out: Vec<f64> = data.iter().map(|v| (8.0 * mean - v) / 7.0).collect();
        let samples: Vec<f64> = (0..200).map(|i| 0.605 + 0.02 * f64::from(i)).collect();
        let (low, high) = corrected_shares(mean, &samples, &left_out).unwrap();
        assert!((low - SCIPY.0).abs() < 1e-10, "{low}");
        assert!((high - SCIPY.1).abs() < 1e-10, "{high}");
        assert_eq!(corrected_shares(9.0, &samples, &left_out), None);
    }

    const SCIPY: (f64, f64) = (0.012_070_049_840_992_213, 0.940_883_593_984_759_7);

    #[test]
    fn rows_that_do_not_count_are_not_there() {
        let y = skewed(60);
        let mut with = response(&[&y[..], &[100.0, -100.0]].concat());
        let mut weights = vec![1.0; 60];
        weights.extend([0.0, 0.0]);
        with.weights = Some(weights);
        let without = response(&y);
        for how in [Bootstrap::quick(1), CORRECTED] {
            assert_eq!(
                how.intervals(&with, mean_of(&with)),
                how.intervals(&without, mean_of(&without))
            );
        }
        assert_eq!(Weights::EQUAL.total(3), 3.0);
    }

    /// Ten copies of a row say no more than the row if they are drawn together.
    #[test]
    fn clusters_are_drawn_as_a_whole() {
        let y = skewed(40);
        let copies: Vec<f64> = y.iter().flat_map(|&v| [v; 10]).collect();
        let mut clustered = response(&copies);
        clustered.clusters = Some((0..400).map(|row| row / 10).collect());
        let width = |data: &Response, how: Bootstrap| {
            let found = how.intervals(data, mean_of(data))[0].unwrap();
            found.high - found.low
        };
        for how in [Bootstrap::quick(1), CORRECTED] {
            let single = width(&response(&y), how);
            assert!((width(&clustered, how) - single).abs() < 0.2 * single);
            assert!(width(&response(&copies), how) < 0.5 * single);
        }
    }

    #[test]
    fn a_difference_is_as_unlikely_as_its_samples_say() {
        let of = |samples: Vec<f64>| Replicates {
            found: vec![Some(1.0)],
            samples: samples.into_iter().map(|v| vec![Some(v)]).collect(),
            left_out: vec![],
            corrected: false,
        };
        let p = |samples: Vec<f64>| of(samples).p_value(0).unwrap();
        assert_eq!(p((1..=99).map(f64::from).collect()), 0.02);
        assert_eq!(p(vec![0.0; 99]), 1.0);
        assert_eq!(p((0..99).map(|i| f64::from(i) - 9.0).collect()), 0.22);
    }

    #[test]
    fn what_is_mostly_undefined_has_no_interval() {
        let data = response(&skewed(30));
        let rarely = |rows: &[usize]| vec![(rows[0] < 10).then_some(1.0)];
        assert_eq!(Bootstrap::quick(1).intervals(&data, rarely), [None]);
        let replicates = Bootstrap::quick(1).replicates(&data, rarely);
        assert_eq!(replicates.p_value(0), None);
        // 200 values: the 5th from either end
        let steps = Replicates {
            found: vec![Some(100.0)],
            samples: (0..200).map(|i| vec![Some(f64::from(i))]).collect(),
            left_out: vec![],
            corrected: false,
        };
        let found = steps.interval(0).unwrap();
        assert_eq!((found.low, found.high), (5.0, 194.0));
    }
}
