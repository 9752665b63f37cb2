//! One step of Adam (Kingma and Ba 2015) on loss + ridge and the group
//! threshold, as one sweep over the weights.

use super::lane_sums::{Terms, add_up, parts};
use super::{Isa, Kernel};
use crate::groups::Group;
use crate::penalty::Penalty;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// How far a weight can move in one of the first `steps` steps, in units of the
/// learning rate. With r = β₁²/β₂, Cauchy and Schwarz give
///
///   |m̂|/√v̂ ≤ (1 − β₁)/√(1 − β₂) · √((1 − rᵗ)/(1 − r)) · √(1 − β₂ᵗ)/(1 − β₁ᵗ),
///
/// which gradients ∝ (β₂/β₁)ⁱ attain and which grows with t: 1 at t = 1, 3.10 at
/// 200, 7.27 in the end. A thousandth is added for rounding.
pub fn longest_step(steps: usize) -> f64 {
    let (b1, b2, t) = (f64::from(BETA1), f64::from(BETA2), steps.max(1) as f64);
    let r = b1 * b1 / b2;
    let sums = (1.0 - b1) / (1.0 - b2).sqrt() * ((1.0 - r.powf(t)) / (1.0 - r)).sqrt();
    let correction = (1.0 - b2.powf(t)).sqrt() / (1.0 - b1.powf(t));
    1.001 * sums * correction
}

/// What depends on the number of the step.
#[derive(Debug, Clone, Copy)]
pub struct AdamRates {
    /// rate/(1 − β₁ᵗ)
    step: f32,
    /// 1/√(1 − β₂ᵗ)
    spread: f32,
    /// 1/(1 − β₁ᵗ)
    correction: f64,
}

impl AdamRates {
    /// Those of step `t`, counted from 1.
    pub fn at(t: usize, learning_rate: f64) -> Self {
        let t = t as f64;
        let correction = 1.0 / (1.0 - f64::from(BETA1).powf(t));
        AdamRates {
            step: (learning_rate * correction) as f32,
            spread: (1.0 / (1.0 - f64::from(BETA2).powf(t)).sqrt()) as f32,
            correction,
        }
    }
}

/// z = w − step·m/(√v·spread + ε), m and v updated with g + 2·ridge·w, then
/// h(z; γ, λf√(ph)) for every group.
pub struct AdamSweep<'a> {
    /// Current weights: groups, then the rest, which has no threshold.
    pub weights: &'a [f32],
    /// Gradient of the loss.
    pub gradient: &'a [f32],
    /// Running mean of the gradient.
    pub mean: &'a mut [f32],
    /// Running mean of its square.
    pub square: &'a mut [f32],
    /// Where the new weights go.
    pub target: &'a mut [f32],
    /// How many of the weights are in groups.
    pub grouped: usize,
    /// How many weights an input has; at least 1.
    pub h: usize,
    /// The groups, one after the other; none if each is one input of factor 1.
    pub groups: Option<&'a [Group]>,
    /// Factor of ‖w‖².
    pub ridge: f32,
    /// Of this step.
    pub rates: AdamRates,
    /// ρ.
    pub penalty: Penalty,
    /// γ.
    pub gamma: f64,
    /// λ√h, that of a group of one input and factor 1.
    pub lambda: f64,
    /// What the sweep found out.
    pub swept: &'a mut Swept,
}

/// What a sweep finds out on its way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Swept {
    /// ‖w‖² of the new weights.
    pub squares: f64,
    /// Σⱼ ρ(‖W₀ⱼ‖) of the new weights.
    pub penalty: f64,
    /// By how much the step lowers the smooth part to first order, by Adam's
    /// mean gradient: Σ m̂·(w − z) over the groups that live and the rest.
    pub gain: f64,
    /// Inputs of groups that are zero now.
    pub dead: usize,
    /// Whether the threshold left every group either as it was or at zero.
    pub settled: bool,
}

