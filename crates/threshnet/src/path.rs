//! Solution paths: one ridge, many λ.
//!
//! * **backward** (the paper's): dense at λ_min, each solution the start of the
//!   next larger λ, columns pruned on the way; over once none is left.
//! * **forward**: from λ_max down. Until something is selected every λ starts
//!   at random; then each solution starts the next smaller λ.
//! * **cold**: every λ from a random start.
//!
//! A solver starts afresh at every λ, so Adam's running means are reset.

use crate::network::Mlp;
use crate::solver::{Observer, Problem, Solved, Solver, Status};
use serde::Serialize;

/// The order in which λs are solved, and what each starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From λ_min up, warm, pruning.
    Backward,
    /// From λ_max down, warm once something is selected.
    Forward,
    /// Every λ at random.
    Cold,
}

/// How a path is traced.
#[derive(Debug, Clone, Copy)]
pub struct Tracer<'a> {
    /// Ascending.
    pub lambdas: &'a [f64],
    /// Order and starts.
    pub direction: Direction,
    /// Solves at each λ.
    pub solver: Solver,
    /// Epochs from a random start, such as at λ_min.
    pub first_epochs: usize,
    /// Epochs from a warm start.
    pub epochs: usize,
}

/// The solution at one λ.
#[derive(Debug, Clone)]
pub struct Step {
    /// λ.
    pub lambda: f64,
    /// Its network, fed by the selected columns only.
    pub network: Mlp,
    /// How the solve that gave the network ended. `epochs` is 0 where the path
    /// had ended at a smaller λ and its last network stands for this one too.
    pub solved: Solved,
}

impl Tracer<'_> {
    /// Solves along the path; `start` gives a random network for the λ with
    /// that position. The steps come in ascending λ, one per λ, unless the
    /// observer cancelled.
    pub fn trace(
        &self,
        problem: &Problem,
        start: impl Fn(usize) -> Mlp,
        observer: &dyn Observer,
    ) -> Vec<Step> {
        match self.direction {
            Direction::Backward => self.backward(problem, start, observer),
            Direction::Forward => self.forward(problem, start, observer),
            Direction::Cold => self.cold(problem, start, observer),
        }
    }

    fn backward(
        &self,
        problem: &Problem,
        start: impl Fn(usize) -> Mlp,
        observer: &dyn Observer,
    ) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::with_capacity(self.lambdas.len());
        let mut network = start(0);
        for (k, &lambda) in self.lambdas.iter().enumerate() {
            let step = match steps.last() {
                Some(last) if ended(last) => Step {
                    lambda,
                    network: last.network.clone(),
                    solved: Solved {
                        epochs: 0,
                        ..last.solved
                    },
                },
                _ => {
                    let epochs = if k == 0 {
                        self.first_epochs
                    } else {
                        self.epochs
                    };
                    let solved = self
                        .solver
                        .solve(problem, lambda, &mut network, epochs, observer);
                    network = network.pruned();
                    Step {
                        lambda,
                        network: network.clone(),
                        solved,
                    }
                }
            };
            observer.step(&step);
            steps.push(step);
            if observer.cancelled() {
                break;
            }
        }
        steps
    }

    fn forward(
        &self,
        problem: &Problem,
        start: impl Fn(usize) -> Mlp,
        observer: &dyn Observer,
    ) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::with_capacity(self.lambdas.len());
        let mut warm: Option<Mlp> = None;
        for (k, &lambda) in self.lambdas.iter().enumerate().rev() {
            let (mut network, epochs) = match warm.take() {
                Some(network) => (network, self.epochs),
                None => (start(k), self.first_epochs),
            };
            let solved = self
                .solver
                .solve(problem, lambda, &mut network, epochs, observer);
            let step = Step {
                lambda,
                network: network.pruned(),
                solved,
            };
            observer.step(&step);
            // The unpruned network goes on: columns must be able to enter.
            if !step.network.inputs.is_empty() && solved.status != Status::Diverged {
                warm = Some(network);
            }
            steps.push(step);
            if observer.cancelled() {
                break;
            }
        }
        steps.reverse();
        steps
    }

    fn cold(
        &self,
        problem: &Problem,
        start: impl Fn(usize) -> Mlp,
        observer: &dyn Observer,
    ) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.lambdas.len());
        for (k, &lambda) in self.lambdas.iter().enumerate() {
            let mut network = start(k);
            let solved =
                self.solver
                    .solve(problem, lambda, &mut network, self.first_epochs, observer);
            let step = Step {
                lambda,
                network: network.pruned(),
                solved,
            };
            observer.step(&step);
            steps.push(step);
            if observer.cancelled() {
                break;
            }
        }
        steps
    }
}

/// Whether a backward path goes no further: nothing is left, or it diverged.
fn ended(step: &Step) -> bool {
    step.network.inputs.is_empty() || step.solved.status == Status::Diverged
}
