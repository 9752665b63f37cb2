//! Rows ready to be learned from: standardised columns, the loss of their outcome, the
//! columns that a network may use.

use super::scale::Scale;
use super::{Constants, chains_of};
use crate::columns::{Blocks, Part, Standardised, usable_among};
use crate::dataset::{Dataset, Task, Weights};
use crate::ensemble::mean_output;
use crate::groups::Groups;
use crate::impute::impute;
use crate::linear;
use crate::loss::{Loss, RowPart, Ties, for_response};
use crate::network::{Mlp, Shape};
use crate::path::{Step, Tracer};
use crate::precise;
use crate::random::{Purpose, Random};
use crate::relax::{Relaxation, relaxed};
use crate::screen::{null_residuals, screened};
use crate::settings::Settings;
use crate::solver::{Observer, Problem, Solver, Unobserved};
use std::collections::BTreeSet;

/// Rows to learn from.
pub struct Training {
    pub task: Task,
    groups: Groups,
    ties: Ties,
    /// Whether the ridge spares the output's bias.
    pub free_bias: bool,
    /// In random order if they are learned from in batches.
    pub rows: Vec<usize>,
    pub scale: Scale,
    /// What each counts, in that order; none if all count once.
    weights: Option<Vec<f64>>,
    /// The columns that a network can learn from and may, ascending: all that are held.
    pub usable: Vec<usize>,
    /// Once, or for every chain that imputes them.
    columns: Vec<ForChain>,
    loss: Box<dyn Loss>,
}

/// Columns as one chain of multiple imputation has them, or as they are without.
struct ForChain {
    chain: Option<usize>,
    columns: Standardised,
}

/// What of the columns is held.
struct Held<'a> {
    /// Those that a network may use, ascending.
    usable: Vec<usize>,
    /// Those that the scale knows.
    scaled: Vec<usize>,
    /// The chains that impute them.
    chains: &'a [usize],
}

/// Which path of a fit: with the seed and λ, the key of its random starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobKey {
    /// The number of its split; a refit to all rows counts as one more.
    pub split: usize,
    /// The number of its ridge.
    pub ridge: usize,
}

/// How a path is traced.
#[derive(Clone, Copy)]
pub struct Tracing<'a> {
    pub key: JobKey,
    /// What it starts from in place of random weights, with as many epochs.
    pub init: Option<&'a Mlp>,
    /// Whether its steps may use the thread pool.
    pub parallel: bool,
}

impl Training {
    /// These rows, of the columns that the settings let a network use, for the networks of these
    /// chains. The scale knows all columns, as that of a model must.
    pub fn new(data: &Dataset, rows: &[usize], settings: &Settings, chains: &[usize]) -> Training {
        let usable = usable(data, rows, settings);
        let scaled = (0..data.d()).collect();
        let held = Held {
            usable,
            scaled,
            chains,
        };
        Training::holding(data, rows, settings, held)
    }

    /// These rows, of the given ascending columns, which the scale knows alone.
    pub fn of_columns(
        data: &Dataset,
        rows: &[usize],
        settings: &Settings,
        usable: Vec<usize>,
        chains: &[usize],
    ) -> Training {
        let scaled = usable.clone();
        let held = Held {
            usable,
            scaled,
            chains,
        };
        Training::holding(data, rows, settings, held)
    }

    /// These rows, of the columns that the settings let a network use, to which networks of other
    /// columns are brought: the scale knows the columns of both alone.
    pub fn for_networks(
        data: &Dataset,
        rows: &[usize],
        settings: &Settings,
        networks: &[&Mlp],
    ) -> Training {
        let usable = usable(data, rows, settings);
        let inputs = networks.iter().flat_map(|network| &network.inputs);
        let scaled: BTreeSet<usize> = inputs.chain(&usable).copied().collect();
        let held = Held {
            usable,
            scaled: scaled.into_iter().collect(),
            chains: &chains_of(networks.iter().copied()),
        };
        Training::holding(data, rows, settings, held)
    }

