//! A step on all weights of the active groups at once.
//!
//! Where columns are nearly dependent, coordinate descent needs thousands of passes to find which
//! of them has what share. As long as no group leaves, the model is smooth on the active ones, and
//! Newton's method finds their minimum in one step,
//!
//! ```text
//! (G + 2·ridge + P)·d = −gradient,        G = X′HX,  P the second derivative of the penalty.
//! ```
//!
//! Groups that would change their sign on the way are set to zero. What comes of it is taken where
//! it lowers the model; passes over the groups go on from there.

use super::design::{norm, squares};
use super::quadratic::Quadratic;
use nalgebra::{DMatrix, DVector};

/// What is added to the diagonal, as a share of its largest: columns may be dependent.
const JITTER: f64 = 1e-12;
/// A step is not worth its memory for more weights than this.
const MOST_WEIGHTS: usize = 4000;

/// The model as a function of the weights of some groups.
struct Support {
    /// Their columns.
    columns: Vec<usize>,
    /// G + 2·ridge
    curvature: DMatrix<f64>,
    /// Of the model without the penalty.
    gradient: DVector<f64>,
}

impl Quadratic<'_> {
    /// How many passes over some groups take as long as a step on all of them; none if there is no
    /// such step.
    pub fn passes_per_support_step(&self, active: &[usize]) -> Option<usize> {
        let weights = active.iter().map(|&g| self.design.weights_of(g).len());
        let count: usize = weights.sum();
        let possible = (2..=MOST_WEIGHTS).contains(&count);
        let numbers = self.design.rows * self.design.outputs;
        possible.then(|| 2 + count / 8 + count * count / (12 * numbers))
    }

    /// Newton's step on the weights of some groups, where it lowers the model.
    pub fn step_on_support(&mut self, active: &[usize]) {
        let support = self.support(active);
        let Some(step) = self.newton_step(active, &support) else {
            return;
        };
        let [clipped, shortened] = self.kept_signs(active, &step);
        for step in [clipped, shortened] {
            if self.change(active, &support, &step) < 0.0 {
                let mut steps = step.as_slice();
                for &group in active {
                    let (own, others) = steps.split_at(self.design.weights_of(group).len());
                    let weights = &mut self.weights[self.design.weights_of(group)];
                    weights.iter_mut().zip(own).for_each(|(w, step)| *w += step);
                    steps = others;
                }
                self.take_steps(&support.columns, step.as_slice());
                return;
            }
        }
    }

    fn support(&mut self, active: &[usize]) -> Support {
        active.iter().for_each(|&group| self.prepare(group));
        let columns: Vec<usize> = (active.iter())
            .flat_map(|&group| self.design.groups[group].clone())
            .collect();
        let mut curvature = self.gram(&columns, active);
        for at in 0..curvature.nrows() {
            curvature[(at, at)] += 2.0 * self.design.problem.ridge;
        }
        let outputs = 0..self.design.outputs;
        let slopes = (columns.iter())
            .flat_map(|&column| outputs.clone().map(move |output| (column, output)))
            .map(|(column, output)| self.slope(column, output));
        Support {
            gradient: DVector::from_iterator(curvature.nrows(), slopes),
            curvature,
            columns,
        }
    }

    /// The step to where the gradient of the model on the support would be zero.
    fn newton_step(&self, active: &[usize], support: &Support) -> Option<DVector<f64>> {
        let mut matrix = support.curvature.clone();
        let mut gradient = support.gradient.clone();
        let jitter = JITTER * matrix.diagonal().max();
        let mut start = 0;
        for &group in active {
            let own = &self.weights[self.design.weights_of(group)];
            let (size, lambda) = (norm(own), self.lambda * self.design.factors[group]);
            let penalty = self.design.problem.penalty;
            let across = penalty.derivative(size, lambda) / size;
            let along = penalty.second_derivative(size, lambda);
            for (i, a) in own.iter().enumerate() {
                gradient[start + i] += across * a;
                matrix[(start + i, start + i)] += across + jitter;
                for (j, b) in own.iter().enumerate() {
                    matrix[(start + i, start + j)] += (along - across) * a * b / (size * size);
                }
            }
            start += own.len();
        }
        Some(-matrix.cholesky()?.solve(&gradient))
    }

    /// A step whose groups do not turn round: first where those that would are set to zero, then
    /// where all end with the first that would.
    fn kept_signs(&self, active: &[usize], step: &DVector<f64>) -> [DVector<f64>; 2] {
        let (mut clipped, mut shortened) = (step.clone(), step.clone());
        let (mut start, mut first) = (0, (1.0, None));
        for &group in active {
            let own = &self.weights[self.design.weights_of(group)];
            let of_group = start..start + own.len();
            let along = |step: &[f64]| own.iter().zip(step).map(|(w, d)| w * d).sum::<f64>();
            let moved = -along(&step.as_slice()[of_group.clone()]) / squares(own);
            // (without a penalty zero is a point like any other)
            if moved >= 1.0 && !self.design.is_kept(group) {
                for (to, w) in clipped.as_mut_slice()[of_group.clone()].iter_mut().zip(own) {
                    *to = -w;
                }
                if 1.0 / moved < first.0 {
                    first = (1.0 / moved, Some((of_group, group)));
                }
            }
            start += own.len();
        }
        shortened *= first.0;
        if let Some((of_group, group)) = first.1 {
            let own = &self.weights[self.design.weights_of(group)];
            for (to, w) in shortened.as_mut_slice()[of_group].iter_mut().zip(own) {
                *to = -w;
            }
        }
        [clipped, shortened]
    }

    /// By how much a step changes the model and its penalty.
    fn change(&self, active: &[usize], support: &Support, step: &DVector<f64>) -> f64 {
        let smooth = support.gradient.dot(step) + 0.5 * step.dot(&(&support.curvature * step));
        let penalty = self.design.problem.penalty;
        let mut steps = step.as_slice();
        let of_groups = active.iter().map(|&group| {
            let own = &self.weights[self.design.weights_of(group)];
            let (step, others) = steps.split_at(own.len());
            steps = others;
            let lambda = self.lambda * self.design.factors[group];
            let moved: f64 = own.iter().zip(step).map(|(w, d)| (w + d) * (w + d)).sum();
            penalty.value(moved.sqrt(), lambda) - penalty.value(norm(own), lambda)
        });
        smooth + of_groups.sum::<f64>()
    }
}