impl Kernel for AdamSweep<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let count = self.weights.len();
        assert!(self.gradient.len() == count && self.target.len() == count);
        assert!(self.mean.len() == count && self.square.len() == count);
        assert!(self.grouped <= count && self.grouped.is_multiple_of(self.h));
        if let Some(groups) = self.groups {
            let inputs: usize = groups.iter().map(|group| group.range.len()).sum();
            assert!(inputs * self.h == self.grouped);
        }
        let body = Body {
            weights: self.weights.as_ptr(),
            gradient: self.gradient.as_ptr(),
            mean: self.mean.as_mut_ptr(),
            square: self.square.as_mut_ptr(),
            target: self.target.as_mut_ptr(),
            ridge: self.ridge,
            rates: self.rates,
        };
        let mut swept = Swept {
            settled: true,
            ..Swept::default()
        };
        // Whole vectors regardless of where groups end, and then the groups
        // while they are in cache: parts of vectors are slow to write.
        let (mut tile, mut number) = (0, 0);
        while tile < self.grouped {
            let (groups, end) = self.tile(tile, number);
            // SAFETY: these weights are within the slices, whose lengths were
            // checked; this is the shell of I.
            swept.gain += f64::from(unsafe { add_up::<I>(Step(&body), tile, end - tile) });
            let mut next = tile;
            for group in number..number + groups {
                let (inputs, factor) = match self.groups {
                    None => (1, 1.0),
                    Some(groups) => (groups[group].range.len(), groups[group].factor),
                };
                let (start, length) = (next, inputs * self.h);
                next += length;
                let lambda = self.lambda * factor;
                // SAFETY: as above.
                let squares = unsafe { add_up::<I>(Squares(&body), start, length) };
                let norm = f64::from(squares).sqrt();
                let factor = self.penalty.shrink(norm, self.gamma, lambda);
                let shrunk = norm * factor;
                swept.squares += shrunk * shrunk;
                swept.penalty += self.penalty.value(shrunk, lambda);
                if factor == 1.0 {
                    continue;
                }
                if factor == 0.0 {
                    swept.dead += inputs;
                    // SAFETY: as above.
                    swept.gain -= f64::from(unsafe { add_up::<I>(Gain(&body), start, length) });
                } else {
                    swept.settled = false;
                }
                // SAFETY: as above.
                unsafe { body.scale::<I>(start, length, factor as f32) };
            }
            (tile, number) = (end, number + groups);
        }
        // By parts, whose sums of squares go on in 64 bit.
        for (start, part) in parts(self.grouped, count - self.grouped, LONGEST_SUM) {
            // SAFETY: as above.
            unsafe {
                swept.gain += f64::from(add_up::<I>(Step(&body), start, part));
                swept.squares += f64::from(add_up::<I>(Squares(&body), start, part));
            }
        }
        swept.gain *= self.rates.correction;
        *self.swept = swept;
    }
}

impl AdamSweep<'_> {
    /// How many groups from this one, which starts at `start`, are a tile, and where it ends.
    #[inline(always)]
    fn tile(&self, start: usize, number: usize) -> (usize, usize) {
        let full = start + INPUTS * self.h;
        let Some(all) = self.groups else {
            let end = self.grouped.min(full);
            return ((end - start) / self.h, end);
        };
        let (mut groups, mut end) = (0, start);
        while end < self.grouped && end < full {
            end += all[number + groups].range.len() * self.h;
            groups += 1;
        }
        (groups, end)
    }
}

/// Inputs per tile: with this many a tile is a whole number of vectors, whatever
/// the number of weights of each.
const INPUTS: usize = 16;

/// So many squares are added up in single precision at most.
const LONGEST_SUM: usize = 1 << 12;

/// [`AdamSweep`] with its lengths checked. Every method's caller vouches for
/// `count` numbers from `start`, and for the shell of `I`.
struct Body {
    weights: *const f32,
    gradient: *const f32,
    mean: *mut f32,
    square: *mut f32,
    target: *mut f32,
    ridge: f32,
    rates: AdamRates,
}

