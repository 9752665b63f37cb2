//! `table.md`: what the rows of a study amount to, the paper's figures beside
//! ours where it printed any.

use super::plan::design_of;
use super::published::published;
use super::results::Row;
use super::statistics::{Selections, Spread};
use crate::args::StudyName;
use std::fmt::Write;

/// Methods in the order of the paper, as it writes them.
const METHODS: [(&str, &str); 12] = [
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
struct Group<'a> {
    first: &'a Row,
    rows: Vec<&'a Row>,
}

/// The Markdown of a study's rows.
pub fn markdown(study: StudyName, rows: &[Row]) -> String {
    let groups = grouped(rows);
    let mut out = String::new();
    if matches!(study, StudyName::Table1 | StudyName::Table2) {
        beside_the_paper(&mut out, study, &groups);
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

    fn method(&self) -> String {
        let name = &self.first.method;
        let known = METHODS.iter().find(|(m, _)| m == name);
        let shown = known.map_or(name.as_str(), |(_, shown)| shown);
        match self.first.variant.as_str() {
            "" => shown.into(),
            variant => format!("{shown}, {variant}"),
        }
    }

    fn selections(&self) -> Option<Selections> {
        let relevant = design_of(&self.first.model)?.support().len();
        Selections::of(&self.rows, relevant)
    }
}

/// Tables 1 and 2: ours and the paper's in one cell.
fn beside_the_paper(out: &mut String, study: StudyName, groups: &[Group]) {
    let _ = writeln!(
        out,
        "Rates in percent; MS is the number of selected columns (SD). The paper's figures are in \
         brackets. A cell agrees (✓) if FPR, FNR and MS all lie within 2.576 standard errors of \
         the difference (two-sided, 99 %), after the paper's rounding.\n\n\
         | model | method | n × d | replicates | FPR, FNR | MS (SD) | |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut agreeing, mut concave, mut apart) = (0, 0, vec![]);
    for group in groups {
        let (Some(ours), Some(paper)) = (
            group.selections(),
            published(
                study,
                (&group.first.model, group.first.censoring),
                &group.first.method,
                (group.first.n, group.first.d),
            ),
        ) else {
            continue;
        };
        let problems = ours.disagreements(&paper);
        let (title, method) = (group.title(), group.method());
        let size = format!("{} × {}", group.first.n, group.first.d);
        let _ = writeln!(
            out,
            "| {title} | {method} | {size} | {} | {:.1}, {:.1} [{:.1}, {:.1}] | {:.1} ({:.1}) \
             [{:.1} ({:.1})] | {} |",
            group.rows.len(),
            ours.fpr.mean,
            ours.fnr.mean,
            paper.fpr,
            paper.fnr,
            ours.size.mean,
            ours.size.sd,
            paper.size,
            paper.size_sd,
            if problems.is_empty() { "✓" } else { "✗" }
        );
        let concave_net = matches!(group.first.method.as_str(), "gmcp" | "gscad");
        if concave_net && group.first.variant.is_empty() {
            concave += 1;
            agreeing += usize::from(problems.is_empty());
        }
        if !problems.is_empty() {
            apart.push(format!(
                "- {title}, {method}, {size}: {}",
                problems.join("; ")
            ));
        }
    }
    let _ = writeln!(
        out,
        "\n{agreeing} of {concave} cells of GMCPNet and GSCADNet agree with the paper.\n"
    );
    if !apart.is_empty() {
        let _ = writeln!(out, "Apart:\n\n{}\n", apart.join("\n"));
    }
}

/// Everything a study measured, method by method.
fn every_group(out: &mut String, study: StudyName, groups: &[Group]) {
    let score = match study {
        StudyName::SurvivalReal => "tAUC",
        StudyName::Mnist => "accuracy",
        StudyName::Table1 | StudyName::Table2 => "R², accuracy or C-index",
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
            group.rows.len(),
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
