//! The folder of a fit.

use super::card::card;
use super::folder::OutputFolder;
use super::summary::Summary;
use super::tables;
use anyhow::Result;
use std::path::Path;
use threshnet::dataset::Dataset;
use threshnet::settings::Settings;
use threshnet::tune::Fit;
use threshnet_report::{self as report, Files, Origin};

/// What a folder is written of.
pub struct Fitted<'a> {
    pub data: &'a Dataset<'a>,
    /// The file the data come from, if it is one.
    pub file: Option<&'a Path>,
    pub settings: &'a Settings,
    pub fit: &'a Fit,
    pub summary: &'a Summary,
    /// By how much columns beat their knockoffs.
    pub statistics: Option<&'a [f64]>,
    /// Whether figures are written too.
    pub svg: bool,
}

impl Fitted<'_> {
    /// Writes all files on so many threads; they are there together or not at all.
    pub fn write(&self, target: &Path, jobs: Option<usize>) -> Result<()> {
        let (data, fit) = (self.data, self.fit);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(jobs.unwrap_or(0))
            .build()?;
        let origin = Origin {
            file: self.file,
            command: (std::iter::once("threshnet".into()))
                .chain(std::env::args().skip(1))
                .collect(),
        };
        let record = pool.install(|| report::record(data, self.settings, fit, origin));
        let record = serde_json::to_string(&record)? + "\n";
        let (summary, path) = (self.summary.to_json()?, tables::path(fit)?);
        let files = Files::parse(&summary, &path, &record)?;

        let folder = OutputFolder::create(target)?;
        folder.write("summary.json", summary.as_bytes())?;
        let selected = tables::selected(&self.summary.selected, fit.frequencies.is_some())?;
        folder.write("selected.csv", &selected)?;
        folder.write("path.csv", &path)?;
        folder.write("norms.csv", &tables::norms(fit)?)?;
        folder.write("model.json", fit.model.to_json().as_bytes())?;
        let card = card(data, self.settings, fit, self.summary)?;
        folder.write("model-card.md", card.as_bytes())?;
        if let Some(frequencies) = &fit.frequencies {
            folder.write("frequencies.csv", &tables::frequencies(data, frequencies)?)?;
        }
        if let Some(statistics) = self.statistics {
            folder.write("knockoffs.csv", &tables::knockoffs(data, statistics)?)?;
        }
        folder.write("report.json", record.as_bytes())?;
        folder.write("report.html", report::html(&files)?.as_bytes())?;
        if self.svg {
            for (name, drawing) in report::drawings(&files)? {
                folder.write(&name, drawing.as_bytes())?;
            }
        }
        folder.finish()
    }
}
