//! A fit in a few lines for a person: held-out figures first, training figures last.

use super::WIDEST;
use std::fmt::Write;
use threshnet::format::{short, visible};
use threshnet::report::{ErrorControl, FitReport, LossName, MetricEstimate, ratio_name};
use threshnet::settings::Named;
use threshnet_report::words::{
    held_out_rows, interval, metric_value, nested_metric, nested_rows, network_needed, price, rows,
    selected_outside, training, with_interval,
};

/// How many selected columns are listed.
const SHOWN: usize = 20;
/// Where what a line is about begins.
const INDENT: &str = "            ";
/// How long a sentence behind it may be.
const WIDTH: usize = 68;

/// All lines.
pub fn to_text(report: &FitReport) -> String {
    let model = &report.model;
    let mut lines = vec![format!(
        "{} of {} columns selected ({}, {}, {} at lambda {}, ridge {})",
        report.selected.len(),
        report.data.d,
        report.task.name(),
        rows(report),
        model.penalty.name(),
        short(model.lambda),
        short(model.ridge)
    )];
    lines.extend(
        report
            .positive_class()
            .map(|class| format!("positive class: {}", visible(class))),
    );
    lines.push(String::new());
    lines.extend(nested(report));
    lines.extend(held_out(report));
    if let Some(of_columns) = &report.price {
        let mut said = wrapped(&price(report, of_columns));
        said.push("predict takes the selected columns, predict --ensemble everything".into());
        lines.extend(under("sparsity", said));
    }
    lines.push(String::new());
    lines.extend(columns(report));
    lines.extend(coefficients(report));
    lines.extend(importance(report));
    if let Some(loss) = report.validation.loss {
        lines.push(format!(
            "validation  {} {} (SE {})",
            LossName::of(report.task).name(),
            short(loss.mean),
            short(loss.se)
        ));
    }
    lines.extend(models(report));
    lines.extend(report.control.as_ref().map(control));
    let of = model.certificate;
    let [active, inactive, rest] = [of.active, of.inactive, of.rest].map(|violation| {
        if violation == 0.0 {
            return "0".into();
        }
        format!("{violation:.1e}")
    });
    lines.push(format!(
        "certificate active {active}  inactive {inactive}  rest {rest}  ({})",
        model.status.name()
    ));
    lines.push(format!(
        "training    {}  (on its own training rows: too good)",
        training(report).join("  ")
    ));
    lines.extend(
        report
            .notes
            .iter()
            .map(|note| format!("note: {}", visible(&note.to_string()))),
    );
    lines.join("\n") + "\n"
}

/// Every metric under nested validation, if that was asked for.
fn nested(report: &FitReport) -> Vec<String> {
    let Some(nested) = &report.nested else {
        return vec![];
    };
    let metrics = nested.metrics.iter().filter_map(|(&metric, of)| {
        let of = nested_metric(metric, of.as_ref()?);
        Some(format!("{} {of}", metric.title()))
    });
    let mut said: Vec<String> = metrics.collect();
    said.push(format!("on {}", nested_rows(nested)));
    said.push(selected_outside(nested));
    under("nested", said)
}

/// Every metric on rows that were held out.
fn held_out(report: &FitReport) -> Vec<String> {
    let Some(held_out) = &report.held_out else {
        let none = "held out    nothing: how well it predicts other rows is not known";
        return vec![none.into()];
    };
    let mut said: Vec<String> = (held_out.metrics.iter())
        .filter_map(|(&metric, estimate)| {
            let estimate = (*estimate)?;
            let mut text = format!(
                "{} {}",
                metric.title(),
                metric_value(metric, estimate.value)
            );
            if estimate.interval.is_some() {
                let _ = write!(text, " (95 % {})", interval(metric, estimate));
            }
            Some(text)
        })
        .collect();
    said.push(format!("on {}", held_out_rows(held_out)));
    if held_out.used_in_selection {
        said.push("though the columns were selected with these rows among others".into());
    }
    under("held out", said)
}

/// Lines of which the first has a title.
fn under(title: &str, lines: Vec<String>) -> Vec<String> {
    let before = |number: usize| if number == 0 { title } else { "" };
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(number, line)| format!("{:12}{line}", before(number)))
        .collect()
}

/// The selected columns as a table.
fn columns(report: &FitReport) -> Vec<String> {
    let Some(first) = report.selected.first() else {
        return vec![];
    };
    let titles = report.selected.iter().take(SHOWN);
    let titles: Vec<String> = titles.map(|of| visible(&of.title()).into_owned()).collect();
    let widths = titles.iter().map(|title| title.chars().count());
    let width = widths.max().unwrap_or(0).clamp(6, WIDEST);
    let frequency = match first.frequency {
        Some(_) => "  frequency",
        None => "",
    };
    let mut lines = vec![format!("  {:width$}  index    norm{frequency}", "column")];
    lines.extend(report.selected.iter().zip(titles).map(|(column, title)| {
        let bar = (column.norm / first.norm * 24.0).round() as usize;
        let frequency = column
            .frequency
            .map_or(String::new(), |share| format!("  {share:>9.2}"));
        format!(
            "  {:width$}  {:>5}  {:6.3}{frequency}  {}",
            title,
            column.index,
            column.norm,
            "█".repeat(bar.max(1))
        )
    }));
    if report.selected.len() > SHOWN {
        lines.push(format!("  … and {} more", report.selected.len() - SHOWN));
    }
    lines.push(String::new());
    lines
}

