//! `table.md`: what the rows of a study amount to, the paper's figures beside
//! ours where it printed any.

use super::plan::design_of;
use super::published::{Published, published};
use super::results::Row;
use super::statistics::{Selections, Spread};
use super::{cells, control, real};
use crate::name::StudyName;
use std::fmt::Write;

/// Methods in the order of the paper, as it writes them; before them one that it lacks.
const METHODS: [(&str, &str); 13] = [
    ("lasso", "LASSO"),
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
    if study == StudyName::Real {
        return real::markdown(&groups);
    }
    if study == StudyName::Control {
        return control::markdown(rows);
    }
    let mut out = String::new();
    if matches!(study, StudyName::Table1 | StudyName::Table2) {
        beside_the_paper(&mut out, study, &groups);
    }
    if study == StudyName::Quality {
        out += &cells::markdown(rows);
    }
    every_group(&mut out, study, &groups);
    out
}

/// Groups in the order of the file's models and the paper's methods.
fn grouped(rows: &[Row]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = vec![];
    for row in rows {
        let same = |g: &&mut Group| {
            let f = g.first;
            (&f.model, &f.method, &f.variant, f.n, f.d, f.censoring)
                == (
                    &row.model,
                    &row.method,
                    &row.variant,
                    row.n,
                    row.d,
                    row.censoring,
                )
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group {
                first: row,
                rows: vec![row],
            }),
        }
    }
    let models = ["regression", "classification", "survival"];
    let model = |name: &str| {
        models
            .iter()
            .position(|m| *m == name)
            .unwrap_or(models.len())
    };
    let method = |name: &str| METHODS.iter().position(|(m, _)| *m == name);
    groups.sort_by(|a, b| {
        let order = |row: &Row| {
            let censoring = row.censoring.map_or(-1, |share| (1000.0 * share) as i64);
            (
                model(&row.model),
                row.model.clone(),
                censoring,
                row.d,
                row.n,
            )
        };
        (order(a.first).cmp(&order(b.first)))
            .then(method(&a.first.method).cmp(&method(&b.first.method)))
            .then(a.first.variant.cmp(&b.first.variant))
    });
    groups
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

    /// How many there are, and how many of them have no score.
    pub fn replicates(&self) -> String {
        let without = self.rows.iter().filter(|row| row.score.is_none()).count();
        match (self.rows.len(), without) {
            (all, 0) => all.to_string(),
            (all, without) => format!("{all}, {without} without a score"),
        }
    }

    fn selections(&self) -> Option<Selections> {
        let relevant = design_of(&self.first.model)?.support().len();
        Selections::of(&self.rows, relevant)
    }
}

/// Tables 1 and 2 as the paper lays them out, its figures in brackets.
fn beside_the_paper(out: &mut String, study: StudyName, groups: &[Group]) {
    let compared: Vec<Compared> = (groups.iter())
        .filter_map(|group| Compared::of(study, group))
        .collect();
    if compared.is_empty() {
        return;
    }
    // Table 1 has a pair of columns for each size, Table 2 for each model.
    let place = |of: &Compared| match study {
        StudyName::Table1 => (of.size.clone(), vec![of.model.clone(), of.method.clone()]),
        _ => (of.model.clone(), vec![of.method.clone()]),
    };
    let mut columns: Vec<String> = vec![];
    let mut lines: Vec<Vec<String>> = vec![];
    for (column, line) in compared.iter().map(place) {
        push_new(&mut columns, column);
        push_new(&mut lines, line);
    }
    let _ = writeln!(
        out,
        "FPR and FNR in percent, MS the number of selected columns (SD); the paper's figures in \
         brackets. A cell agrees (✓) if FPR, FNR and MS all lie within 2.576 standard errors of \
         the difference (two-sided, 99 %), after the paper's rounding. Replicates are in the \
         second table.\n"
    );
    let labels = if study == StudyName::Table1 { 2 } else { 1 };
    let head: String = (columns.iter())
        .map(|column| format!(" {column}: FPR, FNR | MS (SD) |"))
        .collect();
    let _ = writeln!(
        out,
        "| {}{head}",
        ["model |", "method |"][2 - labels..].join(" ")
    );
    let _ = writeln!(out, "|{}", " --- |".repeat(labels + 2 * columns.len()));
    for line in &lines {
        let _ = write!(out, "| {} |", line.join(" | "));
        for column in &columns {
            let cell = compared
                .iter()
                .find(|of| place(of) == (column.clone(), line.clone()));
            let _ = write!(out, " {} |", cell.map_or(" – | – ".into(), Compared::cell));
        }
        out.push('\n');
    }
    let concave: Vec<&Compared> = compared.iter().filter(|of| of.concave).collect();
    let agreeing = concave.iter().filter(|of| of.problems.is_empty()).count();
    let _ = writeln!(
        out,
        "\n{agreeing} of the {} cells of GMCPNet and GSCADNet that were run agree with the paper, \
         which has {}.\n",
        concave.len(),
        if study == StudyName::Table1 { 30 } else { 6 }
    );
    let apart = compared.iter().filter(|of| !of.problems.is_empty());
    for of in apart {
        let problems = of.problems.join("; ");
        let _ = writeln!(
            out,
            "- apart: {}, {}, {}: {problems}",
            of.model, of.method, of.size
        );
    }
    out.push('\n');
}

