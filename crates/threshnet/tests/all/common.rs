//! Data, settings and observers that several subjects need.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised, usable_columns};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::loss::{Loss, Ties, for_response};
use threshnet::model::Model;
use threshnet::network::{Mlp, Shape};
use threshnet::path::{Direction, Step};
use threshnet::penalty::Penalty;
use threshnet::random::{Purpose, Random};
use threshnet::settings::{Protocol, Settings, Size, Validation};
use threshnet::solver::{Adam, Epoch, Observer, Problem, Proximal, Solver, StepRule, Unobserved};
use threshnet::tune::fit;

pub const TASKS: [Task; 4] = [Task::Regression, Task::Binary, Task::Multiclass, Task::Cox];

/// A stream for test data, apart from those of fits.
pub fn random(seed: u64) -> Random {
    Random::new(seed, Purpose::Simulation, 99, 0)
}

/// `d` columns of `n` standard normal values, rounded to 32 bit so that the
/// design holds them exactly.
pub fn normal_columns(n: usize, d: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = random(seed);
    let mut column = || (0..n).map(|_| f64::from(random.normal() as f32)).collect();
    (0..d).map(|_| column()).collect()
}

/// Columns with names `x0`, `x1`, …
pub fn dataset(columns: Vec<Vec<f64>>, outcome: Outcome) -> Dataset<'static> {
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    Dataset::new(names, columns, outcome).expect("test data are valid")
}

/// An outcome of the task that follows `signal`, with noise.
pub fn outcome(task: Task, signal: &[f64], seed: u64) -> Outcome {
    let mut random = random(seed + 1000);
    let classes = |count: usize| (0..count).map(|c| format!("class {c}")).collect();
    match task {
        Task::Regression => {
            Outcome::Continuous(signal.iter().map(|f| f + 0.3 * random.normal()).collect())
        }
        Task::Binary => Outcome::Classes {
            labels: signal
                .iter()
                .map(|f| usize::from(*f + 0.3 * random.normal() > 0.0))
                .collect(),
            classes: classes(2),
            task,
        },
        Task::Multiclass => Outcome::Classes {
            labels: (signal.iter())
                .map(|f| f + 0.3 * random.normal())
                .map(|f| usize::from(f > -0.7) + usize::from(f > 0.7))
                .collect(),
            classes: classes(3),
            task,
        },
        // Rounded times, so that there are ties.
        Task::Cox => Outcome::Survival {
            time: (signal.iter())
                .map(|f| (20.0 * random.exponential() * (-f).exp()).ceil().min(60.0))
                .collect(),
            event: signal.iter().map(|_| random.uniform() < 0.7).collect(),
        },
    }
}

/// A non-linear outcome of columns `a` and `b` alone.
pub fn planted(
    task: Task,
    (n, d): (usize, usize),
    (a, b): (usize, usize),
    seed: u64,
) -> Dataset<'static> {
    let columns = normal_columns(n, d, seed);
    let signal: Vec<f64> = (columns[a].iter().zip(&columns[b]))
        .map(|(a, b)| 1.5 * a - 1.2 * b + 0.5 * a * b)
        .collect();
    dataset(columns, outcome(task, &signal, seed))
}

/// One λ, one ridge, everything as it is and all rows used.
pub fn single(penalty: Penalty, lambda: f64, ridge: f64) -> Settings {
    let mut settings = Settings::new(
        Protocol::Default,
        penalty,
        Validation::None,
        Size::new(100, 10, Task::Regression),
    );
    settings.lambdas = vec![lambda];
    settings.ridges = vec![ridge];
    settings.standardize = false;
    settings
}

/// The same without a hidden layer, solved by composite gradient descent.
pub fn linear(penalty: Penalty, lambda: f64, ridge: f64, step: StepRule) -> Settings {
    let mut settings = single(penalty, lambda, ridge);
    settings.hidden = vec![];
    settings.first_epochs = 200_000;
    settings.epochs = 200_000;
    settings.solver = Solver::Proximal(Proximal {
        step,
        tolerance: 1e-7,
    });
    settings
}

/// (weights by output and column, biases) of a linear model.
pub fn coefficients(network: &Mlp, d: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let layer = &network.shape.layers()[0];
    let mut weights = vec![vec![0.0; d]; layer.outputs];
    for (at, &column) in network.inputs.iter().enumerate() {
        for (k, row) in weights.iter_mut().enumerate() {
            row[column] = network.weights[at * layer.outputs + k];
        }
    }
    (weights, network.weights[layer.bias.clone()].to_vec())
}

