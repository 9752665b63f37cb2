//! Selection with error control: independent runs, which Python spreads as it likes.

use crate::arrays::{Table, counts, matrix, numbers};
use crate::errors::to_python;
use crate::fit::pool;
use crate::options::Options;
use crate::watch::{Watch, watched};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use threshnet::control::{Control, Controlled, Plan};

/// What is to be controlled: pairs of half-samples and how many columns may be false among
/// the selected, or what share of them.
#[derive(FromPyObject)]
pub enum Wanted {
    Stability {
        #[pyo3(item)]
        pairs: usize,
        #[pyo3(item)]
        max_false: f64,
    },
    Fdr {
        #[pyo3(item)]
        rate: f64,
    },
}

impl Wanted {
    fn control(&self) -> Control {
        match *self {
            Wanted::Stability { pairs, max_false } => Control::Stability { pairs, max_false },
            Wanted::Fdr { rate } => Control::Fdr { rate },
        }
    }
}

/// How many runs there are, and the knockoffs to append to the columns of the table for
/// them, if there are any.
#[pyfunction]
pub fn plan_runs<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
    wanted: Wanted,
) -> PyResult<Bound<'py, PyDict>> {
    let data = table.dataset()?;
    let request = Options(options).request()?;
    let plan = py.detach(|| Plan::new(wanted.control(), &data, &request));
    let plan = plan.map_err(to_python)?;
    let found = PyDict::new(py);
    found.set_item("runs", plan.runs())?;
    let copies = &plan.data().columns()[data.d()..];
    if !copies.is_empty() {
        let values = copies.iter().flat_map(|column| column.iter()).collect();
        found.set_item("knockoffs", matrix(py, values, (data.n(), data.d()))?)?;
    }
    Ok(found)
}

/// What one run finds, given the table with its knockoffs.
#[pyfunction]
pub fn make_run(
    py: Python,
    table: Table,
    options: &Bound<PyDict>,
    wanted: Wanted,
    number: usize,
) -> PyResult<Vec<f64>> {
    let data = table.dataset()?;
    let request = Options(options).request()?;
    let plan = Plan::from_prepared(wanted.control(), &data, &request).map_err(to_python)?;
    let pool = pool(Some(1), 1)?;
    let work = |watch: &Watch| pool.install(|| plan.run(number, watch));
    watched(py, None, work)?.map_err(to_python)
}

/// The selection that all runs, in their order, lead to.
#[pyfunction]
pub fn combine_runs<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
    wanted: Wanted,
    found: Vec<Vec<f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = table.dataset()?;
    let request = Options(options).request()?;
    let plan = Plan::from_prepared(wanted.control(), &data, &request).map_err(to_python)?;
    let controlled = plan.combined(&found).map_err(to_python)?;
    let report = PyDict::new(py);
    report.set_item("selected", counts(py, controlled.selected()))?;
    match controlled {
        Controlled::Stable { found, .. } => {
            report.set_item("threshold", found.threshold)?;
            report.set_item("false_at_most", found.bound)?;
            report.set_item("mean_size", found.mean_size)?;
            report.set_item("counted", found.counted)?;
            report.set_item("frequencies", numbers(py, found.frequencies))?;
        }
        Controlled::Certified { found, .. } => {
            report.set_item("threshold", found.threshold)?;
            report.set_item("statistics", numbers(py, found.statistics))?;
        }
    }
    Ok(report)
}
