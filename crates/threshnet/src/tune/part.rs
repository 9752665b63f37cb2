//! One split of the rows: what is learned from, what is scored on.

use crate::dataset::{Dataset, Outcome, Task};
use crate::design::{Design, Scaling, moments, usable_columns};
use crate::loss::{Cox, Loss, Ties, for_outcome};
use crate::model::Model;
use crate::network::{Mlp, Shape};
use crate::path::{Step, Tracer};
use crate::precise;
use crate::random::{Purpose, Random};
use crate::settings::Settings;
use crate::solver::{Observer, Problem, Status};
use crate::split::Split;

/// One split: its training rows ready to be learned from, its held-out rows
/// ready to be scored.
pub struct Part {
    task: Task,
    pub split: Split,
    scaling: Scaling,
    pub usable: Vec<usize>,
    /// (center, scale) of a standardised continuous outcome.
    pub target: (f64, f64),
    design: Design,
    loss: Box<dyn Loss>,
    validator: Option<Validator>,
}

/// Scores a network on the held-out rows.
struct Validator {
    held_out: Design,
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

/// A path and the validation of its steps.
pub struct Traced {
    pub steps: Vec<Step>,
    /// (mean, standard error) of the held-out loss, on the raw scale.
    pub scores: Vec<(f64, f64)>,
}

impl Part {
    pub fn new(data: &Dataset, split: Split, settings: &Settings, crossed: bool) -> Part {
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
            held_out: Design::new(data, &split.held_out, &scaling),
            loss: loss_of(&split.held_out),
            whole: (crossed && data.outcome().task() == Task::Cox).then(|| WholeCox {
                loss: loss_of(&[&split.train[..], &split.held_out].concat()),
                train_events: events(&train),
                held_out_events: events(&data.outcome().rows(&split.held_out)),
            }),
        });
        Part {
            task: data.outcome().task(),
            usable: usable_columns(data, &split.train),
            design: Design::new(data, &split.train, &scaling),
            loss: loss_of(&split.train),
            validator,
            scaling,
            target,
            split,
        }
    }

    pub fn problem(&self, settings: &Settings, ridge: f64) -> Problem<'_> {
        Problem {
            design: &self.design,
            loss: &*self.loss,
            penalty: settings.penalty,
            ridge,
            parallel: false,
            seed: settings.seed,
        }
    }

    /// Traces the path of one ridge and scores its steps.
    pub fn trace(
        &self,
        settings: &Settings,
        (part, ridge): (usize, usize),
        init: Option<&Mlp>,
        observer: &dyn Observer,
    ) -> Traced {
        let shape = Shape::new(
            &settings.hidden,
            self.loss.outputs(),
            settings.activation,
            self.task,
        );
        let start = |lambda: usize| match init {
            Some(network) => network.widened(&self.usable),
            None => {
                let number = ((ridge as u64) << 32) | lambda as u64;
                let mut random = Random::new(settings.seed, Purpose::Weights, part as u64, number);
                Mlp::random(self.usable.clone(), shape.clone(), &mut random)
            }
        };
        let tracer = Tracer {
            lambdas: &settings.lambdas,
            direction: settings.direction,
            solver: settings.solver,
            first_epochs: settings.first_epochs,
            epochs: settings.epochs,
        };
        let problem = self.problem(settings, settings.ridges[ridge]);
        let steps = tracer.trace(&problem, start, observer);
        let complete = steps.len() == settings.lambdas.len();
        let scores = match complete {
            true => steps.iter().map(|step| self.score(step)).collect(),
            false => vec![],
        };
        Traced { steps, scores }
    }

    fn score(&self, step: &Step) -> (f64, f64) {
        let Some(validator) = &self.validator else {
            return (f64::NAN, f64::NAN);
        };
        if step.solved.status == Status::Diverged {
            return (f64::NAN, f64::NAN);
        }
        let eta = |design: &Design| precise::output(&step.network, design);
        let held_out = eta(&validator.held_out);
        if let Some(whole) = &validator.whole {
            let train = eta(&self.design);
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

    /// What a fold weighs in the mean: its held-out rows, or events.
    pub fn weight(&self) -> f64 {
        match &self.validator {
            Some(Validator {
                whole: Some(whole), ..
            }) => whole.held_out_events,
            _ => self.split.held_out.len() as f64,
        }
    }

    pub fn model(&self, data: &Dataset, network: Mlp) -> Model {
        let train = data.outcome().rows(&self.split.train);
        let baseline = match &train {
            Outcome::Survival { time, event } => {
                let eta = precise::output(&network, &self.design);
                Cox::new(time, event, Ties::Breslow).log_baseline_hazard(&eta)
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
            networks: vec![network],
            baseline,
        }
    }
}

fn events(outcome: &Outcome) -> f64 {
    outcome.strata().iter().sum::<usize>() as f64
}
