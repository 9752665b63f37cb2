//! Which groups outside the model may be needed, without a look at most of them.
//!
//! Where s = ∂loss/∂η has become αs₀ + Δ since the gradient of every group was taken at s₀, that
//! of a group is at most |α|·‖X_g′s₀‖ + ‖X_g‖·‖Δ‖ in norm. With the α for which Δ is shortest,
//! few groups have a bound above λ. Only these are looked at, so what is found is as sure as a
//! look at all. Once that has cost as much as a look at all, all gradients are taken anew.

use super::design::{Design, norm, squares};
use super::point::Point;

/// The bound is raised by this share, so that rounding cannot undercut it.
const ROUNDING: f64 = 1e-6;

/// What is known of every group's gradient.
pub struct Screen<'a> {
    design: &'a Design<'a>,
    /// ‖X_g‖, in the Frobenius norm.
    norms: Vec<f64>,
    /// ∂loss/∂η where all gradients were last taken.
    slopes: Vec<f64>,
    /// ‖∂loss/∂w_g‖ there.
    there: Vec<f64>,
    /// The same where the model stands, or what is to be expected of it.
    last: Vec<f64>,
    /// How many groups have been looked at since all were.
    looks: usize,
}

impl<'a> Screen<'a> {
    /// Takes all gradients at a point.
    pub fn new(design: &'a Design<'a>, point: &Point) -> Self {
        let ones = vec![1.0; design.rows];
        let squares_of = |column: usize| {
            let place = design.places[column];
            let (sums, shift) = (
                design.columns.cell_sums(place, &ones),
                design.columns.shift(place),
            );
            sums.squares - 2.0 * shift * sums.sum + shift * shift * design.rows as f64
        };
        let norm_of = |group: &std::ops::Range<usize>| group.clone().map(squares_of).sum::<f64>();
        let mut screen = Screen {
            design,
            norms: (design.groups.iter())
                .map(|group| norm_of(group).max(0.0).sqrt() * (1.0 + ROUNDING))
                .collect(),
            slopes: vec![],
            there: vec![],
            last: vec![0.0; design.groups.len()],
            looks: 0,
        };
        screen.take_all(point);
        screen
    }

    fn take_all(&mut self, point: &Point) {
        let all: Vec<usize> = (0..self.design.groups.len()).collect();
        self.take(point, &all);
        self.slopes.clone_from(&point.slopes);
        self.there.clone_from(&self.last);
        self.looks = 0;
    }

    fn take(&mut self, point: &Point, groups: &[usize]) {
        let gradients = self.design.dots(groups, &point.slopes);
        let mut rest = &gradients[..];
        for &group in groups {
            let (own, others) = rest.split_at(self.design.weights_of(group).len());
            self.last[group] = norm(own);
            rest = others;
        }
    }

    /// The smallest λ at which no group is needed where all gradients were taken.
    pub fn largest_lambda(&self) -> f64 {
        let bounds = self.there.iter().zip(&self.design.factors);
        let may_leave = bounds.filter(|(_, factor)| **factor > 0.0);
        may_leave.map(|(g, factor)| g / factor).fold(0.0, f64::max)
    }

    /// Groups that the strong rule expects at λ, coming from another one: those with
    /// ‖g‖ ≥ 2λ − λ_before (Tibshirani et al. 2012, JRSS B 74:245–266). Where that is so far off
    /// that it rules nothing out, those that are needed as it is. Groups that stay always are.
    pub fn expected(&self, lambda: f64, before: f64) -> impl Iterator<Item = usize> {
        let least = match 2.0 * lambda > before {
            true => 2.0 * lambda - before,
            false => lambda,
        };
        let bounds = self.last.iter().zip(&self.design.factors).enumerate();
        let needed = move |(group, (&g, factor)): (usize, (&f64, &f64))| {
            (g >= factor * least).then_some(group)
        };
        bounds.filter_map(needed)
    }

    /// The groups outside `working` that a stationary point at λ needs: those that violate its
    /// condition by more than the tolerance.
    pub fn needed(&mut self, point: &Point, target: Target, working: &[bool]) -> Needed {
        let Target { lambda, tolerance } = target;
        let common: f64 = point
            .slopes
            .iter()
            .zip(&self.slopes)
            .map(|(s, t)| s * t)
            .sum();
        let scale = match squares(&self.slopes) {
            0.0 => 0.0,
            there => common / there,
        };
        let moved = point.slopes.iter().zip(&self.slopes);
        let moved: f64 = moved.map(|(s, t)| (s - scale * t).powi(2)).sum();
        let (scale, moved) = (scale.abs() * (1.0 + ROUNDING), moved.sqrt());
        let may = |group: &usize| {
            let bound = scale * self.there[*group] + self.norms[*group] * moved;
            // (written so that what is no number is looked at)
            let sure = bound <= lambda * self.design.factors[*group];
            !working[*group] && !sure
        };
        let asked: Vec<usize> = (0..working.len()).filter(may).collect();
        for (last, there) in self.last.iter_mut().zip(&self.there) {
            *last = scale * there;
        }
        self.looks += asked.len();
        match self.looks > working.len() {
            true => self.take_all(point),
            false => self.take(point, &asked),
        }
        let violation = |group: usize| self.last[group] - lambda * self.design.factors[group];
        Needed {
            violation: (asked.iter()).fold(0.0, |most, &g| f64::max(most, violation(g))),
            groups: (asked.into_iter().filter(|&g| violation(g) > tolerance)).collect(),
        }
    }
}

/// What a point is to be stationary for, and how nearly.
#[derive(Clone, Copy)]
pub struct Target {
    pub lambda: f64,
    pub tolerance: f64,
}

/// Groups that must join.
pub struct Needed {
    pub groups: Vec<usize>,
    /// By how much any group outside violates its condition, at most.
    pub violation: f64,
}
