//! skglm's solutions under MCP and SCAD (`reference/concave.json`, made by `concave.py`): its
//! loss is ours by a factor c, which is in λ and γ, and under SCAD in the units of the weights.

use crate::common::{coefficients, linear};
use crate::glmnet::{Family, Reference, null_model, reference};
use serde::Deserialize;
use std::collections::BTreeMap;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Weights};
use threshnet::loss::{Loss, Ties, for_response};
use threshnet::network::Mlp;
use threshnet::path::Direction;
use threshnet::penalty::Penalty;
use threshnet::settings::Settings;
use threshnet::solver::{Problem, StepRule, Unobserved};
use threshnet::statistics::{Moments, weighted_moments};
use threshnet::tune::fit;

#[derive(Deserialize)]
struct Solutions {
    cases: Vec<Case>,
}

/// A solution in skglm's terms, on standardised columns and, of a regression, outcome.
#[derive(Deserialize, Debug)]
struct Case {
    family: Family,
    design: String,
    penalty: Name,
    gamma: f64,
    lambda: f64,
    slopes: BTreeMap<usize, f64>,
    intercept: f64,
    objective: f64,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Name {
    Mcp,
    Scad,
}

/// The same in the library's terms.
struct Translated {
    data: Dataset<'static>,
    columns: Standardised,
    loss: Box<dyn Loss>,
    penalty: Penalty,
    lambda: f64,
    network: Mlp,
    objective: f64,
}

impl Case {
    fn translated(&self, reference: &Reference) -> Translated {
        let data = reference.designs[&self.design].data(self.family, false);
        let rows: Vec<usize> = (0..data.n()).collect();
        let scaling = Scaling::learn(&data, &rows, true);
        let mut response = data.response().clone();
        // How many times skglm's loss ours is.
        let factor = match &mut response.outcome {
            Outcome::Continuous(y) => {
                let Moments { mean, deviation } =
                    weighted_moments(y.iter().copied(), Weights::EQUAL);
                y.iter_mut().for_each(|y| *y = (*y - mean) / deviation);
                2.0
            }
            Outcome::Classes { .. } => 1.0,
            Outcome::Survival { .. } => data.n() as f64 / data.response().mass(),
        };
        let (penalty, lambda, unit) = match self.penalty {
            Name::Mcp => {
                let penalty = Penalty::Mcp(self.gamma / factor);
                (penalty, factor * self.lambda, 1.0)
            }
            Name::Scad => {
                let root = factor.sqrt();
                (Penalty::Scad(self.gamma), root * self.lambda, root)
            }
        };
        let mut network = null_model(&data);
        for (&j, slope) in &self.slopes {
            network.weights[j] = unit * slope;
        }
        if let Some(bias) = network.weights.get_mut(data.d()) {
            *bias = self.intercept;
        }
        Translated {
            columns: Standardised::of_rows(&data, &rows, &scaling),
            loss: for_response(&response, Ties::Breslow),
            data,
            penalty,
            lambda,
            network,
            objective: factor * self.objective,
        }
    }
}

impl Translated {
    fn problem(&self) -> Problem<'_> {
        Problem::new(&self.columns, &*self.loss, self.penalty, 0.0)
    }

    fn objective_of(&self, network: &Mlp) -> f64 {
        let problem = self.problem();
        problem.objective(network, self.lambda, problem.smooth(network).loss)
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str::<Solutions>(include_str!("../reference/concave.json"))
        .expect("it is well formed")
        .cases
}

#[test]
fn skglms_solutions_are_stationary_here_and_have_its_objective() {
    let reference = reference();
    let (mut bent, mut flat) = (0, 0);
    for case in cases() {
        let translated = case.translated(&reference);
        let Translated {
            network, lambda, ..
        } = &translated;
        let (_, certificate) = translated.problem().assess(network, *lambda);
        assert!(certificate.largest() < 1e-6, "{case:?}: {certificate:?}");
        let gap = translated.objective_of(network) - translated.objective;
        assert!(gap.abs() < 1e-7, "{case:?}: {gap}");
        // The measure is alive.
        let mut moved = network.clone();
        moved.weights.iter_mut().for_each(|w| *w *= 1.01);
        let (_, elsewhere) = translated.problem().assess(&moved, *lambda);
        assert!(elsewhere.largest() > 1e-5, "{case:?}: {elsewhere:?}");
        let (Penalty::Mcp(a) | Penalty::Scad(a)) = translated.penalty else {
            unreachable!("the penalties are concave");
        };
        for &w in coefficients(network, translated.data.d()).0[0].iter() {
            bent += usize::from(w != 0.0 && w.abs() < a * lambda);
            flat += usize::from(w.abs() > a * lambda);
        }
    }
    assert!(bent > 50 && flat > 20, "{bent} bent, {flat} flat");
}

#[test]
fn fits_are_no_worse_than_skglms_solutions_where_rows_are_many() {
    let reference = reference();
    let tall: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.design == "tall")
        .collect();
    assert_eq!(tall.len(), 18);
    let mut same = 0;
    for case in tall {
        let translated = case.translated(&reference);
        let proximal = Settings {
            standardize: true,
            direction: Direction::Forward,
            ..linear(
                translated.penalty,
                translated.lambda,
                0.0,
                StepRule::LineSearch,
            )
        };
        for settings in [proximal.clone(), proximal.linear()] {
            let settings = Settings {
                ridges: vec![0.0],
                ..settings
            };
            let found = fit(&translated.data, &settings, &Unobserved).unwrap();
            assert!(found.solved.certificate.largest() < 1e-6, "{case:?}");
            // (a lower valley is as good)
            let network = &found.model.networks[0];
            let penalty = translated
                .problem()
                .penalty_value(network, translated.lambda);
            let gap = found.solved.loss + penalty - translated.objective;
            assert!(gap < 1e-7, "{case:?}: {gap}");
            same += usize::from(gap > -1e-7);
        }
    }
    assert!(same >= 24, "{same}");
}