/// A path over a hold-out, with a rate of Adam that needs fewer epochs than
/// the paper's.
pub fn path_settings(lambdas: &[f64], direction: Direction) -> Settings {
    let mut settings = single(Penalty::MCP, 0.0, 0.01);
    settings.validation = Validation::Holdout {
        share: 0.25,
        stratified: true,
    };
    settings.lambdas = lambdas.to_vec();
    settings.direction = direction;
    settings.solver = adam(3e-3);
    (settings.first_epochs, settings.epochs) = (400, 150);
    settings
}

/// Adam with the paper's γ = 1.
pub fn adam(learning_rate: f64) -> Solver {
    Solver::Adam(Adam {
        learning_rate,
        ..Adam::default()
    })
}

/// Composite gradient descent to 1e-6.
pub fn proximal(step: StepRule) -> Solver {
    Solver::Proximal(Proximal {
        step,
        tolerance: 1e-6,
    })
}

/// What a solver works on: all rows of a data set.
pub struct Bench {
    pub columns: Standardised,
    pub loss: Box<dyn Loss>,
    pub usable: Vec<usize>,
    task: Task,
}

impl Bench {
    /// Columns standardised, the outcome as it is.
    pub fn new(data: &Dataset) -> Self {
        let rows: Vec<usize> = (0..data.n()).collect();
        let scaling = Scaling::learn(data, &rows, true);
        Bench {
            columns: Standardised::of_rows(data, &rows, &scaling),
            loss: for_response(data.response(), Ties::Efron),
            usable: usable_columns(data, &rows),
            task: data.outcome().task(),
        }
    }

    pub fn problem(&self, penalty: Penalty, ridge: f64) -> Problem<'_> {
        Problem::new(&self.columns, &*self.loss, penalty, ridge)
    }

    /// A random start.
    pub fn start(&self, hidden: &[usize], activation: Activation, seed: u64) -> Mlp {
        let mut widths = vec![self.usable.len()];
        widths.extend(hidden);
        widths.push(self.loss.outputs());
        let shape = Shape {
            widths,
            activation,
            output_bias: self.task != Task::Cox,
            shortcut: false,
            groups: Default::default(),
        };
        Mlp::random(self.usable.clone(), shape, &mut random(seed))
    }
}

/// Keeps every epoch's (λ, objective), and cancels from a given epoch on.
#[derive(Default)]
pub struct Recorder {
    pub epochs: Mutex<Vec<(f64, f64)>>,
    pub steps: AtomicUsize,
    /// Cancels once this many epochs were seen; 0 for never.
    pub cancel_after: usize,
    pub cancelled: AtomicBool,
}

impl Observer for Recorder {
    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    fn epoch(&self, epoch: &Epoch) {
        let mut epochs = self.epochs.lock().unwrap();
        epochs.push((epoch.lambda, epoch.objective));
        if epochs.len() == self.cancel_after {
            self.cancelled.store(true, Ordering::SeqCst);
        }
    }

    fn step(&self, _step: &Step) {
        self.steps.fetch_add(1, Ordering::SeqCst);
    }
}

/// The exact weights, where `==` would take 0 and −0 for one.
pub fn bits(network: &Mlp) -> Vec<u64> {
    network.weights.iter().map(|w| w.to_bits()).collect()
}

/// Whether two networks agree to the last bit.
pub fn same(a: &Mlp, b: &Mlp) -> bool {
    a.shape == b.shape && a.inputs == b.inputs && bits(a) == bits(b)
}

/// What [`quick_model`] is fitted to.
pub fn quick_data(task: Task) -> Dataset<'static> {
    planted(task, (60, 7), (5, 2), 3)
}

/// A quick fit, on standardised data if there is one hidden layer; at λ = 9 it
/// is the null model.
pub fn quick_model(task: Task, hidden: &[usize], activation: Activation, lambda: f64) -> Model {
    let settings = quick_settings(hidden, activation, lambda);
    fit(&quick_data(task), &settings, &Unobserved)
        .unwrap()
        .model
}

/// Those of [`quick_model`].
pub fn quick_settings(hidden: &[usize], activation: Activation, lambda: f64) -> Settings {
    let mut settings = single(Penalty::MCP, lambda, 0.01);
    settings.hidden = hidden.to_vec();
    settings.activation = activation;
    settings.solver = adam(1e-2);
    settings.first_epochs = 60;
    settings.standardize = hidden.len() == 1;
    settings
}
