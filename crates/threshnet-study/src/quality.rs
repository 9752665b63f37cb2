//! The default beside the paper's protocol, on its designs and on others, cell by cell on the
//! same replicates: whether it is worse anywhere.

use super::method::{DEFAULT, Method};
use super::plan::{Cell, Task, design_of};
use super::results::Row;
use super::statistics::Spread;
use std::collections::BTreeMap;
use threshnet::simulate::Scenario;

/// The paper's protocol (GMCPNet and GSCADNet) and the default.
const COMPARED: [(Method, &str); 3] = [
    (Method::Gmcp, ""),
    (Method::Gscad, ""),
    (Method::Gmcp, DEFAULT),
];

/// Columns that matter only together, among ever more.
const XOR_WIDTHS: [usize; 5] = [500, 1000, 2000, 5000, 10_000];

/// Rows and columns of the designs beyond the paper.
const BEYOND_SIZE: (usize, usize) = (500, 200);
/// Most rows are censored.
const HEAVY_CENSORING: f64 = 0.8;

/// Both protocols on the paper's cells, on some that it lacks, and on XOR.
pub fn tasks(mut cells: Vec<Cell>) -> Vec<Task> {
    let beyond = Scenario::BEYOND.iter().chain(&[Scenario::Survival]);
    cells.extend(beyond.map(|&design| Cell::simulated(design, BEYOND_SIZE, HEAVY_CENSORING)));
    cells.extend(XOR_WIDTHS.map(|d| Cell::simulated(Scenario::Xor, (500, d), 0.0)));
    (cells.iter())
        .flat_map(|cell| COMPARED.map(|(method, variant)| Task::new(cell, method, variant)))
        .collect()
}

/// What a fit is judged by.
#[derive(Clone, Copy)]
struct Judged {
    /// Of the support.
    f1: f64,
    /// Falsely selected and missed columns.
    errors: f64,
    score: f64,
    seconds: f64,
}

impl Judged {
    fn of(row: &Row) -> Option<Judged> {
        let support = design_of(&row.model)?.support().len() as f64;
        let missed = row.fnr? * support;
        let found = support - missed;
        let wrong = row.size? as f64 - found;
        Some(Judged {
            f1: 2.0 * found / (2.0 * found + wrong + missed),
            errors: wrong + missed,
            score: row.score?,
            seconds: row.seconds,
        })
    }
}

/// The fits of a cell by seed, of each of [`COMPARED`].
type Fits = [BTreeMap<u64, Judged>; 3];

/// A line per cell on which both protocols ran, those of the paper's tables in a table of their own
/// before the others; empty without one.
pub fn markdown(rows: &[Row]) -> String {
    let (papers, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| is_papers(row));
    let [papers, others] = [papers, others].map(|rows| table(&rows));
    let lines = format!("{papers}{others}");
    if lines.is_empty() {
        return lines;
    }
    format!(
        "The default beside the better of the paper's GMCPNet and GSCADNet (better in F1, and better in score), on the same \
         replicates; standard errors of the paired difference in brackets, **bold** where the default is worse by more than \
         one. Errors: falsely selected and missed columns of a fit. Right: fits without an error, %. Cost: seconds, ratio to \
         GMCPNet. Cells of the paper's Tables 1 and 2 come first, others in a table of their own.\n{lines}\n"
    )
}

/// Whether a row is of a cell of the paper's Tables 1 and 2.
fn is_papers(row: &Row) -> bool {
    let designs = [
        Scenario::Regression,
        Scenario::Classification,
        Scenario::Survival,
    ];
    let simulated = design_of(&row.model).is_some_and(|design| designs.contains(&design));
    simulated
        && row
            .censoring
            .is_none_or(|censored| censored < HEAVY_CENSORING)
}

/// The lines of these rows under a head; empty without one.
fn table(rows: &[&Row]) -> String {
    let mut cells: BTreeMap<_, Fits> = BTreeMap::new();
    for row in rows {
        let is = |(method, variant): &(Method, &str)| {
            (method.name(), *variant) == (&row.method, &row.variant)
        };
        let (Some(judged), Some(by)) = (Judged::of(row), COMPARED.iter().position(is)) else {
            continue;
        };
        let censoring = (row.censoring).map_or(String::new(), |c| format!(", C = {c}"));
        let cell = format!("{}{censoring}, {} × {}", row.model, row.n, row.d);
        cells.entry((row.d, cell)).or_default()[by].insert(row.seed, judged);
    }
    let lines: String = (cells.iter())
        .filter_map(|((_, cell), fits)| line(cell, fits))
        .collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "\n| cell | replicates | F1, paper | default | difference | errors, paper | default | right, paper | default | score, paper | default | difference | cost |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n{lines}"
    )
}

