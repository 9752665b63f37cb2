//! NumPy arrays as data sets, and back.

use crate::errors::to_python;
use crate::strings::{ByFeature, Given, Read, in_order};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use threshnet::dataset::{
    Column, Dataset, Features, Missing, Outcome, Response, Task, Terms, Unseen,
};
use threshnet::knockoffs::doubled;
use threshnet::model::Model;
use threshnet::settings::Request;

/// A matrix whose columns are contiguous (Fortran order, or SciPy's csc), where it is.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
    Sparse(Sparse<'py>),
}

impl Matrix<'_> {
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Single(array) => array.shape()[0],
            Matrix::Double(array) => array.shape()[0],
            Matrix::Sparse(sparse) => sparse.shape.0,
        }
    }

    /// Its columns, not copied.
    pub fn columns(&self) -> PyResult<Vec<Column<'_>>> {
        let rows = self.rows().max(1);
        let in_order = match self {
            Matrix::Single(array) => array.is_fortran_contiguous(),
            Matrix::Double(array) => array.is_fortran_contiguous(),
            Matrix::Sparse(_) => true,
        };
        if !in_order {
            return Err(PyValueError::new_err("the matrix is not in Fortran order"));
        }
        Ok(match self {
            Matrix::Single(array) => array
                .as_slice()?
                .chunks_exact(rows)
                .map(Into::into)
                .collect(),
            Matrix::Double(array) => array
                .as_slice()?
                .chunks_exact(rows)
                .map(Into::into)
                .collect(),
            Matrix::Sparse(sparse) => sparse.columns()?,
        })
    }
}

/// A csc matrix of SciPy: the stored cells of each column are together.
#[derive(FromPyObject)]
pub struct Sparse<'py> {
    shape: (usize, usize),
    indptr: Indices<'py>,
    indices: Indices<'py>,
    data: PyReadonlyArray1<'py, f64>,
}

/// SciPy takes 64 bit where 32 do not reach, and now and then where they would.
#[derive(FromPyObject)]
enum Indices<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

impl Sparse<'_> {
    /// Its columns, not copied where indices have 32 bit.
    fn columns(&self) -> PyResult<Vec<Column<'_>>> {
        let (rows, columns) = self.shape;
        let values = self.data.as_slice()?;
        let starts: Vec<i64> = match &self.indptr {
            Indices::Short(starts) => starts.as_slice()?.iter().map(|&at| at.into()).collect(),
            Indices::Long(starts) => starts.as_slice()?.to_vec(),
        };
        if starts.len() != columns + 1 {
            return Err(PyValueError::new_err("this is no csc matrix"));
        }
        (starts.windows(2))
            .map(|at| {
                let cells = at[0] as usize..at[1] as usize;
                let values = values.get(cells.clone()).unwrap_or_default();
                Column::sparse(rows, self.indices.of(cells)?, values).map_err(to_python)
            })
            .collect()
    }
}

impl Indices<'_> {
    /// Some of them, in 32 bit; none where there are not as many.
    fn of(&self, cells: Range<usize>) -> PyResult<Cow<'_, [i32]>> {
        Ok(match self {
            Indices::Short(all) => all.as_slice()?.get(cells).unwrap_or_default().into(),
            Indices::Long(all) => {
                let some = all.as_slice()?.get(cells).unwrap_or_default().iter();
                // (a row that 32 bit do not hold is refused as one that is not there)
                let short = some.map(|&row| i32::try_from(row).unwrap_or(-1));
                short.collect::<Vec<i32>>().into()
            }
        })
    }
}

/// An outcome as the package gives it.
#[derive(FromPyObject)]
pub enum Outcomes<'py> {
    Survival {
        #[pyo3(item)]
        time: PyReadonlyArray1<'py, f64>,
        #[pyo3(item)]
        event: PyReadonlyArray1<'py, bool>,
    },
    Classes {
        #[pyo3(item)]
        labels: PyReadonlyArray1<'py, i64>,
        #[pyo3(item)]
        classes: Vec<String>,
    },
    Continuous {
        #[pyo3(item)]
        values: PyReadonlyArray1<'py, f64>,
    },
}

impl Outcomes<'_> {
    pub fn outcome(&self) -> PyResult<Outcome> {
        Ok(match self {
            Outcomes::Survival { time, event } => Outcome::Survival {
                time: time.as_array().to_vec(),
                event: event.as_array().to_vec(),
            },
            Outcomes::Classes { labels, classes } => Outcome::Classes {
                labels: labels
                    .as_array()
                    .iter()
                    .map(|&class| class as usize)
                    .collect(),
                classes: classes.clone(),
                task: match classes.len() {
                    2 => Task::Binary,
                    _ => Task::Multiclass,
                },
            },
            Outcomes::Continuous { values } => Outcome::Continuous(values.as_array().to_vec()),
        })
    }
}

