//! `threshnet._core`: converts what Python gives, releases the interpreter, calls the library
//! and converts back. How an estimator behaves is written in Python.

mod arrays;
mod control;
mod errors;
mod explain;
mod fit;
mod metrics;
mod model;
mod options;
mod strings;
mod validate;
mod watch;

use pyo3::prelude::*;

/// The engine of threshnet.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::control::{Selection, combine_runs, make_run, plan_runs};
    #[pymodule_export]
    use crate::explain::{concordance, effects, interactions, kaplan_meier, report_html};
    #[pymodule_export]
    use crate::fit::{fit, path};
    #[pymodule_export]
    use crate::metrics::{compare, evaluate};
    #[pymodule_export]
    use crate::model::{Model, Path};
    #[pymodule_export]
    use crate::options::settings;
    #[pymodule_export]
    use crate::validate::{combine_outer, make_outer, plan_outer};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
