//! Ways to select, each on the same data as the paper's protocol, over its designs and
//! others: which of them a default should be made of.

use super::cells;
use super::method::{DEFAULT, Method, RELAXED_EPOCHS, to_default};
use super::plan::{Cell, Task, design_of};
use super::results::Row;
use super::statistics::Spread;
use std::collections::BTreeMap;
use std::fmt::Write;
use threshnet::settings::{
    DRAWN_SHARE, Linear, Merit, Rival, Rule, Settings, Size, Starts, Validation, log_grid,
};
use threshnet::simulate::Design;
use threshnet::solver::{Adam, Solver};

/// The paper's protocol (GMCPNet and GSCADNet), then what is tried against it: words of
/// [`apply`], joined by `+`.
const CANDIDATES: [(Method, &str); 24] = [
    (Method::Gmcp, ""),
    (Method::Gscad, ""),
    (Method::Gmcp, "standardized"),
    (Method::Gmcp, "quick"),
    (Method::Gmcp, "skip"),
    (Method::Gmcp, "1se"),
    (Method::Gmcp, "relaxed"),
    (Method::Gmcp, "cv5"),
    (Method::Gmcp, "cv5+1se"),
    (Method::Gmcp, "cv5x3"),
    (Method::Gmcp, "starts5"),
    (Method::Gmcp, "starts5-by-objective"),
    (Method::Gmcp, "auto-lambdas"),
    (Method::Gmcp, "readmit"),
    (Method::Gmcp, "shortcut"),
    (Method::Gmcp, "draws12+quick+rate0.003+shortcut"),
    (Method::Gmcp, "draws12+quick+rate0.003+depth"),
    (Method::Gmcp, "draws12"),
    (Method::Gmcp, "draws12+quick"),
    (Method::Gmcp, "draws12+quick+rate0.003"),
    (Method::Gmcp, "draws18+quick+rate0.003+ridges6"),
    (Method::Gmcp, "draws36+quick+rate0.003+ridges3"),
    (Method::Gmcp, DEFAULT),
    (Method::Gscad, DEFAULT),
];

/// The candidates that stand at the end.
const FINAL: [(Method, &str); 3] = [
    (Method::Gmcp, ""),
    (Method::Gscad, ""),
    (Method::Gmcp, DEFAULT),
];

/// Columns that matter only together, among ever more: these are for the final ones alone.
const XOR_WIDTHS: [usize; 5] = [500, 1000, 2000, 5000, 10_000];

/// Rows and columns of the designs beyond the paper.
const BEYOND_SIZE: (usize, usize) = (500, 200);
/// Most rows are censored.
const HEAVY_CENSORING: f64 = 0.8;

/// Every candidate on every cell; `paper` are the cells of Tables 1 and 2.
pub fn tasks(paper: Vec<Cell>) -> Vec<Task> {
    let beyond: Vec<Cell> = (Design::BEYOND.iter())
        .chain(&[Design::Survival])
        .map(|&design| Cell::simulated(design, BEYOND_SIZE, HEAVY_CENSORING))
        .collect();
    let xor = XOR_WIDTHS.map(|d| Cell::simulated(Design::Xor, (500, d), 0.0));
    let of = |cell: &Cell, (method, variant): (Method, &str)| Task::new(cell, method, variant);
    (paper.iter().chain(&beyond))
        .flat_map(|cell| CANDIDATES.map(|candidate| of(cell, candidate)))
        .chain((xor.iter()).flat_map(|cell| FINAL.map(|candidate| of(cell, candidate))))
        .collect()
}

