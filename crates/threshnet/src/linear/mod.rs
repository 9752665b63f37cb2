//! Linear models by coordinate descent.
//!
//! Without a hidden layer the objective is that of a penalised generalised linear model,
//!
//! ```text
//! mean loss(Xw + b)  +  Σ_g ρ_{λ·f_g}(‖w_g‖₂)  +  ridge·‖w‖²,
//! ```
//!
//! with w_g the weights of a group of p columns (of one column, as a rule) for all outputs and
//! f_g = √p times its penalty factor, 0 for columns that stay. The bias is free of the ridge
//! unless the problem says otherwise.
//!
//! * `design.rs`: the columns, group by group, and their products.
//! * `point.rs`: where the model stands; how stationary that is.
//! * `quadratic.rs`, `passes.rs`: the loss near a point as a quadratic function, and steps on one
//!   group after the other, each of which has a closed form ([`Penalty::shrink`]). `joint.rs`: where
//!   rows or outputs bend together.
//! * `support.rs`: steps on all active groups at once, where single ones lead nowhere.
//! * `ridge.rs`: without a penalty but the ridge, the same from the rows where they are fewer.
//! * `newton.rs`: from such models to the minimum.
//! * `screen.rs`, `path.rs`: λ after λ, the groups that may matter alone. What is left out is
//!   known not to be needed.
//!
//! Friedman, Hastie and Tibshirani (2010), J. Statistical Software 33(1); Simon et al. (2011),
//! J. Statistical Software 39(5), for Cox; Breheny and Huang (2011), Annals of Applied Statistics
//! 5:232–253, for concave penalties; Tibshirani et al. (2012), JRSS B 74:245–266, for the strong
//! rules.

mod design;
mod joint;
mod newton;
mod passes;
mod path;
mod point;
mod quadratic;
mod ridge;
mod screen;
mod support;

pub use path::largest_lambda;

use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::path::{Direction, Step, Tracer};
#[cfg(doc)]
use crate::penalty::Penalty;
use crate::settings::setting;
use crate::solver::{Observer, Problem, Solved, Status};
use design::Design;
use path::Path;

/// A certificate above this is not that of a minimum.
const LOOSEST: f64 = 1e-6;

/// Coordinate descent, for models without a hidden layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Descent {
    /// The certificate at which a λ has converged; above 0 and at most 1e-6.
    pub tolerance: f64,
    /// A path ends where it has more columns than this: what is left of it is skipped.
    pub most_columns: usize,
}

impl Default for Descent {
    fn default() -> Self {
        Descent {
            tolerance: 1e-7,
            most_columns: usize::MAX,
        }
    }
}

impl Descent {
    /// Refuses a tolerance outside its range.
    pub fn validate(&self) -> Result<()> {
        setting("tolerance").check(&self.tolerance)?;
        match self.tolerance > 0.0 && self.tolerance <= LOOSEST {
            true => Ok(()),
            false => Err(Error::setting(
                "tolerance",
                format!(
                    "coordinate descent works until its certificate is below it: give one above 0 \
                     and at most {LOOSEST:e}"
                ),
            )),
        }
    }

    /// See [`Solver::solve`](crate::solver::Solver::solve).
    pub fn solve(
        &self,
        problem: &Problem,
        lambda: f64,
        model: &mut Mlp,
        epochs: usize,
        observer: &dyn Observer,
    ) -> Solved {
        let design = Design::new(problem, model);
        let mut path = Path::new(&design, *self, model);
        let solved = path.solve(lambda, epochs, observer);
        *model = path.model(model).widened(&model.inputs);
        solved
    }

    /// Traces a path; see [`Tracer::trace`].
    pub fn trace(
        &self,
        tracer: &Tracer,
        problem: &Problem,
        start: impl Fn(usize) -> Mlp,
        observer: &dyn Observer,
    ) -> Vec<Step> {
        let mut order: Vec<usize> = (0..tracer.lambdas.len()).collect();
        if tracer.direction == Direction::Forward {
            order.reverse();
        }
        let mut like = start(order[0]);
        let design = Design::new(problem, &like);
        let mut path = Path::new(&design, *self, &like);
        let mut steps: Vec<Step> = Vec::with_capacity(order.len());
        for (done, &k) in order.iter().enumerate() {
            let lambda = tracer.lambdas[k];
            let fresh = match tracer.direction {
                Direction::Cold => true,
                // (what has no numbers is no start)
                _ => steps
                    .last()
                    .is_some_and(|s| s.solved.status == Status::Diverged),
            };
            if done > 0 && fresh {
                like = start(k);
                path = Path::new(&design, *self, &like);
            }
            let epochs = match done == 0 || fresh {
                true => tracer.first_epochs,
                false => tracer.epochs,
            };
            let solved = path.solve(lambda, epochs, observer);
            let step = Step {
                lambda,
                network: path.model(&like),
                solved,
            };
            observer.step(&step);
            steps.push(step);
            if observer.cancelled() {
                break;
            }
            let last = steps.last().expect("one was just added");
            if last.network.size() > self.most_columns {
                let skipped = |&k: &usize| Step {
                    lambda: tracer.lambdas[k],
                    solved: Solved {
                        status: Status::Skipped,
                        ..last.solved
                    },
                    ..last.clone()
                };
                let rest: Vec<Step> = order[done + 1..].iter().map(skipped).collect();
                rest.iter().for_each(|step| observer.step(step));
                steps.extend(rest);
                break;
            }
        }
        steps.sort_by(|a, b| a.lambda.total_cmp(&b.lambda));
        steps
    }
}
