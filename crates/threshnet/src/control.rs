//! Selection with error control as a plan of independent runs: so that every front end
//! makes the same runs, wherever and in whatever order it makes them.
//!
//! [`Plan::new`] says how many runs there are, [`Plan::run`] makes one of them and
//! [`Plan::combined`] puts them together. What a run finds are numbers, which can be kept
//! or sent: with [`Control::Stability`] the columns that a half-sample selects, strongest
//! first; with [`Control::Fdr`] the λ at which each column and each knockoff leaves the
//! path. The model is then fitted with [`Request::on_selected`].

use crate::dataset::{Dataset, KEPT};
use crate::error::{Error, Result};
use crate::knockoffs::{Certified, RUNS, augmented, exits};
use crate::settings::{Protocol, Request, Settings, Size, Validation, setting};
use crate::solver::Observer;
use crate::stability::{self, Stability, on_half};
use crate::tune::{Constants, check_chains};
use std::borrow::Cow;

/// How many columns no better than chance are allowed, unless it is told otherwise.
pub const MAX_FALSE: f64 = 1.0;

/// What is bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// How many selected columns are false, by [`stability`].
    Stability {
        /// Of half-samples; at least [`FEWEST_PAIRS`](stability::FEWEST_PAIRS).
        pairs: usize,
        /// On average; above 0, usually [`MAX_FALSE`].
        max_false: f64,
    },
    /// What share of them is, by [`knockoffs`](crate::knockoffs).
    Fdr {
        /// On average; between 0 and 1.
        rate: f64,
    },
}

impl Control {
    /// Refuses anything outside its range, before any work.
    pub fn validate(self) -> Result<()> {
        match self {
            Control::Stability { pairs, max_false } => stability::check_bound(pairs, max_false),
            Control::Fdr { rate } => setting("fdr").check(&rate),
        }
    }
}

/// Independent runs that decide which columns are selected.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    control: Control,
    data: Cow<'a, Dataset<'a>>,
    settings: Settings,
    runs: usize,
}

impl<'a> Plan<'a> {
    /// The plan for these data. Refuses what could fail in some run already, and makes the
    /// knockoffs if they are needed.
    pub fn new(control: Control, data: &'a Dataset<'a>, request: &Request) -> Result<Self> {
        control.validate()?;
        match control {
            Control::Stability { pairs, .. } => {
                let plan = Plan::from_prepared(control, data, request)?;
                check_chains(data, plan.settings.validation)?;
                stability::check(data, &plan.settings, pairs)?;
                Ok(plan)
            }
            Control::Fdr { .. } => {
                let size = Size::of(data);
                let doubled = Size {
                    d: 2 * size.d,
                    ..size
                };
                let (settings, runs) = of_knockoffs(request, doubled)?;
                let augmented = augmented(data, settings.seed)?;
                Ok(Plan {
                    control,
                    settings: request.with_data_grids(settings, &augmented)?,
                    data: Cow::Owned(augmented),
                    runs,
                })
            }
        }
    }

    /// The same plan from its [`data`](Plan::data): for a worker elsewhere, which need not
    /// check them or make knockoffs once more.
    pub fn from_prepared(
        control: Control,
        data: &'a Dataset<'a>,
        request: &Request,
    ) -> Result<Self> {
        let size = Size::of(data);
        let (settings, runs) = match control {
            Control::Stability { pairs, .. } => {
                let half = Size {
                    n: size.n / 2,
                    ..size
                };
                (request.one_split(half)?, 2 * pairs)
            }
            Control::Fdr { .. } => of_knockoffs(request, size)?,
        };
        let settings = request.with_data_grids(settings, data)?;
        Ok(Plan {
            control,
            data: Cow::Borrowed(data),
            settings,
            runs,
        })
    }

    /// What is bounded.
    pub fn control(&self) -> Control {
        self.control
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// What is fitted: the data, for a false-discovery rate with their knockoffs.
    pub fn data(&self) -> &Dataset<'_> {
        &self.data
    }

    /// Those of every run, but for its seed.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the run with this number finds; the first is 0.
    pub fn run(&self, number: usize, observer: &dyn Observer) -> Result<Vec<f64>> {
        match self.control {
            Control::Stability { .. } => {
                let ranked = on_half(&self.data, &self.settings, number, observer)?;
                Ok(ranked.into_iter().map(|j| j as f64).collect())
            }
            Control::Fdr { .. } => exits(&self.data, &self.settings, number, observer),
        }
    }

