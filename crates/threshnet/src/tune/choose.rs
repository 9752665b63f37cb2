//! The grid put together from its folds, and the rule that picks from it.

use super::search::{Search, Traced};
use super::{Cell, diverged};
use crate::error::Result;
use crate::settings::{Rule, Settings, Validation};
use crate::solver::Status;
use std::ops::Range;

/// Puts these splits of every (ridge, λ) together.
pub fn gather(search: &Search, splits: Range<usize>) -> Vec<Cell> {
    let settings = search.settings;
    let mut cells = Vec::with_capacity(settings.ridges.len() * settings.lambdas.len());
    for (r, &ridge) in settings.ridges.iter().enumerate() {
        let splits = search.of_ridge(r, splits.clone());
        for (k, &lambda) in settings.lambdas.iter().enumerate() {
            cells.push(match splits.is_empty() {
                true => skipped(ridge, lambda),
                false => cell((ridge, lambda), &splits, k),
            });
        }
    }
    cells
}

/// The means over the splits at the λ with this position.
fn cell((ridge, lambda): (f64, f64), splits: &[&Traced], k: usize) -> Cell {
    let count = splits.len() as f64;
    let points = || splits.iter().map(|traced| &traced.points[k]);
    let (validation_loss, validation_se) = match splits {
        // the very numbers, so that no rounding makes a tie
        [only] => only.points[k].validation,
        _ => mean_over_folds((splits.iter()).map(|t| (t.points[k].validation.0, t.weight))),
    };
    let status = points().map(|p| p.status).max_by_key(|s| s.severity());
    Cell {
        ridge,
        lambda,
        size: points().map(|p| p.size as f64).sum::<f64>() / count,
        train_loss: points().map(|p| p.train_loss).sum::<f64>() / count,
        validation_loss,
        validation_se,
        epochs: points().map(|p| p.epochs).sum(),
        status: status.expect("there is at least one split"),
    }
}

/// The mean of (score, weight) over at least two folds, and its standard error.
pub fn mean_over_folds(scores: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let total: f64 = scores.clone().map(|(_, weight)| weight).sum();
    let weighted = scores.clone().map(|(score, weight)| weight * score);
    let mean = weighted.sum::<f64>() / total;
    let squares = scores
        .clone()
        .map(|(score, weight)| weight * (score - mean).powi(2));
    let spread = squares.sum::<f64>() / total;
    (mean, (spread / (scores.count() as f64 - 1.0)).sqrt())
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

/// The position of the cell that the rule picks.
pub fn choose(cells: &[Cell], settings: &Settings) -> Result<usize> {
    if settings.validation == Validation::None {
        return match cells[0].status {
            Status::Diverged => Err(diverged(settings)),
            _ => Ok(0),
        };
    }
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
