//! The default beside the paper's protocol, on its designs and on others.

use super::method::{DEFAULT, Method};
use super::plan::{Cell, Task, design_of};
use super::results::Row;
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

/// Cells that the paper lacks.
pub fn beyond() -> impl Iterator<Item = Cell> {
    (Scenario::BEYOND.iter())
        .chain(&[Scenario::Survival])
        .map(|&design| Cell::simulated(design, BEYOND_SIZE, HEAVY_CENSORING))
}

/// Both protocols on these cells and on XOR.
pub fn tasks(cells: Vec<Cell>) -> Vec<Task> {
    let xor = XOR_WIDTHS.map(|d| Cell::simulated(Scenario::Xor, (500, d), 0.0));
    (cells.iter().chain(&xor))
        .flat_map(|cell| COMPARED.map(|(method, variant)| Task::new(cell, method, variant)))
        .collect()
}

/// What a fit got wrong: (falsely selected, missed, F1 of the support).
pub fn errors(row: &Row) -> Option<(f64, f64, f64)> {
    let support = design_of(&row.model)?.support().len() as f64;
    let missed = row.fnr? * support;
    let found = support - missed;
    let wrong = row.size? as f64 - found;
    Some((wrong, missed, 2.0 * found / (2.0 * found + wrong + missed)))
}
