//! Six real data sets: the default beside the network alone, the paper's protocol and, in
//! rows that other programs add, other packages; all on the same splits.

use super::known;
use super::method::{DEFAULT, Method, to_default};
use super::metric::Metric;
use super::plan::{Cell, Task};
use super::results::Row;
use super::statistics::{Spread, jaccard};
use super::table::Group;
use crate::name::StudyName;
use std::collections::HashMap;
use std::fmt::Write;
use threshnet::settings::{Linear, Settings, Size};

/// The default protocol without linear models: what their contest does.
const NETWORK: &str = "network";
/// The paper's protocol, on standardised columns as all real data.
const PAPER: &str = "paper";

const VARIANTS: [&str; 3] = [DEFAULT, NETWORK, PAPER];

/// GMCPNet in every variant on every data set.
pub fn tasks(cells: &[Cell]) -> Vec<Task> {
    (cells.iter())
        .flat_map(|cell| VARIANTS.map(|variant| Task::new(cell, Method::Gmcp, variant)))
        .collect()
}

/// Changes the paper's settings as a variant says.
pub fn apply(settings: &mut Settings, variant: &str, size: Size) {
    if variant == PAPER {
        return;
    }
    to_default(settings, size);
    if variant == NETWORK {
        settings.linear = Linear::Leave;
    }
}

/// A line per data set and method, the default first.
pub fn markdown(groups: &[Group]) -> String {
    let mut out = String::from(
        "Means over splits, standard errors in brackets. The difference is that to our default on the \
         same splits, **bold** beyond two standard errors; above 0 the default is behind. Splits of \
         one data set share rows: the errors are those of a mean over splits of these rows, not of \
         new ones. Jaccard: |A ∩ B| / |A ∪ B| of the columns selected in two splits, mean over all \
         pairs of splits; – where a method uses all columns, or a split selects too many to be listed.\n\n\
         | data | score | method | splits | mean (SE) | − default (SE) | columns | Jaccard | seconds |\n\
         | --- | --- | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    for known in known::of_study(StudyName::Real) {
        let score = Metric::of_real(known.task, vec![]).title();
        let mut groups: Vec<&Group> = (groups.iter())
            .filter(|group| group.first.model == known.name)
            .collect();
        groups.sort_by_key(|group| place(group.first));
        let default: HashMap<u64, f64> = (groups.iter())
            .filter(|group| place(group.first) == 0)
            .flat_map(|group| &group.rows)
            .filter_map(|row| Some((row.seed, row.score?)))
            .collect();
        for group in groups {
            let (size, method, line) = (group.size(), group.method(), line(group, &default));
            let _ = writeln!(
                out,
                "| {}, {size} | {score} | {method} | {line} |",
                known.name
            );
        }
    }
    out
}

/// Our variants come first, in their order; others as the table has them.
fn place(row: &Row) -> usize {
    let ours = (row.method == Method::Gmcp.name())
        .then(|| VARIANTS.iter().position(|variant| *variant == row.variant));
    ours.flatten().unwrap_or(VARIANTS.len())
}

/// What a group's rows amount to; `default` are the default's scores by seed.
fn line(group: &Group, default: &HashMap<u64, f64>) -> String {
    let rows = &group.rows;
    let beside = (rows.iter()).filter_map(|row| Some(row.score? - default.get(&row.seed)?));
    let difference = match place(group.first) {
        0 => "–".into(),
        _ => Spread::of(beside).map_or("–".into(), |spread| {
            let clear = spread.count > 1 && spread.mean.abs() > 2.0 * spread.error();
            let mark = if clear { "**" } else { "" };
            // (rounded to nothing, a difference has no sign)
            let mean = format!("{:+.3}", spread.mean).replace("-0.000", "+0.000");
            format!("{mark}{mean}{mark}{}", bracketed(spread))
        }),
    };
    let sets: Option<Vec<_>> = rows.iter().map(|row| row.columns()).collect();
    let alike = sets.and_then(|sets| jaccard(&sets));
    let shown = |of: fn(&Row) -> Option<f64>, none: &str, show: fn(Spread) -> String| {
        group.spread(of).map_or(none.into(), show)
    };
    let short = |s: Spread| format!("{:.1}", s.mean);
    [
        group.replicates(),
        shown(
            |row| row.score,
            "–",
            |s| format!("{:.3}{}", s.mean, bracketed(s)),
        ),
        difference,
        shown(Row::selected_columns, "all", short),
        alike.map_or("–".into(), |index| format!("{index:.2}")),
        shown(|row| Some(row.seconds), "–", short),
    ]
    .join(" | ")
}

