//! One split of the rows: what is learned from, what is scored on.

use crate::dataset::{Dataset, Outcome, Task};
use crate::design::{Design, Scaling, moments, usable_columns};
use crate::loss::{Cox, Loss, Ties, for_outcome};
use crate::model::Model;
use crate::network::{Mlp, Shape};
use crate::path::{Step, Tracer};
use crate::precise;
use crate::random::{Purpose, Random};
use crate::relax::relaxed;
use crate::screen::screened;
use crate::settings::Settings;
use crate::solver::{Observer, Problem, Status};
use crate::split::Split;

/// How many held-out rows are scored at a time, so that there is no need for a
/// matrix of all of them.
const SCORED_AT_ONCE: usize = 32;

/// One split: its training rows ready to be learned from, its held-out rows
/// ready to be scored.
pub struct Part {
    task: Task,
    /// Training rows in random order if they are learned from in batches.
    pub split: Split,
    scaling: Scaling,
    pub usable: Vec<usize>,
    /// (center, scale) of a standardised continuous outcome.
    target: (f64, f64),
    design: Design,
    loss: Box<dyn Loss>,
    validator: Option<Validator>,
}

/// Scores what a network says of the held-out rows.
struct Validator {
    loss: Box<dyn Loss>,
    /// For cross-validated Cox models: the loss of training and then held-out
    /// rows, and the events of each.
    whole: Option<WholeCox>,
}

/// A held-out fold has risk sets of its own only, which wastes most of what
/// it can tell. So a fold scores by how much it adds to the log partial
/// likelihood of the training rows (Verweij and van Houwelingen 1993).
struct WholeCox {
    loss: Box<dyn Loss>,
    train_events: f64,
    held_out_events: f64,
}

