//! What is told of a fit: complete, typed, the same after it was written and read.

use crate::common::{TASKS, planted};
use std::collections::BTreeMap;
use threshnet::control::{Control, Controlled, Plan};
use threshnet::dataset::{Column, Dataset, Features, Outcome, Task};
use threshnet::error::Result;
use threshnet::explain::Direction;
use threshnet::metrics::{Asked, Each, Evaluation, Metric, Survival, scores};
use threshnet::report::{ErrorControl, FitReport, Fitted, HeldOutKind, Note};
use threshnet::settings::{Request, Size, ValidationName};
use threshnet::solver::Unobserved;
use threshnet::tune::{Fit, fit};

fn request(validation: ValidationName) -> Request {
    Request {
        validation: Some(validation),
        lambdas: Some(vec![0.02, 0.05, 0.1, 0.3]),
        ridges: Some(vec![0.01]),
        hidden: Some(vec![4]),
        first_epochs: Some(100),
        epochs: Some(50),
        seed: 5,
        jobs: Some(2),
        ..Request::default()
    }
}

/// The report of a fit, and the fit.
fn reported(data: &Dataset, request: &Request) -> (FitReport, Fit) {
    let settings = request.settings(Size::of(data)).unwrap();
    let fit = fit(data, &settings, &Unobserved).unwrap();
    let made = Fitted {
        data,
        request,
        settings: &settings,
        fit: &fit,
        controlled: None,
        nested: None,
        importance: None,
        seconds: 1.5,
        explain: true,
    };
    (FitReport::new(&made).unwrap(), fit)
}

fn read_back(report: &FitReport) {
    let again = FitReport::from_json(&report.to_json()).unwrap();
    assert_eq!(again, *report);
    assert_eq!(again.to_json(), report.to_json());
}

#[test]
fn held_out_figures_are_the_metrics_of_the_held_out_predictions() {
    for task in TASKS {
        let data = planted(task, (120, 5), (3, 1), 5);
        for (validation, kind) in [
            (ValidationName::Draws(3), HeldOutKind::UnseenFolds),
            (ValidationName::Folds(3), HeldOutKind::CrossValidation),
            (ValidationName::Holdout(0.3), HeldOutKind::Holdout),
        ] {
            let (report, fit) = reported(&data, &request(validation));
            let told = report.held_out.as_ref().unwrap();
            let predicted = fit.held_out.as_ref().unwrap();
            assert_eq!((told.kind, told.rows), (kind, predicted.rows.len()));
            let truth = data.response().rows(&predicted.rows);
            let found = scores(&predicted.prediction, &truth).unwrap();
            assert_eq!(told.metrics.len(), found.len());
            for score in found {
                let estimate = told.metrics[&score.metric].unwrap();
                assert_eq!(Ok(estimate.value), score.value, "{task:?} {kind:?}");
                let (low, high) = estimate.interval.unwrap();
                let metric = score.metric;
                assert!(
                    low <= estimate.value && estimate.value <= high,
                    "{task:?} {kind:?} {metric:?}"
                );
            }
            let main = report.main_estimate().unwrap();
            assert_eq!(main.0, Metric::main(task));
            assert!(told.curves.is_some());
            read_back(&report);
        }
    }
}

