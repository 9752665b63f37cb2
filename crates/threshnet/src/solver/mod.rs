//! Solvers: one network, one λ, until it is finished.
//!
//! Both lower mean loss + Σⱼ ρ_{λ√h}(‖W₀ⱼ‖) + ridge·‖w‖² from where the network
//! stands: [`Adam`] as the paper does in practice, which need not end at a
//! stationary point, [`Proximal`] as its section 3.1 derives it. [`Descent`] is for linear models
//! alone.

mod adam;
mod batches;
mod live;
mod problem;
mod proximal;

pub use adam::Adam;
pub use problem::Problem;
pub use proximal::{Proximal, StepRule};

use crate::certificate::Certificate;
use crate::error::Result;
use crate::keeper::Keeper;
use crate::linear::Descent;
use crate::network::Mlp;
use crate::path::Step;
use crate::penalty::Penalty;
use serde::{Deserialize, Serialize};

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It met its stopping rule.
    Converged,
    /// It used all its epochs.
    EpochLimit,
    /// The observer asked for it, or no step lowers the objective any more.
    Stopped,
    /// The objective or a weight left the finite numbers, or rose under a
    /// fixed step. The network is the one from before that.
    Diverged,
    /// It was never begun: no solver says so, but a grid whose ridge was skipped.
    Skipped,
}

impl Status {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::EpochLimit => "epoch_limit",
            Status::Stopped => "stopped",
            Status::Diverged => "diverged",
            Status::Skipped => "skipped",
        }
    }

    /// Which of several to report: the higher.
    pub(crate) fn severity(self) -> u8 {
        match self {
            Status::Skipped => 0,
            Status::Converged => 1,
            Status::EpochLimit => 2,
            Status::Stopped => 3,
            Status::Diverged => 4,
        }
    }
}

/// What a solve leaves besides the network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// How it ended.
    pub status: Status,
    /// Epochs used.
    pub epochs: usize,
    /// The mean loss of the final network on the training rows; NaN if Adam was
    /// stopped, which leaves no time for it.
    pub loss: f64,
    /// How stationary the final network is, over its own inputs; likewise.
    pub certificate: Certificate,
}

/// An epoch, as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// The λ being solved.
    pub lambda: f64,
    /// Counted from 1 within this λ.
    pub number: usize,
    /// The objective at the start of the epoch; with batches, the mean of those
    /// at the start of each.
    pub objective: f64,
}

/// Watches fits from any thread: progress, recording, cancelling.
pub trait Observer: Sync {
    /// Asked at every epoch; once true, fits end within an epoch.
    fn cancelled(&self) -> bool {
        false
    }

    /// After every epoch.
    fn epoch(&self, _epoch: &Epoch) {}

    /// After every λ of every path.
    fn step(&self, _step: &Step) {}

    /// So many λs were solved by an earlier run: there is no step for them.
    fn known(&self, _lambdas: usize) {}

    /// Who keeps what finished jobs have found, if anybody does.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {}

/// A solver and its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Solver {
    /// Adam on loss + ridge, then the threshold.
    Adam(Adam),
    /// Composite gradient descent.
    Proximal(Proximal),
    /// Coordinate descent, for models without a hidden layer.
    Descent(Descent),
}

impl Solver {
    /// Solves at one λ, from and into `network`, in at most `epochs`.
    pub fn solve(
        &self,
        problem: &Problem,
        lambda: f64,
        network: &mut Mlp,
        epochs: usize,
        observer: &dyn Observer,
    ) -> Solved {
        match self {
            Solver::Adam(adam) => adam.solve(problem, lambda, network, epochs, observer),
            Solver::Proximal(proximal) => {
                proximal.solve(problem, lambda, network, epochs, observer)
            }
            Solver::Descent(descent) => descent.solve(problem, lambda, network, epochs, observer),
        }
    }

    /// Refuses settings that do not go with the penalty.
    pub fn validate(&self, penalty: Penalty) -> Result<()> {
        match self {
            Solver::Adam(adam) => adam.validate(penalty),
            Solver::Proximal(proximal) => proximal.validate(penalty),
            Solver::Descent(descent) => descent.validate(),
        }
    }

    /// The violation of stationarity at which a column that has left a path is asked
    /// again; none if it never is, as in the paper.
    pub fn takes_back_at(&self) -> Option<f64> {
        match self {
            Solver::Adam(_) => None,
            Solver::Proximal(Proximal { tolerance, .. })
            | Solver::Descent(Descent { tolerance, .. }) => Some(*tolerance),
        }
    }

    /// What happened to a diverging fit, and what to do about it where columns are standardised or
    /// are not.
    pub fn divergence(&self, standardized: bool) -> String {
        let rescale = match standardized {
            true => "rescale the outcome",
            false => "standardise",
        };
        match self {
            Solver::Adam(adam) => format!(
                "the fit diverged beyond the finite numbers; lower the learning rate (now {:?}), \
                 raise the ridges, or {rescale}",
                adam.learning_rate
            ),
            Solver::Proximal(Proximal {
                step: StepRule::Fixed(_),
                ..
            }) => "the fit diverged: the objective rose under a fixed threshold step; take a \
                 smaller one, or none so that a line search finds it"
                .into(),
            Solver::Proximal(_) | Solver::Descent(_) => {
                format!("the fit diverged beyond the finite numbers; {rescale}")
            }
        }
    }
}
