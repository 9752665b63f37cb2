//! The steps of the default protocol on many draws, a module each; `protocol.rs` puts them
//! together.
//!
//! A draw is a fit with rows held out and starts of its own; each picks its own
//! (ridge, λ). One fit is a lottery: validation on a few rows keeps noise that
//! happens to help them, and a start can lose a column that matters. But noise
//! differs from draw to draw, and what matters does not.

mod judge;
mod pick;
mod refit;
mod second_look;
mod vote;

pub use judge::{Judged, judge};
pub use pick::{Pick, first_path, pick};
pub use refit::{Refitted, refit};
pub use second_look::second_look;
pub use vote::{Vote, cap_weights, vote};

use super::jobs::Paths;
use super::scale::Scale;
use super::{Context, rounds};
use crate::error::Result;

/// The draws of a fit.
pub struct Draws<'a> {
    /// Their paths, a split for each draw.
    pub paths: Paths<'a>,
    /// The scale of all rows.
    pub scale: Scale,
}

/// Draws rows and traces every path.
pub fn draw(context: Context) -> Result<Draws> {
    let mut paths = Paths::new(context)?;
    rounds::run(&mut paths)?;
    let rows: Vec<usize> = (0..context.data.n()).collect();
    Ok(Draws {
        paths,
        scale: Scale::learn(context.data, &rows, context.settings),
    })
}
