//! Ways to select, each on the same data as the paper's protocol, over its designs and
//! others: which of them a default should be made of.

use super::SEED_STRIDE;
use super::method::{DEFAULT, Method, RELAXED_EPOCHS, to_default};
use super::plan::{Cell, Task};
use super::quality::errors;
use super::results::Row;
use super::statistics::Spread;
use std::collections::BTreeMap;
use std::fmt::Write;
use threshnet::settings::{DRAWN_SHARE, Rule, Settings, Size, Validation, log_grid};
use threshnet::solver::{Adam, Solver};

/// The paper's protocol (GMCPNet and GSCADNet), then what is tried against it: words of
/// [`apply`], joined by `+`, but for those that are [`RETIRED`].
const CANDIDATES: [(Method, &str); 25] = [
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
    (Method::Gmcp, "penalty"),
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

/// Those that lost, and that version 0.1.0 was the last to run: the table still has their rows.
const RETIRED: [&str; 7] = [
    "cv5x3",
    "starts5",
    "starts5-by-objective",
    "penalty",
    "auto-lambdas",
    "readmit",
    "draws12+quick+rate0.003+depth",
];

/// Every candidate that can be run, on every cell.
pub fn tasks(cells: &[Cell]) -> Vec<Task> {
    let run = || (CANDIDATES.into_iter()).filter(|(_, name)| !RETIRED.contains(name));
    (cells.iter())
        .flat_map(|cell| run().map(|(method, name)| Task::new(cell, method, name)))
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
            "cv5" => {
                settings.validation = Validation::folds(5);
                settings.refit = true;
            }
            "shortcut" => settings.shortcut = true,
            "draws12" => settings.validation = draws(12),
            "draws18" => settings.validation = draws(18),
            "draws36" => settings.validation = draws(36),
            "rate0.003" => adam.learning_rate = 0.003,
            _ => unreachable!("the candidates are made of these words"),
        }
    }
    settings.solver = Solver::Adam(adam);
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

/// What a fit is judged by: F1 of the support, columns falsely selected and missed, then
/// score and seconds beside the paper's GMCPNet on the same data.
type Judged = [f64; 5];
/// Which of these is the score.
const SCORE: usize = 3;

/// Where a fit stands: a cell as text.
fn place(row: &Row) -> String {
    format!("{} {} {} {:?}", row.model, row.n, row.d, row.censoring)
}

/// A table for each seed, since one is to choose by and another to confirm what was chosen.
pub fn markdown(rows: &[Row]) -> String {
    let mut of_seeds: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let seed = row.seed / SEED_STRIDE;
        of_seeds.entry(seed).or_default().push(row);
    }
    (of_seeds.iter())
        .map(|(seed, rows)| format!("Seed {seed}.\n\n{}\n", of_seed(rows)))
        .collect()
}

/// A line per candidate: means over cells of the means over replicates.
fn of_seed(rows: &[&Row]) -> String {
    let mut out = String::from(
        "| candidate | cells | fits | F1 | false | missed | score, gain | seconds, ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let paper: BTreeMap<_, &Row> = (rows.iter())
        .filter(|row| row.method == "gmcp" && row.variant.is_empty())
        .map(|row| ((place(row), row.seed), *row))
        .collect();
    for (method, variant) in CANDIDATES {
        let mut cells: BTreeMap<String, Vec<Judged>> = BTreeMap::new();
        let of_candidate = |row: &&&Row| row.method == method.name() && row.variant == variant;
        for row in rows.iter().filter(of_candidate) {
            let paper = paper.get(&(place(row), row.seed));
            if let Some(judged) = paper.and_then(|paper| judged(row, paper)) {
                cells.entry(place(row)).or_default().push(judged);
            }
        }
        if cells.is_empty() {
            continue;
        }
        let name = match variant {
            "" => format!("{} (paper)", method.name()),
            variant => format!("{} {variant}", method.name()),
        };
        let fits: usize = cells.values().map(Vec::len).sum();
        let [f1, wrong, missed, score, seconds] = [0, 1, 2, 3, 4].map(|i| mean(&cells, i));
        let _ = writeln!(
            out,
            "| {name} | {} | {fits} | {f1:.3} | {wrong:.2} | {missed:.2} | {score:+.3} | {seconds:.1} |",
            cells.len(),
        );
    }
    out
}

fn judged(row: &Row, paper: &Row) -> Option<Judged> {
    let (wrong, missed, f1) = errors(row)?;
    let (gain, ratio) = (row.score? - paper.score?, row.seconds / paper.seconds);
    Some([f1, wrong, missed, gain, ratio])
}

/// The mean over cells of a number's mean over replicates; of the score's median, for R² has
/// no mean where a fit may be arbitrarily bad.
fn mean(cells: &BTreeMap<String, Vec<Judged>>, number: usize) -> f64 {
    let of_cell = |fits: &Vec<Judged>| {
        let spread = Spread::of(fits.iter().map(|fit| fit[number]))?;
        Some(if number == SCORE {
            spread.median
        } else {
            spread.mean
        })
    };
    Spread::of(cells.values().filter_map(of_cell)).map_or(f64::NAN, |spread| spread.mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::StudyName;
    use crate::plan::plan;
    use std::collections::HashSet;
    use threshnet::penalty::Penalty;
    use threshnet::settings::Protocol;

    #[test]
    fn every_candidate_is_tried_on_every_cell_and_is_valid() {
        let tasks = plan(StudyName::Candidates, vec![]).tasks;
        // 15 + 3 cells of the paper's tables, 8 beyond
        assert_eq!(tasks.len(), 26 * (CANDIDATES.len() - RETIRED.len()));
        assert!(
            RETIRED
                .iter()
                .all(|name| CANDIDATES.iter().any(|(_, of)| of == name))
        );
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
            let penalty = Penalty::MCP;
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
            study: "candidates".into(),
            model: "regression".into(),
            method: "gmcp".into(),
            variant: variant.into(),
            n: 300,
            d: 20,
            censoring: None,
            replicate,
            seed: 77 * SEED_STRIDE + replicate,
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
    }

    #[test]
    fn candidates_are_compared_seed_by_seed() {
        let mut rows = vec![
            row("", 1, (0.125, 0.25, 5)),
            row("", 2, (0.125, 0.25, 5)),
            row("cv5", 2, (0.0, 0.0, 4)),
            // no paper fit to the same data: not compared
            row("cv5", 3, (0.5, 0.5, 10)),
        ];
        rows.push(Row {
            seed: 8 * SEED_STRIDE + 1,
            ..row("", 1, (0.0, 0.0, 4))
        });
        let text = markdown(&rows);
        let (first, second) = text.split_once("Seed 77.").unwrap();
        assert!(first.contains("Seed 8."), "{text}");
        assert!(first.contains("| gmcp (paper) | 1 | 1 | 1.000 | 0.00 | 0.00 | +0.000 | 1.0 |"));
        assert!(second.contains("| gmcp (paper) | 1 | 2 | 0.667 | 2.00 | 1.00 | +0.000 | 1.0 |"));
        assert!(
            second.contains("| gmcp cv5 | 1 | 1 | 1.000 | 0.00 | 0.00 | +0.100 | 8.0 |"),
            "{text}"
        );
    }
}