/// What the selected columns are worth.
fn importance(report: &FitReport) -> Vec<String> {
    let Some(of) = &report.importance else {
        return vec![];
    };
    let title = of.metric.title();
    let mut lines = vec![format!(
        "importance on held-out rows, after selection: {title} lost without the column; with it permuted"
    )];
    let told = |estimate: Option<MetricEstimate>| match estimate {
        Some(estimate) => with_interval(of.metric, estimate),
        None => "undefined".into(),
    };
    lines.extend(of.columns.iter().take(SHOWN).map(|column| {
        let (dropped, permuted) = (told(column.dropped), told(column.permuted));
        format!("  {}  {dropped}; {permuted}", column.name)
    }));
    lines.push(String::new());
    lines
}

/// What a linear model adds for every column, as a table.
fn coefficients(report: &FitReport) -> Vec<String> {
    let Some(of) = report
        .coefficients
        .as_ref()
        .filter(|of| !of.rows.is_empty())
    else {
        return vec![];
    };
    let ratio = ratio_name(report.task).map(|(_, title)| title);
    let told = |value: f64| match ratio {
        None => vec![short(value)],
        Some(_) => vec![short(value), short(value.exp())],
    };
    let mut table = vec![vec!["column".to_string()]];
    for scale in ["per unit", "per SD"] {
        table[0].push(scale.into());
        table[0].extend(ratio.map(String::from));
    }
    table.extend(of.rows.iter().take(SHOWN).map(|row| {
        let labels = [&row.level, &row.class].into_iter().flatten();
        let labels: Vec<String> = labels.map(|label| format!(" [{label}]")).collect();
        let title = format!("{}{}", row.name, labels.concat());
        let mut cells = vec![visible(&title).into_owned()];
        cells.extend(told(row.coefficient));
        cells.extend(told(row.per_sd()));
        cells
    }));
    let mut lines = vec!["a linear model: its coefficients".to_string()];
    lines.extend(aligned(&table));
    if of.rows.len() > SHOWN {
        lines.push(format!("  … and {} more", of.rows.len() - SHOWN));
    }
    lines.push(String::new());
    lines
}

/// Rows of as many cells: the first column to the left, numbers to the right.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let width = |at: usize| {
        let widths = table.iter().map(|row| row[at].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let numbers = row.iter().zip(&widths).skip(1);
        let numbers: Vec<String> = numbers
            .map(|(cell, &width)| format!("  {cell:>width$}"))
            .collect();
        format!("  {:first$}{}", row[0], numbers.concat(), first = widths[0])
    };
    table.iter().map(line).collect()
}

/// A text in lines that a terminal can show.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            *line += " ";
            line.push_str(word);
        } else {
            lines.push(word.into());
        }
    }
    lines
}

/// Whether a network is needed, and the models that were compared.
pub fn models(report: &FitReport) -> Vec<String> {
    if report.models.is_empty() {
        return vec![];
    }
    let names: Vec<String> = (report.models.iter())
        .map(|of| format!("{} ({})", of.title(), of.penalty.name()))
        .collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut lines = vec![match report.network_needed() {
        Some(needed) => format!("non-linear? {}", network_needed(needed)),
        None => "models".into(),
    }];
    lines.extend(names.iter().zip(&report.models).map(|(name, of)| {
        format!(
            "{INDENT}{name:width$}  {} {} (SE {}), {} columns{}",
            LossName::of(report.task).name(),
            short(of.loss.mean),
            short(of.loss.se),
            of.size,
            if of.chosen { "  ← the model" } else { "" }
        )
    }));
    lines
}

/// What bounds the false columns.
fn control(control: &ErrorControl) -> String {
    match control {
        ErrorControl::Stability {
            threshold,
            false_at_most,
            ..
        } => format!(
            "stability   each in at least {:.1} % of the half-samples; on average at most {} of \
             them no better than chance",
            (1000.0 * threshold).floor() / 10.0,
            short(*false_at_most),
        ),
        ErrorControl::Fdr {
            rate,
            threshold: Some(_),
            ..
        } => format!(
            "fdr         on average at most {} % of the selected are false",
            short(100.0 * rate)
        ),
        ErrorControl::Fdr { rate, .. } => format!(
            "fdr         nothing can be certified at a rate of {rate}, which takes at least {} \
             columns that beat their knockoffs; take a higher rate, or --stability",
            (1.0 / rate - 1e-9).ceil()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_come_in_lines_and_lose_no_word() {
        let long = "x".repeat(WIDTH + 5);
        let text = format!("{} {long} end", "word ".repeat(40).trim());
        let lines = wrapped(&text);
        assert_eq!(lines.join(" "), text);
        let fit = |line: &String| line.chars().count() <= WIDTH || *line == long;
        assert!(lines.len() > 3 && lines.iter().all(fit), "{lines:?}");
    }

    #[test]
    fn numbers_of_a_table_end_in_one_place() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let table = [
            row(["column", "per unit", "hazard ratio"]),
            row(["größe", "-0.5", "0.6"]),
        ];
        let expected = [
            "  column  per unit  hazard ratio",
            "  größe       -0.5           0.6",
        ];
        assert_eq!(aligned(&table), expected);
    }
}
