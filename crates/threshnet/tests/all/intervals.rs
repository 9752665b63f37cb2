//! Prediction intervals, sets and lower bounds.

use crate::common::{TASKS, normal_columns, outcome, planted};
use threshnet::conformal::Region;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::model::{Model, Prediction};
use threshnet::settings::{Request, ValidationName};
use threshnet::solver::Unobserved;
use threshnet::tune::fit;
use threshnet::validate::predicted;

fn request() -> Request {
    Request {
        hidden: Some(vec![]),
        ..Request::default()
    }
}

fn fitted(data: &Dataset, request: &Request) -> Model {
    let settings = request.settings_for(data).unwrap();
    fit(data, &settings, &Unobserved).unwrap().model
}

/// Which rows are in their region; none of a time that is not known to be.
fn covered(region: &Region, outcome: &Outcome) -> Vec<bool> {
    match (region, outcome) {
        (Region::Interval { lower, upper }, Outcome::Continuous(y)) => (0..y.len())
            .map(|row| (lower[row]..=upper[row]).contains(&y[row]))
            .collect(),
        (Region::Classes(sets), Outcome::Classes { labels, .. }) => (0..labels.len())
            .map(|row| sets[labels[row]][row])
            .collect(),
        (Region::LowerBound(lower), Outcome::Survival { time, .. }) => {
            (0..time.len()).map(|row| time[row] >= lower[row]).collect()
        }
        _ => panic!("another kind"),
    }
}

/// Under the default draws with selection, on fresh rows, each task over several data sets: a
/// mean over 8 × 2000 rows given 8 × 150 for calibration has a standard error of about one point.
#[test]
fn regions_cover_what_they_state_after_a_selection() {
    let (n, fresh, sets) = (150, 2000, 8);
    for task in TASKS {
        let mut shares = vec![];
        for seed in 0..sets {
            // one draw of rows: the first to learn from, the others fresh, none of them censored
            let columns = normal_columns(n + fresh, 12, 40 + seed);
            let signal: Vec<f64> = columns[4]
                .iter()
                .zip(&columns[1])
                .map(|(a, b)| a - 0.7 * b)
                .collect();
            let mut all = outcome(task, &signal, seed);
            let truth = match &mut all {
                Outcome::Survival { time, event } => {
                    let truth = time.clone();
                    // censoring that has nothing to do with columns: at a time of its own
                    for row in 0..n {
                        let end = 5.0 + (row % 40) as f64;
                        (time[row], event[row]) = (time[row].min(end), time[row] <= end);
                    }
                    Outcome::Survival {
                        event: vec![true; truth.len()],
                        time: truth,
                    }
                }
                other => other.clone(),
            };
            let names = (0..12).map(|j| format!("x{j}")).collect();
            let whole = Dataset::new(names, columns, all).unwrap();
            let data = whole.subset(&(0..n).collect::<Vec<_>>()).unwrap();
            let model = fitted(&data, &request());
            let rows: Vec<usize> = (n..n + fresh).collect();
            let region = model
                .region(&predicted(&model, &whole, rows.clone()), 0.8)
                .unwrap();
            let covered = covered(&region, &truth.rows(&rows));
            shares.push(covered.iter().filter(|is| **is).count() as f64 / fresh as f64);
        }
        let mean = shares.iter().sum::<f64>() / sets as f64;
        assert!((mean - 0.8).abs() < 0.035, "{task:?}: {mean} {shares:?}");
    }
}

#[test]
fn regions_are_wider_for_more_coverage_and_are_kept_in_the_file() {
    for task in TASKS {
        let data = planted(task, (90, 6), (4, 1), 5);
        let model = fitted(&data, &request());
        let again = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(again.conformal, model.conformal);
        let said = predicted(&model, &data, (0..90).collect());
        let (narrow, wide) = (
            model.region(&said, 0.5).unwrap(),
            again.region(&said, 0.9).unwrap(),
        );
        match (narrow, wide) {
            (Region::Interval { lower: a, upper: b }, Region::Interval { lower: c, upper: d }) => {
                assert!((0..90).all(|row| c[row] < a[row] && b[row] < d[row]));
            }
            (Region::Classes(few), Region::Classes(many)) => {
                for (few, many) in few.iter().zip(&many) {
                    assert!(few.iter().zip(many).all(|(few, many)| !few || *many));
                }
            }
            (Region::LowerBound(late), Region::LowerBound(early)) => {
                assert!((0..90).all(|row| early[row] <= late[row]));
                let times: Vec<f64> = model.baseline.iter().map(|step| step.0).collect();
                assert!(early.iter().all(|bound| times.contains(bound)));
                // (a higher risk has an earlier bound)
                let Prediction::Risk(risk) = &said else {
                    panic!()
                };
                for (a, b) in (0..90).flat_map(|a| (0..90).map(move |b| (a, b))) {
                    assert!(risk[a] < risk[b] || early[a] <= early[b]);
                }
            }
            _ => panic!("kinds differ"),
        }
    }
}

#[test]
fn a_model_promises_no_more_than_held_out_rows_allow() {
    let data = planted(Task::Regression, (60, 6), (4, 1), 5);
    let said = Prediction::Numbers(vec![0.0]);
    let says =
        |model: &Model, coverage: f64| model.region(&said, coverage).unwrap_err().to_string();
    let model = fitted(&data, &request());
    assert!(
        says(&model, 0.999).contains("at least 999 held-out rows"),
        "{}",
        says(&model, 0.999)
    );
    for bad in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(says(&model, bad).contains("is no coverage"));
    }
    let none = Request {
        validation: Some(ValidationName::None),
        lambdas: Some(vec![0.1]),
        ridges: Some(vec![0.01]),
        ..request()
    };
    assert!(says(&fitted(&data, &none), 0.9).contains("no held-out rows"));
    // a selection that saw all rows
    let settings = request().on_selected(&data, &[1, 4]).unwrap();
    let selected = fit(&data, &settings, &Unobserved).unwrap();
    assert!(selected.held_out.is_some() && selected.model.conformal.is_none());
    // another point of the path was not held out
    let settings = request().settings_for(&data).unwrap();
    assert!(
        fit(&data, &settings, &Unobserved)
            .unwrap()
            .at(0)
            .conformal
            .is_none()
    );
}

#[test]
fn a_damaged_file_is_refused() {
    let data = planted(Task::Regression, (60, 6), (4, 1), 5);
    let mut model = fitted(&data, &request());
    let conformal = model.conformal.as_mut().unwrap();
    conformal.scores.reverse();
    let problem = Model::from_json(&model.to_json()).unwrap_err().to_string();
    assert!(problem.contains("scores of held-out rows"), "{problem}");
}
