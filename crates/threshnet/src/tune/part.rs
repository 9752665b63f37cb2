//! One split of the rows: what is learned from, what is scored on.

use super::held_out::OfFold;
use crate::dataset::{Dataset, Outcome, Task};
use crate::design::{Design, Scaling, usable_columns};
use crate::ensemble::{mean_response, output_of};
use crate::groups::Groups;
use crate::loss::{Cox, Loss, RowPart, Ties, for_outcome};
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
use crate::statistics::moments;

/// How many held-out rows are scored at a time, so that there is no need for a
/// matrix of all of them.
const SCORED_AT_ONCE: usize = 32;

/// One split: its training rows ready to be learned from, its held-out rows
/// ready to be scored.
pub struct Part {
    task: Task,
    groups: Groups,
    /// Training rows in random order if they are learned from in batches.
    pub split: Split,
    pub scale: Scale,
    pub usable: Vec<usize>,
    design: Design,
    loss: Box<dyn Loss>,
    validator: Option<Validator>,
}

/// How raw columns and a raw outcome become what a network sees.
pub struct Scale {
    columns: Scaling,
    /// (what becomes 0, scale) of a standardised continuous outcome.
    target: (f64, f64),
}

impl Scale {
    /// As these rows have it.
    pub fn learn(data: &Dataset, rows: &[usize], settings: &Settings) -> Scale {
        Scale {
            columns: Scaling::learn(data, rows, settings.standardize),
            target: match data.outcome() {
                Outcome::Continuous(y) if settings.standardize => {
                    let moments = moments(rows.iter().map(|&row| y[row]));
                    match (moments.mean, moments.deviation) {
                        // few rows can all have the same outcome
                        (center, _) if rows.iter().all(|&row| y[row] == y[rows[0]]) => {
                            (center, 1.0)
                        }
                        // (a linear model has no bends to find)
                        varied if settings.hidden.is_empty() => varied,
                        (center, scale) => (center - settings.lift * scale, scale),
                    }
                }
                _ => (0.0, 1.0),
            },
        }
    }

    /// The same function of raw columns by a network of this scale, on another one.
    pub fn translated(&self, network: &Mlp, to: &Scale) -> Mlp {
        network.rescaled((&self.columns, self.target), (&to.columns, to.target))
    }
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
}

