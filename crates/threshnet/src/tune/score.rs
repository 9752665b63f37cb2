//! Held-out rows of a split: what networks that learned from its other rows make of them.

use super::fold_loss::FoldLoss;
use super::held_out::FoldPrediction;
use super::training::Training;
use crate::columns::{Part, Standardised};
use crate::dataset::{Dataset, Outcome, Task};
use crate::ensemble::{mean_output, mean_response, output_of};
use crate::loss::Loss;
use crate::network::Mlp;
use crate::path::Step;
use crate::precise;
use crate::solver::Status;
use crate::statistics::{Estimate, weighted_mean, weighted_moments};

/// How many held-out rows are scored at a time, so that there is no need for a
/// matrix of all of them.
const SCORED_AT_ONCE: usize = 32;

/// A split: its held-out rows ready to be scored, its others ready to be learned from.
pub struct Fold<'a> {
    data: &'a Dataset<'a>,
    pub training: Training,
    /// The held-out rows, at least one.
    rows: Vec<usize>,
    /// Their columns, where these leave out zeros, since to search for each cell would be slow, and
    /// where chains impute them: then as each has them.
    stored: Vec<(Option<usize>, Standardised)>,
    loss: Box<dyn Loss>,
    /// For cross-validated Cox models.
    whole: Option<WholeCox>,
}

/// A held-out fold has risk sets of its own only, which wastes most of what
/// it can tell. So a fold scores by how much it adds to the log partial
/// likelihood of the training rows (Verweij and van Houwelingen 1993).
struct WholeCox {
    /// Of training and then held-out rows.
    loss: Box<dyn Loss>,
    /// What the events count together.
    train_events: f64,
    held_out_events: f64,
}

/// What is left of a step once it is scored.
pub struct Point {
    /// Selected features.
    pub size: usize,
    /// On the training rows, on the raw scale.
    pub train_loss: f64,
    /// On the held-out rows, on the raw scale.
    pub validation: Estimate,
    pub epochs: usize,
    pub status: Status,
}

impl<'a> Fold<'a> {
    /// Rows to learn from and rows of these data to score on. If they are one of `crossed`
    /// folds, a Cox model scores by what the held-out rows add to the training rows.
    pub fn new(data: &'a Dataset, training: Training, held_out: &[usize], crossed: bool) -> Self {
        let whole = (crossed && training.task == Task::Cox).then(|| WholeCox {
            loss: training.loss_of(data, &[&training.rows[..], held_out].concat()),
            train_events: data.response().rows(&training.rows).mass(),
            held_out_events: data.response().rows(held_out).mass(),
        });
        let scaling = &training.scale.columns;
        let standardised = |data: &Dataset| {
            let part = Part {
                rows: held_out,
                columns: &training.usable,
                batch: held_out.len(),
            };
            Standardised::new(data, part, scaling)
        };
        let stored = match scaling.fill.chains() {
            _ if held_out.is_empty() => vec![],
            [] if data.is_sparse() => vec![(None, standardised(data))],
            chains => (chains.iter())
                .map(|chain| {
                    let completed = chain.completed(data, held_out, &scaling.fill);
                    (Some(chain.number), standardised(&completed))
                })
                .collect(),
        };
        Fold {
            data,
            loss: training.loss_of(data, held_out),
            rows: held_out.to_vec(),
            stored,
            training,
            whole,
        }
    }

    /// Scores a step.
    pub fn point(&self, step: &Step) -> Point {
        Point {
            size: step.network.size(),
            train_loss: self.training.loss_at(step),
            validation: match step.solved.status {
                Status::Diverged | Status::Skipped => Estimate::NAN,
                _ => self.score(std::slice::from_ref(&step.network)),
            },
            epochs: step.solved.epochs,
            status: step.solved.status,
        }
    }

