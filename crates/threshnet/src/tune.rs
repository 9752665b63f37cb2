//! From a data set to a model: splits, the (ridge, λ) grid, the rule that
//! picks, the refit.
//!
//! Every (split, ridge) is an independent path, solved in parallel on the
//! rayon pool the caller is in. Random streams are keyed by (split, ridge, λ),
//! and results are gathered in order, so the answer does not depend on the
//! number of threads.

use crate::dataset::{Dataset, Outcome, Task};
use crate::design::{Design, Scaling, moments, usable_columns};
use crate::error::{Error, Result};
use crate::loss::{Cox, Loss, for_outcome};
use crate::model::Model;
use crate::network::{Mlp, Shape};
use crate::path::{Step, Tracer};
use crate::precise;
use crate::random::{Purpose, Random};
use crate::settings::{Rule, Settings, Validation};
use crate::solver::{Observer, Problem, Solved, Status};
use crate::split::{self, Split};
use rayon::prelude::*;

/// The model at one (ridge, λ), as validation saw it: means over folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Ridge.
    pub ridge: f64,
    /// λ.
    pub lambda: f64,
    /// Selected columns.
    pub size: f64,
    /// Mean loss on the training rows, on the scale of the raw outcome.
    pub train_loss: f64,
    /// Mean loss on the held-out rows, likewise; NaN if a fit diverged or
    /// nothing was held out.
    pub validation_loss: f64,
    /// Its standard error over folds, or over held-out rows (events).
    pub validation_se: f64,
    /// Epochs, summed over folds.
    pub epochs: usize,
    /// The worst over folds.
    pub status: Status,
}

/// A fitted model and how it came about.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// The chosen λ.
    pub lambda: f64,
    /// The chosen ridge.
    pub ridge: f64,
    /// The grid, by ridge and then λ.
    pub cells: Vec<Cell>,
    /// The position of the chosen one in `cells`.
    pub chosen: usize,
    /// The path that the model is a step of: the chosen ridge, or its refit.
    pub path: Vec<Step>,
    /// How the model's own solve ended, its certificate over all columns.
    pub solved: Solved,
    /// The rows the model was trained on.
    pub rows: Vec<usize>,
}

/// Fits as the settings say.
pub fn fit(data: &Dataset, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
    settings.validate()?;
    let everything = || (0..data.n()).collect::<Vec<usize>>();
    let splits = match settings.validation {
        Validation::Holdout { share, stratified } => {
            vec![split::holdout(
                data.outcome(),
                share,
                stratified,
                settings.seed,
            )?]
        }
        Validation::Folds(count) => split::folds(data.outcome(), count, settings.seed)?,
        Validation::None => vec![Split {
            train: everything(),
            held_out: vec![],
        }],
    };
    let crossed = splits.len() > 1;
    let parts: Vec<Part> = splits
        .into_par_iter()
        .map(|split| Part::new(data, split, settings, crossed))
        .collect();
    let init = settings
        .init
        .as_ref()
        .map(|model| initial(model, data, settings))
        .transpose()?;

    let jobs: Vec<(usize, usize)> = (0..parts.len())
        .flat_map(|p| (0..settings.ridges.len()).map(move |r| (p, r)))
        .collect();
    let mut traced: Vec<Traced> = jobs
        .par_iter()
        .map(|&(p, r)| parts[p].trace(settings, (p, r), init.as_ref(), observer))
        .collect();
    if observer.cancelled() {
        return Err(Error::Cancelled);
    }
    let cells = gather(settings, &parts, &traced);
    let chosen = choose(&cells, settings)?;
    let (ridge_number, lambda_number) = (
        chosen / settings.lambdas.len(),
        chosen % settings.lambdas.len(),
    );

    let refit;
    let (part, path) = if settings.refit && settings.validation != Validation::None {
        let whole = Split {
            train: everything(),
            held_out: vec![],
        };
        refit = Part::new(data, whole, settings, false);
        let number = (parts.len(), ridge_number);
        (
            &refit,
            refit.trace(settings, number, init.as_ref(), observer).steps,
        )
    } else {
        (&parts[0], traced.swap_remove(ridge_number).steps)
    };
    if observer.cancelled() {
        return Err(Error::Cancelled);
    }
    let step = &path[lambda_number];
    if step.solved.status == Status::Diverged {
        return Err(diverged(settings));
    }
    let ridge = settings.ridges[ridge_number];
    let wide = step.network.widened(&part.usable);
    let (_, certificate) = part.problem(settings, ridge).assess(&wide, step.lambda);
    Ok(Fit {
        model: part.model(data, step.network.clone()),
        lambda: step.lambda,
        ridge,
        cells,
        chosen,
        solved: Solved {
            certificate,
            ..step.solved
        },
        rows: part.split.train.clone(),
        path,
    })
}