/// Changes the paper's settings as a candidate says.
pub fn apply(settings: &mut Settings, candidate: &str, size: Size) {
    if candidate == DEFAULT {
        return to_default(settings, size);
    }
    let mut adam = match settings.solver {
        Solver::Adam(adam) => adam,
        Solver::Proximal(_) => Adam::default(),
    };
    for word in candidate.split('+').filter(|word| !word.is_empty()) {
        match word {
            "standardized" => settings.standardize = true,
            "quick" => adam.tolerance = 0.01,
            "skip" => settings.skip_ridges = true,
            "ridges3" => settings.ridges = few_ridges(&settings.ridges, 3),
            "ridges6" => settings.ridges = few_ridges(&settings.ridges, 6),
            "1se" => settings.rule = Rule::OneStandardError,
            "relaxed" => settings.relax = Some(RELAXED_EPOCHS),
            "cv5" | "cv5x3" => {
                let repeats = if word == "cv5" { 1 } else { 3 };
                settings.validation = Validation::Folds { count: 5, repeats };
                settings.refit = true;
            }
            "starts5" => settings.starts = starts(Merit::Validation),
            "starts5-by-objective" => settings.starts = starts(Merit::Objective),
            "auto-lambdas" => settings.adapt_lambdas = true,
            "readmit" => adam.readmit = true,
            "shortcut" => settings.shortcut = true,
            "depth" => {
                settings.linear = Linear::Choose;
                settings.rivals = vec![Rival {
                    penalty: None,
                    hidden: Some(vec![10]),
                }];
            }
            "draws12" => settings.validation = draws(12),
            "draws18" => settings.validation = draws(18),
            "draws36" => settings.validation = draws(36),
            "rate0.003" => adam.learning_rate = 0.003,
            _ => unreachable!("the candidates are made of these words"),
        }
    }
    settings.solver = Solver::Adam(adam);
}

fn starts(by: Merit) -> Starts {
    Starts { count: 5, by }
}

fn draws(count: usize) -> Validation {
    Validation::Draws {
        count,
        share: DRAWN_SHARE,
    }
}

/// So many ridges from the smallest to about the middle of the paper's.
fn few_ridges(ridges: &[f64], count: usize) -> Vec<f64> {
    log_grid(ridges[0], ridges[6], count)
}

/// What a fit got wrong: (falsely selected, missed, F1 of the support).
pub fn errors(row: &Row) -> Option<(f64, f64, f64)> {
    let support = design_of(&row.model)?.support().len() as f64;
    let missed = row.fnr? * support;
    let found = support - missed;
    let wrong = row.size? as f64 - found;
    Some((wrong, missed, 2.0 * found / (2.0 * found + wrong + missed)))
}

/// Which of a line's numbers is the score.
const SCORE: usize = 3;

