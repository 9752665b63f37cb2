//! The paths of a fit as jobs, handed out in order to whichever thread is free.
//!
//! A split's standardised matrix is made by its first job and freed after its
//! last. Since the jobs of one split follow each other, there are never more
//! matrices than threads. What a path leaves is numbers: its networks go once
//! they are scored, except those a model may still be made of.

use super::held_out::HeldOut;
use super::part::{Part, Point, Start};
use super::rounds::Planned;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Merit, Settings, Validation};
use crate::solver::{Observer, Status};
use crate::split::Split;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// What all paths of a fit have in common, and what they have found so far.
pub struct Search<'a> {
    pub data: &'a Dataset<'a>,
    pub settings: &'a Settings,
    pub observer: &'a dyn Observer,
    splits: &'a [Split],
    /// The network that every path starts from, if the user gave one.
    init: Option<&'a Mlp>,
    /// The columns that each split may use, if not all that the settings let it.
    only: Option<Vec<Vec<usize>>>,
    /// By split and then ridge.
    traced: Vec<Option<Traced>>,
    /// The most promising path of every split, most likely the chosen one: the model may
    /// be made of it, or tell what it says of the rows held out.
    leaders: Vec<Mutex<Option<Leader>>>,
}

/// What is left of a path of one ridge on one split.
pub struct Traced {
    /// One per λ.
    pub points: Vec<Point>,
    /// What the split weighs in a mean over splits.
    pub weight: f64,
    /// The held-out loss of the null model.
    pub null_loss: f64,
    /// The λ_min network, where other ridges may start from it.
    dense: Option<Mlp>,
    /// Its best network, where several of a draw are averaged.
    pub best: Option<Best>,
}

/// The network of a path with the lowest held-out loss.
#[derive(Clone)]
pub struct Best {
    /// That loss.
    pub loss: f64,
    /// Position in the path.
    pub lambda: usize,
    /// The network.
    pub network: Mlp,
}

/// A path kept whole.
pub struct Leader {
    loss: f64,
    /// Its ridge's number.
    pub ridge: usize,
    /// One per λ.
    pub steps: Vec<Step>,
}

/// One path to trace. The part is shared by the jobs of its split, made by the
/// first of them and freed with the last.
struct Job {
    split: usize,
    planned: Planned,
    part: Arc<OnceLock<Part>>,
}

impl<'a> Search<'a> {
    pub fn new(
        data: &'a Dataset,
        settings: &'a Settings,
        observer: &'a dyn Observer,
        (splits, init): (&'a [Split], Option<&'a Mlp>),
    ) -> Self {
        let count = splits.len() * settings.ridges.len();
        Search {
            data,
            settings,
            observer,
            splits,
            init,
            only: None,
            traced: std::iter::repeat_with(|| None).take(count).collect(),
            leaders: std::iter::repeat_with(|| Mutex::new(None))
                .take(splits.len())
                .collect(),
        }
    }

