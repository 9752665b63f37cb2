//! A fit for people: a page that needs no network, figures for papers, a model card. All of it
//! is made of a [`FitReport`], without the data.
//!
//! # Map
//!
//! | module | what it does |
//! | --- | --- |
//! | `figure`, `figures` | what is drawn |
//! | `plotly`, `svg` | drawing it, for the page and for files |
//! | `words`, `checks`, `table` | saying it, once for page and card |
//! | `page` | `report.html`, by the template in `page/` |
//! | `card` | `model-card.md`, by the template in `card/` |
//! | `methods` | `methods.md`: a methods section with its citations, and a TRIPOD+AI table |

mod card;
mod checks;
mod figure;
mod figures;
mod methods;
mod page;
mod plotly;
mod svg;
mod table;
pub mod words;

pub use card::card;
pub use methods::markdown as methods;
pub use page::html;

use anyhow::Result;
use threshnet::report::FitReport;

/// How the names of figures begin and end in an output folder.
const FIGURE: (&str, &str) = ("figure-", ".svg");

/// Whether this is the name of a figure's file in an output folder.
pub fn is_figure(file: &str) -> bool {
    (file
        .strip_prefix(FIGURE.0)
        .and_then(|rest| rest.strip_suffix(FIGURE.1)))
    .is_some_and(figures::is_one)
}

/// All figures as SVG, with the names of their files.
pub fn drawings(report: &FitReport) -> Result<Vec<(String, String)>> {
    (figures::all(report).iter())
        .map(|figure| {
            let file = format!("{}{}{}", FIGURE.0, figure.id, FIGURE.1);
            debug_assert!(is_figure(&file), "{file} is not in the list");
            Ok((file, svg::drawing(figure)?))
        })
        .collect()
}
