//! Errors of the library as Python's.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use threshnet::error::Error;

/// The same problem, its setting named as a parameter.
pub fn to_python(error: Error) -> PyErr {
    match error {
        Error::Setting { name, problem } => {
            let parameter = match name {
                "seed" => "random_state",
                "jobs" => "n_jobs",
                name => name,
            };
            PyValueError::new_err(format!("{parameter}: {problem}"))
        }
        Error::Data(problem) | Error::Model(problem) | Error::NotKept(problem) => {
            PyValueError::new_err(problem)
        }
        Error::Cancelled => PyKeyboardInterrupt::new_err("the fit was interrupted"),
    }
}
