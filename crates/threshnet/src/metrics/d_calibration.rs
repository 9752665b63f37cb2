//! Whether survival curves are right as distributions: where they are, Sᵢ(tᵢ) at the event times is
//! uniform on [0, 1].
//!
//! Every row counts in ten bins of equal width. One with the event is in the bin of S = Sᵢ(tᵢ); one
//! that is censored may have had it anywhere below S, and is spread evenly over [0, S]. With N_b
//! what the rows of a bin count and N what all do,
//!
//! ```text
//! χ² = Σ_b (N_b − N/10)² / (N/10)   with 9 degrees of freedom
//! ```
//!
//! (Haider, Hoehn, Davis & Greiner 2020, JMLR 21(85):1–63), as `d_calibration` of SurvivalEVAL. A
//! small p says that the curves are wrong; a large one that these rows do not show it.

use super::{Survival, check_probability, check_rows};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const BINS: usize = 10;

/// The test, and what it is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DCalibration {
    /// The statistic.
    pub chi_squared: f64,
    /// Bins less one.
    pub degrees: usize,
    /// How often right curves have one as large.
    pub p: f64,
    /// What the rows of each bin count, from survival of 1 down to 0.
    pub bins: Vec<f64>,
}

/// The test for the predicted survival of every row at its own time.
pub fn d_calibration(rows: Survival, survival: &[f64]) -> Result<DCalibration> {
    rows.check("scored")?;
    check_rows(rows.time.len(), "predicted survival", survival.len())?;
    check_probability("predicted survival", survival)?;
    let width = 1.0 / BINS as f64;
    // (as numpy.linspace counts down, so that what lies on an edge is in the same bin)
    let edge = |k: usize| {
        if k == BINS {
            0.0
        } else {
            1.0 - width * k as f64
        }
    };
    let mut bins = vec![0.0; BINS];
    for (row, _, event) in rows.counting() {
        let (at, weight) = (survival[row], rows.weights.at(row));
        let own = (0..BINS - 1)
            .find(|&k| at >= edge(k + 1))
            .unwrap_or(BINS - 1);
        if event || at == 0.0 {
            bins[own] += weight;
            continue;
        }
        bins[own] += weight * (at - edge(own + 1)) / at;
        for bin in &mut bins[own + 1..] {
            *bin += weight * width / at;
        }
    }
    let expected = bins.iter().sum::<f64>() / BINS as f64;
    let chi_squared = bins.iter().map(|n| (n - expected).powi(2) / expected).sum();
    let degrees = BINS - 1;
    let distribution = ChiSquared::new(degrees as f64).expect("there is a degree of freedom");
    Ok(DCalibration {
        chi_squared,
        degrees,
        p: distribution.sf(chi_squared),
        bins,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_rows_are_calibrated_and_equal_ones_are_not() {
        let time: Vec<f64> = (0..100).map(f64::from).collect();
        let event = vec![true; 100];
        let rows = Survival::new(&time, &event);
        let even: Vec<f64> = (0..100).map(|i| (f64::from(i) + 0.5) / 100.0).collect();
        let found = d_calibration(rows, &even).unwrap();
        assert_eq!(found.bins, [10.0; 10]);
        assert_eq!((found.chi_squared, found.p), (0.0, 1.0));
        let same = d_calibration(rows, &[0.45; 100]).unwrap();
        assert_eq!((same.bins[5], same.p < 1e-10), (100.0, true));
        // a row of which nothing is known but that it lived is spread evenly
        let censored = d_calibration(Survival::new(&[1.0], &[false]), &[1.0]).unwrap();
        assert!(censored.bins.iter().all(|bin| (bin - 0.1).abs() < 1e-15));
    }

    #[test]
    fn what_is_no_survival_is_refused() {
        let rows = Survival::new(&[1.0, 2.0], &[true, true]);
        for (survival, problem) in [(&[0.5][..], "1 rows"), (&[0.5, 1.1], "1.1 in row 2")] {
            let said = d_calibration(rows, survival).unwrap_err().to_string();
            assert!(said.contains(problem), "{said}");
        }
        assert!(d_calibration(Survival::new(&[], &[]), &[]).is_err());
    }
}
