//! Grids that the data give to a linear model.

use super::training::Training;
use super::{Constants, is_wide};
use crate::dataset::Dataset;
use crate::settings::{Settings, log_grid};

/// λs from the smallest that selects nothing from all rows downwards.
pub fn data_lambdas(data: &Dataset, settings: &Settings) -> Vec<f64> {
    let constants = Constants::DEFAULT;
    let largest = null_lambda(data, settings);
    let share = match is_wide(data, settings) {
        true => constants.data_smallest_wide,
        false => constants.data_smallest,
    };
    log_grid(share * largest, largest, constants.data_lambdas)
}

/// Ridges for linear models without another penalty. The largest of them leaves next to nothing
/// of any weight.
pub fn data_ridges(data: &Dataset, settings: &Settings) -> Vec<f64> {
    let constants = Constants::DEFAULT;
    let largest = constants.data_ridge_above * null_lambda(data, settings);
    let share = match is_wide(data, settings) {
        true => constants.data_smallest_ridge_wide,
        false => constants.data_smallest_ridge,
    };
    log_grid(share * largest, largest, constants.data_ridges)
}

/// The smallest λ at which a linear model of all rows selects nothing.
pub fn null_lambda(data: &Dataset, settings: &Settings) -> f64 {
    let rows: Vec<usize> = (0..data.n()).collect();
    let largest = Training::new(data, &rows, settings, &[]).largest_lambda(settings);
    // (of an outcome that no column has to do with, such as a constant, any will do)
    if largest.is_normal() { largest } else { 1.0 }
}
