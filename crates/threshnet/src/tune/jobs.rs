//! The paths of a fit as jobs, handed out in order to whichever thread is free.
//!
//! A split's standardised matrix is made by its first job and freed after its
//! last. Since the jobs of one split follow each other, there are never more
//! matrices than threads. What a path leaves is numbers: its networks go once
//! they are scored, except those a model may still be made of.

use super::check::{check, initial_network};
use super::choose::GridPoint;
use super::kept::{Found, packed_steps, unpacked_steps};
use super::score::{Fold, Point};
use super::training::{JobKey, Tracing, Training};
use super::{Context, chain_of_draw};
use crate::dataset::Response;
use crate::error::{Error, Result};
use crate::keeper::{JobId, Keeper};
use crate::network::Mlp;
use crate::path::Step;
use crate::settings::{Settings, Validation};
use crate::solver::Observer;
use crate::split::{self, HoldOut, Split};
use crate::threads::within_paths;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// What all paths of a fit have in common, and what they have found so far.
pub struct Paths<'a> {
    pub context: Context<'a>,
    splits: Arc<[Split]>,
    /// The network that every path starts from, if the user gave one.
    init: Option<Mlp>,
    /// The columns that each split may use, if not all that the settings let it.
    columns: Option<Vec<Vec<usize>>>,
    /// By split and then ridge.
    traced: Vec<Option<Traced>>,
    /// The path of every split with the lowest held-out loss, most likely the chosen one: the
    /// model may be made of it, or tell what it predicts of the rows held out.
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
    pub best: Option<BestNetwork>,
    /// All of it where draws of linear models choose together: these are small.
    pub steps: Vec<Step>,
}

/// The network of a path with the lowest held-out loss.
pub struct BestNetwork {
    /// That loss.
    pub loss: f64,
    /// Its ridge and λ.
    pub at: GridPoint,
    pub network: Mlp,
}

/// A path kept whole.
pub struct Leader {
    /// The lowest held-out loss on it.
    pub loss: f64,
    /// Its ridge's number.
    pub ridge: usize,
    /// One per λ.
    pub steps: Vec<Step>,
}

/// One path to trace. The fold is shared by the jobs of its split, made by the
/// first of them and freed with the last.
struct Job<'a> {
    key: JobKey,
    fold: Arc<OnceLock<Fold<'a>>>,
}

impl<'a> Paths<'a> {
    /// None traced as yet.
    pub fn new(context: Context<'a>) -> Result<Self> {
        check(context)?;
        let splits = splits(context.data.response(), context.settings)?;
        let init = initial_network(context)?;
        Ok(Paths::on(context, splits.into(), init))
    }

