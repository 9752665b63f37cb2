//! Selection at a stated false-discovery rate, by model-X knockoffs (Candès, Fan, Janson
//! and Lv 2018, JRSS B 80:551–577).
//!
//! Every column gets a knockoff: a random copy that is correlated with the other columns
//! as the original is, but knows nothing of the outcome. The fit sees both. A column that
//! does not matter leaves the path before its knockoff as often as after it, so the
//! columns that lose to their knockoffs tell how many won by chance. With Zⱼ and Z̃ⱼ the λ
//! up to which column and knockoff stay on the path (means over several runs),
//!
//! ```text
//! Wⱼ = Zⱼ − Z̃ⱼ,    T = min { t > 0 : (1 + #{Wⱼ ≤ −t}) / #{Wⱼ ≥ t} ≤ rate },    S = { j : Wⱼ ≥ T }
//! ```
//!
//! keeps the expected share of false columns in S at or below the rate. The 1 in it means
//! that fewer than 1/rate columns cannot be certified.
//!
//! The copies take the columns for Gaussian. Σ̂ are their correlations, either with small
//! ones set to zero (Bickel and Levina 2008) or shrunk to the identity (Ledoit and Wolf
//! 2004, Journal of Multivariate Analysis 88:365–411), whichever makes left-out rows
//! likelier. With D = s·I and s = min(1, 2λ_min(Σ̂)), standardised rows z get
//!
//! ```text
//! z̃ ~ N( z − D Σ̂⁻¹ z,  2D − D Σ̂⁻¹ D )
//! ```
//!
//! so that (z, z̃) has the covariance (Σ̂, Σ̂ − D; Σ̂ − D, Σ̂). A column that is to stay is no
//! candidate: D is 0 there, so that the copies of the others take it as it is. For columns that are far from
//! Gaussian, and where rows are too few to know the correlations, the rate holds
//! approximately.

use crate::dataset::{Column, Dataset, KEPT, Terms, Weights};
use crate::error::{Error, Result};
use crate::path::Step;
use crate::random::{Purpose, Random};
use crate::settings::{Settings, setting};
use crate::solver::{Observer, Status};
use crate::statistics::{Moments, weighted_moments};
use crate::tune::fit;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// More columns than this are not copied: their correlations would not fit in memory.
pub const MOST_COLUMNS: usize = 8000;

/// s is lowered by this factor until the covariance of the copies is definite.
const BELOW_LIMIT: f64 = 0.99;

/// Correlations are mixed with the identity, a step at a time, until λ_min is at least
/// this: below it copies could hardly differ from the originals.
const LEAST_EIGENVALUE: f64 = 0.02;
const MIXED_STEP: f64 = 0.02;

/// Steps of the inverse iteration for λ_min; its error falls by a factor in each.
const ITERATIONS: usize = 200;

/// The data with the knockoff of every column behind all columns, in the same order.
pub fn augmented<'a>(data: &Dataset<'a>, seed: u64) -> Result<Dataset<'a>> {
    let d = data.d();
    if data.imputes() {
        let problem = "knockoffs are made of complete columns; impute beforehand, leave out rows with \
                       missing cells, or take stability selection";
        return Err(Error::setting("fdr", problem));
    }
    if let Some((text, _)) = data.features().texts().next() {
        return Err(Error::setting(
            "fdr",
            format!(
                "{:?} is a text, and knockoffs are made of numbers; leave texts out, or take \
                 stability selection",
                data.names()[text]
            ),
        ));
    }
    if d > MOST_COLUMNS {
        return Err(Error::setting(
            "fdr",
            format!(
                "knockoffs of {d} columns: {MOST_COLUMNS} is the most; leave some out for reasons \
                 that have nothing to do with the outcome, or take stability \
                 selection"
            ),
        ));
    }
    if let Some(group) = data.features().terms().groups.keys().next() {
        return Err(Error::setting(
            "fdr",
            format!(
                "columns are in groups, such as {group:?}, and knockoffs stand for single ones; \
                 leave groups out, or take stability selection"
            ),
        ));
    }
    let copies = copies(data, seed)?;
    let names = data.names().iter().cloned();
    let names = names.chain(data.names().iter().map(|name| format!("{name} (knockoff)")));
    let columns = data.columns().iter().cloned();
    let columns = columns.chain(copies.into_iter().map(Column::from));
    let both = Dataset::of(names.collect(), columns.collect(), data.response().clone())?;
    both.on(doubled(data.features().terms(), d))
}

