//! Forty real data sets: the default, and in rows that other programs add the packages that users
//! would take instead, all on the same splits.

use super::known::{self, Known};
use super::method::{DEFAULT, Method, to_default};
use super::metric::Metric;
use super::plan::{Cell, Task};
use super::results::Row;
use super::statistics::{Spread, jaccard};
use super::table::Group;
use crate::name::StudyName;
use anyhow::Result;
use std::collections::HashMap;
use threshnet::dataset;
use threshnet::settings::{Linear, Named, Settings, Size};

/// The default protocol without linear models: what their contest does.
const NETWORK: &str = "network";
/// The paper's protocol, on standardised columns as all real data.
const PAPER: &str = "paper";

/// Beside the sparse model of a default fit, of the same fit.
pub const ENSEMBLE: &str = "ensemble";

/// Ours; all but the first run only if they are asked for.
const VARIANTS: [&str; 3] = [DEFAULT, NETWORK, PAPER];

/// Test rows in training rows.
const TEST_TO_TRAIN: f64 = 1.0 / 5.0;

/// GMCPNet in every variant on every data set.
pub fn tasks(cells: &[Cell]) -> Vec<Task> {
    let task = |cell, variant| Task {
        optional: variant != DEFAULT,
        ..Task::new(cell, Method::Gmcp, variant)
    };
    (cells.iter())
        .flat_map(|cell| VARIANTS.map(|variant| task(cell, variant)))
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

/// What a row's score is; a study that has but one score for an outcome does not say.
pub fn metric(study: StudyName, task: dataset::Task) -> String {
    match study {
        StudyName::Battery => score(task).name().into(),
        _ => String::new(),
    }
}

/// What methods are ranked by.
fn score(task: dataset::Task) -> Metric {
    Metric::of_battery(task, vec![]).swap_remove(0)
}

/// What figures need to know of the data sets, as CSV.
pub fn sets() -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(vec![]);
    out.write_record(["name", "half", "looked_at", "task", "metric"])?;
    for known in known::of_study(StudyName::Battery) {
        let (half, task) = (known.half.name(), known.task.name());
        out.serialize((
            known.name,
            half,
            known.looked_at,
            task,
            score(known.task).name(),
        ))?;
    }
    Ok(out.into_inner()?)
}

/// A line per data set for the default beside the best of the others, then a line per data set
/// and method.
pub fn markdown(groups: &[Group]) -> String {
    let sets: Vec<Set> = (known::of_study(StudyName::Battery).into_iter())
        .filter_map(|known| Set::of(known, groups))
        .collect();
    let mut out = String::from(
        "The default beside the best of the other packages on each data set: the one with the \
         largest mean difference from the default, on the splits that both have. Above 0 the \
         default is ahead (a loss counts downwards). In brackets the standard error, which takes \
         into account that the training rows of two splits overlap (Nadeau and Bengio 2003, \
         Machine Learning 52:239–281); **bold** beyond two of them.\n\n\
         | data | half | n × d | score | default | best other | which | splits | difference (SE) |\n\
         | --- | --- | --: | --- | --: | --: | --- | --: | --: |\n",
    );
    out.extend(sets.iter().filter_map(Set::beside_the_best));
    out.push_str(
        "\nMeans over splits and their plain standard errors, which say how much a score varies \
         over these splits. The second score is log-loss beside an AUC, accuracy beside a log-loss \
         and the integrated Brier score beside a C-index. Jaccard: |A ∩ B| / |A ∪ B| of the \
         columns selected in two splits, mean over all pairs of splits; – where a method uses all \
         columns, or a split selects too many to be listed. Seconds of one thread.\n\n\
         | data | score | method | splits | mean (SE) | second | columns | Jaccard | seconds |\n\
         | --- | --- | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    out.extend(sets.iter().flat_map(|set| set.lines()));
    out
}

/// A data set and what is known of it.
struct Set<'a> {
    known: &'a Known,
    metric: Metric,
    /// By method, ours first; each with the rows that are scored by the metric.
    groups: Vec<Group<'a>>,
}

