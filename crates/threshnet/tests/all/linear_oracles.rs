//! Without a hidden layer the answer is known: scikit-learn and
//! scikit-survival gave the minimisers in `reference/linear.json`
//! (`reference/make.py` says how). For the concave penalties there is no such
//! package, so stationarity is worked out here from the definitions.

use crate::common::{self, coefficients, dataset, linear};
use serde::Deserialize;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::linear::Descent;
use threshnet::loss::Ties;
use threshnet::penalty::Penalty;
use threshnet::settings::Settings;
use threshnet::solver::{Proximal, Solver, Status, StepRule, Unobserved};
use threshnet::tune::fit;

const DESCENT: Solver = Solver::Descent(Descent {
    tolerance: 1e-8,
    most_columns: usize::MAX,
});

fn proximal(step: StepRule) -> Solver {
    Solver::Proximal(Proximal {
        step,
        tolerance: 1e-7,
    })
}

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    task: Task,
    x: Vec<Vec<f64>>,
    #[serde(default)]
    y: Vec<f64>,
    #[serde(default)]
    labels: Vec<usize>,
    #[serde(default)]
    time: Vec<f64>,
    #[serde(default)]
    event: Vec<bool>,
    ties: Option<Ties>,
    lambda: f64,
    ridge: f64,
    weights: OneOrMany,
    bias: Option<OneOrMany>,
    objective: f64,
}

#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum OneOrMany {
    Number(f64),
    Numbers(Vec<f64>),
    /// By class, then by input.
    Table(Vec<Vec<f64>>),
}

impl OneOrMany {
    fn rows(self) -> Vec<Vec<f64>> {
        match self {
            OneOrMany::Number(v) => vec![vec![v]],
            OneOrMany::Numbers(v) => vec![v],
            OneOrMany::Table(v) => v,
        }
    }
}

fn cases() -> Vec<Case> {
    let text = include_str!("../reference/linear.json");
    serde_json::from_str::<Reference>(text)
        .expect("the reference is well formed")
        .cases
}

impl Case {
    fn data(&self) -> Dataset<'static> {
        let classes = |count: usize| (0..count).map(|c| c.to_string()).collect();
        let outcome = match self.task {
            Task::Regression => Outcome::Continuous(self.y.clone()),
            Task::Binary | Task::Multiclass => Outcome::Classes {
                labels: self.labels.clone(),
                classes: classes(1 + self.labels.iter().max().unwrap()),
                task: self.task,
            },
            Task::Cox => Outcome::Survival {
                time: self.time.clone(),
                event: self.event.clone(),
            },
        };
        dataset(self.x.clone(), outcome)
    }

    fn settings(&self, solver: Solver) -> Settings {
        let mut settings = linear(
            Penalty::Lasso,
            self.lambda,
            self.ridge,
            StepRule::LineSearch,
        );
        settings.solver = solver;
        settings.ties = self.ties.unwrap_or(Ties::Breslow);
        settings
    }

    fn check(&self, solver: Solver) {
        let name = &self.name;
        let fit = fit(&self.data(), &self.settings(solver), &Unobserved).expect(name);
        assert_eq!(fit.solved.status, Status::Converged, "{name}");
        assert!(
            fit.solved.certificate.largest() <= 1e-7,
            "{name}: {:?}",
            fit.solved.certificate
        );
        let (weights, bias) = coefficients(&fit.model.networks[0], self.x.len());
        let expected = self.weights.clone().rows();
        assert_eq!(weights.len(), expected.len(), "{name}");
        for (ours, theirs) in weights.iter().flatten().zip(expected.iter().flatten()) {
            assert!(
                (ours - theirs).abs() < 1e-5,
                "{name}: {ours} against {theirs}"
            );
            assert_eq!(*ours == 0.0, *theirs == 0.0, "{name}: the support");
        }
        let expected = self.bias.clone().map_or(vec![], |b| b.rows().concat());
        assert_eq!(bias.len(), expected.len(), "{name}");
        for (ours, theirs) in bias.iter().zip(&expected) {
            assert!(
                (ours - theirs).abs() < 1e-5,
                "{name}: bias {ours} against {theirs}"
            );
        }
        let squares: f64 = weights.iter().flatten().chain(&bias).map(|w| w * w).sum();
        let sizes: f64 = weights.iter().flatten().map(|w| w.abs()).sum();
        let objective = fit.solved.loss + self.lambda * sizes + self.ridge * squares;
        let gap = objective - self.objective;
        assert!(gap.abs() < 1e-9, "{name}: the objective is off by {gap}");
    }
}

#[test]
fn line_search_and_descent_find_every_reference() {
    let cases = cases();
    for task in common::TASKS {
        assert!(
            cases.iter().any(|case| case.task == task),
            "no case of {task:?}"
        );
    }
    for case in cases {
        case.check(proximal(StepRule::LineSearch));
        case.check(DESCENT);
    }
}

#[test]
fn so_does_a_fixed_step() {
    for name in [
        "squared loss, lambda 0.4, ridge 0.1",
        "Cox, breslow, lambda 0.08, ridge 0.03",
    ] {
        let cases = cases();
        cases
            .iter()
            .find(|case| case.name == name)
            .expect(name)
            .check(proximal(StepRule::Fixed(0.05)));
    }
}

