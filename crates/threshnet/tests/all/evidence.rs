//! Calibration, decisions, intervals and survival against what outside packages say of the same
//! rows, frozen in `reference/evidence.json` by `reference/evidence.py`. Their rows are repeated
//! where ours are weighted.

use serde_json::Value;
use std::collections::BTreeMap;
use threshnet::dataset::{Outcome, Response, Task, Weights};
use threshnet::metrics::{
    Agreement, Asked, Bootstrap, Comparison, Evaluation, IntervalMethod, Outcomes, Predicted,
    Skill, Survival, concordance_uno, confusion, cumulative_dynamic_auc, d_calibration, delong,
    delong_difference, probability_brier,
};
use threshnet::model::{Prediction, Recalibrate, Recalibration};

/// The smoother of R finds its neighbours by blocks, and ours draws lines between 200 points.
const SMOOTH: f64 = 1e-4;
const EXACT: f64 = 1e-8;

struct Case(Value);

impl Case {
    fn of(kind: &str) -> Vec<Case> {
        let all: Value = serde_json::from_str(include_str!("../reference/evidence.json")).unwrap();
        let cases = all["cases"].as_array().unwrap().iter();
        let found: Vec<Case> = (cases.filter(|case| case["kind"] == kind))
            .map(|case| Case(case.clone()))
            .collect();
        assert!(!found.is_empty());
        found
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        numbers(&self.0[name])
    }

    fn flags(&self, name: &str) -> Vec<bool> {
        let flags = self.0[name].as_array().unwrap().iter();
        flags.map(|flag| flag.as_bool().unwrap()).collect()
    }

    fn columns(&self, name: &str) -> Vec<Vec<f64>> {
        self.0[name]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect()
    }

    fn counts(&self, name: &str) -> Vec<usize> {
        self.numbers(name).into_iter().map(|v| v as usize).collect()
    }

    fn near(&self, what: &str, ours: f64, theirs: f64, tolerance: f64) {
        assert!(
            (ours - theirs).abs() <= tolerance,
            "{}: {what} is {ours}, the reference has {theirs}",
            self.0["name"]
        );
    }

    fn all_near(&self, what: &str, ours: &[f64], theirs: &Value) {
        let theirs = numbers(theirs);
        assert_eq!(ours.len(), theirs.len(), "{what}");
        for (ours, theirs) in ours.iter().zip(theirs) {
            self.near(what, *ours, theirs, EXACT);
        }
    }

    /// Lines, distances and, of survival, what was observed on the whole.
    fn agrees(&self, found: &Agreement, line: &Value, smooth: &Value) {
        for (name, ours) in [
            ("intercept", found.intercept),
            ("slope", found.slope),
            ("in_the_large", found.in_the_large),
        ] {
            self.near(name, ours.unwrap(), line[name].as_f64().unwrap(), EXACT);
        }
        let smooth = numbers(smooth);
        for (k, ours) in [found.ici, found.e50, found.e90].into_iter().enumerate() {
            self.near("a distance", ours.unwrap(), smooth[k], SMOOTH);
        }
    }

    /// Net benefit, and the rates where the reference has them.
    fn decides(&self, outcomes: Outcomes, risk: &[f64], theirs: &Value) {
        let found = outcomes
            .decisions(risk, &self.numbers("thresholds"))
            .unwrap();
        for (k, ours) in found.iter().enumerate() {
            let of = |name: &str| theirs[name].as_array().map(|all| all[k].as_f64());
            for (name, ours) in [
                ("net_benefit", ours.net_benefit),
                ("treat_all", Some(ours.treat_all)),
                ("sensitivity", ours.sensitivity),
                ("specificity", ours.specificity),
                ("ppv", ours.ppv),
                ("npv", ours.npv),
            ] {
                match of(name) {
                    None => assert!(theirs["sensitivity"].is_null(), "{name}"),
                    Some(None) => assert_eq!(ours, None, "{name}"),
                    Some(Some(theirs)) => self.near(name, ours.unwrap(), theirs, EXACT),
                }
            }
        }
    }
}

fn numbers(values: &Value) -> Vec<f64> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

