//! Fits, and paths without a choice.

use crate::arrays::{Table, counts, numbers};
use crate::errors::to_python;
use crate::model::{Model, Path};
use crate::options::request;
use crate::watch::{Watch, watched};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::{ThreadPool, ThreadPoolBuilder};
use threshnet::dataset::Dataset;
use threshnet::error::Result;
use threshnet::metrics::{Survival, concordance_harrell};
use threshnet::settings::{Settings, Size};
use threshnet::tune::{self, Cell, Contender, Fit};

/// Fits a table. `columns` are those that stay whatever λ, where others have been ruled out
/// before. `progress.begin` is told how many λs there are at most, then `progress` is called
/// with how many are done.
#[pyfunction]
#[pyo3(signature = (table, options, *, columns=None, jobs=1, progress=None))]
pub fn fit<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
    columns: Option<Vec<usize>>,
    jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = table.dataset()?;
    let request = request(options)?;
    request.control().map_err(to_python)?;
    let settings = match columns {
        Some(columns) => request.on_selected(&data, &columns),
        None => request.settings(Size::of(&data)),
    };
    let settings = settings.map_err(to_python)?;
    run(py, (&data, &settings), (jobs, progress), tune::fit)
}

/// The path of one ridge over all rows, nothing chosen: its model is the densest.
#[pyfunction]
#[pyo3(signature = (table, options, *, jobs=1, progress=None))]
pub fn path<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
    jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = table.dataset()?;
    let request = request(options)?;
    let settings = request.settings(Size::of(&data)).map_err(to_python)?;
    run(py, (&data, &settings), (jobs, progress), tune::trace)
}

/// Harrell's C-index.
#[pyfunction]
pub fn concordance(
    time: PyReadonlyArray1<f64>,
    event: PyReadonlyArray1<bool>,
    risk: PyReadonlyArray1<f64>,
) -> PyResult<f64> {
    let (time, event) = (time.as_array().to_vec(), event.as_array().to_vec());
    let survival = Survival {
        time: &time,
        event: &event,
    };
    concordance_harrell(survival, &risk.as_array().to_vec()).map_err(to_python)
}

/// So many threads, and never more than there are paths.
pub fn pool(jobs: usize, paths: usize) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(jobs.min(paths).max(1))
        .build();
    pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

type Fitter = fn(&Dataset, &Settings, &dyn threshnet::solver::Observer) -> Result<Fit>;

fn run<'py>(
    py: Python<'py>,
    (data, settings): (&Dataset, &Settings),
    (jobs, progress): (usize, Option<&Bound<'py, PyAny>>),
    fitter: Fitter,
) -> PyResult<Bound<'py, PyDict>> {
    let pool = pool(jobs, settings.validation.splits() * settings.ridges.len())?;
    if let Some(progress) = progress {
        progress.call_method1("begin", (tune::steps(settings),))?;
    }
    let work = |watch: &Watch| pool.install(|| fitter(data, settings, watch));
    let fit = watched(py, progress, work)?.map_err(to_python)?;
    report(py, &fit)
}

/// All that is to be said of a fit, as plain data.
fn report<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Bound<'py, PyDict>> {
    let report = PyDict::new(py);
    report.set_item("model", Model::new(fit.model.clone()))?;
    report.set_item("path", Path::new(fit))?;
    let lambdas = fit.path.iter().map(|step| step.lambda);
    report.set_item("path_lambdas", numbers(py, lambdas))?;
    report.set_item("lambda", fit.lambda)?;
    report.set_item("ridge", fit.ridge)?;
    report.set_item("cells", cells(py, &fit.cells)?)?;
    report.set_item("chosen", counts(py, fit.chosen.iter().copied()))?;
    report.set_item("validation", (fit.validation.mean, fit.validation.se))?;
    let frequencies = fit.frequencies.as_ref();
    let frequencies = frequencies.map(|shares| numbers(py, shares.iter().copied()));
    report.set_item("frequencies", frequencies)?;
    report.set_item("threshold", fit.threshold)?;
    report.set_item("epochs", fit.solved.epochs)?;
    report.set_item("status", fit.solved.status.name())?;
    let certificate = PyDict::new(py);
    certificate.set_item("active", fit.solved.certificate.active)?;
    certificate.set_item("inactive", fit.solved.certificate.inactive)?;
    certificate.set_item("rest", fit.solved.certificate.rest)?;
    report.set_item("certificate", certificate)?;
    report.set_item("rows", counts(py, fit.rows.iter().copied()))?;
    let contenders = fit.contenders.iter().enumerate();
    let contenders = contenders.map(|(number, of)| contender(py, of, number == fit.winner));
    let contenders: Vec<_> = contenders.collect::<PyResult<_>>()?;
    report.set_item("contenders", PyList::new(py, contenders)?)?;
    Ok(report)
}

/// The grid, a list per quantity.
fn cells<'py>(py: Python<'py>, cells: &[Cell]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let number = |of: fn(&Cell) -> f64| numbers(py, cells.iter().map(of));
    table.set_item("ridge", number(|cell| cell.ridge))?;
    table.set_item("lambda", number(|cell| cell.lambda))?;
    table.set_item("size", number(|cell| cell.size))?;
    table.set_item("train_loss", number(|cell| cell.train_loss))?;
    table.set_item("validation_loss", number(|cell| cell.validation_loss))?;
    table.set_item("validation_se", number(|cell| cell.validation_se))?;
    table.set_item("epochs", counts(py, cells.iter().map(|cell| cell.epochs)))?;
    let statuses: Vec<&str> = cells.iter().map(|cell| cell.status.name()).collect();
    table.set_item("status", statuses)?;
    Ok(table)
}

/// A model of the contest.
fn contender<'py>(py: Python<'py>, of: &Contender, chosen: bool) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("hidden", of.hidden.clone())?;
    entry.set_item("penalty", of.penalty.name())?;
    entry.set_item("size", of.size)?;
    entry.set_item("loss", of.validation.mean)?;
    entry.set_item("se", of.validation.se)?;
    entry.set_item("behind", of.behind.map(|behind| behind.mean))?;
    entry.set_item("behind_se", of.behind.map(|behind| behind.se))?;
    entry.set_item("chosen", chosen)?;
    Ok(entry)
}
