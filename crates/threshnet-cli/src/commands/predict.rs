//! `threshnet predict`: predictions as CSV, a few rows at a time: memory does not grow with the
//! number of rows.

use super::{check_times, load_model};
use crate::args::PredictArgs;
use anyhow::Result;
use rayon::prelude::*;
use std::io::{BufWriter, Write, stdout};
use threshnet::dataset::Task;
use threshnet::format::number;
use threshnet::model::{Model, Prediction, most_probable};
use threshnet_io::{FeatureStream, Features, Needed};

pub fn run(args: &PredictArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    check_times(&args.survival.times, model.task)?;
    let mut stream = FeatureStream::open(&args.names.input(&args.data), Needed::of(&model))?;
    let mut out = csv::Writer::from_writer(BufWriter::new(stdout().lock()));
    let mut first = true;
    loop {
        let (blocks, problem) = next_blocks(&mut stream);
        let predicted: Vec<Vec<(String, Vec<String>)>> = (blocks.par_iter())
            .map(|block| {
                let prediction = model.predict(&block.columns, block.rows);
                output_columns(&model, &prediction, &args.survival.times)
            })
            .collect();
        for (columns, block) in predicted.iter().zip(&blocks) {
            if first {
                out.write_record(columns.iter().map(|(name, _)| name))?;
                first = false;
            }
            for i in 0..block.rows {
                out.write_record(columns.iter().map(|(_, values)| &values[i]))?;
            }
        }
        if let Some(problem) = problem {
            // Rows before a bad one are written.
            out.flush()?;
            return Err(problem);
        }
        if blocks.is_empty() {
            return Ok(out.into_inner().map_err(|e| e.into_error())?.flush()?);
        }
    }
}

/// Some blocks of rows for all threads to work on, and what went wrong with the one behind them.
fn next_blocks(stream: &mut FeatureStream) -> (Vec<Features>, Option<anyhow::Error>) {
    let mut blocks = Vec::new();
    while blocks.len() < rayon::current_num_threads() {
        match stream.next() {
            Some(Ok(block)) => blocks.push(block),
            None => break,
            Some(Err(problem)) => return (blocks, Some(problem)),
        }
    }
    (blocks, None)
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
