//! Cox's negative log partial likelihood, divided by the number of events.
//!
//! With S_t = Σ exp(ηⱼ) over the risk set {j: tⱼ ≥ t} (tied censored rows are
//! at risk), D_t the same sum over the d events at t:
//!
//! * Breslow: Σ_t [ d·log S_t − Σ ηᵢ ]
//! * Efron: Σ_t [ Σ_{l<d} log(S_t − (l/d)·D_t) − Σ ηᵢ ]
//!
//! Cox (1972), Breslow (1974), Efron (1977).
//!
//! One pass from the latest time to the earliest adds up S_t as s·exp(m). The
//! shift m is raised whenever an η exceeds it by more than [`HEADROOM`]. Since
//! every later S_t contains what has been summed so far, a term that
//! underflows against m is below rounding in each sum it belongs to, so
//! predictors of any size neither overflow nor lose a term that matters. A
//! second pass in the other direction adds up the gradient
//! exp(ηⱼ)·Σ_{t ≤ tⱼ} 1/S_t − δⱼ. Both are O(n) after one sort.

use super::Loss;
use crate::kernel::{Isa, Kernel, dispatch, math};
use serde::{Deserialize, Serialize};

/// How far an η may stand above the shift: exp(300) is far from overflow.
const HEADROOM: f64 = 300.0;

/// What to do with events at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// Every event at t has the whole risk set.
    Breslow,
    /// The l-th event at t has the risk set less l/d of the events at t.
    Efron,
}

/// Rows with one time: `order[start..end]`, the events first.
struct TieGroup {
    time: f64,
    start: usize,
    end: usize,
    events: usize,
}

/// The risk set at one time, in units of exp(`shift`).
struct RiskSet {
    shift: f64,
    /// Σ exp(η − shift) over the risk set without the events at this time.
    rest: f64,
    /// Σ exp(η − shift) over the events at this time.
    events: f64,
}

/// Negative log partial likelihood of a survival outcome.
pub struct Cox {
    /// Rows by descending time; within one time the events come first.
    order: Vec<usize>,
    groups: Vec<TieGroup>,
    events: usize,
    ties: Ties,
}

impl Cox {
    /// The loss of rows with these times; `event` is false where censored.
    pub fn new(time: &[f64], event: &[bool], ties: Ties) -> Self {
        // −0 would be grouped with 0 but sorted before it.
        let time: Vec<f64> = time.iter().map(|t| t + 0.0).collect();
        let mut order: Vec<usize> = (0..time.len()).collect();
        order.sort_by(|&i, &j| {
            time[j]
                .total_cmp(&time[i])
                .then(event[j].cmp(&event[i]))
                .then(i.cmp(&j))
        });
        let mut groups = Vec::new();
        let mut start = 0;
        for tied in order.chunk_by(|&i, &j| time[i] == time[j]) {
            groups.push(TieGroup {
                time: time[tied[0]],
                start,
                end: start + tied.len(),
                events: tied.iter().filter(|&&i| event[i]).count(),
            });
            start += tied.len();
        }
        Cox {
            order,
            groups,
            events: event.iter().filter(|&&e| e).count(),
            ties,
        }
    }

    /// The share of the tied events that has left the risk set of the l-th.
    fn left(&self, l: usize, d: usize) -> f64 {
        match self.ties {
            Ties::Breslow => 0.0,
            Ties::Efron => l as f64 / d as f64,
        }
    }

    /// Sums the risk sets from the latest time to the earliest. Returns
    /// exp(η − shift) in the order of `order`, and the risk set of each group.
    fn risk_sets(&self, eta: &[f64]) -> (Vec<f64>, Vec<RiskSet>) {
        let mut hazards: Vec<f64> = self.order.iter().map(|&i| eta[i]).collect();
        let mut shift = f64::NEG_INFINITY;
        let mut sets: Vec<RiskSet> = (self.groups.iter())
            .map(|group| {
                let own = &mut hazards[group.start..group.end];
                let top = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if top > shift + HEADROOM {
                    shift = top;
                }
                for eta in own {
                    *eta -= shift;
                }
                RiskSet {
                    shift,
                    rest: 0.0,
                    events: 0.0,
                }
            })
            .collect();
        dispatch(InPlace(&mut hazards, math::exp));
        let (mut sum, mut shift) = (0.0, f64::NEG_INFINITY);
        for (group, set) in self.groups.iter().zip(&mut sets) {
            if set.shift > shift {
                sum *= (shift - set.shift).exp();
                shift = set.shift;
            }
            let (event, censored) = hazards[group.start..group.end].split_at(group.events);
            set.rest = sum + censored.iter().sum::<f64>();
            set.events = event.iter().sum();
            sum = set.rest + set.events;
        }
        (hazards, sets)
    }

