//! Solution paths in a terminal: a line of bars per column.

use super::WIDEST;
use std::fmt::Write;
use threshnet::format::short;
use threshnet::report::PathReport;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A column's line: its name, and the mark behind it.
pub struct Line<'a> {
    /// Before the bars.
    pub name: &'a str,
    /// Behind the bars.
    pub mark: &'a str,
}

/// Group norms along a path, one line per column and one bar per λ, all on one
/// scale; blank where a column is out. The chosen λ is pointed at below.
pub fn solution_path(path: &PathReport, lines: &[Line]) -> String {
    let norms = |name: &str| path.columns.iter().find(|column| column.name == name);
    let all = path.columns.iter().flat_map(|column| &column.norms);
    let top = all.copied().fold(f64::MIN_POSITIVE, f64::max);
    let widths = lines.iter().map(|line| line.name.chars().count());
    let width = widths.max().unwrap_or(0).min(WIDEST);
    let mut text = String::new();
    for line in lines {
        let bars: String = (norms(line.name).iter().flat_map(|column| &column.norms))
            .map(|norm| match *norm {
                0.0 => ' ',
                norm => BARS[((norm / top * 8.0) as usize).min(7)],
            })
            .collect();
        let bars = format!("{bars:count$}", count = path.lambdas.len());
        let _ = writeln!(text, "  {:>width$} {bars} {}", line.name, line.mark);
    }
    let _ = writeln!(
        text,
        "  {:>width$} {}▲ lambda {} chosen",
        "",
        " ".repeat(path.chosen),
        path.lambdas
            .get(path.chosen)
            .copied()
            .map_or(String::new(), short)
    );
    if let (Some(first), Some(last)) = (path.lambdas.first(), path.lambdas.last()) {
        let _ = writeln!(
            text,
            "  {:>width$} lambda from {first} to {last}, log scale",
            ""
        );
    }
    text
}
