//! The paths of a fit as jobs, handed out in order to whichever thread is free.
//!
//! A split's standardised matrix is made by its first job and freed after its
//! last. Since the jobs of one split follow each other, there are never more
//! matrices than threads. What a path leaves is numbers: its networks go once
//! they are scored, except those a model may still be made of.

use super::held_out::HeldOut;
use super::part::{Part, Point, Start};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Settings, Validation};
use crate::solver::Observer;
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
    ridge: usize,
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
    pub fn run(&mut self, plan: &[Vec<usize>]) -> Result<()> {
        // Paths side by side use threads best; where there are too few of them,
        // each may use several.
        let paths: usize = plan.iter().map(Vec::len).sum();
        let parallel = paths < rayon::current_num_threads();
        let found: Vec<(usize, Traced)> = self
            .jobs(plan)
            .par_bridge()
            .map(|job| {
                let number = job.split * self.settings.ridges.len() + job.ridge;
                Ok((number, self.trace_job(&job, parallel)?))
            })
            .collect::<Result<_>>()?;
        for (number, traced) in found {
            self.traced[number] = Some(traced);
        }
        Ok(())
    }

    /// The jobs, split by split.
    fn jobs<'j>(&self, plan: &'j [Vec<usize>]) -> impl Iterator<Item = Job> + Send + use<'j> {
        plan.iter().enumerate().flat_map(|(split, ridges)| {
            let part = Arc::new(OnceLock::new());
            ridges.iter().map(move |&ridge| Job {
                split,
                ridge,
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
        let steps = self.trace(part, (job.split, job.ridge), parallel)?;
        let points: Vec<Point> = (steps.iter())
            .map(|step| part.point(self.data, step))
            .collect();
        let traced = Traced {
            weight: part.weight(),
            null_loss: part.null_loss(self.data),
            best: (self.draws()).then(|| best(&points, &steps)).flatten(),
            points,
        };
        lead(&self.leaders[job.split], job.ridge, &traced.points, steps);
        Ok(traced)
    }

    /// What the networks at a λ of a ridge say of the rows that they did not see: every
    /// fold's of its own. A fold that was led by another ridge traces this one again.
    pub fn foretold(&self, ridge: usize, lambda: usize) -> Result<Option<HeldOut>> {
        if self.settings.validation == Validation::None {
            return Ok(None);
        }
        let folds = (0..self.splits.len()).into_par_iter().map(|split| {
            let part = self.part(split);
            let network = match self.led(split, ridge, lambda) {
                Some(network) => network,
                None => {
                    let unseen = Unseen(self.observer);
                    let mut steps = self.traced_by(&unseen, &part, (split, ridge), false)?;
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

    /// The most promising path of a split.
    pub fn take_leader(&mut self, split: usize) -> Option<Leader> {
        self.leaders[split].get_mut().expect("no job panics").take()
    }

    /// The part and the path that the model is taken from, once the search is
    /// over: the refit to all rows, or the first split.
    pub fn finish(mut self, ridge: usize) -> Result<(Part, Vec<Step>)> {
        if self.refits() {
            let part = Part::new(self.data, everything(self.data.n()), self.settings, false);
            let number = self.splits.len();
            let steps = self.trace(&part, (number, ridge), true)?;
            return Ok((part, steps));
        }
        let leader = self.take_leader(0);
        let part = self.part(0);
        let steps = match leader {
            Some(leader) if leader.ridge == ridge => leader.steps,
            // Another split decided against the leader of this one.
            _ => self.trace(&part, (0, ridge), true)?,
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

    /// The path of a ridge on the part of a split, complete; both are given by number.
    fn trace(&self, part: &Part, number: (usize, usize), parallel: bool) -> Result<Vec<Step>> {
        self.traced_by(self.observer, part, number, parallel)
    }

    /// The same, watched by someone else.
    fn traced_by(
        &self,
        observer: &dyn Observer,
        part: &Part,
        number: (usize, usize),
        parallel: bool,
    ) -> Result<Vec<Step>> {
        let start = self.init.map_or(Start::Random, Start::Given);
        let steps = part.trace(self.settings, number, (start, parallel), observer);
        match steps.len() < self.settings.lambdas.len() {
            true => Err(Error::Cancelled),
            false => Ok(steps),
        }
    }
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
        let splits = crate::split::folds(data.outcome(), 3, 0).unwrap();
        let search = Search::new(&data, &settings, &Unobserved, (&splits, None));
        let ridges = [4, 7];
        let plan = vec![ridges.to_vec(); 3];
        let mut jobs = search.jobs(&plan);
        let mut made: Vec<Weak<OnceLock<Part>>> = vec![];
        for split in 0..3 {
            let [a, b] = [jobs.next().unwrap(), jobs.next().unwrap()];
            assert_eq!([a.split, b.split], [split; 2]);
            assert_eq!([a.ridge, b.ridge], ridges);
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
