//! `table.md`: what the rows of a study amount to, the paper's figures beside
//! ours where it printed any.

use super::plan::design_of;
use super::published::published;
use super::results::Row;
use super::statistics::{Selections, Spread};
use super::{battery, control, quality};
use crate::name::StudyName;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Methods in the order of the paper, as it writes them; before them those that it lacks.
const METHODS: [(&str, &str); 17] = [
    ("lasso", "LASSO"),
    ("ridge", "ridge"),
    ("enet", "elastic net"),
    ("clinical", "Cox, clinical columns"),
    ("boosting", "boosting"),
    ("stg", "STG"),
    ("lassonet", "LassoNet"),
    ("glasso", "GLASSONet"),
    ("relaxed", "relaxed-GLASSONet"),
    ("gmcp", "GMCPNet"),
    ("gscad", "GSCADNet"),
    ("nn", "NN"),
    ("rf", "RF"),
    ("rsf", "RSF"),
    ("oracle-nn", "Oracle-NN"),
    ("oracle-rf", "Oracle-RF"),
    ("oracle-rsf", "Oracle-RSF"),
];

/// Rows of one method on one cell.
pub struct Group<'a> {
    pub first: &'a Row,
    pub rows: Vec<&'a Row>,
}

/// The Markdown of a study's rows.
pub fn markdown(study: StudyName, rows: &[Row]) -> String {
    let groups = grouped(rows);
    let before = match study {
        StudyName::Battery => return battery::markdown(&groups),
        StudyName::Control => return control::markdown(rows),
        StudyName::Table1 | StudyName::Table2 => beside_the_paper(study, &groups),
        StudyName::Quality => quality::markdown(rows),
        _ => String::new(),
    };
    before + &every_group(study, &groups)
}

/// Groups in the order of the paper's models and methods.
fn grouped(rows: &[Row]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let models = ["regression", "classification", "survival"];
        let model = models.iter().position(|model| *model == row.model);
        let censoring = row.censoring.map_or(-1, |share| (1000.0 * share) as i64);
        let method = METHODS.iter().position(|(method, _)| *method == row.method);
        let cell = (
            model.unwrap_or(models.len()),
            &row.model,
            censoring,
            row.d,
            row.n,
        );
        let group = groups.entry((cell, method, &row.variant, &row.method));
        group.or_default().push(row);
    }
    let groups = groups.into_values();
    let of = |rows: Vec<_>| Group {
        first: rows[0],
        rows,
    };
    groups.map(of).collect()
}

impl Group<'_> {
    fn title(&self) -> String {
        match self.first.censoring {
            Some(share) => format!("{} (C = {share})", self.first.model),
            None => self.first.model.clone(),
        }
    }

    pub fn method(&self) -> String {
        let name = &self.first.method;
        let known = METHODS.iter().find(|(m, _)| m == name);
        let shown = known.map_or(name.as_str(), |(_, shown)| shown);
        match self.first.variant.as_str() {
            "" => shown.into(),
            variant => format!("{shown}, {variant}"),
        }
    }

    pub fn size(&self) -> String {
        format!("{} × {}", self.first.n, self.first.d)
    }

    /// How many there are, and how many of them have no score.
    pub fn replicates(&self) -> String {
        let without = self.rows.iter().filter(|row| row.score.is_none()).count();
        match (self.rows.len(), without) {
            (all, 0) => all.to_string(),
            (all, without) => format!("{all}, {without} without a score"),
        }
    }

    /// What the rows have of a number, where they have it.
    pub fn spread(&self, of: fn(&Row) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.rows.iter().filter_map(|row| of(row)))
    }
}

/// Tables 1 and 2 as the paper lays them out, its figures in brackets.
fn beside_the_paper(study: StudyName, groups: &[Group]) -> String {
    let compared: Vec<Compared> = (groups.iter())
        .filter_map(|group| Compared::of(study, group))
        .collect();
    if compared.is_empty() {
        return String::new();
    }
    let mut columns: Vec<&String> = vec![];
    let mut lines: Vec<&String> = vec![];
    for of in &compared {
        push_new(&mut columns, &of.column);
        push_new(&mut lines, &of.line);
    }
    let (labels, count, cells) = match study {
        StudyName::Table1 => ("model | method", 2, 30),
        _ => ("method", 1, 6),
    };
    let head: String = (columns.iter())
        .map(|column| format!(" {column}: FPR, FNR | MS (SD) |"))
        .collect();
    let mut out = format!(
        "FPR and FNR in percent, MS the number of selected columns (SD); the paper's figures in \
         brackets. A cell agrees (✓) if FPR, FNR and MS all lie within 2.576 standard errors of \
         the difference (two-sided, 99 %), after the paper's rounding. Replicates are in the \
         second table.\n\n\
         | {labels} |{head}\n|{}\n",
        " --- |".repeat(count + 2 * columns.len())
    );
    for line in &lines {
        let _ = write!(out, "| {line} |");
        for column in &columns {
            let cell = (compared.iter()).find(|of| (&of.column, &of.line) == (*column, *line));
            let _ = write!(out, " {} |", cell.map_or(" – | – ", |of| &of.cell));
        }
        out.push('\n');
    }
    let concave = || compared.iter().filter(|of| of.concave);
    let _ = writeln!(
        out,
        "\n{} of the {} cells of GMCPNet and GSCADNet that were run agree with the paper, \
         which has {cells}.\n",
        concave().filter(|of| of.problems.is_empty()).count(),
        concave().count(),
    );
    for of in compared.iter().filter(|of| !of.problems.is_empty()) {
        let _ = writeln!(out, "- apart: {}: {}", of.name, of.problems);
    }
    out + "\n"
}

