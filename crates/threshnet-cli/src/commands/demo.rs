//! `threshnet demo`: the main job on built-in data, explained.

use super::fit::training_scores;
use super::run_fit;
use crate::args::DemoArgs;
use crate::output::contest;
use crate::output::fitted::Fitted;
use crate::output::folder::OutputFolder;
use crate::output::plot::{Line, solution_path};
use crate::output::summary::Summary;

use anyhow::Result;
use std::io::{Write, stdout};
use std::time::Instant;
use threshnet::dataset::Outcome;
use threshnet::metrics::r2;
use threshnet::model::Prediction;
use threshnet::penalty::Penalty;
use threshnet::settings::{Protocol, Settings, Size};
use threshnet::simulate::{Scenario, Simulation};

const ROWS: usize = 300;
const COLUMNS: usize = 20;

pub fn run(args: &DemoArgs) -> Result<()> {
    OutputFolder::check(&args.out)?;
    let mut out = stdout().lock();
    let mut simulation = Simulation::new(Scenario::Regression, ROWS, COLUMNS);
    simulation.seed = args.seed;
    let data = simulation.draw()?;
    writeln!(
        out,
        "Simulated {ROWS} rows of the paper's regression design: {COLUMNS} standard normal columns,\n\n  \
         y = log(|x1| + 0.1) + x1·x2 + x2 + exp(x3 + x4) + noise\n\n\
         Only x1 to x4 matter. Fitting networks with hidden layers 10, 5 and the MCP penalty along\n\
         50 lambdas for each of 9 ridges, in 12 draws that each hold out other rows; and linear\n\
         models beside them …\n"
    )?;
    let mut settings = Settings::new(
        Protocol::Default,
        Penalty::MCP,
        Protocol::Default.validation(),
        Size::of(&data),
    );
    // The design is used as drawn, as in the paper.
    settings.standardize = false;
    settings.seed = args.seed;
    let started = Instant::now();
    let mut fit = run_fit(&data, &settings, args.jobs, args.quiet)?;
    let seconds = started.elapsed().as_secs_f64();
    fit.model.outcome = vec!["y".into()];
    let epochs: usize = fit.cells.iter().map(|cell| cell.epochs).sum();
    writeln!(out, "{epochs} epochs in {seconds:.1} s\n")?;

    writeln!(
        out,
        "How strongly each column is connected as lambda grows (the first draw's solution path):\n"
    )?;
    let support = Scenario::Regression.support();
    let lines: Vec<Line> = (0..COLUMNS)
        .map(|column| Line {
            column,
            label: &data.names()[column],
            mark: if support.contains(&column) {
                "◀ matters"
            } else {
                ""
            },
        })
        .collect();
    writeln!(out, "{}", solution_path(&fit.path, fit.lambda, &lines))?;

    let model = &fit.model;
    writeln!(out, "Selected, and in what share of the draws:\n")?;
    writeln!(out, "  column    norm  frequency  truth")?;
    let frequency = |j: usize| fit.frequencies.as_ref().map_or(1.0, |all| all[j]);
    for j in model.selected() {
        let truth = if support.contains(&j) {
            "matters"
        } else {
            "noise"
        };
        writeln!(
            out,
            "  {:6}  {:6.3}  {:9.2}  {truth}",
            model.features.names()[j],
            model.norm(j),
            frequency(j)
        )?;
    }
    let missed: Vec<&str> = (support.iter())
        .filter(|j| !model.selected().contains(j))
        .map(|&j| data.names()[j].as_str())
        .collect();
    if !missed.is_empty() {
        writeln!(out, "  missed: {}", missed.join(", "))?;
    }

    writeln!(out)?;
    for line in contest::to_lines(&fit, "mse") {
        writeln!(out, "{line}")?;
    }

    simulation.stream = 1;
    let test = simulation.draw()?;
    let columns: Vec<Vec<f64>> = model
        .selected()
        .into_iter()
        .map(|j| test.columns()[j].to_vec())
        .collect();
    if let (Prediction::Numbers(p), Outcome::Continuous(y)) =
        (model.predict(&columns, test.n()), test.outcome())
    {
        writeln!(out, "\nR² on {ROWS} new rows: {:.3}", r2(y, &p)?)?;
    }
    let scores = training_scores(&data, &fit)?;
    let fitted = Fitted {
        data: &data,
        file: None,
        settings: &settings,
        fit: &fit,
        summary: &Summary::new(&data, &settings, &fit, scores, seconds),
        statistics: None,
        svg: false,
    };
    fitted.write(&args.out, args.jobs)?;
    let page = args.out.join("report.html");
    writeln!(out, "\nThe report: open {} in a browser", page.display())?;
    writeln!(
        out,
        "\nNext, on a file:\n\n  \
         threshnet simulate regression -n 300 -d 20 --seed 1 > data.csv\n  \
         threshnet fit data.csv --target y --out fit\n  \
         threshnet predict fit data.csv\n  \
         threshnet evaluate fit data.csv\n  \
         threshnet fit --help"
    )?;
    Ok(())
}