/// The probability of the last of two classes, and of both.
fn both(p: &[f64]) -> Vec<Vec<f64>> {
    vec![p.iter().map(|p| 1.0 - p).collect(), p.to_vec()]
}

#[test]
fn two_classes_are_judged_as_elsewhere() {
    for case in Case::of("binary") {
        let (positive, p, q) = (case.flags("positive"), case.numbers("p"), case.numbers("q"));
        let weights = case.numbers("weights");
        let weights = Weights::new(&weights);
        let found = Agreement::of_probabilities(&positive, &p, weights).unwrap();
        case.agrees(&found, &case.0["line"], &case.0["smooth"]);
        // (rms stops a little earlier)
        let rms = case.numbers("rms");
        case.near("intercept", found.intercept.unwrap(), rms[0], 1e-7);
        case.near("slope", found.slope.unwrap(), rms[1], 1e-7);
        let labels: Vec<usize> = positive.iter().map(|&p| usize::from(p)).collect();
        let brier = Skill::brier(&labels, &both(&p), weights).unwrap();
        case.near(
            "brier",
            brier.value,
            case.0["brier"].as_f64().unwrap(),
            EXACT,
        );
        let scaled = case.0["brier_scaled"].as_f64().unwrap();
        case.near("brier_scaled", brier.scaled.unwrap(), scaled, EXACT);
        let outcomes = Outcomes::Binary {
            positive: &positive,
            weights,
        };
        case.decides(outcomes, &p, &case.0["decisions"]);
        let one = delong(&positive, &p, weights).unwrap();
        let interval = one.interval.unwrap();
        case.all_near(
            "auc",
            &[interval.low, one.value, interval.high],
            &case.0["delong"],
        );
        let test = delong_difference(&positive, &p, &q, weights).unwrap();
        let theirs = case.numbers("delong_test");
        case.near("difference", test.value, theirs[0] - theirs[1], EXACT);
        case.near("p", test.p.unwrap(), theirs[2], EXACT);
        let interval = test.interval.unwrap();
        case.all_near(
            "difference",
            &[interval.low, interval.high],
            &case.0["delong_ci"],
        );
        // recalibration learns the line, and the isotonic steps
        let response = Response {
            weights: weights.given().map(<[f64]>::to_vec),
            ..classes(labels, 2)
        };
        let learned = Recalibration::of(&Prediction::Probabilities(both(&p)), &response, 0.0);
        let learned = learned.unwrap();
        let logistic = learned.logistic.unwrap();
        let line = &case.0["line"];
        case.near(
            "slope",
            logistic.slope,
            line["slope"].as_f64().unwrap(),
            EXACT,
        );
        let intercept = line["intercept"].as_f64().unwrap();
        case.near("intercept", logistic.intercepts[1], intercept, EXACT);
        let steps = &case.0["isotonic"];
        let ours: Vec<f64> = (numbers(&steps["at"]).iter())
            .map(|&p| learned.isotonic[0].at(p))
            .collect();
        case.all_near("isotonic", &ours, &steps["value"]);
    }
}

fn classes(labels: Vec<usize>, count: usize) -> Response {
    Outcome::Classes {
        labels,
        classes: (0..count).map(|class| class.to_string()).collect(),
        task: match count {
            2 => Task::Binary,
            _ => Task::Multiclass,
        },
    }
    .into()
}

#[test]
fn several_classes_are_told_apart_as_elsewhere() {
    for case in Case::of("multiclass") {
        let (labels, p) = (case.counts("labels"), case.columns("p"));
        let weights = case.numbers("weights");
        let names: Vec<String> = (0..4).map(|class| class.to_string()).collect();
        let found = confusion(&labels, &names, &p, Weights::new(&weights)).unwrap();
        for (ours, theirs) in found.counts.iter().zip(case.columns("confusion")) {
            assert_eq!(*ours, theirs);
        }
        let theirs = case.columns("by_class");
        let auc = case.numbers("auc_by_class");
        for (k, ours) in found.by_class.iter().enumerate() {
            case.near("precision", ours.precision, theirs[0][k], EXACT);
            case.near("recall", ours.recall, theirs[1][k], EXACT);
            case.near("f1", ours.f1, theirs[2][k], EXACT);
            case.near("auc", ours.auc.unwrap(), auc[k], EXACT);
        }
        for (name, ours) in [
            ("macro", found.macro_average),
            ("micro", found.micro_average),
        ] {
            let ours = [ours.precision, ours.recall, ours.f1, ours.auc.unwrap()];
            case.all_near(name, &ours, &case.0[name]);
        }
        let brier = probability_brier(&labels, &p, Weights::new(&weights)).unwrap();
        case.near("brier", brier, case.0["brier"].as_f64().unwrap(), EXACT);
    }
}

