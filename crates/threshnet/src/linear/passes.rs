//! Coordinate descent on a quadratic model: passes over all groups, between them passes over those
//! that have weights, and steps on all of these at once where they pay.

use super::newton::{Model, Newton};
use super::point::Point;
use super::quadratic::Quadratic;

/// Passes over a model before it is taken anew.
const MOST_PASSES: usize = 1000;
/// Passes over the active groups before the others are asked again.
const ACTIVE_PASSES: usize = 20;

impl Model for Quadratic<'_> {
    fn take(&mut self, newton: &Newton, point: &Point, factor: f64) {
        self.at(point, newton.lambda, factor);
    }

    fn solve(&mut self, newton: &Newton, working: &[usize], enough: f64) {
        let (mut passes, mut since) = (0, 0);
        let mut active = Vec::with_capacity(working.len());
        while passes < MOST_PASSES && !newton.observer.cancelled() {
            passes += 1;
            if self.pass(working) <= enough {
                return;
            }
            active.clear();
            active.extend(working.iter().filter(|&&group| self.is_active(group)));
            let worth = self.passes_per_support_step(&active);
            for _ in 0..ACTIVE_PASSES {
                (passes, since) = (passes + 1, since + 1);
                if self.pass(&active) <= enough {
                    break;
                }
                if worth.is_some_and(|worth| since > worth) {
                    active.retain(|&group| self.is_active(group));
                    self.step_on_support(&active);
                    since = 0;
                }
            }
        }
    }

    fn move_point(&self, point: &mut Point, from: &Point, working: &[usize]) {
        for &group in working {
            let own = self.design.weights_of(group);
            point.weights[own.clone()].copy_from_slice(&self.weights[own]);
        }
        point.bias.copy_from_slice(&self.bias[..from.bias.len()]);
        point.follow(self.design, from, working);
    }
}
