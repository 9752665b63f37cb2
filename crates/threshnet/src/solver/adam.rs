//! The paper's practice: a step of Adam on loss + ridge, then the group
//! threshold h(·; γ, λ√h) with a scalar γ of its own.
//!
//! With γ equal to the step of a plain gradient this would be composite
//! gradient descent. With Adam's per-weight steps and γ = 1 it is not: what it
//! finds from a dense start is (nearly) stationary for the concave penalties,
//! whose survivors stand where ρ is flat, and not for the LASSO. The
//! certificate tells.
//!
//! A column at zero stays there if Adam's longest step, rate·√h times
//! [`longest_step`], is below the threshold γλf√h (for a group of p columns both grow by √p): from
//! then on it takes part in nothing, so it is left out of the products for the rest of this λ.

use super::batches::Batches;
use super::live::Live;
use super::{Epoch, Observer, Problem, Solved, Status};
use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::kernel::{AdamRates, AdamSweep, Swept, dispatch, longest_step};
use crate::network::Mlp;
use crate::penalty::Penalty;
use crate::settings::setting;

/// An epoch that moves the objective and the weights by less than this is the
/// last, once half of the epochs are done.
const STILL: f64 = 1e-6;

/// With a tolerance, a λ still gets a tenth of its epochs, and no more than so
/// many: Adam's mean needs some to be one.
const MOST_SETTLING: usize = 20;

/// Adam on loss + ridge, then the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// Adam's rate; above 0. The paper: 0.001.
    pub learning_rate: f64,
    /// γ; above 0 and below the penalty's [`step_limit`](Penalty::step_limit).
    /// The paper: 1.
    pub threshold_step: f64,
    /// A λ is finished early once the epochs it has left would lower loss +
    /// ridge by less than this share of it, as far as Adam's mean gradient
    /// tells, and the threshold has nothing left to do; 0 or above. The paper:
    /// 0, which is never.
    pub tolerance: f64,
}

impl Default for Adam {
    fn default() -> Self {
        Adam {
            learning_rate: 1e-3,
            threshold_step: 1.0,
            tolerance: 0.0,
        }
    }
}

impl Adam {
    /// Refuses a rate or a step outside its range.
    pub fn validate(&self, penalty: Penalty) -> Result<()> {
        setting("learning_rate").check(&self.learning_rate)?;
        setting("tolerance").check(&self.tolerance)?;
        if self.tolerance > 0.0 && penalty == Penalty::Lasso {
            return Err(Error::setting(
                "tolerance",
                "the LASSO's threshold moves every column at every step, so no lambda ends early; \
                 leave it out",
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
        let mut live = Live::new(network, problem);
        let input_lambda = Problem::input_lambda(&network.shape, lambda);
        let mut batches = Batches::new(problem, lambda);
        let longest = self.learning_rate * longest_step(epochs * batches.count());
        let least = self.threshold_step * input_lambda * live.least_factor();
        let stays_dead = least >= longest * (network.shape.group() as f64).sqrt();
        let mut swept = live.measure(problem.penalty, input_lambda);
        let (mut previous, mut steps) = (f64::INFINITY, 0);
        let (mut status, mut done) = (Status::EpochLimit, 0);
        'epochs: for number in 1..=epochs {
            let (mut objective, mut smooth) = (0.0, 0.0);
            for &batch in batches.shuffled(number) {
                if observer.cancelled() {
                    status = Status::Stopped;
                    break 'epochs;
                }
                if stays_dead && swept.dead > 0 {
                    live.drop_dead(swept.dead, problem);
                }
                let loss = live.gradient(problem, batch);
                smooth += loss + problem.ridge * swept.squares;
                objective += loss + problem.ridge * swept.squares + swept.penalty;
                steps += 1;
                swept = self.sweep(&mut live, problem, steps, input_lambda);
                if !(objective.is_finite() && swept.squares.is_finite()) {
                    status = Status::Diverged;
                    break 'epochs;
                }
                live.accept();
            }
            let count = batches.count() as f64;
            objective /= count;
            done = number;
            observer.epoch(&Epoch {
                lambda,
                number,
                objective,
            });
            let still = 2 * number >= epochs && (objective - previous).abs() < STILL;
            let left = count * (epochs - number) as f64;
            let finished = self.tolerance > 0.0
                && number < epochs
                && swept.settled
                && number >= (epochs / 10).min(MOST_SETTLING)
                && swept.gain * left <= self.tolerance * smooth / count;
            if still && live.last_move() < STILL || finished {
                status = Status::Converged;
                break;
            }
            previous = objective;
        }
        // A squared gradient that overflows stays infinite and stops its weight
        // for good: standing still is not convergence then.
        if live.overflowed() {
            status = Status::Diverged;
        }
        if status != Status::Diverged {
            live.write_to(network);
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

    /// The step with this number, counted from 1, into the target.
    fn sweep(&self, live: &mut Live, problem: &Problem, number: usize, lambda: f64) -> Swept {
        let mut swept = Swept::default();
        let (grouped, h) = (live.shape.grouped(), live.shape.group());
        dispatch(AdamSweep {
            weights: &live.weights,
            gradient: &live.gradient,
            mean: &mut live.mean,
            square: &mut live.square,
            target: &mut live.target,
            grouped,
            h,
            groups: live.groups.as_deref(),
            ridge: problem.ridge as f32,
            rates: AdamRates::at(number, self.learning_rate),
            penalty: problem.penalty,
            gamma: self.threshold_step,
            lambda,
            swept: &mut swept,
        });
        swept
    }
}
