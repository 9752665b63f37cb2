//! Plain arrays, which the compiler turns into the target's own vectors (SSE2
//! on x86-64, NEON on aarch64).

use super::Isa;

/// Whether the target has a fused multiply-add without being asked for it.
pub const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

pub struct Portable;

const WIDTH: usize = 4;
type Four = [f32; WIDTH];

// SAFETY: nothing here needs more than the target has.
unsafe impl Isa for Portable {
    type Vector = Four;
    const WIDTH: usize = WIDTH;
    const UNITS: usize = 5;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Four {
        // SAFETY: the caller vouches for four numbers.
        unsafe { from.cast::<Four>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(vector: Four, to: *mut f32) {
        // SAFETY: the caller vouches for four numbers.
        unsafe { to.cast::<Four>().write_unaligned(vector) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Four {
        let mut vector = [0.0; WIDTH];
        // SAFETY: the caller vouches for `count` numbers.
        let given = unsafe { std::slice::from_raw_parts(from, count) };
        for (to, &from) in vector.iter_mut().zip(given) {
            *to = from;
        }
        vector
    }

    #[inline(always)]
    unsafe fn store_first(vector: Four, to: *mut f32, count: usize) {
        // SAFETY: the caller vouches for `count` numbers.
        let room = unsafe { std::slice::from_raw_parts_mut(to, count) };
        for (to, from) in room.iter_mut().zip(vector) {
            *to = from;
        }
    }

    #[inline(always)]
    fn splat(value: f32) -> Four {
        [value; WIDTH]
    }

    #[inline(always)]
    fn mul_add(x: Four, y: Four, z: Four) -> Four {
        std::array::from_fn(|i| {
            if FUSED {
                x[i].mul_add(y[i], z[i])
            } else {
                x[i] * y[i] + z[i]
            }
        })
    }

    #[inline(always)]
    fn divide(x: Four, y: Four) -> Four {
        std::array::from_fn(|i| x[i] / y[i])
    }

    #[inline(always)]
    fn sqrt(x: Four) -> Four {
        x.map(f32::sqrt)
    }

    #[inline(always)]
    fn where_positive(x: Four, y: Four) -> Four {
        std::array::from_fn(|i| if y[i] > 0.0 { x[i] } else { 0.0 })
    }

    #[inline(always)]
    fn sum(x: Four) -> f32 {
        // Unseen by the compiler, which would otherwise lay out the sums of a
        // tile for this addition and not for the many before it.
        let x = std::hint::black_box(x);
        (x[0] + x[2]) + (x[1] + x[3])
    }
}
