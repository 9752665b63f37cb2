//! Flags of the files that commands read.

use super::values::{censored_cells, decimal, encoding};
use clap::Args;
use std::path::{Path, PathBuf};
use threshnet::model::{CensoredCells, Decimal, Reading};
use threshnet::settings::Group;
use threshnet_io::{Encoding, Input, Manner};

const OUTCOME: &str = Group::Data.heading();

/// How files are written.
#[derive(Args, Clone)]
pub struct MannerArgs {
    /// Encoding of text files [default: utf-16 by its first bytes, else utf-8 if it is that, else
    /// windows-1252]
    #[arg(long, value_name = "NAME", value_parser = encoding(), hide_short_help = true, help_heading = OUTCOME)]
    pub encoding: Option<Encoding>,
    /// What stands before decimals, `,` or `.`; the other, a blank or an apostrophe may then divide
    /// thousands [default: a point, and nothing divides thousands; predict and evaluate: as in the fit]
    #[arg(long, value_name = "SIGN", value_parser = decimal(), hide_short_help = true, help_heading = OUTCOME)]
    pub decimal: Option<Decimal>,
    /// What says that a value is missing, beside empty cells, `.`, NA, N/A, n/a, #N/A, <NA>, NaN, nan,
    /// NULL, null and k.A. [default: no more; predict and evaluate: as in the fit]
    #[arg(long, value_name = "A,B", value_delimiter = ',', allow_hyphen_values = true, hide_short_help = true, help_heading = OUTCOME)]
    pub na: Vec<String>,
    /// What becomes of cells such as <5: half of the limit [default: they are refused; predict and
    /// evaluate: as in the fit]
    #[arg(long, value_name = "HOW", value_parser = censored_cells(), hide_short_help = true, help_heading = OUTCOME)]
    pub censored_cells: Option<CensoredCells>,
}

/// The names of a matrix's columns.
#[derive(Args)]
pub struct NamesArgs {
    /// Names of the columns of a matrix (.npy, .npz, .mtx), one on each line of a file [default: x1, x2, …]
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = OUTCOME)]
    pub names: Option<PathBuf>,
    #[command(flatten)]
    pub manner: MannerArgs,
}

/// What stands beside a data file.
#[derive(Args)]
pub struct BesideArgs {
    /// File with the outcome columns, where the data file has none: as many rows, any format.
    /// Columns of a matrix are called y, or time and event
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = OUTCOME)]
    pub outcome: Option<PathBuf>,
    #[command(flatten)]
    pub names: NamesArgs,
}

impl MannerArgs {
    /// What was said.
    pub fn manner(&self) -> Manner {
        Manner {
            encoding: self.encoding,
            reading: Reading {
                decimal: self.decimal,
                na: self
                    .na
                    .iter()
                    .map(|marker| marker.trim().to_string())
                    .collect(),
                censored_cells: self.censored_cells,
            },
        }
    }
}

impl NamesArgs {
    /// A data file alone.
    pub fn input(&self, data: &Path) -> Input {
        Input {
            data: data.to_path_buf(),
            outcome: None,
            names: self.names.clone(),
            manner: self.manner.manner(),
        }
    }
}

impl BesideArgs {
    /// A data file and what stands beside it.
    pub fn input(&self, data: &Path) -> Input {
        Input {
            outcome: self.outcome.clone(),
            ..self.names.input(data)
        }
    }
}

#[derive(Args)]
pub struct InspectArgs {
    /// Data file: CSV or TSV (also .gz), Parquet, Arrow or Feather, or a matrix: .npy, sparse .npz,
    /// or .mtx (also .gz)
    pub data: PathBuf,
    /// Outcome column (regression, binary or multi-class) [default: a guess by usual names]
    #[arg(long, value_name = "COL", help_heading = OUTCOME)]
    pub target: Option<String>,
    /// Time column of a survival outcome
    #[arg(long, value_name = "COL", requires = "event", conflicts_with = "target", help_heading = OUTCOME)]
    pub time: Option<String>,
    /// Event column of a survival outcome: 1 = happened, 0 = censored
    #[arg(long, value_name = "COL", requires = "time", help_heading = OUTCOME)]
    pub event: Option<String>,
    #[command(flatten)]
    pub beside: BesideArgs,
    /// All that was found as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}
