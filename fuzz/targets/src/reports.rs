//! What a fit leaves, read again.

use threshnet::dataset::Task;
use threshnet::model::{Model, Prediction};
use threshnet::onnx::Curve;
use threshnet::report::FitReport;

/// How many columns a model may use here: more take time, and show nothing else.
const MOST: usize = 1000;

/// A `model.json`: whoever takes it predicts numbers, and writes the same again.
pub fn model(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let model = match Model::from_json(text) {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return;
        }
    };
    let again = Model::from_json(&model.to_json()).expect("what is written can be read");
    assert_eq!(again, model);
    let used = model.columns();
    if used.len() > MOST {
        return;
    }
    // rows as those of the fit, and one at the other end of the world
    let center = |&j: &usize| model.scaling.center[j];
    let beside = |&j: &usize| model.scaling.center[j] + model.scaling.scale[j];
    let columns: Vec<Vec<f64>> = (used.iter())
        .map(|j| vec![center(j), beside(j), 1e300])
        .collect();
    // (what is next to the end of the range of numbers may go beyond it)
    let known = columns.iter().map(|column| column[1]);
    let known = known.chain([model.target.0, model.target.1]);
    let ordinary = known.into_iter().all(|value| value.abs() < 1e100);
    let prediction = model.predict(&columns, 3);
    for values in prediction.columns() {
        assert_eq!(values.len(), 3);
        let finite = values[0].is_finite() && values[1].is_finite();
        assert!(finite || !ordinary, "{values:?}");
    }
    if let (Task::Cox, Prediction::Risk(risk)) = (model.task, &prediction) {
        let survival = model.survival(risk[0], 1.0);
        assert!((0.0..=1.0).contains(&survival), "{survival}");
    }
    let curve = Curve {
        name: "survival_1".into(),
        time: 1.0,
    };
    let curves = match model.task {
        Task::Cox => vec![curve],
        _ => vec![],
    };
    let _ = threshnet::onnx::export(&model, &curves);
}

/// A `report.json`: whoever takes it makes a page, a card and figures.
pub fn report(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let report = match FitReport::from_json(text) {
        Ok(report) => report,
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return;
        }
    };
    let page = threshnet_report::html(&report).expect("a page");
    assert!(page.len() > 1000);
    assert!(!threshnet_report::card(&report).is_empty());
    for (name, drawing) in threshnet_report::drawings(&report).expect("figures") {
        let bad = drawing
            .chars()
            .find(|&c| c.is_control() && !"\n\r\t".contains(c));
        assert_eq!(bad, None, "{name}");
    }
}
