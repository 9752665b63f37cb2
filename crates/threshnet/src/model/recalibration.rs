//! What corrects the predictions of a model, learned from rows that its networks did not see.
//!
//! ```text
//! logistic   p'ₖ ∝ exp(aₖ + b log pₖ),  a₀ = 0          maximises the likelihood of held-out classes
//! isotonic   p'ₖ = fₖ(pₖ), f rising, then rescaled      minimises Σ wᵢ([cᵢ = k] − fₖ(pᵢₖ))²
//! baseline   S(t) = exp(−H₀(t) exp(b(r − r̄)))           maximises the partial likelihood (Breslow)
//! ```
//!
//! Of two classes the logistic one is log-odds' = a + b log-odds (Cox 1958, Biometrika 45:562–565;
//! of more: Van Hoorde et al. 2014, Statistics in Medicine 33:2585–2596), and the isotonic one is
//! `IsotonicRegression(out_of_bounds="clip")` of scikit-learn (Zadrozny & Elkan 2002, KDD). A slope b
//! below 0 is taken as 0: what ranks held-out rows the wrong way tells nothing. Log-risks of
//! held-out rows are counted from the mean of their fold's training rows, so r̄ is that of the model's.
//!
//! A fit stores all that fit its task in `model.json`; none is applied unless it is asked for.

use super::Prediction;
use crate::dataset::{Outcome, Response, Weights};
use crate::loss::{Cox, Loss, RowPart, Ties};
use crate::statistics::interpolated;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Which correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recalibrate {
    /// A slope and intercepts of the log-probabilities.
    Logistic,
    /// A rising step of every probability.
    Isotonic,
    /// A slope of the log-risk, and the baseline hazard.
    Baseline,
}

impl Recalibrate {
    /// All of them.
    pub const ALL: [Recalibrate; 3] = [
        Recalibrate::Logistic,
        Recalibrate::Isotonic,
        Recalibrate::Baseline,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Recalibrate::Logistic => "logistic",
            Recalibrate::Isotonic => "isotonic",
            Recalibrate::Baseline => "baseline",
        }
    }
}

/// The corrections that held-out rows support; those they do not are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recalibration {
    /// Of classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logistic: Option<LogisticMap>,
    /// Of classes, one for each, of two for the last alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub isotonic: Vec<IsotonicMap>,
    /// Of survival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineMap>,
}

/// log p'ₖ = aₖ + b log pₖ, up to what all classes have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticMap {
    /// b.
    pub slope: f64,
    /// aₖ, the first 0.
    pub intercepts: Vec<f64>,
}

/// A rising function, straight between its points and level beyond them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IsotonicMap {
    /// Where, ascending.
    pub at: Vec<f64>,
    /// Its values there.
    pub value: Vec<f64>,
}

/// log H₀(t) + b(r − r̄).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineMap {
    /// b.
    pub slope: f64,
    /// r̄, the mean log-risk of the model's training rows.
    pub center: f64,
    /// Event times of the held-out rows, ascending.
    pub time: Vec<f64>,
    /// log H₀ at each.
    pub log_cumulative_hazard: Vec<f64>,
}

/// Slopes beyond this belong to outcomes that a threshold separates.
const STEEPEST: f64 = 64.0;
const STEPS: usize = 200;
/// Errors are the squares of steps: after one of this size none is left.
const ENOUGH: f64 = 1e-9;
/// A fall of the likelihood by this share of it is rounding.
const ROUNDING: f64 = 1e-12;

