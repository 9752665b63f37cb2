//! The cases, by what is hostile.

mod binary;
mod commands;
mod fits;
mod text;

use super::{Case, Fits};

/// All of them.
pub fn all(fits: &Fits) -> Vec<Case> {
    let parts = [
        text::texts(),
        text::outcomes(),
        text::lists(),
        binary::arrays(),
        binary::matrices(),
        binary::tables(),
        fits::models(fits),
        fits::predictions(),
        fits::reports(fits),
        commands::settings(),
        commands::commands(),
        commands::folders(),
    ];
    parts.into_iter().flatten().collect()
}
