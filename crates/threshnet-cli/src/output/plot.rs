//! Solution paths in a terminal: a line of bars per column.

use std::fmt::Write;
use threshnet::format::short;
use threshnet::path::Step;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A column's line: its number, the label before it and the mark behind it.
pub struct Line<'a> {
    /// The column number.
    pub column: usize,
    /// Before the bars.
    pub label: &'a str,
    /// Behind the bars.
    pub mark: &'a str,
}

/// Group norms along a path, one line per column and one bar per λ, all on one
/// scale; blank where a column is out. The chosen λ is pointed at below.
pub fn solution_path(path: &[Step], chosen: f64, lines: &[Line]) -> String {
    let norm = |step: &Step, column: usize| {
        step.network
            .inputs
            .binary_search(&column)
            .map_or(0.0, |at| step.network.norms()[at])
    };
    let top = (path.iter().flat_map(|step| step.network.norms())).fold(f64::MIN_POSITIVE, f64::max);
    let width = lines
        .iter()
        .map(|line| line.label.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let bars: String = (path.iter())
            .map(|step| match norm(step, line.column) {
                0.0 => ' ',
                norm => BARS[((norm / top * 8.0) as usize).min(7)],
            })
            .collect();
        let _ = writeln!(text, "  {:>width$} {bars} {}", line.label, line.mark);
    }
    let at = path
        .iter()
        .position(|step| step.lambda == chosen)
        .unwrap_or(0);
    let (first, last) = (path[0].lambda, path[path.len() - 1].lambda);
    let _ = writeln!(
        text,
        "  {:>width$} {}▲ lambda {} chosen",
        "",
        " ".repeat(at),
        short(chosen)
    );
    let _ = writeln!(
        text,
        "  {:>width$} lambda from {first} to {last}, log scale",
        ""
    );
    text
}
