//! `threshnet predict`: predictions as CSV.

use super::scores::most_probable;
use super::{check_times, load_model, needed};
use crate::args::PredictArgs;
use crate::data::load_features;
use crate::output::number;
use anyhow::Result;
use std::io::{BufWriter, Write, stdout};
use threshnet::dataset::Task;
use threshnet::model::{Model, Prediction};

pub fn run(args: &PredictArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    check_times(&args.times, model.task)?;
    let features = load_features(&args.data, &needed(&model))?;
    let prediction = model.predict(&features.columns, features.rows);
    let columns = output_columns(&model, &prediction, &args.times);
    let mut out = csv::Writer::from_writer(BufWriter::new(stdout().lock()));
    out.write_record(columns.iter().map(|(name, _)| name))?;
    for i in 0..features.rows {
        out.write_record(columns.iter().map(|(_, values)| &values[i]))?;
    }
    Ok(out.into_inner().map_err(|e| e.into_error())?.flush()?)
}

/// The columns to print: (name, one text per row).
fn output_columns(
    model: &Model,
    prediction: &Prediction,
    times: &[f64],
) -> Vec<(String, Vec<String>)> {
    let text = |values: &[f64]| values.iter().copied().map(number).collect::<Vec<String>>();
    match prediction {
        Prediction::Numbers(numbers) => vec![("prediction".into(), text(numbers))],
        Prediction::Probabilities(p) => {
            let mut columns: Vec<(String, Vec<String>)> = match model.task {
                Task::Binary => vec![("probability".into(), text(&p[1]))],
                _ => (model.classes.iter().zip(p))
                    .map(|(class, p)| (format!("probability_{class}"), text(p)))
                    .collect(),
            };
            let labels = most_probable(p)
                .into_iter()
                .map(|class| model.classes[class].clone())
                .collect();
            columns.push(("label".into(), labels));
            columns
        }
        Prediction::Risk(risk) => {
            let survival = |t: f64| {
                risk.iter()
                    .map(|&r| number(model.survival(r, t)))
                    .collect::<Vec<String>>()
            };
            let mut columns = vec![("risk".into(), text(risk))];
            columns.extend(
                times
                    .iter()
                    .map(|&t| (format!("survival_{}", number(t)), survival(t))),
            );
            columns
        }
    }
}