#[test]
fn recalibration_is_an_unpenalised_logistic_regression() {
    for case in Case::of("recalibration") {
        let (labels, p) = (case.counts("labels"), case.numbers("p"));
        let response = classes(labels, 2);
        let said = Prediction::Probabilities(both(&p));
        let map = Recalibration::of(&said, &response, 0.0)
            .unwrap()
            .logistic
            .unwrap();
        for (p, theirs) in p.iter().zip(case.numbers("corrected")) {
            let eta = map.intercepts[1] + map.slope * (p / (1.0 - p)).ln();
            case.near("corrected", 1.0 / (1.0 + (-eta).exp()), theirs, 1e-6);
        }
    }
}

#[test]
fn survival_is_judged_as_elsewhere() {
    for case in Case::of("survival") {
        let (train_time, train_event) = (case.numbers("train_time"), case.flags("train_event"));
        let (time, event) = (case.numbers("time"), case.flags("event"));
        let (risk, times) = (case.numbers("risk"), case.numbers("times"));
        let weights = case.numbers("weights");
        let train = Survival::new(&train_time, &train_event);
        let rows = Survival {
            weights: Weights::new(&weights),
            ..Survival::new(&time, &event)
        };
        let theirs = |name: &str| case.0[name].as_f64().unwrap();
        let uno = |tau| concordance_uno(train, rows, &risk, tau).unwrap();
        case.near("uno", uno(None), theirs("uno_c"), EXACT);
        let tau = Some(theirs("tau"));
        case.near("uno to tau", uno(tau), theirs("uno_c_tau"), EXACT);
        let tauc = cumulative_dynamic_auc(train, rows, &risk, &times).unwrap();
        case.all_near("tauc", &tauc.at, &case.0["tauc"]);
        case.near("tauc_mean", tauc.mean, theirs("tauc_mean"), EXACT);
        let survival = case.columns("survival");
        let brier = Skill::brier_at(train, rows, &survival, &times).unwrap();
        let of = |of: fn(&Skill) -> f64| brier.iter().map(of).collect::<Vec<f64>>();
        case.all_near("brier", &of(|skill| skill.value), &case.0["brier"]);
        case.all_near("brier_null", &of(|skill| skill.null), &case.0["brier_null"]);
        let ibs = Skill::integrated_brier(train, rows, &survival, &times).unwrap();
        case.near("ibs", ibs.value, theirs("ibs"), EXACT);
        case.near(
            "ibs_scaled",
            ibs.scaled.unwrap(),
            theirs("ibs_scaled"),
            EXACT,
        );
        for ((curve, &t), theirs) in survival
            .iter()
            .zip(&times)
            .zip(case.0["horizon"].as_array().unwrap())
        {
            let found = Agreement::of_survival(train, rows, curve, t).unwrap();
            case.agrees(&found, theirs, &theirs["smooth"]);
            let ratio = theirs["observed_expected"].as_f64().unwrap();
            case.near("o/e", found.observed_expected.unwrap(), ratio, EXACT);
            let risk: Vec<f64> = curve.iter().map(|s| 1.0 - s).collect();
            case.decides(Outcomes::By { rows, time: t }, &risk, theirs);
        }
        let test = d_calibration(rows, &case.numbers("own")).unwrap();
        case.all_near(
            "d_calibration",
            &[test.chi_squared, test.p],
            &case.0["d_calibration"],
        );
        case.all_near("d_bins", &test.bins, &case.0["d_bins"]);
        let response = Response {
            weights: Some(weights.clone()),
            ..Outcome::Survival {
                time: time.clone(),
                event: event.clone(),
            }
            .into()
        };
        let learned = Recalibration::of(&Prediction::Risk(risk.clone()), &response, 0.0).unwrap();
        let map = learned.baseline.unwrap();
        case.near("cox slope", map.slope, theirs("cox_slope"), EXACT);
        let hazard: Vec<f64> = (times.iter())
            .map(|&t| map.log_cumulative_hazard[map.time.partition_point(|&s| s <= t) - 1].exp())
            .collect();
        case.all_near("cox baseline", &hazard, &case.0["cox_baseline"]);
    }
}

