//! Do groups of rows differ in survival? At every event time, with d events among n rows
//! at risk of which n_g are of group g (each row by what it counts),
//!
//! ```text
//! O_g − E_g = Σ (d_g − d n_g/n)
//! V_gh      = Σ d (n − d)/(n − 1) · (n_g/n) ([g = h] − n_h/n)
//! χ²        = (O − E)ᵀ V⁻¹ (O − E)   over all groups but one,
//! ```
//!
//! which has k − 1 degrees of freedom for k groups that do not differ (Mantel 1966,
//! Cancer Chemotherapy Reports 50:163–170). As `survdiff` of R's survival and
//! `multivariate_logrank_test` of lifelines.

use super::{Survival, ascending, check_rows, total_of};
use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The log-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogRank {
    /// The statistic.
    pub chi_squared: f64,
    /// Groups less one.
    pub degrees: usize,
    /// The chance of a statistic this large if the groups do not differ.
    pub p: f64,
}

/// The test for rows of these groups, numbered from 0.
pub fn log_rank(rows: Survival, group: &[usize]) -> Result<LogRank> {
    rows.check("tested")?;
    check_rows(rows.time.len(), "group", group.len())?;
    let groups = group.iter().max().map_or(0, |g| g + 1);
    let mut at_risk = vec![0.0; groups];
    for (row, &g) in group.iter().enumerate() {
        at_risk[g] += rows.weights.at(row);
    }
    if groups < 2 || at_risk.contains(&0.0) {
        return Err(Error::Data(
            "a log-rank test needs two groups or more, each with rows".into(),
        ));
    }
    let others = groups - 1;
    let mut excess = DVector::zeros(others);
    let mut variance = DMatrix::zeros(others, others);
    let mut order = ascending(rows.time);
    // (where no row counts nobody is at risk)
    order.retain(|&row| rows.weights.at(row) > 0.0);
    for tied in order.chunk_by(|&a, &b| rows.time[a] == rows.time[b]) {
        let n: f64 = at_risk.iter().sum();
        let events = tied.iter().filter(|&&i| rows.event[i]);
        let d = total_of(events.clone(), rows.weights);
        for &i in events.filter(|&&i| group[i] < others) {
            excess[group[i]] += rows.weights.at(i);
        }
        let spread = if n > 1.0 {
            d * (n - d) / (n - 1.0)
        } else {
            0.0
        };
        for g in 0..others {
            let share = at_risk[g] / n;
            excess[g] -= d * share;
            for h in 0..others {
                let same = if g == h { 1.0 } else { 0.0 };
                variance[(g, h)] += spread * share * (same - at_risk[h] / n);
            }
        }
        for &i in tied {
            at_risk[group[i]] -= rows.weights.at(i);
        }
    }
    let solved = variance.cholesky().map(|root| root.solve(&excess));
    let weighted = solved.ok_or_else(|| {
        Error::Data("too few events in some group for a log-rank test of them".into())
    })?;
    let chi_squared = excess.dot(&weighted);
    let distribution = ChiSquared::new(others as f64).expect("there is a degree of freedom");
    Ok(LogRank {
        chi_squared,
        degrees: others,
        p: distribution.sf(chi_squared),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: [f64; 14] = [
        5.0, 6.0, 6.0, 2.5, 4.0, 4.0, 1.0, 7.0, 3.0, 3.0, 8.0, 2.0, 9.0, 2.5,
    ];
    const EVENT: [bool; 14] = [
        true, false, true, true, true, true, true, false, true, false, true, true, false, true,
    ];

    #[test]
    fn as_lifelines() {
        let rows = Survival::new(&TIME, &EVENT);
        // lifelines 0.30.3, multivariate_logrank_test(time, group, event)
        let two = [0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1];
        let three = [0, 0, 0, 1, 1, 2, 1, 2, 1, 2, 0, 1, 2, 2];
        for (group, degrees, (chi_squared, p)) in [(two, 1, TWO), (three, 2, THREE)] {
            let found = log_rank(rows, &group).unwrap();
            assert!((found.chi_squared - chi_squared).abs() < 1e-9, "{found:?}");
            assert!((found.p - p).abs() < 1e-9, "{found:?}");
            assert_eq!(found.degrees, degrees);
        }
    }

    const TWO: (f64, f64) = (9.985_472_573_296_336, 0.001_577_800_571_283_610_6);
    const THREE: (f64, f64) = (10.147_709_128_852_79, 0.006_258_250_758_759_876);

    #[test]
    fn what_cannot_be_tested_is_refused() {
        let rows = Survival::new(&[1.0, 2.0], &[true, true]);
        assert!(log_rank(rows, &[0, 0]).is_err());
        assert!(log_rank(rows, &[0, 2]).is_err());
        assert!(log_rank(rows, &[0]).is_err());
        let censored = Survival::new(&[1.0, 2.0], &[false, false]);
        assert!(log_rank(censored, &[0, 1]).is_err());
    }
}