/// A line per candidate: means over cells of the means over replicates, and beside them
/// the differences to the paper's GMCPNet on the same replicates.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "Means over cells; the score is the median difference to the paper's GMCPNet on the same replicates, \
         seconds are a mean ratio to its own.\n\n\
         | candidate | cells | F1 | false | missed | score | seconds, ratio |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let place = |row: &Row| {
        let censoring = row.censoring.map_or(String::new(), |c| c.to_string());
        (row.model.clone(), row.n, row.d, censoring)
    };
    let paper: BTreeMap<_, &Row> = (rows.iter())
        .filter(|row| row.method == "gmcp" && row.variant.is_empty())
        .map(|row| ((place(row), row.seed), row))
        .collect();
    for (method, variant) in CANDIDATES {
        let mut cells: BTreeMap<_, Vec<[f64; 5]>> = BTreeMap::new();
        let of_candidate = |row: &&Row| row.method == method.name() && row.variant == variant;
        let tried_by_all = |row: &&Row| row.model != Design::Xor.name();
        for row in rows.iter().filter(of_candidate).filter(tried_by_all) {
            let (Some((wrong, missed, f1)), Some(score)) = (errors(row), row.score) else {
                continue;
            };
            let Some(paper) = paper.get(&(place(row), row.seed)) else {
                continue;
            };
            let Some(before) = paper.score else { continue };
            let values = [
                f1,
                wrong,
                missed,
                score - before,
                row.seconds / paper.seconds,
            ];
            cells.entry(place(row)).or_default().push(values);
        }
        // R² has no mean where noise has no variance
        let middle = |i: usize, of: Spread| if i == SCORE { of.median } else { of.mean };
        let mean = |i: usize| {
            let of_cell = |values: &Vec<[f64; 5]>| Spread::of(values.iter().map(|v| v[i]));
            let cells = cells.values().filter_map(of_cell);
            Spread::of(cells.map(|spread| middle(i, spread)))
        };
        let [
            Some(f1),
            Some(wrong),
            Some(missed),
            Some(score),
            Some(seconds),
        ] = [0, 1, 2, 3, 4].map(mean)
        else {
            continue;
        };
        let name = match variant {
            "" => format!("{} (paper)", method.name()),
            variant => format!("{} {variant}", method.name()),
        };
        let _ = writeln!(
            out,
            "| {name} | {} | {:.3} | {:.2} | {:.2} | {:+.4} | {:.1} |",
            cells.len(),
            f1.mean,
            wrong.mean,
            missed.mean,
            score.mean,
            seconds.mean
        );
    }
    out + "\n" + &cells::markdown(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::StudyName;
    use crate::study::plan::plan;
    use std::collections::HashSet;
    use threshnet::settings::Protocol;

    #[test]
    fn every_candidate_is_tried_on_every_cell_and_is_valid() {
        let tasks = plan(StudyName::Quality, vec![]).tasks;
        // 15 + 3 cells of the paper's tables, 8 beyond; XOR for some
        assert_eq!(tasks.len(), 26 * CANDIDATES.len() + 5 * FINAL.len());
        let keys: HashSet<String> = (tasks.iter())
            .map(|task| {
                format!(
                    "{} {} {}",
                    task.cell.name(),
                    task.method.name(),
                    task.variant
                )
            })
            .collect();
        assert_eq!(keys.len(), tasks.len(), "rows could not be told apart");
        for task in &tasks {
            let penalty = threshnet::penalty::Penalty::MCP;
            let paper = Protocol::Paper;
            let regression = threshnet::dataset::Task::Regression;
            let size = Size::new(task.cell.n, task.cell.d, regression);
            let mut settings = Settings::new(paper, penalty, paper.validation(), size);
            apply(&mut settings, &task.variant, size);
            settings.validate().unwrap();
        }
    }

    fn row(variant: &str, replicate: u64, (fpr, fnr, size): (f64, f64, usize)) -> Row {
        Row {
            study: "quality".into(),
            model: "regression".into(),
            method: "gmcp".into(),
            variant: variant.into(),
            n: 300,
            d: 20,
            censoring: None,
            replicate,
            seed: replicate,
            fpr: Some(fpr),
            fnr: Some(fnr),
            size: Some(size),
            score: Some(if variant.is_empty() { 0.8 } else { 0.9 }),
            lambda: None,
            ridge: None,
            seconds: if variant.is_empty() { 1.0 } else { 8.0 },
            selected: String::new(),
        }
    }

    #[test]
    fn errors_are_counted_from_the_rates() {
        // 3 of 4 found, 2 of 16 others selected
        let (wrong, missed, f1) = errors(&row("", 1, (0.125, 0.25, 5))).unwrap();
        assert!((wrong - 2.0).abs() < 1e-12 && (missed - 1.0).abs() < 1e-12);
        assert!((f1 - 6.0 / 9.0).abs() < 1e-12);
        let text = markdown(&[
            row("", 1, (0.125, 0.25, 5)),
            row("", 2, (0.125, 0.25, 5)),
            row("cv5", 2, (0.0, 0.0, 4)),
            // no paper fit to the same data: not compared
            row("cv5", 3, (0.5, 0.5, 10)),
        ]);
        assert!(text.contains("| gmcp (paper) | 1 | 0.667 | 2.00 | 1.00 | +0.0000 | 1.0 |"));
        assert!(
            text.contains("| gmcp cv5 | 1 | 1.000 | 0.00 | 0.00 | +0.1000 | 8.0 |"),
            "{text}"
        );
    }
}
