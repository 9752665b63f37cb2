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

use super::untied::Untied;
use super::{Loss, RowPart};
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

/// The risk sets of every time, in units of exp(`shift`).
struct Risk<'a> {
    /// exp(η − shift), by descending time.
    hazards: &'a mut [f64],
    /// Per time: the shift.
    shift: &'a mut [f64],
    /// Per time: Σ exp(η − shift) over the risk set without the events then.
    rest: &'a mut [f64],
    /// Per time: Σ exp(η − shift) over the events then.
    events: &'a mut [f64],
    /// Per event: its term of the loss, once written.
    terms: &'a mut [f64],
}

/// Negative log partial likelihood of a survival outcome.
pub struct Cox {
    /// Rows by descending time; within one time the events come first.
    order: Vec<usize>,
    groups: Vec<TieGroup>,
    events: usize,
    ties: Ties,
    /// If no two rows share a time.
    untied: Option<Untied>,
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
        let untied = groups.len() == order.len();
        Cox {
            untied: untied.then(|| Untied::new(&order, event)),
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

    /// Sums the risk sets from the latest time to the earliest, in the given
    /// room.
    fn risk_sets<'a>(&self, eta: &[f64], scratch: &'a mut Vec<f64>) -> Risk<'a> {
        let (rows, times) = (self.order.len(), self.groups.len());
        scratch.clear();
        scratch.resize(rows + 3 * times + self.events, 0.0);
        let (hazards, scratch) = scratch.split_at_mut(rows);
        let (shift, scratch) = scratch.split_at_mut(times);
        let (rest, scratch) = scratch.split_at_mut(times);
        let (events, terms) = scratch.split_at_mut(times);
        for (hazard, &i) in hazards.iter_mut().zip(&self.order) {
            *hazard = eta[i];
        }
        let mut current = f64::NEG_INFINITY;
        for (group, shift) in self.groups.iter().zip(shift.iter_mut()) {
            let own = &mut hazards[group.start..group.end];
            let top = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if top > current + HEADROOM {
                current = top;
            }
            *shift = current;
            for eta in own {
                *eta -= current;
            }
        }
        dispatch(InPlace(&mut *hazards, math::exp));
        let (mut sum, mut current) = (0.0, f64::NEG_INFINITY);
        for (t, group) in self.groups.iter().enumerate() {
            if shift[t] > current {
                sum *= (current - shift[t]).exp();
                current = shift[t];
            }
            let (event, censored) = hazards[group.start..group.end].split_at(group.events);
            rest[t] = sum + censored.iter().sum::<f64>();
            events[t] = event.iter().sum();
            sum = rest[t] + events[t];
        }
        Risk {
            hazards,
            shift,
            rest,
            events,
            terms,
        }
    }

    /// Breslow's estimate of the cumulative baseline hazard H₀(t) = Σ d/S over
    /// the event times up to t: (t, log H₀(t)) at every event time, ascending.
    /// The logarithm holds where exp(η) would not.
    pub fn log_baseline_hazard(&self, eta: &[f64]) -> Vec<(f64, f64)> {
        let mut scratch = Vec::new();
        let risk = self.risk_sets(eta, &mut scratch);
        let mut log_sum = f64::NEG_INFINITY;
        (self.groups.iter().enumerate().rev())
            .filter(|(_, group)| group.events > 0)
            .map(|(t, group)| {
                let jump = (group.events as f64 / (risk.rest[t] + risk.events[t])).ln();
                let jump = jump - risk.shift[t];
                let (low, high) = (log_sum.min(jump), log_sum.max(jump));
                log_sum = high + (low - high).exp().ln_1p();
                (group.time, log_sum)
            })
            .collect()
    }

    /// Writes the terms of the loss.
    fn write_terms(&self, eta: &[f64], risk: &mut Risk) {
        let mut terms = risk.terms.iter_mut();
        for (t, group) in self.groups.iter().enumerate() {
            for (l, term) in (0..group.events).zip(&mut terms) {
                let left = self.left(l, group.events);
                *term = risk.rest[t] + (1.0 - left) * risk.events[t];
            }
        }
        dispatch(InPlace(&mut *risk.terms, math::ln));
        let mut terms = risk.terms.iter_mut();
        for (t, group) in self.groups.iter().enumerate() {
            for (p, term) in (group.start..group.start + group.events).zip(&mut terms) {
                // A lone event far above its risk set: log1p keeps what
                // log S − η would round away.
                if group.events == 1 && risk.rest[t] <= risk.hazards[p] {
                    *term = math::ln_1p(risk.rest[t] / risk.hazards[p]);
                } else {
                    *term -= eta[self.order[p]] - risk.shift[t];
                }
            }
        }
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
        let mut scratch = Vec::new();
        let mut risk = self.risk_sets(eta, &mut scratch);
        self.write_terms(eta, &mut risk);
        risk.terms.to_vec()
    }

    fn additive(&self) -> bool {
        false
    }

    fn gradient(
        &self,
        part: RowPart,
        eta: &[f64],
        gradient: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> f64 {
        assert!(
            part.rows == (0..self.order.len()),
            "risk sets need all rows"
        );
        let scale = part.factor / self.events as f64;
        let value = (self.untied.as_ref())
            .and_then(|untied| untied.gradient((eta, HEADROOM), scale, gradient, scratch));
        if let Some(value) = value {
            return value;
        }
        let mut risk = self.risk_sets(eta, scratch);
        // Σ 1/S_t over the event times up to now, in units of exp(−shift)
        let (mut inverse, mut shift) = (0.0, f64::INFINITY);
        for (t, group) in self.groups.iter().enumerate().rev() {
            if risk.shift[t] < shift {
                inverse *= (risk.shift[t] - shift).exp();
                shift = risk.shift[t];
            }
            // What an event at this time does not owe: Efron's l/d shares.
            let mut spared = 0.0;
            for l in 0..group.events {
                let left = self.left(l, group.events);
                let share = 1.0 / (risk.rest[t] + (1.0 - left) * risk.events[t]);
                inverse += share;
                spared += left * share;
            }
            for p in group.start..group.end {
                gradient[self.order[p]] = scale
                    * if p - group.start < group.events {
                        risk.hazards[p] * (inverse - spared) - 1.0
                    } else {
                        risk.hazards[p] * inverse
                    };
            }
        }
        self.write_terms(eta, &mut risk);
        scale * risk.terms.iter().sum::<f64>()
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
    fn untied_rows_are_a_special_case() {
        let n = 57;
        let time: Vec<f64> = (0..n).map(|i| ((i * 23) % n) as f64).collect();
        let event: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
        let special = Cox::new(&time, &event, Ties::Breslow);
        assert!(special.untied.is_some());
        let mut general = Cox::new(&time, &event, Ties::Efron);
        general.untied = None;
        for scale in [1.0, 60.0, 100.0, 1e4] {
            let eta: Vec<f64> = (0..n)
                .map(|i| scale * ((i * 7 % 11) as f64 / 5.0 - 1.0))
                .collect();
            let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
            let scratch = &mut vec![];
            let x = special.gradient(RowPart::all(n), &eta, &mut a, scratch);
            let y = general.gradient(RowPart::all(n), &eta, &mut b, scratch);
            assert!((x - y).abs() < 1e-13 * (1.0 + y), "{scale}: {x} {y}");
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() < 1e-14, "{scale}: {a} {b}");
            }
        }
        assert!(
            Cox::new(&[1.0, 1.0], &[true; 2], Ties::Efron)
                .untied
                .is_none()
        );
    }

    #[test]
    fn no_number_is_not_hidden() {
        let loss = Cox::new(&[1.0, 2.0, 3.0], &[true; 3], Ties::Breslow);
        for at in 0..3 {
            let mut eta = [0.0; 3];
            eta[at] = f64::NAN;
            let value = loss.gradient(RowPart::all(3), &eta, &mut [0.0; 3], &mut vec![]);
            assert!(value.is_nan(), "{at}: {value}");
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
        loss.gradient(RowPart::all(4), &eta, &mut gradient, &mut vec![]);
        late.gradient(RowPart::all(3), &eta[1..], &mut part, &mut vec![]);
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