/// Everything at once is what each concept says alone, with an interval that holds it.
#[test]
fn an_evaluation_gathers_everything_with_intervals() {
    let case = &Case::of("survival")[1];
    let response: Response = Outcome::Survival {
        time: case.numbers("time"),
        event: case.flags("event"),
    }
    .into();
    let train = Outcome::Survival {
        time: case.numbers("train_time"),
        event: case.flags("train_event"),
    };
    let asked = Asked {
        times: case.numbers("times"),
        tau: Some(5.0),
        thresholds: vec![0.2],
        curves: true,
        train: Some(train.into()),
        bootstrap: Some(Bootstrap {
            samples: 100,
            seed: 1,
            corrected: true,
        }),
    };
    let predicted = Predicted {
        prediction: Prediction::Risk(case.numbers("risk")),
        survival: case.columns("survival"),
        own: case.numbers("own"),
    };
    let found = Evaluation::new(&predicted, &response, &asked).unwrap();
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json.as_object().unwrap().keys().next().unwrap(), "c_index");
    let theirs = |name: &str| case.0[name].as_f64().unwrap();
    case.near(
        "uno",
        json["uno_c"].as_f64().unwrap(),
        theirs("uno_c_tau"),
        EXACT,
    );
    case.all_near("brier", &numbers(&json["brier"]), &case.0["brier"]);
    let chi = json["d_calibration"]["chi_squared"].as_f64().unwrap();
    case.near(
        "d_calibration",
        chi,
        numbers(&case.0["d_calibration"])[0],
        EXACT,
    );
    let slope = json["calibration"][1]["slope"].as_f64().unwrap();
    let horizon = &case.0["horizon"][1];
    case.near("slope", slope, horizon["slope"].as_f64().unwrap(), EXACT);
    assert_eq!(json["calibration"][1]["time"], 4.0);
    let curve = &json["decision_curve"][1];
    let at = numbers(&curve["threshold"])
        .iter()
        .position(|t| *t == 0.2)
        .unwrap();
    let benefit = horizon["net_benefit"][1].as_f64().unwrap();
    case.near(
        "benefit",
        curve["net_benefit"][at].as_f64().unwrap(),
        benefit,
        EXACT,
    );
    let intervals = found.intervals.unwrap();
    let figures = Evaluation::new(
        &predicted,
        &response,
        &Asked {
            bootstrap: None,
            ..asked
        },
    )
    .unwrap()
    .figures();
    assert_eq!(
        intervals.figures.keys().collect::<Vec<_>>(),
        figures.keys().collect::<Vec<_>>()
    );
    for name in [
        "c_index",
        "uno_c",
        "tauc[4]",
        "ibs",
        "calibration[4].slope",
        "thresholds[4, 0.2].ppv",
    ] {
        let interval = intervals.figures[name].unwrap();
        assert_eq!(interval.method, IntervalMethod::Bca, "{name}");
        let value = figures[name];
        assert!(interval.low <= value && value <= interval.high, "{name}");
        assert!(interval.low < interval.high, "{name}");
    }
}

