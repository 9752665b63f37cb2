//! Nested validation: independent runs, which Python spreads as it likes.

use crate::arrays::{Matrix, Table, counts, numbers};
use crate::errors::to_python;
use crate::model::Model;
use crate::options::request;
use crate::watch::{Watch, watched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use threshnet::dataset::Dataset;
use threshnet::model::Prediction;
use threshnet::threads;
use threshnet::validate::{Plan, predicted};

/// Every run: the rows it learns from, how often each was drawn (none outside a bootstrap), the rows it
/// predicts, those of them that it held out, and the seed of its fit.
#[pyfunction]
pub fn plan_outer<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let plan = Plan::new(&data, &request).map_err(to_python)?;
    let rows = |rows: &[usize]| counts(py, rows.iter().map(|&row| data.number(row)));
    let runs = plan.splits().iter().enumerate().map(|(number, split)| {
        let run = PyDict::new(py);
        run.set_item("learned", rows(&split.learned))?;
        let times = split.times.as_ref();
        run.set_item(
            "times",
            times.map(|times| numbers(py, times.iter().copied())),
        )?;
        run.set_item("predicted", rows(&plan.rows(split)))?;
        run.set_item("held_out", rows(&split.held_out))?;
        run.set_item("seed", plan.seed(number))?;
        Ok(run)
    });
    runs.collect()
}

/// What one run finds.
#[pyfunction]
pub fn make_outer(
    py: Python,
    table: Table,
    options: &Bound<PyDict>,
    number: usize,
) -> PyResult<Vec<f64>> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let plan = Plan::new(&data, &request).map_err(to_python)?;
    let pool = threads::pool(Some(1)).map_err(to_python)?;
    let work = |watch: &Watch| pool.install(|| plan.run(number, watch));
    watched(py, None, work)?.map_err(to_python)
}

/// What the procedure, done with all rows, says of these.
#[derive(FromPyObject)]
pub enum Apparent<'py> {
    Model(PyRef<'py, Model>),
    Said(Matrix<'py>),
}

impl Apparent<'_> {
    fn prediction(&self, data: &Dataset) -> PyResult<Prediction> {
        Ok(match self {
            Apparent::Model(model) => predicted(model.inner(), data, (0..data.n()).collect()),
            Apparent::Said(matrix) if matrix.rows() != data.n() => {
                return Err(PyValueError::new_err("predictions of other rows"));
            }
            Apparent::Said(matrix) => {
                let columns = matrix.columns()?;
                let columns = columns.iter().map(|column| column.to_vec()).collect();
                Prediction::of(data.outcome().task(), columns)
            }
        })
    }
}

/// What all runs, in their order, say together, as JSON.
#[pyfunction]
#[pyo3(signature = (table, options, found, apparent=None))]
pub fn combine_outer(
    table: Table,
    options: &Bound<PyDict>,
    found: Vec<Vec<f64>>,
    apparent: Option<Apparent>,
) -> PyResult<String> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let plan = Plan::new(&data, &request).map_err(to_python)?;
    let apparent = apparent.map(|said| said.prediction(&data)).transpose()?;
    let nested = plan
        .combined(&found, apparent.as_ref())
        .map_err(to_python)?;
    Ok(serde_json::to_string(&nested).expect("its keys are texts"))
}
