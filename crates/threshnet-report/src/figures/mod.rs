//! What each figure of a report shows.

pub mod effects;
pub mod held_out;
pub mod path;
pub mod validation;

use super::figure::Figure;
use super::files::Files;

/// All figures of a fit, in the order of the page.
pub fn all(files: &Files) -> Vec<Figure> {
    let record = &files.record;
    let mut figures = Vec::new();
    figures.extend(path::norms(files));
    figures.extend(path::sizes(files));
    figures.extend(validation::surface(files));
    figures.extend(validation::curve(files));
    for (number, effect) in record.effects.iter().enumerate() {
        figures.push(effects::curve(files, number, effect));
    }
    figures.extend(
        record
            .joint
            .as_ref()
            .map(|joint| effects::joint(files, joint)),
    );
    if let Some(held_out) = &record.held_out {
        figures.extend(held_out::figures(files, held_out));
    }
    figures
}
