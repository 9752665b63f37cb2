//! The steps of the default protocol on many draws, a module each; `protocol.rs` puts them
//! together.
//!
//! A draw is a fit with rows held out and starts of its own; each picks its own
//! (ridge, λ). One fit is a lottery: validation on a few rows keeps noise that
//! happens to help them, and a start can lose a column that matters. But noise
//! differs from draw to draw, and what matters does not.

mod bag;
mod judge;
mod pairs;
mod pick;
mod refit;
mod second_look;
mod vote;

pub use bag::{Bag, bag};
pub use judge::{Judged, judge};
pub use pick::{Pick, first_path};
pub use refit::{Refitted, refit};
use second_look::Again;
pub use vote::{Vote, cap_weights, vote};

use super::choose::{choose, gather};
use super::contest::{Hopeless, Rival};
use super::fold_loss::{FoldLoss, mean_over_folds};
use super::jobs::Paths;
use super::scale::Scale;
use super::score::Point;
use super::{Cell, Constants, Context, rounds};
use crate::error::Result;
use std::ops::Range;

/// The draws of a fit.
pub struct Draws<'a> {
    /// Their paths, a split for each draw.
    pub paths: Paths<'a>,
    /// Those of a second look.
    again: Again<'a>,
    /// The scale of all rows.
    pub scale: Scale,
}

/// What comes of drawing.
pub enum Drawn<'a> {
    /// Every path of every draw that is wanted.
    All(Box<Draws<'a>>),
    /// The first were far behind their rival.
    Hopeless(Hopeless),
}

/// Draws rows and traces every path; with a rival those of the first draws before the others.
pub fn draw<'a>(context: Context<'a>, rival: Option<&Rival>) -> Result<Drawn<'a>> {
    let mut paths = Paths::new(context)?;
    let mut again = Again::new(&paths);
    let constants = Constants::DEFAULT;
    let all = 0..paths.splits();
    let rival = rival.filter(|rival| rival.losses.len() >= all.end);
    match rival {
        Some(rival) if constants.pilot_draws < all.end => {
            let (pilot, others) = (0..constants.pilot_draws, constants.pilot_draws..all.end);
            let [of_pilots, of_others] = constants.race_ridges;
            let races = context.data.n() > constants.race_rows;
            match races {
                true => {
                    rounds::run(&mut paths, 0..1)?;
                    run_best_ridges(&mut paths, 1..pilot.end, of_pilots)?;
                }
                false => rounds::run(&mut paths, pilot.clone())?,
            }
            again.look(&paths, pilot.clone(), Some(rival))?;
            if let Some(network) = hopeless(&paths, &again, &rival.losses[pilot.clone()]) {
                return Ok(Drawn::Hopeless(network));
            }
            match races {
                true => run_best_ridges(&mut paths, others.clone(), of_others)?,
                false => rounds::run(&mut paths, others.clone())?,
            }
            again.look(&paths, others, Some(rival))?;
        }
        _ => {
            rounds::run(&mut paths, all.clone())?;
            again.look(&paths, all, rival)?;
        }
    }
    let rows: Vec<usize> = (0..context.data.n()).collect();
    Ok(Drawn::All(Box::new(Draws {
        paths,
        again,
        scale: Scale::learn(context.data, &rows, context.settings),
    })))
}

/// What each draw picks, after a second look where it had one.
pub fn pick(draws: &mut Draws) -> Result<Vec<Pick>> {
    let first = pick::pick(&mut draws.paths, &draws.scale)?;
    draws.again.better(first, &draws.scale)
}

/// Traces those ridges of some draws, so many, that are best on the draws before them.
fn run_best_ridges(paths: &mut Paths, draws: Range<usize>, count: usize) -> Result<()> {
    let ridges = best_ridges(paths, 0..draws.start, count);
    rounds::run_ridges(paths, draws, &ridges)
}

/// The ridges under which these draws have the lowest losses, so many, ascending.
fn best_ridges(paths: &Paths, draws: Range<usize>, count: usize) -> Vec<usize> {
    let settings = paths.context.settings;
    let least = |ridge: &usize| -> f64 {
        let traced = paths.traced(*ridge, draws.clone());
        let of_draw = |points: &[Point]| {
            let losses = points.iter().map(|point| point.validation.mean);
            losses.fold(f64::INFINITY, f64::min)
        };
        match traced.len() == draws.len() {
            true => traced.iter().map(|traced| of_draw(&traced.points)).sum(),
            false => f64::INFINITY,
        }
    };
    let mut ridges: Vec<usize> = (0..settings.ridges.len()).collect();
    ridges.sort_by(|a, b| least(a).total_cmp(&least(b)));
    ridges.truncate(count);
    ridges.sort_unstable();
    ridges
}

/// Whether every one of the first draws, at its best, is behind its rival, and together by a large
/// part of what that explains: then others would change nothing.
fn hopeless(paths: &Paths, again: &Again, rival: &[f64]) -> Option<Hopeless> {
    let settings = paths.context.settings;
    let (mut losses, mut behind, mut sizes) = (vec![], vec![], vec![]);
    let mut explained = 0.0;
    for (draw, &rival) in rival.iter().enumerate() {
        let best_of = |paths: &Paths| {
            let cells = gather(paths, draw..draw + 1);
            Some(cells[choose(&cells, settings).ok()?])
        };
        let (first, second) = (best_of(paths)?, again.paths(draw).and_then(best_of));
        let better = second.filter(|cell| cell.validation_loss < first.validation_loss);
        let Cell {
            validation_loss: loss,
            size,
            ..
        } = better.unwrap_or(first);
        if loss <= rival {
            return None;
        }
        let fold = |loss| FoldLoss { loss, weight: 1.0 };
        explained += paths.null_loss(draw) - rival;
        losses.push(fold(loss));
        behind.push(fold(loss - rival));
        sizes.push(size);
    }
    let total: f64 = behind.iter().map(|fold| fold.loss).sum();
    let far = explained > 0.0 && total > Constants::DEFAULT.hopeless_share * explained;
    far.then(|| Hopeless {
        loss: mean_over_folds(losses.iter().copied()),
        behind: mean_over_folds(behind.iter().copied()),
        size: crate::statistics::mean(sizes.into_iter()).round() as usize,
    })
}