impl Recalibration {
    /// Learned from predictions of rows that networks did not see; `center` is the mean log-risk of
    /// the model's training rows. None where nothing can be learned, or there is nothing to correct.
    pub fn of(held_out: &Prediction, response: &Response, center: f64) -> Option<Recalibration> {
        let weights = response.weights();
        let found = match (held_out, &response.outcome) {
            (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => {
                let first = usize::from(p.len() == 2);
                let class = |class: usize| {
                    let happened = labels
                        .iter()
                        .map(|&label| f64::from(u8::from(label == class)));
                    IsotonicMap::fit(&p[class], &happened.collect::<Vec<f64>>(), weights)
                };
                Recalibration {
                    logistic: LogisticMap::fit(p, labels, weights),
                    isotonic: (first..p.len()).map(class).collect::<Option<_>>()?,
                    baseline: None,
                }
            }
            (Prediction::Risk(risk), Outcome::Survival { time, event }) => Recalibration {
                baseline: BaselineMap::fit(risk, (time, event), weights, center),
                ..Recalibration::default()
            },
            _ => return None,
        };
        (found != Recalibration::default()).then_some(found)
    }

    /// Refuses what cannot be applied to predictions of so many classes, none for survival.
    pub(super) fn check(&self, classes: usize) -> Result<(), String> {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let rises = |values: &[f64]| finite(values) && values.is_sorted();
        let curve = |map: &IsotonicMap| {
            let same = !map.at.is_empty() && map.at.len() == map.value.len();
            same && rises(&map.at) && map.value.iter().all(|p| (0.0..=1.0).contains(p))
        };
        let maps = match classes {
            2 => 1,
            many => many,
        };
        let logistic = (self.logistic.iter()).all(|map| {
            map.intercepts.len() == classes && finite(&map.intercepts) && map.slope.is_finite()
        });
        let isotonic = self.isotonic.is_empty() || self.isotonic.len() == maps;
        let baseline = (self.baseline.iter()).all(|map| {
            let hazard = &map.log_cumulative_hazard;
            let same = map.time.len() == hazard.len() && !hazard.is_empty();
            same && rises(&map.time) && rises(hazard) && finite(&[map.slope, map.center])
        });
        match logistic && isotonic && baseline && self.isotonic.iter().all(curve) {
            true => Ok(()),
            false => Err("a recalibration that is none".into()),
        }
    }

    /// Whether it has this correction.
    pub fn has(&self, how: Recalibrate) -> bool {
        match how {
            Recalibrate::Logistic => self.logistic.is_some(),
            Recalibrate::Isotonic => !self.isotonic.is_empty(),
            Recalibrate::Baseline => self.baseline.is_some(),
        }
    }

    /// Corrected predictions; as they are where it has no such correction.
    pub(super) fn apply(&self, how: Recalibrate, prediction: Prediction) -> Prediction {
        match (how, prediction) {
            (Recalibrate::Logistic, Prediction::Probabilities(p)) => {
                Prediction::Probabilities(match &self.logistic {
                    Some(map) => map.apply(&p),
                    None => p,
                })
            }
            (Recalibrate::Isotonic, Prediction::Probabilities(p)) => {
                Prediction::Probabilities(isotonic(&self.isotonic, p))
            }
            (Recalibrate::Baseline, Prediction::Risk(risk)) => {
                Prediction::Risk(match &self.baseline {
                    Some(map) => (risk.iter())
                        .map(|r| map.slope * (r - map.center))
                        .collect(),
                    None => risk,
                })
            }
            (_, prediction) => prediction,
        }
    }
}

fn isotonic(maps: &[IsotonicMap], p: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    match maps {
        [] => p,
        [last] => {
            let positive: Vec<f64> = p[1].iter().map(|&p| last.at(p)).collect();
            vec![positive.iter().map(|p| 1.0 - p).collect(), positive]
        }
        maps => {
            let pairs = maps.iter().zip(&p);
            let mut mapped: Vec<Vec<f64>> = pairs
                .map(|(map, column)| column.iter().map(|&p| map.at(p)).collect())
                .collect();
            for row in 0..mapped[0].len() {
                let sum: f64 = mapped.iter().map(|column| column[row]).sum();
                let classes = mapped.len() as f64;
                for column in &mut mapped {
                    column[row] = match sum > 0.0 {
                        true => column[row] / sum,
                        false => 1.0 / classes,
                    };
                }
            }
            mapped
        }
    }
}

impl LogisticMap {
    fn fit(p: &[Vec<f64>], labels: &[usize], weights: Weights) -> Option<LogisticMap> {
        let z: Vec<Vec<f64>> = p.iter().map(|column| logs(column)).collect();
        let found = newton(&z, labels, weights, true);
        match found {
            Some(map) if map.slope >= 0.0 => Some(map),
            // (constant, or ranked the wrong way: the shares of the classes alone)
            _ => newton(&z, labels, weights, false),
        }
    }