    fn holding(data: &Dataset, rows: &[usize], settings: &Settings, held: Held) -> Training {
        let Held {
            usable,
            scaled,
            chains,
        } = held;
        let mut rows = rows.to_vec();
        let batch = settings.batch_size.unwrap_or(rows.len());
        if batch < rows.len() {
            // A batch is a random sample of the rows, whatever their order in the file.
            Random::new(settings.seed, Purpose::Batches, 0, 0).shuffle(&mut rows);
        }
        let mut scale = Scale::learn_among(data, &rows, settings, scaled);
        let response = scale.standardised(data.response().rows(&rows));
        let part = Part {
            rows: &rows,
            columns: &usable,
            batch,
        };
        let blocks = match settings.solver {
            Solver::Descent(_) => Blocks::ByColumn,
            Solver::Adam(_) | Solver::Proximal(_) => Blocks::ByRows,
        };
        let standardised =
            |data: &Dataset| Standardised::in_blocks(data, part, &scale.columns, blocks);
        let (columns, chains) = match chains {
            [] => {
                let (chain, columns) = (None, standardised(data));
                (vec![ForChain { chain, columns }], vec![])
            }
            several => (several.iter())
                .map(|&number| {
                    let imputed = impute(data, &rows, &usable, number, settings.seed);
                    let columns = standardised(&imputed.dataset(data));
                    let chain = Some(number);
                    (ForChain { chain, columns }, imputed.chain)
                })
                .unzip(),
        };
        let fill = std::mem::take(&mut scale.columns.fill);
        scale.columns.fill = fill.with_chains(chains);
        Training {
            task: data.outcome().task(),
            groups: data.features().groups(),
            ties: settings.ties,
            free_bias: settings.free_bias,
            columns,
            loss: for_response(&response, settings.ties),
            weights: response.weights,
            usable,
            scale,
            rows,
        }
    }

    /// The loss of other rows, on this scale.
    pub fn loss_of(&self, data: &Dataset, rows: &[usize]) -> Box<dyn Loss> {
        let response = self.scale.standardised(data.response().rows(rows));
        for_response(&response, self.ties)
    }

