//! The paper's practice: a step of Adam on loss + ridge, then the group
//! threshold h(·; γ, λ√h) with a scalar γ of its own.
//!
//! With γ equal to the step of a plain gradient this would be composite
//! gradient descent. With Adam's per-weight steps and γ = 1 it is not: what it
//! finds from a dense start is (nearly) stationary for the concave penalties,
//! whose survivors stand where ρ is flat, and not for the LASSO. The
//! certificate tells.

use super::{Epoch, Observer, Problem, Solved, Status};
use crate::backprop::Workspace;
use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::kernel::{AdamRates, AdamStep, dispatch};
use crate::network::Mlp;
use crate::penalty::Penalty;

/// An epoch that moves the objective and the weights by less than this is the
/// last, once half of the epochs are done.
const STILL: f64 = 1e-6;

/// Adam on loss + ridge, then the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// Adam's rate; above 0. The paper: 0.001.
    pub learning_rate: f64,
    /// γ; above 0 and below the penalty's [`step_limit`](Penalty::step_limit).
    /// The paper: 1.
    pub threshold_step: f64,
}

impl Default for Adam {
    fn default() -> Self {
        Adam {
            learning_rate: 1e-3,
            threshold_step: 1.0,
        }
    }
}

impl Adam {
    /// Refuses a rate or a step outside its range.
    pub fn validate(&self, penalty: Penalty) -> Result<()> {
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return Err(Error::setting(
                "learning-rate",
                format!("{} is not a positive number", self.learning_rate),
            ));
        }
        penalty.check_step(self.threshold_step)
    }

    /// See [`Solver::solve`](super::Solver::solve).
    pub fn solve(
        &self,
        problem: &Problem,
        lambda: f64,
        network: &mut Mlp,
        epochs: usize,
        observer: &dyn Observer,
    ) -> Solved {
        let count = network.weights.len();
        let mut weights: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
        let [mut gradient, mut mean, mut square, mut target] = [(); 4].map(|()| vec![0.0; count]);
        let mut workspace = Workspace::new(network, problem.design);
        let threshold = Threshold {
            penalty: problem.penalty,
            gamma: self.threshold_step,
            lambda: Problem::group_lambda(&network.shape, lambda),
            grouped: network.shape.grouped(),
            h: network.shape.group(),
        };
        let (mut squares, mut penalty) = threshold.measure(&weights);
        let mut previous = f64::INFINITY;
        let (mut status, mut done) = (Status::EpochLimit, 0);
        for number in 1..=epochs {
            if observer.cancelled() {
                status = Status::Stopped;
                break;
            }
            let loss = workspace.gradient(problem.design, problem.loss, &weights, &mut gradient);
            let objective = loss + problem.ridge * squares + penalty;
            dispatch(AdamStep {
                weights: &weights,
                gradient: &gradient,
                mean: &mut mean,
                square: &mut square,
                target: &mut target,
                ridge: problem.ridge as f32,
                rates: AdamRates::at(number, self.learning_rate),
            });
            (squares, penalty) = threshold.apply(&mut target);
            if !(objective.is_finite() && squares.is_finite()) {
                status = Status::Diverged;
                break;
            }
            done = number;
            std::mem::swap(&mut weights, &mut target);
            observer.epoch(&Epoch {
                lambda,
                number,
                objective,
            });
            if 2 * number >= epochs
                && (objective - previous).abs() < STILL
                && distance(&weights, &target) < STILL
            {
                status = Status::Converged;
                break;
            }
            previous = objective;
        }
        // A squared gradient that overflows stays infinite and stops its weight
        // for good: standing still is not convergence then.
        if square.iter().any(|v| !v.is_finite()) {
            status = Status::Diverged;
        }
        if status != Status::Diverged {
            for (to, &from) in network.weights.iter_mut().zip(&weights) {
                *to = f64::from(from);
            }
        }
        // Whoever stopped it is in a hurry, and will not look.
        let (loss, certificate) = match status {
            Status::Stopped => (f64::NAN, Certificate::UNKNOWN),
            _ => problem.assess(network, lambda),
        };
        Solved {
            status,
            epochs: done,
            loss,
            certificate,
        }
    }
}

/// The group threshold over the first layer, and what the objective needs.
struct Threshold {
    penalty: Penalty,
    gamma: f64,
    /// λ√h
    lambda: f64,
    grouped: usize,
    h: usize,
}

impl Threshold {
    /// W₀ⱼ ← h(W₀ⱼ; γ, λ√h). Returns ‖w‖² and Σⱼ ρ(‖W₀ⱼ‖) afterwards.
    fn apply(&self, weights: &mut [f32]) -> (f64, f64) {
        let (groups, rest) = weights.split_at_mut(self.grouped);
        let (mut squares, mut penalty) = (sum_of_squares(rest), 0.0);
        for group in groups.chunks_exact_mut(self.h) {
            let norm = sum_of_squares(group).sqrt();
            let factor = self.penalty.shrink(norm, self.gamma, self.lambda);
            if factor != 1.0 {
                for w in group {
                    *w *= factor as f32;
                }
            }
            let shrunk = norm * factor;
            squares += shrunk * shrunk;
            penalty += self.penalty.value(shrunk, self.lambda);
        }
        (squares, penalty)
    }

    /// ‖w‖² and Σⱼ ρ(‖W₀ⱼ‖).
    fn measure(&self, weights: &[f32]) -> (f64, f64) {
        let penalty = weights[..self.grouped]
            .chunks_exact(self.h)
            .map(|group| {
                self.penalty
                    .value(sum_of_squares(group).sqrt(), self.lambda)
            })
            .sum();
        (sum_of_squares(weights), penalty)
    }
}

fn sum_of_squares(values: &[f32]) -> f64 {
    values.iter().map(|&v| f64::from(v) * f64::from(v)).sum()
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| f64::from(a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}