    /// The held-out loss of networks whose predictions are averaged, on the raw scale, and
    /// its standard error over rows (events).
    pub fn score(&self, networks: &[Mlp]) -> Estimate {
        let held_out = mean_output(self.training.task, self.rows.len(), networks, |network| {
            self.output(network)
        });
        if let Some(whole) = &self.whole {
            let train = self.training.output(networks);
            let train_sum = whole.train_events * self.training.loss().value(&train);
            let both = [train, held_out].concat();
            let all_events = whole.train_events + whole.held_out_events;
            let sum = all_events * whole.loss.value(&both) - train_sum;
            return Estimate {
                mean: sum / whole.held_out_events,
                se: f64::NAN,
            };
        }
        let (terms, weights) = (self.loss.terms(&held_out), self.loss.weights());
        let moments = weighted_moments(terms.iter().copied(), weights);
        let unit = self.training.scale.unit * self.training.scale.unit;
        // sd by n over √(n − 1): the usual standard error of a mean
        Estimate {
            mean: unit * moments.mean,
            se: unit * moments.deviation / (weights.total(terms.len()) - 1.0).sqrt(),
        }
    }

    /// The same, as one fold of several.
    pub fn loss(&self, networks: &[Mlp]) -> FoldLoss {
        FoldLoss {
            loss: self.score(networks).mean,
            weight: self.weight(),
        }
    }

    /// The held-out loss of what the training rows' outcome alone predicts, on the raw
    /// scale.
    pub fn null_loss(&self) -> f64 {
        let scale = &self.training.scale;
        let weights = self.training.weights();
        let constants = match self.data.outcome().rows(&self.training.rows) {
            Outcome::Continuous(y) => {
                let mean = weighted_mean(y.iter().copied(), weights);
                vec![(mean - scale.center) / scale.unit]
            }
            Outcome::Classes {
                labels, classes, ..
            } => {
                let share = |class: usize| {
                    let of_class = labels.iter().zip(weights.iter(labels.len()));
                    let of_class = of_class.filter(|(label, _)| **label == class);
                    let count: f64 = of_class.map(|(_, weight)| weight).sum();
                    // (a class without a training row is not impossible)
                    let count = if count > 0.0 { count } else { 1.0 };
                    count / weights.total(labels.len())
                };
                let shares = (0..classes.len()).map(|class| vec![share(class)]).collect();
                output_of(self.training.task, shares)
            }
            Outcome::Survival { .. } => vec![0.0],
        };
        let eta: Vec<f64> = (constants.iter())
            .flat_map(|&constant| std::iter::repeat_n(constant, self.rows.len()))
            .collect();
        if let Some(whole) = &self.whole {
            let sum =
                |loss: &dyn Loss, rows: usize, events: f64| events * loss.value(&vec![0.0; rows]);
            let trained = self.training.rows.len();
            let train = sum(self.training.loss(), trained, whole.train_events);
            let all_events = whole.train_events + whole.held_out_events;
            let all = sum(&*whole.loss, trained + self.rows.len(), all_events);
            return (all - train) / whole.held_out_events;
        }
        self.loss.value(&eta) * scale.unit * scale.unit
    }

    /// What networks whose predictions are averaged respond to the held-out rows, as
    /// [`HeldOut`](super::HeldOut) has it.
    pub fn predict_held_out(&self, networks: &[Mlp]) -> FoldPrediction {
        let (task, scale) = (self.training.task, &self.training.scale);
        let outputs = networks.iter().map(|network| self.output(network));
        let mut response = mean_response(task, self.rows.len(), outputs);
        let (center, unit) = match task {
            Task::Regression => (scale.center, scale.unit),
            Task::Binary | Task::Multiclass => (0.0, 1.0),
            Task::Cox => {
                let trained = self.training.output(networks);
                let mean = weighted_mean(trained.iter().copied(), self.training.weights());
                (-mean, 1.0)
            }
        };
        for value in response.iter_mut().flatten() {
            *value = center + unit * *value;
        }
        FoldPrediction {
            rows: self.rows.clone(),
            response,
        }
    }

    /// What this fold weighs in a mean over folds: its held-out rows, or events.
    pub fn weight(&self) -> f64 {
        match &self.whole {
            Some(whole) => whole.held_out_events,
            None => self.data.response().rows(&self.rows).total(),
        }
    }

