//! What selected columns are worth on rows that models did not see.

use crate::common::{dataset, normal_columns, random};
use threshnet::dataset::{Dataset, Outcome};
use threshnet::metrics::Metric;
use threshnet::settings::{Request, ValidationName};
use threshnet::solver::Unobserved;
use threshnet::threads;
use threshnet::tune::{Fit, fit};
use threshnet::validate::{ColumnImportance, Importance, importance};

fn request() -> Request {
    Request {
        hidden: Some(vec![]),
        validation: Some(ValidationName::Folds(3)),
        lambdas: Some(vec![0.0]),
        ridges: Some(vec![0.001]),
        ..Request::default()
    }
}

fn of(data: &Dataset) -> (Fit, Importance) {
    let request = request();
    let settings = request.settings_for(data).unwrap();
    let fit = fit(data, &settings, &Unobserved).unwrap();
    let found = importance(data, &request, &fit, &Unobserved)
        .unwrap()
        .unwrap();
    (fit, found)
}

fn column(found: &Importance, index: usize) -> &ColumnImportance {
    found.columns.iter().find(|of| of.index == index).unwrap()
}

/// y = 2·x0 + x1 + noise, x2 is noise, x3 nearly x0 again.
fn planted(n: usize) -> Dataset<'static> {
    let mut columns = normal_columns(n, 3, 7);
    let mut random = random(11);
    let copy = columns[0]
        .iter()
        .map(|x| x + 0.05 * random.normal())
        .collect();
    let y = (0..n).map(|row| 2.0 * columns[0][row] + columns[1][row] + random.normal());
    let y = y.collect();
    columns.push(copy);
    dataset(columns, Outcome::Continuous(y))
}

#[test]
fn a_column_is_worth_what_the_others_do_not_say() {
    let data = planted(240);
    let (fit, found) = of(&data);
    assert_eq!(fit.model.selected(), [0, 1, 2, 3]);
    assert_eq!(
        (found.metric, found.columns.len(), found.folds),
        (Metric::R2, 4, 5)
    );
    // R² is 5/6; x1 alone is 1/6 of the variance, which nothing else says
    let all = found.all.unwrap().value;
    assert!((all - 5.0 / 6.0).abs() < 0.06, "{all}");
    let one = column(&found, 1);
    let dropped = one.dropped.unwrap();
    assert!((dropped.value - 1.0 / 6.0).abs() < 0.06, "{dropped:?}");
    assert!(dropped.interval.unwrap().0 > 0.0);
    // permuting a column of a linear model loses twice what leaving it out does: 2·β²·Var(x|others)
    let permuted = one.permuted.unwrap();
    assert!((permuted.value - 2.0 / 6.0).abs() < 0.1, "{permuted:?}");
    // noise, and a column with a copy: nothing is lost without them, though x0 is the strongest
    for index in [0, 2, 3] {
        let of = column(&found, index);
        assert!(of.dropped.unwrap().value.abs() < 0.03, "{of:?}");
        assert!(of.permuted.unwrap().value.abs() < 0.06, "{of:?}");
    }
    assert_eq!(found.columns[0].index, 1);
}

#[test]
fn threads_do_not_matter_and_nothing_selected_has_none() {
    let data = planted(90);
    let with = |jobs: usize| threads::pool(Some(jobs)).unwrap().install(|| of(&data).1);
    assert_eq!(with(1), with(3));
    let request = Request {
        lambdas: Some(vec![1e5]),
        validation: Some(ValidationName::None),
        ..request()
    };
    let settings = request.settings_for(&data).unwrap();
    let fit = fit(&data, &settings, &Unobserved).unwrap();
    assert!(fit.model.selected().is_empty());
    assert_eq!(
        importance(&data, &request, &fit, &Unobserved).unwrap(),
        None
    );
}
