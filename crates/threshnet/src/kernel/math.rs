//! exp, exp(x) − 1, ln, ln(1 + x) and erfc in 64 bit without branches, so that a loop over
//! them becomes vector code inside a kernel.
//!
//! Bounds, tested below against the platform's library: relative error at
//! most 10⁻¹⁵ (five units in the last place) for [`exp`] on [−708, 709],
//! [`exp_m1`], [`ln`] and [`ln_1p`], 2·10⁻¹³ for [`erfc`] up to 26.5, beyond
//! which it is below the smallest normal number. NaN stays NaN.

use std::f64::consts::{LOG2_E, SQRT_2};

/// Adding this rounds to a whole number, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
/// ln 2 in two parts: k·LN2_HIGH is exact for |k| < 2¹¹.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// x = k·ln 2 + r with |r| ≤ ln 2/2, for x within [−708, 709]: (2ᵏ as bits to
/// add to an exponent, eʳ − 1 by its Taylor polynomial).
#[inline(always)]
fn reduced(x: f64) -> (u64, f64) {
    const INVERSE_FACTORIALS: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    let bounded = if x > 709.0 { 709.0 } else { x };
    let bounded = if bounded < -708.0 { -708.0 } else { bounded };
    let shifted = bounded * LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (bounded - k * LN2_HIGH) - k * LN2_LOW;
    let mut p = INVERSE_FACTORIALS[0];
    for c in &INVERSE_FACTORIALS[1..] {
        p = p * r + c;
    }
    (shifted.to_bits() << 52, (p * r) * r + r)
}

/// eˣ. Below −708 it is 0; above 709 it is e⁷⁰⁹.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (exponent, fraction) = reduced(x);
    let e = 1.0 + fraction;
    let scaled = f64::from_bits(e.to_bits().wrapping_add(exponent));
    let finite = if x < -708.0 { 0.0 } else { scaled };
    if x.is_nan() { x } else { finite }
}

/// eˣ − 1 for x ≤ 0, with the small values of a small x.
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let (exponent, fraction) = reduced(x);
    let power = f64::from_bits(1f64.to_bits().wrapping_add(exponent));
    let value = power * fraction + (power - 1.0);
    if x.is_nan() { x } else { value }
}

/// 2·atanh(s) = ln((1 + s)/(1 − s)) = 2·Σ s²ⁱ⁺¹/(2i + 1), up to i = N: 16 will do
/// for |s| ≤ 1/3, 11 for |s| ≤ 0.172.
#[inline(always)]
fn double_atanh<const N: u32>(s: f64) -> f64 {
    let q = s * s;
    let mut p = 1.0 / f64::from(2 * N + 1);
    for i in (1..N).rev() {
        p = p * q + 1.0 / f64::from(2 * i + 1);
    }
    2.0 * s + 2.0 * s * q * p
}

/// ln x for normal x > 0: x = 2ᵏ·m with m within [1/√2, √2].
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const HALF_ROOT: u64 = (SQRT_2 / 2.0).to_bits();
    let offset = x.to_bits().wrapping_sub(HALF_ROOT);
    // The exponent as a number: its bits under those of 2⁵².
    let biased = (offset >> 52) ^ 0x800; // two's complement of 12 bits, made positive
    let k = f64::from_bits(0x4330_0000_0000_0000 | biased) - 4_503_599_627_372_544.0;
    let m = f64::from_bits((offset & 0x000F_FFFF_FFFF_FFFF).wrapping_add(HALF_ROOT));
    let fraction = double_atanh::<11>((m - 1.0) / (m + 1.0));
    let value = k * LN2_HIGH + (k * LN2_LOW + fraction);
    if x.is_nan() { x } else { value }
}

/// ln(1 + x) for 0 ≤ x ≤ 1, with the small values of a small x.
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    double_atanh::<16>(x / (2.0 + x))
}

