//! glmnet's coefficients (`reference/glmnet.json`, made by `glmnet.py` and `glmnet.R`) are the
//! minimisers here, once its λ and α are translated as docs/coming-from.md says.

use crate::common::{coefficients, single};
use serde::Deserialize;
use std::collections::BTreeMap;
use threshnet::activation::Activation;
use threshnet::certificate::Certificate;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Response, Task};
use threshnet::linear::Descent;
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::penalty::Penalty;
use threshnet::settings::Settings;
use threshnet::solver::{Problem, Solver, Unobserved};
use threshnet::statistics::{Moments, weighted_moments};
use threshnet::tune::fit;

#[derive(Deserialize)]
pub struct Reference {
    pub designs: BTreeMap<String, Design>,
    cases: Vec<Case>,
}

/// Columns and an outcome of every kind.
#[derive(Deserialize)]
pub struct Design {
    x: Vec<Vec<f64>>,
    outcomes: Outcomes,
}

#[derive(Deserialize)]
struct Outcomes {
    y: Vec<f64>,
    labels: Vec<usize>,
    classes: Vec<usize>,
    time: Vec<f64>,
    event: Vec<bool>,
    weights: Vec<f64>,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Gaussian,
    Binomial,
    Multinomial,
    Cox,
}

/// A fit of glmnet in glmnet's terms.
#[derive(Deserialize, Debug)]
struct Case {
    family: Family,
    design: String,
    alpha: f64,
    weighted: bool,
    standardize: bool,
    lambda: f64,
    /// By output, on the columns as they are.
    coefficients: Vec<Coefficients>,
}

#[derive(Deserialize, Debug)]
struct Coefficients {
    intercept: f64,
    slopes: BTreeMap<usize, f64>,
}

impl Design {
    pub fn data(&self, family: Family, weighted: bool) -> Dataset<'static> {
        let given = &self.outcomes;
        let classes = |labels: &[usize], task| Outcome::Classes {
            labels: labels.to_vec(),
            classes: (0..=*labels.iter().max().unwrap())
                .map(|class| class.to_string())
                .collect(),
            task,
        };
        let outcome = match family {
            Family::Gaussian => Outcome::Continuous(given.y.clone()),
            Family::Binomial => classes(&given.labels, Task::Binary),
            Family::Multinomial => classes(&given.classes, Task::Multiclass),
            Family::Cox => Outcome::Survival {
                time: given.time.clone(),
                event: given.event.clone(),
            },
        };
        let names = (0..self.x.len()).map(|j| format!("x{j}")).collect();
        let response = Response {
            weights: weighted.then(|| given.weights.clone()),
            ..Response::from(outcome)
        };
        Dataset::new(names, self.x.clone(), response).unwrap()
    }
}

/// A case in the library's terms.
struct Translated {
    data: Dataset<'static>,
    columns: Standardised,
    /// As a fit sees it: standardised if columns are.
    response: Response,
    settings: Settings,
    /// glmnet's solution on these columns, all of them.
    network: Mlp,
}

impl Case {
    fn translated(&self, reference: &Reference) -> Translated {
        let data = reference.designs[&self.design].data(self.family, self.weighted);
        let rows: Vec<usize> = (0..data.n()).collect();
        let scaling = Scaling::learn(&data, &rows, self.standardize);
        let mut response = data.response().clone();
        let weights = data.response().weights();
        let (mut center, mut unit) = (0.0, 1.0);
        let (mut of_lasso, mut of_ridge) = (1.0, 1.0);
        match &mut response.outcome {
            Outcome::Continuous(y) => {
                let Moments { mean, deviation } = weighted_moments(y.iter().copied(), weights);
                if self.standardize {
                    (center, unit) = (mean, deviation);
                    y.iter_mut().for_each(|y| *y = (*y - center) / unit);
                }
                (of_lasso, of_ridge) = (2.0 / unit, 2.0 / deviation);
            }
            Outcome::Classes { .. } => {}
            Outcome::Survival { .. } => {
                of_lasso = data.response().total() / data.response().mass();
                of_ridge = of_lasso;
            }
        }
        let lambda = of_lasso * self.lambda * self.alpha;
        let ridge = of_ridge * self.lambda * (1.0 - self.alpha) / 2.0;
        let settings = Settings {
            lambdas: vec![lambda],
            ridges: vec![ridge],
            standardize: self.standardize,
            solver: Solver::Descent(Descent {
                tolerance: 1e-9,
                ..Descent::default()
            }),
            ..single(Penalty::Lasso, lambda, ridge).linear()
        };
        let mut network = null_model(&data);
        let outputs = self.coefficients.len();
        let bias = network.shape.layers()[0].bias.clone();
        for (k, coefficients) in self.coefficients.iter().enumerate() {
            let mut at_center = coefficients.intercept - center;
            for (&j, slope) in &coefficients.slopes {
                network.weights[j * outputs + k] = slope * scaling.scale[j] / unit;
                at_center += slope * scaling.center[j];
            }
            if let Some(bias) = network.weights[bias.clone()].get_mut(k) {
                *bias = at_center / unit;
            }
        }
        Translated {
            columns: Standardised::of_rows(&data, &rows, &scaling),
            data,
            response,
            settings,
            network,
        }
    }
}