    /// Corrected probabilities.
    fn apply(&self, p: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let z: Vec<Vec<f64>> = p.iter().map(|column| logs(column)).collect();
        let mut found = vec![vec![0.0; p[0].len()]; p.len()];
        for row in 0..p[0].len() {
            let said = shares(&self.outputs(&z, row));
            for (column, share) in found.iter_mut().zip(said) {
                column[row] = share;
            }
        }
        found
    }

    fn outputs(&self, z: &[Vec<f64>], row: usize) -> Vec<f64> {
        let classes = self.intercepts.iter().zip(z);
        classes.map(|(a, z)| a + self.slope * z[row]).collect()
    }
}

/// log p, of 0 and 1 what is next to them.
fn logs(p: &[f64]) -> Vec<f64> {
    let clipped = |p: &f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln();
    p.iter().map(clipped).collect()
}

fn shares(eta: &[f64]) -> Vec<f64> {
    let most = eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: Vec<f64> = eta.iter().map(|eta| (eta - most).exp()).collect();
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|share| share / sum).collect()
}

/// Newton's method with halved steps over a₁, …, and b where that is free; none where no
/// parameters are best.
fn newton(
    z: &[Vec<f64>],
    labels: &[usize],
    weights: Weights,
    free_slope: bool,
) -> Option<LogisticMap> {
    let others = z.len() - 1;
    let size = others + usize::from(free_slope);
    let map = |at: &DVector<f64>| LogisticMap {
        slope: if free_slope { at[others] } else { 0.0 },
        intercepts: std::iter::once(0.0)
            .chain(at.iter().take(others).copied())
            .collect(),
    };
    let likelihood = |at: &DVector<f64>| -> f64 {
        let map = map(at);
        let term = |(row, &label): (usize, &usize)| {
            let eta = map.outputs(z, row);
            let most = eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = eta.iter().map(|eta| (eta - most).exp()).sum();
            weights.at(row) * (eta[label] - most - sum.ln())
        };
        labels.iter().enumerate().map(term).sum()
    };
    let mut at = DVector::zeros(size);
    if free_slope {
        at[others] = 1.0;
    }
    let mut best = likelihood(&at);
    for _ in 0..STEPS {
        let now = map(&at);
        let (mut gradient, mut bend) = (DVector::zeros(size), DMatrix::zeros(size, size));
        for (row, &label) in labels.iter().enumerate() {
            let (w, q) = (weights.at(row), shares(&now.outputs(z, row)));
            // What a parameter adds to the output of each class.
            let slopes = |k: usize| {
                DVector::from_fn(size, |parameter, _| match parameter == others {
                    true => z[k][row],
                    false => f64::from(u8::from(k == parameter + 1)),
                })
            };
            let of_class: Vec<DVector<f64>> = (0..=others).map(slopes).collect();
            let mean =
                (of_class.iter().zip(&q)).fold(DVector::zeros(size), |sum, (s, q)| sum + s * *q);
            gradient += (&of_class[label] - &mean) * w;
            for (slope, q) in of_class.iter().zip(&q) {
                let away = slope - &mean;
                bend += &away * away.transpose() * (w * q);
            }
        }
        let scale = bend.diagonal().max();
        let root = bend.cholesky()?;
        if root.l().diagonal().min().powi(2) <= 1e-14 * scale {
            return None;
        }
        let step = root.solve(&gradient);
        let mut share = 1.0;
        loop {
            let next = &at + &step * share;
            let value = likelihood(&next);
            if value >= best - ROUNDING * best.abs() || share < 1e-10 {
                (at, best) = (next, value);
                break;
            }
            share *= 0.5;
        }
        if at.amax() > STEEPEST {
            return None;
        }
        if step.amax() <= ENOUGH * (1.0 + at.amax()) {
            return Some(map(&at));
        }
    }
    None
}

