//! The relaxed path: at every λ, the network fitted again without the group
//! penalty on the columns selected there,
//!
//! ```text
//! min over the weights of the selected columns:  mean loss + ridge·‖w‖²
//! ```
//!
//! A penalty that shrinks what it keeps must keep too much to make up for it;
//! undoing the shrinkage before validation lets a smaller set win (Meinshausen
//! 2007, Computational Statistics & Data Analysis 52:374–393).

use crate::path::Step;
use crate::solver::{Observer, Problem, Solver};

/// How a network is fitted again.
#[derive(Debug, Clone, Copy)]
pub struct Relaxation {
    /// By this solver,
    pub solver: Solver,
    /// in at most so many epochs.
    pub epochs: usize,
}

/// Fits the network of each step again with λ = 0, from where it stands. Steps with the columns of the step before get its network.
/// Fewer steps come back if the observer cancelled.
pub fn relaxed(
    steps: Vec<Step>,
    problem: &Problem,
    how: Relaxation,
    observer: &dyn Observer,
) -> Vec<Step> {
    let mut done: Vec<Step> = Vec::with_capacity(steps.len());
    for mut step in steps {
        if observer.cancelled() {
            break;
        }
        match done.last() {
            Some(last) if last.network.inputs == step.network.inputs => {
                step.network = last.network.clone();
                step.solved.status = last.solved.status;
                step.solved.loss = last.solved.loss;
                step.solved.certificate = last.solved.certificate;
            }
            _ => {
                let selecting = step.solved.epochs;
                step.solved =
                    (how.solver).solve(problem, 0.0, &mut step.network, how.epochs, observer);
                step.solved.epochs += selecting;
            }
        }
        done.push(step);
    }
    done
}
