//! Composite gradient descent (Nesterov 2013; for concave penalties Gong et
//! al. 2013), in 64 bit:
//!
//!   w⁺ = prox_γ(w − γ∇F(w)),  F = mean loss + ridge·‖w‖²,
//!
//! where the prox is the group threshold on the first layer and nothing
//! elsewhere. With a line search, γ is halved until
//! objective(w⁺) ≤ objective(w) − (σ/2γ)‖w⁺ − w‖², so the objective never
//! rises. The first γ tried is Barzilai and Borwein's ‖s‖²/⟨s, y⟩ from the last
//! move s and its change of gradient y, which follows the curvature and saves
//! most of the iterations. It ends when the certificate is below the tolerance,
//! or when no step lowers the objective: at rounding, or at a kink of ReLU or SELU,
//! where the gradient need not point downhill.

use super::{Epoch, Observer, Problem, Solved, Status};
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::penalty::Penalty;
use crate::settings::setting;

/// σ: the share of the step's own model decrease that must be real.
const SUFFICIENT: f64 = 1e-4;
/// A line search that needs a step below this has met rounding, or a kink.
const SMALLEST_STEP: f64 = 1e-18;
/// How close to the penalty's limit a step may come: at the limit the
/// threshold divides by zero.
const BELOW_LIMIT: f64 = 0.9;
const LARGEST_STEP: f64 = 1e6;
/// After so many moves whose gain is below rounding a line search gives up.
const LEVEL_MOVES: usize = 10;
/// A rise by this share of the objective is rounding; one that means anything
/// soon grows beyond it.
const ROUNDING: f64 = 1e-12;

/// How the step γ is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepRule {
    /// Backtracking until the objective falls enough.
    LineSearch,
    /// Always the same; a rise of the objective ends the solve as diverged.
    Fixed(f64),
}

/// Composite gradient descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proximal {
    /// How γ is found.
    pub step: StepRule,
    /// The certificate at which a solve has converged; above 0.
    pub tolerance: f64,
}

impl Default for Proximal {
    fn default() -> Self {
        Proximal {
            step: StepRule::LineSearch,
            tolerance: 1e-6,
        }
    }
}

impl Proximal {
    /// Refuses a step or a tolerance outside its range.
    pub fn validate(&self, penalty: Penalty) -> Result<()> {
        setting("tolerance").check(&self.tolerance)?;
        if self.tolerance == 0.0 {
            return Err(Error::setting(
                "tolerance",
                "the proximal solver works until its certificate is below it: give one above 0",
            ));
        }
        match self.step {
            StepRule::LineSearch => Ok(()),
            StepRule::Fixed(gamma) => penalty.check_step(gamma),
        }
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
        let limit = LARGEST_STEP.min(BELOW_LIMIT * problem.penalty.step_limit());
        let mut step = match self.step {
            StepRule::Fixed(gamma) => gamma,
            StepRule::LineSearch => limit.min(1.0),
        };
        let mut smooth = problem.smooth(network);
        let mut gradient = problem.gradient(network, &smooth);
        let mut objective = smooth.value + problem.penalty_value(network, lambda);
        let mut candidate = network.clone();
        let (mut epoch, mut level) = (0, 0);
        let status = loop {
            let residual = problem.certify(network, lambda, &gradient).largest();
            if !(objective.is_finite() && residual.is_finite()) {
                break Status::Diverged;
            }
            if residual <= self.tolerance {
                break Status::Converged;
            }
            if epoch == epochs {
                break Status::EpochLimit;
            }
            if observer.cancelled() {
                break Status::Stopped;
            }
            epoch += 1;
            observer.epoch(&Epoch {
                lambda,
                number: epoch,
                objective,
            });
            let (next, next_objective, moved) = loop {
                step_into(
                    &mut candidate,
                    network,
                    &gradient,
                    step,
                    problem.penalty,
                    lambda,
                );
                let next = problem.smooth(&candidate);
                let next_objective = next.value + problem.penalty_value(&candidate, lambda);
                let moved: f64 = (candidate.weights.iter().zip(&network.weights))
                    .map(|(new, old)| (new - old).powi(2))
                    .sum();
                let enough = objective - SUFFICIENT / (2.0 * step) * moved;
                if self.step != StepRule::LineSearch
                    || next_objective <= enough
                    || step < SMALLEST_STEP
                {
                    break (next, next_objective, moved);
                }
                step /= 2.0;
            };
            level = if next_objective < objective {
                0
            } else {
                level + 1
            };
            let rise = next_objective - objective;
            let end = match self.step {
                StepRule::Fixed(_) if rise.is_nan() || rise > ROUNDING * objective.abs() => {
                    Some(Status::Diverged)
                }
                StepRule::LineSearch if rise.is_nan() || rise > 0.0 || level > LEVEL_MOVES => {
                    Some(Status::Stopped)
                }
                _ if moved == 0.0 => Some(Status::Stopped),
                _ => None,
            };
            if let Some(status) = end {
                break status;
            }
            let next_gradient = problem.gradient(&candidate, &next);
            if self.step == StepRule::LineSearch {
                let curvature: f64 = (candidate.weights.iter().zip(&network.weights))
                    .zip(next_gradient.iter().zip(&gradient))
                    .map(|((new, old), (g, before))| (new - old) * (g - before))
                    .sum();
                let suggested = if curvature > 0.0 {
                    moved / curvature
                } else {
                    2.0 * step
                };
                step = suggested.clamp(SMALLEST_STEP, limit);
            }
            std::mem::swap(network, &mut candidate);
            (smooth, gradient, objective) = (next, next_gradient, next_objective);
        };
        Solved {
            status,
            epochs: epoch,
            loss: smooth.loss,
            certificate: problem.certify(network, lambda, &gradient),
        }
    }
}

/// candidate = prox_γ(w − γ·gradient)
fn step_into(
    candidate: &mut Mlp,
    network: &Mlp,
    gradient: &[f64],
    step: f64,
    penalty: Penalty,
    lambda: f64,
) {
    let target = candidate.weights.iter_mut();
    for ((to, w), g) in target.zip(&network.weights).zip(gradient) {
        *to = w - step * g;
    }
    let lambda = Problem::input_lambda(&network.shape, lambda);
    let h = network.shape.group();
    for (inputs, factor) in network.divided().iter() {
        let shrunk = penalty.shrink(candidate.norm_of(inputs), step, lambda * factor);
        for input in inputs {
            let weights = &mut candidate.weights[input * h..(input + 1) * h];
            weights.iter_mut().for_each(|w| *w *= shrunk);
        }
    }
}
