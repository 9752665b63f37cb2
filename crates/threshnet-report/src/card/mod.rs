//! `model-card.md`: a fit in the headings of a model card (Mitchell et al. 2019), made of its
//! own figures. It holds no date and no time: the same fit has the same card.

use crate::words;
use askama::Template;
use askama::filters::Escaper;
use std::borrow::Borrow;
use std::fmt;
use threshnet::dataset::Task;
use threshnet::format::short;
use threshnet::report::{FitReport, LossName, OutcomeKind, ratio_name};
use threshnet::settings::Named;

/// How many selected columns the card lists.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "model-card.md")]
struct Card<'a> {
    report: &'a FitReport,
    /// The outcome by its columns.
    outcome: String,
    /// What it predicts, in a few words.
    subject: String,
    model: String,
    is_survival: bool,
}

/// The text of `model-card.md`.
pub fn card(report: &FitReport) -> String {
    let outcome = report.outcome.columns.join(" and ");
    let is_survival = report.task == Task::Cox;
    let card = Card {
        report,
        subject: match is_survival {
            true => format!("survival ({outcome})"),
            false => outcome.clone(),
        },
        outcome,
        model: words::model(&report.model),
        is_survival,
    };
    card.render().expect("a text takes all that is written")
}

impl Card<'_> {
    /// What the ratio of a coefficient is called.
    fn ratio(&self) -> Option<&'static str> {
        ratio_name(self.report.task).map(|(_, title)| title)
    }

    /// A coefficient, and its ratio where it has one.
    fn told(&self, coefficient: impl Borrow<f64>) -> String {
        let coefficient = *coefficient.borrow();
        match self.ratio() {
            None => short(coefficient),
            Some(_) => format!("{} ({})", short(coefficient), short(coefficient.exp())),
        }
    }

    fn share(&self, rows: usize) -> String {
        let percent = 100.0 * rows as f64 / self.report.data.n as f64;
        format!("{rows} rows ({percent:.1} %)")
    }
}

/// Shows a text, such as the name of a column, as it is: within a line or a table.
#[derive(Clone, Copy)]
pub struct Markdown;

impl Escaper for Markdown {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                // A line break would end the row of a table.
                c if c.is_control() => out.write_char(' ')?,
                // Everything that can begin a mark, a tag or an entity, or end a cell.
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '|' | '~' | '!'
                | '$' => write!(out, "\\{c}")?,
                c => out.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_they_are() {
        for (name, shown) in [
            ("IL-6 (log2)", "IL-6 (log2)"),
            ("a|b_c*d\n", "a\\|b\\_c\\*d "),
            ("<b>&lt;[x](y)", "\\<b\\>\\&lt;\\[x\\](y)"),
        ] {
            let mut text = String::new();
            Markdown.write_escaped_str(&mut text, name).unwrap();
            assert_eq!(text, shown);
        }
    }
}
