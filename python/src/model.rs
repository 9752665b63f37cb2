//! Fitted models and paths of them, as Python objects that can be pickled.

use crate::arrays::{Matrix, counts, matrix, numbers};
use crate::errors::to_python;
use crate::strings::{ByFeature, in_order, to_predict};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use threshnet::conformal::Region;
use threshnet::model::{Model as Inner, Prediction, Recalibrate};
use threshnet::network::Mlp;
use threshnet::settings::Named;
use threshnet::tune::Fit;

/// A fitted model: what `model.json` holds.
#[pyclass(frozen, module = "threshnet._core")]
pub struct Model(Inner);

impl Model {
    pub fn new(model: Inner) -> Self {
        Model(model)
    }

    pub fn inner(&self) -> &Inner {
        &self.0
    }
}

#[pymethods]
impl Model {
    /// From the text of a model.json.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Inner::from_json(text).map(Model).map_err(to_python)
    }

    /// The text of its model.json.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    #[getter]
    fn task(&self) -> &'static str {
        self.0.task.name()
    }

    #[getter]
    fn features(&self) -> &[String] {
        self.0.features.names()
    }

    /// The levels of the features that are texts, by number.
    #[getter]
    fn texts(&self) -> BTreeMap<usize, &[String]> {
        self.0.features.texts().collect()
    }

    /// Whether it takes missing cells.
    #[getter]
    fn imputes(&self) -> bool {
        self.0.imputes()
    }

    #[getter]
    fn outcome(&self) -> &[String] {
        &self.0.outcome
    }

    #[getter]
    fn classes(&self) -> &[String] {
        &self.0.classes
    }

    #[getter]
    fn class_type(&self) -> Option<&str> {
        self.0.class_type.as_deref()
    }

    /// Widths of its hidden layers, activation and whether there is a shortcut.
    #[getter]
    fn network(&self) -> (Vec<usize>, &'static str, bool) {
        let shape = &self.0.networks[0].shape;
        let hidden = shape.widths[1..shape.depth()].to_vec();
        (hidden, shape.activation.name(), shape.shortcut)
    }

    /// The numbers of the selected features, ascending.
    #[getter]
    fn selected<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        counts(py, self.0.selected())
    }

    /// The group norm of every feature, 0 unless it is selected.
    #[getter]
    fn norms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut norms = vec![0.0; self.0.features.count()];
        for feature in self.0.selected() {
            norms[feature] = self.0.norm(feature);
        }
        numbers(py, norms)
    }

    /// Event times and the log of the cumulative baseline hazard at each.
    #[getter]
    fn baseline<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let baseline = || self.0.baseline.iter();
        (
            numbers(py, baseline().map(|step| step.0)),
            numbers(py, baseline().map(|step| step.1)),
        )
    }

    /// Predictions from the raw values of the selected features, in their order, of which some
    /// may be given as strings: a row per row, a column per class, or one.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: Matrix<'py>,
        strings: ByFeature<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = x.rows();
        let columns = to_predict(&self.0, in_order(&strings, x.columns()?))?;
        let predicted = py.detach(|| self.0.predict(&columns, rows));
        let outputs = predicted.columns();
        let shape = (rows, outputs.len());
        matrix(py, outputs.concat(), shape)
    }

    /// The model that predicts with one of the corrections that its fit learned.
    fn recalibrate(&self, how: &str) -> PyResult<Self> {
        let named = Recalibrate::ALL.into_iter().find(|of| of.name() == how);
        let named = named.ok_or_else(|| {
            let problem = format!("{how:?} is none of logistic, isotonic and baseline");
            PyValueError::new_err(problem)
        })?;
        let corrected = self.0.clone().recalibrate(named);
        corrected.map(Model).map_err(to_python)
    }

    /// Where the outcomes of rows will be, given what is said of them, with this coverage: a matrix of
    /// lower and upper ends, of whether each class is plausible (1 or 0), or of lower bounds alone.
    fn region<'py>(
        &self,
        py: Python<'py>,
        said: Matrix<'py>,
        coverage: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns = said.columns()?;
        let columns = columns.iter().map(|column| column.to_vec()).collect();
        let said_of_rows = Prediction::of(self.0.task, columns);
        let region = self.0.region(&said_of_rows, coverage).map_err(to_python)?;
        let columns: Vec<Vec<f64>> = match region {
            Region::Interval { lower, upper } => vec![lower, upper],
            Region::LowerBound(lower) => vec![lower],
            Region::Classes(sets) => (sets.into_iter())
                .map(|is_in| {
                    is_in
                        .into_iter()
                        .map(|is_in| f64::from(u8::from(is_in)))
                        .collect()
                })
                .collect(),
        };
        matrix(py, columns.concat(), (said.rows(), columns.len()))
    }

    /// Intercepts, and the weight of every column of every feature, a row per output, if it is
    /// linear.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn linear<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)>> {
        let Some(form) = self.0.linear_form() else {
            return Ok(None);
        };
        let all = self.0.features.columns();
        let outputs = form.intercepts.len();
        let mut weights = vec![0.0; all * outputs];
        for (output, of_output) in form.weights.iter().enumerate() {
            for (&column, &weight) in form.columns.iter().zip(of_output) {
                weights[column * outputs + output] = weight;
            }
        }
        let weights = matrix(py, weights, (outputs, all))?;
        Ok(Some((numbers(py, form.intercepts), weights)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = slf.get_type().getattr("from_json")?;
        Ok((restore, (slf.get().0.to_json(),)))
    }
}