/// What a path starts from.
#[derive(Clone, Copy)]
pub enum Start<'a> {
    /// Random weights.
    Random,
    /// This network, with as many epochs as from random weights.
    Given(&'a Mlp),
    /// The λ_min network of a neighbouring ridge, with the epochs of a warm start.
    Shared(&'a Mlp),
}

/// What is left of a step once it is scored.
pub struct Point {
    /// Selected columns.
    pub size: usize,
    /// On the training rows, on the raw scale.
    pub train_loss: f64,
    /// (mean, standard error) of the held-out loss, on the raw scale.
    pub validation: (f64, f64),
    pub epochs: usize,
    pub status: Status,
}

impl Part {
    pub fn new(data: &Dataset, mut split: Split, settings: &Settings, crossed: bool) -> Part {
        let batch = settings.batch_size.unwrap_or(split.train.len());
        if batch < split.train.len() {
            // A batch is a random sample of the rows, whatever their order in the file.
            Random::new(settings.seed, Purpose::Batches, 0, 0).shuffle(&mut split.train);
        }
        let scaling = Scaling::learn(data, &split.train, settings.standardize);
        let train = data.outcome().rows(&split.train);
        let target = match &train {
            Outcome::Continuous(y) if settings.standardize => moments(y.iter().copied()),
            _ => (0.0, 1.0),
        };
        let loss_of = |rows: &[usize]| {
            let outcome = match data.outcome().rows(rows) {
                Outcome::Continuous(y) => {
                    Outcome::Continuous(y.iter().map(|y| (y - target.0) / target.1).collect())
                }
                other => other,
            };
            for_outcome(&outcome, settings.ties)
        };
        let validator = (!split.held_out.is_empty()).then(|| Validator {
            loss: loss_of(&split.held_out),
            whole: (crossed && data.outcome().task() == Task::Cox).then(|| WholeCox {
                loss: loss_of(&[&split.train[..], &split.held_out].concat()),
                train_events: events(&train),
                held_out_events: events(&data.outcome().rows(&split.held_out)),
            }),
        });
        Part {
            task: data.outcome().task(),
            usable: usable(data, &split.train, settings),
            design: Design::in_batches(data, &split.train, &scaling, batch),
            loss: loss_of(&split.train),
            validator,
            scaling,
            target,
            split,
        }
    }

    /// The objective but for λ. If `parallel`, its steps may use the thread pool.
    pub fn problem(&self, settings: &Settings, ridge: f64, parallel: bool) -> Problem<'_> {
        Problem {
            design: &self.design,
            loss: &*self.loss,
            penalty: settings.penalty,
            ridge,
            parallel,
            seed: settings.seed,
        }
    }

    /// Traces the path of one ridge; shorter than the λs if it was cancelled.
    /// The numbers of the split and the ridge key the random start.
    pub fn trace(
        &self,
        settings: &Settings,
        (split, ridge): (usize, usize),
        (start, parallel): (Start, bool),
        observer: &dyn Observer,
    ) -> Vec<Step> {
        let shape = Shape::new(
            &settings.hidden,
            self.loss.outputs(),
            settings.activation,
            self.task,
        );
        let network = |lambda: usize| match start {
            Start::Given(network) | Start::Shared(network) => network.widened(&self.usable),
            Start::Random => {
                let number = ((ridge as u64) << 32) | lambda as u64;
                let mut random = Random::new(settings.seed, Purpose::Weights, split as u64, number);
                Mlp::random(self.usable.clone(), shape.clone(), &mut random)
            }
        };
        let tracer = Tracer {
            lambdas: &settings.lambdas,
            direction: settings.direction,
            solver: settings.solver,
            first_epochs: match start {
                Start::Shared(_) => settings.epochs,
                Start::Random | Start::Given(_) => settings.first_epochs,
            },
            epochs: settings.epochs,
        };
        let problem = self.problem(settings, settings.ridges[ridge], parallel);
        let steps = tracer.trace(&problem, network, observer);
        match settings.relax {
            Some(epochs) => relaxed(steps, &problem, (settings.solver, epochs), observer),
            None => steps,
        }
    }

    /// Scores a step.
    pub fn point(&self, data: &Dataset, step: &Step) -> Point {
        Point {
            size: step.network.inputs.len(),
            train_loss: step.solved.loss * self.target.1 * self.target.1,
            validation: self.score(data, step),
            epochs: step.solved.epochs,
            status: step.solved.status,
        }
    }

    fn score(&self, data: &Dataset, step: &Step) -> (f64, f64) {
        let Some(validator) = &self.validator else {
            return (f64::NAN, f64::NAN);
        };
        if step.solved.status == Status::Diverged {
            return (f64::NAN, f64::NAN);
        }
        let held_out = self.held_out_output(data, &step.network);
        if let Some(whole) = &validator.whole {
            let train = precise::output(&step.network, &self.design);
            let train_sum = whole.train_events * self.loss.value(&train);
            let both = [train, held_out].concat();
            let all_events = whole.train_events + whole.held_out_events;
            let sum = all_events * whole.loss.value(&both) - train_sum;
            return (sum / whole.held_out_events, f64::NAN);
        }
        let terms = validator.loss.terms(&held_out);
        let (mean, deviation) = moments(terms.iter().copied());
        let unit = self.target.1 * self.target.1;
        // sd by n over √(n − 1): the usual standard error of a mean
        (
            unit * mean,
            unit * deviation / (terms.len() as f64 - 1.0).sqrt(),
        )
    }

    /// η of the held-out rows, one block of rows per output unit.
    fn held_out_output(&self, data: &Dataset, network: &Mlp) -> Vec<f64> {
        let rows = &self.split.held_out;
        let mut output = vec![0.0; self.loss.outputs() * rows.len()];
        for (group, some) in rows.chunks(SCORED_AT_ONCE).enumerate() {
            let values: Vec<f32> = (network.inputs.iter())
                .flat_map(|&j| some.iter().map(move |&i| (j, i)))
                .map(|(j, i)| self.scaling.apply(j, data.columns()[j][i]) as f32)
                .collect();
            let columns: Vec<&[f32]> = values.chunks_exact(some.len()).collect();
            let tape = precise::forward(network, &columns, some.len());
            let units = output.chunks_exact_mut(rows.len());
            for (unit, part) in units.zip(tape.output().chunks_exact(some.len())) {
                unit[group * SCORED_AT_ONCE..][..some.len()].copy_from_slice(part);
            }
        }
        output
    }

    /// What a fold weighs in the mean: its held-out rows, or events.
    pub fn weight(&self) -> f64 {
        match &self.validator {
            Some(Validator {
                whole: Some(whole), ..
            }) => whole.held_out_events,
            _ => self.split.held_out.len() as f64,
        }
    }

    /// The model of networks that were trained on this part's scale.
    pub fn model(&self, data: &Dataset, networks: Vec<Mlp>) -> Model {
        let train = data.outcome().rows(&self.split.train);
        let baseline = match &train {
            Outcome::Survival { time, event } => {
                let mut risk = vec![0.0; time.len()];
                for network in &networks {
                    for (mean, eta) in risk.iter_mut().zip(precise::output(network, &self.design)) {
                        *mean += eta / networks.len() as f64;
                    }
                }
                Cox::new(time, event, Ties::Breslow).log_baseline_hazard(&risk)
            }
            _ => vec![],
        };
        Model {
            task: self.task,
            features: data.names().to_vec(),
            outcome: vec![],
            scaling: self.scaling.clone(),
            target: self.target,
            classes: match train {
                Outcome::Classes { classes, .. } => classes,
                _ => vec![],
            },
            networks,
            baseline,
        }
    }
}

/// The same function of raw columns by a network of one part, on the scale of
/// another.
pub fn translated(network: &Mlp, from: &Part, to: &Part) -> Mlp {
    network.rescaled((&from.scaling, from.target), (&to.scaling, to.target))
}

/// The columns that a network can learn from and may.
fn usable(data: &Dataset, rows: &[usize], settings: &Settings) -> Vec<usize> {
    let mut columns = usable_columns(data, rows);
    if let Some(only) = &settings.columns {
        columns.retain(|j| only.binary_search(j).is_ok());
    }
    match settings.screen {
        Some(keep) => screened(data, rows, &columns, keep),
        None => columns,
    }
}

fn events(outcome: &Outcome) -> f64 {
    outcome.strata().iter().sum::<usize>() as f64
}