impl<'a> Set<'a> {
    /// None if there is no row of it.
    fn of(known: &'a Known, groups: &[Group<'a>]) -> Option<Set<'a>> {
        let metric = score(known.task);
        let mut groups: Vec<Group> = (groups.iter())
            .filter(|group| group.first.model == known.name)
            .filter_map(|group| {
                let scored = group.rows.iter().filter(|row| row.metric == metric.name());
                let rows: Vec<&Row> = scored.copied().collect();
                let first = rows.first()?;
                Some(Group { first, rows })
            })
            .collect();
        groups.sort_by_key(|group| place(group.first));
        (!groups.is_empty()).then_some(Set {
            known,
            metric,
            groups,
        })
    }

    /// The default beside the best of the others, if both are there.
    fn beside_the_best(&self) -> Option<String> {
        let default = self
            .groups
            .first()
            .filter(|first| place(first.first) == 0)?;
        let of_seed: HashMap<u64, f64> = (default.rows.iter())
            .filter_map(|row| Some((row.seed, row.score?)))
            .collect();
        let sign = if self.metric.is_loss() { -1.0 } else { 1.0 };
        let lead = |group: &&Group| {
            let pairs = || {
                (group.rows.iter()).filter_map(|row| Some((*of_seed.get(&row.seed)?, row.score?)))
            };
            let lead = Spread::of(pairs().map(|(ours, theirs)| sign * (ours - theirs)))?;
            let [ours, theirs] = [
                Spread::of(pairs().map(|(ours, _)| ours))?,
                Spread::of(pairs().map(|(_, theirs)| theirs))?,
            ];
            Some((lead, ours.mean, theirs.mean, group.method()))
        };
        let others = self
            .groups
            .iter()
            .filter(|group| group.first.method != Method::Gmcp.name());
        let best = others.filter_map(|group| lead(&group));
        let (lead, ours, theirs, which) = best.min_by(|a, b| a.0.mean.total_cmp(&b.0.mean))?;
        Some(format!(
            "| {} | {} | {} | {} | {ours:.3} | {theirs:.3} | {which} | {} | {} |\n",
            self.known.name,
            self.half(),
            default.size(),
            self.metric.title(),
            lead.count,
            difference(lead),
        ))
    }

    /// Its half; splits that had been looked at confirm nothing, in whatever half.
    fn half(&self) -> String {
        match self.known.looked_at {
            true => format!("{}, looked at", self.known.half.name()),
            false => self.known.half.name().into(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let (name, score) = (self.known.name, self.metric.title());
        (self.groups.iter()).map(move |group| {
            format!(
                "| {name} | {score} | {} | {} |\n",
                group.method(),
                line(group)
            )
        })
    }
}

/// Our variants come first, in their order; others as the table has them.
fn place(row: &Row) -> usize {
    let ours = (row.method == Method::Gmcp.name())
        .then(|| VARIANTS.iter().position(|variant| *variant == row.variant));
    ours.flatten().unwrap_or(VARIANTS.len())
}

/// A mean difference with its corrected standard error.
fn difference(lead: Spread) -> String {
    // (rounded to nothing, a difference has no sign)
    let mean = format!("{:+.3}", lead.mean).replace("-0.000", "+0.000");
    if lead.count == 1 {
        return mean;
    }
    let error = lead.sd * (1.0 / lead.count as f64 + TEST_TO_TRAIN).sqrt();
    let mark = if lead.mean.abs() > 2.0 * error {
        "**"
    } else {
        ""
    };
    format!("{mark}{mean}{mark} ({error:.3})")
}

/// What a group's rows amount to.
fn line(group: &Group) -> String {
    let rows = &group.rows;
    let sets: Option<Vec<_>> = rows.iter().map(|row| row.columns()).collect();
    let alike = sets.and_then(|sets| jaccard(&sets));
    let shown = |of: fn(&Row) -> Option<f64>, none: &str, show: fn(Spread) -> String| {
        group.spread(of).map_or(none.into(), show)
    };
    let short = |s: Spread| format!("{:.1}", s.mean);
    let mean = |s: Spread| match s.count {
        1 => format!("{:.3}", s.mean),
        _ => format!("{:.3} ({:.3})", s.mean, s.error()),
    };
    [
        group.replicates(),
        shown(|row| row.score, "–", mean),
        shown(|row| row.second, "–", |s| format!("{:.3}", s.mean)),
        shown(Row::selected_columns, "all", short),
        alike.map_or("–".into(), |index| format!("{index:.2}")),
        shown(|row| Some(row.seconds), "–", short),
    ]
    .join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::results::listed;
    use crate::table::markdown as table;
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
        let plan = plan(StudyName::Battery, vec![cell]);
        assert_eq!((plan.tasks.len(), plan.reps), (3, 10));
        assert_eq!(plan.tasks.iter().filter(|task| !task.optional).count(), 1);
    }

    fn row((method, variant): (&str, &str), replicate: u64, score: f64, set: &[usize]) -> Row {
        Row {
            study: "battery".into(),
            model: "colon".into(),
            method: method.into(),
            variant: variant.into(),
            n: 62,
            d: 2000,
            replicate,
            seed: replicate,
            size: (method != "rf").then_some(set.len()),
            score: Some(score),
            seconds: 2.0,
            selected: listed(set),
            metric: "auc".into(),
            second: (method == "rf").then_some(0.25),
            ..Row::default()
        }
    }

    #[test]
    fn the_default_stands_beside_the_best_on_the_splits_that_both_have() {
        let rows = [
            row(("rf", ""), 1, 0.7, &[]),
            row(("lasso", ""), 1, 0.9, &[0, 1, 2]),
            row(("lasso", ""), 2, 0.9, &[0, 1]),
            // the default has no such split
            row(("lasso", ""), 3, 0.1, &[0, 1]),
            row(("gmcp", PAPER), 1, 1.0, &[0]),
            row(("gmcp", PAPER), 2, 1.0, &(0..1001).collect::<Vec<_>>()),
            row(("gmcp", DEFAULT), 1, 0.8, &[]),
            row(("gmcp", DEFAULT), 2, 0.7, &[]),
            // scored by something else
            Row {
                metric: "time_auc".into(),
                ..row(("rf", ""), 1, 1.0, &[])
            },
        ];
        let text = table(StudyName::Battery, &rows);
        let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("| colon")).collect();
        assert_eq!(
            lines,
            [
                // differences −0.1 and −0.2, SD 0.0707, times √(1/2 + 1/5)
                "| colon | tuning, looked at | 62 × 2000 | AUC | 0.750 | 0.900 | LASSO | 2 | **-0.150** (0.059) |",
                // two empty sets are the same
                "| colon | AUC | GMCPNet, default | 2 | 0.750 (0.050) | – | 0.0 | 1.00 | 2.0 |",
                // which columns the second split selected is not known
                "| colon | AUC | GMCPNet, paper | 2 | 1.000 (0.000) | – | 501.0 | – | 2.0 |",
                // pairs 2/3, 2/3 and 1
                "| colon | AUC | LASSO | 3 | 0.633 (0.267) | – | 2.3 | 0.78 | 2.0 |",
                "| colon | AUC | RF | 1 | 0.700 | 0.250 | all | – | 2.0 |",
            ],
            "{text}"
        );
    }

    #[test]
    fn figures_know_every_data_set() {
        let text = String::from_utf8(sets().unwrap()).unwrap();
        assert_eq!(text.lines().count(), 41);
        assert!(
            text.contains("\nfaces,tuning,false,multiclass,log_loss\n"),
            "{text}"
        );
        assert!(
            text.contains("\nglioma,tuning,true,cox,c_index\n"),
            "{text}"
        );
    }

    #[test]
    fn a_loss_counts_downwards() {
        let of = |method, score| Row {
            model: "faces".into(),
            metric: "log_loss".into(),
            ..row(
                (method, if method == "gmcp" { DEFAULT } else { "" }),
                1,
                score,
                &[],
            )
        };
        let text = table(
            StudyName::Battery,
            &[of("gmcp", 0.5), of("rf", 0.75), of("lasso", 1.0)],
        );
        assert!(
            text.contains("| 0.500 | 0.750 | RF | 1 | +0.250 |"),
            "{text}"
        );
    }

    #[test]
    fn what_takes_too_long_has_no_score_and_says_so() {
        let slow = Row {
            score: None,
            seconds: 600.0,
            ..row(("rf", ""), 1, 0.0, &[])
        };
        let text = table(StudyName::Battery, &[slow]);
        assert!(text.contains("| RF | 1, 1 without a score | – |"), "{text}");
    }
}
