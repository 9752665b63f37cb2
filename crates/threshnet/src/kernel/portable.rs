//! Plain arrays, which the compiler turns into the target's own vectors (SSE2
//! on x86-64, NEON on aarch64).

use super::{Isa, LANES, Lanes};

/// Whether the target has a fused multiply-add without being asked for it.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

pub struct Portable;

// SAFETY: nothing here needs more than the target has.
unsafe impl Isa for Portable {
    type Vector = [f32; LANES];
    const UNITS: usize = 2;
    const PAIRS: bool = false;

    #[inline(always)]
    fn load(lanes: &Lanes) -> [f32; LANES] {
        lanes.0
    }

    #[inline(always)]
    fn store(vector: [f32; LANES], lanes: &mut Lanes) {
        lanes.0 = vector;
    }

    #[inline(always)]
    fn splat(value: f32) -> [f32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn mul_add(x: [f32; LANES], y: [f32; LANES], mut z: [f32; LANES]) -> [f32; LANES] {
        for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
            *z = if FUSED { x.mul_add(y, *z) } else { x * y + *z };
        }
        z
    }

    #[inline(always)]
    fn sum(mut vector: [f32; LANES]) -> f32 {
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                vector[lane] += vector[lane + half];
            }
        }
        vector[0]
    }
}
