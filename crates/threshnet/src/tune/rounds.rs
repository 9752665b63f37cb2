//! Which ridges are traced, in which round.
//!
//! Without a wish to save there is one round of all ridges. To save, every
//! other ridge goes first; what it shows decides about the others. A round ends
//! before the next begins, so no decision depends on which thread came first.

use super::choose::gather;
use super::jobs::Paths;
use super::{Cell, Constants};
use crate::error::Result;
use crate::settings::{Settings, Validation};
use std::ops::Range;

/// Traces these ridges alone of these splits.
pub fn run_ridges(paths: &mut Paths, splits: Range<usize>, ridges: &[usize]) -> Result<()> {
    let of_split = |split| match splits.contains(&split) {
        true => ridges.to_vec(),
        false => vec![],
    };
    let plan: Vec<Vec<usize>> = (0..paths.splits()).map(of_split).collect();
    paths.run(&plan)
}

/// Traces the paths of these splits, in as many rounds as it takes.
pub fn run(paths: &mut Paths, splits: Range<usize>) -> Result<()> {
    let settings = paths.context.settings;
    let planned = first(settings);
    let count = paths.splits();
    let of_splits = |ridges: &dyn Fn(usize) -> Vec<usize>| -> Vec<Vec<usize>> {
        let of_split = |split| match splits.contains(&split) {
            true => ridges(split),
            false => vec![],
        };
        (0..count).map(of_split).collect()
    };
    let plan = of_splits(&|_| planned.clone());
    paths.run(&plan)?;
    if planned.len() < settings.ridges.len() {
        let by = |splits| second(settings, &gather(paths, splits));
        // by what all splits have shown, or each draw by itself
        let plan = match settings.validation {
            Validation::Draws { .. } => of_splits(&|split| by(split..split + 1)),
            _ => of_splits(&|_| by(splits.clone())),
        };
        paths.run(&plan)?;
    }
    Ok(())
}

/// The first round: all ridges or, to save, every other one down from the
/// largest.
fn first(settings: &Settings) -> Vec<usize> {
    let last = settings.ridges.len() - 1;
    (0..=last)
        .filter(|ridge| !settings.skip_ridges || (last - ridge).is_multiple_of(2))
        .collect()
}

/// The second round: of the other ridges those beside a promising one.
/// `cells` is the grid after the first round.
fn second(settings: &Settings, cells: &[Cell]) -> Vec<usize> {
    let lowest: Vec<Option<&Cell>> = cells
        .chunks_exact(settings.lambdas.len())
        .map(|of_ridge| {
            let losses = of_ridge.iter().filter(|c| c.validation_loss.is_finite());
            losses.min_by(|a, b| a.validation_loss.total_cmp(&b.validation_loss))
        })
        .collect();
    let loss = |ridge: usize| lowest[ridge].map_or(f64::INFINITY, |cell| cell.validation_loss);
    let best =
        (lowest.iter().flatten()).min_by(|a, b| a.validation_loss.total_cmp(&b.validation_loss));
    let bound = best.map_or(f64::INFINITY, |cell| {
        // (a single held-out event has no standard error)
        cell.validation_loss + (Constants::DEFAULT.skipping_margin * cell.validation_se).max(0.0)
    });
    let known = first(settings);
    (0..settings.ridges.len())
        .filter(|ridge| !known.contains(ridge))
        .filter(|ridge| {
            let beside = |other: usize| other.abs_diff(*ridge) == 1 && loss(other) <= bound;
            known.iter().any(|&other| beside(other))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Size};
    use crate::solver::Status;

    /// Settings that save, with so many ridges.
    fn saving(ridges: usize) -> Settings {
        let mut settings = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            Size::new(100, 5, Task::Regression),
        );
        settings.lambdas = vec![0.1, 0.2];
        settings.ridges = (0..ridges).map(|r| r as f64).collect();
        settings.skip_ridges = true;
        settings
    }

    /// The second round after these lowest losses, with a standard error of 1; `None` for
    /// ridges that are not known or diverged.
    fn planned(losses: &[Option<f64>]) -> Vec<usize> {
        let cell = |ridge: usize, lambda: f64, loss: Option<f64>| Cell {
            ridge: ridge as f64,
            lambda,
            size: 1.0,
            train_loss: 1.0,
            validation_loss: loss.unwrap_or(f64::NAN),
            validation_se: 1.0,
            epochs: 1,
            status: Status::Converged,
        };
        let cells: Vec<Cell> = (losses.iter().enumerate())
            .flat_map(|(r, &loss)| [cell(r, 0.1, loss), cell(r, 0.2, loss.map(|l| l + 9.0))])
            .collect();
        second(&saving(losses.len()), &cells)
    }

    #[test]
    fn the_first_round_ends_with_the_largest_ridge() {
        assert_eq!(first(&saving(10)), [1, 3, 5, 7, 9]);
        assert_eq!(first(&saving(5)), [0, 2, 4]);
        assert_eq!(first(&saving(1)), [0]);
        let all = Settings {
            skip_ridges: false,
            ..saving(3)
        };
        assert_eq!(first(&all), [0, 1, 2]);
    }

    #[test]
    fn a_ridge_beside_no_promising_one_is_skipped() {
        let losses = [
            None,
            Some(3.0),
            None,
            Some(2.4),
            None,
            Some(2.0),
            None,
            Some(2.6),
        ];
        assert_eq!(planned(&losses), [2, 4, 6]);
    }

    #[test]
    fn what_diverged_is_not_promising() {
        assert_eq!(planned(&[None, Some(2.0), None, None, None, None]), [0, 2]);
        // with nothing to go by, nothing is skipped
        assert_eq!(planned(&[None; 4]), [0, 2]);
    }
}
