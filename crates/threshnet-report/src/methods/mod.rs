//! `methods.md`: the methods section that a paper on this fit needs, made of what the fit did, and a
//! TRIPOD+AI table. What the fit cannot know is marked for the authors, and so is every sentence that
//! only they can write.

mod judged;
mod sources;
mod text;
mod tripod;

pub use text::{Methods, methods};
pub use tripod::{Item, items};

use crate::words;
use askama::Template;
use threshnet::report::FitReport;

#[derive(Template)]
#[template(path = "methods.md")]
struct Page<'a> {
    outcome: String,
    methods: Methods,
    items: Vec<Item>,
    version: &'a str,
}

/// The text of `methods.md`.
pub fn markdown(report: &FitReport) -> String {
    let page = Page {
        outcome: words::outcome(report),
        methods: methods(report),
        items: items(report),
        version: &report.version,
    };
    page.render().expect("a text takes all that is written")
}
