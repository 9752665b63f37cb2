//! Whether a network was needed: the page and the summary of a fit say the same.

/// A difference of so many standard errors is no accident.
const CLEAR: f64 = 2.0;

/// Whether a network with this loss is needed beside a linear model with another, given
/// the standard error of the difference.
pub fn is_needed(network: f64, (linear, se): (f64, f64)) -> &'static str {
    let behind = linear - network;
    if behind > CLEAR * se {
        "yes: the network predicts clearly better than a linear model"
    } else if behind > 0.0 {
        "perhaps: the network predicts better than a linear model, but within what chance explains"
    } else {
        "no: a linear model predicts as well as the network, or better"
    }
}
