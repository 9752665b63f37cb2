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
pub use pick::{Pick, first_path, pick};
pub use refit::{Refitted, refit};
pub use second_look::second_look;
use second_look::sees_pairs;
pub use vote::{Vote, cap_weights, vote};

use super::choose::{choose, gather};
use super::contest::{Hopeless, Rival};
use super::fold_loss::{FoldLoss, mean_over_folds};
use super::jobs::Paths;
use super::scale::Scale;
use super::score::Point;
use super::{Constants, Context, rounds};
use crate::error::Result;
use std::ops::Range;

/// The draws of a fit.
pub struct Draws<'a> {
    /// Their paths, a split for each draw.
    pub paths: Paths<'a>,
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
    let constants = Constants::DEFAULT;
    let pilot = constants.pilot_draws;
    let all = 0..paths.splits();
    match rival {
        Some(rival) if pilot < all.end && rival.losses.len() >= pilot => {
            let [of_pilots, of_others] = constants.race_ridges;
            let races = context.data.n() > constants.race_rows;
            match races {
                true => {
                    rounds::run(&mut paths, 0..1)?;
                    run_best_ridges(&mut paths, 1..pilot, of_pilots)?;
                }
                false => rounds::run(&mut paths, 0..pilot)?,
            }
            if let Some(network) = hopeless(&paths, &rival.losses[..pilot]) {
                return Ok(Drawn::Hopeless(network));
            }
            match races {
                true => run_best_ridges(&mut paths, pilot..all.end, of_others)?,
                false => rounds::run(&mut paths, pilot..all.end)?,
            }
        }
        _ => rounds::run(&mut paths, all)?,
    }
    let rows: Vec<usize> = (0..context.data.n()).collect();
    Ok(Drawn::All(Box::new(Draws {
        paths,
        scale: Scale::learn(context.data, &rows, context.settings),
    })))
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
fn hopeless(paths: &Paths, rival: &[f64]) -> Option<Hopeless> {
    let settings = paths.context.settings;
    let (mut losses, mut behind, mut sizes) = (vec![], vec![], vec![]);
    let (mut explained, mut null) = (0.0, 0.0);
    for (draw, &rival) in rival.iter().enumerate() {
        let cells = gather(paths, draw..draw + 1);
        let best = &cells[choose(&cells, settings).ok()?];
        if best.validation_loss <= rival {
            return None;
        }
        let fold = |loss| FoldLoss { loss, weight: 1.0 };
        explained += paths.null_loss(draw) - rival;
        null += paths.null_loss(draw);
        losses.push(fold(best.validation_loss));
        behind.push(fold(best.validation_loss - rival));
        sizes.push(best.size);
    }
    let constants = Constants::DEFAULT;
    let total: f64 = behind.iter().map(|fold| fold.loss).sum();
    let far = explained > 0.0 && total > constants.hopeless_share * explained;
    // (where a linear model explains next to nothing, columns may matter together)
    let little = explained < constants.little_explained * null;
    let hope = || little && settings.look_again && sees_pairs(paths, 0..rival.len());
    (far && !hope()).then(|| Hopeless {
        loss: mean_over_folds(losses.iter().copied()),
        behind: mean_over_folds(behind.iter().copied()),
        size: crate::statistics::mean(sizes.into_iter()).round() as usize,
    })
}