    /// The paths of these splits once more, from random starts, with columns of its own for
    /// every split.
    pub fn restricted_to(&self, columns: Vec<Vec<usize>>) -> Paths<'a> {
        Paths {
            columns: Some(columns),
            ..Paths::on(self.context, Arc::clone(&self.splits), None)
        }
    }

    fn on(context: Context<'a>, splits: Arc<[Split]>, init: Option<Mlp>) -> Self {
        let count = splits.len() * context.settings.ridges.len();
        Paths {
            context,
            init,
            columns: None,
            traced: std::iter::repeat_with(|| None).take(count).collect(),
            leaders: std::iter::repeat_with(|| Mutex::new(None))
                .take(splits.len())
                .collect(),
            splits,
        }
    }

    /// Lets a split use these columns alone.
    pub fn restrict(&mut self, split: usize, columns: Vec<usize>) {
        if let Some(of_splits) = &mut self.columns {
            of_splits[split] = columns;
        }
    }

    /// How many splits there are.
    pub fn splits(&self) -> usize {
        self.splits.len()
    }

    /// The rows that a split learns from.
    pub fn training_rows(&self, split: usize) -> &[usize] {
        &self.splits[split].train
    }

    /// A split with its rows ready.
    pub fn fold(&self, split: usize) -> Fold<'a> {
        let Context { data, settings, .. } = self.context;
        let crossed = !matches!(settings.validation, Validation::Holdout { .. });
        let (training, held_out) = (self.training(split), &self.splits[split].held_out);
        Fold::new(data, training, held_out, crossed)
    }

    /// The rows alone that a split learns from, ready.
    pub fn training(&self, split: usize) -> Training {
        let Context { data, settings, .. } = self.context;
        let rows = self.training_rows(split);
        let drawn = matches!(settings.validation, Validation::Draws { .. });
        let chain = chain_of_draw(data, split).filter(|_| drawn);
        let chains = chain.as_slice();
        match &self.columns {
            None => Training::new(data, rows, settings, chains),
            Some(columns) => {
                Training::of_columns(data, rows, settings, columns[split].clone(), chains)
            }
        }
    }

    /// Traces the ridges that are planned for each split.
    pub fn run(&mut self, plan: &[Vec<usize>]) -> Result<()> {
        let parallel = within_paths(plan.iter().map(Vec::len).sum());
        let decisive = self.decisive();
        let found: Vec<(usize, Traced)> = self
            .jobs(plan)
            .par_bridge()
            .map(|job| {
                let number = job.key.split * self.context.settings.ridges.len() + job.key.ridge;
                Ok((number, self.run_job(&job, decisive, parallel)?))
            })
            .collect::<Result<_>>()?;
        for (number, traced) in found {
            self.traced[number] = Some(traced);
        }
        Ok(())
    }

    /// The jobs, split by split.
    fn jobs<'j>(
        &self,
        plan: &'j [Vec<usize>],
    ) -> impl Iterator<Item = Job<'a>> + Send + use<'j, 'a> {
        plan.iter().enumerate().flat_map(|(split, ridges)| {
            let fold = Arc::new(OnceLock::new());
            ridges.iter().map(move |&ridge| Job {
                key: JobKey { split, ridge },
                fold: Arc::clone(&fold),
            })
        })
    }

    /// What decides on all of these paths: the settings, and where they start.
    fn decisive(&self) -> JobId {
        JobId::of((format!("{:?}", self.context.settings), self.init.is_some()))
    }

    /// What decides on this path.
    fn id(&self, decisive: JobId, JobKey { split, ridge }: JobKey) -> JobId {
        let Split { train, held_out } = &self.splits[split];
        let columns = self.columns.as_ref().map(|columns| &columns[split]);
        JobId::of(("path", decisive, train, held_out, columns, split, ridge))
    }

    fn run_job(&self, job: &Job<'a>, decisive: JobId, parallel: bool) -> Result<Traced> {
        let Context {
            data,
            settings,
            observer,
            ..
        } = self.context;
        if observer.cancelled() {
            return Err(Error::Cancelled);
        }
        let keeper = observer.keeper();
        let id = keeper.map_or(decisive, |_| self.id(decisive, job.key));
        let lambdas = settings.lambdas.len();
        let known = (keeper.and_then(|keeper| keeper.kept(id)))
            .and_then(|bytes| Found::unpacked(&bytes, lambdas, &data.features().groups()));
        let found = match known {
            Some(found) => {
                observer.known(lambdas);
                found
            }
            None => {
                let found = self.find(job, parallel)?;
                if let Some(keeper) = keeper {
                    keeper.keep(id, &found.packed())?;
                }
                found
            }
        };
        if let Some(leader) = found.leader {
            leader.replaces(&self.leaders[job.key.split]);
        }
        Ok(found.traced)
    }

    /// Traces a path. All of it is left where it is the best of its split so far.
    fn find(&self, job: &Job<'a>, parallel: bool) -> Result<Found> {
        let JobKey { split, ridge } = job.key;
        // Other jobs of this split wait here: `Fold::new` must not wait for
        // the thread pool, or it could wait for itself.
        let fold = job.fold.get_or_init(|| self.fold(split));
        let tracing = self.tracing(job.key, parallel);
        let steps = trace(self.context, &fold.training, tracing)?;
        let points: Vec<Point> = steps.iter().map(|step| fold.point(step)).collect();
        let settings = self.context.settings;
        let drawn = matches!(settings.validation, Validation::Draws { .. });
        let together = settings.draws_choose_together();
        let best = (drawn && !together).then(|| best_network(&points, &steps, ridge));
        let mut traced = Traced {
            weight: fold.weight(),
            null_loss: fold.null_loss(),
            best: best.flatten(),
            points,
            steps: vec![],
        };
        let leader = match together {
            true => {
                traced.steps = steps;
                None
            }
            false => Some(Leader {
                loss: lowest(&traced.points),
                ridge,
                steps,
            }),
        };
        Ok(Found {
            leader: leader.filter(|leader| leader.leads(&self.leaders[split])),
            traced,
        })
    }

    /// How a path of these is traced.
    pub fn tracing(&self, key: JobKey, parallel: bool) -> Tracing<'_> {
        Tracing {
            key,
            init: self.init.as_ref(),
            parallel,
        }
    }

    /// What was traced of a ridge on these splits.
    pub fn traced(&self, ridge: usize, splits: Range<usize>) -> Vec<&Traced> {
        let ridges = self.context.settings.ridges.len();
        splits
            .filter_map(|split| self.traced[split * ridges + ridge].as_ref())
            .collect()
    }

    /// What was traced of a split, by ridge.
    fn traced_on(&self, split: usize) -> impl Iterator<Item = &Traced> {
        let ridges = self.context.settings.ridges.len();
        self.traced[split * ridges..][..ridges].iter().flatten()
    }

    /// The held-out loss of the null model on a split.
    pub fn null_loss(&self, split: usize) -> f64 {
        let known = self.traced_on(split).next();
        known.map_or(f64::NAN, |traced| traced.null_loss)
    }

    /// The best network of every ridge of a draw, the very best first.
    pub fn best_networks(&self, draw: usize) -> Vec<&BestNetwork> {
        let mut best: Vec<&BestNetwork> = (self.traced_on(draw))
            .filter_map(|traced| traced.best.as_ref())
            .collect();
        best.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        best
    }

    /// The network at a point of the grid, if it is on the best path of a split.
    pub fn leader_network(&self, split: usize, at: GridPoint) -> Option<Mlp> {
        let leader = self.leaders[split].lock().expect("no job panics");
        let of_ridge = leader.as_ref().filter(|leader| leader.ridge == at.ridge)?;
        Some(of_ridge.steps[at.lambda].network.clone())
    }

    /// The lowest held-out loss on a split, if any network of it has one.
    pub fn least_loss(&self, split: usize) -> f64 {
        let points = self.traced_on(split).flat_map(|traced| &traced.points);
        let losses = points.map(|point| point.validation.mean);
        losses.fold(f64::INFINITY, f64::min)
    }

    /// The path of a ridge on a split, where whole paths are kept.
    pub fn take_path(&mut self, split: usize, ridge: usize) -> Leader {
        let traced = self.traced[split * self.context.settings.ridges.len() + ridge].as_mut();
        let traced = traced.expect("the ridge was traced on every split");
        Leader {
            loss: lowest(&traced.points),
            ridge,
            steps: std::mem::take(&mut traced.steps),
        }
    }

    /// The best path of a split.
    pub fn take_leader(&mut self, split: usize) -> Option<Leader> {
        self.leaders[split].get_mut().expect("no job panics").take()
    }
}