impl IsotonicMap {
    /// By pooling neighbours that fall; none without rows that count.
    fn fit(p: &[f64], y: &[f64], weights: Weights) -> Option<IsotonicMap> {
        struct Block {
            first: f64,
            last: f64,
            sum: f64,
            weight: f64,
        }
        let mut order: Vec<usize> = (0..p.len()).filter(|&row| weights.at(row) > 0.0).collect();
        order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
        let mut blocks: Vec<Block> = vec![];
        for tied in order.chunk_by(|&a, &b| p[a] == p[b]) {
            blocks.push(Block {
                first: p[tied[0]],
                last: p[tied[0]],
                sum: tied.iter().map(|&row| weights.at(row) * y[row]).sum(),
                weight: tied.iter().map(|&row| weights.at(row)).sum(),
            });
            while let [.., before, after] = &blocks[..]
                && before.sum * after.weight >= after.sum * before.weight
            {
                let after = blocks.pop().expect("there are two");
                let before = blocks.last_mut().expect("there is one");
                before.last = after.last;
                before.sum += after.sum;
                before.weight += after.weight;
            }
        }
        let (mut at, mut value) = (vec![], vec![]);
        for block in &blocks {
            let mean = block.sum / block.weight;
            at.push(block.first);
            value.push(mean);
            if block.last > block.first {
                at.push(block.last);
                value.push(mean);
            }
        }
        (!at.is_empty()).then_some(IsotonicMap { at, value })
    }

    /// Its value for a probability.
    pub fn at(&self, p: f64) -> f64 {
        interpolated(&self.at, &self.value, p)
    }
}

impl BaselineMap {
    fn fit(
        risk: &[f64],
        (time, event): (&[f64], &[bool]),
        weights: Weights,
        center: f64,
    ) -> Option<BaselineMap> {
        let happens = event.iter().zip(weights.iter(event.len()));
        if !happens
            .into_iter()
            .any(|(&event, weight)| event && weight > 0.0)
        {
            return None;
        }
        let loss = Cox::new(time, event, weights, Ties::Breslow);
        let eta = |slope: f64| risk.iter().map(|r| slope * r).collect::<Vec<f64>>();
        // The loss is convex along the slope: its derivative has one root.
        let derivative = |slope: f64| -> f64 {
            let (eta, mut gradient) = (eta(slope), vec![0.0; risk.len()]);
            loss.gradient(RowPart::all(risk.len()), &eta, &mut gradient, &mut vec![]);
            gradient.iter().zip(risk).map(|(g, r)| g * r).sum()
        };
        let tells = risk.iter().any(|r| *r != risk[0]) && derivative(0.0) < 0.0;
        let slope = match tells {
            false => 0.0,
            true => {
                let (mut low, mut high) = (0.0, 1.0);
                while derivative(high) < 0.0 {
                    (low, high) = (high, 2.0 * high);
                    if high > STEEPEST {
                        return None;
                    }
                }
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    match derivative(middle) < 0.0 {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                0.5 * (low + high)
            }
        };
        let (time, log_cumulative_hazard) =
            loss.log_baseline_hazard(&eta(slope)).into_iter().unzip();
        Some(BaselineMap {
            slope,
            center,
            time,
            log_cumulative_hazard,
        })
    }

    /// (t, log H₀(t)), as a model has it.
    pub(super) fn steps(&self) -> Vec<(f64, f64)> {
        let times = self.time.iter().copied();
        times
            .zip(self.log_cumulative_hazard.iter().copied())
            .collect()
    }
}