/// erfc x: with t = 2/(2 + |x|), t·exp(−x² + P(2t − 1)), P a Chebyshev series of
/// log(erfc(x)·exp(x²)/t), summed by Clenshaw's recurrence.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    const SERIES: [f64; 28] = [
        -2.8159725590597756e-17,
        1.2101771903391955e-16,
        -9.456988821418283e-17,
        -1.523032285384786e-15,
        7.10610069878699e-15,
        3.8108845811235927e-16,
        -1.1270822257678351e-13,
        3.130921399343172e-13,
        8.944879262721407e-13,
        -6.886027524430104e-12,
        2.3940380799538945e-12,
        9.646791102423924e-11,
        -2.2736512229824113e-10,
        -9.913641564870331e-10,
        5.059343495544564e-09,
        6.5290544391066195e-09,
        -8.523809591493513e-08,
        1.562644172207549e-08,
        1.303655835580513e-06,
        -1.6242900046470148e-06,
        -2.0278578112534255e-05,
        4.252332480690778e-05,
        0.00036683949785276145,
        -0.0009465953444820368,
        -0.009561514786808632,
        0.019476473204185836,
        0.6419697923564902,
        -0.6513268598908547,
    ];
    let z = x.abs();
    let t = 2.0 / (2.0 + z);
    let u = 2.0 * t - 1.0;
    let (mut b, mut before) = (0.0, 0.0);
    for c in &SERIES[..27] {
        (b, before) = (2.0 * u * b - before + c, b);
    }
    let p = u * b - before + SERIES[27];
    let tail = t * exp(p - z * z);
    if x >= 0.0 { tail } else { 2.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::LN_2;

    fn relative(found: f64, exact: f64) -> f64 {
        if exact == 0.0 {
            found.abs()
        } else {
            (found / exact - 1.0).abs()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn exp_is_within_its_bound(x in -708.0f64..709.0, small in -1.0f64..1.0) {
            prop_assert!(relative(exp(x), x.exp()) < 1e-15, "{x}");
            prop_assert!(relative(exp(small), small.exp()) < 1e-15, "{small}");
        }

        #[test]
        fn exp_m1_is_within_its_bound(x in -50.0f64..0.0, exponent in -300.0f64..0.0) {
            prop_assert!(relative(exp_m1(x), x.exp_m1()) < 1e-15, "{x}");
            let tiny = -10f64.powf(exponent);
            prop_assert!(relative(exp_m1(tiny), tiny.exp_m1()) < 1e-15, "{tiny}");
        }

        #[test]
        fn ln_is_within_its_bound(exponent in -300.0f64..300.0, near in 0.5f64..2.0) {
            let x = 10f64.powf(exponent);
            prop_assert!(relative(ln(x), x.ln()) < 1e-15, "{x}");
            prop_assert!(relative(ln(near), near.ln()) < 1e-15, "{near}");
        }

        #[test]
        fn ln_1p_is_within_its_bound(x in 0.0f64..1.0, exponent in -300.0f64..0.0) {
            prop_assert!(relative(ln_1p(x), x.ln_1p()) < 1e-15, "{x}");
            let tiny = 10f64.powf(exponent);
            prop_assert!(relative(ln_1p(tiny), tiny.ln_1p()) < 1e-15, "{tiny}");
        }

        #[test]
        fn erfc_is_within_its_bound(x in -6.0f64..26.5) {
            prop_assert!(relative(erfc(x), libm::erfc(x)) < 2e-13, "{x}");
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1000.0), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(1000.0).is_finite() && exp(1000.0) > 1e307);
        assert_eq!((ln(1.0), ln_1p(0.0), ln_1p(1.0)), (0.0, 0.0, LN_2));
        assert!((ln(f64::MAX) - f64::MAX.ln()).abs() < 1e-12);
        assert!((ln(f64::MIN_POSITIVE) - f64::MIN_POSITIVE.ln()).abs() < 1e-12);
        assert!(exp(f64::NAN).is_nan() && ln(f64::NAN).is_nan() && ln_1p(f64::NAN).is_nan());
        assert!(erfc(f64::NAN).is_nan() && exp_m1(f64::NAN).is_nan());
        assert_eq!((exp_m1(0.0), exp_m1(-1000.0)), (0.0, -1.0));
    }
}