/// One split: its training rows ready to be learned from, its held-out rows
/// ready to be scored.
struct Part {
    task: Task,
    split: Split,
    scaling: Scaling,
    usable: Vec<usize>,
    /// (center, scale) of a standardised continuous outcome.
    target: (f64, f64),
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
struct Traced {
    steps: Vec<Step>,
    /// (mean, standard error) of the held-out loss, on the raw scale.
    scores: Vec<(f64, f64)>,
}

impl Part {
    fn new(data: &Dataset, split: Split, settings: &Settings, crossed: bool) -> Part {
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

    fn problem(&self, settings: &Settings, ridge: f64) -> Problem<'_> {
        Problem {
            design: &self.design,
            loss: &*self.loss,
            penalty: settings.penalty,
            ridge,
        }
    }

    /// Traces the path of one ridge and scores its steps.
    fn trace(
        &self,
        settings: &Settings,
        (part, ridge): (usize, usize),
        init: Option<&Mlp>,
        observer: &dyn Observer,
    ) -> Traced {
        let mut widths = vec![self.usable.len()];
        widths.extend(&settings.hidden);
        widths.push(self.loss.outputs());
        let shape = Shape {
            widths,
            activation: settings.activation,
            // η of a Cox model is only known up to a constant.
            output_bias: self.task != Task::Cox,
        };
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
        let scores = steps.iter().map(|step| self.score(step)).collect();
        Traced { steps, scores }
    }

