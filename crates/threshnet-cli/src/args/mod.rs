//! What can be typed. Ranges that need the data are checked by the library.

mod data;
mod fit;
mod out;
mod settings;
mod values;

pub use data::InspectArgs;
pub use fit::FitArgs;
pub use out::{CompletionsArgs, ExportArgs, ManArgs};
pub use settings::flag;

use clap::{Args, Parser, Subcommand, ValueEnum};
use data::{BesideArgs, MannerArgs, NamesArgs};
use std::path::PathBuf;
use threshnet::simulate::Scenario;
use threshnet_study::StudyName;
use values::{design, folder, jobs, positive, study};

/// Finds the few columns that matter and fits a sparse-input neural network on them.
#[derive(Parser)]
#[command(name = "threshnet", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Fit data that come with the program and show what comes out; needs no input
    Demo(DemoArgs),
    /// Tell what is in a data file, and the fit it suggests
    Inspect(InspectArgs),
    /// Select columns of a data file (CSV, Parquet, Feather, .npy, .npz, .mtx) and fit a network on them
    Fit(Box<FitArgs>),
    /// Predict for a file; CSV on stdout
    Predict(PredictArgs),
    /// Score a model on a file that has the outcome; JSON on stdout
    Evaluate(EvaluateArgs),
    /// Score any predictions in a file; JSON on stdout
    Metrics(MetricsArgs),
    /// Make the report.html of a fit's folder again
    Report(ReportArgs),
    /// Draw data of one of the paper's designs, or of others; CSV on stdout
    Simulate(SimulateArgs),
    /// Run a table or figure of the paper, or a study of our own; stopped ones go on where they were
    Study(StudyArgs),
    /// Write a model as an ONNX graph, for programs that have a runtime for it
    Export(ExportArgs),
    /// Write the manual pages, one per command, into a folder
    Man(ManArgs),
    /// Print the script by which a shell completes commands and flags
    Completions(CompletionsArgs),
}

#[derive(Args)]
pub struct DemoArgs {
    /// Real data of this kind, which are left beside the report [default: simulated data, of which the
    /// truth is known]
    #[arg(long, value_enum)]
    pub task: Option<DemoTask>,
    /// Seed of the fit, and of simulated data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_parser = jobs)]
    pub jobs: Option<usize>,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
    /// Folder for the fit and its report
    #[arg(long, value_name = "DIR", value_parser = folder, default_value = "threshnet-demo")]
    pub out: PathBuf,
}

/// Kinds of real data that come with the program.
#[derive(Clone, Copy, ValueEnum)]
pub enum DemoTask {
    /// Who of 299 patients with heart failure dies, and when
    Survival,
    /// Which of 569 breast tumours are malignant
    Binary,
    /// How far 392 cars go on a gallon
    Regression,
}

/// What `report` takes.
#[derive(Args)]
pub struct ReportArgs {
    /// Folder that `fit --out` wrote
    pub folder: PathBuf,
    /// Write the figures as SVG files too
    #[arg(long)]
    pub svg: bool,
}

#[derive(Args)]
pub struct PredictArgs {
    /// Folder that `fit --out` wrote, or its model.json
    pub model: PathBuf,
    /// File with at least the selected columns, in any order; read a few rows at a time
    pub data: PathBuf,
    /// Predict with all that was fitted, every model with its own columns, which are nearly all; how
    /// much better that is, if it is, the fit says [default: with the selected columns alone]
    #[arg(long)]
    pub ensemble: bool,
    /// Columns to carry through, such as identifiers of rows
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub id: Vec<String>,
    /// Leave the predictions of rows that the model cannot take empty, with the reason in a column
    /// `note` [default: refuse the file, with a count of such rows]
    #[arg(long)]
    pub skip_bad: bool,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub survival: TimesArgs,
}

/// When survival is predicted.
#[derive(Args)]
pub struct TimesArgs {
    /// Times at which to predict survival, such as 12,24
    #[arg(
        long,
        value_name = "T,T",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub times: Vec<f64>,
}

#[derive(Args)]
pub struct EvaluateArgs {
    /// Folder that `fit --out` wrote, or its model.json
    pub model: PathBuf,
    /// File with the selected columns and the outcome
    pub data: PathBuf,
    /// Score all that was fitted as one, as `predict --ensemble` predicts
    #[arg(long)]
    pub ensemble: bool,
    #[command(flatten)]
    pub beside: BesideArgs,
    /// Outcome column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Time column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub time: Option<String>,
    /// Event column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub event: Option<String>,
    #[command(flatten)]
    pub scoring: ScoringArgs,
}