    /// Whether a run can have found these numbers, which may come from a file.
    pub fn is_valid(&self, found: &[f64]) -> bool {
        match self.control {
            Control::Stability { .. } => {
                let (features, terms) = (self.data.features(), self.data.features().terms());
                let range = 0.0..features.count() as f64;
                let known = |j: &f64| j.fract() == 0.0 && range.contains(j);
                (found.iter()).all(|j| known(j) && terms.factor(*j as usize) != KEPT)
            }
            Control::Fdr { .. } => found.len() == self.data.d(),
        }
    }

    /// What all runs, in their order, say together.
    pub fn combined(&self, found: &[Vec<f64>]) -> Result<Controlled> {
        if found.len() != self.runs || !found.iter().all(|run| self.is_valid(run)) {
            let problem = "these are not what the runs of this plan found";
            return Err(Error::Data(problem.into()));
        }
        match self.control {
            Control::Stability { pairs, max_false } => {
                let found = self.stable(found, max_false)?;
                Ok(Controlled::Stable { found, pairs })
            }
            Control::Fdr { rate } => Ok(Controlled::Certified {
                found: Certified {
                    kept: self.data.features().terms().kept().into_iter().collect(),
                    ..Certified::new(found, rate)?
                },
                rate,
                runs: self.runs,
            }),
        }
    }

    /// What half-samples say of the features that may come and go; the others have a share of 1
    /// or 0 anyhow.
    fn stable(&self, found: &[Vec<f64>], max_false: f64) -> Result<Stability> {
        let features = self.data.features();
        let terms = features.terms();
        let candidates: Vec<usize> = (0..features.count())
            .filter(|&j| terms.factor(j) != KEPT && terms.factor(j).is_finite())
            .collect();
        let place = |j: &f64| candidates.partition_point(|&candidate| candidate < *j as usize);
        let ranked: Vec<Vec<usize>> = (found.iter())
            .map(|half| half.iter().map(place).collect())
            .collect();
        let of_candidates = Stability::new(&ranked, candidates.len(), max_false)?;
        let mut frequencies = vec![0.0; features.count()];
        for (&j, &share) in candidates.iter().zip(&of_candidates.frequencies) {
            frequencies[j] = share;
        }
        terms.kept().into_iter().for_each(|j| frequencies[j] = 1.0);
        Ok(Stability {
            frequencies,
            ..of_candidates
        })
    }
}

/// The settings of a run on data with knockoffs, and how many runs there are: what would
/// be draws of one fit are runs with a hold-out each.
fn of_knockoffs(request: &Request, size: Size) -> Result<(Settings, usize)> {
    request.check_knockoffs()?;
    let mut settings = request.one_split(size)?;
    if request.protocol == Protocol::Default && request.ridges.is_none() {
        settings.ridges = few(&settings.ridges);
    }
    Ok(match settings.validation {
        Validation::Draws { count, share } => {
            let stratified = true;
            let single = Settings {
                validation: Validation::Holdout { share, stratified },
                frequency: None,
                ..settings
            };
            (single, count)
        }
        _ => (settings, RUNS),
    })
}

/// The first ridge, the last and those evenly between them, as many as a run with knockoffs
/// has: more of them cost in proportion and add little to what ten runs find together.
fn few(ridges: &[f64]) -> Vec<f64> {
    let (count, last) = (Constants::DEFAULT.knockoff_ridges, ridges.len() - 1);
    if ridges.len() <= count {
        return ridges.to_vec();
    }
    (0..count)
        .map(|i| ridges[(i * ridges.len() / (count - 1)).min(last)])
        .collect()
}

/// A selection with a bound on what is false in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Controlled {
    /// How many.
    Stable {
        /// What the half-samples say.
        found: Stability,
        /// Of half-samples.
        pairs: usize,
    },
    /// What share.
    Certified {
        /// What the runs certify.
        found: Certified,
        /// Asked for.
        rate: f64,
        /// How many there were.
        runs: usize,
    },
}

impl Controlled {
    /// The selected columns, ascending.
    pub fn selected(&self) -> Vec<usize> {
        match self {
            Controlled::Stable { found, .. } => found.selected(),
            Controlled::Certified { found, .. } => found.selected(),
        }
    }

    /// The share of half-samples that selected each column.
    pub fn frequencies(&self) -> Option<Vec<f64>> {
        match self {
            Controlled::Stable { found, .. } => Some(found.frequencies.clone()),
            Controlled::Certified { .. } => None,
        }
    }

