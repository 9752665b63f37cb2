//! Cox's gradient where every row has a time of its own and no η is far above
//! the rest, as in nearly every step on continuous times: risk sets are prefix
//! sums under one shift, and all but the two running sums is vector code.

use super::cox::log_of_weight;
use super::interleaved_sum;
use crate::dataset::Weights;
use crate::kernel::{Isa, Kernel, dispatch, math};

/// Rows by descending time, no two at the same.
pub struct Untied {
    order: Vec<u32>,
    /// What each counts, in that order; none if all count once.
    weights: Option<Vec<f64>>,
    /// The same where the event happened, else 0.
    event: Vec<f64>,
}

impl Untied {
    /// Rows in descending order of time, whether each row has its event, and what they count,
    /// in that order.
    pub fn new(order: &[usize], event: &[bool], weights: Weights) -> Self {
        Untied {
            order: order.iter().map(|&i| i as u32).collect(),
            weights: weights.given().map(<[f64]>::to_vec),
            event: (order.iter().zip(weights.iter(order.len())))
                .map(|(&i, weight)| if event[i] { weight } else { 0.0 })
                .collect(),
        }
    }

    /// Writes scale·∂/∂η of the sum of terms and returns scale times that sum;
    /// nothing if two η are further apart than `headroom`, or not numbers.
    pub fn gradient(
        &self,
        (eta, headroom): (&[f64], f64),
        scale: f64,
        gradient: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> Option<f64> {
        let rows = self.order.len();
        scratch.resize((4 * rows).max(scratch.len()), 0.0);
        let (centered, scratch) = scratch.split_at_mut(rows);
        let (hazard, scratch) = scratch.split_at_mut(rows);
        let (rest, scratch) = scratch.split_at_mut(rows);
        let share = &mut scratch[..rows];
        let (mut low, mut high) = (0.0, 0.0);
        dispatch(Extremes(eta, &mut low, &mut high));
        let close = high - low <= headroom;
        if !close {
            return None;
        }
        for (centered, &i) in centered.iter_mut().zip(&self.order) {
            *centered = eta[i as usize] - high;
        }
        dispatch(Exp(&*centered, &mut *hazard));
        if let Some(weights) = &self.weights {
            hazard.iter_mut().zip(weights).for_each(|(h, w)| *h *= w);
        }
        let mut sum = 0.0;
        for (rest, hazard) in rest.iter_mut().zip(&*hazard) {
            *rest = sum;
            sum += hazard;
        }
        dispatch(Terms {
            event: &self.event,
            centered: &mut *centered,
            hazard,
            rest,
            share: &mut *share,
        });
        // A row above its risk set: log1p keeps what log S − η would round away.
        let weights = Weights::from(self.weights.as_deref());
        let terms = centered.iter_mut().zip(&self.event).enumerate();
        for ((row, (term, event)), (rest, hazard)) in terms.zip(rest.iter().zip(&*hazard)) {
            if rest <= hazard {
                *term = event * (math::ln_1p(rest / hazard) + log_of_weight(weights.at(row)));
            }
        }
        let mut inverse = 0.0;
        let sorted = self.order.iter().zip(&self.event);
        for ((&i, event), (hazard, share)) in sorted.zip(hazard.iter().zip(&*share)).rev() {
            inverse += share;
            gradient[i as usize] = scale * (hazard * inverse - event);
        }
        Some(scale * interleaved_sum(centered))
    }
}

/// Second = min first, third = max first; NaN if there is one.
struct Extremes<'a>(&'a [f64], &'a mut f64, &'a mut f64);

impl Kernel for Extremes<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        const SUMS: usize = 8;
        let (mut low, mut high) = ([f64::INFINITY; SUMS], [f64::NEG_INFINITY; SUMS]);
        // 0 unless a number is NaN or infinite
        let mut odd = [0.0; SUMS];
        let mut take = |chunk: &[f64; SUMS]| {
            for i in 0..SUMS {
                let x = chunk[i];
                low[i] = if x < low[i] { x } else { low[i] };
                high[i] = if x > high[i] { x } else { high[i] };
                odd[i] += 0.0 * x;
            }
        };
        let (chunks, rest) = self.0.as_chunks::<SUMS>();
        chunks.iter().for_each(&mut take);
        if let Some(&first) = rest.first() {
            let mut last = [first; SUMS];
            last[..rest.len()].copy_from_slice(rest);
            take(&last);
        }
        *self.1 = low.into_iter().fold(f64::INFINITY, f64::min) + odd.iter().sum::<f64>();
        *self.2 = high.into_iter().fold(f64::NEG_INFINITY, f64::max);
    }
}

/// Second = exp(first).
struct Exp<'a>(&'a [f64], &'a mut [f64]);

impl Kernel for Exp<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (x, e) in self.0.iter().zip(self.1) {
            *e = math::exp(*x);
        }
    }
}

/// Turns `centered`, η less the shift, into event·(log S − η), and writes
/// `share` = event/S; S is `rest`, the risk set without the row, and `hazard`.
struct Terms<'a> {
    event: &'a [f64],
    centered: &'a mut [f64],
    hazard: &'a [f64],
    rest: &'a [f64],
    share: &'a mut [f64],
}

impl Kernel for Terms<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let sets = self.hazard.iter().zip(self.rest).zip(self.share);
        let rows = self.event.iter().zip(self.centered).zip(sets);
        for ((event, eta), ((hazard, rest), share)) in rows {
            let all = rest + hazard;
            *eta = event * (math::ln(all) - *eta);
            *share = event / all;
        }
    }
}
