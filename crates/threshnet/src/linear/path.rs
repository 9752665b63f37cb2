//! A path of linear models over λ: each begins where the one before ended.

use super::Descent;
use super::design::Design;
use super::newton::{Lowered, Newton};
use super::point::Point;
use super::quadratic::Quadratic;
use super::screen::{Screen, Target};
use crate::certificate::{Certificate, larger};
use crate::network::Mlp;
use crate::solver::{Observer, Problem, Solved, Status, Unobserved};

/// Linear models of one problem, at one λ after the other.
pub struct Path<'a> {
    design: &'a Design<'a>,
    descent: Descent,
    point: Point,
    model: Quadratic<'a>,
    screen: Screen<'a>,
    /// The λ of the point.
    before: f64,
}

impl<'a> Path<'a> {
    /// Begins at a model.
    pub fn new(design: &'a Design<'a>, descent: Descent, start: &Mlp) -> Self {
        let point = Point::new(design, start);
        let screen = Screen::new(design, &point);
        Path {
            design,
            descent,
            model: Quadratic::new(design),
            before: screen.largest_lambda(),
            point,
            screen,
        }
    }

    /// Goes on to another λ, in at most so many epochs.
    pub fn solve(&mut self, lambda: f64, epochs: usize, observer: &dyn Observer) -> Solved {
        let tolerance = self.descent.tolerance;
        let mut in_use = vec![false; self.design.groups.len()];
        let mut working: Vec<usize> = (0..in_use.len())
            .filter(|&group| self.point.group(self.design, group).iter().any(|w| *w != 0.0))
            .chain(self.screen.expected(lambda, self.before))
            .collect();
        let mut left = epochs;
        let (lowered, outside) = loop {
            working.sort_unstable();
            working.dedup();
            working.iter().for_each(|&group| in_use[group] = true);
            let newton = Newton {
                design: self.design,
                lambda,
                tolerance,
                epochs: left,
                observer,
            };
            let lowered = newton.lower(&mut self.point, &mut self.model, &working);
            left -= lowered.epochs;
            if lowered.status == Status::Stopped && observer.cancelled() {
                break (lowered, f64::NAN);
            }
            let target = Target { lambda, tolerance };
            let needed = self.screen.needed(&self.point, target, &in_use);
            if needed.groups.is_empty() || lowered.status != Status::Converged {
                break (lowered, needed.violation);
            }
            working.extend(needed.groups);
        };
        self.before = lambda;
        let Lowered {
            status,
            certificate,
            ..
        } = lowered;
        Solved {
            status,
            epochs: epochs - left,
            loss: self.point.loss,
            certificate: Certificate {
                inactive: larger(certificate.inactive, outside),
                ..certificate
            },
        }
    }

    /// The model where it stands, of the columns alone that it uses.
    pub fn model(&self, like: &Mlp) -> Mlp {
        self.point.model(self.design, like)
    }
}

/// Epochs of a model without columns, whose bias is found in a few.
const NULL_EPOCHS: usize = 100;

/// The smallest λ at which a linear model selects nothing, found from the model without weights
/// with its bias at its best.
pub fn largest_lambda(problem: &Problem, null: &Mlp) -> f64 {
    let design = Design::new(problem, null);
    let mut point = Point::new(&design, null);
    let newton = Newton {
        design: &design,
        lambda: 0.0,
        tolerance: Descent::default().tolerance,
        epochs: NULL_EPOCHS,
        observer: &Unobserved,
    };
    newton.lower(&mut point, &mut Quadratic::new(&design), &[]);
    Screen::new(&design, &point).largest_lambda()
}
