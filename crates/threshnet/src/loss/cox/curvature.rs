//! How Cox's loss bends.
//!
//! With p the shares of the rows in the risk set of a term of the loss, w the term's weight,
//!
//! ```text
//! ∂²/∂η² = Σ w·(diag(p) − p·p′),        its product with x: Σ w·p∘(x − mean of x under p).
//! ```
//!
//! Risk sets are nested, so all means and then all sums take one pass each.

use super::{Cox, Term};

/// The second derivative of Cox's loss at some η.
pub struct RiskCurvature {
    /// Rows by descending time; within one time the events come first.
    order: Vec<usize>,
    /// w·exp(η − shift), in this order.
    hazards: Vec<f64>,
    times: Vec<Time>,
    terms: Vec<Share>,
}

/// Rows with one time.
struct Time {
    end: usize,
    events: usize,
    /// The end of its terms.
    terms: usize,
    /// By what sums over later times are multiplied, for the shift has risen.
    raise: f64,
}

/// A term of the loss.
struct Share {
    /// The share of the tied events that has not left the risk set.
    stays: f64,
    /// 1/S, in units of exp(−shift).
    inverse: f64,
    /// Its weight among all, over S.
    weight: f64,
}

impl RiskCurvature {
    pub(super) fn new(cox: &Cox, eta: &[f64]) -> Self {
        let mut scratch = Vec::new();
        let risk = cox.risk_sets(eta, &mut scratch);
        let share = |t: usize, term: &Term| {
            let inverse = 1.0 / (risk.rest[t] + (1.0 - term.left) * risk.events[t]);
            Share {
                stays: 1.0 - term.left,
                inverse,
                weight: term.weight / cox.events * inverse,
            }
        };
        let mut before = f64::NEG_INFINITY;
        let mut curvature = RiskCurvature {
            order: cox.order.clone(),
            hazards: risk.hazards.to_vec(),
            times: Vec::with_capacity(cox.groups.len()),
            terms: Vec::with_capacity(cox.terms.len()),
        };
        for (t, group) in cox.groups.iter().enumerate() {
            let terms = cox.terms[group.terms.clone()].iter();
            curvature.terms.extend(terms.map(|term| share(t, term)));
            curvature.times.push(Time {
                end: group.end,
                events: group.events,
                terms: group.terms.end,
                raise: (before - risk.shift[t]).exp(),
            });
            before = risk.shift[t];
        }
        curvature
    }

    /// Writes its product with a direction.
    pub fn product(&self, direction: &[f64], product: &mut [f64]) {
        // In place of each term's weight/S: the same times the mean of the direction.
        let mut means = vec![0.0; self.terms.len()];
        let (mut sum, mut row, mut term) = (0.0, 0, 0);
        for time in &self.times {
            let hazards = |rows: std::ops::Range<usize>| {
                let rows = self.order[rows.clone()].iter().zip(&self.hazards[rows]);
                rows.map(|(&i, h)| h * direction[i]).sum::<f64>()
            };
            let events = hazards(row..row + time.events);
            let rest = sum * time.raise + hazards(row + time.events..time.end);
            let shares = self.terms[term..time.terms].iter();
            for (mean, share) in means[term..].iter_mut().zip(shares) {
                *mean = share.weight * share.inverse * (rest + share.stays * events);
            }
            sum = rest + events;
            (row, term) = (time.end, time.terms);
        }
        // Σ weight/S and the same times the mean, over the terms up to now
        let (mut all, mut with_means, mut raise) = (0.0, 0.0, 1.0);
        for (number, time) in self.times.iter().enumerate().rev() {
            all *= raise;
            with_means *= raise;
            raise = time.raise;
            let previous = match number {
                0 => (0, 0),
                _ => (self.times[number - 1].end, self.times[number - 1].terms),
            };
            let (start, first) = previous;
            // (what an event at this time is spared: Efron's shares of it that have left)
            let (mut spared, mut spared_means) = (0.0, 0.0);
            for (share, mean) in self.terms[first..time.terms].iter().zip(&means[first..]) {
                all += share.weight;
                with_means += mean;
                spared += (1.0 - share.stays) * share.weight;
                spared_means += (1.0 - share.stays) * mean;
            }
            for at in start..time.end {
                let i = self.order[at];
                let (all, with_means) = match at < start + time.events {
                    true => (all - spared, with_means - spared_means),
                    false => (all, with_means),
                };
                product[i] = self.hazards[at] * (direction[i] * all - with_means);
            }
        }
    }
}