/// The AUC's interval is DeLong's where rows are independent, and drawn where they are not.
#[test]
fn comparisons_are_paired_and_say_how_they_were_made() {
    let case = &Case::of("binary")[0];
    let labels: Vec<usize> = case
        .flags("positive")
        .iter()
        .map(|&p| usize::from(p))
        .collect();
    let response = classes(labels, 2);
    let said =
        |name: &str| -> Predicted { Prediction::Probabilities(both(&case.numbers(name))).into() };
    let (a, b) = (said("p"), said("q"));
    let bootstrap = Bootstrap {
        samples: 400,
        seed: 3,
        corrected: true,
    };
    let asked = Asked::default();
    let compare =
        |a: &Predicted, response: &Response| Comparison::new([a, &b], response, &asked, &bootstrap);
    let found = compare(&a, &response).unwrap();
    let auc = found.figures["auc"];
    let theirs = case.numbers("delong_test");
    case.near("difference", auc.difference, theirs[0] - theirs[1], EXACT);
    case.near("p", auc.p.unwrap(), theirs[2], EXACT);
    assert_eq!(auc.interval.unwrap().method, IntervalMethod::Delong);
    // the bootstrap comes to much the same
    let clustered = Response {
        clusters: Some((0..response.len()).collect()),
        ..response.clone()
    };
    let drawn = compare(&a, &clustered).unwrap();
    assert_eq!(
        (found.drawn.as_str(), drawn.drawn.as_str()),
        ("rows", "clusters")
    );
    let (exact, drawn) = (
        auc.interval.unwrap(),
        drawn.figures["auc"].interval.unwrap(),
    );
    assert_eq!(drawn.method, IntervalMethod::Bca);
    assert!((exact.low - drawn.low).abs() < 0.03 && (exact.high - drawn.high).abs() < 0.03);
    // a model differs from itself in nothing
    let same = compare(&b, &response).unwrap();
    for (name, figure) in &same.figures {
        assert_eq!((figure.difference, figure.p), (0.0, Some(1.0)), "{name}");
    }
    let names: BTreeMap<_, _> = found.figures.iter().collect();
    assert!(names.contains_key(&"calibration.slope".to_string()) && names.len() > 10);
    let few = a.rows(&[0, 1, 2]);
    let problem = compare(&few, &response).unwrap_err().to_string();
    assert!(
        problem.contains("of 3 rows, the second of 150"),
        "{problem}"
    );
}

#[test]
fn what_rows_leave_undefined_is_none_with_a_note() {
    let of = |labels: Vec<usize>, p: &[f64]| {
        let predicted = Prediction::Probabilities(both(p)).into();
        let asked = Asked {
            thresholds: vec![0.5],
            bootstrap: Some(Bootstrap::quick(1)),
            ..Asked::default()
        };
        Evaluation::new(&predicted, &classes(labels, 2), &asked)
    };
    let one = of(vec![1; 6], &[0.5, 0.6, 0.7, 0.8, 0.9, 0.4]).unwrap();
    let json = serde_json::to_value(&one).unwrap();
    assert!(json["auc"].is_null() && json["calibration"]["slope"].is_null());
    assert!(json["brier"].is_number() && json["brier_scaled"].is_null());
    assert!(
        one.notes[0].starts_with("auc is undefined: "),
        "{:?}",
        one.notes
    );
    assert!(of(vec![], &[]).is_err());
    assert!(of(vec![0, 1], &[0.5]).is_err());
    let survival = Response::from(Outcome::Survival {
        time: vec![3.0, 4.0, 5.0],
        event: vec![true, false, true],
    });
    let early = Evaluation::new(
        &Predicted {
            prediction: Prediction::Risk(vec![1.0, 0.5, 0.2]),
            survival: vec![vec![0.9; 3]],
            own: vec![],
        },
        &survival,
        &Asked {
            times: vec![2.0],
            ..Asked::default()
        },
    )
    .unwrap();
    let json = serde_json::to_value(&early).unwrap();
    assert!(json["tauc"].is_null() && json["brier"].is_null() && json.get("uno_c").is_none());
    assert!(
        early
            .notes
            .iter()
            .any(|note| note.contains("no event before it"))
    );
}

