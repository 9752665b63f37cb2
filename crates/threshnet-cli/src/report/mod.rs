//! `report.html`: a fit for a person, in one file that needs no network.
//!
//! `gather.rs` makes `report.json` of data and fit ([`record`]). Everything else is made of
//! the folder's files alone ([`files`]): [`figures`] say what is drawn, `plotly.rs` and
//! `svg.rs` draw it, [`words`] and [`checks`] say it, `page.rs` puts it together.

mod checks;
mod figure;
mod figures;
mod files;
mod gather;
mod held_out;
mod page;
mod plotly;
mod record;
mod source;
mod svg;
mod table;
mod words;

pub use files::Files;
pub use gather::record;
pub use page::html;

use anyhow::Result;

/// How the names of figures begin and end in an output folder.
pub const FIGURE: (&str, &str) = ("figure-", ".svg");

/// All figures as SVG, with the names of their files.
pub fn drawings(files: &Files) -> Result<Vec<(String, String)>> {
    (figures::all(files).iter())
        .map(|figure| {
            Ok((
                format!("{}{}{}", FIGURE.0, figure.id, FIGURE.1),
                svg::drawing(figure)?,
            ))
        })
        .collect()
}
