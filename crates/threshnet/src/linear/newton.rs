//! From quadratic models of the loss to its minimum (proximal Newton; Lee, Sun and Saunders 2014,
//! SIAM J. Optimization 24:1420–1443).
//!
//! A model is solved by coordinate descent, roughly while it is rough itself. If the objective
//! would rise, the model bends twice as much and is solved again: from some curvature on it lies
//! above the loss, so the objective never rises, whatever the penalty. A squared loss is its own
//! model.

use super::design::Design;
use super::point::Point;
use super::quadratic::Quadratic;
use crate::certificate::Certificate;
use crate::solver::{Epoch, Observer, Status};

/// A model is solved until violations are this share of those that it began with …
const ROUGHLY: f64 = 0.1;
/// … or this share of the tolerance, since steps on other groups add to what one leaves.
const CLOSELY: f64 = 0.3;
/// Passes over a model before it is taken anew.
const MOST_PASSES: usize = 1000;
/// Passes over the active groups before the others are asked again.
const ACTIVE_PASSES: usize = 20;
/// A model that bends so much more than the loss does has met rounding.
const MOST_BENT: f64 = 1e12;
/// A rise by this share of the objective is rounding.
const ROUNDING: f64 = 1e-13;

/// What is to be solved, beside the groups that may move.
pub struct Newton<'a> {
    pub design: &'a Design<'a>,
    pub lambda: f64,
    /// The certificate at which it has converged.
    pub tolerance: f64,
    /// Models that may be taken.
    pub epochs: usize,
    pub observer: &'a dyn Observer,
}

/// How it went.
pub struct Lowered {
    pub status: Status,
    /// Models that were taken.
    pub epochs: usize,
    /// Over the groups that could move.
    pub certificate: Certificate,
}

impl Newton<'_> {
    /// Lowers the objective over some groups, which must be all that have weights.
    pub fn lower(&self, point: &mut Point, model: &mut Quadratic, working: &[usize]) -> Lowered {
        let mut objective = point.objective(self.design, self.lambda, working);
        let (mut epochs, mut factor) = (0, 1.0);
        let mut candidate = point.clone();
        loop {
            let certificate = point.certify(self.design, self.lambda, working);
            let violation = certificate.largest();
            let ended = |status, epochs| Lowered {
                status,
                epochs,
                certificate,
            };
            if !(objective.is_finite() && violation.is_finite()) {
                return ended(Status::Diverged, epochs);
            }
            if violation <= self.tolerance {
                return ended(Status::Converged, epochs);
            }
            if epochs == self.epochs {
                return ended(Status::EpochLimit, epochs);
            }
            if self.observer.cancelled() {
                return ended(Status::Stopped, epochs);
            }
            epochs += 1;
            self.observer.epoch(&Epoch {
                lambda: self.lambda,
                number: epochs,
                objective,
            });
            loop {
                model.at(point, self.lambda, factor);
                self.solve(model, working, violation);
                self.move_to(&mut candidate, point, model, working);
                let next = candidate.objective(self.design, self.lambda, working);
                if next <= objective + ROUNDING * objective.abs() {
                    std::mem::swap(point, &mut candidate);
                    objective = next;
                    factor = f64::max(1.0, factor / 2.0);
                    break;
                }
                factor *= 2.0;
                if factor > MOST_BENT {
                    return ended(Status::Stopped, epochs);
                }
            }
        }
    }

    /// Coordinate descent on a model: passes over all groups, between them passes over those that
    /// have weights.
    fn solve(&self, model: &mut Quadratic, working: &[usize], violation: f64) {
        let roughly = match self.design.problem.loss.quadratic() {
            true => 0.0,
            false => ROUGHLY * violation,
        };
        let enough = roughly.max(CLOSELY * self.tolerance);
        let (mut passes, mut since) = (0, 0);
        let mut active = Vec::with_capacity(working.len());
        while passes < MOST_PASSES && !self.observer.cancelled() {
            passes += 1;
            if model.pass(working) <= enough {
                return;
            }
            active.clear();
            active.extend(working.iter().filter(|&&group| model.is_active(group)));
            let worth = model.passes_per_support_step(&active);
            for _ in 0..ACTIVE_PASSES {
                (passes, since) = (passes + 1, since + 1);
                if model.pass(&active) <= enough {
                    break;
                }
                if worth.is_some_and(|worth| since > worth) {
                    active.retain(|&group| model.is_active(group));
                    model.step_on_support(&active);
                    since = 0;
                }
            }
        }
    }

    /// The point that a model has come to.
    fn move_to(&self, to: &mut Point, from: &Point, model: &Quadratic, working: &[usize]) {
        let design = self.design;
        to.clone_from(from);
        for &group in working {
            let own = design.weights_of(group);
            to.weights[own.clone()].copy_from_slice(&model.weights[own]);
        }
        to.bias.copy_from_slice(&model.bias[..from.bias.len()]);
        to.follow(design, from, working);
    }
}