impl Body {
    /// z ← factor·z
    #[inline(always)]
    unsafe fn scale<I: Isa>(&self, start: usize, count: usize, factor: f32) {
        for (at, part) in parts(start, count, I::WIDTH) {
            // SAFETY: `part` of the caller's numbers start at `at`.
            unsafe {
                let z = read::<I>(self.target.add(at), part);
                let z = I::mul_add(I::splat(factor), z, I::splat(0.0));
                write::<I>(z, self.target.add(at), part);
            }
        }
    }
}

/// Adam's step z = w − s into the target; m·s.
struct Step<'a>(&'a Body);

// SAFETY: reads and writes the given numbers of the body.
unsafe impl Terms for Step<'_> {
    #[inline(always)]
    unsafe fn add<I: Isa>(&self, at: usize, part: usize, gain: I::Vector) -> I::Vector {
        let (body, zero) = (self.0, I::splat(0.0));
        // SAFETY: as the caller vouches.
        unsafe {
            let w = read::<I>(body.weights.add(at), part);
            let g = read::<I>(body.gradient.add(at), part);
            let g = I::mul_add(I::splat(2.0 * body.ridge), w, g);
            let fresh = I::mul_add(I::splat(1.0 - BETA1), g, zero);
            let m = read::<I>(body.mean.add(at), part);
            let m = I::mul_add(I::splat(BETA1), m, fresh);
            let fresh = I::mul_add(I::mul_add(I::splat(1.0 - BETA2), g, zero), g, zero);
            let v = read::<I>(body.square.add(at), part);
            let v = I::mul_add(I::splat(BETA2), v, fresh);
            let spread = I::splat(body.rates.spread);
            let scale = I::mul_add(I::sqrt(v), spread, I::splat(EPSILON));
            let s = I::divide(I::mul_add(I::splat(body.rates.step), m, zero), scale);
            write::<I>(m, body.mean.add(at), part);
            write::<I>(v, body.square.add(at), part);
            write::<I>(I::mul_add(I::splat(-1.0), s, w), body.target.add(at), part);
            I::mul_add(m, s, gain)
        }
    }
}

/// z²
struct Squares<'a>(&'a Body);

// SAFETY: reads the given numbers of the body.
unsafe impl Terms for Squares<'_> {
    #[inline(always)]
    unsafe fn add<I: Isa>(&self, at: usize, part: usize, squares: I::Vector) -> I::Vector {
        // SAFETY: as the caller vouches.
        let z = unsafe { read::<I>(self.0.target.add(at), part) };
        I::mul_add(z, z, squares)
    }
}

/// m·(w − z)
struct Gain<'a>(&'a Body);

// SAFETY: reads the given numbers of the body.
unsafe impl Terms for Gain<'_> {
    #[inline(always)]
    unsafe fn add<I: Isa>(&self, at: usize, part: usize, gain: I::Vector) -> I::Vector {
        // SAFETY: as the caller vouches.
        unsafe {
            let w = read::<I>(self.0.weights.add(at), part);
            let z = read::<I>(self.0.target.add(at), part);
            let m = read::<I>(self.0.mean.add(at), part);
            I::mul_add(m, I::mul_add(I::splat(-1.0), z, w), gain)
        }
    }
}

/// Reads a vector or the part of it that is there.
///
/// # Safety
/// `from` must be good for `part` numbers; the shell must be that of `I`.
#[inline(always)]
unsafe fn read<I: Isa>(from: *const f32, part: usize) -> I::Vector {
    // SAFETY: as the caller vouches.
    unsafe {
        if part == I::WIDTH {
            I::load(from)
        } else {
            I::load_first(from, part)
        }
    }
}

/// Writes a vector or the part of it that is there.
///
/// # Safety
/// `to` must be good for `part` numbers; the shell must be that of `I`.
#[inline(always)]
unsafe fn write<I: Isa>(vector: I::Vector, to: *mut f32, part: usize) {
    // SAFETY: as the caller vouches.
    unsafe {
        if part == I::WIDTH {
            I::store(vector, to);
        } else {
            I::store_first(vector, to, part);
        }
    }
}