    /// Breslow's estimate of the cumulative baseline hazard H₀(t) = Σ d/S over
    /// the event times up to t: (t, log H₀(t)) at every event time, ascending.
    /// The logarithm holds where exp(η) would not.
    pub fn log_baseline_hazard(&self, eta: &[f64]) -> Vec<(f64, f64)> {
        let (_, sets) = self.risk_sets(eta);
        let mut log_sum = f64::NEG_INFINITY;
        (self.groups.iter().zip(&sets).rev())
            .filter(|(group, _)| group.events > 0)
            .map(|(group, set)| {
                let jump = (group.events as f64 / (set.rest + set.events)).ln() - set.shift;
                let (low, high) = (log_sum.min(jump), log_sum.max(jump));
                log_sum = high + (low - high).exp().ln_1p();
                (group.time, log_sum)
            })
            .collect()
    }

    fn terms_of(&self, eta: &[f64], hazards: &[f64], sets: &[RiskSet]) -> Vec<f64> {
        let mut terms = Vec::with_capacity(self.events);
        for (group, set) in self.groups.iter().zip(sets) {
            let d = group.events;
            terms.extend((0..d).map(|l| set.rest + (1.0 - self.left(l, d)) * set.events));
        }
        dispatch(InPlace(&mut terms, math::ln));
        let mut event = 0;
        for (group, set) in self.groups.iter().zip(sets) {
            for p in group.start..group.start + group.events {
                // A lone event far above its risk set: log1p keeps what
                // log S − η would round away.
                if group.events == 1 && set.rest <= hazards[p] {
                    terms[event] = math::ln_1p(set.rest / hazards[p]);
                } else {
                    terms[event] -= eta[self.order[p]] - set.shift;
                }
                event += 1;
            }
        }
        terms
    }
}

/// Replaces every number by a function of it.
struct InPlace<'a, F>(&'a mut [f64], F);

impl<F: Fn(f64) -> f64> Kernel for InPlace<'_, F> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        for x in self.0 {
            *x = self.1(*x);
        }
    }
}

impl Loss for Cox {
    fn outputs(&self) -> usize {
        1
    }

    fn terms(&self, eta: &[f64]) -> Vec<f64> {
        let (hazards, sets) = self.risk_sets(eta);
        self.terms_of(eta, &hazards, &sets)
    }

