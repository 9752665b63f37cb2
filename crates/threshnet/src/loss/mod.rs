//! The losses: one file each, bound to the outcomes of the rows they score.
//!
//! A loss sees the network's output η, one block of rows per output unit
//! (`eta[k * rows + i]`), in 64 bit. It neither knows where η came from nor
//! how the inputs are stored.

mod cox;
mod logistic;
mod softmax;
mod squared;

pub use cox::{Cox, Ties};
pub use logistic::{Logistic, sigmoid};
pub use softmax::{Softmax, probabilities};
pub use squared::Squared;

use crate::dataset::{Outcome, Task};

/// A mean loss over rows (squared, cross-entropy) or events (Cox).
pub trait Loss: Send + Sync {
    /// The number of outputs a network needs for it.
    fn outputs(&self) -> usize;

    /// The contributions whose mean is the loss: one per row, or per event.
    fn terms(&self, eta: &[f64]) -> Vec<f64>;

    /// Writes ∂loss/∂η and returns the loss.
    fn gradient(&self, eta: &[f64], gradient: &mut [f64]) -> f64;

    /// The loss.
    fn value(&self, eta: &[f64]) -> f64 {
        let terms = self.terms(eta);
        terms.iter().sum::<f64>() / terms.len() as f64
    }
}

/// The loss for an outcome.
pub fn for_outcome(outcome: &Outcome, ties: Ties) -> Box<dyn Loss> {
    match outcome {
        Outcome::Continuous(y) => Box::new(Squared::new(y.clone())),
        Outcome::Classes {
            labels,
            task: Task::Binary,
            ..
        } => Box::new(Logistic::new(labels.iter().map(|&c| c == 1))),
        Outcome::Classes {
            labels, classes, ..
        } => Box::new(Softmax::new(labels.clone(), classes.len())),
        Outcome::Survival { time, event } => Box::new(Cox::new(time, event, ties)),
    }
}

#[cfg(test)]
mod tests {
    //! Every loss against central differences, and at extreme predictors.
    use super::*;

    const ROWS: usize = 8;

    fn losses() -> Vec<(&'static str, Box<dyn Loss>)> {
        let time = [3.0, 1.0, 2.0, 2.0, 2.0, 5.0, 1.0, 4.0];
        let event = [true, true, true, false, true, false, true, true];
        vec![
            (
                "squared",
                Box::new(Squared::new(vec![
                    0.5, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 0.25,
                ])),
            ),
            (
                "logistic",
                Box::new(Logistic::new((0..8).map(|i| i % 3 == 0))),
            ),
            (
                "softmax",
                Box::new(Softmax::new(vec![0, 1, 2, 2, 1, 0, 0, 2], 3)),
            ),
            ("breslow", Box::new(Cox::new(&time, &event, Ties::Breslow))),
            ("efron", Box::new(Cox::new(&time, &event, Ties::Efron))),
        ]
    }

    fn predictors(len: usize, scale: f64) -> Vec<f64> {
        (0..len)
            .map(|i| scale * ((i * 7 % 11) as f64 / 5.0 - 1.0))
            .collect()
    }

    #[test]
    fn gradients_equal_central_differences() {
        for (name, loss) in losses() {
            let mut eta = predictors(loss.outputs() * ROWS, 1.5);
            let mut gradient = vec![0.0; eta.len()];
            let value = loss.gradient(&eta, &mut gradient);
            assert!((value - loss.value(&eta)).abs() < 1e-14, "{name}");
            for i in 0..eta.len() {
                let (center, step) = (eta[i], 1e-5);
                eta[i] = center + step;
                let above = loss.value(&eta);
                eta[i] = center - step;
                let below = loss.value(&eta);
                eta[i] = center;
                let difference = (above - below) / (2.0 * step);
                assert!(
                    (gradient[i] - difference).abs() < 1e-9,
                    "{name}[{i}]: {} against {difference}",
                    gradient[i]
                );
            }
        }
    }

    #[test]
    fn many_rows_are_summed_as_few() {
        // more than the blocks in which the logistic loss is added up
        let positive = |i: usize| i.is_multiple_of(3);
        let eta = predictors(130, 2.0);
        let (mut gradient, mut single) = (vec![0.0; 130], [0.0]);
        let value = Logistic::new((0..130).map(positive)).gradient(&eta, &mut gradient);
        let mut sum = 0.0;
        for i in 0..130 {
            sum += Logistic::new([positive(i)]).gradient(&eta[i..=i], &mut single);
            assert!((130.0 * gradient[i] - single[0]).abs() < 1e-14);
        }
        assert!((value - sum / 130.0).abs() < 1e-14);
    }

    #[test]
    fn predictors_of_a_thousand_are_finite() {
        for scale in [1000.0, -1000.0] {
            for (name, loss) in losses() {
                let eta = predictors(loss.outputs() * ROWS, scale);
                let mut gradient = vec![0.0; eta.len()];
                let value = loss.gradient(&eta, &mut gradient);
                assert!(value.is_finite() && value > 0.0, "{name}: {value}");
                assert!(
                    gradient.iter().all(|g| g.is_finite()),
                    "{name}: {gradient:?}"
                );
            }
        }
    }
}