/// A fit learns what corrects it, keeps it in its file and applies it only when asked to.
#[test]
fn a_fit_stores_what_corrects_it() {
    use crate::common::{path_settings, planted};
    use threshnet::path::Direction;
    use threshnet::settings::Validation;
    use threshnet::solver::Unobserved;
    for (task, hows) in [
        (Task::Regression, &[][..]),
        (
            Task::Binary,
            &[Recalibrate::Logistic, Recalibrate::Isotonic],
        ),
        (
            Task::Multiclass,
            &[Recalibrate::Logistic, Recalibrate::Isotonic],
        ),
        (Task::Cox, &[Recalibrate::Baseline]),
    ] {
        let data = planted(task, (90, 6), (4, 1), 5);
        let mut settings = path_settings(&[0.02, 0.1], Direction::Backward);
        settings.validation = Validation::folds(3);
        settings.refit = true;
        (settings.first_epochs, settings.epochs) = (60, 30);
        settings.hidden = vec![4];
        let fit = threshnet::tune::fit(&data, &settings, &Unobserved).unwrap();
        let model = fit.model;
        let columns: Vec<Vec<f64>> = (model.columns().iter())
            .map(|&j| data.columns()[j].to_vec())
            .collect();
        let plain = model.predict(&columns, 90);
        let read = threshnet::model::Model::from_json(&model.to_json()).unwrap();
        assert_eq!(read, model);
        for how in Recalibrate::ALL {
            let corrected = read.clone().recalibrate(how);
            if !hows.contains(&how) {
                let problem = corrected.unwrap_err().to_string();
                assert!(problem.contains("does not correct"), "{problem}");
                continue;
            }
            let corrected = corrected.unwrap();
            let said = corrected.predict(&columns, 90);
            assert_ne!(said, plain, "{task:?} {how:?}");
            if let Prediction::Probabilities(p) = &said {
                for row in 0..90 {
                    let sum: f64 = p.iter().map(|column| column[row]).sum();
                    assert!((sum - 1.0).abs() < 1e-12);
                }
            }
            if let (Prediction::Risk(risk), Outcome::Survival { time, event }) =
                (&said, data.outcome())
            {
                // a hazard per row that was seen: as many events are expected as happen, nearly
                let expected: f64 = (risk.iter().zip(time))
                    .map(|(&r, &t)| -corrected.survival(r, t).ln())
                    .sum();
                let events = event.iter().filter(|&&event| event).count() as f64;
                assert!((expected / events - 1.0).abs() < 0.3, "{expected} {events}");
            }
            let again = threshnet::model::Model::from_json(&corrected.to_json()).unwrap();
            assert_eq!(again.predict(&columns, 90), said);
            assert!(
                again
                    .recalibrate(how)
                    .unwrap_err()
                    .to_string()
                    .contains("already")
            );
        }
        let mut none = model.clone();
        none.recalibration = None;
        for how in hows {
            let problem = none.clone().recalibrate(*how).unwrap_err().to_string();
            assert!(problem.contains("fit it again"), "{problem}");
        }
    }
}

/// Held-out risks are counted from the mean of training rows; the corrected model is on that scale.
#[test]
fn a_correction_knows_a_slope_that_is_wrong() {
    let (mut time, mut event, mut risk) = (vec![], vec![], vec![]);
    for i in 0..200 {
        let r = f64::from(i % 20) / 10.0 - 1.0;
        let u = (f64::from(i * 37 % 200) + 0.5) / 200.0;
        time.push(-u.ln() * (-r).exp());
        event.push(i % 5 != 0);
        risk.push(3.0 * r);
    }
    let response: Response = Outcome::Survival { time, event }.into();
    let learned = Recalibration::of(&Prediction::Risk(risk.clone()), &response, 7.0).unwrap();
    let map = learned.baseline.unwrap();
    assert!(
        (map.slope - 1.0 / 3.0).abs() < 0.05 && map.center == 7.0,
        "{}",
        map.slope
    );
    // ranked the wrong way: nothing is told
    let wrong = Prediction::Risk(risk.iter().map(|r| -r).collect());
    let learned = Recalibration::of(&wrong, &response, 0.0).unwrap();
    assert_eq!(learned.baseline.unwrap().slope, 0.0);
    let labels: Vec<usize> = (0..60).map(|i| usize::from(i % 3 == 0)).collect();
    let reverse = labels
        .iter()
        .enumerate()
        .map(|(i, &label)| match (label, i % 2) {
            (1, 0) => 0.3,
            (1, _) => 0.45,
            _ => 0.4 + 0.005 * i as f64,
        });
    let p = both(&reverse.collect::<Vec<f64>>());
    let said = Prediction::Probabilities(p);
    let map = Recalibration::of(&said, &classes(labels, 2), 0.0)
        .unwrap()
        .logistic
        .unwrap();
    assert_eq!(map.slope, 0.0);
    assert!((map.intercepts[1] - (20.0f64 / 40.0).ln()).abs() < 1e-9);
}
