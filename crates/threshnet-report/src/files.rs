//! The files of a fit that a report is made of, read back.

use super::record::{Record, SCHEMA};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;
use threshnet::certificate::Certificate;

/// All of them.
pub struct Files {
    pub(crate) summary: Summary,
    pub(crate) cells: Vec<Cell>,
    pub(crate) record: Record,
}

/// `summary.json`.
#[derive(Debug, Deserialize)]
pub struct Summary {
    pub task: String,
    pub n: usize,
    pub d: usize,
    pub selected: Vec<Selected>,
    pub threshold: Option<f64>,
    pub lambda: f64,
    pub ridge: f64,
    pub validation: Option<Validated>,
    pub positive_class: Option<String>,
    pub penalty: String,
    pub rule: String,
    pub certificate: CertificateField,
    pub seed: u64,
    pub version: String,
    pub seconds: f64,
    pub protocol: String,
    #[serde(default)]
    pub models: Vec<Contender>,
    pub stability: Option<Stability>,
    pub fdr: Option<Fdr>,
    pub shortcuts: Vec<String>,
    pub instruction_set: String,
    pub notes: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Selected {
    pub name: String,
    pub norm: f64,
    pub frequency: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub struct Validated {
    /// None where it is undefined.
    pub value: Option<f64>,
    pub se: Option<f64>,
}

/// The certificate; a number that is not finite is missing.
#[derive(Debug, Deserialize)]
pub struct CertificateField {
    pub active: Option<f64>,
    pub inactive: Option<f64>,
    pub rest: Option<f64>,
}

impl From<&CertificateField> for Certificate {
    fn from(field: &CertificateField) -> Self {
        let known = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Certificate {
            active: known(field.active),
            inactive: known(field.inactive),
            rest: known(field.rest),
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Contender {
    pub model: String,
    pub penalty: String,
    pub size: usize,
    pub value: Option<f64>,
    pub se: Option<f64>,
    pub behind: Option<f64>,
    pub behind_se: Option<f64>,
    pub chosen: bool,
}

#[derive(Debug, Deserialize)]
pub struct Stability {
    pub pairs: usize,
    pub threshold: f64,
    pub false_at_most: f64,
}

#[derive(Debug, Deserialize)]
pub struct Fdr {
    pub rate: f64,
    pub threshold: Option<f64>,
}

/// A row of `path.csv`.
#[derive(Debug, Clone, Deserialize)]
pub struct Cell {
    pub ridge: f64,
    pub lambda: f64,
    pub size: Option<f64>,
    pub validation_loss: Option<f64>,
    pub validation_se: Option<f64>,
}

impl Files {
    /// From the texts of the files.
    pub fn parse(summary: &str, path: &[u8], record: &str) -> Result<Files> {
        let cells = csv::Reader::from_reader(path).into_deserialize();
        Ok(Files {
            summary: json("summary.json", summary)?,
            cells: cells.collect::<Result<_, _>>().context("path.csv")?,
            record: json("report.json", record)?,
        })
    }

    /// From a folder that `fit --out` wrote.
    pub fn read(folder: &Path) -> Result<Files> {
        let text = |file: &str| {
            let path = folder.join(file);
            fs::read_to_string(&path).with_context(|| {
                format!(
                    "{}: cannot read; give a folder that `threshnet fit --out` of this version wrote",
                    path.display()
                )
            })
        };
        let (summary, path, record) = (
            text("summary.json")?,
            text("path.csv")?,
            text("report.json")?,
        );
        let named = || format!("{}: cannot make a report of it", folder.display());
        let files = Files::parse(&summary, path.as_bytes(), &record).with_context(named)?;
        if files.record.schema != SCHEMA {
            bail!(
                "{}: report.json has schema {}, this threshnet knows {SCHEMA}; fit again",
                folder.display(),
                files.record.schema
            );
        }
        Ok(files)
    }
}

fn json<T: DeserializeOwned>(file: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).with_context(|| file.to_string())
}