/// What is left of a step once it is scored.
pub struct Point {
    /// Selected features.
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
        let scale = Scale::learn(data, &split.train, settings);
        let (center, unit) = scale.target;
        let train = data.outcome().rows(&split.train);
        let loss_of = |rows: &[usize]| {
            let outcome = match data.outcome().rows(rows) {
                Outcome::Continuous(y) => {
                    Outcome::Continuous(y.iter().map(|y| (y - center) / unit).collect())
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
            groups: data.features().groups(),
            usable: usable(data, &split.train, settings),
            design: Design::in_batches(data, &split.train, &scale.columns, batch),
            loss: loss_of(&split.train),
            validator,
            scale,
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
        let shape = self.shape(settings);
        let network = |lambda: usize| match start {
            Start::Given(network) => network.widened(&self.usable),
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
            first_epochs: settings.first_epochs,
            epochs: settings.epochs,
        };
        let problem = self.problem(settings, settings.ridges[ridge], parallel);
        let steps = tracer.trace(&problem, network, observer);
        match settings.relax {
            Some(epochs) => relaxed(steps, &problem, (settings.solver, epochs), observer),
            None => steps,
        }
    }

    /// The held-out loss of what the training rows' outcome alone predicts, on the raw
    /// scale.
    pub fn null_loss(&self, data: &Dataset) -> f64 {
        let Some(validator) = &self.validator else {
            return f64::NAN;
        };
        let constants = match data.outcome().rows(&self.split.train) {
            Outcome::Continuous(y) => {
                let (center, unit) = self.scale.target;
                vec![(y.iter().sum::<f64>() / y.len() as f64 - center) / unit]
            }
            Outcome::Classes {
                labels, classes, ..
            } => {
                let share = |class: usize| {
                    let count = labels.iter().filter(|label| **label == class).count();
                    // (a class without a training row is not impossible)
                    count.max(1) as f64 / labels.len() as f64
                };
                let shares = (0..classes.len()).map(|class| vec![share(class)]).collect();
                output_of(self.task, shares)
            }
            Outcome::Survival { .. } => vec![0.0],
        };
        let rows = self.split.held_out.len();
        let eta: Vec<f64> = (constants.iter())
            .flat_map(|&constant| std::iter::repeat_n(constant, rows))
            .collect();
        validator.loss.value(&eta) * self.scale.target.1 * self.scale.target.1
    }

    /// The shape of a network of it, without inputs as yet.
    pub fn shape(&self, settings: &Settings) -> Shape {
        let plain = Shape::new(
            &settings.hidden,
            self.loss.outputs(),
            settings.activation,
            self.task,
        );
        Shape {
            shortcut: settings.shortcut,
            groups: self.groups.clone(),
            ..plain
        }
    }

    /// Minus the gradient of the training loss in a network's output, one vector per output
    /// unit: what is left to explain of each training row.
    pub fn residuals(&self, network: &Mlp) -> Vec<Vec<f64>> {
        let output = precise::output(network, &self.design);
        let mut gradient = vec![0.0; output.len()];
        let rows = self.split.train.len();
        (self.loss).gradient(RowPart::all(rows), &output, &mut gradient, &mut Vec::new());
        (gradient.chunks_exact(rows))
            .map(|unit| unit.iter().map(|g| -g).collect())
            .collect()
    }

    /// A column of the training rows, on the scale that networks see.
    pub fn column(&self, j: usize) -> Vec<f64> {
        (self.design.blocks())
            .flat_map(|block| block.columns(&[j])[0].iter().map(|&v| f64::from(v)))
            .collect()
    }

    /// Columns and what belongs to them, as far as it is usable.
    pub fn completed(&self, columns: &[usize]) -> Vec<usize> {
        let mut columns = self.groups.completed(columns);
        columns.retain(|j| self.usable.binary_search(j).is_ok());
        columns
    }

    /// Scores a step.
    pub fn point(&self, data: &Dataset, step: &Step) -> Point {
        Point {
            size: step.network.size(),
            train_loss: step.solved.loss * self.scale.target.1 * self.scale.target.1,
            validation: match step.solved.status {
                Status::Diverged => (f64::NAN, f64::NAN),
                _ => self.score(data, std::slice::from_ref(&step.network)),
            },
            epochs: step.solved.epochs,
            status: step.solved.status,
        }
    }

    /// (mean, standard error) of the held-out loss of networks whose predictions are
    /// averaged, on the raw scale; NaN if nothing is held out.
    pub fn score(&self, data: &Dataset, networks: &[Mlp]) -> (f64, f64) {
        let Some(validator) = &self.validator else {
            return (f64::NAN, f64::NAN);
        };
        let rows = self.split.held_out.len();
        let held_out = self.averaged(networks, rows, |network| {
            self.held_out_output(data, network)
        });
        if let Some(whole) = &validator.whole {
            let rows = self.split.train.len();
            let train = self.averaged(networks, rows, |network| {
                precise::output(network, &self.design)
            });
            let train_sum = whole.train_events * self.loss.value(&train);
            let both = [train, held_out].concat();
            let all_events = whole.train_events + whole.held_out_events;
            let sum = all_events * whole.loss.value(&both) - train_sum;
            return (sum / whole.held_out_events, f64::NAN);
        }
        let terms = validator.loss.terms(&held_out);
        let moments = moments(terms.iter().copied());
        let unit = self.scale.target.1 * self.scale.target.1;
        // sd by n over √(n − 1): the usual standard error of a mean
        (
            unit * moments.mean,
            unit * moments.deviation / (terms.len() as f64 - 1.0).sqrt(),
        )
    }

    /// What networks whose predictions are averaged respond to the held-out rows, as
    /// [`HeldOut`](super::HeldOut) has it.
    pub fn foretold(&self, data: &Dataset, networks: &[Mlp]) -> OfFold {
        let rows = &self.split.held_out;
        let outputs = networks.iter().map(|of| self.held_out_output(data, of));
        let mut response = mean_response(self.task, rows.len(), outputs);
        let (center, unit) = match self.task {
            Task::Regression => self.scale.target,
            Task::Binary | Task::Multiclass => (0.0, 1.0),
            Task::Cox => {
                let trained = self.averaged(networks, self.split.train.len(), |network| {
                    precise::output(network, &self.design)
                });
                (-trained.iter().sum::<f64>() / trained.len() as f64, 1.0)
            }
        };
        for value in response.iter_mut().flatten() {
            *value = center + unit * *value;
        }
        (rows.clone(), response)
    }

    /// The η whose response is the mean of what the networks respond.
    fn averaged(
        &self,
        networks: &[Mlp],
        rows: usize,
        output: impl Fn(&Mlp) -> Vec<f64>,
    ) -> Vec<f64> {
        match networks {
            [only] => output(only),
            _ => {
                let outputs = networks.iter().map(output);
                output_of(self.task, mean_response(self.task, rows, outputs))
            }
        }
    }

    /// η of the held-out rows, one block of rows per output unit.
    fn held_out_output(&self, data: &Dataset, network: &Mlp) -> Vec<f64> {
        let rows = &self.split.held_out;
        let mut output = vec![0.0; self.loss.outputs() * rows.len()];
        for (group, some) in rows.chunks(SCORED_AT_ONCE).enumerate() {
            let values: Vec<f32> = (network.inputs.iter())
                .flat_map(|&j| some.iter().map(move |&i| (j, i)))
                .map(|(j, i)| self.scale.columns.apply(j, data.columns()[j].at(i)) as f32)
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
        Model {
            task: self.task,
            features: data.features().clone(),
            outcome: vec![],
            scaling: self.scale.columns.clone(),
            target: self.scale.target,
            classes: match data.outcome() {
                Outcome::Classes { classes, .. } => classes.clone(),
                _ => vec![],
            },
            class_type: None,
            baseline: self.baseline(data, &networks),
            networks,
        }
    }

    /// (t, log H₀(t)) at every event time of the training rows, if these networks give the
    /// risk; nothing but for survival.
    pub fn baseline(&self, data: &Dataset, networks: &[Mlp]) -> Vec<(f64, f64)> {
        let Outcome::Survival { time, event } = data.outcome().rows(&self.split.train) else {
            return vec![];
        };
        let risk = self.averaged(networks, time.len(), |network| {
            precise::output(network, &self.design)
        });
        Cox::new(&time, &event, Ties::Breslow).log_baseline_hazard(&risk)
    }

    /// The same for every step of a path.
    pub fn baselines(&self, data: &Dataset, path: &[Step]) -> Vec<Vec<(f64, f64)>> {
        path.iter()
            .map(|step| self.baseline(data, std::slice::from_ref(&step.network)))
            .collect()
    }
}

/// The columns that a network can learn from and may.
fn usable(data: &Dataset, rows: &[usize], settings: &Settings) -> Vec<usize> {
    let mut columns = usable_columns(data, rows);
    if let Some(only) = &settings.columns {
        columns.retain(|j| only.binary_search(j).is_ok());
    }
    if let Some(keep) = settings.screen {
        let kept = screened(data, rows, &columns, keep);
        let kept = data.features().groups().completed(&kept);
        columns.retain(|j| kept.binary_search(j).is_ok());
    }
    columns
}

fn events(outcome: &Outcome) -> f64 {
    outcome.strata().iter().sum::<usize>() as f64
}