    fn score(&self, step: &Step) -> (f64, f64) {
        let Some(validator) = &self.validator else {
            return (f64::NAN, f64::NAN);
        };
        if step.solved.status == Status::Diverged {
            return (f64::NAN, f64::NAN);
        }
        let eta = |design: &Design| {
            let columns = design.columns(&step.network.inputs);
            precise::forward(&step.network, &columns, design.rows())
                .output()
                .to_vec()
        };
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
    fn weight(&self) -> f64 {
        match &self.validator {
            Some(Validator {
                whole: Some(whole), ..
            }) => whole.held_out_events,
            _ => self.split.held_out.len() as f64,
        }
    }

    fn model(&self, data: &Dataset, network: Mlp) -> Model {
        let train = data.outcome().rows(&self.split.train);
        let baseline = match &train {
            Outcome::Survival { time, event } => {
                let columns = self.design.columns(&network.inputs);
                let tape = precise::forward(&network, &columns, self.design.rows());
                Cox::new(time, event, crate::loss::Ties::Breslow).log_baseline_hazard(tape.output())
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

/// Puts the folds of every (ridge, λ) together.
fn gather(settings: &Settings, parts: &[Part], traced: &[Traced]) -> Vec<Cell> {
    let folds = parts.len() as f64;
    let weights: Vec<f64> = parts.iter().map(Part::weight).collect();
    let total: f64 = weights.iter().sum();
    let mut cells = Vec::with_capacity(settings.ridges.len() * settings.lambdas.len());
    for (r, &ridge) in settings.ridges.iter().enumerate() {
        let of_ridge: Vec<&Traced> = traced
            .iter()
            .skip(r)
            .step_by(settings.ridges.len())
            .collect();
        for (k, &lambda) in settings.lambdas.iter().enumerate() {
            let steps = || of_ridge.iter().map(|t| &t.steps[k]);
            let scores = || of_ridge.iter().map(|t| t.scores[k]);
            let mean = scores().zip(&weights).map(|(s, w)| w * s.0).sum::<f64>() / total;
            let spread = scores()
                .zip(&weights)
                .map(|(s, w)| w * (s.0 - mean).powi(2))
                .sum::<f64>()
                / total;
            let status = steps()
                .map(|s| s.solved.status)
                .max_by_key(|s| severity(*s));
            cells.push(Cell {
                ridge,
                lambda,
                size: steps().map(|s| s.network.inputs.len() as f64).sum::<f64>() / folds,
                train_loss: steps()
                    .zip(parts)
                    .map(|(s, part)| s.solved.loss * part.target.1 * part.target.1)
                    .sum::<f64>()
                    / folds,
                validation_loss: mean,
                validation_se: if folds > 1.0 {
                    (spread / (folds - 1.0)).sqrt()
                } else {
                    of_ridge[0].scores[k].1
                },
                epochs: steps().map(|s| s.solved.epochs).sum(),
                status: status.expect("there is at least one fold"),
            });
        }
    }
    cells
}

fn severity(status: Status) -> u8 {
    match status {
        Status::Converged => 0,
        Status::EpochLimit => 1,
        Status::Stopped => 2,
        Status::Diverged => 3,
    }
}

/// The position of the cell that the rule picks.
fn choose(cells: &[Cell], settings: &Settings) -> Result<usize> {
    if settings.validation == Validation::None {
        return match cells[0].status {
            Status::Diverged => Err(diverged(settings)),
            _ => Ok(0),
        };
    }
    // Among equals the sparser: the later λ of the earlier ridge.
    let mut best: Option<usize> = None;
    for (i, cell) in cells
        .iter()
        .enumerate()
        .filter(|(_, c)| c.validation_loss.is_finite())
    {
        let better = best.is_none_or(|b| {
            let (loss, champion) = (cell.validation_loss, &cells[b]);
            loss < champion.validation_loss
                || loss == champion.validation_loss && cell.ridge == champion.ridge
        });
        if better {
            best = Some(i);
        }
    }
    let best = best.ok_or_else(|| diverged(settings))?;
    if settings.rule == Rule::Min {
        return Ok(best);
    }
    let bound = cells[best].validation_loss + cells[best].validation_se;
    let end = (best / settings.lambdas.len() + 1) * settings.lambdas.len();
    Ok((best..end)
        .rev()
        .find(|&i| cells[i].validation_loss <= bound)
        .unwrap_or(best))
}

fn diverged(settings: &Settings) -> Error {
    Error::Data(format!(
        "the fit diverged: the objective left the finite numbers; {}",
        settings.solver.remedy()
    ))
}

/// The first network of a model, checked to fit the data and the settings.
fn initial(model: &Model, data: &Dataset, settings: &Settings) -> Result<Mlp> {
    let problem = |what: &str| Err(Error::setting("init", what.to_string()));
    if model.features != data.names() {
        return problem("the model was fitted on other columns than these data have");
    }
    if model.task != data.outcome().task() {
        return problem("the model was fitted for another task");
    }
    if matches!(data.outcome(), Outcome::Classes { classes, .. } if *classes != model.classes) {
        return problem("the model was fitted for other classes");
    }
    let network = &model.networks[0];
    let hidden = &network.shape.widths[1..network.shape.depth()];
    if hidden != settings.hidden || network.shape.activation != settings.activation {
        return Err(Error::setting(
            "init",
            format!(
                "the model has hidden layers {hidden:?} and activation {:?}; give the same --hidden and --activation",
                network.shape.activation
            ),
        ));
    }
    Ok(network.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Penalty;
    use crate::settings::Protocol;

    /// A grid of two ridges by three λs with these (loss, standard error).
    fn chosen(scores: [(f64, f64); 6], rule: Rule) -> Result<usize> {
        let mut settings = Settings::new(
            Protocol::Paper,
            Penalty::MCP,
            Protocol::Paper.validation(),
            (100, 5),
        );
        settings.lambdas = vec![0.1, 0.2, 0.3];
        settings.ridges = vec![0.01, 0.02];
        settings.rule = rule;
        let cells: Vec<Cell> = (scores.iter().enumerate())
            .map(|(i, &(validation_loss, validation_se))| Cell {
                ridge: settings.ridges[i / 3],
                lambda: settings.lambdas[i % 3],
                size: 1.0,
                train_loss: 1.0,
                validation_loss,
                validation_se,
                epochs: 1,
                status: Status::Converged,
            })
            .collect();
        choose(&cells, &settings)
    }

    #[test]
    fn the_rules_pick_within_their_ridge_and_pass_over_what_diverged() {
        let nan = (f64::NAN, f64::NAN);
        let cells = [
            (3.0, 1.0),
            (2.0, 1.0),
            (2.5, 1.0),
            (4.0, 1.0),
            (2.2, 1.0),
            (2.9, 1.0),
        ];
        assert_eq!(chosen(cells, Rule::Min).unwrap(), 1);
        assert_eq!(chosen(cells, Rule::OneStandardError).unwrap(), 2);
        let gaps = [nan, nan, nan, (4.0, 2.0), (2.2, 0.5), nan];
        assert_eq!(chosen(gaps, Rule::Min).unwrap(), 4);
        assert_eq!(chosen(gaps, Rule::OneStandardError).unwrap(), 4);
        // among equals the sparser
        assert_eq!(chosen([(1.0, 0.0); 6], Rule::Min).unwrap(), 2);
        // a single held-out event has no standard error
        let unknown = [(1.0, f64::NAN), (2.0, f64::NAN), nan, nan, nan, nan];
        assert_eq!(chosen(unknown, Rule::OneStandardError).unwrap(), 0);
        assert!(chosen([nan; 6], Rule::Min).is_err());
    }
}