/// The terms of so many columns and their knockoffs: the same, but a copy of a column that is to
/// stay has no place.
pub fn doubled(terms: &Terms, d: usize) -> Terms {
    let of_copies = terms.factors.iter().map(|(&feature, &factor)| {
        let own = if factor == KEPT {
            f64::INFINITY
        } else {
            factor
        };
        (d + feature, own)
    });
    Terms {
        factors: terms.factors.clone().into_iter().chain(of_copies).collect(),
        ..Terms::default()
    }
}

/// The knockoffs, on the scale of the columns. That of a constant is itself, and that of a column
/// that is to stay.
fn copies(data: &Dataset, seed: u64) -> Result<Vec<Vec<f64>>> {
    let (n, d) = (data.n(), data.d());
    let weights = data.response().weights();
    let constant = data.constant_columns();
    let scales: Vec<Moments> = (0..d)
        .map(|j| match constant.binary_search(&j) {
            Ok(_) => Moments {
                mean: data.columns()[j].at(0),
                deviation: 0.0,
            },
            Err(_) => weighted_moments(data.columns()[j].iter(), weights),
        })
        .collect();
    let varying: Vec<usize> = (0..d).filter(|j| scales[*j].deviation > 0.0).collect();
    let standard = varying.iter().flat_map(|&j| {
        let Moments { mean, deviation } = scales[j];
        let values = data.columns()[j].to_vec().into_iter();
        values.map(move |x| (x - mean) / deviation)
    });
    let sample = Sample {
        z: DMatrix::from_iterator(n, varying.len(), standard),
        weights: weights.iter(n).collect(),
    };
    let groups = data.features().groups();
    let own: Vec<usize> = (0..varying.len())
        .filter(|&k| !groups.is_kept(varying[k]))
        .collect();
    let copied = standard_copies(&sample, &own, seed).ok_or_else(|| {
        Error::Data("values too large to be standardised for knockoffs; rescale the columns".into())
    })?;
    let mut columns: Vec<Vec<f64>> = data.columns().iter().map(Column::to_vec).collect();
    for (k, &at) in own.iter().enumerate() {
        let j = varying[at];
        let Moments { mean, deviation } = scales[j];
        columns[j] = copied
            .column(k)
            .iter()
            .map(|z| mean + deviation * z)
            .collect();
    }
    Ok(columns)
}

/// Standardised columns, and what each row counts.
struct Sample {
    z: DMatrix<f64>,
    weights: Vec<f64>,
}

impl Sample {
    /// Some consecutive rows.
    fn rows(&self, start: usize, rows: usize) -> Sample {
        Sample {
            z: self.z.rows(start, rows).clone_owned(),
            weights: self.weights[start..start + rows].to_vec(),
        }
    }

    /// What all rows count.
    fn total(&self) -> f64 {
        Weights::new(&self.weights).total(self.weights.len())
    }

    /// zᵀWz/Σw
    fn covariance(&self) -> DMatrix<f64> {
        let mut weighted = self.z.clone();
        for (mut row, weight) in weighted.row_iter_mut().zip(&self.weights) {
            row *= *weight;
        }
        self.z.transpose() * weighted / self.total()
    }
}

/// Knockoffs of some standardised columns, given all; none if these are not finite.
fn standard_copies(sample: &Sample, own: &[usize], seed: u64) -> Option<DMatrix<f64>> {
    let z = &sample.z;
    let (n, d) = (z.nrows(), own.len());
    if z.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let factor = correlations(sample);
    let inverse = factor.inverse().select_columns(own);
    // 2D − DΣ⁻¹D, whose root turns independent noise into that of the copies. λ_min may be
    // a little less than found: then so is s.
    let mut s = (2.0 * smallest_eigenvalue(&factor, z.ncols())).min(1.0);
    let root = loop {
        s *= BELOW_LIMIT;
        let spread = DMatrix::identity(d, d) * (2.0 * s) - inverse.select_rows(own) * (s * s);
        if let Some(root) = Cholesky::new(spread) {
            break root;
        }
    };
    let mut random = Random::new(seed, Purpose::Knockoffs, 0, 0);
    // Row by row, so that a row's noise does not depend on how many there are.
    let noise = DMatrix::from_row_iterator(n, d, (0..n * d).map(|_| random.normal()));
    Some(z.select_columns(own) - z * inverse * s + noise * root.l().transpose())
}