/// What is fitted: numbers, the features that are given as strings, and the names of all.
#[derive(FromPyObject)]
pub struct Table<'py> {
    #[pyo3(item)]
    x: Matrix<'py>,
    /// Behind the columns of `x`, for runs that need them.
    #[pyo3(item)]
    knockoffs: Option<Matrix<'py>>,
    #[pyo3(item)]
    strings: ByFeature<'py>,
    #[pyo3(item)]
    names: Vec<String>,
    /// What lambda is multiplied by for a feature, where that is not 1.
    #[pyo3(item)]
    factors: BTreeMap<usize, f64>,
    /// Features that enter and leave together.
    #[pyo3(item)]
    groups: BTreeMap<String, Vec<usize>>,
    #[pyo3(item)]
    y: Outcomes<'py>,
    /// What each row counts; none if each counts once.
    #[pyo3(item)]
    weights: Option<PyReadonlyArray1<'py, f64>>,
    /// The fold of each row, 1, 2, …; none if they are drawn.
    #[pyo3(item)]
    folds: Option<Vec<usize>>,
    /// The cluster of each row; none if rows are independent.
    #[pyo3(item)]
    clusters: Option<Vec<usize>>,
    /// The columns of the outcome.
    #[pyo3(item)]
    outcome: Vec<String>,
    /// What its classes are, if there are any.
    #[pyo3(item)]
    class_type: Option<String>,
}

/// What a model is told of its outcome beyond what a fit needs.
pub struct Told {
    outcome: Vec<String>,
    class_type: Option<String>,
    unseen: Unseen,
}

impl Told {
    pub fn write_to(&self, model: &mut Model) {
        model.outcome.clone_from(&self.outcome);
        model.class_type.clone_from(&self.class_type);
        model.unseen = self.unseen;
    }
}

impl Table<'_> {
    pub fn told(&self, request: &Request) -> Told {
        Told {
            outcome: self.outcome.clone(),
            class_type: self.class_type.clone(),
            unseen: request.unseen,
        }
    }

    /// The library's view of it.
    pub fn dataset(&self, request: &Request) -> PyResult<Dataset<'_>> {
        let gaps = request.gaps().map_err(to_python)?;
        let may_be_missing = gaps.missing != Missing::Error;
        let response = Response {
            weights: (self.weights.as_ref()).map(|weights| weights.as_array().to_vec()),
            folds: self.folds.clone(),
            clusters: self.clusters.clone(),
            ..self.y.outcome()?.into()
        };
        let mut numbers = self.x.columns()?;
        if let Some(knockoffs) = &self.knockoffs {
            numbers.extend(knockoffs.columns()?);
        }
        let given = in_order(&self.strings, numbers);
        let (mut columns, mut texts) = (Vec::with_capacity(given.len()), BTreeMap::new());
        for (feature, (given, name)) in given.into_iter().zip(&self.names).enumerate() {
            match given {
                Given::Numbers(values) => columns.push(values),
                Given::Strings(strings) => match strings.to_fit(name, may_be_missing)? {
                    Read::Numbers(values) => columns.push(values.into()),
                    Read::Text(text) => {
                        let (levels, of_levels) = text.to_fit();
                        columns.extend(of_levels.into_iter().map(Column::from));
                        texts.insert(feature, levels);
                    }
                },
            }
        }
        let features = Features::new(self.names.clone(), texts);
        let data = Dataset::incomplete(features, columns, response, gaps);
        data.and_then(|data| data.on(self.terms()))
            .map_err(to_python)
    }

    /// On what terms the features enter, and their knockoffs if there are any.
    fn terms(&self) -> Terms {
        let terms = Terms {
            factors: self.factors.clone(),
            groups: self.groups.clone(),
        };
        match self.knockoffs {
            None => terms,
            Some(_) => doubled(&terms, self.names.len() / 2),
        }
    }
}

/// Numbers as an array.
pub fn numbers<'py>(
    py: Python<'py>,
    values: impl IntoIterator<Item = f64>,
) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_iter(py, values)
}

/// Positions or counts as an array.
pub fn counts<'py>(
    py: Python<'py>,
    values: impl IntoIterator<Item = usize>,
) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, values.into_iter().map(|value| value as i64))
}

/// Columns one after the other as a matrix in Fortran order.
pub fn matrix<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    (rows, columns): (usize, usize),
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    use numpy::PyArrayMethods;
    PyArray1::from_vec(py, values)
        .reshape_with_order([rows, columns], numpy::npyffi::NPY_ORDER::NPY_FORTRANORDER)
}
