//! Selection with error control: independent runs, which Python spreads as it likes.

use crate::arrays::{Table, counts, matrix, numbers};
use crate::errors::to_python;
use crate::options::request;
use crate::watch::{Watch, left_alone, watched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::dataset::Dataset;
use threshnet::error::Result;
use threshnet::settings::Request;
use threshnet::threads;

/// What the settings ask to be controlled.
fn control(request: &Request) -> PyResult<Control> {
    let asked = request.control().map_err(to_python)?;
    asked.ok_or_else(|| PyValueError::new_err("give stability or fdr"))
}

/// How many runs there are, and the knockoffs to append to the columns of the table for
/// them, if there are any.
#[pyfunction]
pub fn plan_runs<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let control = control(&request)?;
    let planned = match control {
        Control::Stability { .. } => py.detach(|| runs_and_knockoffs(control, &data, &request)),
        Control::Fdr { .. } if data.dropped() > 0 => {
            return Err(PyValueError::new_err(
                "fdr: knockoffs are made for all rows; leave out those with missing cells beforehand",
            ));
        }
        Control::Fdr { .. } => {
            let rows: Vec<usize> = (0..data.n()).collect();
            let own = data.subset(&rows).map_err(to_python)?;
            left_alone(py, move || runs_and_knockoffs(control, &own, &request))?
        }
    };
    let (runs, knockoffs) = planned.map_err(to_python)?;
    let found = PyDict::new(py);
    found.set_item("runs", runs)?;
    if !knockoffs.is_empty() {
        found.set_item("knockoffs", matrix(py, knockoffs, (data.n(), data.d()))?)?;
    }
    Ok(found)
}

/// The number of runs, and the values of the knockoffs, column after column.
fn runs_and_knockoffs(
    control: Control,
    data: &Dataset,
    request: &Request,
) -> Result<(usize, Vec<f64>)> {
    let plan = Plan::new(control, data, request)?;
    let copies = &plan.data().columns()[data.d()..];
    let values = copies.iter().flat_map(|column| column.iter()).collect();
    Ok((plan.runs(), values))
}

/// What one run finds, given the table with its knockoffs.
#[pyfunction]
pub fn make_run(
    py: Python,
    table: Table,
    options: &Bound<PyDict>,
    number: usize,
) -> PyResult<Vec<f64>> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let plan = Plan::from_prepared(control(&request)?, &data, &request).map_err(to_python)?;
    let pool = threads::pool(Some(1)).map_err(to_python)?;
    let work = |watch: &Watch| pool.install(|| plan.run(number, watch));
    watched(py, None, work)?.map_err(to_python)
}

/// The selection that all runs, in their order, lead to.
#[pyfunction]
pub fn combine_runs(
    table: Table,
    options: &Bound<PyDict>,
    found: Vec<Vec<f64>>,
) -> PyResult<Selection> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let plan = Plan::from_prepared(control(&request)?, &data, &request).map_err(to_python)?;
    plan.combined(&found).map(Selection).map_err(to_python)
}

/// A selection with a bound on what is false in it.
#[pyclass(frozen, module = "threshnet._core")]
pub struct Selection(Controlled);

impl Selection {
    pub fn inner(&self) -> &Controlled {
        &self.0
    }
}

#[pymethods]
impl Selection {
    /// What is known of it, as plain data.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("selected", counts(py, self.0.selected()))?;
        match &self.0 {
            Controlled::Stable { found, .. } => {
                facts.set_item("threshold", found.threshold)?;
                facts.set_item("false_at_most", found.bound)?;
                facts.set_item("mean_size", found.mean_size)?;
                facts.set_item("counted", found.counted)?;
                facts.set_item("frequencies", numbers(py, found.frequencies.clone()))?;
            }
            Controlled::Certified { found, .. } => {
                facts.set_item("threshold", found.threshold)?;
                facts.set_item("statistics", numbers(py, found.statistics.clone()))?;
            }
        }
        Ok(facts)
    }
}