    /// By how much each column beats its knockoff.
    pub fn statistics(&self) -> Option<Vec<f64>> {
        match self {
            Controlled::Stable { .. } => None,
            Controlled::Certified { found, .. } => Some(found.statistics.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ValidationName;
    use crate::simulate::{Scenario, Simulation};
    use crate::solver::Unobserved;

    const FDR: Control = Control::Fdr { rate: 0.3 };

    fn stability(pairs: usize, max_false: f64) -> Control {
        Control::Stability { pairs, max_false }
    }

    fn data() -> Dataset<'static> {
        Simulation::new(Scenario::Regression, 60, 5).draw().unwrap()
    }

    /// A path of a moment.
    fn request() -> Request {
        Request {
            lambdas: Some(vec![0.05, 0.3]),
            ridges: Some(vec![0.01]),
            epochs: Some(20),
            first_epochs: Some(50),
            seed: 5,
            ..Request::default()
        }
    }

    #[test]
    fn halves_are_two_per_pair_and_combined_as_ever() {
        let (data, request) = (data(), request());
        let plan = Plan::new(stability(3, 1.0), &data, &request).unwrap();
        assert_eq!((plan.runs(), plan.data().d()), (6, 5));
        let found: Vec<Vec<f64>> = (0..6)
            .map(|number| plan.run(number, &Unobserved).unwrap())
            .collect();
        assert!(found.iter().all(|half| plan.is_valid(half)));
        let ranked: Vec<Vec<usize>> = (0..6)
            .map(|number| on_half(&data, plan.settings(), number, &Unobserved).unwrap())
            .collect();
        let expected = Stability::new(&ranked, 5, 1.0).unwrap();
        let combined = plan.combined(&found).unwrap();
        assert_eq!(combined.selected(), expected.selected());
        assert_eq!(combined.frequencies(), Some(expected.frequencies));
        assert_eq!(combined.statistics(), None);
        for wrong in [&[5.0][..], &[-1.0], &[0.5], &[f64::NAN]] {
            assert!(!plan.is_valid(wrong), "{wrong:?}");
        }
        assert!(plan.combined(&found[1..]).is_err());
    }

    #[test]
    fn runs_with_knockoffs_take_three_ridges_unless_others_are_asked_for() {
        let data = data();
        let ridges = |request: &Request| {
            let plan = Plan::new(FDR, &data, request).unwrap();
            plan.settings().ridges.clone()
        };
        let all = Request::default().settings(Size::of(&data)).unwrap().ridges;
        assert_eq!(ridges(&Request::default()), [all[0], all[4], all[8]]);
        let paper = Request {
            protocol: Protocol::Paper,
            ..Request::default()
        };
        assert_eq!(ridges(&paper).len(), 10);
        assert_eq!(ridges(&request()), [0.01]);
        let halves = Plan::new(stability(3, 1.0), &data, &Request::default()).unwrap();
        assert_eq!(halves.settings().ridges.len(), 9);
    }

    #[test]
    fn knockoffs_are_made_once_and_runs_are_as_many_as_draws() {
        let (data, request) = (data(), request());
        let plan = Plan::new(FDR, &data, &request).unwrap();
        assert_eq!((plan.runs(), plan.data().d()), (RUNS, 10));
        let worker = Plan::from_prepared(FDR, plan.data(), &request).unwrap();
        assert_eq!(worker.runs(), plan.runs());
        let settings = |plan: &Plan| format!("{:?}", plan.settings());
        assert_eq!(settings(&worker), settings(&plan));
        let found = plan.run(3, &Unobserved).unwrap();
        assert_eq!(worker.run(3, &Unobserved).unwrap(), found);
        assert!(plan.is_valid(&found) && !plan.is_valid(&found[1..]));

        let draws = Request {
            validation: Some(ValidationName::Draws(4)),
            frequency: Some(0.5),
            ..request
        };
        let plan = Plan::new(FDR, &data, &draws).unwrap();
        assert_eq!(plan.runs(), 4);
        assert_eq!(plan.settings().validation.splits(), 1);
        assert_eq!(plan.settings().frequency, None);
        let combined = plan.combined(&vec![found; 4]).unwrap();
        assert_eq!(combined.statistics().unwrap().len(), 5);
        assert_eq!(combined.frequencies(), None);
    }

    #[test]
    fn what_cannot_be_promised_is_refused_before_any_run() {
        let data = data();
        for control in [
            stability(2, 1.0),
            stability(3, 0.0),
            stability(3, f64::NAN),
            Control::Fdr { rate: 1.0 },
        ] {
            assert!(Plan::new(control, &data, &request()).is_err());
        }
        let screened = Request {
            screen: Some(3),
            ..request()
        };
        assert!(Plan::new(FDR, &data, &screened).is_err());
        assert!(Plan::new(stability(3, 1.0), &data, &screened).is_ok());
    }
}
