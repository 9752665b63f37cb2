//! Cox's negative log partial likelihood, divided by the number of events.
//!
//! With S_t = Σ wⱼ·exp(ηⱼ) over the risk set {j: tⱼ ≥ t} (tied censored rows are
//! at risk), D_t the same sum over the events at t and d = Σ wᵢ over these:
//!
//! * Breslow: Σ_t [ d·log S_t − Σ wᵢηᵢ ]
//! * Efron: Σ_t [ Σ_{l<d} log(S_t − (l/d)·D_t) − Σ wᵢηᵢ ]
//!
//! Cox (1972), Breslow (1974), Efron (1977). A row of weight 2 is the row twice, so with Efron
//! it is tied with itself; a d that is not whole has a last term that counts for what is left
//! of it.
//!
//! One pass from the latest time to the earliest adds up S_t as s·exp(m). The
//! shift m is raised whenever an η exceeds it by more than [`HEADROOM`]. Since
//! every later S_t contains what has been summed so far, a term that
//! underflows against m is below rounding in each sum it belongs to, so
//! predictors of any size neither overflow nor lose a term that matters. A
//! second pass in the other direction adds up the gradient
//! exp(ηⱼ)·Σ_{t ≤ tⱼ} 1/S_t − δⱼ. Both are O(n) after one sort.

mod curvature;

pub use curvature::RiskCurvature;

use super::untied::Untied;
use super::{Curvature, Loss, RowPart};
use crate::dataset::Weights;
use crate::kernel::{Isa, Kernel, dispatch, math};
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    /// Which of the terms are of its events.
    terms: Range<usize>,
}

/// A term of the loss: log(S − left·D) − η.
struct Term {
    /// What it counts.
    weight: f64,
    /// The share of the tied events that has left the risk set.
    left: f64,
    /// The event whose η it has, by position in the order; none if that is the mean over all
    /// that are tied.
    event: Option<usize>,
}

/// The risk sets of every time, in units of exp(`shift`).
struct Risk<'a> {
    /// w·exp(η − shift), by descending time.
    hazards: &'a mut [f64],
    /// Per time: the shift.
    shift: &'a mut [f64],
    /// Per time: the sum of these over the risk set without the events then.
    rest: &'a mut [f64],
    /// Per time: the sum of these over the events then.
    events: &'a mut [f64],
    /// The terms of the loss, once written.
    terms: &'a mut [f64],
}

/// Negative log partial likelihood of a survival outcome.
pub struct Cox {
    /// Rows by descending time; within one time the events come first.
    order: Vec<usize>,
    /// What they count, in this order; none if all count once.
    weights: Option<Vec<f64>>,
    groups: Vec<TieGroup>,
    terms: Vec<Term>,
    /// What the terms count, if they do not all count once.
    term_weights: Option<Vec<f64>>,
    /// What the events count together.
    events: f64,
    /// If no two rows share a time.
    untied: Option<Untied>,
}

impl Cox {
    /// The loss of rows with these times and weights; `event` is false where censored.
    pub fn new(time: &[f64], event: &[bool], weights: Weights, ties: Ties) -> Self {
        // −0 would be grouped with 0 but sorted before it.
        let time: Vec<f64> = time.iter().map(|t| t + 0.0).collect();
        let mut order: Vec<usize> = (0..time.len()).collect();
        order.sort_by(|&i, &j| {
            time[j]
                .total_cmp(&time[i])
                .then(event[j].cmp(&event[i]))
                .then(i.cmp(&j))
        });
        let (mut groups, mut terms) = (Vec::new(), Vec::new());
        let mut start = 0;
        for tied in order.chunk_by(|&i, &j| time[i] == time[j]) {
            let events = tied.iter().filter(|&&i| event[i]).count();
            let first = terms.len();
            let of_events: Vec<f64> = tied[..events].iter().map(|&i| weights.at(i)).collect();
            terms.extend(new_terms(start, &of_events, ties));
            groups.push(TieGroup {
                time: time[tied[0]],
                start,
                end: start + tied.len(),
                events,
                terms: first..terms.len(),
            });
            start += tied.len();
        }
        // (with Efron an event that counts more than once is tied with itself)
        let untied = groups.len() == order.len()
            && (groups.iter()).all(|group| group.terms.len() == group.events);
        let in_order = |all: &[f64]| order.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let in_order = weights.given().map(in_order);
        Cox {
            untied: untied.then(|| Untied::new(&order, event, in_order.as_deref().into())),
            term_weights: (weights.given()).map(|_| terms.iter().map(|term| term.weight).collect()),
            events: terms.iter().map(|term| term.weight).sum(),
            weights: in_order,
            order,
            groups,
            terms,
        }
    }

