//! Scores of predicted numbers:
//!
//! ```text
//! MSE = Σᵢ wᵢ (yᵢ − ŷᵢ)² / Σᵢ wᵢ        R² = 1 − Σᵢ wᵢ (yᵢ − ŷᵢ)² / Σᵢ wᵢ (yᵢ − ȳ)²
//! ```
//!
//! as `sklearn.metrics.mean_squared_error` and `r2_score`. The mean ȳ is that
//! of the scored rows, so R² is negative for a prediction worse than it.

use super::{check_finite, check_rows, check_weights};
use crate::dataset::Weights;
use crate::error::{Error, Result};
use crate::statistics::weighted_mean;

/// The mean squared error.
pub fn mse(y: &[f64], prediction: &[f64], weights: Weights) -> Result<f64> {
    finite(squared_error(y, prediction, weights)? / weights.total(y.len()))
}

/// The coefficient of determination R². Undefined, so an error, for a
/// constant outcome.
pub fn r2(y: &[f64], prediction: &[f64], weights: Weights) -> Result<f64> {
    let residual = squared_error(y, prediction, weights)?;
    // Compared before the mean is taken: rounding of the mean would leave a
    // constant outcome a tiny variance, and R² a huge meaningless value.
    let mut counting = (0..y.len()).filter(|&row| weights.at(row) > 0.0);
    let first = counting.next().map(|row| y[row]);
    if counting.all(|row| Some(y[row]) == first) {
        return Err(Error::Data(
            "the outcome is constant in the scored rows, so there is no variance to explain".into(),
        ));
    }
    let mean = weighted_mean(y.iter().copied(), weights);
    let rows = y.iter().zip(weights.iter(y.len()));
    let total: f64 = rows.map(|(v, w)| w * (v - mean) * (v - mean)).sum();
    finite(1.0 - finite(residual)? / finite(total)?)
}

/// Refuses what came of squares that overflow or vanish.
fn finite(value: f64) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::Data(
        "the squared errors leave the range of 64-bit numbers; rescale the outcome".into(),
    ))
}

fn squared_error(y: &[f64], prediction: &[f64], weights: Weights) -> Result<f64> {
    check_rows(y.len(), "prediction", prediction.len())?;
    check_weights(y.len(), weights)?;
    check_finite("outcome", y)?;
    check_finite("prediction", prediction)?;
    let rows = y.iter().zip(prediction).zip(weights.iter(y.len()));
    Ok(rows.map(|((v, p), w)| w * (v - p) * (v - p)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::mean;
    use proptest::prelude::*;

    const EQUAL: Weights = Weights::EQUAL;

    proptest! {
        /// R² is one for the outcome itself, zero for its mean, and does not
        /// change when both are moved and stretched alike.
        #[test]
        fn r2_is_anchored_and_invariant(
            y in prop::collection::vec(-100i32..100, 2..40),
            noise in prop::collection::vec(-100i32..100, 40),
            shift in -50.0..50.0f64,
            stretch in 0.1..10.0f64,
        ) {
            let y: Vec<f64> = y.into_iter().map(f64::from).collect();
            prop_assume!(y.iter().any(|&v| v != y[0]));
            let p: Vec<f64> = y.iter().zip(&noise).map(|(v, &e)| v + f64::from(e)).collect();
            let mean = mean(y.iter().copied());
            prop_assert_eq!(r2(&y, &y, EQUAL).unwrap(), 1.0);
            prop_assert!(r2(&y, &vec![mean; y.len()], EQUAL).unwrap().abs() < 1e-12);
            let moved = |v: &[f64]| v.iter().map(|a| shift + stretch * a).collect::<Vec<_>>();
            let (a, b) = (r2(&y, &p, EQUAL).unwrap(), r2(&moved(&y), &moved(&p), EQUAL).unwrap());
            prop_assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0));
            let ratio = mse(&moved(&y), &moved(&p), EQUAL).unwrap() / (stretch * stretch);
            prop_assert!((ratio - mse(&y, &p, EQUAL).unwrap()).abs() <= 1e-9 * ratio.max(1.0));
        }
    }

    #[test]
    fn what_is_undefined_is_refused() {
        let says = |r: Result<f64>, what: &str| {
            let message = r.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        // Three times 0.1 has a mean that is not 0.1.
        says(r2(&[0.1; 3], &[0.1, 0.2, 0.3], EQUAL), "constant");
        let few = Weights::new(&[0.0, 1.0, 2.0]);
        says(r2(&[9.0, 0.1, 0.1], &[0.1, 0.2, 0.3], few), "constant");
        for (y, p) in [
            ([1.0, 2.0], [1e200, 0.0]),
            ([1e200, -1e200], [1e200, -1e200]),
            ([f64::MAX, 0.9 * f64::MAX], [0.0, 0.0]),
            ([0.0, 1e-200], [1.0, 1.0]),
            ([0.0, 1e-200], [0.0, 1e-200]),
        ] {
            says(r2(&y, &p, EQUAL), "range of 64-bit");
        }
        says(mse(&[1.0], &[1e200], EQUAL), "range of 64-bit");
        says(mse(&[], &[], EQUAL), "no rows");
        says(mse(&[1.0, 2.0], &[1.0], EQUAL), "1 rows, the outcome has 2");
        says(mse(&[1.0, 2.0], &[1.0, f64::NAN], EQUAL), "row 2");
    }
}