/// A linear model of all columns, all of its weights 0.
pub fn null_model(data: &Dataset) -> Mlp {
    let outputs = match data.outcome() {
        Outcome::Classes {
            classes,
            task: Task::Multiclass,
            ..
        } => classes.len(),
        _ => 1,
    };
    let mut shape = Shape::new(&[], outputs, Activation::Relu, data.outcome().task());
    shape.widths[0] = data.d();
    Mlp {
        weights: vec![0.0; shape.parameters()],
        inputs: (0..data.d()).collect(),
        shape,
        chain: None,
    }
}

impl Translated {
    /// How far the network is from being stationary where λ is `times` what it should be. The
    /// ridge leaves the bias alone, as glmnet's does.
    fn certificate(&self, times: f64) -> Certificate {
        let loss = for_response(&self.response, Ties::Breslow);
        let problem = Problem {
            free_bias: true,
            ..Problem::new(
                &self.columns,
                &*loss,
                Penalty::Lasso,
                self.settings.ridges[0],
            )
        };
        let (_, certificate) = problem.assess(&self.network, times * self.settings.lambdas[0]);
        certificate
    }
}

pub fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/glmnet.json")).expect("it is well formed")
}

#[test]
fn glmnets_solutions_are_stationary_here() {
    let reference = reference();
    for case in &reference.cases {
        let translated = case.translated(&reference);
        let certificate = translated.certificate(1.0);
        assert!(certificate.largest() < 1e-6, "{case:?}: {certificate:?}");
        // The measure is alive: a λ that is 1 % off is seen.
        assert!(translated.certificate(1.01).largest() > 1e-5, "{case:?}");
    }
    for family in [
        Family::Gaussian,
        Family::Binomial,
        Family::Multinomial,
        Family::Cox,
    ] {
        let of_family = reference.cases.iter().filter(|case| case.family == family);
        assert_eq!(of_family.count(), 48, "{family:?}");
    }
}

#[test]
fn fits_find_glmnets_coefficients() {
    let reference = reference();
    for case in &reference.cases {
        let Translated {
            data,
            settings,
            network: expected,
            ..
        } = case.translated(&reference);
        assert!(settings.free_bias);
        let found = fit(&data, &settings, &Unobserved).unwrap();
        assert!(found.solved.certificate.largest() < 1e-6, "{case:?}");
        let (weights, bias) = coefficients(&found.model.networks[0], data.d());
        let (expected_weights, expected_bias) = coefficients(&expected, data.d());
        let pairs = weights.iter().zip(&expected_weights);
        for (ours, theirs) in pairs.flat_map(|(ours, theirs)| ours.iter().zip(theirs)) {
            assert!((ours - theirs).abs() < 1e-5, "{case:?}: {ours} {theirs}");
        }
        // What is added to the biases of all classes changes nothing.
        let shift = match case.family {
            Family::Multinomial => bias[0] - expected_bias[0],
            _ => 0.0,
        };
        for (ours, theirs) in bias.iter().zip(&expected_bias) {
            let gap = ours - shift - theirs;
            assert!(gap.abs() < 1e-5, "{case:?}: bias {ours} {theirs}");
        }
    }
}