    fn weights_in_order(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    /// Sums the risk sets from the latest time to the earliest, in the given
    /// room.
    fn risk_sets<'a>(&self, eta: &[f64], scratch: &'a mut Vec<f64>) -> Risk<'a> {
        let (rows, times) = (self.order.len(), self.groups.len());
        scratch.clear();
        scratch.resize(rows + 3 * times + self.terms.len(), 0.0);
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
        if let Some(weights) = &self.weights {
            hazards.iter_mut().zip(weights).for_each(|(h, w)| *h *= w);
        }
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
                let events: f64 = self.terms_of(group).iter().map(|term| term.weight).sum();
                let jump = (events / (risk.rest[t] + risk.events[t])).ln();
                let jump = jump - risk.shift[t];
                let (low, high) = (log_sum.min(jump), log_sum.max(jump));
                log_sum = high + (low - high).exp().ln_1p();
                (group.time, log_sum)
            })
            .collect()
    }

    /// Writes the terms of the loss.
    fn write_terms(&self, eta: &[f64], risk: &mut Risk) {
        for (t, group) in self.groups.iter().enumerate() {
            let (rest, events) = (risk.rest[t], risk.events[t]);
            let values = &mut risk.terms[group.terms.clone()];
            for (value, term) in values.iter_mut().zip(self.terms_of(group)) {
                *value = rest + (1.0 - term.left) * events;
            }
        }
        dispatch(InPlace(&mut *risk.terms, math::ln));
        for (t, group) in self.groups.iter().enumerate() {
            let (rest, shift) = (risk.rest[t], risk.shift[t]);
            let values = &mut risk.terms[group.terms.clone()];
            for (value, term) in values.iter_mut().zip(self.terms_of(group)) {
                let Some(event) = term.event else {
                    *value -= self.mean_of_events(group, eta) - shift;
                    continue;
                };
                // A lone event far above its risk set: log1p keeps what
                // log S − η would round away.
                let hazard = risk.hazards[event];
                if group.events == 1 && rest <= hazard {
                    *value = math::ln_1p(rest / hazard) + log_of_weight(term.weight);
                } else {
                    *value -= eta[self.order[event]] - shift;
                }
            }
        }
    }

    /// The terms of the events at a time.
    fn terms_of(&self, group: &TieGroup) -> &[Term] {
        &self.terms[group.terms.clone()]
    }

    /// The mean η of the events at a time.
    fn mean_of_events(&self, group: &TieGroup, eta: &[f64]) -> f64 {
        let weights = self.weights_in_order();
        let tied = group.start..group.start + group.events;
        let total: f64 = tied.clone().map(|p| weights.at(p)).sum();
        let sum: f64 = tied.map(|p| weights.at(p) * eta[self.order[p]]).sum();
        sum / total
    }
}

/// The terms of tied events with these weights, whose first is at `start` in the order.
fn new_terms(start: usize, weights: &[f64], ties: Ties) -> Vec<Term> {
    let count: f64 = weights.iter().sum();
    let whole = weights.iter().all(|&w| w == 1.0);
    let of_each = ties == Ties::Breslow || whole || weights.len() == 1 && count <= 1.0;
    let terms = match of_each {
        true => weights.len(),
        false => count.ceil() as usize,
    };
    let term = |l: usize| Term {
        weight: match of_each {
            true => weights[l],
            false => (count - l as f64).min(1.0),
        },
        left: match ties {
            Ties::Breslow => 0.0,
            Ties::Efron => l as f64 / count,
        },
        event: of_each.then_some(start + l),
    };
    (0..terms).map(term).collect()
}

