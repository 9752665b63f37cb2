//! Feature selection as the paper printed it: Tables 1 and 2 of Luo and Halabi
//! (TMLR 2025), 200 replicates a cell, in `published.csv`.

use super::results::Row;
use crate::name::StudyName;
use serde::Deserialize;
use std::sync::LazyLock;
use threshnet::settings::Named;

/// Replicates behind every printed figure.
pub const REPLICATES: f64 = 200.0;

/// One cell: percentages, and the number of selected columns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Published {
    study: String,
    model: String,
    censoring: Option<f64>,
    method: String,
    n: usize,
    d: usize,
    pub fpr: f64,
    pub fnr: f64,
    pub size: f64,
    pub size_sd: f64,
}

static ALL: LazyLock<Vec<Published>> = LazyLock::new(|| {
    let mut file = csv::Reader::from_reader(&include_bytes!("published.csv")[..]);
    let lines = file.deserialize();
    lines.map(|line| line.expect("a test reads them")).collect()
});

/// What the paper printed for the cell and the method of a row, if it did.
pub fn published(study: StudyName, row: &Row) -> Option<&'static Published> {
    ALL.iter().find(|cell| {
        cell.study == study.name()
            && (&cell.model, cell.censoring) == (&row.model, row.censoring)
            && (&cell.method, cell.n, cell.d) == (&row.method, row.n, row.d)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_rates() {
        assert_eq!(ALL.len(), 17 * 3 + 11);
        // MS = 4·(1 − FNR) + (d − 4)·FPR, up to the rounding of all three
        for cell in ALL.iter() {
            let (fpr, fnr, others) = (cell.fpr / 100.0, cell.fnr / 100.0, cell.d as f64 - 4.0);
            let implied = 4.0 * (1.0 - fnr) + others * fpr;
            let rounding = 0.05 + 0.0005 * others + 0.002;
            assert!((implied - cell.size).abs() <= rounding, "{cell:?}");
        }
    }
}