/// Adds what is not there yet.
fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// A cell of the paper's table and ours.
struct Compared {
    /// Model, method and size.
    name: String,
    /// Where it stands: Table 1 has a pair of columns for each size, Table 2 for each model.
    column: String,
    line: String,
    /// Two cells of a line of Markdown.
    cell: String,
    /// What disagrees.
    problems: String,
    /// Whether it counts: GMCPNet or GSCADNet with the study's usual settings.
    concave: bool,
}

impl Compared {
    fn of(study: StudyName, group: &Group) -> Option<Compared> {
        let first = group.first;
        let paper = published(study, first)?;
        let relevant = design_of(&first.model)?.support().len();
        let ours = Selections::of(group, relevant)?;
        let problems = ours.disagreements(paper).join("; ");
        let mark = if problems.is_empty() { "✓" } else { "✗" };
        let cell = format!(
            "{:.1}, {:.1} [{:.1}, {:.1}] {mark} | {:.1} ({:.1}) [{:.1} ({:.1})]",
            ours.fpr.mean,
            ours.fnr.mean,
            paper.fpr,
            paper.fnr,
            ours.size.mean,
            ours.size.sd,
            paper.size,
            paper.size_sd
        );
        let (model, method, size) = (group.title(), group.method(), group.size());
        let name = format!("{model}, {method}, {size}");
        let (column, line) = match study {
            StudyName::Table1 => (size, format!("{model} | {method}")),
            _ => (model, method),
        };
        Some(Compared {
            name,
            column,
            line,
            cell,
            problems,
            concave: matches!(&first.method[..], "gmcp" | "gscad") && first.variant.is_empty(),
        })
    }
}

/// Everything a study measured, method by method.
fn every_group(study: StudyName, groups: &[Group]) -> String {
    let score = match study {
        StudyName::SurvivalReal => "tAUC",
        StudyName::Mnist => "accuracy",
        StudyName::Table1 | StudyName::Table2 | StudyName::Quality => "R², accuracy or C-index",
        _ => "R²",
    };
    let mut out = format!(
        "| data | method | n × d | replicates | FPR % | FNR % | MS (SD) | {score}: median | mean (SD) |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for group in groups {
        let shown = |of: fn(&Row) -> Option<f64>, show: fn(Spread) -> String| {
            group.spread(of).map_or("–".into(), show)
        };
        let percent = |spread: Spread| format!("{:.1}", 100.0 * spread.mean);
        let cells = [
            group.title(),
            group.method(),
            group.size(),
            group.replicates(),
            shown(|row| row.fpr, percent),
            shown(|row| row.fnr, percent),
            shown(Row::selected_columns, |s| {
                format!("{:.1} ({:.1})", s.mean, s.sd)
            }),
            shown(|row| row.score, |s| format!("{:.3}", s.median)),
            shown(|row| row.score, |s| format!("{:.3} ({:.3})", s.mean, s.sd)),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replicates of GMCPNet with these false positives among 20 columns.
    fn rows(model: &str, censoring: Option<f64>, size: (usize, usize), fpr: &[f64]) -> Vec<Row> {
        let row = |(i, &fpr): (usize, &f64)| Row {
            study: "table1".into(),
            model: model.into(),
            method: "gmcp".into(),
            variant: String::new(),
            n: size.0,
            d: size.1,
            censoring,
            replicate: i as u64,
            seed: i as u64,
            fpr: Some(fpr),
            fnr: Some(0.0),
            size: Some(4 + usize::from(i == 0)),
            score: Some(0.5),
            lambda: None,
            ridge: None,
            seconds: 1.0,
            selected: String::new(),
            ..Row::default()
        };
        fpr.iter().enumerate().map(row).collect()
    }

    #[test]
    fn the_papers_layout_has_a_line_per_method_and_a_column_per_size() {
        let few = [0.0, 0.0, 0.0625, 0.0];
        let mut all = rows("survival", Some(0.2), (300, 20), &few);
        all.extend(rows("survival", Some(0.2), (500, 20), &[1.0; 4]));
        let table = markdown(StudyName::Table1, &all);
        let line = "| survival (C = 0.2) | GMCPNet | 1.6, 0.0 [1.9, 0.4] ✓ | 4.2 (0.5) [4.3 (0.9)] \
                    | 100.0, 0.0 [1.7, 0.0] ✗ |";
        assert!(table.contains(line), "{table}");
        assert!(table.contains("1 of the 2 cells"), "{table}");
        assert!(table.contains("- apart: survival (C = 0.2), GMCPNet, 500 × 20: FPR 100.0"));
        let columns = |start: &str| {
            let line = table.lines().find(|line| line.starts_with(start));
            line.unwrap().matches('|').count()
        };
        assert_eq!(
            columns("| model"),
            columns("| survival (C = 0.2) | GMCPNet | 1.6")
        );
    }

    #[test]
    fn table_2_has_a_column_per_model() {
        let mut all = rows("regression", None, (500, 1000), &[0.001]);
        all.extend(rows("survival", Some(0.2), (500, 1000), &[0.0]));
        let table = markdown(StudyName::Table2, &all);
        assert!(
            table.contains("| GMCPNet | 0.1, 0.0 [0.1, 13.4]"),
            "{table}"
        );
    }
}
