//! The folder of a fit.

use super::folder::{ENSEMBLE, METHODS, OutputFolder};
use super::ledger::Ledger;
use super::source::fingerprint;
use super::tables;
use crate::signals::undisturbed;
use anyhow::Result;
use std::path::Path;
use threshnet::control::Controlled;
use threshnet::report::{FitReport, Fitted, Origin};
use threshnet::threads;

/// What is told of a fit, on so many threads. The file is that of the data, if they are of one.
pub fn report(fitted: &Fitted, file: Option<&Path>, jobs: Option<usize>) -> Result<FitReport> {
    let mut report = threads::pool(jobs)?.install(|| FitReport::new(fitted))?;
    let command = std::env::args().skip(1);
    report.origin = Some(Origin {
        command: std::iter::once("threshnet".into()).chain(command).collect(),
        // (what is gone by now, such as a pipe, has no fingerprint)
        file: file.and_then(|file| fingerprint(file).ok()),
    });
    Ok(report)
}

/// Writes all files, figures too if they are wanted; they are there together or not at all. With that
/// the fit is complete.
pub fn write(
    ledger: Ledger,
    target: &Path,
    fitted: &Fitted,
    report: &FitReport,
    svg: bool,
) -> Result<()> {
    let (data, fit, frequencies) = (fitted.data, fitted.fit, fitted.frequencies());
    let folder = OutputFolder::create(target)?;
    folder.write("summary.json", report.summary().to_json().as_bytes())?;
    let selected = tables::selected(&report.selected, frequencies.is_some(), data.features())?;
    folder.write("selected.csv", &selected)?;
    if let Some(coefficients) = &report.coefficients {
        folder.write(
            "coefficients.csv",
            &tables::coefficients(report.task, coefficients)?,
        )?;
    }
    folder.write("path.csv", &tables::path(&report.validation.grid)?)?;
    folder.write("norms.csv", &tables::norms(fit)?)?;
    folder.write("model.json", fit.model.to_json().as_bytes())?;
    if let Some(ensemble) = &fit.ensemble {
        folder.write(ENSEMBLE, ensemble.model.to_json().as_bytes())?;
    }
    folder.write("model-card.md", threshnet_report::card(report).as_bytes())?;
    if let Some(frequencies) = frequencies {
        folder.write(
            "frequencies.csv",
            &tables::ranked(data, &frequencies, "frequency")?,
        )?;
    }
    if let Some(statistics) = fitted.controlled.and_then(Controlled::statistics) {
        folder.write(
            "knockoffs.csv",
            &tables::ranked(data, &statistics, "statistic")?,
        )?;
    }
    folder.write("report.json", report.to_json().as_bytes())?;
    folder.write("report.html", threshnet_report::html(report)?.as_bytes())?;
    folder.write(METHODS, threshnet_report::methods(report).as_bytes())?;
    if svg {
        for (name, drawing) in threshnet_report::drawings(report)? {
            folder.write(&name, drawing.as_bytes())?;
        }
    }
    undisturbed(|| {
        folder.finish()?;
        ledger.finish()
    })
}
