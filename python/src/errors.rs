//! Errors of the library as Python's.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use threshnet::error::Error;

/// The same problem in words for Python.
pub fn to_python(error: Error) -> PyErr {
    match error {
        Error::Setting { name, problem } => {
            PyValueError::new_err(format!("{}: {}", parameter(name), spoken(&problem)))
        }
        Error::Data(problem) | Error::Model(problem) => PyValueError::new_err(spoken(&problem)),
        Error::Cancelled => PyKeyboardInterrupt::new_err("the fit was interrupted"),
    }
}

/// A setting's name in Python: as the flag, but for one that is a list here.
fn parameter(name: &str) -> String {
    match name {
        _ => name.replace('-', "_"),
    }
}

/// A text without the dashes of flags: what is `--max-false` there is `max_false` here.
pub fn spoken(text: &str) -> String {
    let mut parts = text.split("--");
    let first = parts.next().unwrap_or_default().to_string();
    parts
        .fold(first, |text, part| {
            let end =
                (part.find(|c: char| !c.is_ascii_alphabetic() && c != '-')).unwrap_or(part.len());
            let (flag, rest) = part.split_at(end);
            text + &parameter(flag) + rest
        })
        .replace("`none` for a linear model", "() for a linear model")
}
