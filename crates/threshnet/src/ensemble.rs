//! Several networks as one: what they respond is averaged.
//!
//! Numbers and log-risks are averaged as they are, classes as probabilities.

use crate::dataset::Task;
use crate::loss::{probabilities, sigmoid};
use crate::network::Mlp;

/// The mean response of networks with these outputs η, `[class][row]` or `[0][row]`.
/// Like every η they have a block of rows per output unit.
pub fn mean_response(
    task: Task,
    rows: usize,
    outputs: impl Iterator<Item = Vec<f64>>,
) -> Vec<Vec<f64>> {
    let mut count = 0.0;
    let responses = outputs.map(|eta| {
        count += 1.0;
        response(task, rows, eta)
    });
    let mut mean = responses.reduce(sum).unwrap_or_default();
    for value in mean.iter_mut().flatten() {
        *value /= count;
    }
    mean
}

/// The sum of the responses of networks with these outputs, each times its share.
pub fn shared_response(
    task: Task,
    rows: usize,
    outputs: impl Iterator<Item = (f64, Vec<f64>)>,
) -> Vec<Vec<f64>> {
    let responses = outputs.map(|(share, eta)| times(response(task, rows, eta), share));
    responses.reduce(sum).unwrap_or_default()
}

/// The sum of two responses.
pub fn sum(mut sum: Vec<Vec<f64>>, next: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for (sum, next) in sum.iter_mut().flatten().zip(next.iter().flatten()) {
        *sum += next;
    }
    sum
}

/// A response times a share.
pub fn times(mut response: Vec<Vec<f64>>, share: f64) -> Vec<Vec<f64>> {
    for value in response.iter_mut().flatten() {
        *value *= share;
    }
    response
}

/// The η of so many rows whose response is the mean of what these networks respond, each
/// with an output of its own.
pub fn mean_output(
    task: Task,
    rows: usize,
    networks: &[Mlp],
    output: impl Fn(&Mlp) -> Vec<f64>,
) -> Vec<f64> {
    match networks {
        [only] => output(only),
        _ => {
            let outputs = networks.iter().map(output);
            output_of(task, mean_response(task, rows, outputs))
        }
    }
}

/// The output of a single network with this response: its η, or for several classes the η
/// of the same probabilities.
pub fn output_of(task: Task, response: Vec<Vec<f64>>) -> Vec<f64> {
    match task {
        Task::Regression | Task::Cox => response.concat(),
        Task::Binary => (response[1].iter().zip(&response[0]))
            .map(|(positive, negative)| positive.ln() - negative.ln())
            .collect(),
        Task::Multiclass => response.iter().flatten().map(|p| p.ln()).collect(),
    }
}

fn response(task: Task, rows: usize, eta: Vec<f64>) -> Vec<Vec<f64>> {
    match task {
        Task::Regression | Task::Cox => vec![eta],
        Task::Binary => vec![
            eta.iter().map(|&eta| sigmoid(-eta)).collect(),
            eta.iter().map(|&eta| sigmoid(eta)).collect(),
        ],
        Task::Multiclass => probabilities(&eta, eta.len() / rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_one_networks_response_is_its_output() {
        let eta = vec![-31.0, 0.2, 4.0, 0.0, -3.0, 1.5];
        for task in [Task::Regression, Task::Cox, Task::Binary] {
            let alone = mean_response(task, 6, [eta.clone()].into_iter());
            for (back, eta) in output_of(task, alone).iter().zip(&eta) {
                assert!((back - eta).abs() < 1e-12 * eta.abs().max(1.0), "{task:?}");
            }
        }
        // of several classes up to what is common to a row's
        let alone = mean_response(Task::Multiclass, 3, [eta.clone()].into_iter());
        let back = output_of(Task::Multiclass, alone);
        for row in 0..3 {
            let (was, is) = (eta[row] - eta[3 + row], back[row] - back[3 + row]);
            assert!((was - is).abs() < 1e-9);
        }
    }

    #[test]
    fn classes_are_averaged_as_probabilities() {
        let sure = mean_response(Task::Binary, 1, [vec![2.0], vec![-2.0]].into_iter());
        assert!((sure[1][0] - 0.5).abs() < 1e-12);
        let mean = mean_response(Task::Binary, 1, [vec![3.0], vec![0.0]].into_iter());
        let expected = (1.0 / (1.0 + (-3f64).exp()) + 0.5) / 2.0;
        assert!(
            (mean[1][0] - expected).abs() < 1e-12 && (mean[0][0] + expected - 1.0).abs() < 1e-12
        );
    }
}
