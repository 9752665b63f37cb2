//! From quadratic models of the loss to its minimum (proximal Newton; Lee, Sun and Saunders 2014,
//! SIAM J. Optimization 24:1420–1443).
//!
//! A model is solved, roughly while it is rough itself. If the objective would rise, it bends twice
//! as much and is solved again: from some curvature on it lies above the loss, so the objective
//! never rises, whatever the penalty. A squared loss is its own model.

use super::LOOSEST;
use super::design::Design;
use super::point::Point;
use crate::certificate::Certificate;
use crate::solver::{Epoch, Observer, Status};

/// A model is solved until violations are this share of those that it began with …
const ROUGHLY: f64 = 0.1;
/// … or this share of the tolerance, since steps on other groups add to what one leaves.
const CLOSELY: f64 = 0.3;
/// A model that bends so much more than the loss does has met rounding.
const MOST_BENT: f64 = 1e12;
/// A rise by this share of the objective is rounding.
const ROUNDING: f64 = 1e-13;

/// The loss near a point as a quadratic function, with the penalty and the ridge as they are.
pub trait Model {
    /// Takes the loss at a point, bending `factor` times as much as there.
    fn take(&mut self, newton: &Newton, point: &Point, factor: f64);

    /// Lowers it over some groups until their violations are below `enough`, if it can.
    fn solve(&mut self, newton: &Newton, working: &[usize], enough: f64);

    /// Brings a copy of the point that it was taken at to where it has come.
    fn move_point(&self, point: &mut Point, from: &Point, working: &[usize]);
}

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
    pub fn lower(&self, point: &mut Point, model: &mut dyn Model, working: &[usize]) -> Lowered {
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
            let roughly = match self.design.problem.loss.quadratic() {
                true => 0.0,
                false => ROUGHLY * violation,
            };
            loop {
                model.take(self, point, factor);
                model.solve(self, working, roughly.max(CLOSELY * self.tolerance));
                candidate.clone_from(point);
                model.move_point(&mut candidate, point, working);
                let next = candidate.objective(self.design, self.lambda, working);
                if next <= objective + ROUNDING * objective.abs() {
                    std::mem::swap(point, &mut candidate);
                    objective = next;
                    factor = f64::max(1.0, factor / 2.0);
                    break;
                }
                factor *= 2.0;
                if factor > MOST_BENT {
                    // Rounding allows no more.
                    let status = match violation <= LOOSEST {
                        true => Status::Converged,
                        false => Status::Stopped,
                    };
                    return ended(status, epochs);
                }
            }
        }
    }
}
