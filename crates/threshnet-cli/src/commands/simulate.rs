//! `threshnet simulate`: a design of the paper as CSV.

use crate::args::SimulateArgs;
use crate::memory;
use anyhow::Result;
use std::io::{BufWriter, Write, stdout};
use threshnet::dataset::Outcome;
use threshnet::format::number;
use threshnet::simulate::Simulation;

pub fn run(args: &SimulateArgs) -> Result<()> {
    memory::check_table(args.n, args.d)?;
    let mut simulation = Simulation::new(args.design, args.n, args.d);
    simulation.correlation = args.correlation;
    simulation.censoring = args.censoring;
    simulation.seed = args.seed;
    let data = simulation.draw()?;
    let outcome_names: &[&str] = match data.outcome() {
        Outcome::Survival { .. } => &["time", "event"],
        _ => &["y"],
    };
    let mut out = csv::Writer::from_writer(BufWriter::new(stdout().lock()));
    out.write_record(
        data.names()
            .iter()
            .map(String::as_str)
            .chain(outcome_names.iter().copied()),
    )?;
    for i in 0..data.n() {
        let mut row: Vec<String> = data.columns().iter().map(|c| number(c.at(i))).collect();
        match data.outcome() {
            Outcome::Continuous(y) => row.push(number(y[i])),
            Outcome::Classes {
                labels, classes, ..
            } => row.push(classes[labels[i]].clone()),
            Outcome::Survival { time, event } => {
                row.extend([number(time[i]), u8::from(event[i]).to_string()]);
            }
        }
        out.write_record(row)?;
    }
    Ok(out.into_inner().map_err(|e| e.into_error())?.flush()?)
}
