//! What becomes of a layer's sums on their way from register to memory.

use super::Isa;

/// Applied to each vector before it is stored; `at` counts numbers from the
/// start of the output.
///
/// # Safety
/// An implementation may read at `at` whatever its kernel writes there, so it
/// must cover as many numbers as the kernel's output: [`covers`](Self::covers)
/// says so.
pub unsafe trait Epilogue: Copy {
    /// Whether there is something for each of `count` outputs.
    fn covers(&self, count: usize) -> bool;
    /// From the sum to what is stored.
    ///
    /// # Safety
    /// Only inside the shell of `I`, and for `at` + `I::WIDTH` covered numbers.
    unsafe fn apply<I: Isa>(&self, sum: I::Vector, at: usize) -> I::Vector;
}

/// The sum itself.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

// SAFETY: reads nothing.
unsafe impl Epilogue for Plain {
    fn covers(&self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<I: Isa>(&self, sum: I::Vector, _: usize) -> I::Vector {
        sum
    }
}

/// max(z, 0): a ReLU layer forward.
#[derive(Debug, Clone, Copy)]
pub struct Relu;

// SAFETY: reads nothing.
unsafe impl Epilogue for Relu {
    fn covers(&self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<I: Isa>(&self, sum: I::Vector, _: usize) -> I::Vector {
        I::where_positive(sum, sum)
    }
}

/// δ where a > 0: a ReLU layer backward, its slope known by its value a.
#[derive(Debug, Clone, Copy)]
pub struct ReluSlope<'a>(pub &'a [f32]);

// SAFETY: `covers` compares the lengths.
unsafe impl Epilogue for ReluSlope<'_> {
    fn covers(&self, count: usize) -> bool {
        self.0.len() >= count
    }

    #[inline(always)]
    unsafe fn apply<I: Isa>(&self, sum: I::Vector, at: usize) -> I::Vector {
        // SAFETY: the caller vouches for `at`.
        unsafe { I::where_positive(sum, I::load(self.0.as_ptr().add(at))) }
    }
}