/// Σ̂, decomposed: of the two estimates the one that makes the other half of the rows
/// likelier, each half in its turn.
fn correlations(sample: &Sample) -> Cholesky<f64, Dyn> {
    let n = sample.z.nrows();
    let halves = [(0, n / 2), (n / 2, n - n / 2)].map(|(start, rows)| sample.rows(start, rows));
    let unlikelihood = |estimate: fn(&Sample) -> DMatrix<f64>| -> f64 {
        let on = |from: usize, to: usize| {
            let factor = decomposed(estimate(&halves[from]));
            let to = &halves[to];
            let whitened = factor.l().solve_lower_triangular(&to.z.transpose());
            let squares = whitened.map_or(f64::INFINITY, |white| {
                let of_rows = white.column_iter().zip(&to.weights);
                of_rows
                    .map(|(row, weight)| weight * row.norm_squared())
                    .sum()
            });
            let log_det: f64 = factor.l_dirty().diagonal().iter().map(|l| l.ln()).sum();
            squares + 2.0 * to.total() * log_det
        };
        on(0, 1) + on(1, 0)
    };
    let estimate = match unlikelihood(thresholded) < unlikelihood(shrunk) {
        true => thresholded,
        false => shrunk,
    };
    decomposed(estimate(sample))
}

/// Sample correlations with those that noise explains set to 0 (Bickel and Levina 2008,
/// Annals of Statistics 36:2577–2604): right where each column has few near ones.
fn thresholded(sample: &Sample) -> DMatrix<f64> {
    let d = sample.z.ncols();
    let limit = (2.0 * (d as f64).ln() / sample.total()).sqrt();
    let mut covariance = sample.covariance();
    for i in 0..d {
        for j in 0..d {
            if i != j && covariance[(i, j)].abs() < limit {
                covariance[(i, j)] = 0.0;
            }
        }
    }
    covariance
}

/// (1 − δ)·S + δ·I with S the sample correlations and δ by Ledoit and Wolf: right where
/// many columns are correlated a little.
fn shrunk(sample: &Sample) -> DMatrix<f64> {
    let (n, d) = (sample.total(), sample.z.ncols());
    let covariance = sample.covariance();
    let identity = DMatrix::identity(d, d);
    let of_rows = sample.z.row_iter().zip(&sample.weights);
    let fourth: f64 = of_rows.map(|(row, w)| w * row.norm_squared().powi(2)).sum();
    let noise = (fourth / n - covariance.norm_squared()) / n;
    let distance = (&covariance - &identity).norm_squared();
    let share = match distance > 0.0 {
        true => (noise / distance).clamp(0.0, 1.0),
        false => 1.0,
    };
    covariance * (1.0 - share) + identity * share
}

/// The Cholesky factor of correlations, mixed with as much of the identity as makes them
/// definite.
fn decomposed(matrix: DMatrix<f64>) -> Cholesky<f64, Dyn> {
    let d = matrix.nrows();
    let least = DMatrix::identity(d, d) * LEAST_EIGENVALUE;
    let mut share = 0.0;
    loop {
        let mixed = &matrix * (1.0 - share) + DMatrix::identity(d, d) * share;
        // λ_min is above the least if what is left without it can still be decomposed
        let definite = share >= 1.0 || Cholesky::new(&mixed - &least).is_some();
        if let Some(factor) = Cholesky::new(mixed).filter(|_| definite) {
            return factor;
        }
        share += MIXED_STEP;
    }
}

/// λ_min, by inverse iteration from a start that no eigenvector is orthogonal to.
fn smallest_eigenvalue(factor: &Cholesky<f64, Dyn>, d: usize) -> f64 {
    let mut random = Random::new(0, Purpose::Knockoffs, 1, 0);
    let mut vector = DVector::from_fn(d, |_, _| random.normal()).normalize();
    let mut inverse = 0.0;
    for _ in 0..ITERATIONS {
        let next = factor.solve(&vector);
        let value = next.norm();
        vector = next / value;
        if (value - inverse).abs() <= 1e-9 * value {
            return 1.0 / value;
        }
        inverse = value;
    }
    1.0 / inverse
}