/// A standard error, if there is more than one value.
fn bracketed(spread: Spread) -> String {
    match spread.count {
        1 => String::new(),
        _ => format!(" ({:.3})", spread.error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::results::listed;
    use crate::table::markdown as table;
    use threshnet::dataset;
    use threshnet::penalty::Penalty;
    use threshnet::settings::{Protocol, Validation};

    fn variant(name: &str) -> Settings {
        let paper = Protocol::Paper;
        let size = Size::new(59, 4088, dataset::Task::Binary);
        let mut settings = Settings::new(paper, Penalty::MCP, paper.validation(), size);
        settings.seed = 7;
        apply(&mut settings, name, size);
        settings.validate().unwrap();
        assert!(settings.standardize && settings.seed == 7);
        settings
    }

    #[test]
    fn variants_are_the_default_with_and_without_linear_models_and_the_papers_protocol() {
        let default = variant(DEFAULT);
        assert_eq!(default.linear, Linear::Choose);
        assert!(matches!(default.validation, Validation::Draws { .. }));
        let network = variant(NETWORK);
        assert_eq!(network.linear, Linear::Leave);
        assert_eq!(network.validation, default.validation);
        let paper = variant(PAPER);
        assert_eq!((paper.protocol, paper.ridges.len()), (Protocol::Paper, 10));
        let cell = Cell::real("colon", (62, 2000), dataset::Task::Binary);
        let plan = plan(StudyName::Real, vec![cell]);
        assert_eq!((plan.tasks.len(), plan.reps), (3, 20));
    }

    fn row((method, variant): (&str, &str), replicate: u64, score: f64, set: &[usize]) -> Row {
        Row {
            study: "real".into(),
            model: "colon".into(),
            method: method.into(),
            variant: variant.into(),
            n: 62,
            d: 2000,
            censoring: None,
            replicate,
            seed: replicate,
            fpr: None,
            fnr: None,
            size: (method != "rf").then_some(set.len()),
            score: Some(score),
            lambda: None,
            ridge: None,
            seconds: 2.0,
            selected: listed(set),
        }
    }

    #[test]
    fn methods_are_compared_on_the_splits_they_share() {
        let text = table(
            StudyName::Real,
            &[
                row(("rf", ""), 1, 0.7, &[]),
                row(("lasso", ""), 1, 0.9, &[0, 1, 2]),
                row(("lasso", ""), 2, 0.9, &[0, 1]),
                // the default has no such split
                row(("lasso", ""), 3, 0.1, &[0, 1]),
                row(("gmcp", PAPER), 1, 0.6, &[0]),
                row(("gmcp", PAPER), 2, 0.6, &(0..1001).collect::<Vec<_>>()),
                row(("gmcp", DEFAULT), 1, 0.8, &[]),
                row(("gmcp", DEFAULT), 2, 0.7, &[]),
            ],
        );
        let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("| colon")).collect();
        let start = "| colon, 62 × 2000 | AUC |";
        assert_eq!(
            lines,
            [
                // two empty sets are the same
                format!("{start} GMCPNet, default | 2 | 0.750 (0.050) | – | 0.0 | 1.00 | 2.0 |"),
                // which columns the second split selected is not known
                format!(
                    "{start} GMCPNet, paper | 2 | 0.600 (0.000) | **-0.150** (0.050) | 501.0 | – | 2.0 |"
                ),
                // +0.1 and +0.2; pairs 2/3, 2/3 and 1
                format!(
                    "{start} LASSO | 3 | 0.633 (0.267) | **+0.150** (0.050) | 2.3 | 0.78 | 2.0 |"
                ),
                format!("{start} RF | 1 | 0.700 | -0.100 | all | – | 2.0 |"),
            ],
            "{text}"
        );
    }
}