    /// The same search once more, with columns of its own for every split.
    pub fn among(&self, columns: Vec<Vec<usize>>) -> Search<'a> {
        Search {
            only: Some(columns),
            ..Search::new(self.data, self.settings, self.observer, (self.splits, None))
        }
    }

    /// Whether the model comes from another fit to all rows.
    pub fn refits(&self) -> bool {
        self.settings.refit && self.settings.validation != Validation::None
    }

    /// Whether every split is a draw.
    fn draws(&self) -> bool {
        is_drawn(self.settings)
    }

    /// The best networks of a draw's ridges and the numbers of these, the very best first.
    pub fn best_of(&self, draw: usize) -> Vec<(usize, &Best)> {
        let ridges = self.settings.ridges.len();
        let traced = self.traced[draw * ridges..][..ridges].iter().enumerate();
        let mut best: Vec<(usize, &Best)> = traced
            .filter_map(|(ridge, traced)| Some((ridge, traced.as_ref()?.best.as_ref()?)))
            .collect();
        best.sort_by(|(_, a), (_, b)| a.loss.total_cmp(&b.loss));
        best
    }

    /// How many splits there are.
    pub fn splits(&self) -> usize {
        self.splits.len()
    }

    /// The rows that a split learns from.
    pub fn training_rows(&self, split: usize) -> &[usize] {
        &self.splits[split].train
    }

    /// The held-out loss of the null model on a split.
    pub fn null_loss(&self, split: usize) -> f64 {
        let ridges = self.settings.ridges.len();
        let of_split = &self.traced[split * ridges..][..ridges];
        let known = of_split.iter().flatten().next();
        known.map_or(f64::NAN, |traced| traced.null_loss)
    }

    /// These splits of a ridge, as far as it was traced on them.
    pub fn of_ridge(&self, ridge: usize, splits: Range<usize>) -> Vec<&Traced> {
        let ridges = self.settings.ridges.len();
        splits
            .filter_map(|split| self.traced[split * ridges + ridge].as_ref())
            .collect()
    }

    /// Traces the ridges that are planned for each split.
    pub fn run(&mut self, plan: &[Vec<Planned>]) -> Result<()> {
        // Paths side by side use threads best; where there are too few of them,
        // each may use several.
        let paths: usize = plan.iter().map(Vec::len).sum();
        let parallel = paths < rayon::current_num_threads();
        let found: Vec<(usize, Traced)> = self
            .jobs(plan)
            .par_bridge()
            .map(|job| {
                let number = job.split * self.settings.ridges.len() + job.planned.ridge;
                Ok((number, self.trace_job(&job, parallel)?))
            })
            .collect::<Result<_>>()?;
        for (number, traced) in found {
            self.traced[number] = Some(traced);
        }
        Ok(())
    }

    /// The jobs, split by split.
    fn jobs<'j>(&self, plan: &'j [Vec<Planned>]) -> impl Iterator<Item = Job> + Send + use<'j> {
        plan.iter().enumerate().flat_map(|(split, planned)| {
            let part = Arc::new(OnceLock::new());
            planned.iter().map(move |&planned| Job {
                split,
                planned,
                part: Arc::clone(&part),
            })
        })
    }

    fn trace_job(&self, job: &Job, parallel: bool) -> Result<Traced> {
        if self.observer.cancelled() {
            return Err(Error::Cancelled);
        }
        // Other jobs of this split wait here: `Part::new` must not wait for
        // the thread pool, or it could wait for itself.
        let part = job.part.get_or_init(|| self.part(job.split));
        let steps = self.trace(part, job.split, job.planned, parallel)?;
        let points: Vec<Point> = (steps.iter())
            .map(|step| part.point(self.data, step))
            .collect();
        let dense = self.settings.share_start && job.planned.from.is_none();
        let traced = Traced {
            weight: part.weight(),
            null_loss: part.null_loss(self.data),
            dense: dense.then(|| steps[0].network.clone()),
            best: (self.draws()).then(|| best(&points, &steps)).flatten(),
            points,
        };
        if self.is_kept(job.split) {
            let leader = &self.leaders[job.split];
            lead(leader, job.planned.ridge, &traced.points, steps);
        }
        Ok(traced)
    }

    /// Whether the best path of a split is kept: folds dealt anew repeat what is known.
    fn is_kept(&self, split: usize) -> bool {
        match self.settings.validation {
            Validation::Folds { count, .. } => split < count,
            _ => true,
        }
    }

    /// What the networks at a λ of a ridge say of the rows that they did not see: every
    /// fold's of its own. A fold that was led by another ridge traces this one again.
    pub fn foretold(&self, planned: Planned, lambda: usize) -> Result<Option<HeldOut>> {
        if self.settings.validation == Validation::None {
            return Ok(None);
        }
        let kept = (0..self.splits.len()).filter(|&split| self.is_kept(split));
        let folds = kept.collect::<Vec<_>>().into_par_iter().map(|split| {
            let part = self.part(split);
            let network = match self.led(split, planned.ridge, lambda) {
                Some(network) => network,
                None => {
                    let unseen = Unseen(self.observer);
                    let mut steps = self.traced_by(&unseen, &part, (split, planned, false))?;
                    steps.swap_remove(lambda).network
                }
            };
            Ok(part.foretold(self.data, &[network]))
        });
        let folds = folds.collect::<Result<Vec<_>>>()?;
        Ok(HeldOut::of(self.data.outcome().task(), folds))
    }

    /// The network at a λ of a split's best path, if that is of this ridge.
    fn led(&self, split: usize, ridge: usize, lambda: usize) -> Option<Mlp> {
        let leader = self.leaders[split].lock().expect("no job panics");
        let of_ridge = leader.as_ref().filter(|leader| leader.ridge == ridge)?;
        Some(of_ridge.steps[lambda].network.clone())
    }

    /// The most promising path of a split; none if it is not kept.
    pub fn take_leader(&mut self, split: usize) -> Option<Leader> {
        self.leaders[split].get_mut().expect("no job panics").take()
    }

    /// The part and the path that the model is taken from, once the search is
    /// over: the refit to all rows, or the first split.
    pub fn finish(mut self, planned: Planned) -> Result<(Part, Vec<Step>)> {
        if self.refits() {
            let part = Part::new(self.data, everything(self.data.n()), self.settings, false);
            let number = self.splits.len();
            let alone = Planned {
                from: None,
                ..planned
            };
            let steps = self.trace(&part, number, alone, true)?;
            return Ok((part, steps));
        }
        let leader = self.take_leader(0);
        let part = self.part(0);
        let steps = match leader {
            Some(leader) if leader.ridge == planned.ridge => leader.steps,
            // Another split decided against the leader of this one.
            _ => self.trace(&part, 0, planned, true)?,
        };
        Ok((part, steps))
    }

    /// The rows of a split, ready.
    pub fn part(&self, split: usize) -> Part {
        let crossed = matches!(self.settings.validation, Validation::Folds { .. });
        let rows = self.splits[split].clone();
        let mut part = Part::new(self.data, rows, self.settings, crossed);
        if let Some(only) = &self.only {
            part.usable.clone_from(&only[split]);
        }
        part
    }

    /// The path of a ridge on a part, complete.
    fn trace(
        &self,
        part: &Part,
        split: usize,
        planned: Planned,
        parallel: bool,
    ) -> Result<Vec<Step>> {
        self.traced_by(self.observer, part, (split, planned, parallel))
    }

    /// The same, watched by someone else.
    fn traced_by(
        &self,
        observer: &dyn Observer,
        part: &Part,
        (split, planned, parallel): (usize, Planned, bool),
    ) -> Result<Vec<Step>> {
        let ridges = self.settings.ridges.len();
        let start = match (self.init, planned.from) {
            (Some(network), _) => Start::Given(network),
            (None, Some(other)) => {
                let other = self.traced[split * ridges + other].as_ref();
                let dense = other.and_then(|traced| traced.dense.as_ref());
                Start::Shared(dense.expect("a neighbour of the first round keeps its network"))
            }
            (None, None) => Start::Random,
        };
        let attempts = match start {
            Start::Random => self.settings.starts.count,
            Start::Given(_) | Start::Shared(_) => 1,
        };
        let paths = (0..attempts).map(|attempt| {
            let number = (split, planned.ridge, attempt);
            let steps = part.trace(self.settings, number, (start, parallel), observer);
            match steps.len() < self.settings.lambdas.len() {
                true => Err(Error::Cancelled),
                false => Ok(steps),
            }
        });
        let paths: Vec<Vec<Step>> = paths.collect::<Result<_>>()?;
        Ok(best_steps(paths, |step| {
            self.merit(part, planned.ridge, step)
        }))
    }

    /// What decides between starts: the lower stays.
    fn merit(&self, part: &Part, ridge: usize, step: &Step) -> f64 {
        let settings = self.settings;
        match settings.starts.by {
            _ if step.solved.status == Status::Diverged => f64::NAN,
            Merit::Validation if !part.split.held_out.is_empty() => {
                let networks = std::slice::from_ref(&step.network);
                part.score(self.data, networks).0
            }
            Merit::Validation | Merit::Objective => {
                let problem = part.problem(settings, settings.ridges[ridge], false);
                problem.objective(&step.network, step.lambda, step.solved.loss)
            }
        }
    }
}

