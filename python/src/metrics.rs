//! What is said of predictions, and of two models' on the same rows: the engine's own figures.

use crate::arrays::Outcomes;
use crate::errors::to_python;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use threshnet::dataset::{Outcome, Response};
use threshnet::metrics::{self, Asked as InnerAsked, Bootstrap, Comparison, Evaluation};
use threshnet::model::Prediction;
use threshnet::threads;

/// Predictions: a column per class, or one.
#[derive(FromPyObject)]
pub struct Predicted<'py> {
    #[pyo3(item)]
    columns: Vec<PyReadonlyArray1<'py, f64>>,
    /// Survival at each time.
    #[pyo3(item)]
    survival: Vec<PyReadonlyArray1<'py, f64>>,
    /// Survival of every row at its own time; empty if it is not predicted.
    #[pyo3(item)]
    own: PyReadonlyArray1<'py, f64>,
}

/// What is asked of them.
#[derive(FromPyObject)]
pub struct Asked<'py> {
    #[pyo3(item)]
    weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    clusters: Option<Vec<usize>>,
    #[pyo3(item)]
    train: Option<Outcomes<'py>>,
    #[pyo3(item)]
    times: Vec<f64>,
    #[pyo3(item)]
    tau: Option<f64>,
    #[pyo3(item)]
    thresholds: Vec<f64>,
    #[pyo3(item)]
    curves: bool,
    #[pyo3(item)]
    samples: usize,
    #[pyo3(item)]
    corrected: bool,
    #[pyo3(item)]
    seed: u64,
}

/// JSON, and why something in it is undefined.
type Said = (String, Vec<String>);

/// All figures of predictions.
#[pyfunction]
pub fn evaluate(py: Python<'_>, y: Outcomes, predicted: Predicted, asked: Asked) -> PyResult<Said> {
    let response = asked.response(&y)?;
    let predicted = predicted.of(&response)?;
    let asked = asked.inner()?;
    let of = || Evaluation::new(&predicted, &response, &asked);
    let found = py.detach(|| match asked.bootstrap {
        None => of().map_err(to_python),
        Some(_) => pooled(of),
    })?;
    said(serde_json::to_string(&found), found.notes)
}

/// The figures of two models, and their differences.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    y: Outcomes,
    first: Predicted,
    second: Predicted,
    asked: Asked,
) -> PyResult<Said> {
    let response = asked.response(&y)?;
    let (first, second) = (first.of(&response)?, second.of(&response)?);
    let bootstrap = asked.bootstrap();
    let asked = asked.inner()?;
    let both = [&first, &second];
    let found = py.detach(|| pooled(|| Comparison::new(both, &response, &asked, &bootstrap)))?;
    said(serde_json::to_string(&found), found.notes)
}

fn pooled<T: Send>(of: impl FnOnce() -> threshnet::error::Result<T> + Send) -> PyResult<T> {
    let pool = threads::pool(None).map_err(to_python)?;
    pool.install(of).map_err(to_python)
}

fn said(found: serde_json::Result<String>, notes: Vec<String>) -> PyResult<Said> {
    let text = found.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((text, notes))
}

impl Predicted<'_> {
    fn of(&self, response: &Response) -> PyResult<metrics::Predicted> {
        let some = |columns: &[PyReadonlyArray1<f64>]| -> Vec<Vec<f64>> {
            columns.iter().map(|c| c.as_array().to_vec()).collect()
        };
        let mut columns = some(&self.columns);
        let prediction = match &response.outcome {
            Outcome::Classes { .. } => Prediction::Probabilities(columns),
            outcome => {
                let only = columns.pop();
                let only = only.ok_or_else(|| PyValueError::new_err("nothing is predicted"))?;
                match outcome {
                    Outcome::Survival { .. } => Prediction::Risk(only),
                    _ => Prediction::Numbers(only),
                }
            }
        };
        Ok(metrics::Predicted {
            prediction,
            survival: some(&self.survival),
            own: self.own.as_array().to_vec(),
        })
    }
}

impl Asked<'_> {
    fn response(&self, y: &Outcomes) -> PyResult<Response> {
        Ok(Response {
            weights: self.weights.as_ref().map(|w| w.as_array().to_vec()),
            clusters: self.clusters.clone(),
            ..y.outcome()?.into()
        })
    }

    fn bootstrap(&self) -> Bootstrap {
        Bootstrap {
            samples: self.samples,
            seed: self.seed,
            corrected: self.corrected,
        }
    }

    fn inner(&self) -> PyResult<InnerAsked> {
        let train = self.train.as_ref().map(Outcomes::outcome).transpose()?;
        Ok(InnerAsked {
            times: self.times.clone(),
            tau: self.tau,
            thresholds: self.thresholds.clone(),
            curves: self.curves,
            train: train.map(Response::from),
            bootstrap: (self.samples > 0).then(|| self.bootstrap()),
        })
    }
}
