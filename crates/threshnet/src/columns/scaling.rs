//! How raw columns become inputs.

use super::{Column, Entries};
use crate::dataset::{Dataset, Fill, Weights};
use crate::statistics::{Moments, weighted_moments};

/// How raw columns become inputs: (x − center)/scale, after what is missing was filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// Subtracted from a column.
    pub center: Vec<f64>,
    /// Divides it then.
    pub scale: Vec<f64>,
    /// What is put into missing cells.
    pub fill: Fill,
}

impl Scaling {
    /// Learned on the given rows with what each counts: mean 0 and standard deviation 1 (by n) if
    /// `standardize`, else columns as they are. Under multiple imputation the known cells alone tell
    /// mean and deviation, so that all chains have one scale.
    pub fn learn(data: &Dataset, rows: &[usize], standardize: bool) -> Self {
        Scaling::learn_among(data, rows, standardize, 0..data.d())
    }

    /// The same where no other columns than these will be asked for, which are left as they are: of
    /// wide data moments take longer than a fit of few columns.
    pub fn learn_among(
        data: &Dataset,
        rows: &[usize],
        standardize: bool,
        columns: impl IntoIterator<Item = usize>,
    ) -> Self {
        let columns: Vec<usize> = columns.into_iter().collect();
        let mut scaling = Scaling {
            center: vec![0.0; data.d()],
            scale: vec![1.0; data.d()],
            fill: Fill::learn_among(data, rows, &columns),
        };
        if !standardize {
            return scaling;
        }
        let chosen = ChosenRows::new(data, rows);
        for j in columns {
            let column = &data.columns()[j];
            if chosen.varies(column) {
                let moments = match data.chains() {
                    0 => chosen.moments(column, |value| scaling.fill.of(j, value)),
                    _ => chosen.known_moments(column),
                };
                scaling.center[j] = moments.mean;
                scaling.scale[j] = moments.deviation;
            }
        }
        scaling
    }

    /// A value of column `j` as the network sees it.
    pub fn apply(&self, j: usize, value: f64) -> f64 {
        (self.fill.of(j, value) - self.center[j]) / self.scale[j]
    }
}

/// The columns that vary over the given rows: the others cannot be learned
/// from, so they never enter a network.
pub fn usable_columns(data: &Dataset, rows: &[usize]) -> Vec<usize> {
    usable_among(data, rows, 0..data.d())
}

/// Those of some columns that vary over the given rows.
pub fn usable_among(
    data: &Dataset,
    rows: &[usize],
    columns: impl IntoIterator<Item = usize>,
) -> Vec<usize> {
    let chosen = ChosenRows::new(data, rows);
    let varies = |j: &usize| chosen.varies(&data.columns()[*j]);
    columns.into_iter().filter(varies).collect()
}

/// Rows of a data set and what each counts.
struct ChosenRows<'a> {
    rows: &'a [usize],
    /// In the order of `rows`.
    weights: Option<Vec<f64>>,
    /// Of every row of the data set, 0 where it is not chosen, if some column leaves out its zeros.
    by_number: Option<Vec<f64>>,
}

impl<'a> ChosenRows<'a> {
    fn new(data: &Dataset, rows: &'a [usize]) -> Self {
        let all = data.response().weights();
        let weights = (all.given()).map(|weights| rows.iter().map(|&i| weights[i]).collect());
        let by_number = data.is_sparse().then(|| {
            let mut by_number = vec![0.0; data.n()];
            for &row in rows {
                by_number[row] = all.at(row);
            }
            by_number
        });
        ChosenRows {
            rows,
            weights,
            by_number,
        }
    }

    fn weights(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    /// The chosen ones of a column's entries.
    fn entries(&self, column: &Column) -> Option<ChosenEntries> {
        let (Entries { rows, values }, by_number) = (column.entries()?, self.by_number.as_ref()?);
        let (values, weights) = (rows.iter().zip(values))
            .map(|(&row, &value)| (value, by_number[row as usize]))
            .filter(|(_, weight)| *weight > 0.0)
            .unzip();
        Some(ChosenEntries { values, weights })
    }

    fn varies(&self, column: &Column) -> bool {
        match self.entries(column) {
            Some(ChosenEntries { values, .. }) => {
                let mut known = values.iter().copied().filter(|value| !value.is_nan());
                let common = match values.len() < self.rows.len() {
                    true => 0.0,
                    false => known.next().unwrap_or(0.0),
                };
                known.any(|value| value != common)
            }
            None => {
                let values = self.rows.iter().map(|&i| column.at(i));
                let mut known = values.filter(|value| !value.is_nan());
                let first = known.next();
                known.any(|value| Some(value) != first)
            }
        }
    }

    /// Mean and standard deviation of a column over the rows, with what is missing filled in.
    fn moments(&self, column: &Column, filled: impl Fn(f64) -> f64 + Clone) -> Moments {
        let Some(mut chosen) = self.entries(column) else {
            let values = self.rows.iter().map(|&i| filled(column.at(i)));
            return weighted_moments(values, self.weights());
        };
        self.add_zeros(&mut chosen);
        weighted_moments(
            chosen.values.iter().map(|&value| filled(value)),
            Weights::new(&chosen.weights),
        )
    }

    /// The same of the values that are not missing.
    fn known_moments(&self, column: &Column) -> Moments {
        let chosen = match self.entries(column) {
            Some(mut chosen) => {
                self.add_zeros(&mut chosen);
                chosen
            }
            None => ChosenEntries {
                values: self.rows.iter().map(|&i| column.at(i)).collect(),
                weights: self.weights().iter(self.rows.len()).collect(),
            },
        };
        let (values, weights): (Vec<f64>, Vec<f64>) = (chosen.values.into_iter())
            .zip(chosen.weights)
            .filter(|(value, _)| !value.is_nan())
            .unzip();
        weighted_moments(values.iter().copied(), Weights::new(&weights))
    }

    /// All zeros that are left out count as one value.
    fn add_zeros(&self, chosen: &mut ChosenEntries) {
        let stored: f64 = chosen.weights.iter().sum();
        let left_out = self.weights().total(self.rows.len()) - stored;
        if chosen.values.len() < self.rows.len() {
            chosen.values.push(0.0);
            chosen.weights.push(left_out);
        }
    }
}

/// Stored cells of chosen rows.
struct ChosenEntries {
    values: Vec<f64>,
    weights: Vec<f64>,
}
