//! Which ridges are traced, in which round, from where.
//!
//! Without a wish to save there is one round of all ridges. To save, every
//! other ridge goes first; what it shows decides about the others. A round ends
//! before the next begins, so no decision depends on which thread came first.

use super::Cell;
use crate::settings::Settings;

/// A ridge is promising if its lowest validation loss is within this many
/// standard errors of the best. Over 160 replicates of the paper's 300 × 20
/// designs, FNR rises by 3.0 points (SE 1.2, classification) and 1.6 (0.8,
/// survival) without a margin; with this one no change of FPR or FNR exceeds
/// 1.5 of its standard errors, and a quarter of the epochs is saved. Twice the
/// margin saves a fifth.
const MARGIN: f64 = 0.5;

/// A ridge to trace, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    pub ridge: usize,
    /// The ridge whose λ_min network is the start; none for a start of its own.
    pub from: Option<usize>,
}

/// The first round: all ridges or, to save, every other one down from the
/// largest.
pub fn first(settings: &Settings) -> Vec<Planned> {
    let saving = settings.skip_ridges || settings.share_start;
    let last = settings.ridges.len() - 1;
    (0..=last)
        .filter(|ridge| !saving || (last - ridge).is_multiple_of(2))
        .map(|ridge| Planned { ridge, from: None })
        .collect()
}

/// The second round: the other ridges, or those beside a promising one.
/// `cells` is the grid after the first round.
pub fn second(settings: &Settings, cells: &[Cell]) -> Vec<Planned> {
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
        cell.validation_loss + (MARGIN * cell.validation_se).max(0.0)
    });
    let known: Vec<usize> = first(settings)
        .iter()
        .map(|planned| planned.ridge)
        .collect();
    (0..settings.ridges.len())
        .filter(|ridge| !known.contains(ridge))
        .filter_map(|ridge| {
            let neighbours = known.iter().copied().filter(|k| k.abs_diff(ridge) == 1);
            let better = neighbours.min_by(|&a, &b| loss(a).total_cmp(&loss(b)))?;
            if settings.skip_ridges && loss(better) > bound {
                return None;
            }
            let shared = settings.share_start && loss(better).is_finite();
            Some(Planned {
                ridge,
                from: shared.then_some(better),
            })
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

    /// The plan of the second round after these lowest losses, with a standard
    /// error of 1; `None` for ridges that are not known or diverged.
    fn planned(
        losses: &[Option<f64>],
        skip_ridges: bool,
        share_start: bool,
    ) -> Vec<(usize, Option<usize>)> {
        let validation = Protocol::Paper.validation();
        let mut settings = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            validation,
            Size::new(100, 5, Task::Regression),
        );
        settings.lambdas = vec![0.1, 0.2];
        settings.ridges = (0..losses.len()).map(|r| r as f64).collect();
        (settings.skip_ridges, settings.share_start) = (skip_ridges, share_start);
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
        let plan = second(&settings, &cells);
        plan.iter().map(|p| (p.ridge, p.from)).collect()
    }

    #[test]
    fn the_first_round_ends_with_the_largest_ridge() {
        let validation = Protocol::Paper.validation();
        let mut settings = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            validation,
            Size::new(100, 5, Task::Regression),
        );
        let numbers = |settings: &Settings| -> Vec<usize> {
            first(settings)
                .iter()
                .map(|planned| planned.ridge)
                .collect()
        };
        assert_eq!(numbers(&settings), (0..10).collect::<Vec<_>>());
        settings.skip_ridges = true;
        assert_eq!(numbers(&settings), [1, 3, 5, 7, 9]);
        settings.ridges.truncate(5);
        assert_eq!(numbers(&settings), [0, 2, 4]);
        settings.ridges.truncate(1);
        assert_eq!(numbers(&settings), [0]);
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
        let [skip, share, both] =
            [(true, false), (false, true), (true, true)].map(|(a, b)| planned(&losses, a, b));
        assert_eq!(skip, [(2, None), (4, None), (6, None)]);
        let from = [(0, Some(1)), (2, Some(3)), (4, Some(5)), (6, Some(5))];
        assert_eq!(share, from);
        assert_eq!(both, from[1..]);
    }

    #[test]
    fn what_diverged_is_neither_promising_nor_a_start() {
        let losses = [None, Some(2.0), None, None, None, None];
        assert_eq!(planned(&losses, true, true), [(0, Some(1)), (2, Some(1))]);
        assert_eq!(planned(&losses, false, true)[2], (4, None));
        // with nothing to go by, nothing is skipped
        assert_eq!(planned(&[None; 4], true, true), [(0, None), (2, None)]);
    }
}
