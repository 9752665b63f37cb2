//! The group penalties: value, derivative and threshold.
//!
//! Each is a function ρ_λ(t) of a group's Euclidean norm t ≥ 0:
//!
//! | | ρ_λ(t) | ρ′_λ(t) |
//! | --- | --- | --- |
//! | LASSO | λt | λ |
//! | MCP | λt − t²/2a up to t = aλ, then aλ²/2 | (λ − t/a)₊ |
//! | SCAD | λt up to t = λ, then (2aλt − t² − λ²)/2(a−1) up to t = aλ, then (a+1)λ²/2 | λ, then (aλ − t)₊/(a−1) |
//!
//! The threshold h(z; γ, λ) = argmin_w ½‖w − z‖² + γ·ρ_λ(‖w‖) keeps the
//! direction of z, so it is one factor on the whole group:
//! [`Penalty::shrink`].
//!
//! Tibshirani (1996), Yuan and Lin (2006); Zhang (2010); Fan and Li (2001);
//! the group thresholds are those of Luo and Halabi (2025), section 3.1.

use crate::error::{Error, Result};
use crate::settings::setting;

/// A group penalty with its concavity `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// The group LASSO.
    Lasso,
    /// The minimax concave penalty; `a` > 0, usually 3.
    Mcp(f64),
    /// The smoothly clipped absolute deviation; `a` > 2, usually 3.7.
    Scad(f64),
}

impl Penalty {
    /// MCP with a = 3.
    pub const MCP: Penalty = Penalty::Mcp(3.0);
    /// SCAD with a = 3.7.
    pub const SCAD: Penalty = Penalty::Scad(3.7);

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Penalty::Lasso => "lasso",
            Penalty::Mcp(_) => "mcp",
            Penalty::Scad(_) => "scad",
        }
    }

    /// ρ_λ(t) for t ≥ 0.
    pub fn value(self, t: f64, lambda: f64) -> f64 {
        match self {
            Penalty::Lasso => lambda * t,
            Penalty::Mcp(a) if t <= a * lambda => t * (lambda - t / (2.0 * a)),
            Penalty::Mcp(a) => a * lambda * lambda / 2.0,
            Penalty::Scad(_) if t <= lambda => lambda * t,
            Penalty::Scad(a) if t <= a * lambda => {
                (2.0 * a * lambda * t - t * t - lambda * lambda) / (2.0 * (a - 1.0))
            }
            Penalty::Scad(a) => (a + 1.0) * lambda * lambda / 2.0,
        }
    }

    /// ρ′_λ(t) for t > 0, and its limit from the right at 0, which is λ.
    pub fn derivative(self, t: f64, lambda: f64) -> f64 {
        match self {
            Penalty::Lasso => lambda,
            Penalty::Mcp(a) => (lambda - t / a).max(0.0),
            Penalty::Scad(_) if t <= lambda => lambda,
            Penalty::Scad(a) => (a * lambda - t).max(0.0) / (a - 1.0),
        }
    }

    /// ρ″_λ(t) for t > 0, between the points where ρ′ has a kink.
    pub fn second_derivative(self, t: f64, lambda: f64) -> f64 {
        match self {
            Penalty::Mcp(a) if t < a * lambda => -1.0 / a,
            Penalty::Scad(a) if t > lambda && t < a * lambda => -1.0 / (a - 1.0),
            Penalty::Lasso | Penalty::Mcp(_) | Penalty::Scad(_) => 0.0,
        }
    }

    /// The factor s with h(z; γ, λ) = s·z for a group of norm ‖z‖ = `norm`.
    ///
    /// Exact for every γ that [`check_step`](Self::check_step) accepts; λ = 0
    /// gives 1 and a zero group stays zero.
    pub fn shrink(self, norm: f64, gamma: f64, lambda: f64) -> f64 {
        if norm == 0.0 {
            return 0.0;
        }
        // S_g(z, τ) = (1 − τ/‖z‖)₊ z
        let soft = |tau: f64| (1.0 - tau / norm).max(0.0);
        match self {
            Penalty::Lasso => soft(gamma * lambda),
            Penalty::Mcp(a) if norm <= a * lambda => a / (a - gamma) * soft(gamma * lambda),
            Penalty::Scad(_) if norm <= (1.0 + gamma) * lambda => soft(gamma * lambda),
            Penalty::Scad(a) if norm <= a * lambda => {
                (a - 1.0) / (a - 1.0 - gamma) * soft(a * gamma * lambda / (a - 1.0))
            }
            Penalty::Mcp(_) | Penalty::Scad(_) => 1.0,
        }
    }

    /// Refuses a concavity for which the penalty is not defined.
    pub fn validate(self) -> Result<()> {
        let (a, least, name) = match self {
            Penalty::Lasso => return Ok(()),
            Penalty::Mcp(a) => (a, 0.0, "MCP"),
            Penalty::Scad(a) => (a, 2.0, "SCAD"),
        };
        if a.is_finite() && a > least {
            Ok(())
        } else {
            Err(Error::setting(
                "concavity",
                format!("{name} needs a concavity above {least}, not {a}"),
            ))
        }
    }

    /// The supremum of the steps γ for which the threshold is the exact
    /// proximal map: beyond it ½‖w − z‖² + γρ(‖w‖) is no longer convex along z.
    pub fn step_limit(self) -> f64 {
        match self {
            Penalty::Lasso => f64::INFINITY,
            Penalty::Mcp(a) => a,
            Penalty::Scad(a) => a - 1.0,
        }
    }

    /// Refuses a threshold step γ at or beyond [`step_limit`](Self::step_limit).
    pub fn check_step(self, gamma: f64) -> Result<()> {
        setting("threshold_step").check(&gamma)?;
        if gamma < self.step_limit() {
            return Ok(());
        }
        let (rule, a) = match self {
            Penalty::Scad(a) => ("the concavity less 1", a),
            Penalty::Mcp(a) => ("the concavity", a),
            Penalty::Lasso => unreachable!("the LASSO takes any finite step"),
        };
        Err(Error::setting(
            "threshold_step",
            format!(
                "the {} threshold is exact only for steps below {rule}: {gamma} is not below {}; \
                 take a smaller step or a larger concavity than {a}",
                self.name().to_uppercase(),
                self.step_limit()
            ),
        ))
    }
}