/// At every λ the step with the lowest merit, the earlier path's among equals; with the
/// epochs of all.
fn best_steps(paths: Vec<Vec<Step>>, merit: impl Fn(&Step) -> f64) -> Vec<Step> {
    let mut paths = paths.into_iter();
    let mut best = paths.next().expect("there is a start");
    for path in paths {
        for (best, mut step) in best.iter_mut().zip(path) {
            let epochs = best.solved.epochs + step.solved.epochs;
            let (old, new) = (merit(best), merit(&step));
            if new < old || old.is_nan() {
                std::mem::swap(best, &mut step);
            }
            best.solved.epochs = epochs;
        }
    }
    best
}

/// Keeps the path if it is the most promising so far, and the earlier of equals.
fn lead(leader: &Mutex<Option<Leader>>, ridge: usize, points: &[Point], steps: Vec<Step>) {
    let losses = points.iter().map(|point| point.validation.0);
    let loss = losses.fold(f64::INFINITY, f64::min);
    let mut leader = leader.lock().expect("no job panics");
    if (leader.as_ref()).is_none_or(|l| (loss, ridge) < (l.loss, l.ridge)) {
        *leader = Some(Leader { loss, ridge, steps });
    }
}

/// Lets a path be cancelled, and tells nobody of its steps: they were counted once.
struct Unseen<'a>(&'a dyn Observer);

