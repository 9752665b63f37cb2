//! The losses: one file each, bound to the outcomes of the rows they score.
//!
//! A loss sees the network's output η, one block of rows per output unit
//! (`eta[k * rows + i]`), in 64 bit. It neither knows where η came from nor
//! how the inputs are stored.

mod cox;
mod logistic;
mod softmax;
mod squared;
mod untied;

pub use cox::{Cox, Ties};
pub use logistic::{Logistic, sigmoid};
pub use softmax::{Softmax, probabilities};
pub use squared::Squared;

use crate::dataset::{Outcome, Task};
use crate::kernel::{Isa, Kernel, dispatch};
use crate::statistics::mean;
use std::ops::Range;

/// A mean loss over rows (squared, cross-entropy) or events (Cox).
pub trait Loss: Send + Sync {
    /// The number of outputs a network needs for it.
    fn outputs(&self) -> usize;

    /// The contributions whose mean is the loss: one per row, or per event.
    fn terms(&self, eta: &[f64]) -> Vec<f64>;

    /// Whether it is a sum over rows, so that [`gradient`](Self::gradient) may
    /// be asked for some rows at a time.
    fn additive(&self) -> bool {
        true
    }

    /// Writes the part's share of ∂loss/∂η and returns its share of the loss;
    /// `eta` and `gradient` are those of its rows. A loss that is not additive
    /// takes all rows only. `scratch` is room to work in, kept between calls.
    fn gradient(
        &self,
        part: RowPart,
        eta: &[f64],
        gradient: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> f64;

    /// The loss.
    fn value(&self, eta: &[f64]) -> f64 {
        mean(self.terms(eta).into_iter())
    }
}

/// Consecutive rows, and what their share of the mean loss is multiplied by:
/// 1, or rows/batch where a batch stands for all.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPart {
    /// Which rows.
    pub rows: Range<usize>,
    /// Multiplies loss and gradient.
    pub factor: f64,
}

impl RowPart {
    /// All of `rows` rows.
    pub fn all(rows: usize) -> Self {
        RowPart {
            rows: 0..rows,
            factor: 1.0,
        }
    }
}

/// Writes factor·∂term/∂η per row and returns factor·Σ term, for a loss with
/// one output that is a sum over rows: `each` gives (term, ∂term/∂η) from the
/// row's outcome and η.
fn by_row(
    outcome: &[f64],
    eta: &[f64],
    gradient: &mut [f64],
    factor: f64,
    each: impl Fn(f64, f64) -> (f64, f64),
) -> f64 {
    let mut sum = 0.0;
    dispatch(ByRow {
        outcome,
        eta,
        gradient,
        factor,
        each,
        sum: &mut sum,
    });
    sum
}

struct ByRow<'a, F> {
    outcome: &'a [f64],
    eta: &'a [f64],
    gradient: &'a mut [f64],
    factor: f64,
    each: F,
    sum: &'a mut f64,
}

impl<F: Fn(f64, f64) -> (f64, f64)> Kernel for ByRow<'_, F> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        // Terms are kept for a block of rows and then added up: a running sum
        // would keep the loop from becoming vector code.
        const BLOCK: usize = 64;
        let rows = self.outcome.chunks(BLOCK).zip(self.eta.chunks(BLOCK));
        for ((y, eta), gradient) in rows.zip(self.gradient.chunks_mut(BLOCK)) {
            let mut terms = [0.0; BLOCK];
            for (((term, g), eta), y) in terms.iter_mut().zip(gradient).zip(eta).zip(y) {
                let (value, slope) = (self.each)(*y, *eta);
                *g = self.factor * slope;
                *term = value;
            }
            *self.sum += self.factor * interleaved_sum(&terms);
        }
    }
}

/// The sum, as eight interleaved ones: the processor need not wait for each.
#[inline(always)]
fn interleaved_sum(values: &[f64]) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    let chunks = values.chunks_exact(SUMS);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    sums.iter().sum::<f64>() + rest
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
            let value = loss.gradient(RowPart::all(ROWS), &eta, &mut gradient, &mut vec![]);
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
    fn parts_add_up_to_the_whole() {
        for (name, loss) in losses().into_iter().filter(|(_, loss)| loss.additive()) {
            let (outputs, scratch) = (loss.outputs(), &mut vec![]);
            let eta = predictors(outputs * ROWS, 2.0);
            let mut whole = vec![0.0; eta.len()];
            let value = loss.gradient(RowPart::all(ROWS), &eta, &mut whole, scratch);
            for cut in 0..=ROWS {
                let mut sum = 0.0;
                for rows in [0..cut, cut..ROWS] {
                    let of_rows = |all: &[f64]| -> Vec<f64> {
                        all.chunks_exact(ROWS)
                            .flat_map(|k| k[rows.clone()].to_vec())
                            .collect()
                    };
                    let mut gradient = vec![0.0; outputs * rows.len()];
                    let part = RowPart {
                        rows: rows.clone(),
                        factor: 3.0,
                    };
                    sum += loss.gradient(part, &of_rows(&eta), &mut gradient, scratch);
                    for (g, w) in gradient.iter().zip(of_rows(&whole)) {
                        assert!((g - 3.0 * w).abs() < 1e-15, "{name}");
                    }
                }
                assert!((sum - 3.0 * value).abs() < 1e-14, "{name}");
            }
        }
    }

    #[test]
    fn predictors_of_a_thousand_are_finite() {
        for scale in [1000.0, -1000.0] {
            for (name, loss) in losses() {
                let eta = predictors(loss.outputs() * ROWS, scale);
                let mut gradient = vec![0.0; eta.len()];
                let value = loss.gradient(RowPart::all(ROWS), &eta, &mut gradient, &mut vec![]);
                assert!(value.is_finite() && value > 0.0, "{name}: {value}");
                assert!(
                    gradient.iter().all(|g| g.is_finite()),
                    "{name}: {gradient:?}"
                );
            }
        }
    }
}
