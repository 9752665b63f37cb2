//! Solution paths: one ridge, many λ.
//!
//! * **backward** (the paper's): dense at λ_min, each solution the start of the
//!   next larger λ, columns that have died pruned on the way; over once none is
//!   left. The proximal solver, and Adam if it is told to, takes a pruned column
//!   back where a stationary point needs it.
//! * **forward**: from λ_max down. Until something is selected every λ starts
//!   at random; then each solution starts the next smaller λ. A linear model whose
//!   solver takes columns back starts with none.
//! * **cold**: every λ from a random start.
//!
//! A solver starts afresh at every λ, so Adam's running means are reset.

use crate::network::Mlp;
use crate::solver::{Observer, Problem, Solved, Solver, Status};

/// The order in which λs are solved, and what each starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From λ_min up, warm, pruned columns staying out (or asked again).
    Backward,
    /// From λ_max down, warm once something is selected; linear models from nothing.
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
    /// How the solve that gave the network ended. On a backward path that has
    /// ended its last network stands for the larger λs too, with `epochs` 0.
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
        if let Solver::Descent(descent) = self.solver {
            return descent.trace(self, problem, start, observer);
        }
        let mut order: Vec<usize> = (0..self.lambdas.len()).collect();
        if self.direction == Direction::Forward {
            order.reverse();
        }
        let mut steps: Vec<Step> = Vec::with_capacity(order.len());
        let mut warm: Option<Mlp> = None;
        let mut all: Option<Vec<usize>> = None;
        for k in order {
            let lambda = self.lambdas[k];
            let step = match steps.last() {
                Some(last) if self.direction == Direction::Backward && ended(last) => {
                    carried(last, lambda)
                }
                _ => {
                    let (mut network, epochs) = match warm.take() {
                        Some(network) => (network, self.epochs),
                        None => (start(k), self.first_epochs),
                    };
                    let columns = all.get_or_insert_with(|| network.inputs.clone());
                    let from_nothing = self.goes_from_nothing(&network);
                    if from_nothing && steps.is_empty() {
                        network = network.restricted_to_kept();
                    }
                    let solved =
                        self.solve(problem, (lambda, epochs), &mut network, columns, observer);
                    let pruned = network.pruned();
                    warm = match self.direction {
                        Direction::Backward => Some(pruned.clone()),
                        Direction::Forward
                            if (from_nothing || !pruned.is_null())
                                && solved.status != Status::Diverged =>
                        {
                            // Columns must be able to enter: the unpruned network goes on,
                            // unless the solver asks for those that are needed.
                            match self.solver.takes_back_at() {
                                Some(_) => Some(pruned.clone()),
                                None => Some(network),
                            }
                        }
                        Direction::Forward | Direction::Cold => None,
                    };
                    Step {
                        lambda,
                        network: pruned,
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
        steps.sort_by(|a, b| a.lambda.total_cmp(&b.lambda));
        steps
    }

    /// Whether a path can begin with nothing selected: if columns are asked for as they are
    /// needed, and no layer above is dead then and hides which are.
    fn goes_from_nothing(&self, network: &Mlp) -> bool {
        self.direction == Direction::Forward
            && self.solver.takes_back_at().is_some()
            && network.shape.depth() == 1
    }

    /// Solves at one λ. Where the solver asks for it, columns of `all` that have
    /// left but are needed come back, and it is solved again.
    fn solve(
        &self,
        problem: &Problem,
        (lambda, mut epochs): (f64, usize),
        network: &mut Mlp,
        all: &[usize],
        observer: &dyn Observer,
    ) -> Solved {
        let mut used = 0;
        loop {
            let mut solved = (self.solver).solve(problem, lambda, network, epochs, observer);
            let Some(tolerance) = self.solver.takes_back_at() else {
                return solved;
            };
            epochs -= solved.epochs;
            used += solved.epochs;
            solved.epochs = used;
            if solved.status != Status::Converged || epochs == 0 || observer.cancelled() {
                return solved;
            }
            let wide = network.pruned().widened(all);
            let mut columns = problem.violators(&wide, lambda, tolerance);
            // What is in the network at zero has been asked already.
            columns.retain(|column| !network.inputs.contains(column));
            if columns.is_empty() {
                return solved;
            }
            columns.extend(&network.inputs);
            columns.sort_unstable();
            *network = network.widened(&columns);
        }
    }
}

/// The last network of a path that has ended, standing for a larger λ.
fn carried(last: &Step, lambda: f64) -> Step {
    Step {
        lambda,
        network: last.network.clone(),
        solved: Solved {
            epochs: 0,
            ..last.solved
        },
    }
}

/// Whether a backward path goes no further: nothing is left that can leave, or it diverged.
fn ended(step: &Step) -> bool {
    step.network.is_null() || step.solved.status == Status::Diverged
}