/// The mean loss of a linear predictor and its slope in every η, term by term.
fn slopes(outcome: &Outcome, eta: &[f64]) -> Vec<f64> {
    let n = eta.len() as f64;
    match outcome {
        Outcome::Continuous(y) => y
            .iter()
            .zip(eta)
            .map(|(y, eta)| 2.0 * (eta - y) / n)
            .collect(),
        Outcome::Classes { labels, .. } => (labels.iter().zip(eta))
            .map(|(&label, eta)| (1.0 / (1.0 + (-eta).exp()) - label as f64) / n)
            .collect(),
        Outcome::Survival { time, event } => {
            // Breslow: every event takes −1 and shares 1 over its risk set.
            let mut slopes = vec![0.0; eta.len()];
            let events = event.iter().filter(|e| **e).count() as f64;
            for i in (0..eta.len()).filter(|&i| event[i]) {
                let at_risk = (0..eta.len()).filter(|&j| time[j] >= time[i]);
                let sum: f64 = at_risk.clone().map(|j| eta[j].exp()).sum();
                at_risk.for_each(|j| slopes[j] += eta[j].exp() / sum / events);
                slopes[i] -= 1.0 / events;
            }
            slopes
        }
    }
}

/// The largest violation of stationarity of a linear model.
fn violation(data: &Dataset, settings: &Settings, weights: &[f64], bias: Option<f64>) -> f64 {
    let (lambda, ridge) = (settings.lambdas[0], settings.ridges[0]);
    let eta: Vec<f64> = (0..data.n())
        .map(|i| {
            let products = data.columns().iter().zip(weights).map(|(x, w)| w * x.at(i));
            products.sum::<f64>() + bias.unwrap_or(0.0)
        })
        .collect();
    let slopes = slopes(data.outcome(), &eta);
    let columns = data.columns().iter().zip(weights).map(|(x, &w)| {
        let g = x.iter().zip(&slopes).map(|(x, s)| x * s).sum::<f64>() + 2.0 * ridge * w;
        let slope = match settings.penalty {
            Penalty::Lasso => lambda,
            Penalty::Mcp(a) => f64::max(lambda - w.abs() / a, 0.0),
            Penalty::Scad(a) => lambda.min(f64::max(a * lambda - w.abs(), 0.0) / (a - 1.0)),
        };
        if w == 0.0 {
            f64::max(g.abs() - lambda, 0.0)
        } else {
            (g + slope * w.signum()).abs()
        }
    });
    let worst = columns.fold(0.0, f64::max);
    match bias {
        Some(b) => worst.max((slopes.iter().sum::<f64>() + 2.0 * ridge * b).abs()),
        None => worst,
    }
}

#[test]
fn concave_solutions_are_stationary() {
    // λ is chosen so that columns of every kind occur: out, bent, flat.
    let (mut out, mut flat, mut bent) = (0, 0, 0);
    for (name, lambdas) in [
        ("squared loss, lambda 0.4, ridge 0.1", [0.15, 0.5]),
        ("logistic loss, lambda 0.03, ridge 0.01", [0.03, 0.1]),
        ("Cox, breslow, lambda 0.08, ridge 0.03", [0.03, 0.1]),
    ] {
        let cases = cases();
        let case = cases.iter().find(|case| case.name == name).expect(name);
        let data = case.data();
        for penalty in [
            Penalty::MCP,
            Penalty::Mcp(1.5),
            Penalty::SCAD,
            Penalty::Scad(2.5),
        ] {
            let solvers = [proximal(StepRule::LineSearch), DESCENT];
            for (lambda, solver) in lambdas.into_iter().flat_map(|l| solvers.map(|s| (l, s))) {
                let mut settings = case.settings(solver);
                (settings.penalty, settings.lambdas) = (penalty, vec![lambda]);
                let fit = fit(&data, &settings, &Unobserved).expect(name);
                let name = format!("{name}, {penalty:?} {lambda}");
                assert_eq!(fit.solved.status, Status::Converged, "{name}");
                assert!(fit.solved.certificate.largest() < 1e-6, "{name}");
                let (weights, bias) = coefficients(&fit.model.networks[0], data.d());
                let found = violation(&data, &settings, &weights[0], bias.first().copied());
                assert!(found < 1e-6, "{name}: {found}");
                // The measure is alive: the same weights are not stationary elsewhere.
                let moved: Vec<f64> = weights[0].iter().map(|w| 1.05 * w).collect();
                let elsewhere = violation(&data, &settings, &moved, bias.first().copied());
                assert!(
                    elsewhere > 1e-4 || moved.iter().all(|w| *w == 0.0),
                    "{name}"
                );
                let limit = match penalty {
                    Penalty::Mcp(a) | Penalty::Scad(a) => a * lambda,
                    Penalty::Lasso => unreachable!(),
                };
                out += weights[0].iter().filter(|w| **w == 0.0).count();
                flat += weights[0].iter().filter(|w| w.abs() > limit).count();
                bent += weights[0]
                    .iter()
                    .filter(|w| **w != 0.0 && w.abs() < limit)
                    .count();
            }
        }
    }
    assert!(
        out > 10 && flat > 10 && bent > 10,
        "{out} out, {flat} flat, {bent} bent"
    );
}

/// The certificate is not taken on trust either: it must see what the test's
/// own conditions see.
#[test]
fn the_certificate_measures_the_violation() {
    for case in cases()
        .into_iter()
        .filter(|case| case.task != Task::Multiclass)
    {
        let mut settings = case.settings(proximal(StepRule::LineSearch));
        settings.ties = Ties::Breslow;
        (settings.penalty, settings.lambdas) = (Penalty::MCP, vec![0.05]);
        settings.first_epochs = 3;
        let data = case.data();
        let fit = fit(&data, &settings, &Unobserved).expect(&case.name);
        assert_eq!(fit.solved.status, Status::EpochLimit, "{}", case.name);
        let (weights, bias) = coefficients(&fit.model.networks[0], data.d());
        let ours = violation(&data, &settings, &weights[0], bias.first().copied());
        let theirs = fit.solved.certificate.largest();
        assert!(
            ours > 1e-4 && (ours - theirs).abs() < 1e-10,
            "{}: {ours} {theirs}",
            case.name
        );
    }
}
