//! What the machine can do on the instruction set in use: the rates that
//! kernels are measured against.

use std::hint::black_box;
use std::time::Instant;
use threshnet::kernel::{Isa, Kernel, LANES, Lanes, as_rows, dispatch};

/// Independent sums: more than latency × throughput of a fused multiply-add on
/// any machine of today (10), few enough for 16 registers.
const CHAINS: usize = 12;

/// z ← z·x + y, `steps` times in each of [`CHAINS`] vectors.
struct FmaChains {
    steps: usize,
}

impl Kernel for FmaChains {
    #[inline(always)]
    fn run<I: Isa>(self) {
        // Numbers that stay finite and normal: z goes to 2.
        let (x, y) = (I::splat(black_box(0.5)), I::splat(black_box(1.0)));
        let mut sums = [I::splat(0.0); CHAINS];
        for _ in 0..self.steps {
            for z in &mut sums {
                *z = I::mul_add(*z, x, y);
            }
        }
        black_box(sums.map(I::sum));
    }
}

/// Numbers per vector of the instruction set in use.
struct Width<'a>(&'a mut usize);

impl Kernel for Width<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        *self.0 = I::WIDTH;
    }
}

/// Runs `steps` rounds of multiply-adds at the machine's peak.
pub fn multiply_add(steps: usize) {
    dispatch(FmaChains { steps });
}

/// The FLOPs of [`multiply_add`].
pub fn flops(steps: usize) -> u64 {
    let mut width = 0;
    dispatch(Width(&mut width));
    (2 * CHAINS * width * steps) as u64
}

/// FLOP/s at the peak: the best of several tries, because other work on the
/// machine only ever slows one down.
pub fn peak() -> f64 {
    const STEPS: usize = 1 << 20;
    (0..20)
        .map(|_| {
            let start = Instant::now();
            multiply_add(STEPS);
            flops(STEPS) as f64 / start.elapsed().as_secs_f64()
        })
        .fold(0.0, f64::max)
}

/// Seconds that the processor has worked for the threads of this process, waiting not counted:
/// what other work on the machine does not add to. Linux only.
pub fn processor_seconds() -> std::io::Result<f64> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let times = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let running = times.split(' ').next().and_then(|t| t.parse::<u64>().ok());
        nanoseconds += running.unwrap_or(0);
    }
    Ok(nanoseconds as f64 * 1e-9)
}

/// Reads all numbers once.
pub struct Read<'a>(pub &'a [Lanes]);

#[allow(unsafe_code)] // a kernel
impl Kernel for Read<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        const ABREAST: usize = 4;
        let mut sums = [[I::splat(0.0); LANES]; ABREAST];
        for lanes in self.0.chunks_exact(ABREAST) {
            for (sums, part) in sums.iter_mut().zip(lanes) {
                let rows = as_rows(std::slice::from_ref(part));
                for (sum, part) in sums.iter_mut().zip(rows.chunks_exact(I::WIDTH)) {
                    // SAFETY: a part has the width; this is the shell of I.
                    *sum = unsafe { I::mul_add(I::splat(1.0), I::load(part.as_ptr()), *sum) };
                }
            }
        }
        black_box(sums.map(|sums| sums.map(I::sum)));
    }
}
