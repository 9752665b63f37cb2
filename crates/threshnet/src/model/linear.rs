//! A model without hidden layers as what it is: a weighted sum of raw columns.

use super::Model;
use crate::dataset::Task;
use crate::network::Mlp;

/// intercept + Σ weight·column, on the scale of raw columns and of the raw outcome: a prediction, a log-odds
/// (of several classes each one's), or a log-risk.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearForm {
    /// By output.
    pub intercepts: Vec<f64>,
    /// The columns that have a weight, ascending.
    pub columns: Vec<usize>,
    /// `[output][column]`.
    pub weights: Vec<Vec<f64>>,
}

impl Model {
    /// Its linear form, if it has one: a mean of probabilities of several models has none.
    pub fn linear_form(&self) -> Option<LinearForm> {
        let is_linear = |network: &Mlp| network.shape.depth() == 1;
        let adds_up = matches!(self.task, Task::Regression | Task::Cox) || self.networks.len() == 1;
        if !self.networks.iter().all(is_linear) || !adds_up || self.forest.is_some() {
            return None;
        }
        let columns = self.columns();
        let outputs = self.networks[0].shape.layers()[0].outputs;
        let mut form = LinearForm {
            intercepts: vec![0.0; outputs],
            weights: vec![vec![0.0; columns.len()]; outputs],
            columns,
        };
        let equal = 1.0 / self.networks.len() as f64;
        let (center, unit) = self.target;
        for (number, network) in self.networks.iter().enumerate() {
            let share = self.shares.get(number).copied().unwrap_or(equal);
            let layer = &network.shape.layers()[0];
            let biases = &network.weights[layer.bias.clone()];
            for (output, intercept) in form.intercepts.iter_mut().enumerate() {
                let mut constant = biases.get(output).copied().unwrap_or(0.0);
                for (at, &column) in network.inputs.iter().enumerate() {
                    let raw =
                        network.weights[at * layer.outputs + output] / self.scaling.scale[column];
                    constant -= raw * self.scaling.center[column];
                    let place = form.columns.partition_point(|&other| other < column);
                    form.weights[output][place] += share * unit * raw;
                }
                *intercept += share * (center + unit * constant);
            }
        }
        Some(form)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Prediction;
    use crate::settings::{Request, ValidationName};
    use crate::simulate::{Scenario, Simulation};
    use crate::solver::Unobserved;
    use crate::tune::fit;

    /// The form says what `predict` says, on the scale of the network's output.
    #[test]
    fn the_form_predicts_as_the_model_does() {
        for scenario in [
            Scenario::Regression,
            Scenario::Classification,
            Scenario::Survival,
        ] {
            let data = Simulation::new(scenario, 80, 6).draw().unwrap();
            let request = Request {
                hidden: Some(vec![]),
                validation: Some(ValidationName::Folds(3)),
                ..Request::default()
            };
            let settings = request.settings_for(&data).unwrap();
            let model = fit(&data, &settings, &Unobserved).unwrap().model;
            let form = model.linear_form().unwrap();
            let columns: Vec<Vec<f64>> = form
                .columns
                .iter()
                .map(|&j| data.columns()[j].to_vec())
                .collect();
            let said = model.predict(&columns, 80);
            for row in 0..80 {
                let sum: f64 = form.weights[0]
                    .iter()
                    .zip(&columns)
                    .map(|(w, x)| w * x[row])
                    .sum();
                let linear = form.intercepts[0] + sum;
                let expected = match &said {
                    Prediction::Numbers(y) => y[row],
                    Prediction::Risk(risk) => risk[row],
                    Prediction::Probabilities(p) => (p[1][row] / p[0][row]).ln(),
                };
                assert!(
                    (linear - expected).abs() < 1e-9 * expected.abs().max(1.0),
                    "{scenario:?}"
                );
            }
        }
    }
}