    /// η of the held-out rows, one block of rows per output unit.
    fn output(&self, network: &Mlp) -> Vec<f64> {
        let of_chain = self.stored.iter().find(|of| of.0 == network.chain);
        if let Some((_, stored)) = of_chain {
            return precise::output(network, stored);
        }
        let columns = self.data.columns();
        let scaling = &self.training.scale.columns;
        let mut output = vec![0.0; self.training.loss().outputs() * self.rows.len()];
        for (group, some) in self.rows.chunks(SCORED_AT_ONCE).enumerate() {
            let values: Vec<f32> = (network.inputs.iter())
                .flat_map(|&j| some.iter().map(move |&i| (j, i)))
                .map(|(j, i)| scaling.apply(j, columns[j].at(i)) as f32)
                .collect();
            let inputs: Vec<&[f32]> = values.chunks_exact(some.len()).collect();
            let tape = precise::forward(network, &inputs, some.len());
            let units = output.chunks_exact_mut(self.rows.len());
            for (unit, part) in units.zip(tape.output().chunks_exact(some.len())) {
                unit[group * SCORED_AT_ONCE..][..some.len()].copy_from_slice(part);
            }
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Response;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Settings, Size, Validation};

    const ROWS: usize = 12;

    fn outcome(task: Task) -> Outcome {
        let classes = |count: usize| Outcome::Classes {
            labels: (0..ROWS).map(|row| row * 5 % 7 % count).collect(),
            classes: (0..count).map(|class| class.to_string()).collect(),
            task,
        };
        match task {
            Task::Regression => {
                Outcome::Continuous((0..ROWS).map(|i| (i * i % 11) as f64).collect())
            }
            Task::Binary => classes(2),
            Task::Multiclass => classes(3),
            Task::Cox => Outcome::Survival {
                time: (0..ROWS).map(|row| (1 + row * 5 % 6) as f64).collect(),
                event: (0..ROWS).map(|row| row % 4 > 0).collect(),
            },
        }
    }

    /// The null model's loss on the second half of the rows, learned on the first, and what the
    /// fold weighs.
    fn null_of(response: Response, first_held_out: usize, crossed: bool) -> (f64, f64) {
        let n = response.len();
        let column = (0..n).map(|row| (row * 3 % 8) as f64).collect();
        let data = Dataset::new(vec!["x".into()], vec![column], response).unwrap();
        let validation = Validation::folds(2);
        let settings = Settings::new(Protocol::Default, Penalty::MCP, validation, Size::of(&data));
        let rows: Vec<usize> = (0..n).collect();
        let (train, held_out) = rows.split_at(first_held_out);
        let training = Training::of_columns(&data, train, &settings, vec![0], &[]);
        let fold = Fold::new(&data, training, held_out, crossed);
        (fold.null_loss(), fold.weight())
    }

    #[test]
    fn the_null_model_counts_rows_by_their_weights() {
        let counts: Vec<usize> = (0..ROWS).map(|row| 1 + row * 5 % 4).collect();
        let repeated: Vec<usize> = (0..ROWS)
            .flat_map(|row| std::iter::repeat_n(row, counts[row]))
            .collect();
        let first = repeated.iter().filter(|&&row| row < ROWS / 2).count();
        for task in [Task::Regression, Task::Binary, Task::Multiclass, Task::Cox] {
            for crossed in [false, true] {
                let weighted = Response {
                    weights: Some(counts.iter().map(|&count| count as f64).collect()),
                    ..outcome(task).into()
                };
                let few = null_of(weighted, ROWS / 2, crossed);
                let many = null_of(outcome(task).rows(&repeated).into(), first, crossed);
                assert!((few.0 - many.0).abs() < 1e-10, "{task:?}: {few:?} {many:?}");
                assert!((few.1 - many.1).abs() < 1e-10, "{task:?}: {few:?} {many:?}");
                let plain = null_of(outcome(task).into(), ROWS / 2, crossed);
                assert!(
                    (few.0 - plain.0).abs() > 1e-6,
                    "{task:?}: weights change nothing"
                );
            }
        }
    }
}
