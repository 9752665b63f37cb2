//! What `fit` takes: the outcome and the columns, every setting of the library, the output.

use super::data::BesideArgs;
use super::settings::SettingsArgs;
use super::values::{folder, named};
use clap::Args;
use std::path::PathBuf;
use threshnet::dataset::Task;
use threshnet::settings::Group;

const OUTCOME: &str = Group::Data.heading();
const RUN: &str = Group::Run.heading();

#[derive(Args)]
pub struct FitArgs {
    /// Data file: CSV or TSV with a header (also .gz), Parquet, Arrow or Feather, or a matrix: .npy,
    /// sparse .npz, or .mtx (also .gz)
    pub data: PathBuf,

    /// Column to predict (regression, binary or multi-class)
    #[arg(long, value_name = "COL", help_heading = OUTCOME)]
    pub target: Option<String>,
    /// Time column of a survival outcome
    #[arg(long, value_name = "COL", help_heading = OUTCOME)]
    pub time: Option<String>,
    /// Event column of a survival outcome: 1 = happened, 0 = censored
    #[arg(long, value_name = "COL", help_heading = OUTCOME)]
    pub event: Option<String>,
    /// Column that says what each row counts: 2 = the row twice, 0 = not at all [default: each once]
    #[arg(long, value_name = "COL", hide_short_help = true, help_heading = OUTCOME)]
    pub weights: Option<String>,
    /// Column whose equal cells are a cluster of rows, such as a patient or a centre: no split
    /// divides one [default: rows are independent]
    #[arg(long, value_name = "COL", hide_short_help = true, help_heading = OUTCOME)]
    pub fold_by: Option<String>,
    /// CSV file of one column with the fold of each row, 1, 2, …: lambda and ridge are chosen by
    /// cross-validation on these folds [default: what --validation says]
    #[arg(long, value_name = "FILE", conflicts_with = "validation", hide_short_help = true, help_heading = OUTCOME)]
    pub folds: Option<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
    /// What to predict [default: cox with --time; binary for two distinct values; multiclass
    /// for three or more text values; else regression]
    #[arg(long, value_parser = named::<Task>(), hide_short_help = true, help_heading = OUTCOME)]
    pub task: Option<Task>,
    /// Columns to use; globs such as `expr_*` [default: all but the outcome]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = OUTCOME)]
    pub features: Vec<String>,
    /// Columns to leave out; globs allowed
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = OUTCOME)]
    pub drop: Vec<String>,
    /// Columns that stay whatever lambda, free of the group penalty; globs allowed
    #[arg(long, value_name = "A,B", value_delimiter = ',', hide_short_help = true, help_heading = OUTCOME)]
    pub keep: Vec<String>,
    /// File of lines `column,factor`: lambda times this for the column, 0 to keep it, inf to drop
    /// it [default: 1 for each]
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = OUTCOME)]
    pub penalty_factors: Option<PathBuf>,
    /// File of lines `column,group`: the columns of a group enter and leave together, at lambda
    /// times the root of their number [default: each by itself, the levels of a text together]
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = OUTCOME)]
    pub groups: Option<PathBuf>,

    #[command(flatten)]
    pub settings: SettingsArgs,

    /// Folder for the report, the model, the selection and the path [default: summary on stdout
    /// only]
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = RUN)]
    pub out: Option<PathBuf>,
    /// Write the report's figures as SVG files too
    #[arg(long, requires = "out", hide_short_help = true, help_heading = RUN)]
    pub svg: bool,
    /// File that gets a line of JSON for all that happens: progress, memory, warnings, the end
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RUN)]
    pub log: Option<PathBuf>,
    /// No progress bar
    #[arg(long, hide_short_help = true, help_heading = RUN)]
    pub quiet: bool,
    /// The summary as JSON on stdout
    #[arg(long, help_heading = RUN)]
    pub json: bool,
}
