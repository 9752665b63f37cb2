//! What an estimator was asked for, as the library's request.

use crate::errors::spoken;
use crate::model::Model;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use threshnet::settings::{Named, Request, text};

/// The settings of a fit by their Python names, all of them.
pub struct Options<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Options<'_, 'py> {
    pub fn request(&self) -> PyResult<Request> {
        let lambdas = match self.get::<Option<Listed>>("lambdas")? {
            None => None,
            Some(Listed::Text(words)) => Some(self.read("lambdas", text::grid(&words))?),
            Some(Listed::Numbers(values)) => Some(values),
        };
        let ridges = match self.get::<Option<Listed>>("ridges")? {
            None => None,
            Some(Listed::Text(words)) => Some(self.read("ridges", text::grid(&words))?),
            Some(Listed::Numbers(values)) => Some(values),
        };
        Ok(Request {
            protocol: self.named("protocol")?,
            penalty: self.named("penalty")?,
            concavity: self.get("concavity")?,
            hidden: self.get("hidden")?,
            shortcut: self.get("shortcut")?,
            linear: self.optional("linear")?,
            activation: self.named("activation")?,
            ties: self.named("ties")?,
            lambdas,
            ridges,
            validation: self.worded("validation", text::validation)?,
            rule: self.named("rule")?,
            frequency: self.get("frequency")?,
            refit: self.get("refit")?,
            skip_ridges: self.get("skip_ridges")?,
            screen: self.get("screen")?,
            solver: self.named("solver")?,
            learning_rate: self.get("learning_rate")?,
            threshold_step: self.get("threshold_step")?,
            tolerance: self.get("tolerance")?,
            look_again: self.get("look_again")?,
            epochs: self.get("epochs")?,
            first_epochs: self.get("first_epochs")?,
            batch_size: self.get("batch_size")?,
            direction: self.named("path")?,
            init: (self.get::<Option<PyRef<Model>>>("init")?).map(|model| model.inner().clone()),
            standardize: self.get("standardize")?,
            lift: self.get("lift")?,
            seed: self.get("seed")?,
        })
    }

    /// A value of this type.
    pub fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<T> {
        let value = self.0.as_any().get_item(name)?;
        value.extract().map_err(|_| {
            let shown = value.repr();
            let shown = shown.map_or_else(|_| "this".into(), |text| text.to_string());
            PyValueError::new_err(format!("{name}: {shown} is not {}", expected(name)))
        })
    }

    fn read<T>(&self, name: &str, read: Result<T, String>) -> PyResult<T> {
        read.map_err(|problem| PyValueError::new_err(format!("{name}: {}", spoken(&problem))))
    }

    /// One of a few names.
    fn named<T: Named>(&self, name: &str) -> PyResult<T> {
        let word: String = self.get(name)?;
        self.read(name, choice(&word))
    }

    fn optional<T: Named>(&self, name: &str) -> PyResult<Option<T>> {
        let word: Option<String> = self.get(name)?;
        word.map(|word| self.read(name, choice(&word))).transpose()
    }

    /// A setting with a text form of its own.
    fn worded<T>(&self, name: &str, parse: fn(&str) -> Result<T, String>) -> PyResult<Option<T>> {
        let words: Option<String> = self.get(name)?;
        words
            .map(|words| self.read(name, parse(&words)))
            .transpose()
    }
}

/// What a setting should be.
fn expected(name: &str) -> &'static str {
    match name {
        "hidden" => "a sequence of widths such as (10, 5), or () for a linear model",
        "lambdas" | "ridges" => "a sequence of numbers or \"MIN:MAX:COUNT\"",
        "validation" => "a text such as \"cv:5\", \"holdout:0.2\" or \"draws:12\"",
        "screen" | "epochs" | "first_epochs" | "batch_size" | "stability" => {
            "a whole number of at least 1"
        }
        "shortcut" | "refit" | "look_again" | "skip_ridges" | "standardize" => "True or False",
        "concavity" | "frequency" | "lift" | "learning_rate" | "threshold_step" | "tolerance"
        | "max_false" | "fdr" => "a number",
        _ => "one of its names, given as text",
    }
}

/// Numbers, or a text form of them.
#[derive(FromPyObject)]
enum Listed {
    Text(String),
    Numbers(Vec<f64>),
}

fn choice<T: Named>(word: &str) -> Result<T, String> {
    T::named(word).ok_or_else(|| {
        let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
        format!("{word:?} is none of {}", names.join(", "))
    })
}
