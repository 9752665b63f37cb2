//! Relaxed paths: what is selected at a λ, fitted again without the penalty.

use crate::common::{linear, planted};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Settings, Validation};
use threshnet::solver::{Observer, StepRule, Unobserved};
use threshnet::tune::{Fit, fit};

const RIDGE: f64 = 0.02;
const LAMBDAS: [f64; 6] = [0.001, 0.02, 0.1, 0.3, 0.6, 6.0];

/// An exact linear LASSO path, relaxed or not.
fn settings(relax: Option<usize>) -> Settings {
    let mut settings = linear(Penalty::Lasso, 0.0, RIDGE, StepRule::LineSearch);
    settings.lambdas = LAMBDAS.to_vec();
    settings.direction = Direction::Backward;
    settings.validation = Validation::Holdout {
        share: 0.25,
        stratified: false,
    };
    settings.relax = relax;
    settings
}

fn data() -> Dataset<'static> {
    planted(Task::Regression, (120, 8), (2, 5), 4)
}

fn run(relax: Option<usize>) -> Fit {
    fit(&data(), &settings(relax), &Unobserved).expect("the fit is valid")
}

/// The largest component of the gradient of mean (y − b − wx)² + ridge·(w² + b²)
/// over the weights of a linear step and its bias.
fn gradient(fit: &Fit, step: usize) -> f64 {
    let data = data();
    let Outcome::Continuous(y) = data.outcome() else {
        unreachable!()
    };
    let network = &fit.path[step].network;
    let (weights, bias) = network.weights.split_at(network.inputs.len());
    let residuals: Vec<(usize, f64)> = (fit.rows.iter())
        .map(|&i| {
            let inputs = network.inputs.iter().zip(weights);
            let predicted: f64 = inputs.map(|(&j, w)| w * data.columns()[j].at(i)).sum();
            (i, y[i] - bias[0] - predicted)
        })
        .collect();
    let n = residuals.len() as f64;
    let of_weight = |(&j, w): (&usize, &f64)| {
        let product: f64 = (residuals.iter())
            .map(|&(i, r)| r * data.columns()[j].at(i))
            .sum();
        2.0 * (RIDGE * w - product / n)
    };
    let of_bias = 2.0 * (RIDGE * bias[0] - residuals.iter().map(|(_, r)| r).sum::<f64>() / n);
    (network.inputs.iter().zip(weights))
        .map(of_weight)
        .chain([of_bias])
        .fold(0.0, |most, g| most.max(g.abs()))
}

#[test]
fn every_step_is_the_unpenalised_fit_of_its_own_columns() {
    let (plain, relaxed) = (run(None), run(Some(200_000)));
    let mut sizes = vec![];
    for step in 0..LAMBDAS.len() {
        assert_eq!(
            relaxed.path[step].network.inputs,
            plain.path[step].network.inputs
        );
        assert!(gradient(&relaxed, step) < 1e-5, "{step}");
        sizes.push(plain.path[step].network.inputs.len());
    }
    // The test sees a dense step, sparse ones and the null model, and the
    // penalty at work where it is not undone.
    assert_eq!((sizes[0], sizes[5]), (8, 0));
    assert!(sizes.contains(&2), "{sizes:?}");
    assert!(gradient(&plain, 3) > 0.1);
}

#[test]
fn the_choice_is_between_relaxed_fits() {
    let (plain, relaxed) = (run(None), run(Some(200_000)));
    // The LASSO keeps more columns to make up for its shrinkage.
    let size = |fit: &Fit| fit.model.selected().len();
    assert!(size(&relaxed) <= size(&plain));
    assert_eq!(relaxed.model.selected(), [2, 5]);
    let loss = |fit: &Fit| fit.validation.mean;
    assert!(loss(&relaxed) < loss(&plain));
    assert!(relaxed.solved.certificate.largest() < 1e-5);
}

#[test]
fn an_interrupt_is_heard_while_relaxing() {
    /// Cancels once the path itself is traced.
    struct AfterPath(std::sync::atomic::AtomicUsize);
    impl Observer for AfterPath {
        fn cancelled(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed) >= LAMBDAS.len()
        }
        fn step(&self, _: &threshnet::path::Step) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let observer = AfterPath(Default::default());
    assert!(fit(&data(), &settings(Some(1000)), &observer).is_err());
}