/// How many runs are usual: starts and hold-outs differ, so one is not enough.
pub const RUNS: usize = 10;

/// One run on augmented data: the largest λ at which each column, then each knockoff, is
/// on the path of the chosen ridge; 0 if never, and of columns that stay anyhow.
pub fn exits(
    augmented: &Dataset,
    settings: &Settings,
    run: usize,
    observer: &dyn Observer,
) -> Result<Vec<f64>> {
    let mut settings = settings.clone();
    settings.seed = Random::new(settings.seed, Purpose::Knockoffs, run as u64, 2).word();
    let path = fit(augmented, &settings, observer)?.path;
    let mut exits = vec![0.0; augmented.d()];
    // A path that diverged has no say beyond.
    let sound = |step: &&Step| step.solved.status != Status::Diverged;
    let groups = augmented.features().groups();
    for step in path.iter().filter(sound) {
        for &j in step.network.inputs.iter().filter(|j| !groups.is_kept(**j)) {
            exits[j] = step.lambda;
        }
    }
    Ok(exits)
}

/// What the runs certify.
#[derive(Debug, Clone, PartialEq)]
pub struct Certified {
    /// Wⱼ of every column.
    pub statistics: Vec<f64>,
    /// T; infinite if nothing can be certified.
    pub threshold: f64,
    /// The columns that are to stay, ascending: selected, but not certified.
    pub kept: Vec<usize>,
}

impl Certified {
    /// From the exits of every run.
    pub fn new(runs: &[Vec<f64>], rate: f64) -> Result<Self> {
        setting("fdr").check(&rate)?;
        let d = runs.first().map_or(0, Vec::len) / 2;
        // differences first: equal exits cancel exactly
        let total = |j: usize| runs.iter().map(|run| run[j] - run[d + j]).sum::<f64>();
        let statistics: Vec<f64> = (0..d).map(|j| total(j) / runs.len() as f64).collect();
        Ok(Certified {
            threshold: threshold(&statistics, rate),
            statistics,
            kept: vec![],
        })
    }

    /// The columns with Wⱼ ≥ T and those that are to stay, ascending.
    pub fn selected(&self) -> Vec<usize> {
        (0..self.statistics.len())
            .filter(|&j| self.statistics[j] >= self.threshold || self.kept.contains(&j))
            .collect()
    }
}

