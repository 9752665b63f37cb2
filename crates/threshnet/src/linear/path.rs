//! A path of linear models over λ: each begins where the one before ended.

use super::Descent;
use super::design::Design;
use super::newton::{Lowered, Newton};
use super::point::Point;
use super::quadratic::Quadratic;
use super::ridge::{self, RowSpace};
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
    /// The one before that, and the weights there.
    earlier: Option<(f64, Vec<f64>)>,
}

impl<'a> Path<'a> {
    /// Begins at a model; at one without weights those of columns that stay come first, so that
    /// no other enters in their place.
    pub fn new(design: &'a Design<'a>, descent: Descent, start: &Mlp) -> Self {
        let mut point = Point::new(design, start);
        if point.weights.iter().all(|w| *w == 0.0) && !design.kept().is_empty() {
            lower_null(design, &mut point);
        }
        let screen = Screen::new(design, &point);
        Path {
            design,
            descent,
            model: Quadratic::new(design),
            before: screen.largest_lambda(),
            point,
            screen,
            earlier: None,
        }
    }

    /// Goes on in the direction in which the last two solutions lie, as far as λ asks for and where
    /// that is better: between entries and exits of columns, weights nearly are straight lines.
    fn extrapolate(&mut self, lambda: f64, active: &[usize]) {
        let Some((earlier, old)) = self.earlier.take() else {
            return;
        };
        let by = (lambda - self.before) / (self.before - earlier);
        let mut next = self.point.clone();
        for &group in active {
            let own = self.design.weights_of(group);
            let (from, to) = (&old[own.clone()], &self.point.weights[own.clone()]);
            let moved: Vec<f64> = to
                .iter()
                .zip(from)
                .map(|(to, from)| to + by * (to - from))
                .collect();
            let turns = moved.iter().zip(to).map(|(m, t)| m * t).sum::<f64>() <= 0.0;
            if from.iter().any(|w| *w != 0.0) && !turns {
                next.weights[own].copy_from_slice(&moved);
            }
        }
        next.follow(self.design, &self.point, active);
        let objective = |point: &Point| point.objective(self.design, lambda, active);
        if objective(&next) < objective(&self.point) {
            self.point = next;
        }
    }

    /// Goes on to another λ, in at most so many epochs.
    pub fn solve(&mut self, lambda: f64, epochs: usize, observer: &dyn Observer) -> Solved {
        let tolerance = self.descent.tolerance;
        if ridge::pays(self.design, lambda) {
            return self.solve_ridge(epochs, observer);
        }
        let mut in_use = vec![false; self.design.groups.len()];
        let weights = |group: usize| self.point.group(self.design, group);
        let mut working: Vec<usize> = (0..in_use.len())
            .filter(|&group| weights(group).iter().any(|w| *w != 0.0))
            .collect();
        let here = self.point.weights.clone();
        self.extrapolate(lambda, &working);
        self.earlier = Some((self.before, here));
        working.extend(self.screen.expected(lambda, self.before));
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

    /// Goes to λ = 0, where all groups have weights.
    fn solve_ridge(&mut self, epochs: usize, observer: &dyn Observer) -> Solved {
        let newton = Newton {
            design: self.design,
            lambda: 0.0,
            tolerance: self.descent.tolerance,
            epochs,
            observer,
        };
        let all: Vec<usize> = (0..self.design.groups.len()).collect();
        let lowered = newton.lower(&mut self.point, &mut RowSpace::new(self.design), &all);
        (self.before, self.earlier) = (0.0, None);
        Solved {
            status: lowered.status,
            epochs: lowered.epochs,
            loss: self.point.loss,
            certificate: lowered.certificate,
        }
    }

    /// The model where it stands, of the columns alone that it uses.
    pub fn model(&self, like: &Mlp) -> Mlp {
        self.point.model(self.design, like)
    }
}

/// Epochs of a model without columns, whose bias is found in a few.
const NULL_EPOCHS: usize = 100;
/// The certificate of its bias.
const NULL_TOLERANCE: f64 = 1e-13;
/// By this share the largest λ is above the gradient that it is to hold, which is rounded.
const ABOVE: f64 = 1e-9;

/// Brings the bias and the weights of columns that stay to their best.
fn lower_null(design: &Design, point: &mut Point) {
    let newton = Newton {
        design,
        lambda: 0.0,
        tolerance: NULL_TOLERANCE,
        epochs: NULL_EPOCHS,
        observer: &Unobserved,
    };
    newton.lower(point, &mut Quadratic::new(design), &design.kept());
}

/// The smallest λ at which a linear model selects nothing, found from the model without other
/// weights than those of columns that stay, which are at their best as its bias is.
pub fn largest_lambda(problem: &Problem, null: &Mlp) -> f64 {
    let design = Design::new(problem, null);
    let mut point = Point::new(&design, null);
    lower_null(&design, &mut point);
    // (columns that stay have their weights from a solver, whose gradient is only so exact)
    let rough = match design.kept().is_empty() {
        true => 0.0,
        false => Descent::default().tolerance,
    };
    Screen::new(&design, &point).largest_lambda() * (1.0 + ABOVE) + rough
}
