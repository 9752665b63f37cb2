//! Whether `--fdr` and `--max-false` keep what they promise: realised false discoveries
//! over replicates, and the power that is left.

use super::method::Method;
use super::plan::{Cell, Task, design_of};
use super::results::Row;
use super::statistics::Spread;
use std::collections::BTreeMap;
use std::fmt::Write;
use threshnet::control::{Control, Plan};
use threshnet::dataset::Dataset;
use threshnet::error::Result;
use threshnet::settings::Request;
use threshnet::simulate::Scenario;
use threshnet::solver::Observer;

/// Rows and columns; thirty of these matter.
const SIZE: (usize, usize) = (500, 200);
const CORRELATION: f64 = 0.5;

/// `--fdr 0.1`
const FDR: &str = "fdr=0.1";
const RATE: f64 = 0.1;
/// `--stability 50 --max-false 1`
const STABILITY: &str = "max-false=1";
const PAIRS: usize = 50;
const MOST_FALSE: f64 = 1.0;

/// Both promises on independent and on correlated columns.
pub fn tasks(correlated: impl Fn(Cell) -> Cell) -> Vec<Task> {
    let independent = Cell::simulated(Scenario::Many, SIZE, 0.0);
    let dependent = correlated(Cell {
        correlation: CORRELATION,
        // (as in the cells of Table 2; it makes no difference to this design)
        swapped: true,
        ..independent.clone()
    });
    [independent, dependent]
        .iter()
        .flat_map(|cell| [FDR, STABILITY].map(|variant| Task::new(cell, Method::Gmcp, variant)))
        .collect()
}

/// The columns that a promise selects.
pub fn selected(
    data: &Dataset,
    variant: &str,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Vec<usize>> {
    let control = match variant {
        FDR => Control::Fdr { rate: RATE },
        _ => Control::Stability {
            pairs: PAIRS,
            max_false: MOST_FALSE,
        },
    };
    let request = Request {
        seed,
        ..Request::default()
    };
    let plan = Plan::new(control, data, &request)?;
    let runs = (0..plan.runs()).map(|number| plan.run(number, observer));
    let runs: Vec<Vec<f64>> = runs.collect::<Result<_>>()?;
    Ok(plan.combined(&runs)?.selected())
}

/// A line per promise and design.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "Means over replicates, standard errors in brackets. The share false is that of the selected, \
         0 where nothing is selected.\n\n\
         | promise | design | n × d | replicates | selected | false | share false, % | found, % | nothing selected, % |\n\
         | --- | --- | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut groups: BTreeMap<_, Vec<[f64; 5]>> = BTreeMap::new();
    for row in rows {
        let (Some(design), Some(fnr), Some(size)) = (design_of(&row.model), row.fnr, row.size)
        else {
            continue;
        };
        let (size, found) = (size as f64, (1.0 - fnr) * design.support().len() as f64);
        let wrong = size - found;
        let nothing = if size == 0.0 { 100.0 } else { 0.0 };
        let shares = [100.0 * wrong / size.max(1.0), 100.0 * (1.0 - fnr), nothing];
        let group = groups.entry((&row.variant, &row.model, row.n, row.d));
        group
            .or_default()
            .push([size, wrong, shares[0], shares[1], shares[2]]);
    }
    for ((variant, model, n, d), values) in groups {
        let mean = |i: usize| {
            let spread = Spread::of(values.iter().map(|v| v[i])).expect("a group has a row");
            format!("{:.2} ({:.2})", spread.mean, spread.error())
        };
        let means = [0, 1, 2, 3, 4].map(mean).join(" | ");
        let replicates = values.len();
        let _ = writeln!(
            out,
            "| {variant} | {model} | {n} × {d} | {replicates} | {means} |"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::StudyName;
    use crate::plan::plan;

    #[test]
    fn both_promises_are_put_to_both_designs() {
        let tasks = plan(StudyName::Control, vec![]).tasks;
        let named: Vec<String> = (tasks.iter())
            .map(|task| format!("{} {}", task.cell.name(), task.variant))
            .collect();
        assert_eq!(
            named,
            [
                "many-500x200 fdr=0.1",
                "many-500x200 max-false=1",
                "correlated-many-500x200 fdr=0.1",
                "correlated-many-500x200 max-false=1",
            ]
        );
    }

    #[test]
    fn false_discoveries_are_counted_among_the_selected() {
        let row = |replicate: u64, fnr: f64, size: usize| Row {
            study: "control".into(),
            model: "many".into(),
            method: "gmcp".into(),
            variant: FDR.into(),
            n: 500,
            d: 200,
            censoring: None,
            replicate,
            seed: replicate,
            fpr: Some(0.0),
            fnr: Some(fnr),
            size: Some(size),
            score: None,
            lambda: None,
            ridge: None,
            seconds: 1.0,
            selected: String::new(),
            ..Row::default()
        };
        // 15 of 30 found among 20; nothing at all
        let text = markdown(&[row(1, 0.5, 20), row(2, 1.0, 0)]);
        let line = text.lines().last().unwrap();
        assert_eq!(
            line,
            "| fdr=0.1 | many | 500 × 200 | 2 | 10.00 (10.00) | 2.50 (2.50) | 12.50 (12.50) | \
             25.00 (25.00) | 50.00 (50.00) |"
        );
    }
}
