//! Flags of the files that commands read.

use clap::Args;
use std::path::{Path, PathBuf};
use threshnet::settings::Group;
use threshnet_io::Input;

const OUTCOME: &str = Group::Data.heading();

/// The names of a matrix's columns.
#[derive(Args)]
pub struct NamesArgs {
    /// Names of the columns of a matrix (.npy, .npz, .mtx), one on each line of a file [default: x1, x2, …]
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = OUTCOME)]
    pub names: Option<PathBuf>,
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

impl NamesArgs {
    /// A data file alone.
    pub fn input(&self, data: &Path) -> Input {
        Input {
            data: data.to_path_buf(),
            outcome: None,
            names: self.names.clone(),
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