/// Solutions from dense to sparse, each of which can be made a model.
#[pyclass(frozen, module = "threshnet._core")]
pub struct Path {
    /// All that steps share, with the network of every one of them.
    shared: Inner,
    /// The baseline hazard under each.
    baselines: Vec<Vec<(f64, f64)>>,
}

impl Path {
    pub fn new(fit: &Fit) -> Self {
        let networks = fit.path.iter().map(|step| step.network.clone());
        Path {
            shared: Inner {
                networks: networks.collect(),
                recalibration: None,
                ..fit.model.clone()
            },
            baselines: fit.baselines.clone(),
        }
    }
}

#[pymethods]
impl Path {
    fn __len__(&self) -> usize {
        self.shared.networks.len()
    }

    /// The model of a step.
    fn model(&self, step: usize) -> PyResult<Model> {
        let (Some(network), Some(baseline)) =
            (self.shared.networks.get(step), self.baselines.get(step))
        else {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such step"));
        };
        Ok(Model(Inner {
            task: self.shared.task,
            features: self.shared.features.clone(),
            outcome: self.shared.outcome.clone(),
            reading: self.shared.reading.clone(),
            unseen: self.shared.unseen,
            scaling: self.shared.scaling.clone(),
            target: self.shared.target,
            classes: self.shared.classes.clone(),
            class_type: self.shared.class_type.clone(),
            free_bias: self.shared.free_bias,
            networks: vec![network.clone()],
            shares: vec![],
            forest: None,
            baseline: baseline.clone(),
            recalibration: None,
            recalibrated: None,
            conformal: None,
        }))
    }

    /// How many features each step has.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        counts(py, self.shared.networks.iter().map(Mlp::size))
    }

    /// The group norm of every feature (row) at every step (column).
    #[getter]
    fn norms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let features = self.shared.features.count();
        let mut norms = vec![0.0; features * self.shared.networks.len()];
        let steps = norms.chunks_exact_mut(features).zip(&self.shared.networks);
        for (step, network) in steps {
            for (feature, norm) in network.feature_norms(&self.shared.features) {
                step[feature] = norm;
            }
        }
        matrix(py, norms, (features, self.shared.networks.len()))
    }

    #[staticmethod]
    fn restore(text: &str, baselines: Vec<Vec<(f64, f64)>>) -> PyResult<Self> {
        let shared = Inner::from_json(text).map_err(to_python)?;
        Ok(Path { shared, baselines })
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, Vec<Vec<(f64, f64)>>))> {
        let path = slf.get();
        let restore = slf.get_type().getattr("restore")?;
        Ok((restore, (path.shared.to_json(), path.baselines.clone())))
    }
}