/// Calibration and net benefit are those that `evaluate` would print of the held-out predictions.
#[test]
fn evidence_is_the_evaluation_of_the_held_out_predictions() {
    for task in TASKS {
        let data = planted(task, (150, 5), (3, 1), 5);
        let (report, fit) = reported(&data, &request(ValidationName::Folds(3)));
        let held_out = report.held_out.as_ref().unwrap();
        let evidence = &held_out.evidence;
        let predicted = fit.held_out.as_ref().unwrap();
        let truth = data.response().rows(&predicted.rows);
        if task == Task::Cox {
            let rows = Survival::of(&truth).unwrap();
            let times: Vec<f64> = evidence.at.iter().map(|at| at.time).collect();
            // (the last quarter of the planted events is at the last time, after which there is no row)
            assert!(times.len() == 2 && times.is_sorted(), "{times:?}");
            let events = rows
                .time
                .iter()
                .zip(rows.event)
                .filter(|(_, event)| **event);
            for (time, share) in times.iter().zip([0.25, 0.5]) {
                let all = events.clone().count() as f64;
                let before = events.clone().filter(|(t, _)| *t <= time).count() as f64;
                let earlier = events.clone().filter(|(t, _)| *t < time).count() as f64;
                assert!(
                    earlier / all <= share && share <= before / all + 0.02,
                    "{time}"
                );
            }
            for (part, at) in evidence.calibration.iter().zip(&evidence.at) {
                assert_eq!(part.time, Some(at.time));
                assert!(at.brier.unwrap() < at.brier_null.unwrap(), "{at:?}");
                // (nobody is under observation past the last events, whose weights are infinite)
                assert_eq!(at.auc, None);
                assert!(part.of.slope.unwrap() > 0.3, "{part:?}");
            }
            assert!(evidence.decision.len() == 2 && evidence.d_calibration.is_some());
        } else {
            let asked = Asked {
                curves: true,
                ..Asked::default()
            };
            let found =
                Evaluation::new(&predicted.prediction.clone().into(), &truth, &asked).unwrap();
            let calibration = found.calibration.map_or(vec![], Each::into_parts);
            let decision = found.decision_curve.map_or(vec![], Each::into_parts);
            assert_eq!(
                (&evidence.calibration, &evidence.decision),
                (&calibration, &decision)
            );
            assert_eq!((evidence.null, evidence.at.len()), (found.null, 0));
            assert!(!calibration.is_empty() && (decision.len() == 1) == (task == Task::Binary));
        }
        read_back(&report);
    }
}

/// The λ that is marked along the path is the one that is told: of draws the one next to the median.
#[test]
fn the_marked_lambda_is_the_told_one() {
    for validation in [ValidationName::Draws(4), ValidationName::Folds(3)] {
        let data = planted(Task::Regression, (120, 5), (3, 1), 5);
        let (report, _) = reported(&data, &request(validation));
        let (path, told) = (&report.path, report.model.lambda);
        let away = |lambda: f64| (lambda / told).ln().abs();
        let marked = away(path.lambdas[path.chosen]);
        assert!(path.lambdas.iter().all(|&other| marked <= away(other)));
        assert_eq!(report.procedure.learning_rate, Some(0.003));
        assert_eq!(report.procedure.first_epochs, 100);
    }
}

#[test]
fn a_report_does_not_depend_on_threads() {
    let data = planted(Task::Binary, (120, 5), (3, 1), 5);
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| reported(&data, &request(ValidationName::Draws(3))).0)
    });
    assert_eq!(one, three);
}

#[test]
fn what_was_asked_for_is_told_and_threads_are_not() {
    let data = planted(Task::Regression, (80, 4), (2, 1), 5);
    let (report, _) = reported(&data, &request(ValidationName::Folds(3)));
    let names: Vec<&String> = report.settings.keys().collect();
    let expected = [
        "hidden",
        "validation",
        "lambdas",
        "ridges",
        "epochs",
        "first_epochs",
        "seed",
    ];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    for name in expected {
        assert!(report.settings.contains_key(name), "{name}");
    }
    let summary: serde_json::Value = serde_json::from_str(&report.summary().to_json()).unwrap();
    assert_eq!(summary["settings"]["validation"], "cv:3");
    assert_eq!(summary["seconds"], 1.5);
}

#[test]
fn a_fit_without_validation_and_a_null_model_are_told_as_such() {
    let data = planted(Task::Cox, (80, 4), (2, 1), 5);
    let mut nothing = request(ValidationName::None);
    nothing.lambdas = Some(vec![50.0]);
    let (report, _) = reported(&data, &nothing);
    assert_eq!((&report.held_out, report.validation.loss), (&None, None));
    assert!(report.selected.is_empty() && report.effects.is_empty());
    assert_eq!(report.notes, [Note::NullModel]);
    assert_eq!(report.train.keys().collect::<Vec<_>>(), [&Metric::CIndex]);
    let summary: serde_json::Value = serde_json::from_str(&report.summary().to_json()).unwrap();
    assert!(summary["held_out"].is_null() && summary["validation"].is_null());
    read_back(&report);
}

