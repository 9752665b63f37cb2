//! `threshnet predict`: predictions as CSV, a few rows at a time: memory does not grow with the
//! number of rows.

use super::{
    as_in_fit, beyond, check_times, load_ensemble, load_model, put_in, recalibrated, tell,
};
use crate::args::PredictArgs;
use crate::output::tables::put;
use anyhow::{Result, anyhow};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{BufWriter, stdout};
use std::path::Path;
use threshnet::conformal::Region;
use threshnet::dataset::Task;
use threshnet::error::Error;
use threshnet::format::number;
use threshnet::model::{Model, Prediction, most_probable};
use threshnet_io::text::Encoded;
use threshnet_io::{FeatureStream, Features, Needed, Rows};

/// How many standard deviations of the fit's rows from their mean are far outside.
const FAR: f64 = 10.0;

pub fn run(args: &PredictArgs) -> Result<()> {
    let model = match args.ensemble {
        true => load_ensemble(&args.model)?,
        false => load_model(&args.model)?,
    };
    let model = recalibrated(model, &args.model, args.recalibrate)?;
    check_times(&args.survival.times, model.task)?;
    if let Some(coverage) = args.interval {
        // (what cannot be promised is refused before a row is read)
        let none = Prediction::of(model.task, vec![vec![]; model.classes.len().max(1)]);
        region(&model, &args.model, &none, coverage)?;
    }
    let input = as_in_fit(args.names.input(&args.data), &model);
    let mut stream = FeatureStream::open(&input, Needed::of(&model), &args.id)?;
    tell(&stream.notes);
    tell(&beyond(&model, &args.survival.times));
    let mut out = csv::Writer::from_writer(BufWriter::new(stdout().lock()));
    let (mut header_is_written, mut seen) = (false, Seen::default());
    loop {
        let (mut blocks, problem) = next_blocks(&mut stream);
        let predicted: Vec<Vec<(String, Vec<String>)>> = (blocks.par_iter_mut())
            .map(|Rows { features, .. }| {
                let prediction = model.predict(&features.encoded.columns, features.rows);
                for row in (0..features.rows).filter(|&row| !prediction.is_finite(row)) {
                    let why = features.beyond(row);
                    features.bad.entry(row).or_insert(why);
                }
                let mut columns = output_columns(&model, &prediction, &args.survival.times);
                if let Some(coverage) = args.interval {
                    let region = region(&model, &args.model, &prediction, coverage)?;
                    columns.extend(region_columns(&model, &region));
                }
                Ok(columns)
            })
            .collect::<Result<_>>()?;
        for (columns, block) in predicted.iter().zip(&blocks) {
            seen.add(&model, &block.features);
            if seen.refused(args.skip_bad) {
                // (the rest is read for the count of bad rows alone)
                continue;
            }
            if !header_is_written {
                let note = args.skip_bad.then_some("note");
                let names = columns.iter().map(|(name, _)| name.as_str());
                let ids = args.id.iter().map(|id| id.trim());
                put(&mut out, ids.chain(names).chain(note))?;
                header_is_written = true;
            }
            for row in 0..block.features.rows {
                let ids = block.ids.iter().map(|id| id[row].as_str());
                let why = block.features.bad.get(&row).map(String::as_str);
                let values = columns.iter().map(|(_, values)| match why {
                    None => values[row].as_str(),
                    Some(_) => "",
                });
                let note = args.skip_bad.then(|| why.unwrap_or_default());
                put(&mut out, ids.chain(values).chain(note))?;
            }
        }
        if let Some(problem) = problem {
            // Rows before those that cannot be read are written.
            out.flush()?;
            return Err(problem);
        }
        if blocks.is_empty() {
            out.flush()?;
            return match &seen.first_bad {
                Some(first) if !args.skip_bad => Err(stream.refused(first, seen.bad)),
                _ => {
                    tell(&seen.notes(args.skip_bad));
                    Ok(())
                }
            };
        }
    }
}

/// What there is to say of all rows.
#[derive(Default)]
struct Seen {
    total: Encoded,
    bad: usize,
    first_bad: Option<String>,
    /// How many rows have a value far outside, by column.
    far: BTreeMap<usize, usize>,
    names: BTreeMap<usize, String>,
}

impl Seen {
    fn add(&mut self, model: &Model, features: &Features) {
        self.total.imputed += features.encoded.imputed;
        self.total.unseen += features.encoded.unseen;
        self.bad += features.bad.len();
        if let Some(first) = features.bad.values().next() {
            self.first_bad.get_or_insert_with(|| first.clone());
        }
        for (j, values) in model.columns().into_iter().zip(&features.encoded.columns) {
            let (center, scale) = (model.scaling.center[j], model.scaling.scale[j]);
            let feature = model.features.of_column(j);
            // (columns that were not standardised tell nothing, and levels are no numbers)
            let is_number = model.features.columns_of(feature).start == j
                && model.features.levels(feature).is_none();
            if !is_number || (center, scale) == (0.0, 1.0) {
                continue;
            }
            let is_far = |value: &&f64| (*value - center).abs() > FAR * scale;
            let far = values.iter().filter(is_far).count();
            if far > 0 {
                *self.far.entry(j).or_default() += far;
                self.names
                    .entry(j)
                    .or_insert_with(|| model.features.column_name(j));
            }
        }
    }

    /// Whether a bad row has refused the file.
    fn refused(&self, skip_bad: bool) -> bool {
        self.bad > 0 && !skip_bad
    }

    fn notes(&self, skip_bad: bool) -> Vec<String> {
        let rows = |count: usize| {
            if count == 1 {
                "1 row".into()
            } else {
                format!("{count} rows")
            }
        };
        let mut notes = put_in(&self.total);
        notes.extend(self.far.iter().map(|(j, &count)| {
            format!(
                "{:?} is more than {FAR} standard deviations from the mean of the fit in {}",
                self.names[j],
                rows(count)
            )
        }));
        if self.bad > 0 && skip_bad {
            notes.push(format!(
                "{} left without a prediction, as `note` says",
                rows(self.bad)
            ));
        }
        notes
    }
}

/// Some blocks of rows for all threads to work on, and what went wrong with the one behind them.
fn next_blocks(stream: &mut FeatureStream) -> (Vec<Rows>, Option<anyhow::Error>) {
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

/// Where outcomes will be; what this model cannot promise is a problem of its file.
fn region(model: &Model, file: &Path, said: &Prediction, coverage: f64) -> Result<Region> {
    model.region(said, coverage).map_err(|error| match error {
        Error::Data(problem) => anyhow!("{}: {problem}", file.display()),
        other => other.into(),
    })
}

/// The columns that tell of it.
fn region_columns(model: &Model, region: &Region) -> Vec<(String, Vec<String>)> {
    let text = |values: &[f64]| values.iter().copied().map(number).collect::<Vec<String>>();
    match region {
        Region::Interval { lower, upper } => {
            vec![("lower".into(), text(lower)), ("upper".into(), text(upper))]
        }
        Region::LowerBound(lower) => vec![("lower".into(), text(lower))],
        Region::Classes(sets) => (model.classes.iter().zip(sets))
            .map(|(class, is_in)| {
                let cells = is_in.iter().map(|is_in| u8::from(*is_in).to_string());
                (format!("set_{class}"), cells.collect())
            })
            .collect(),
    }
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
