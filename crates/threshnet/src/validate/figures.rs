//! Metrics of rows that several runs predicted, and their intervals.
//!
//! A metric that compares rows with each other (an AUC, a C-index, an average precision) is taken
//! within each run, for outputs of different fits need not be on one scale, and then averaged, by
//! what the rows (of a survival outcome the events) of each weigh. The others are taken over all rows of
//! a repeat, and averaged over repeats.
//!
//! The interval is that between the 2.5th and the 97.5th percentile over samples of the rows, or of
//! whole clusters, drawn with replacement: a row that is drawn twice is there twice in every run that
//! held it out. Folds learn from a share (K − 1)/K of the rows, and predictions of different folds
//! depend on each other through the rows that they share, so that its ends move away from the value
//! by √(K/(K − 1)), the limit of the correction of Nadeau and Bengio (2003, Machine Learning
//! 52:239–281) for many repeats.

use crate::dataset::Response;
use crate::metrics::{Bootstrap, Metric};
use crate::model::Prediction;
use crate::report::MetricEstimate;

/// Rows that networks predicted without having seen them.
#[derive(Debug, Clone)]
pub struct Part {
    /// Which.
    pub rows: Vec<usize>,
    /// What was said of each.
    pub said: Prediction,
}

impl Part {
    /// Several as one.
    pub fn joined(parts: &[Part]) -> Part {
        let columns = parts[0].said.columns().len();
        let column = |k: usize| {
            parts
                .iter()
                .flat_map(|part| part.said.columns()[k].iter().copied())
                .collect()
        };
        Part {
            rows: parts
                .iter()
                .flat_map(|part| part.rows.iter().copied())
                .collect(),
            said: parts[0].said.like((0..columns).map(column).collect()),
        }
    }

    /// A metric on its rows, each so many times, and what they weigh; none where it is undefined.
    fn figure(
        &self,
        metric: Metric,
        response: &Response,
        times: Option<&[usize]>,
    ) -> Option<(f64, f64)> {
        let Some(times) = times else {
            let response = response.rows(&self.rows);
            return Some((metric.value(&self.said, &response).ok()?, response.mass()));
        };
        let at: Vec<usize> = (0..self.rows.len())
            .flat_map(|at| std::iter::repeat_n(at, times[self.rows[at]]))
            .collect();
        let drawn: Vec<usize> = at.iter().map(|&at| self.rows[at]).collect();
        let response = response.rows(&drawn);
        Some((
            metric.value(&self.said.rows(&at), &response).ok()?,
            response.mass(),
        ))
    }
}

/// The parts of all runs, and how many folds a repeat has.
pub struct Parts<'a> {
    response: &'a Response,
    of_runs: Vec<Part>,
    of_repeats: Vec<Part>,
    /// What ends of intervals move away by.
    stretch: f64,
}

impl<'a> Parts<'a> {
    /// Runs in their order, `folds` of them in every repeat; 1 for bootstrap samples.
    pub fn new(response: &'a Response, of_runs: Vec<Part>, folds: usize) -> Self {
        let count = folds as f64;
        Parts {
            response,
            of_repeats: of_runs.chunks(folds).map(Part::joined).collect(),
            of_runs,
            stretch: match folds {
                1 => 1.0,
                _ => (count / (count - 1.0)).sqrt(),
            },
        }
    }

    fn of(&self, metric: Metric) -> &[Part] {
        match metric {
            Metric::Auc | Metric::AveragePrecision | Metric::CIndex => &self.of_runs,
            _ => &self.of_repeats,
        }
    }

    /// The metric; none where most parts leave it undefined.
    fn value(&self, metric: Metric, times: Option<&[usize]>) -> Option<f64> {
        let parts = self.of(metric);
        let found = parts
            .iter()
            .filter_map(|part| part.figure(metric, self.response, times));
        let found: Vec<(f64, f64)> = found.collect();
        let mass: f64 = found.iter().map(|(_, mass)| mass).sum();
        let sum: f64 = found.iter().map(|(value, mass)| value * mass).sum();
        (2 * found.len() > parts.len() && mass > 0.0).then(|| sum / mass)
    }

    /// Each of these metrics with its interval.
    pub fn estimates(&self, metrics: &[Metric], seed: u64) -> Vec<Option<MetricEstimate>> {
        self.sampled(metrics.len(), seed, |number, times| {
            self.value(metrics[number], times)
        })
    }

    /// How much more a metric is of these predictions than of others of the same rows.
    pub fn difference(&self, other: &Parts, metric: Metric, seed: u64) -> Option<MetricEstimate> {
        let more = |_, times: Option<&[usize]>| {
            Some(self.value(metric, times)? - other.value(metric, times)?)
        };
        self.sampled(1, seed, more)[0]
    }

    /// Figures with their intervals, all on the same samples. Samples have random streams of their
    /// own, so that threads cannot matter.
    fn sampled(
        &self,
        count: usize,
        seed: u64,
        figure: impl Fn(usize, Option<&[usize]>) -> Option<f64> + Sync,
    ) -> Vec<Option<MetricEstimate>> {
        let of_rows = |rows: &[usize]| -> Vec<Option<f64>> {
            let mut times = vec![0; self.response.len()];
            rows.iter().for_each(|&row| times[row] += 1);
            (0..count)
                .map(|number| figure(number, Some(&times)))
                .collect()
        };
        let intervals = Bootstrap::quick(seed).intervals(self.response, of_rows);
        let estimate = |number: usize| {
            let value = figure(number, None)?;
            let moved = |end: f64| value + self.stretch * (end - value);
            Some(MetricEstimate {
                value,
                interval: intervals[number].map(|ends| (moved(ends.low), moved(ends.high))),
            })
        };
        (0..count).map(estimate).collect()
    }

    /// A metric in every run.
    pub fn by_run(&self, metric: Metric) -> Vec<Option<f64>> {
        let of_part = |part: &Part| Some(part.figure(metric, self.response, None)?.0);
        self.of_runs.iter().map(of_part).collect()
    }

    /// What was said of every row that some run held out, the mean over these runs.
    pub fn mean(&self) -> Part {
        let n = self.response.len();
        let columns = self.of_runs[0].said.columns().len();
        let (mut sums, mut counts) = (vec![vec![0.0; n]; columns], vec![0.0; n]);
        for part in &self.of_runs {
            for (at, &row) in part.rows.iter().enumerate() {
                counts[row] += 1.0;
                for (sum, said) in sums.iter_mut().zip(part.said.columns()) {
                    sum[row] += said[at];
                }
            }
        }
        let rows: Vec<usize> = (0..n).filter(|&row| counts[row] > 0.0).collect();
        let mean = |sum: &Vec<f64>| rows.iter().map(|&row| sum[row] / counts[row]).collect();
        Part {
            said: self.of_runs[0].said.like(sums.iter().map(mean).collect()),
            rows,
        }
    }
}
