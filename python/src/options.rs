//! What an estimator was asked for, as the library's request.

use crate::errors::to_python;
use crate::model::Model;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use threshnet::settings::{Request, Setting, TABLE, Takes, Value};

/// The request that settings by name make; `None` leaves one to the protocol.
pub fn request(options: &Bound<PyDict>) -> PyResult<Request> {
    let mut request = Request::default();
    for setting in TABLE {
        if let Some(given) = options.get_item(setting.name)?.filter(|of| !of.is_none()) {
            let set = request.set(setting.name, value(&given)?);
            set.map_err(to_python)?;
        }
    }
    Ok(request)
}

/// What Python has, whatever a setting makes of it; what nobody can read is shown as it is.
fn value(given: &Bound<PyAny>) -> PyResult<Value> {
    if let Ok(model) = given.extract::<PyRef<Model>>() {
        return Ok(Value::Model(Box::new(model.inner().clone())));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::Text(text.to_string()));
    }
    // (True is a whole number, too)
    if let Ok(yes) = given.extract::<bool>() {
        return Ok(Value::YesNo(yes));
    }
    if let Ok(whole) = given.extract::<i128>() {
        return Ok(Value::Whole(whole));
    }
    if let Ok(number) = given.extract::<f64>() {
        return Ok(Value::Number(number));
    }
    let numbers = (given.try_iter()).and_then(|items| {
        let number = |item: PyResult<Bound<PyAny>>| item?.extract::<f64>();
        items.map(number).collect::<PyResult<Vec<f64>>>()
    });
    Ok(match numbers {
        Ok(numbers) => Value::Numbers(numbers),
        Err(_) => Value::Text(given.repr()?.to_string()),
    })
}

/// Every setting of the library's table, as a parameter: name, type, default, help and tasks.
#[pyfunction]
pub fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let usual = Request::default().values();
    let entries = TABLE.iter().map(|setting| {
        let entry = PyDict::new(py);
        entry.set_item("name", setting.name)?;
        entry.set_item("type", kind(setting))?;
        let default = match &usual[setting.name] {
            serde_json::Value::Bool(yes) => yes.into_bound_py_any(py)?,
            serde_json::Value::String(name) => name.into_bound_py_any(py)?,
            serde_json::Value::Number(number) => number.as_u64().into_bound_py_any(py)?,
            _ => py.None().into_bound(py),
        };
        entry.set_item("default", default)?;
        entry.set_item("help", help(setting))?;
        let tasks = setting.tasks.iter().map(|task| task.name());
        entry.set_item("tasks", tasks.collect::<Vec<_>>())?;
        Ok(entry)
    });
    PyList::new(py, entries.collect::<PyResult<Vec<_>>>()?)
}

/// The type of a parameter, as docstrings have it.
fn kind(setting: &Setting) -> String {
    match setting.takes {
        Takes::Number => "float".into(),
        Takes::Whole => "int".into(),
        Takes::YesNo => "bool".into(),
        Takes::Choice(names) => {
            let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            format!("{{{}}}", quoted.join(", "))
        }
        Takes::Widths => "sequence of int".into(),
        Takes::Grid => "array-like or str".into(),
        Takes::Form => "str".into(),
        Takes::Model => "fitted estimator, str or path".into(),
    }
}

/// What it does, what it takes and what happens without it, in whole sentences.
fn help(setting: &Setting) -> String {
    let typed = match setting.takes {
        Takes::Number | Takes::Whole => format!("Takes {}.", setting.wanted()),
        Takes::Widths => format!("Each {}; () for a linear model.", setting.wanted()),
        Takes::Grid => format!("Each {}.", setting.wanted()),
        Takes::Model => "In a pipeline or a search, which clone it, wrapped in \
                         sklearn.frozen.FrozenEstimator."
            .into(),
        _ => String::new(),
    };
    let optional = Request::default().values()[setting.name].is_null();
    let default = match optional {
        true => format!("If None: {}.", setting.defaults()),
        false => String::new(),
    };
    let help = format!("{}.", setting.help());
    [help, setting.details(), typed, default]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
