//! Sums in one order on every instruction set.
//!
//! A sum over many numbers is held as sixteen partial ones, number i in the one with number i mod
//! 16, in one, two or four vectors. Halves of them are then added until one is left: partial sum i
//! and i + 8, then i + 4, i + 2, i + 1. So nothing depends on the width of a vector.

use super::{Isa, LANES};

/// The most vectors that sixteen partial sums take.
pub const MOST_VECTORS: usize = 4;

/// Sixteen partial sums in the first [`Isa::VECTORS`] of these.
pub type Partial<V> = [V; MOST_VECTORS];

/// Their sum.
#[inline(always)]
pub fn sum<I: Isa>(mut partial: Partial<I::Vector>) -> f32 {
    let mut vectors = I::VECTORS;
    while vectors > 1 {
        vectors /= 2;
        for i in 0..vectors {
            partial[i] = I::mul_add(I::splat(1.0), partial[i], partial[i + vectors]);
        }
    }
    I::sum(partial[0])
}

/// What is added up. `add` must be `#[inline(always)]`: a closure is not always inlined into the
/// shell, and is compiled without its instructions then.
///
/// # Safety
/// `add` may read and write as [`add_up`]'s caller vouches.
pub unsafe trait Terms {
    /// Adds the terms of the `count` ≤ `I::WIDTH` numbers from `at` to partial sums.
    ///
    /// # Safety
    /// Only inside the shell of `I`, and for numbers that are there.
    unsafe fn add<I: Isa>(&self, at: usize, count: usize, sums: I::Vector) -> I::Vector;
}

/// The sum of the terms of `count` numbers from `start`.
///
/// # Safety
/// Only inside the shell of `I`, and for numbers that are there.
#[inline(always)]
pub unsafe fn add_up<I: Isa>(terms: impl Terms, start: usize, count: usize) -> f32 {
    let mut partial = [I::splat(0.0); MOST_VECTORS];
    let end = start + count;
    let whole = end - count % LANES;
    for at in (start..whole).step_by(LANES) {
        for (i, sums) in partial[..I::VECTORS].iter_mut().enumerate() {
            // SAFETY: as the caller vouches.
            *sums = unsafe { terms.add::<I>(at + i * I::WIDTH, I::WIDTH, *sums) };
        }
    }
    for (sums, (at, left)) in partial.iter_mut().zip(parts(whole, end - whole, I::WIDTH)) {
        // SAFETY: as the caller vouches.
        *sums = unsafe { terms.add::<I>(at, left, *sums) };
    }
    sum::<I>(partial)
}

/// `count` numbers from `start` in parts of at most `width`: (start, length).
#[inline(always)]
pub fn parts(start: usize, count: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count)
        .step_by(width)
        .map(move |offset| (start + offset, width.min(count - offset)))
}