fn line(cell: &str, [gmcp, gscad, ours]: &Fits) -> Option<String> {
    // By the paper's methods that ran on them: pairs of (theirs, ours).
    let paired: Vec<Vec<(Judged, Judged)>> = [gmcp, gscad]
        .map(|theirs| {
            let both = (ours.iter()).filter_map(|(seed, o)| Some((*theirs.get(seed)?, *o)));
            both.collect()
        })
        .into_iter()
        .filter(|pairs: &Vec<_>| !pairs.is_empty())
        .collect();
    let theirs = |pairs: &[(Judged, Judged)], of: fn(&Judged) -> f64| {
        Spread::of(pairs.iter().map(|(t, _)| of(t))).map(|spread| spread.mean)
    };
    let own = |pairs: &[(Judged, Judged)], of: fn(&Judged) -> f64| {
        Spread::of(pairs.iter().map(|(_, o)| of(o))).map(|spread| spread.mean)
    };
    let better = |of: fn(&Judged) -> f64| {
        let mean = |pairs: &[_]| theirs(pairs, of).unwrap_or(f64::NAN);
        (paired.iter()).max_by(|a, b| mean(a).total_cmp(&mean(b)))
    };
    let compared = |of: fn(&Judged) -> f64| {
        let pairs = better(of)?;
        let gain = Spread::of(pairs.iter().map(|(t, o)| of(o) - of(t)))?;
        let (theirs, own) = (theirs(pairs, of)?, own(pairs, of)?);
        let (gain, error) = (gain.mean, gain.error());
        let mark = if gain < -error { "**" } else { "" };
        Some(format!(
            "{theirs:.3} | {own:.3} | {mark}{gain:+.3}{mark} ({error:.3})"
        ))
    };
    let selecting = better(|judged| judged.f1)?;
    let right = |judged: &Judged| if judged.errors < 0.5 { 100.0 } else { 0.0 };
    let cost = Spread::of(paired[0].iter().map(|(t, o)| o.seconds / t.seconds))?;
    Some(format!(
        "| {cell} | {} | {} | {:.2} | {:.2} | {:.0} | {:.0} | {} | {:.1} |\n",
        selecting.len(),
        compared(|judged| judged.f1)?,
        theirs(selecting, |judged| judged.errors)?,
        own(selecting, |judged| judged.errors)?,
        theirs(selecting, right)?,
        own(selecting, right)?,
        compared(|judged| judged.score)?,
        cost.mean,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row((method, variant): (&str, &str), seed: u64, fnr: f64, score: f64) -> Row {
        Row {
            study: "quality".into(),
            model: "regression".into(),
            method: method.into(),
            variant: variant.into(),
            n: 300,
            d: 20,
            seed,
            fnr: Some(fnr),
            size: Some((4.0 * (1.0 - fnr)) as usize),
            score: Some(score),
            seconds: if variant.is_empty() { 1.0 } else { 8.0 },
            ..Row::default()
        }
    }

    #[test]
    fn the_better_of_the_papers_methods_is_the_measure() {
        let text = markdown(&[
            row(("gmcp", ""), 1, 0.5, 0.8),
            row(("gmcp", ""), 2, 0.5, 0.9),
            row(("gscad", ""), 1, 0.0, 0.7),
            row(("gscad", ""), 2, 0.5, 0.7),
            row(("gmcp", DEFAULT), 1, 0.0, 0.7),
            row(("gmcp", DEFAULT), 2, 0.0, 0.8),
            // nobody to be compared with
            row(("gmcp", DEFAULT), 3, 0.0, 0.1),
        ]);
        // F1 of half is 2·2/(2·2 + 2) = 2/3: GSCAD is better in F1, GMCP in score
        let line = text.trim_end().lines().last().unwrap();
        assert_eq!(
            line,
            "| regression, 300 × 20 | 2 | 0.833 | 1.000 | +0.167 (0.167) | 1.00 | 0.00 | 50 | 100 | 0.850 | 0.750 | \
             **-0.100** (0.000) | 8.0 |"
        );
        assert_eq!(markdown(&[row(("gmcp", ""), 1, 0.5, 0.8)]), "");
    }

    #[test]
    fn what_the_paper_lacks_has_a_table_of_its_own() {
        let cell = |model: &str, censoring| {
            [("gmcp", ""), ("gmcp", DEFAULT)].map(|method| Row {
                model: model.into(),
                censoring,
                ..row(method, 1, 0.0, 0.8)
            })
        };
        let rows = [
            cell("xor", None),
            cell("correlated-regression", None),
            cell("survival", Some(0.4)),
            cell("survival", Some(HEAVY_CENSORING)),
        ];
        let text = markdown(&rows.concat());
        let tables: Vec<&str> = text.split("| cell |").collect();
        assert_eq!(tables.len(), 3);
        for name in ["correlated-regression, 3", "survival, C = 0.4, 3"] {
            assert!(tables[1].contains(name), "{text}");
        }
        for name in ["xor, 3", "survival, C = 0.8, 3"] {
            assert!(tables[2].contains(name), "{text}");
        }
    }
}