/// As a rule a row counts once, and this is called for many of them.
pub(super) fn log_of_weight(weight: f64) -> f64 {
    match weight == 1.0 {
        true => 0.0,
        false => math::ln(weight),
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

    fn weights(&self) -> Weights<'_> {
        self.term_weights.as_deref().into()
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
        let scale = part.factor / self.events;
        let value = (self.untied.as_ref())
            .and_then(|untied| untied.gradient((eta, HEADROOM), scale, gradient, scratch));
        if let Some(value) = value {
            return value;
        }
        let mut risk = self.risk_sets(eta, scratch);
        let weights = self.weights_in_order();
        // Σ 1/S_t over the event times up to now, in units of exp(−shift)
        let (mut inverse, mut shift) = (0.0, f64::INFINITY);
        for (t, group) in self.groups.iter().enumerate().rev() {
            if risk.shift[t] < shift {
                inverse *= (risk.shift[t] - shift).exp();
                shift = risk.shift[t];
            }
            // What an event at this time does not owe: Efron's l/d shares.
            let mut spared = 0.0;
            for &Term { weight, left, .. } in self.terms_of(group) {
                let share = weight / (risk.rest[t] + (1.0 - left) * risk.events[t]);
                inverse += share;
                spared += left * share;
            }
            let censored = group.start + group.events;
            for p in group.start..censored {
                let owed = risk.hazards[p] * (inverse - spared);
                gradient[self.order[p]] = scale * (owed - weights.at(p));
            }
            for p in censored..group.end {
                gradient[self.order[p]] = scale * (risk.hazards[p] * inverse);
            }
        }
        self.write_terms(eta, &mut risk);
        let terms = self.terms.iter().zip(&*risk.terms);
        scale * terms.map(|(term, value)| term.weight * value).sum::<f64>()
    }

    fn curvature(&self, eta: &[f64]) -> Curvature {
        Curvature::RiskSets(RiskCurvature::new(self, eta))
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
            let loss = Cox::new(&time, &event, Weights::EQUAL, ties);
            assert!((loss.value(&eta) - naive(&time, &event, &eta, ties)).abs() < 1e-14);
        }
    }

    #[test]
    fn untied_rows_are_a_special_case() {
        let n = 57;
        let time: Vec<f64> = (0..n).map(|i| ((i * 23) % n) as f64).collect();
        let event: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
        let special = Cox::new(&time, &event, Weights::EQUAL, Ties::Breslow);
        assert!(special.untied.is_some());
        let mut general = Cox::new(&time, &event, Weights::EQUAL, Ties::Efron);
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
            Cox::new(&[1.0, 1.0], &[true; 2], Weights::EQUAL, Ties::Efron)
                .untied
                .is_none()
        );
    }

    #[test]
    fn no_number_is_not_hidden() {
        let loss = Cox::new(&[1.0, 2.0, 3.0], &[true; 3], Weights::EQUAL, Ties::Breslow);
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
        let plain = Cox::new(&[0.0, 0.0, 1.0], &event, Weights::EQUAL, Ties::Efron);
        for time in [[-0.0, 0.0, 1.0], [0.0, -0.0, 1.0]] {
            let signed = Cox::new(&time, &event, Weights::EQUAL, Ties::Efron);
            assert_eq!(signed.value(&eta), plain.value(&eta));
        }
    }

    #[test]
    fn risk_sets_far_below_the_largest_predictor_are_kept() {
        // The first to go has η = 1000; the rest have a problem of their own
        // that a shift by the overall maximum would turn into log 0.
        let time = [1.0, 2.0, 3.0, 4.0];
        let loss = Cox::new(&time, &[true; 4], Weights::EQUAL, Ties::Breslow);
        let late = Cox::new(&time[1..], &[true; 3], Weights::EQUAL, Ties::Breslow);
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
        let loss = Cox::new(
            &time,
            &[true, true, true, false, true],
            Weights::EQUAL,
            Ties::Breslow,
        );
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

    /// Between whole weights the loss is what lies between: no jump.
    #[test]
    fn the_loss_goes_on_from_one_whole_weight_to_the_next() {
        let (time, event) = ([2.0, 2.0, 2.0, 3.0], [true, true, false, true]);
        let eta = [0.3, -1.0, 2.0, 0.5];
        for ties in [Ties::Breslow, Ties::Efron] {
            let at = |w: f64| {
                let weights = [w, 1.0, 0.5, 2.0];
                Cox::new(&time, &event, Weights::new(&weights), ties).value(&eta)
            };
            for whole in [1.0, 2.0, 3.0] {
                assert!(
                    (at(whole - 1e-9) - at(whole)).abs() < 1e-8,
                    "{ties:?} {whole}"
                );
                assert!(
                    (at(whole + 1e-9) - at(whole)).abs() < 1e-8,
                    "{ties:?} {whole}"
                );
            }
            assert!((at(1.0) - at(2.0)).abs() > 1e-3);
        }
    }

    #[test]
    fn small_terms_survive() {
        let loss = Cox::new(&[1.0, 2.0], &[true, false], Weights::EQUAL, Ties::Efron);
        assert!((loss.value(&[40.0, 0.0]) / (-40.0f64).exp() - 1.0).abs() < 1e-12);
        let weights = [1.0, 0.5];
        let halved = Cox::new(
            &[1.0, 2.0],
            &[true, false],
            Weights::new(&weights),
            Ties::Efron,
        );
        assert!((2.0 * halved.value(&[40.0, 0.0]) / (-40.0f64).exp() - 1.0).abs() < 1e-12);
        // Any common shift is the same problem.
        for shift in [-1000.0, 1000.0] {
            let eta = [shift + 0.5, shift];
            assert!((loss.value(&eta) - (-0.5f64).exp().ln_1p()).abs() < 1e-12);
        }
    }
}
