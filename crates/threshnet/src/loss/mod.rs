//! The losses: one file each, bound to the outcomes of the rows they score.
//!
//! A loss sees the network's output η, one block of rows per output unit
//! (`eta[k * rows + i]`), in 64 bit. It neither knows where η came from nor
//! how the inputs are stored.

mod cox;
mod curvature;
mod logistic;
mod softmax;
mod squared;
mod untied;

pub use cox::{Cox, RiskCurvature, Ties};
pub use curvature::Curvature;
pub use logistic::{Logistic, sigmoid};
pub use softmax::{Softmax, probabilities};
pub use squared::Squared;

use crate::dataset::{Outcome, Response, Task, Weights};
use crate::kernel::{Isa, Kernel, dispatch};
use crate::statistics::weighted_mean;
use std::ops::Range;

/// A mean loss over rows (squared, cross-entropy) or events (Cox), each with its case weight:
/// a row of weight 2 is the row twice.
pub trait Loss: Send + Sync {
    /// The number of outputs a network needs for it.
    fn outputs(&self) -> usize;

    /// The contributions whose mean is the loss: one per row, or per event.
    fn terms(&self, eta: &[f64]) -> Vec<f64>;

    /// What each of them counts.
    fn weights(&self) -> Weights<'_>;

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

    /// How the loss bends at η: its second derivative.
    fn curvature(&self, eta: &[f64]) -> Curvature;

    /// Whether its curvature is the same everywhere.
    fn quadratic(&self) -> bool {
        false
    }

    /// The loss.
    fn value(&self, eta: &[f64]) -> f64 {
        weighted_mean(self.terms(eta).into_iter(), self.weights())
    }
}

/// Consecutive rows, and what their share of the mean loss is multiplied by:
/// 1, or all/batch where a batch stands for all.
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

/// The numbers that some rows are scored against, and what each row counts.
#[derive(Clone, Copy)]
struct Rows<'a> {
    outcome: &'a [f64],
    weights: Weights<'a>,
}