    fn gradient(&self, eta: &[f64], gradient: &mut [f64]) -> f64 {
        let (hazards, sets) = self.risk_sets(eta);
        let scale = 1.0 / self.events as f64;
        // Σ 1/S_t over the event times up to now, in units of exp(−shift)
        let (mut inverse, mut shift) = (0.0, f64::INFINITY);
        for (group, set) in self.groups.iter().zip(&sets).rev() {
            if set.shift < shift {
                inverse *= (set.shift - shift).exp();
                shift = set.shift;
            }
            // What an event at this time does not owe: Efron's l/d shares.
            let mut spared = 0.0;
            for l in 0..group.events {
                let left = self.left(l, group.events);
                let share = 1.0 / (set.rest + (1.0 - left) * set.events);
                inverse += share;
                spared += left * share;
            }
            for p in group.start..group.end {
                gradient[self.order[p]] = scale
                    * if p - group.start < group.events {
                        hazards[p] * (inverse - spared) - 1.0
                    } else {
                        hazards[p] * inverse
                    };
            }
        }
        let terms = self.terms_of(eta, &hazards, &sets);
        terms.iter().sum::<f64>() * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, term by term, for moderate predictors.
    fn naive(time: &[f64], event: &[bool], eta: &[f64], ties: Ties) -> f64 {
        let mut seen: Vec<f64> = Vec::new();
        let (mut loss, mut events) = (0.0, 0.0);
        for i in (0..time.len()).filter(|&i| event[i]) {
            events += 1.0;
            let l = seen.iter().filter(|&&t| t == time[i]).count() as f64;
            seen.push(time[i]);
            let tied: Vec<usize> = (0..time.len())
                .filter(|&j| event[j] && time[j] == time[i])
                .collect();
            let at_risk: f64 = (0..time.len())
                .filter(|&j| time[j] >= time[i])
                .map(|j| eta[j].exp())
                .sum();
            let own: f64 = tied.iter().map(|&j| eta[j].exp()).sum();
            let left = match ties {
                Ties::Breslow => 0.0,
                Ties::Efron => l / tied.len() as f64,
            };
            loss += (at_risk - left * own).ln() - eta[i];
        }
        loss / events
    }

    #[test]
    fn equals_the_definition_with_ties() {
        let time = [2.0, 2.0, 2.0, 1.0, 1.0, 3.0, 3.0, 0.0, 4.0];
        let event = [true, false, true, true, true, false, true, true, false];
        let eta = [0.3, -1.0, 2.0, 0.5, 0.1, -0.7, 1.1, 0.0, 0.9];
        for ties in [Ties::Breslow, Ties::Efron] {
            let loss = Cox::new(&time, &event, ties);
            assert!((loss.value(&eta) - naive(&time, &event, &eta, ties)).abs() < 1e-14);
        }
    }

    #[test]
    fn minus_zero_is_zero() {
        let (event, eta) = ([false, true, true], [0.5, -0.3, 0.1]);
        let plain = Cox::new(&[0.0, 0.0, 1.0], &event, Ties::Efron);
        for time in [[-0.0, 0.0, 1.0], [0.0, -0.0, 1.0]] {
            let signed = Cox::new(&time, &event, Ties::Efron);
            assert_eq!(signed.value(&eta), plain.value(&eta));
        }
    }

    #[test]
    fn risk_sets_far_below_the_largest_predictor_are_kept() {
        // The first to go has η = 1000; the rest have a problem of their own
        // that a shift by the overall maximum would turn into log 0.
        let time = [1.0, 2.0, 3.0, 4.0];
        let loss = Cox::new(&time, &[true; 4], Ties::Breslow);
        let late = Cox::new(&time[1..], &[true; 3], Ties::Breslow);
        let eta = [1000.0, 0.2, -0.4, 0.1];
        let expected = 3.0 * late.value(&eta[1..]) / 4.0;
        assert!((loss.value(&eta) - expected).abs() < 1e-14);
        let (mut gradient, mut part) = ([0.0; 4], [0.0; 3]);
        loss.gradient(&eta, &mut gradient);
        late.gradient(&eta[1..], &mut part);
        for (g, p) in gradient[1..].iter().zip(part) {
            assert!((g - 0.75 * p).abs() < 1e-15);
        }
    }

    #[test]
    fn baseline_hazard_is_nelson_aalen_at_equal_risk() {
        let time = [1.0, 2.0, 2.0, 3.0, 4.0];
        let loss = Cox::new(&time, &[true, true, true, false, true], Ties::Breslow);
        let expected = [(1.0, 0.2), (2.0, 0.7), (4.0, 1.7)];
        for eta in [0.0, 900.0, -900.0] {
            let hazard = loss.log_baseline_hazard(&[eta; 5]);
            assert_eq!(hazard.len(), 3);
            for ((t, log_h), (time, h)) in hazard.into_iter().zip(expected) {
                assert_eq!(t, time);
                assert!((log_h + eta - f64::ln(h)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn small_terms_survive() {
        let loss = Cox::new(&[1.0, 2.0], &[true, false], Ties::Efron);
        assert!((loss.value(&[40.0, 0.0]) / (-40.0f64).exp() - 1.0).abs() < 1e-12);
        // Any common shift is the same problem.
        for shift in [-1000.0, 1000.0] {
            let eta = [shift + 0.5, shift];
            assert!((loss.value(&eta) - (-0.5f64).exp().ln_1p()).abs() < 1e-12);
        }
    }
}