/// The certificate of a fit that was stopped, for one.
#[test]
fn what_is_undefined_is_null_and_reads_back_as_such() {
    let data = planted(Task::Regression, (80, 4), (2, 1), 5);
    let (mut report, _) = reported(&data, &request(ValidationName::Holdout(0.3)));
    report.model.certificate.active = f64::NAN;
    report.validation.loss.as_mut().unwrap().se = f64::NAN;
    let text = report.to_json();
    let again = FitReport::from_json(&text).unwrap();
    assert!(again.model.certificate.active.is_nan());
    assert!(again.validation.loss.unwrap().se.is_nan());
    assert_eq!(again.to_json(), text);
}

#[test]
fn a_text_has_one_line_and_its_levels() {
    let rows = 120;
    let level: Vec<usize> = (0..rows).map(|i| (i * i + i / 3) % 3).collect();
    let numbers = crate::common::normal_columns(rows, 2, 7);
    let y = (0..rows)
        .map(|i| [2.0, -2.0, 0.0][level[i]] + 0.1 * numbers[0][i])
        .collect();
    let names = ["stage", "a", "b"].map(String::from).to_vec();
    let levels = BTreeMap::from([(0, ["x", "y", "z"].map(String::from).to_vec())]);
    let columns = Features::one_hot(3, &level).into_iter().chain(numbers);
    let data = Dataset::encoded(
        Features::new(names, levels),
        columns.map(Column::from).collect(),
        Outcome::Continuous(y),
    )
    .unwrap();
    let (report, _) = reported(&data, &request(ValidationName::Draws(3)));
    assert_eq!((report.data.d, &report.selected[0].name[..]), (3, "stage"));
    let effect = &report.effects[0];
    assert_eq!(
        (&effect.name[..], effect.direction),
        ("stage", Direction::Levels)
    );
    assert_eq!(effect.levels, ["x", "y", "z"]);
    assert!(effect.rug.is_empty());
    read_back(&report);
}

#[test]
fn a_controlled_selection_is_told_with_its_bound_and_its_frequencies() {
    let data = planted(Task::Regression, (120, 5), (3, 1), 5);
    let request = request(ValidationName::Holdout(0.3));
    for control in [
        Control::Stability {
            pairs: 4,
            max_false: 2.0,
        },
        Control::Fdr { rate: 0.5 },
    ] {
        let plan = Plan::new(control, &data, &request).unwrap();
        let found: Result<Vec<_>> = (0..plan.runs())
            .map(|number| plan.run(number, &Unobserved))
            .collect();
        let controlled = plan.combined(&found.unwrap()).unwrap();
        let settings = request.on_selected(&data, &controlled.selected()).unwrap();
        let fit = fit(&data, &settings, &Unobserved).unwrap();
        let made = Fitted {
            data: &data,
            request: &request,
            settings: &settings,
            fit: &fit,
            controlled: Some(&controlled),
            nested: None,
            importance: None,
            seconds: 0.0,
            explain: false,
        };
        let report = FitReport::new(&made).unwrap();
        assert!(report.held_out.as_ref().unwrap().used_in_selection);
        assert!(report.effects.is_empty(), "they were not asked for");
        let summary: serde_json::Value = serde_json::from_str(&report.summary().to_json()).unwrap();
        let repeated = matches!(controlled, Controlled::Stable { .. });
        for column in &report.selected {
            assert_eq!(column.frequency.is_some(), repeated);
        }
        match report.control.as_ref().unwrap() {
            ErrorControl::Stability { pairs, .. } => {
                assert_eq!((*pairs, &summary["stability"]["pairs"]), (4, &4.into()));
            }
            ErrorControl::Fdr { runs, .. } => assert_eq!(summary["fdr"]["runs"], *runs),
        }
        read_back(&report);
    }
}

#[test]
fn another_schema_is_refused_with_what_wrote_it() {
    for (text, says) in [
        (r#"{"schema": 1, "path": {}}"#, "threshnet 0.1.0 wrote it"),
        (r#"{"schema": 7, "version": "3.2.1"}"#, "threshnet 3.2.1"),
        (r#"{"schema": 2}"#, "not what a fit leaves"),
        ("[]", "not what a fit leaves"),
    ] {
        let problem = FitReport::from_json(text).unwrap_err().to_string();
        assert!(
            problem.contains(says) && problem.contains("fit again"),
            "{problem}"
        );
    }
}
