//! What can be typed. Ranges that need the data are checked by the library.

mod data;
mod fit;
mod out;
mod settings;
mod values;

pub use data::{BesideArgs, InspectArgs};
pub use fit::FitArgs;
pub use out::{CompletionsArgs, ExportArgs, ManArgs};
pub use settings::flag;

use clap::{Args, Parser, Subcommand, ValueEnum};
use data::{MannerArgs, NamesArgs};
use std::path::PathBuf;
use std::str::FromStr;
use threshnet::metrics::IntervalMethod;
use threshnet::model::Recalibrate;
use threshnet::simulate::Scenario;
use threshnet_study::{Shard, StudyName};
use values::{
    design, folder, interval, jobs, positive, recalibrate, reps, ridges, samples, seed, study,
};

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
    /// Compare two models on the same rows: every metric's difference; JSON on stdout
    Compare(CompareArgs),
    /// Make the report.html and methods.md of a fit's folder again
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
    /// Seed of the fit, and of simulated data [default: 1 with simulated data, else that of fit]
    #[arg(long, value_parser = seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_parser = jobs, allow_hyphen_values = true)]
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
    /// Correct the predictions by what the fit learned from its held-out rows [default: as fitted]
    #[arg(long, value_name = "HOW", value_parser = recalibrate())]
    pub recalibrate: Option<Recalibrate>,
    /// Add where the outcome will be, with this coverage, such as 0.9: columns `lower` and `upper` of a
    /// number, `set_<class>` (1 if the class is among the plausible ones), `lower` of a survival time
    #[arg(long, value_name = "COVERAGE", conflicts_with = "ensemble")]
    pub interval: Option<f64>,
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
    /// Score predictions corrected by what the fit learned from its held-out rows [default: as
    /// fitted]
    #[arg(long, value_name = "HOW", value_parser = recalibrate())]
    pub recalibrate: Option<Recalibrate>,
    #[command(flatten)]
    pub beside: BesideArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    #[command(flatten)]
    pub scoring: ScoringArgs,
}

/// Where the outcome of a model is.
#[derive(Args)]
pub struct OutcomeArgs {
    /// Outcome column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Time column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub time: Option<String>,
    /// Event column [default: as in the fit]
    #[arg(long, value_name = "COL")]
    pub event: Option<String>,
}

#[derive(Args)]
pub struct CompareArgs {
    /// Folder that `fit --out` wrote, or its model.json
    pub a: PathBuf,
    /// Another one: differences are those of the first less this one
    pub b: PathBuf,
    /// File with the columns that both select and the outcome
    pub data: PathBuf,
    #[command(flatten)]
    pub beside: BesideArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
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
    /// Predicted survival at each of --times
    #[arg(
        long,
        value_name = "S,S",
        value_delimiter = ',',
        requires = "risk",
        requires = "times"
    )]
    pub survival: Vec<String>,
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
    /// Column that says which rows belong together, such as visits of a patient: intervals draw
    /// these as a whole
    #[arg(long, value_name = "COL")]
    pub clusters: Option<String>,
    /// Rows from which the censoring weights come [default: the scored rows]; adds uno_c
    #[arg(long, value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// Times at which survival is judged; adds tauc, tauc_mean and, where survival is predicted,
    /// brier, ibs and calibration
    #[arg(
        long,
        value_name = "T,T",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub times: Vec<f64>,
    /// Uno's C of events before this time; adds uno_c
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub tau: Option<f64>,
    /// Risks from which on one would act, such as 0.1,0.3: sensitivity, specificity, predictive
    /// values and net benefit at each (two classes, and survival at each of --times)
    #[arg(
        long,
        value_name = "P,P",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub thresholds: Vec<f64>,
    /// Calibration and net benefit as curves, too
    #[arg(long)]
    pub curves: bool,
    /// Bootstrap samples of the intervals; 0 for none
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = samples)]
    pub samples: usize,
    /// How intervals are made of the samples
    #[arg(long, value_name = "HOW", value_parser = interval(), default_value = "bca")]
    pub interval: IntervalMethod,
    /// Seed of the samples
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

#[derive(Args)]
pub struct SimulateArgs {
    /// Design of the paper (regression to hierarchical), or beyond it
    #[arg(value_parser = design())]
    pub design: Scenario,
    /// Rows
    #[arg(short, value_parser = positive, allow_hyphen_values = true)]
    pub n: usize,
    /// Columns
    #[arg(short, value_parser = positive, allow_hyphen_values = true)]
    pub d: usize,
    /// Seed
    #[arg(long, default_value_t = 0, value_parser = seed, allow_hyphen_values = true)]
    pub seed: u64,
    /// Share of censored rows (survival)
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub censoring: f64,
    /// Correlation of neighbouring columns; that of columns i and j is its power |i-j|
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub correlation: f64,
}

#[derive(Args)]
pub struct StudyArgs {
    /// Table or figure of the paper, or a study of our own
    #[arg(value_parser = study())]
    pub name: StudyName,
    /// Replicates of every cell and method [default: the paper's number; in quality 40, in control 200,
    /// in battery 10, or as many as there are folds]
    #[arg(long, value_parser = reps, allow_hyphen_values = true)]
    pub reps: Option<u64>,
    /// Seed: a replicate's data depend on it and on the replicate's number alone
    #[arg(long, default_value_t = 0, value_parser = seed, allow_hyphen_values = true)]
    pub seed: u64,
    /// Threads, each with a fit of its own [default: all cores]
    #[arg(long, value_parser = jobs, allow_hyphen_values = true)]
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
    #[arg(long, value_name = "COUNT", value_parser = ridges, allow_hyphen_values = true)]
    pub ridges: Option<usize>,
    /// battery: a CSV file of one column with the fold of every row of the one data set that --only
    /// names, 1, 2, …; replicate r tests on fold r [default: random splits 5:1]
    #[arg(long, value_name = "FILE")]
    pub folds: Option<PathBuf>,
    /// Make a share of the fits, such as 3/100 for the third of a hundred: for jobs on a cluster, each
    /// with an --out of its own
    #[arg(long, value_name = "K/N", value_parser = Shard::from_str, conflicts_with_all = ["merge", "table", "list", "export"])]
    pub shard: Option<Shard>,
    /// Fit nothing: join the shares in these folders into --out
    #[arg(long, value_name = "DIR", num_args = 1.., requires = "out", conflicts_with_all = ["table", "list", "export"])]
    pub merge: Vec<PathBuf>,
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
    /// File that gets a line of JSON for all that happens
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
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
