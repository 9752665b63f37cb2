//! Multi-class cross-entropy: Σᵢ wᵢ log Σ_k exp(η_ik − η_i,yᵢ)/Σᵢ wᵢ.
//!
//! Every row is shifted by its largest η. The sum is taken without the true
//! class, so that log1p keeps the small loss of a confident prediction.

use super::curvature::ClassCurvature;
use super::{Curvature, Loss, RowPart, interleaved_sum};
use crate::dataset::Weights;
use crate::kernel::{Isa, Kernel, dispatch, math};

/// Cross-entropy of a multi-class outcome, one output per class.
pub struct Softmax {
    labels: Vec<usize>,
    classes: usize,
    weights: Option<Vec<f64>>,
}

impl Softmax {
    /// The loss of rows with the given classes, numbered 0..`classes`, each with its weight.
    pub fn new(labels: Vec<usize>, classes: usize, weights: Option<Vec<f64>>) -> Self {
        Softmax {
            labels,
            classes,
            weights,
        }
    }

    /// The loss of one row.
    fn row(&self, eta: &[f64], i: usize) -> f64 {
        let n = self.labels.len();
        let own = eta[self.labels[i] * n + i];
        let top = (0..self.classes)
            .map(|k| eta[k * n + i])
            .fold(own, f64::max);
        let others: f64 = (0..self.classes)
            .filter(|&k| k != self.labels[i])
            .map(|k| (eta[k * n + i] - top).exp())
            .sum();
        if own == top {
            others.ln_1p()
        } else {
            (others + (own - top).exp()).ln() + (top - own)
        }
    }
}

/// Class probabilities of every row (`[class][row]`) from the outputs η.
pub fn probabilities(eta: &[f64], classes: usize) -> Vec<Vec<f64>> {
    let n = eta.len() / classes;
    let mut probabilities = vec![vec![0.0; n]; classes];
    for i in 0..n {
        let top = (0..classes)
            .map(|k| eta[k * n + i])
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..classes).map(|k| (eta[k * n + i] - top).exp()).sum();
        for (k, class) in probabilities.iter_mut().enumerate() {
            class[i] = (eta[k * n + i] - top).exp() / sum;
        }
    }
    probabilities
}

impl Loss for Softmax {
    fn outputs(&self) -> usize {
        self.classes
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        (0..self.labels.len()).map(|i| self.row(eta, i)).collect()
    }

    fn weights(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    fn gradient(
        &self,
        part: RowPart,
        eta: &[f64],
        gradient: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> f64 {
        let rows = part.rows.len();
        scratch.clear();
        scratch.resize(3 * rows, 0.0);
        let mut sum = 0.0;
        dispatch(Gradient {
            weights: self.weights.as_ref().map(|all| &all[part.rows.clone()]),
            factor: part.factor / self.weights().total(self.labels.len()),
            labels: &self.labels[part.rows],
            eta,
            gradient,
            scratch,
            sum: &mut sum,
        });
        sum
    }

    fn curvature(&self, eta: &[f64]) -> Curvature {
        let rows = self.labels.len();
        let total = self.weights().total(rows);
        let shares = self.weights().iter(rows).map(|w| w / total);
        let probabilities = probabilities(eta, self.classes);
        Curvature::Classes(ClassCurvature::new(probabilities, shares.collect()))
    }
}

/// Class by class over all rows, so that every inner loop becomes vector code.
struct Gradient<'a> {
    labels: &'a [usize],
    weights: Option<&'a [f64]>,
    factor: f64,
    eta: &'a [f64],
    gradient: &'a mut [f64],
    /// Three numbers per row.
    scratch: &'a mut [f64],
    sum: &'a mut f64,
}

impl Kernel for Gradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let rows = self.labels.len();
        if rows == 0 {
            return;
        }
        let (top, scratch) = self.scratch.split_at_mut(rows);
        let (gap, others) = scratch.split_at_mut(rows);
        top.fill(f64::NEG_INFINITY);
        for eta in self.eta.chunks_exact(rows) {
            for (top, &eta) in top.iter_mut().zip(eta) {
                *top = if eta > *top { eta } else { *top };
            }
        }
        // gradient = exp(η_k − top), gap = top − η of the true class, others =
        // the sum over the other classes
        let classes = (self.eta.chunks_exact(rows)).zip(self.gradient.chunks_exact_mut(rows));
        for (k, (eta, e)) in classes.enumerate() {
            let sums = gap.iter_mut().zip(others.iter_mut()).zip(self.labels);
            for (((e, eta), top), ((gap, others), label)) in
                e.iter_mut().zip(eta).zip(&*top).zip(sums)
            {
                *e = math::exp(eta - top);
                let mine = *label == k;
                *gap = if mine { top - eta } else { *gap };
                *others += if mine { 0.0 } else { *e };
            }
        }
        // top = −log p of the true class, gap = its normaliser. Where the others
        // sum to less than 1, the true class is the top one: log1p keeps them.
        for ((top, gap), others) in top.iter_mut().zip(gap.iter_mut()).zip(&*others) {
            let normaliser = math::exp(-*gap) + others;
            let small = math::ln_1p(if *others < 1.0 { *others } else { 1.0 });
            *top = *gap
                + if *others < 1.0 {
                    small
                } else {
                    math::ln(normaliser)
                };
            *gap = normaliser;
        }
        for (k, e) in self.gradient.chunks_exact_mut(rows).enumerate() {
            let sums = gap.iter().zip(&*others).zip(self.labels);
            for (e, ((normaliser, others), label)) in e.iter_mut().zip(sums) {
                let scale = self.factor / normaliser;
                *e = scale * if *label == k { -others } else { *e };
            }
        }
        if let Some(weights) = self.weights {
            for unit in self.gradient.chunks_exact_mut(rows) {
                unit.iter_mut().zip(weights).for_each(|(g, w)| *g *= w);
            }
            top.iter_mut().zip(weights).for_each(|(term, w)| *term *= w);
        }
        *self.sum = self.factor * interleaved_sum(top);
    }
}
