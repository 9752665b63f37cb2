//! Fits, and paths without a choice.

use crate::arrays::{Table, counts, matrix, numbers};
use crate::control::Selection;
use crate::errors::to_python;
use crate::model::{Model, Path};
use crate::options::request;
use crate::watch::{Watch, watched};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;
use threshnet::control::Controlled;
use threshnet::dataset::Dataset;
use threshnet::error::Result;
use threshnet::report::{FitReport, Fitted};
use threshnet::settings::{Request, Settings, Validation};
use threshnet::solver::Observer;
use threshnet::threads;
use threshnet::tune::{self, Fit, HeldOut};
use threshnet::validate::{Plan, importance, predicted};

/// Fits a table. `selection` is what ruled other features out before, `outside` what the runs of a nested
/// validation found. `progress.begin` is told
/// how many λs there are at most, then `progress` is called with how many are done.
#[pyfunction]
#[pyo3(signature = (table, options, *, selection=None, outside=None, jobs=1, progress=None))]
pub fn fit<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: &Bound<'py, PyDict>,
    selection: Option<&Selection>,
    outside: Option<Vec<Vec<f64>>>,
    jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = request(options)?;
    let data = table.dataset(&request)?;
    request.control().map_err(to_python)?;
    let controlled = selection.map(Selection::inner);
    let settings = match controlled {
        Some(controlled) => request.on_selected(&data, &controlled.selected()),
        None => request.settings_for(&data),
    };
    let work = Work {
        table: &table,
        data: &data,
        request: &request,
        settings: settings.map_err(to_python)?,
        controlled,
        outside,
        fitter: tune::fit,
    };
    work.run(py, jobs, progress)
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
    let request = request(options)?;
    let data = table.dataset(&request)?;
    let settings = request.settings_for(&data).map_err(to_python)?;
    let work = Work {
        table: &table,
        data: &data,
        request: &request,
        settings: tune::of_path(&settings),
        controlled: None,
        outside: None,
        fitter: tune::trace,
    };
    work.run(py, jobs, progress)
}

/// What is to be fitted, and how.
struct Work<'a, 'py> {
    table: &'a Table<'py>,
    data: &'a Dataset<'a>,
    request: &'a Request,
    settings: Settings,
    controlled: Option<&'a Controlled>,
    outside: Option<Vec<Vec<f64>>>,
    fitter: fn(&Dataset, &Settings, &dyn Observer) -> Result<Fit>,
}

impl Work<'_, '_> {
    fn run<'py>(
        &self,
        py: Python<'py>,
        jobs: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let settings = &self.settings;
        let pool = threads::pool(Some(jobs)).map_err(to_python)?;
        if let Some(progress) = progress {
            progress.call_method1("begin", (tune::steps(settings),))?;
        }
        // (what cannot leave this thread stays here)
        let (data, request, controlled) = (self.data, self.request, self.controlled);
        let (fitter, told) = (self.fitter, self.table.told(request));
        let outside = self.outside.as_deref();
        let work = |watch: &Watch| {
            pool.install(|| {
                let started = Instant::now();
                let mut fit = fitter(data, settings, watch)?;
                fit.models_mut().for_each(|model| told.write_to(model));
                let nested = match outside {
                    None => None,
                    Some(found) => {
                        let apparent = predicted(&fit.model, data, (0..data.n()).collect());
                        Some(Plan::new(data, request)?.combined(found, Some(&apparent))?)
                    }
                };
                let importance = match request.importance {
                    true => importance(data, request, &fit, watch)?,
                    false => None,
                };
                let report = FitReport::new(&Fitted {
                    data,
                    request,
                    settings,
                    fit: &fit,
                    controlled,
                    nested: nested.as_ref(),
                    importance: importance.as_ref(),
                    seconds: started.elapsed().as_secs_f64(),
                    explain: settings.validation != Validation::None,
                })?;
                Ok((fit, report))
            })
        };
        let (fit, report) = watched(py, progress, work)?.map_err(to_python)?;
        found(py, data, &fit, &report)
    }
}

/// What there is of a fit: objects, arrays, and the report as the text of `report.json`. Rows are
/// numbered as they were given.
fn found<'py>(
    py: Python<'py>,
    data: &Dataset,
    fit: &Fit,
    report: &FitReport,
) -> PyResult<Bound<'py, PyDict>> {
    let numbers_of = |rows: &[usize]| counts(py, rows.iter().map(|&row| data.number(row)));
    let found = PyDict::new(py);
    found.set_item("model", Model::new(fit.model.clone()))?;
    let ensemble = fit.ensemble.as_ref();
    found.set_item(
        "ensemble",
        ensemble.map(|all| Model::new(all.model.clone())),
    )?;
    found.set_item("path", Path::new(fit))?;
    found.set_item("report", report.to_json())?;
    found.set_item("rows", numbers_of(&fit.rows))?;
    found.set_item("epochs", fit.solved.epochs)?;
    let frequencies = fit.frequencies.as_ref();
    let frequencies = frequencies.map(|shares| numbers(py, shares.iter().copied()));
    found.set_item("frequencies", frequencies)?;
    let held_out = fit.held_out.as_ref().map(|of| {
        let entry = held_out(py, of)?;
        entry.set_item("rows", numbers_of(&of.rows))?;
        Ok::<_, PyErr>(entry)
    });
    found.set_item("held_out", held_out.transpose()?)?;
    Ok(found)
}

/// Predictions of rows by networks that did not see them: the fold of each row, and what is said
/// of it, a column per class or one.
fn held_out<'py>(py: Python<'py>, held_out: &HeldOut) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    let folds = (held_out.folds.iter().enumerate())
        .flat_map(|(fold, &rows)| std::iter::repeat_n(fold, rows));
    entry.set_item("folds", counts(py, folds))?;
    let columns = held_out.prediction.columns();
    let shape = (held_out.rows.len(), columns.len());
    entry.set_item("prediction", matrix(py, columns.concat(), shape)?)?;
    Ok(entry)
}
