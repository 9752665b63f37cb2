//! The paper's methods in our engine, with its settings.

use super::battery;
use super::plan::Task;
use super::sample::Sample;
use crate::name::StudyName;
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Named, Protocol, Settings, Size, UNPENALISED_EPOCHS, log_grid};
use threshnet::solver::{Adam, Solver};

/// Epochs of a relaxed refit, which starts from the weights it relaxes.
const RELAXED_EPOCHS: usize = 1000;
/// The variant that is the default protocol.
pub const DEFAULT: &str = "default";
/// Ridge of the paths of figure 1.
const PATH_RIDGE: f64 = 0.01;
/// Ridges on real survival data, unless `--ridges` says otherwise.
pub const SURVIVAL_RIDGES: usize = 10;

/// A method of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Group LASSO.
    Glasso,
    /// Group MCP.
    Gmcp,
    /// Group SCAD.
    Gscad,
    /// Group LASSO, then λ = 0 on what it selected.
    Relaxed,
    /// λ = 0.
    Nn,
    /// λ = 0 on the columns that matter.
    OracleNn,
}

impl Method {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Glasso => "glasso",
            Method::Gmcp => "gmcp",
            Method::Gscad => "gscad",
            Method::Relaxed => "relaxed",
            Method::Nn => "nn",
            Method::OracleNn => "oracle-nn",
        }
    }

    /// Whether it chooses columns.
    pub fn selects(self) -> bool {
        !matches!(self, Method::Nn | Method::OracleNn)
    }

    pub fn penalty(self) -> Penalty {
        match self {
            Method::Gmcp => Penalty::MCP,
            Method::Gscad => Penalty::SCAD,
            // At λ = 0 any penalty is none.
            Method::Glasso | Method::Relaxed | Method::Nn | Method::OracleNn => Penalty::Lasso,
        }
    }
}

/// The settings of a task in a study for these data. `ridges` overrides how many
/// are tried.
pub fn settings(
    study: StudyName,
    task: &Task,
    sample: &Sample,
    (seed, ridges): (u64, Option<usize>),
) -> Settings {
    let size = Size::of(&sample.train);
    let penalty = task.method.penalty();
    let validation = Protocol::Paper.validation();
    let mut settings = Settings::new(Protocol::Paper, penalty, validation, size);
    settings.standardize = sample.standardize;
    settings.seed = seed;
    match study {
        StudyName::Path => {
            settings.ridges = vec![PATH_RIDGE];
            let direction = Direction::named(&task.variant);
            settings.direction = direction.expect("panels are named after their direction");
        }
        StudyName::Mnist => settings.ridges = log_grid(1e-3, 0.1, 10),
        StudyName::SurvivalReal => {
            settings.hidden = vec![10, 10];
            // Fitted as wide data whether they are or not, as the paper's are.
            settings.first_epochs = settings.epochs;
            settings.ridges = log_grid(1e-2, 0.1, ridges.unwrap_or(SURVIVAL_RIDGES));
            if penalty != Penalty::Lasso {
                settings.lambdas = log_grid(0.01, 0.1, 100);
            }
        }
        _ => {}
    }
    match study {
        StudyName::Quality if task.variant == DEFAULT => to_default(&mut settings, size),
        StudyName::Battery => battery::apply(&mut settings, &task.variant, size),
        _ => vary(&mut settings, &task.variant),
    }
    match task.method {
        Method::Nn | Method::OracleNn => {
            settings.lambdas = vec![0.0];
            settings.first_epochs = UNPENALISED_EPOCHS;
        }
        Method::Relaxed => settings.relax = Some(RELAXED_EPOCHS),
        Method::Glasso | Method::Gmcp | Method::Gscad => {}
    }
    settings
}

/// The default protocol in the place of the paper's, with the same penalty and seed.
pub fn to_default(settings: &mut Settings, size: Size) {
    let default = Protocol::Default;
    *settings = Settings {
        seed: settings.seed,
        ..Settings::new(default, settings.penalty, default.validation(), size)
    };
}

/// Applies a variant such as `rate=0.01`, `gamma=0.1`, `hidden=10-10-5` or
/// `ridges=0.001:0.1`.
fn vary(settings: &mut Settings, variant: &str) {
    let Some((name, value)) = variant.split_once('=') else {
        return;
    };
    let number = |text: &str| text.parse().expect("the plan's variants are numbers");
    let mut adam = Adam::default();
    match name {
        "rate" => adam.learning_rate = number(value),
        "gamma" => adam.threshold_step = number(value),
        "hidden" => settings.hidden = value.split('-').map(|w| number(w) as usize).collect(),
        "ridges" => {
            let (min, max) = value.split_once(':').expect("a range has two ends");
            settings.ridges = log_grid(number(min), number(max), settings.ridges.len());
        }
        _ => {}
    }
    settings.solver = Solver::Adam(adam);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::sample::Source;

    fn of(study: StudyName, method: Method, variant: &str) -> Settings {
        let tasks = plan(study, vec![]).tasks;
        let mut tasks = tasks.iter();
        let task = tasks.find(|t| t.method == method && t.variant == variant);
        let task = task.expect("the study has it");
        let sample = Source::Simulated
            .sample(&task.cell, crate::replicate(0, 1))
            .unwrap();
        settings(study, task, &sample, (1, None))
    }

    #[test]
    fn the_papers_settings() {
        let gmcp = of(StudyName::Table1, Method::Gmcp, "");
        assert!(!gmcp.standardize && gmcp.protocol == Protocol::Paper);
        assert_eq!((gmcp.lambdas.len(), gmcp.ridges.len()), (50, 10));
        let nn = of(StudyName::Table1, Method::Nn, "");
        assert_eq!((&nn.lambdas[..], nn.first_epochs), (&[0.0][..], 5000));
        assert_eq!(nn.ridges, gmcp.ridges);
        assert!(of(StudyName::Relaxed, Method::Relaxed, "").relax.is_some());
        let cold = of(StudyName::Path, Method::Gmcp, "cold");
        assert_eq!((cold.direction, cold.ridges.len()), (Direction::Cold, 1));
    }

    #[test]
    fn variants_change_one_setting() {
        let adam = |variant: &str| match of(StudyName::Sensitivity, Method::Gscad, variant).solver {
            Solver::Adam(adam) => (adam.learning_rate, adam.threshold_step),
            _ => unreachable!(),
        };
        assert_eq!(adam(""), (0.001, 1.0));
        assert_eq!(adam("rate=0.1"), (0.1, 1.0));
        assert_eq!(adam("gamma=0.01"), (0.001, 0.01));
        let deep = of(StudyName::Sensitivity, Method::Gscad, "hidden=20-10-5");
        assert_eq!(deep.hidden, [20, 10, 5]);
        let wide = of(StudyName::Table2, Method::Gmcp, "ridges=0.001:0.1");
        assert_eq!((wide.ridges[0], wide.ridges[9]), (0.001, 0.1));
    }
}
