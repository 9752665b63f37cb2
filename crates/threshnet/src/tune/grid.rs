//! λs found in the data.
//!
//! A pilot path at the middle ridge tells how many columns s(λ) each λ leaves. From
//! shortly before the last λ that leaves all of them to the first that leaves none, λs are
//! placed at equal steps of
//!
//! ```text
//! ½·ln λ / (its range) − ½·ln(1 + s(λ)) / (its range),
//! ```
//!
//! which rises with λ: where columns die in numbers steps are short, so that none removes
//! more than its share of those that are left, and where none dies λs do not stay away.

use super::part::{Part, Start};
use crate::error::{Error, Result};
use crate::path::Step;
use crate::settings::{Settings, log_grid};
use crate::solver::Observer;

/// The pilot's λs: fewer than a path has …
pub const PILOT_LAMBDAS: usize = 30;
/// … over more than any data need.
const PILOT_RANGE: (f64, f64) = (1e-4, 2.0);
/// A path begins so many of the pilot's steps before its first loss, since weights that
/// come from a start at random and not from a smaller λ are smaller, and die sooner.
const BEFORE: usize = 4;

/// As many λs as the settings have, for the rows of a part.
pub fn adapted(part: &Part, settings: &Settings, observer: &dyn Observer) -> Result<Vec<f64>> {
    let (smallest, largest) = PILOT_RANGE;
    let pilot = Settings {
        lambdas: log_grid(smallest, largest, PILOT_LAMBDAS),
        ridges: vec![settings.ridges[settings.ridges.len() / 2]],
        relax: None,
        ..settings.clone()
    };
    let start = match &settings.init {
        Some(model) => Start::Given(&model.networks[0]),
        None => Start::Random,
    };
    let steps = part.trace(&pilot, (0, 0, 0), (start, true), observer);
    if steps.len() < PILOT_LAMBDAS {
        return Err(Error::Cancelled);
    }
    let size = |step: &Step| (step.lambda, step.network.inputs.len());
    let sizes: Vec<(f64, usize)> = steps.iter().map(size).collect();
    Ok(spread(&sizes, settings.lambdas.len()))
}

/// `count` λs between the ends of what a pilot saw happen.
fn spread(sizes: &[(f64, usize)], count: usize) -> Vec<f64> {
    let most = sizes.iter().map(|(_, size)| *size).max().unwrap_or(0);
    let all = sizes.iter().rposition(|(_, size)| *size == most);
    let from = all.unwrap_or(0).saturating_sub(BEFORE).min(sizes.len() - 2);
    let none = sizes.iter().position(|(_, size)| *size == 0);
    let to = none.unwrap_or(sizes.len() - 1).max(from + 1);
    let seen = &sizes[from..=to];
    if count == 1 {
        return vec![seen[0].0];
    }
    let logs: Vec<f64> = seen.iter().map(|(lambda, _)| lambda.ln()).collect();
    let depths: Vec<f64> = (seen.iter())
        .map(|(_, size)| -(1.0 + *size as f64).ln())
        .collect();
    let share = |values: &[f64], i: usize| {
        let range = values[values.len() - 1] - values[0];
        // (nothing died)
        if range > 0.0 {
            (values[i] - values[0]) / range
        } else {
            0.0
        }
    };
    // A column that came back lets the second term fall; the sum must not.
    let mut way: Vec<f64> = (0..seen.len())
        .map(|i| (share(&logs, i) + share(&depths, i)) / 2.0)
        .collect();
    for i in 1..way.len() {
        let least = way[i - 1] + 1e-9;
        way[i] = way[i].max(least);
    }
    let end = way[way.len() - 1];
    (0..count)
        .map(|k| {
            let at = end * k as f64 / (count - 1) as f64;
            let i = way[1..].partition_point(|&w| w < at).min(way.len() - 2);
            let part = ((at - way[i]) / (way[i + 1] - way[i])).clamp(0.0, 1.0);
            (logs[i] + part * (logs[i + 1] - logs[i])).exp()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_begin_where_columns_die_and_crowd_where_many_do() {
        let sizes = [
            (0.005, 100),
            (0.006, 100),
            (0.007, 100),
            (0.008, 100),
            (0.009, 100),
            (0.01, 100),
            (0.1, 10),
            (1.0, 9),
            (10.0, 0),
            (100.0, 0),
        ];
        let lambdas = spread(&sizes, 41);
        assert_eq!(lambdas.len(), 41);
        assert!((lambdas[0] - 0.006).abs() < 1e-9 && (lambdas[40] - 10.0).abs() < 1e-9);
        assert!(lambdas.is_sorted_by(|a, b| a < b));
        let between = |a: f64, b: f64| lambdas.iter().filter(|l| **l > a && **l < b).count();
        // three decades after the first: 90 columns, one, and the last nine
        assert!(between(0.01, 0.1) > 2 * between(0.1, 1.0));
        assert!(between(1.0, 10.0) > 2 * between(0.1, 1.0));
        assert!(between(0.1, 1.0) >= 5);
    }

    #[test]
    fn whatever_the_pilot_saw_lambdas_rise() {
        for sizes in [
            vec![(0.1, 5), (0.2, 5), (0.4, 5)],
            vec![(0.1, 0), (0.2, 0), (0.4, 0)],
            vec![(0.1, 5), (0.2, 0), (0.4, 0)],
            vec![(0.1, 5), (0.2, 3), (0.4, 4), (0.8, 1)],
            vec![(0.1, 3), (0.2, 5), (0.4, 4), (0.8, 1)],
        ] {
            let lambdas = spread(&sizes, 20);
            assert!(lambdas.is_sorted_by(|a, b| a < b), "{sizes:?} {lambdas:?}");
            assert!(lambdas.iter().all(|l| l.is_finite() && *l > 0.0));
        }
        assert_eq!(spread(&[(0.1, 5), (0.2, 0)], 1), [0.1]);
    }
}
