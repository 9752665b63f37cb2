//! The vectors of AVX-512 and AVX2, and the shells that compile a kernel for
//! them.

use super::{Isa, Kernel};
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

/// Eight lanes that are all on below `count`.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn first_of_eight(count: usize) -> __m256i {
    // SAFETY: the caller has AVX2.
    unsafe {
        _mm256_cmpgt_epi32(
            _mm256_set1_epi32(count as i32),
            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
        )
    }
}

// SAFETY: used by the shell `avx2` only.
unsafe impl Isa for Avx2 {
    type Vector = __m256;
    const WIDTH: usize = 8;
    const UNITS: usize = 5;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m256 {
        // SAFETY: the caller vouches for eight numbers; the shell has AVX.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(vector: __m256, to: *mut f32) {
        // SAFETY: the caller vouches for eight numbers; the shell has AVX.
        unsafe { _mm256_storeu_ps(to, vector) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> __m256 {
        // SAFETY: the caller vouches for `count` numbers, masked ones are not
        // read; the shell has AVX2.
        unsafe { _mm256_maskload_ps(from, first_of_eight(count)) }
    }

    #[inline(always)]
    unsafe fn store_first(vector: __m256, to: *mut f32, count: usize) {
        // SAFETY: as in `load_first`.
        unsafe { _mm256_maskstore_ps(to, first_of_eight(count), vector) }
    }

    #[inline(always)]
    fn splat(value: f32) -> __m256 {
        // SAFETY: the shell has AVX.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    fn mul_add(x: __m256, y: __m256, z: __m256) -> __m256 {
        // SAFETY: the shell has FMA.
        unsafe { _mm256_fmadd_ps(x, y, z) }
    }

    #[inline(always)]
    fn divide(x: __m256, y: __m256) -> __m256 {
        // SAFETY: the shell has AVX.
        unsafe { _mm256_div_ps(x, y) }
    }

    #[inline(always)]
    fn sqrt(x: __m256) -> __m256 {
        // SAFETY: the shell has AVX.
        unsafe { _mm256_sqrt_ps(x) }
    }

    #[inline(always)]
    fn where_positive(x: __m256, y: __m256) -> __m256 {
        // SAFETY: the shell has AVX.
        unsafe { _mm256_and_ps(x, _mm256_cmp_ps(y, _mm256_setzero_ps(), _CMP_GT_OQ)) }
    }

    #[inline(always)]
    fn sum(vector: __m256) -> f32 {
        // SAFETY: the shell has AVX.
        unsafe {
            let four = _mm_add_ps(
                _mm256_castps256_ps128(vector),
                _mm256_extractf128_ps(vector, 1),
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
    const WIDTH: usize = 16;
    const UNITS: usize = 10;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        // SAFETY: the caller vouches for sixteen numbers; the shell has AVX-512.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(vector: __m512, to: *mut f32) {
        // SAFETY: the caller vouches for sixteen numbers; the shell has AVX-512.
        unsafe { _mm512_storeu_ps(to, vector) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> __m512 {
        // SAFETY: the caller vouches for `count` numbers, masked ones are not
        // read; the shell has AVX-512.
        unsafe { _mm512_maskz_loadu_ps(((1u32 << count) - 1) as __mmask16, from) }
    }

    #[inline(always)]
    unsafe fn store_first(vector: __m512, to: *mut f32, count: usize) {
        // SAFETY: as in `load_first`.
        unsafe { _mm512_mask_storeu_ps(to, ((1u32 << count) - 1) as __mmask16, vector) }
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
    fn divide(x: __m512, y: __m512) -> __m512 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_div_ps(x, y) }
    }

    #[inline(always)]
    fn sqrt(x: __m512) -> __m512 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_sqrt_ps(x) }
    }

    #[inline(always)]
    fn where_positive(x: __m512, y: __m512) -> __m512 {
        // SAFETY: the shell has AVX-512.
        unsafe {
            let positive = _mm512_cmp_ps_mask(y, _mm512_setzero_ps(), _CMP_GT_OQ);
            _mm512_maskz_mov_ps(positive, x)
        }
    }

    #[inline(always)]
    fn sum(vector: __m512) -> f32 {
        // SAFETY: the shell has AVX-512.
        unsafe { _mm512_reduce_add_ps(vector) }
    }
}
