//! The vectors of AVX-512 and AVX2, and the shells that compile a kernel for
//! them.

use super::{Isa, Kernel, Lanes};
use std::arch::x86_64::*;

/// Compiles a kernel for AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub fn avx2(kernel: impl Kernel) {
    kernel.run::<Avx2>();
}

/// Compiles a kernel for AVX-512.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
pub fn avx512(kernel: impl Kernel) {
    kernel.run::<Avx512>();
}

pub struct Avx2;

// SAFETY: used by the shell `avx2` only.
unsafe impl Isa for Avx2 {
    type Vector = [__m256; 2];
    const UNITS: usize = 5;
    const PAIRS: bool = false;

    #[inline(always)]
    fn load(lanes: &Lanes) -> [__m256; 2] {
        // SAFETY: sixteen aligned numbers; the shell has AVX.
        unsafe {
            let start = lanes.0.as_ptr();
            [_mm256_load_ps(start), _mm256_load_ps(start.add(8))]
        }
    }

    #[inline(always)]
    fn store(vector: [__m256; 2], lanes: &mut Lanes) {
        // SAFETY: sixteen aligned numbers; the shell has AVX.
        unsafe {
            let start = lanes.0.as_mut_ptr();
            _mm256_store_ps(start, vector[0]);
            _mm256_store_ps(start.add(8), vector[1]);
        }
    }

    #[inline(always)]
    fn splat(value: f32) -> [__m256; 2] {
        // SAFETY: the shell has AVX.
        unsafe { [_mm256_set1_ps(value); 2] }
    }

    #[inline(always)]
    fn mul_add(x: [__m256; 2], y: [__m256; 2], z: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: the shell has FMA.
        unsafe {
            [
                _mm256_fmadd_ps(x[0], y[0], z[0]),
                _mm256_fmadd_ps(x[1], y[1], z[1]),
            ]
        }
    }

    #[inline(always)]
    fn sum(vector: [__m256; 2]) -> f32 {
        // SAFETY: the shell has AVX.
        unsafe {
            let eight = _mm256_add_ps(vector[0], vector[1]);
            let four = _mm_add_ps(
                _mm256_castps256_ps128(eight),
                _mm256_extractf128_ps(eight, 1),
            );
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

pub struct Avx512;

// SAFETY: used by the shell `avx512` only.
unsafe impl Isa for Avx512 {
    type Vector = __m512;
    const UNITS: usize = 10;
    const PAIRS: bool = true;

    #[inline(always)]
    fn load(lanes: &Lanes) -> __m512 {
        // SAFETY: sixteen aligned numbers; the shell has AVX-512.
        unsafe { _mm512_load_ps(lanes.0.as_ptr()) }
    }

    #[inline(always)]
    fn store(vector: __m512, lanes: &mut Lanes) {
        // SAFETY: sixteen aligned numbers; the shell has AVX-512.
        unsafe { _mm512_store_ps(lanes.0.as_mut_ptr(), vector) }
    }

    #[inline(always)]
    fn splat(value: f32) -> __m512 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn mul_add(x: __m512, y: __m512, z: __m512) -> __m512 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_fmadd_ps(x, y, z) }
    }

    #[inline(always)]
    fn sum(vector: __m512) -> f32 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_reduce_add_ps(vector) }
    }
}
