//! What is said of data before a fit starts.

use super::wording::{count, plain_list};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use threshnet::dataset::{Dataset, Outcome};
use threshnet::format::short;

/// How many classes are listed before `…`.
const LISTED_CLASSES: usize = 6;

/// A label and what it labels.
pub type Line = (&'static str, String);

/// What data were made of.
pub struct Of<'a> {
    /// All columns of the file.
    pub all: &'a [String],
    /// Those of the outcome.
    pub outcome: &'a [&'a str],
    /// How the text is encoded, if that is to be said.
    pub encoding: Option<String>,
    /// How events are read, likewise.
    pub coding: Option<String>,
}

/// Rows, columns and the outcome of the data that were made of a file, for a person.
pub fn overview(path: &Path, data: &Dataset, of: Of, read_in: Duration) -> String {
    let Of {
        all,
        outcome,
        encoding,
        coding,
    } = of;
    let used: HashSet<&str> = data.names().iter().map(String::as_str).collect();
    let left_out: Vec<&String> = (all.iter())
        .filter(|name| !used.contains(name.as_str()) && !outcome.contains(&name.as_str()))
        .collect();
    let texts: Vec<String> = (data.features().texts())
        .map(|(feature, levels)| text_name(&data.names()[feature], levels.len()))
        .collect();
    let numbers = data.features().count() - texts.len();
    let constant = match data.constant_features().len() {
        0 => String::new(),
        some => format!(", {some} of them constant and never selected"),
    };
    let coding = coding.map_or(String::new(), |how| format!(", {how}"));
    let outcome = format!(
        "{}: {}{coding}",
        outcome.join(", "),
        describe(data.outcome())
    );
    let mut lines = vec![
        ("", heading(path, (data.n(), all.len()), read_in)),
        ("numbers", count(numbers, "column") + &constant),
    ];
    lines.extend(encoding.map(|how| ("encoding", how)));
    lines.extend(of_columns("text", &texts));
    match (data.gaps(), data.dropped()) {
        ((0, _), 0) => {}
        ((0, _), rows) => lines.push(("missing", format!("{} left out", count(rows, "row")))),
        ((cells, columns), _) => {
            let (cells, columns) = (count(cells, "cell"), count(columns, "column"));
            lines.push(("missing", format!("{cells} in {columns}, imputed")));
        }
    }
    lines.push(("outcome", outcome));
    lines.extend(of_columns("left out", &left_out));
    aligned(&lines)
}

/// A column of text and how many levels it has.
pub fn text_name(name: &str, levels: usize) -> String {
    format!("{name} ({})", count(levels, "level"))
}

/// A line on some columns; none where there are none.
pub fn of_columns<S: AsRef<str>>(label: &'static str, names: &[S]) -> Option<Line> {
    let text = || format!("{}: {}", count(names.len(), "column"), plain_list(names));
    (!names.is_empty()).then(|| (label, text()))
}

/// The first line: the file, its size, and how long it took.
pub fn heading(path: &Path, (rows, columns): (usize, usize), read_in: Duration) -> String {
    let (rows, columns) = (count(rows, "row"), count(columns, "column"));
    let seconds = read_in.as_secs_f64();
    format!(
        "{}: {rows}, {columns}, read in {seconds:.1} s",
        path.display()
    )
}

/// Labels and what they label, in two columns; a line without a label is a heading.
pub fn aligned(lines: &[Line]) -> String {
    let line = |(label, text): &Line| match label.is_empty() {
        true => format!("{text}\n"),
        false => format!("  {label:<12}{text}\n"),
    };
    lines.iter().map(line).collect()
}

/// The kind of an outcome and how its rows are divided.
pub fn describe(outcome: &Outcome) -> String {
    let task = outcome.task().name();
    match outcome {
        Outcome::Continuous(y) => {
            let low = y.iter().copied().fold(f64::INFINITY, f64::min);
            let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            format!("{task}, from {} to {}", short(low), short(high))
        }
        Outcome::Classes {
            labels, classes, ..
        } => {
            let mut rows = vec![0; classes.len()];
            labels.iter().for_each(|&label| rows[label] += 1);
            let mut parts: Vec<String> = (classes.iter().zip(rows).take(LISTED_CLASSES))
                .map(|(class, rows)| format!("{rows} × {class}"))
                .collect();
            if classes.len() > LISTED_CLASSES {
                parts.push("…".into());
            }
            format!("{task}, {} classes: {}", classes.len(), parts.join(", "))
        }
        Outcome::Survival { event, .. } => {
            let events = event.iter().filter(|&&event| event).count();
            let censored = event.len() - events;
            let share = 100.0 * censored as f64 / event.len() as f64;
            format!(
                "survival, {}, {censored} censored ({share:.0} %)",
                count(events, "event")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::fixture::Fixture;
    use crate::files::{Columns, Input, load_dataset};
    use threshnet::dataset::Task;

    #[test]
    fn a_fit_is_told_what_it_starts_from() {
        let text = "id,x,k,y,z\na,1,5,no,3\nb,2,5,yes,2\nc,3,5,no,1\n";
        let file = Fixture::new("d.csv", text);
        let columns = Columns {
            target: Some("y".into()),
            drop: vec!["id".into()],
            ..Columns::default()
        };
        let (_, said) = load_dataset(&Input::of(&file.path), &columns, &|_| ()).unwrap();
        let (first, rest) = said.split_once('\n').unwrap();
        assert!(
            first.contains("d.csv: 3 rows, 5 columns, read in 0."),
            "{first}"
        );
        assert_eq!(
            rest,
            "  numbers     3 columns, 1 of them constant and never selected\n  \
               outcome     y: binary, 2 classes: 2 × no, 1 × yes\n  \
               left out    1 column: id\n"
        );
    }

    #[test]
    fn every_outcome_is_described() {
        let classes = |names: usize| Outcome::Classes {
            labels: (0..names).chain([0]).collect(),
            classes: (0..names).map(|i| format!("c{i}")).collect(),
            task: Task::Multiclass,
        };
        for (outcome, text) in [
            (
                Outcome::Continuous(vec![1.5, -2.0, 0.0]),
                "regression, from -2.000 to 1.500",
            ),
            (classes(3), "multiclass, 3 classes: 2 × c0, 1 × c1, 1 × c2"),
            (
                classes(7),
                "multiclass, 7 classes: 2 × c0, 1 × c1, 1 × c2, 1 × c3, 1 × c4, 1 × c5, …",
            ),
            (
                Outcome::Survival {
                    time: vec![1.0, 2.0, 3.0, 4.0],
                    event: vec![true, false, false, false],
                },
                "survival, 1 event, 3 censored (75 %)",
            ),
        ] {
            assert_eq!(describe(&outcome), text);
        }
    }
}