/// A path on these rows, complete.
pub fn trace(context: Context, training: &Training, how: Tracing) -> Result<Vec<Step>> {
    let Context {
        settings, observer, ..
    } = context;
    let steps = training.trace(settings, how, observer);
    match steps.len() < settings.lambdas.len() {
        true => Err(Error::Cancelled),
        false => Ok(steps),
    }
}

/// The same path, from where it is kept if it was traced before.
pub fn trace_once(context: Context, training: &Training, how: Tracing) -> Result<Vec<Step>> {
    let Context {
        data,
        settings,
        observer,
        ..
    } = context;
    let Some(keeper) = observer.keeper() else {
        return trace(context, training, how);
    };
    let JobKey { split, ridge } = how.key;
    let (rows, columns) = (&training.rows, &training.usable);
    let settled = (format!("{settings:?}"), how.init.is_some());
    let id = JobId::of(("steps", settled, rows, columns, split, ridge));
    let lambdas = settings.lambdas.len();
    let known = (keeper.kept(id))
        .and_then(|bytes| unpacked_steps(&bytes, lambdas, &data.features().groups()));
    if let Some(steps) = known {
        observer.known(lambdas);
        return Ok(steps);
    }
    let steps = trace(context, training, how)?;
    keeper.keep(id, &packed_steps(&steps))?;
    Ok(steps)
}

