//! Errors of the library as Python's.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use threshnet::error::Error;
use threshnet::format::visible;

/// The same problem, its setting named as a parameter.
pub fn to_python(error: Error) -> PyErr {
    match error {
        Error::Setting { name, problem } => {
            let parameter = match name {
                "seed" => "random_state",
                "jobs" => "n_jobs",
                name => name,
            };
            PyValueError::new_err(format!("{parameter}: {}", visible(&problem)))
        }
        Error::Cancelled => PyKeyboardInterrupt::new_err("the fit was interrupted"),
        other => PyValueError::new_err(other.to_string()),
    }
}