    /// What each of these rows counts.
    pub fn weights(&self) -> Weights<'_> {
        self.weights.as_deref().into()
    }

    /// The loss of these rows.
    pub fn loss(&self) -> &dyn Loss {
        &*self.loss
    }

    /// The columns that a network is fed.
    fn columns_for(&self, network: &Mlp) -> &Standardised {
        let of_chain = self.columns.iter().find(|of| of.chain == network.chain);
        &of_chain.unwrap_or(&self.columns[0]).columns
    }

    /// The objective of a network but for λ. If `parallel`, its steps may use the thread pool.
    pub fn problem(
        &self,
        network: &Mlp,
        settings: &Settings,
        ridge: f64,
        parallel: bool,
    ) -> Problem<'_> {
        Problem {
            columns: self.columns_for(network),
            loss: &*self.loss,
            penalty: settings.penalty,
            ridge,
            free_bias: self.free_bias,
            parallel,
            seed: settings.seed,
        }
    }

    /// Traces a path; shorter than the λs if it was cancelled.
    pub fn trace(&self, settings: &Settings, how: Tracing, observer: &dyn Observer) -> Vec<Step> {
        let JobKey { split, ridge } = how.key;
        let shape = self.shape(settings);
        let network = |lambda: usize| match how.init {
            Some(network) => self.adopted(network.widened(&self.usable)),
            None if matches!(settings.solver, Solver::Descent(_)) => self.null(settings),
            None => {
                let number = ((ridge as u64) << 32) | lambda as u64;
                let mut random = Random::new(settings.seed, Purpose::Weights, split as u64, number);
                self.adopted(Mlp::random(self.usable.clone(), shape.clone(), &mut random))
            }
        };
        let tracer = Tracer {
            lambdas: &settings.lambdas,
            direction: settings.direction,
            solver: settings.solver,
            first_epochs: settings.first_epochs,
            epochs: settings.epochs,
        };
        let ridge = settings.ridges[ridge];
        let problem = self.problem(&self.null(settings), settings, ridge, how.parallel);
        let steps = tracer.trace(&problem, network, observer);
        match settings.relax {
            Some(epochs) => {
                let solver = settings.solver;
                relaxed(steps, &problem, Relaxation { solver, epochs }, observer)
            }
            None => steps,
        }
    }

    /// The shape of a network of these rows, without inputs as yet.
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

    /// The network with its columns penalised as those of these rows are and fed by the first of
    /// their chains, wherever it is from.
    fn adopted(&self, mut network: Mlp) -> Mlp {
        network.shape.groups = self.groups.clone();
        network.chain = self.columns[0].chain;
        network
    }

    /// A linear model of all columns without a weight.
    pub fn null(&self, settings: &Settings) -> Mlp {
        self.adopted(Mlp::zero(self.usable.clone(), self.shape(settings)))
    }

    /// The smallest λ at which a linear model of these settings selects nothing.
    pub fn largest_lambda(&self, settings: &Settings) -> f64 {
        let null = self.null(settings);
        let problem = self.problem(&null, settings, settings.ridges[0], false);
        linear::largest_lambda(&problem, &null)
    }

    /// η of these rows by networks whose responses are averaged.
    pub fn output(&self, networks: &[Mlp]) -> Vec<f64> {
        let of_one = |network: &Mlp| precise::output(network, self.columns_for(network));
        mean_output(self.task, self.rows.len(), networks, of_one)
    }

    /// The loss of a step, on the scale of the raw outcome.
    pub fn loss_at(&self, step: &Step) -> f64 {
        step.solved.loss * self.scale.unit * self.scale.unit
    }

    /// Minus the gradient of a row's own loss in a network's output, one vector per output unit,
    /// up to a factor: what is left to explain of each row.
    pub fn residuals(&self, network: &Mlp) -> Vec<Vec<f64>> {
        let output = precise::output(network, self.columns_for(network));
        let mut gradient = vec![0.0; output.len()];
        let rows = self.rows.len();
        (self.loss).gradient(RowPart::all(rows), &output, &mut gradient, &mut Vec::new());
        (gradient.chunks_exact(rows))
            .map(|unit| {
                let weights = self.weights().iter(rows);
                unit.iter().zip(weights).map(|(g, w)| -g / w).collect()
            })
            .collect()
    }

    /// A column of these rows, on the scale that networks see.
    pub fn column(&self, j: usize) -> Vec<f64> {
        let columns = &self.columns[0].columns;
        let place = columns.places(&[j])[0] as usize;
        let values = columns.storage().column(place);
        values.into_iter().map(f64::from).collect()
    }

    /// Columns and what belongs to them, as far as it is usable.
    pub fn completed(&self, columns: &[usize]) -> Vec<usize> {
        let mut columns = self.groups.completed(columns);
        columns.retain(|j| self.usable.binary_search(j).is_ok());
        columns
    }
}

/// What the null model leaves of the outcome: where columns are to stay, what a linear model of
/// them does.
pub fn unexplained(data: &Dataset, settings: &Settings) -> Vec<Vec<f64>> {
    if data.features().groups().kept().is_empty() {
        return null_residuals(data.response());
    }
    let linear = settings.clone().linear();
    let settings = Settings {
        lambdas: vec![0.0],
        ridges: vec![Constants::DEFAULT.linear_ridge],
        columns: Some(vec![]),
        ..linear
    };
    let rows: Vec<usize> = (0..data.n()).collect();
    let training = Training::new(data, &rows, &settings, &[]);
    let mut model = training.null(&settings);
    let problem = training.problem(&model, &settings, settings.ridges[0], false);
    let epochs = settings.first_epochs;
    (settings.solver).solve(&problem, 0.0, &mut model, epochs, &Unobserved);
    training.residuals(&model)
}

/// The columns that a network can learn from and may. Those that are to stay are among them
/// whatever else is ruled out.
fn usable(data: &Dataset, rows: &[usize], settings: &Settings) -> Vec<usize> {
    let groups = data.features().groups();
    let retain = |columns: &mut Vec<usize>, only: &[usize]| {
        columns.retain(|&j| groups.is_kept(j) || only.binary_search(&j).is_ok());
    };
    let mut columns: Vec<usize> = (0..data.d()).filter(|&j| !groups.is_dropped(j)).collect();
    if let Some(only) = &settings.columns {
        retain(&mut columns, only);
    }
    let mut columns = usable_among(data, rows, columns);
    if let Some(most) = settings.screen {
        let mut candidates = columns.clone();
        candidates.retain(|&j| !groups.is_kept(j));
        let left = screened(data, rows, &candidates, most);
        retain(&mut columns, &groups.completed(&left));
    }
    columns
}