impl Observer for Unseen<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

fn is_drawn(settings: &Settings) -> bool {
    matches!(settings.validation, Validation::Draws { .. })
}

/// The network with the lowest held-out loss, of equals the sparser.
fn best(points: &[Point], steps: &[Step]) -> Option<Best> {
    let losses = points.iter().map(|point| point.validation.0).enumerate();
    let finite = losses.filter(|(_, loss)| loss.is_finite());
    let (lambda, loss) = finite.rev().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Best {
        loss,
        lambda,
        network: steps[lambda].network.clone(),
    })
}

/// All rows to learn from, none held out.
pub fn everything(rows: usize) -> Split {
    Split {
        train: (0..rows).collect(),
        held_out: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::dataset::Task;
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Size};
    use crate::solver::Unobserved;
    use std::sync::Weak;

    #[test]
    fn jobs_come_split_by_split_and_the_last_of_a_split_frees_its_part() {
        let columns = vec![(0..12).map(f64::from).collect()];
        let outcome = Outcome::Continuous((0..12).map(f64::from).collect());
        let data = Dataset::new(vec!["x".into()], columns, outcome).unwrap();
        let settings = Settings::new(
            Protocol::Default,
            Penalty::MCP,
            Validation::folds(3),
            Size::new(12, 1, Task::Regression),
        );
        let splits = crate::split::folds(data.outcome(), 3, (0, 0)).unwrap();
        let search = Search::new(&data, &settings, &Unobserved, (&splits, None));
        let planned = [4, 7].map(|ridge| Planned { ridge, from: None });
        let plan = vec![planned.to_vec(); 3];
        let mut jobs = search.jobs(&plan);
        let mut made: Vec<Weak<OnceLock<Part>>> = vec![];
        for split in 0..3 {
            let [a, b] = [jobs.next().unwrap(), jobs.next().unwrap()];
            assert_eq!([a.split, b.split], [split; 2]);
            assert_eq!([a.planned, b.planned], planned);
            assert!(Arc::ptr_eq(&a.part, &b.part));
            assert!(a.part.get().is_none(), "made before it is needed");
            a.part.get_or_init(|| search.part(split));
            assert!(b.part.get().is_some());
            assert!(made.iter().all(|part| part.upgrade().is_none()));
            made.push(Arc::downgrade(&b.part));
        }
        assert!(jobs.next().is_none());
        assert!(made[2].upgrade().is_none());
    }
}