/// Rows with a number each, and what each counts.
struct WeightedRows {
    outcome: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl WeightedRows {
    fn weights(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    /// The rows of a part.
    fn part(&self, part: &RowPart) -> Rows<'_> {
        let weights = self.weights.as_ref();
        Rows {
            outcome: &self.outcome[part.rows.clone()],
            weights: weights.map(|all| &all[part.rows.clone()]).into(),
        }
    }

    /// That of a loss with one output that is a sum over rows: `each` gives ∂²term/∂η² from the
    /// row's η.
    fn curvature(&self, eta: &[f64], each: impl Fn(f64) -> f64) -> Curvature {
        let rows = self.outcome.len();
        let factor = 1.0 / self.weights().total(rows);
        let by_row = eta.iter().zip(self.weights().iter(rows));
        Curvature::Rows(by_row.map(|(&eta, w)| factor * w * each(eta)).collect())
    }

    /// What a row of weight 1 counts in the part's share of the mean.
    fn factor(&self, part: &RowPart) -> f64 {
        part.factor / self.weights().total(self.outcome.len())
    }
}

/// Writes factor·weight·∂term/∂η per row and returns factor·Σ weight·term, for a loss with
/// one output that is a sum over rows: `each` gives (term, ∂term/∂η) from the
/// row's outcome and η.
fn by_row(
    rows: Rows,
    eta: &[f64],
    gradient: &mut [f64],
    factor: f64,
    each: impl Fn(f64, f64) -> (f64, f64),
) -> f64 {
    let mut sum = 0.0;
    dispatch(ByRow {
        rows,
        eta,
        gradient,
        factor,
        each,
        sum: &mut sum,
    });
    sum
}

struct ByRow<'a, F> {
    rows: Rows<'a>,
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
        const ONES: [f64; BLOCK] = [1.0; BLOCK];
        let Rows { outcome, weights } = self.rows;
        let rows = outcome.chunks(BLOCK).zip(self.eta.chunks(BLOCK));
        for (block, ((y, eta), gradient)) in rows.zip(self.gradient.chunks_mut(BLOCK)).enumerate() {
            let own = weights.given().map(|all| &all[block * BLOCK..]);
            let weights = &own.unwrap_or(&ONES)[..y.len()];
            let mut terms = [0.0; BLOCK];
            let rows = y.iter().zip(eta).zip(weights);
            for ((term, g), ((y, eta), weight)) in terms.iter_mut().zip(gradient).zip(rows) {
                let (value, slope) = (self.each)(*y, *eta);
                *g = self.factor * (weight * slope);
                *term = weight * value;
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

/// The loss for a response.
pub fn for_response(response: &Response, ties: Ties) -> Box<dyn Loss> {
    let weights = response.weights.clone();
    match &response.outcome {
        Outcome::Continuous(y) => Box::new(Squared::new(y.clone(), weights)),
        Outcome::Classes {
            labels,
            task: Task::Binary,
            ..
        } => Box::new(Logistic::new(labels.iter().map(|&c| c == 1), weights)),
        Outcome::Classes {
            labels, classes, ..
        } => Box::new(Softmax::new(labels.clone(), classes.len(), weights)),
        Outcome::Survival { time, event } => {
            Box::new(Cox::new(time, event, response.weights(), ties))
        }
    }
}

#[cfg(test)]
mod tests {
    //! Every loss against central differences, and at extreme predictors.
    use super::*;

    const ROWS: usize = 8;

    fn outcomes() -> Vec<(&'static str, Outcome, Ties)> {
        let classes = |labels: Vec<usize>, count: usize, task| Outcome::Classes {
            labels,
            classes: (0..count).map(|c| c.to_string()).collect(),
            task,
        };
        let survival = |time: [f64; ROWS]| Outcome::Survival {
            time: time.to_vec(),
            event: vec![true, true, true, false, true, false, true, true],
        };
        let tied = || survival([3.0, 1.0, 2.0, 2.0, 2.0, 5.0, 1.0, 4.0]);
        let untied = || survival([3.0, 1.0, 2.0, 2.5, 2.1, 5.0, 1.1, 4.0]);
        let numbers = vec![0.5, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 0.25];
        let (two, three) = (vec![1, 0, 0, 1, 0, 0, 1, 0], vec![0, 1, 2, 2, 1, 0, 0, 2]);
        let breslow = Ties::Breslow;
        vec![
            ("squared", Outcome::Continuous(numbers), breslow),
            ("logistic", classes(two, 2, Task::Binary), breslow),
            ("softmax", classes(three, 3, Task::Multiclass), breslow),
            ("breslow", tied(), breslow),
            ("efron", tied(), Ties::Efron),
            ("untied", untied(), breslow),
            ("untied efron", untied(), Ties::Efron),
        ]
    }

    /// Every loss, with equal weights and with others.
    fn losses() -> Vec<(String, Box<dyn Loss>)> {
        let weighted = vec![0.5, 2.0, 1.0, 0.25, 1.5, 3.0, 0.1, 0.9];
        let below_one = vec![0.5, 1.0, 0.7, 0.25, 0.9, 0.3, 0.1, 0.9];
        (outcomes().into_iter())
            .flat_map(|(name, outcome, ties)| {
                [None, Some(weighted.clone()), Some(below_one.clone())].map(|weights| {
                    let name = format!("{name} {weights:?}");
                    let outcome = outcome.clone();
                    let response = Response {
                        outcome,
                        weights,
                        folds: None,
                        clusters: None,
                    };
                    (name, for_response(&response, ties))
                })
            })
            .collect()
    }

    /// A row of weight 2 is the row twice: in the loss, and in the gradient of each.
    #[test]
    fn weights_are_repeated_rows() {
        let counts = [2, 1, 3, 1, 2, 1, 4, 2];
        let repeated: Vec<usize> = (0..ROWS)
            .flat_map(|row| std::iter::repeat_n(row, counts[row]))
            .collect();
        for (name, outcome, ties) in outcomes() {
            let weights = Some(counts.map(|count| count as f64).to_vec());
            let many = for_response(&outcome.rows(&repeated).into(), ties);
            let few = for_response(
                &Response {
                    outcome,
                    weights,
                    folds: None,
                    clusters: None,
                },
                ties,
            );
            let units = few.outputs();
            let eta = predictors(units * ROWS, 1.5);
            let of_many: Vec<f64> = (eta.chunks_exact(ROWS))
                .flat_map(|unit| repeated.iter().map(|&row| unit[row]))
                .collect();
            let gradient = |loss: &dyn Loss, eta: &[f64]| {
                let mut gradient = vec![0.0; eta.len()];
                let all = RowPart::all(eta.len() / units);
                let value = loss.gradient(all, eta, &mut gradient, &mut vec![]);
                assert!((value - loss.value(eta)).abs() < 1e-12, "{name}");
                (value, gradient)
            };
            let (value, found) = gradient(&*few, &eta);
            let (expected, of_repeated) = gradient(&*many, &of_many);
            assert!(
                (value - expected).abs() < 1e-12,
                "{name}: {value} {expected}"
            );
            for k in 0..units {
                for row in 0..ROWS {
                    let own = repeated.iter().enumerate().filter(|(_, of)| **of == row);
                    let sum: f64 = own.map(|(i, _)| of_repeated[k * repeated.len() + i]).sum();
                    let g = found[k * ROWS + row];
                    assert!((g - sum).abs() < 1e-12, "{name}[{row}]: {g} {sum}");
                }
            }
        }
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

    /// Products with the curvature against central differences of the gradient.
    #[test]
    fn curvatures_equal_central_differences() {
        for (name, loss) in losses() {
            let (units, step) = (loss.outputs(), 1e-5);
            let eta = predictors(units * ROWS, 1.5);
            let gradient = |eta: &[f64]| {
                let mut gradient = vec![0.0; eta.len()];
                loss.gradient(RowPart::all(ROWS), eta, &mut gradient, &mut vec![]);
                gradient
            };
            let product = |eta: &[f64], direction: &[f64]| {
                let mut product = vec![f64::NAN; direction.len()];
                loss.curvature(eta).product(direction, &mut product);
                product
            };
            let mixed = predictors(eta.len(), 1.0);
            let single = |at: usize| {
                (0..eta.len())
                    .map(|i| f64::from(u8::from(i == at)))
                    .collect()
            };
            let singles: Vec<Vec<f64>> = (0..eta.len()).map(single).collect();
            for direction in singles.iter().chain([&mixed]) {
                let moved = |by: f64| {
                    let pairs = eta.iter().zip(direction);
                    gradient(&pairs.map(|(e, d)| e + by * d).collect::<Vec<f64>>())
                };
                let differences = moved(step).into_iter().zip(moved(-step));
                for (found, (above, below)) in product(&eta, direction).iter().zip(differences) {
                    let expected = (above - below) / (2.0 * step);
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{name}: {found} {expected}"
                    );
                }
            }
            let elsewhere = product(&predictors(eta.len(), -0.4), &mixed);
            assert_eq!(
                product(&eta, &mixed) == elsewhere,
                loss.quadratic(),
                "{name}"
            );
        }
    }

    /// No row bends more than its bound, and some nearly as much.
    #[test]
    fn classes_bend_within_their_bound() {
        for (name, loss) in losses() {
            let eta = predictors(loss.outputs() * ROWS, 1.5);
            let curvature = loss.curvature(&eta);
            let Curvature::Classes(classes) = &curvature else {
                continue;
            };
            let count = loss.outputs();
            for (row, bound) in classes.bound().into_iter().enumerate() {
                let matrix = nalgebra::DMatrix::from_fn(count, count, |k, l| {
                    let mut direction = vec![0.0; eta.len()];
                    direction[k * ROWS + row] = 1.0;
                    let mut product = vec![0.0; eta.len()];
                    curvature.product(&direction, &mut product);
                    product[l * ROWS + row]
                });
                let most = matrix.symmetric_eigenvalues().max();
                assert!(
                    bound > most - 1e-15 && bound < 1.5 * most,
                    "{name}: {bound} {most}"
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
                let mut product = vec![f64::NAN; eta.len()];
                let direction = predictors(eta.len(), 1.0);
                loss.curvature(&eta).product(&direction, &mut product);
                let bent: f64 = product.iter().zip(&direction).map(|(p, d)| p * d).sum();
                assert!(bent.is_finite() && bent > -1e-12, "{name}: {bent}");
            }
        }
    }
}