#[derive(Args)]
pub struct MetricsArgs {
    /// File with the outcome and the predictions
    pub data: PathBuf,
    /// Outcome column
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Predicted numbers
    #[arg(
        long,
        value_name = "COL",
        requires = "target",
        conflicts_with = "probability"
    )]
    pub prediction: Option<String>,
    /// Predicted probability of the positive class (the last of two in sorted order)
    #[arg(long, value_name = "COL", requires = "target")]
    pub probability: Option<String>,
    /// Time column
    #[arg(long, value_name = "COL", requires = "risk", conflicts_with = "target")]
    pub time: Option<String>,
    /// Event column: 1 = happened, 0 = censored
    #[arg(long, value_name = "COL", requires = "time")]
    pub event: Option<String>,
    /// Predicted risk: higher is worse
    #[arg(long, value_name = "COL", requires = "event")]
    pub risk: Option<String>,
    #[command(flatten)]
    pub manner: MannerArgs,
    #[command(flatten)]
    pub scoring: ScoringArgs,
}

/// How predictions are scored.
#[derive(Args)]
pub struct ScoringArgs {
    /// Column that says what each row counts, in --train too: 2 = the row twice, 0 = not there
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// Rows from which the censoring weights come; adds uno_c
    #[arg(long, value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// Times of the time-dependent AUC; adds tauc and tauc_mean
    #[arg(
        long,
        value_name = "T,T",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "train"
    )]
    pub times: Vec<f64>,
}

#[derive(Args)]
pub struct SimulateArgs {
    /// Design of the paper (regression to hierarchical), or beyond it
    #[arg(value_parser = design())]
    pub design: Scenario,
    /// Rows
    #[arg(short, value_parser = positive)]
    pub n: usize,
    /// Columns
    #[arg(short, value_parser = positive)]
    pub d: usize,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Share of censored rows (survival)
    #[arg(long, default_value_t = 0.0)]
    pub censoring: f64,
    /// Correlation of neighbouring columns; that of columns i and j is its power |i-j|
    #[arg(long, default_value_t = 0.0)]
    pub correlation: f64,
}

#[derive(Args)]
pub struct StudyArgs {
    /// Table or figure of the paper, or a study of our own
    #[arg(value_parser = study())]
    pub name: StudyName,
    /// Replicates of every cell and method [default: the paper's number; in quality 40, in control 200,
    /// in battery 10, or as many as there are folds]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub reps: Option<u64>,
    /// Seed: a replicate's data depend on it and on the replicate's number alone
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads, each with a fit of its own [default: all cores]
    #[arg(long, value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Run what matches every one of these: a model, a method, a size such as 300x20, a
    /// censoring such as c0.2, a variant (`plain` for none), a replicate such as r7; in battery a
    /// kind of outcome such as cox, tuning or confirmation; `!nn` is all but nn
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Folder of the public files of mnist, survival-real (see docs/reproduction.md) and battery
    /// (docs/battery.md), or a CSV file for survival-real with --time and --event
    #[arg(long, value_name = "DIR", env = "THRESHNET_DATA")]
    pub data: Option<PathBuf>,
    /// survival-real on a file of yours: its time column
    #[arg(long, value_name = "COL", requires = "event")]
    pub time: Option<String>,
    /// survival-real on a file of yours: its event column, 1 = happened, 0 = censored
    #[arg(long, value_name = "COL", requires = "time")]
    pub event: Option<String>,
    /// survival-real on a file of yours: columns to use; globs [default: all but the outcome]
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "time")]
    pub features: Vec<String>,
    /// survival-real on a file of yours: columns to leave out; globs
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "time")]
    pub drop: Vec<String>,
    /// survival-real: how many ridges to try; the paper tried 50 [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = positive)]
    pub ridges: Option<usize>,
    /// battery: a CSV file of one column with the fold of every row of the one data set that --only
    /// names, 1, 2, …; replicate r tests on fold r [default: random splits 5:1]
    #[arg(long, value_name = "FILE")]
    pub folds: Option<PathBuf>,
    /// Folder that gets results.csv and table.md; may hold an earlier part of this study
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "export"])]
    pub out: Option<PathBuf>,
    /// Fit nothing: make table.md anew from the rows that are there
    #[arg(long, requires = "out")]
    pub table: bool,
    /// Fit nothing: print the cells and replicates as CSV
    #[arg(long, conflicts_with_all = ["out", "export"])]
    pub list: bool,
    /// Fit nothing: write the arrays of the replicates as NPY files for other programs
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub export: Option<PathBuf>,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }
}