/// Adds what is not there yet.
fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// A cell of the paper's table and ours.
struct Compared {
    model: String,
    method: String,
    size: String,
    ours: Selections,
    paper: Published,
    /// What disagrees.
    problems: Vec<String>,
    /// Whether it counts: GMCPNet or GSCADNet with the study's usual settings.
    concave: bool,
}

impl Compared {
    fn of(study: StudyName, group: &Group) -> Option<Compared> {
        let Row {
            model,
            method,
            variant,
            n,
            d,
            censoring,
            ..
        } = group.first;
        let paper = published(study, (model, *censoring), method, (*n, *d))?;
        let ours = group.selections()?;
        Some(Compared {
            model: group.title(),
            method: group.method(),
            size: format!("{n} × {d}"),
            problems: ours.disagreements(&paper),
            concave: matches!(method.as_str(), "gmcp" | "gscad") && variant.is_empty(),
            ours,
            paper,
        })
    }

    /// Two cells of a line of Markdown.
    fn cell(&self) -> String {
        let (ours, paper) = (&self.ours, &self.paper);
        let mark = if self.problems.is_empty() {
            "✓"
        } else {
            "✗"
        };
        format!(
            "{:.1}, {:.1} [{:.1}, {:.1}] {mark} | {:.1} ({:.1}) [{:.1} ({:.1})]",
            ours.fpr.mean,
            ours.fnr.mean,
            paper.fpr,
            paper.fnr,
            ours.size.mean,
            ours.size.sd,
            paper.size,
            paper.size_sd
        )
    }
}

/// Everything a study measured, method by method.
fn every_group(out: &mut String, study: StudyName, groups: &[Group]) {
    let score = match study {
        StudyName::SurvivalReal => "tAUC",
        StudyName::Mnist => "accuracy",
        StudyName::Table1 | StudyName::Table2 | StudyName::Quality => "R², accuracy or C-index",
        _ => "R²",
    };
    let _ = writeln!(
        out,
        "| data | method | n × d | replicates | FPR % | FNR % | MS (SD) | {score}: median | mean (SD) |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for group in groups {
        let of = |of: fn(&Row) -> Option<f64>| Spread::of(group.rows.iter().filter_map(|r| of(r)));
        let shown =
            |spread: Option<Spread>, show: fn(Spread) -> String| spread.map_or("–".into(), show);
        let percent = |spread| shown(spread, |s| format!("{:.1}", 100.0 * s.mean));
        let score = of(|row| row.score);
        let _ = writeln!(
            out,
            "| {} | {} | {} × {} | {} | {} | {} | {} | {} | {} |",
            group.title(),
            group.method(),
            group.first.n,
            group.first.d,
            group.replicates(),
            percent(of(|row| row.fpr)),
            percent(of(|row| row.fnr)),
            shown(of(|row| row.size.map(|s| s as f64)), |s| {
                format!("{:.1} ({:.1})", s.mean, s.sd)
            }),
            shown(score, |s| format!("{:.3}", s.median)),
            shown(score, |s| format!("{:.3} ({:.3})", s.mean, s.sd)),
        );
    }
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
