//! The grid put together from its folds, and the rule that picks from it.

use super::Cell;
use super::fold_loss::{FoldLoss, mean_over_folds};
use super::jobs::{Paths, Traced};
use crate::error::{Error, Result};
use crate::settings::{Rule, Settings};
use crate::solver::Status;
use std::ops::Range;

/// A point of the grid, by the numbers of its ridge and λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridPoint {
    pub ridge: usize,
    pub lambda: usize,
}

impl GridPoint {
    /// That of a cell with this position.
    pub fn of_cell(cell: usize, settings: &Settings) -> Self {
        GridPoint {
            ridge: cell / settings.lambdas.len(),
            lambda: cell % settings.lambdas.len(),
        }
    }

    /// The position of its cell.
    pub fn cell(self, settings: &Settings) -> usize {
        self.ridge * settings.lambdas.len() + self.lambda
    }
}

/// Puts these splits of every (ridge, λ) together.
pub fn gather(paths: &Paths, splits: Range<usize>) -> Vec<Cell> {
    let settings = paths.context.settings;
    let mut cells = Vec::with_capacity(settings.ridges.len() * settings.lambdas.len());
    for (r, &ridge) in settings.ridges.iter().enumerate() {
        let traced = paths.traced(r, splits.clone());
        for (k, &lambda) in settings.lambdas.iter().enumerate() {
            let skipped = skipped(ridge, lambda);
            cells.push(match traced.is_empty() {
                true => skipped,
                false => cell(skipped, &traced, k),
            });
        }
    }
    cells
}

/// A cell that was not skipped: the means over the splits at the λ with this position.
fn cell(skipped: Cell, splits: &[&Traced], k: usize) -> Cell {
    let count = splits.len() as f64;
    let points = || splits.iter().map(|traced| &traced.points[k]);
    let validation = match splits {
        // the very numbers, so that no rounding makes a tie
        [only] => only.points[k].validation,
        _ => mean_over_folds(splits.iter().map(|traced| FoldLoss {
            loss: traced.points[k].validation.mean,
            weight: traced.weight,
        })),
    };
    let status = points().map(|p| p.status).max_by_key(|s| s.severity());
    Cell {
        size: points().map(|p| p.size as f64).sum::<f64>() / count,
        train_loss: points().map(|p| p.train_loss).sum::<f64>() / count,
        validation_loss: validation.mean,
        validation_se: validation.se,
        epochs: points().map(|p| p.epochs).sum(),
        status: status.expect("there is at least one split"),
        ..skipped
    }
}

/// A cell that can never be chosen.
fn skipped(ridge: f64, lambda: f64) -> Cell {
    Cell {
        ridge,
        lambda,
        size: f64::NAN,
        train_loss: f64::NAN,
        validation_loss: f64::NAN,
        validation_se: f64::NAN,
        epochs: 0,
        status: Status::Skipped,
    }
}

/// No fit is left to choose.
pub fn diverged(settings: &Settings) -> Error {
    Error::Data(settings.solver.divergence(settings.standardize))
}

/// The position of the cell that the rule picks.
pub fn choose(cells: &[Cell], settings: &Settings) -> Result<usize> {
    // Among equals the sparser: the later λ of the earlier ridge.
    let mut best: Option<usize> = None;
    for (i, cell) in cells
        .iter()
        .enumerate()
        .filter(|(_, c)| c.validation_loss.is_finite())
    {
        let better = best.is_none_or(|b| {
            let (loss, champion) = (cell.validation_loss, &cells[b]);
            loss < champion.validation_loss
                || loss == champion.validation_loss && cell.ridge == champion.ridge
        });
        if better {
            best = Some(i);
        }
    }
    let best = best.ok_or_else(|| diverged(settings))?;
    if settings.rule == Rule::Min {
        return Ok(best);
    }
    let bound = cells[best].validation_loss + cells[best].validation_se;
    let end = (best / settings.lambdas.len() + 1) * settings.lambdas.len();
    Ok((best..end)
        .rev()
        .find(|&i| cells[i].validation_loss <= bound)
        .unwrap_or(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Size};

    /// A grid of two ridges by three λs with these (loss, standard error).
    fn chosen(scores: [(f64, f64); 6], rule: Rule) -> Result<usize> {
        let mut settings = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            Size::new(100, 5, Task::Regression),
        );
        settings.lambdas = vec![0.1, 0.2, 0.3];
        settings.ridges = vec![0.01, 0.02];
        settings.rule = rule;
        let cells: Vec<Cell> = (scores.iter().enumerate())
            .map(|(i, &(validation_loss, validation_se))| Cell {
                ridge: settings.ridges[i / 3],
                lambda: settings.lambdas[i % 3],
                size: 1.0,
                train_loss: 1.0,
                validation_loss,
                validation_se,
                epochs: 1,
                status: Status::Converged,
            })
            .collect();
        choose(&cells, &settings)
    }

    #[test]
    fn the_rules_pick_within_their_ridge_and_pass_over_what_diverged() {
        let nan = (f64::NAN, f64::NAN);
        let cells = [
            (3.0, 1.0),
            (2.0, 1.0),
            (2.5, 1.0),
            (4.0, 1.0),
            (2.2, 1.0),
            (2.9, 1.0),
        ];
        assert_eq!(chosen(cells, Rule::Min).unwrap(), 1);
        assert_eq!(chosen(cells, Rule::OneStandardError).unwrap(), 2);
        let gaps = [nan, nan, nan, (4.0, 2.0), (2.2, 0.5), nan];
        assert_eq!(chosen(gaps, Rule::Min).unwrap(), 4);
        assert_eq!(chosen(gaps, Rule::OneStandardError).unwrap(), 4);
        // among equals the sparser
        assert_eq!(chosen([(1.0, 0.0); 6], Rule::Min).unwrap(), 2);
        // a single held-out event has no standard error
        let unknown = [(1.0, f64::NAN), (2.0, f64::NAN), nan, nan, nan, nan];
        assert_eq!(chosen(unknown, Rule::OneStandardError).unwrap(), 0);
        assert!(chosen([nan; 6], Rule::Min).is_err());
    }
}