/// T.
fn threshold(statistics: &[f64], rate: f64) -> f64 {
    let mut sizes: Vec<f64> = statistics
        .iter()
        .map(|w| w.abs())
        .filter(|w| *w > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    let enough = |t: &f64| {
        let lost = statistics.iter().filter(|w| **w <= -t).count();
        let won = statistics.iter().filter(|w| **w >= *t).count();
        won > 0 && (1 + lost) as f64 <= rate * won as f64 + 1e-9
    };
    sizes
        .into_iter()
        .find(|t| enough(t))
        .unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of an autoregressive Gaussian, correlation ρ^|i−j|.
    fn autoregressive(n: usize, d: usize, rho: f64) -> DMatrix<f64> {
        let mut random = Random::new(9, Purpose::Simulation, 0, 0);
        let mut z = DMatrix::zeros(n, d);
        for i in 0..n {
            for j in 0..d {
                let noise = random.normal();
                z[(i, j)] = match j {
                    0 => noise,
                    _ => rho * z[(i, j - 1)] + (1.0 - rho * rho).sqrt() * noise,
                };
            }
        }
        z
    }

    /// Rows that count once each.
    fn sample(z: &DMatrix<f64>) -> Sample {
        Sample {
            weights: vec![1.0; z.nrows()],
            z: z.clone(),
        }
    }

    #[test]
    fn weights_are_repeated_rows() {
        let z = autoregressive(40, 5, 0.5);
        let weights: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i % 3)).collect();
        let rows: Vec<usize> = (0..40).flat_map(|i| vec![i; weights[i] as usize]).collect();
        let repeated = sample(&z.select_rows(&rows));
        let weighted = Sample { z, weights };
        for estimate in [thresholded, shrunk] {
            let off = (estimate(&weighted) - estimate(&repeated)).norm();
            assert!(off < 1e-12, "{off}");
        }
    }

    #[test]
    fn copies_are_correlated_as_the_originals_are() {
        let (n, d, rho) = (40_000, 6, 0.5);
        let z = autoregressive(n, d, rho);
        let all: Vec<usize> = (0..d).collect();
        let copy = standard_copies(&sample(&z), &all, 3).unwrap();
        let covariance = |a: &DMatrix<f64>, b: &DMatrix<f64>| a.transpose() * b / n as f64;
        let (own, cross) = (covariance(&copy, &copy), covariance(&z, &copy));
        let sigma = covariance(&z, &z);
        let least = sigma.clone().symmetric_eigenvalues().min();
        let s = (2.0 * least).min(1.0);
        assert!(s < 0.9, "the test needs s below 1");
        for i in 0..d {
            for j in 0..d {
                let expected = sigma[(i, j)] - if i == j { s } else { 0.0 };
                assert!((own[(i, j)] - sigma[(i, j)]).abs() < 0.03, "{own}");
                assert!((cross[(i, j)] - expected).abs() < 0.03, "{cross}");
            }
        }
    }

    /// Others are copied given it: their copies are correlated with it as they are.
    #[test]
    fn a_column_that_stays_is_not_copied() {
        let (n, d) = (40_000, 4);
        let z = autoregressive(n, d, 0.6);
        let own = [0, 2, 3];
        let copy = standard_copies(&sample(&z), &own, 3).unwrap();
        assert_eq!(copy.shape(), (n, 3));
        let with_kept = |m: &DMatrix<f64>, k: usize| m.column(k).dot(&z.column(1)) / n as f64;
        for (k, &j) in own.iter().enumerate() {
            let (found, expected) = (with_kept(&copy, k), with_kept(&z, j));
            assert!((found - expected).abs() < 0.03, "{j}: {found} {expected}");
            assert_ne!(copy.column(k), z.column(j));
        }
        let own_cross = copy.column(0).dot(&z.column(0)) / n as f64;
        assert!(own_cross < 0.95, "{own_cross}");
    }

    #[test]
    fn with_more_columns_than_rows_correlations_are_shrunk() {
        let z = autoregressive(30, 80, 0.0);
        let estimate = shrunk(&sample(&z));
        let far = |m: &DMatrix<f64>| (m - DMatrix::identity(80, 80)).norm();
        assert!(far(&estimate) < 0.3 * far(&(z.transpose() * &z / 30.0)));
        // and hardly where rows abound
        let z = autoregressive(20_000, 5, 0.6);
        let covariance = z.transpose() * &z / 20_000.0;
        assert!((shrunk(&sample(&z)) - covariance).norm() < 1e-3);
    }

    /// With fewer rows than columns, a column that does not matter must be as correlated
    /// with the others as its knockoff is: else it would win by its neighbours.
    #[test]
    fn neighbours_of_a_copy_are_those_of_its_original_though_rows_are_few() {
        let (n, d, rho) = (150, 300, 0.7);
        let z = autoregressive(n, d, rho);
        let all: Vec<usize> = (0..d).collect();
        let copy = standard_copies(&sample(&z), &all, 4).unwrap();
        let mean = |of: &dyn Fn(usize) -> f64| (1..d).map(of).sum::<f64>() / (d - 1) as f64;
        let correlation = |a: &DMatrix<f64>, j: usize, k: usize| {
            let (a, b) = (a.column(j), z.column(k));
            a.dot(&b) / (a.norm() * b.norm())
        };
        let own = mean(&|j| correlation(&z, j, j - 1));
        let copied = mean(&|j| correlation(&copy, j, j - 1));
        assert!((own - copied).abs() < 0.1, "{own} {copied}");
    }

    /// Where all columns share a factor, thresholding would see nothing.
    #[test]
    fn correlations_with_many_columns_are_not_thresholded_away() {
        let mut random = Random::new(12, Purpose::Simulation, 0, 0);
        let mut z = DMatrix::zeros(100, 60);
        for mut row in z.row_iter_mut() {
            let common = random.normal();
            row.iter_mut()
                .for_each(|x| *x = 0.5 * common + 0.75f64.sqrt() * random.normal());
        }
        let factor = correlations(&sample(&z));
        let estimate = factor.l() * factor.l().transpose();
        let off = (estimate.sum() - estimate.trace()) / (60.0 * 59.0);
        assert!(off > 0.15, "{off}");
    }

    #[test]
    fn values_beyond_standardising_are_refused() {
        let mut huge = vec![1.7e308; 30];
        huge[0] = -1.7e308;
        let y = crate::dataset::Outcome::Continuous((0..30).map(f64::from).collect());
        let data = Dataset::new(vec!["x".into()], vec![huge], y).unwrap();
        assert!(matches!(augmented(&data, 1), Err(Error::Data(_))));
    }

    #[test]
    fn raw_scale_and_constants() {
        let columns = vec![
            (0..50).map(|i| 1e6 + f64::from(i)).collect(),
            vec![7.0; 50],
            (0..50).map(|i| f64::from(i * i % 17)).collect(),
        ];
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let y = (0..50).map(f64::from).collect();
        let data = Dataset::new(names, columns, crate::dataset::Outcome::Continuous(y)).unwrap();
        let both = augmented(&data, 1).unwrap();
        assert_eq!(both.d(), 6);
        assert_eq!(both.columns()[..3], *data.columns());
        assert_eq!(both.columns()[4].to_vec(), [7.0; 50]);
        let of_copy = weighted_moments(both.columns()[3].iter(), Weights::EQUAL);
        assert!((of_copy.mean - 1e6).abs() < 100.0 && of_copy.deviation < 40.0);
        assert_ne!(both.columns()[3], both.columns()[0]);
        assert_eq!(augmented(&data, 1).unwrap().columns(), both.columns());
        assert_ne!(augmented(&data, 2).unwrap().columns(), both.columns());
    }

    #[test]
    fn the_threshold_is_the_smallest_that_keeps_the_rate() {
        let mut random = Random::new(4, Purpose::Simulation, 0, 0);
        for _ in 0..200 {
            let w: Vec<f64> = (0..40)
                .map(|j| (random.normal() + if j < 25 { 2.0 } else { 0.0 }).max(-2.0))
                .collect();
            let t = threshold(&w, 0.2);
            let ratio = |t: f64| {
                let lost = w.iter().filter(|w| **w <= -t).count() as f64;
                let won = w.iter().filter(|w| **w >= t).count() as f64;
                (1.0 + lost) / won
            };
            if t.is_finite() {
                assert!(ratio(t) <= 0.2);
            }
            for smaller in w.iter().map(|w| w.abs()).filter(|w| *w < t) {
                assert!(ratio(smaller) > 0.2);
            }
        }
        // nine winners cannot be certified at a rate of 0.1, ten can
        assert_eq!(threshold(&[1.0; 9], 0.1), f64::INFINITY);
        assert_eq!(threshold(&[1.0; 10], 0.1), 1.0);
        assert_eq!(threshold(&[0.0; 20], 0.1), f64::INFINITY);
    }

    /// Noise wins and loses alike; the signals win: the share of noise in the selection
    /// keeps to the rate.
    #[test]
    fn the_rate_holds_where_noise_is_symmetric() {
        let mut random = Random::new(8, Purpose::Simulation, 0, 0);
        let (mut shares, replicates) = (0.0, 2000);
        for _ in 0..replicates {
            let mut run = vec![0.0; 400];
            for j in 0..200 {
                run[j] = random.exponential() + if j < 30 { 3.0 } else { 0.0 };
                run[200 + j] = random.exponential();
            }
            let selected = Certified::new(&[run], 0.1).unwrap().selected();
            let false_ones = selected.iter().filter(|j| **j >= 30).count();
            shares += false_ones as f64 / selected.len().max(1) as f64;
        }
        let rate = shares / f64::from(replicates);
        assert!(rate <= 0.1 && rate > 0.02, "{rate}");
        assert!(Certified::new(&[vec![0.0; 4]], 1.0).is_err());
        assert!(Certified::new(&[vec![0.0; 4]], f64::NAN).is_err());
    }
}
