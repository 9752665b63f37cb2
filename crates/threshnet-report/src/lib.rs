//! `report.html`: a fit for a person, in one file that needs no network.
//!
//! # Map
//!
//! | module | what it does |
//! | --- | --- |
//! | `gather`, `held_out`, `source` | data and fit become a `record`, which is `report.json` |
//! | `files` | the files of a fit's folder, read back: all the rest is made of them alone |
//! | `figure`, `figures` | what is drawn |
//! | `plotly`, `svg` | drawing it, for the page and for files |
//! | `words`, `checks`, `verdict`, `table` | saying it |
//! | `page` | putting it together, by the template in `page/` |

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
mod verdict;
mod words;

pub use files::Files;
pub use gather::{Origin, record};
pub use page::html;
pub use verdict::is_needed;

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
