//! The demo on simulated data, of which the truth is known, explained.

use crate::args::DemoArgs;
use crate::commands::fit::resume;
use crate::commands::runs::kept;
use crate::commands::{Running, run_fit};
use crate::output::fitted;
use crate::output::ledger::Ledger;
use crate::output::plot::{Line, solution_path};
use crate::output::text::models;
use crate::signals;
use anyhow::Result;
use std::io::{Write, stdout};
use std::time::Instant;
use threshnet::metrics::Metric;
use threshnet::report::Fitted;
use threshnet::settings::Request;
use threshnet::simulate::{Scenario, Simulation};
use threshnet_report::words::with_interval;

const ROWS: usize = 300;
const COLUMNS: usize = 20;
/// The seed that is taken if none is said.
const SEED: u64 = 1;

pub fn run(args: &DemoArgs) -> Result<()> {
    let ledger = Ledger::lock(&args.out)?;
    let place = ledger.place();
    signals::set_last_words(move || place.last_words());
    let mut out = stdout().lock();
    let mut simulation = Simulation::new(Scenario::Regression, ROWS, COLUMNS);
    let seed = args.seed.unwrap_or(SEED);
    simulation.seed = seed;
    let data = simulation.draw()?;
    writeln!(
        out,
        "Simulated {ROWS} rows of the paper's regression design: {COLUMNS} standard normal columns,\n\n  \
         y = log(|x1| + 0.1) + x1·x2 + x2 + exp(x3 + x4) + noise\n\n\
         Only x1 to x4 matter. Fitting networks with hidden layers 10, 5 and the MCP penalty along\n\
         50 lambdas for each of 9 ridges, twelve times, each time with other rows held out; and\n\
         linear models beside them …\n"
    )?;
    let request = Request {
        // The design is used as drawn, as in the paper.
        standardize: false,
        seed,
        ..Request::default()
    };
    let settings = request.settings_for(&data)?;
    let started = Instant::now();
    resume(Some(&ledger), &data, &settings)?;
    let running = Running {
        jobs: args.jobs,
        quiet: args.quiet,
        ledger: Some(&ledger),
    };
    let mut fit = run_fit(&data, &settings, running).map_err(|error| kept(error, Some(&ledger)))?;
    let seconds = started.elapsed().as_secs_f64();
    for model in fit.models_mut() {
        model.outcome = vec!["y".into()];
    }
    let made = Fitted {
        data: &data,
        request: &request,
        settings: &settings,
        fit: &fit,
        controlled: None,
        nested: None,
        importance: None,
        seconds,
        explain: true,
    };
    let report = fitted::report(&made, None, args.jobs)?;
    let epochs: usize = report
        .validation
        .grid
        .iter()
        .map(|point| point.epochs)
        .sum();
    writeln!(out, "{epochs} epochs in {seconds:.1} s\n")?;

    writeln!(
        out,
        "How strongly each column is connected as lambda grows (the path of the first repeated fit):\n"
    )?;
    let support = Scenario::Regression.support();
    let matters = |column: &usize| support.contains(column);
    let lines: Vec<Line> = (0..COLUMNS)
        .map(|column| Line {
            name: &data.names()[column],
            mark: if matters(&column) { "◀ matters" } else { "" },
        })
        .collect();
    writeln!(out, "{}", solution_path(&report.path, &lines))?;

    writeln!(out, "Selected, and in what share of the repeated fits:\n")?;
    writeln!(out, "  column    norm  frequency  truth")?;
    for column in &report.selected {
        let truth = if matters(&column.index) {
            "matters"
        } else {
            "noise"
        };
        writeln!(
            out,
            "  {:6}  {:6.3}  {:9.2}  {truth}",
            column.name,
            column.norm,
            column.frequency.unwrap_or(1.0)
        )?;
    }
    let found = |j: usize| report.selected.iter().any(|column| column.index == j);
    let missed: Vec<&str> = (support.iter())
        .filter(|&&j| !found(j))
        .map(|&j| data.names()[j].as_str())
        .collect();
    if !missed.is_empty() {
        writeln!(out, "  missed: {}", missed.join(", "))?;
    }

    writeln!(out)?;
    if let Some((metric, estimate)) = report.main_estimate() {
        let value = with_interval(metric, estimate);
        writeln!(out, "held out    {} {value}", metric.title())?;
    }
    for line in models(&report) {
        writeln!(out, "{line}")?;
    }

    simulation.stream = 1;
    let test = simulation.draw()?;
    let model = &fit.model;
    let columns: Vec<Vec<f64>> = (model.columns().into_iter())
        .map(|j| test.columns()[j].to_vec())
        .collect();
    let r2 = Metric::R2.value(&model.predict(&columns, test.n()), test.response())?;
    writeln!(out, "\nR² on {ROWS} new rows: {r2:.3}")?;
    fitted::write(ledger, &args.out, &made, &report, false)?;
    let page = args.out.join("report.html");
    writeln!(out, "\nThe report: open {} in a browser", page.display())?;
    writeln!(
        out,
        "\nNext, on real data, and on a file:\n\n  \
         threshnet demo --task survival\n  \
         threshnet simulate regression -n 300 -d 20 --seed 1 > data.csv\n  \
         threshnet fit data.csv --target y --out fit\n  \
         threshnet predict fit data.csv\n  \
         threshnet evaluate fit data.csv\n  \
         threshnet fit --help"
    )?;
    Ok(())
}