/// The rows to learn from and to score on, as the validation says; folds that are given are the
/// ones to cross.
pub fn splits(response: &Response, settings: &Settings) -> Result<Vec<Split>> {
    let seed = settings.seed;
    if let (Some(folds), true) = (&response.folds, settings.validation != Validation::None) {
        let splits = split::given(response, folds)?;
        let count = splits.len();
        return match settings.validation == Validation::folds(count) {
            true => Ok(splits),
            false => Err(Error::setting(
                "validation",
                format!("{count} folds are given: cross them by cv:{count}, or leave them out"),
            )),
        };
    }
    match settings.validation {
        Validation::Holdout { share, stratified } => {
            let how = HoldOut { share, stratified };
            Ok(vec![split::holdout(response, how, seed, 0)?])
        }
        Validation::Draws { count, share } => split::draws(response, count, share, seed),
        Validation::Folds { count } => split::folds(response, count, seed),
        Validation::None => Ok(vec![Split::all(response.len())]),
    }
}

/// The lowest held-out loss on a path.
fn lowest(points: &[Point]) -> f64 {
    let losses = points.iter().map(|point| point.validation.mean);
    losses.fold(f64::INFINITY, f64::min)
}

impl Leader {
    /// Whether it is the best so far, or the earlier of equals.
    fn leads(&self, so_far: &Mutex<Option<Leader>>) -> bool {
        let so_far = so_far.lock().expect("no job panics");
        (so_far.as_ref()).is_none_or(|other| self.is_before(other))
    }

    fn is_before(&self, other: &Leader) -> bool {
        (self.loss, self.ridge) < (other.loss, other.ridge)
    }

    /// Takes the place of a worse one.
    fn replaces(self, so_far: &Mutex<Option<Leader>>) {
        let mut so_far = so_far.lock().expect("no job panics");
        if (so_far.as_ref()).is_none_or(|other| self.is_before(other)) {
            *so_far = Some(self);
        }
    }
}

/// The network with the lowest held-out loss, of equals the sparser.
fn best_network(points: &[Point], steps: &[Step], ridge: usize) -> Option<BestNetwork> {
    let losses = points.iter().map(|point| point.validation.mean).enumerate();
    let finite = losses.filter(|(_, loss)| loss.is_finite());
    let (lambda, loss) = finite.rev().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(BestNetwork {
        loss,
        at: GridPoint { ridge, lambda },
        network: steps[lambda].network.clone(),
    })
}

/// Lets a path be cancelled, and tells nobody of its steps: they were counted once.
pub struct Unreported<'a>(pub &'a dyn Observer);

impl Observer for Unreported<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        self.0.keeper()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, Outcome, Task};
    use crate::penalty::Penalty;
    use crate::settings::{Protocol, Size};
    use crate::solver::Unobserved;
    use std::sync::Weak;

    #[test]
    fn jobs_come_split_by_split_and_the_last_of_a_split_frees_its_rows() {
        let columns = vec![(0..12).map(f64::from).collect()];
        let outcome = Outcome::Continuous((0..12).map(f64::from).collect());
        let data = Dataset::new(vec!["x".into()], columns, outcome).unwrap();
        let settings = Settings::new(
            Protocol::Default,
            Penalty::MCP,
            Validation::folds(3),
            Size::new(12, 1, Task::Regression),
        );
        let associated = OnceLock::new();
        let paths = Paths::new(Context {
            data: &data,
            settings: &settings,
            observer: &Unobserved,
            associated: &associated,
        })
        .unwrap();
        let ridges = [4, 7];
        let plan = vec![ridges.to_vec(); 3];
        let mut jobs = paths.jobs(&plan);
        let mut made: Vec<Weak<OnceLock<Fold>>> = vec![];
        for split in 0..3 {
            let [a, b] = [jobs.next().unwrap(), jobs.next().unwrap()];
            assert_eq!([a.key.split, b.key.split], [split; 2]);
            assert_eq!([a.key.ridge, b.key.ridge], ridges);
            assert!(Arc::ptr_eq(&a.fold, &b.fold));
            assert!(a.fold.get().is_none(), "made before it is needed");
            a.fold.get_or_init(|| paths.fold(split));
            assert!(b.fold.get().is_some());
            assert!(made.iter().all(|fold| fold.upgrade().is_none()));
            made.push(Arc::downgrade(&b.fold));
        }
        assert!(jobs.next().is_none());
        assert!(made[2].upgrade().is_none());
    }
}
