//! What a model makes of its features, and curves of what happened: the engine's own.

use crate::arrays::{Matrix, numbers};
use crate::errors::to_python;
use crate::model::Model;
use crate::strings::{ByFeature, in_order, to_predict};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use threshnet::dataset::{Column, Dataset, Outcome};
use threshnet::explain;
use threshnet::metrics::{KaplanMeier, Survival, concordance_harrell};
use threshnet::report::FitReport;

/// The effects of some selected features over rows that are given as for `predict`: values, the
/// curves of partial dependence and of local effects (a row per class), and the swing.
#[pyfunction]
pub fn effects<'py>(
    py: Python<'py>,
    model: &Model,
    x: Matrix<'py>,
    strings: ByFeature<'py>,
    features: Vec<usize>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let rows = Rows::new(model, &x, &strings)?;
    let data = rows.dataset(model)?;
    let found = py.detach(|| explain::effects(model.inner(), &data, &features));
    let entries = found.into_iter().map(|effect| {
        let entry = PyDict::new(py);
        entry.set_item("feature", effect.column)?;
        entry.set_item("at", numbers(py, effect.at))?;
        entry.set_item("partial", PyArray2::from_vec2(py, &effect.partial)?)?;
        entry.set_item("local", PyArray2::from_vec2(py, &effect.local)?)?;
        entry.set_item("swing", effect.swing)?;
        Ok(entry)
    });
    entries.collect()
}

/// What pairs of selected features do together, the strongest first: the pair, Friedman's H²
/// and the root of the mean square of what they do.
#[pyfunction]
pub fn interactions<'py>(
    py: Python<'py>,
    model: &Model,
    x: Matrix<'py>,
    strings: ByFeature<'py>,
    features: Vec<usize>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let rows = Rows::new(model, &x, &strings)?;
    let data = rows.dataset(model)?;
    let found = py.detach(|| explain::interactions(model.inner(), &data, &features));
    let entries = found.into_iter().map(|of| {
        let entry = PyDict::new(py);
        entry.set_item("features", of.pair)?;
        entry.set_item("h2", of.h2)?;
        entry.set_item("strength", of.strength)?;
        Ok(entry)
    });
    entries.collect()
}

/// Rows with the features that a model selects, encoded.
struct Rows {
    selected: Vec<Vec<f64>>,
    /// What all other features are: the model does not look at them.
    zeros: Vec<f64>,
}

impl Rows {
    fn new(model: &Model, x: &Matrix, strings: &ByFeature) -> PyResult<Self> {
        let model = model.inner();
        let mut selected = to_predict(model, in_order(strings, x.columns()?))?;
        for (j, column) in model.columns().into_iter().zip(&mut selected) {
            let fill = &model.scaling.fill;
            column
                .iter_mut()
                .for_each(|value| *value = fill.of(j, *value));
        }
        Ok(Rows {
            selected,
            zeros: vec![0.0; x.rows()],
        })
    }

    fn dataset(&self, model: &Model) -> PyResult<Dataset<'_>> {
        let model = model.inner();
        let mut columns = vec![Column::from(&self.zeros[..]); model.features.columns()];
        for (column, values) in model.columns().into_iter().zip(&self.selected) {
            columns[column] = Column::from(&values[..]);
        }
        // (any outcome will do that a data set can have)
        let outcome = Outcome::Continuous((0..self.zeros.len()).map(|row| row as f64).collect());
        Dataset::encoded(model.features.clone(), columns, outcome).map_err(to_python)
    }
}

/// The page of a report, from its `report.json`.
#[pyfunction]
pub fn report_html(report: &str) -> PyResult<String> {
    let report = FitReport::from_json(report).map_err(to_python)?;
    threshnet_report::html(&report).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Harrell's C-index; `weights` is what each row counts.
#[pyfunction]
#[pyo3(signature = (time, event, risk, weights=None))]
pub fn concordance(
    time: PyReadonlyArray1<f64>,
    event: PyReadonlyArray1<bool>,
    risk: PyReadonlyArray1<f64>,
    weights: Option<PyReadonlyArray1<f64>>,
) -> PyResult<f64> {
    let rows = Survival {
        weights: weights.as_ref().map(|w| w.as_slice()).transpose()?.into(),
        ..Survival::new(time.as_slice()?, event.as_slice()?)
    };
    concordance_harrell(rows, risk.as_slice()?).map_err(to_python)
}

/// Times, and values from each on.
type Curve<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// The Kaplan–Meier curve: the times at which it steps, and survival from each on.
#[pyfunction]
pub fn kaplan_meier<'py>(
    py: Python<'py>,
    time: PyReadonlyArray1<f64>,
    event: PyReadonlyArray1<bool>,
) -> PyResult<Curve<'py>> {
    let curve = KaplanMeier::of_event(Survival::new(time.as_slice()?, event.as_slice()?));
    Ok((numbers(py, curve.time), numbers(py, curve.probability)))
}
