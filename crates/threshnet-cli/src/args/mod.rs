//! What can be typed. Ranges that need the data are checked by the library.

mod data;
mod out;
mod values;

pub use data::InspectArgs;
pub use out::{CompletionsArgs, ExportArgs, ManArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use data::{BesideArgs, NamesArgs};
use std::path::PathBuf;
use threshnet::activation::Activation;
use threshnet::dataset::Task;
use threshnet::loss::Ties;
use threshnet::path::Direction;
use threshnet::settings::text::{grid, hidden, positive, validation};
use threshnet::settings::{
    Linear, Named, PenaltyName, Protocol, Request, Rule, SolverName, ValidationName,
};
use threshnet::simulate::Scenario;
use values::{Grid, Hidden, YesNo, above_zero, design, folder, named, pairs};

/// Finds the few columns that matter and fits a sparse-input neural network on them.
#[derive(Parser)]
#[command(name = "threshnet", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Simulate data, fit them and show what comes out; needs no input
    Demo(DemoArgs),
    /// Tell what is in a data file, and the fit it suggests
    Inspect(InspectArgs),
    /// Select columns of a data file (CSV, Parquet, Feather, .npy) and fit a network on them
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
    /// Seed of the data and the fit
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_parser = positive)]
    pub jobs: Option<usize>,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
    /// Folder for the fit and its report
    #[arg(long, value_name = "DIR", value_parser = folder, default_value = "threshnet-demo")]
    pub out: PathBuf,
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
pub struct FitArgs {
    /// Data file: CSV or TSV with a header (also .gz), Parquet, Arrow or Feather, or a .npy matrix
    pub data: PathBuf,

    /// Column to predict (regression, binary or multi-class)
    #[arg(long, value_name = "COL", help_heading = "Outcome and columns")]
    pub target: Option<String>,
    /// Time column of a survival outcome
    #[arg(long, value_name = "COL", help_heading = "Outcome and columns")]
    pub time: Option<String>,
    /// Event column of a survival outcome: 1 = happened, 0 = censored
    #[arg(long, value_name = "COL", help_heading = "Outcome and columns")]
    pub event: Option<String>,
    #[command(flatten)]
    pub beside: BesideArgs,
    /// What to predict [default: cox with --time; binary for two distinct values; multiclass
    /// for three or more text values; else regression]
    #[arg(long, value_parser = named::<Task>(), help_heading = "Outcome and columns")]
    pub task: Option<Task>,
    /// Columns to use; globs such as `expr_*` [default: all but the outcome]
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        help_heading = "Outcome and columns"
    )]
    pub features: Vec<String>,
    /// Columns to leave out; globs allowed
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        help_heading = "Outcome and columns"
    )]
    pub drop: Vec<String>,
    /// Keep only this many columns, by how much each tells of the outcome alone or with a strong
    /// one, anew for every split. For very wide data; columns that matter only together are lost
    /// [default: 50000 of more than 200000, all of fewer; all under the paper's protocol]
    #[arg(long, value_name = "COUNT", value_parser = positive, help_heading = "Outcome and columns")]
    pub screen: Option<usize>,
    /// Take columns, and the target of a regression, as they are [default: standardised with
    /// the training rows; predictions come back on the original scale]
    #[arg(long, help_heading = "Outcome and columns")]
    pub no_standardize: bool,
    /// Lift the standardised target of a regression by so many standard deviations, such as
    /// 0.5: a network that has to learn a mean, too, finds more of what matters only bent, and
    /// more noise [default: 0]
    #[arg(
        long,
        value_name = "SDS",
        allow_hyphen_values = true,
        help_heading = "Outcome and columns"
    )]
    pub lift: Option<f64>,

    /// Group penalty
    #[arg(long, value_parser = named::<PenaltyName>(), default_value = usual().penalty.name(), help_heading = "Model")]
    pub penalty: PenaltyName,
    /// Concavity of the penalty, the paper's a [default: 3 (mcp), 3.7 (scad)]
    #[arg(long, value_name = "A", help_heading = "Model")]
    pub concavity: Option<f64>,
    /// Widths of the hidden layers, or `none` for a linear model [default: 10,5]
    #[arg(long, value_name = "W,W", value_parser = hidden, help_heading = "Model")]
    pub hidden: Option<Hidden>,
    /// Let columns also lead straight to the output, beside the hidden layers: for data that
    /// are nearly linear
    #[arg(long, value_enum, default_value_t = YesNo::No, help_heading = "Model")]
    pub shortcut: YesNo,
    /// Linear models, validated in the same way: to compare the network with, or to be the
    /// model if they predict better [default: choose; compare if --hidden is given; leave under
    /// the paper's protocol, without validation and with error control]
    #[arg(long, value_parser = named::<Linear>(), help_heading = "Model")]
    pub linear: Option<Linear>,
    /// Activation between layers
    #[arg(long, value_parser = named::<Activation>(), default_value = usual().activation.name(), help_heading = "Model")]
    pub activation: Activation,
    /// Tied events of a survival outcome
    #[arg(long, value_parser = named::<Ties>(), default_value = usual().ties.name(), help_heading = "Model")]
    pub ties: Ties,

    /// Group penalties: a list `0.01,0.05`, or MIN:MAX:COUNT on a log scale [default: by protocol]
    #[arg(long, value_name = "LIST", value_parser = grid, allow_hyphen_values = true, help_heading = "Tuning")]
    pub lambdas: Option<Grid>,
    /// Ridge penalties, likewise [default: by protocol; three of them in the runs of --fdr]
    #[arg(long, value_name = "LIST", value_parser = grid, allow_hyphen_values = true, help_heading = "Tuning")]
    pub ridges: Option<Grid>,
    /// How lambda and ridge are chosen: `holdout:0.2`, `cv:5`, `draws:12` (many hold-outs and starts; columns selected by frequency, predictions averaged) or `none` (one of each)
    /// [default: draws:12; holdout:0.2 under the paper's protocol and with error control]
    #[arg(long, value_name = "HOW", value_parser = validation, help_heading = "Tuning")]
    pub validation: Option<ValidationName>,
    /// Which lambda: the best, or the largest within one standard error of it
    #[arg(long, value_parser = named::<Rule>(), default_value = usual().rule.name(), help_heading = "Tuning")]
    pub rule: Rule,
    /// The share of draws that must select a column [default: 0.25, and more where draws select
    /// a large part of all columns]
    #[arg(
        long,
        value_name = "SHARE",
        allow_hyphen_values = true,
        help_heading = "Tuning"
    )]
    pub frequency: Option<f64>,
    /// Fit again on all rows at the chosen point [default: yes after cv, no after holdout]
    #[arg(long, value_enum, help_heading = "Tuning")]
    pub refit: Option<YesNo>,
    /// Trace every other ridge first, then only those beside a promising one: about a quarter
    /// less work, now and then another model
    #[arg(long, value_enum, default_value_t = YesNo::No, help_heading = "Tuning")]
    pub skip_ridges: YesNo,
    /// Defaults: many draws, or the paper's procedure to the letter
    #[arg(long, value_parser = named::<Protocol>(), default_value = usual().protocol.name(), help_heading = "Tuning")]
    pub protocol: Protocol,

    /// Select by stability: fit this many pairs of complementary half-samples and take the
    /// columns that most of them select; then fit a network on these. 50 is usual
    #[arg(long, value_name = "PAIRS", value_parser = pairs, help_heading = "Selection with error control")]
    pub stability: Option<usize>,
    /// How many columns that are no better than chance to allow among them, on average
    /// [default: 1]
    #[arg(
        long,
        value_name = "COUNT",
        requires = "stability",
        value_parser = above_zero,
        allow_hyphen_values = true,
        help_heading = "Selection with error control"
    )]
    pub max_false: Option<f64>,

    /// Select at a false-discovery rate, such as 0.1: the columns that beat their knockoffs.
    /// Cannot certify fewer than 1/RATE columns
    #[arg(
        long,
        value_name = "RATE",
        conflicts_with_all = ["stability", "init", "screen"],
        allow_hyphen_values = true,
        help_heading = "Selection with error control"
    )]
    pub fdr: Option<f64>,

    /// The paper's Adam, or composite gradient with line search
    #[arg(long, value_parser = named::<SolverName>(), default_value = usual().solver.name(), help_heading = "Solver")]
    pub solver: SolverName,
    /// Adam's rate [default: 0.003; 0.001 with lasso or under the paper's protocol]
    #[arg(long, value_name = "RATE", help_heading = "Solver")]
    pub learning_rate: Option<f64>,
    /// Step of the threshold, the paper's gamma [default: 1 (adam), line search (proximal)]
    #[arg(long, value_name = "STEP", help_heading = "Solver")]
    pub threshold_step: Option<f64>,
    /// When a lambda is finished. adam: once its remaining epochs would lower loss and ridge by
    /// less than this share (0.01 saves about half of the epochs; not with lasso) [default: 0.01;
    /// 0, never early, with lasso or under the paper's protocol]; proximal: at this certificate [default: 1e-6]
    #[arg(
        long,
        value_name = "TOL",
        allow_hyphen_values = true,
        help_heading = "Solver"
    )]
    pub tolerance: Option<f64>,
    /// Let draws look again at columns they have left out, beside those they select; finds
    /// what matters only bent or with another column [default: yes for more columns than
    /// training rows, no otherwise]
    #[arg(long, value_enum, help_heading = "Tuning")]
    pub look_again: Option<YesNo>,
    /// Epochs at each lambda after the first [default: 200 (adam), 5000 (proximal)]
    #[arg(long, value_parser = positive, help_heading = "Solver")]
    pub epochs: Option<usize>,
    /// Epochs at the smallest lambda [default: by protocol (adam), 5000 (proximal)]
    #[arg(long, value_parser = positive, help_heading = "Solver")]
    pub first_epochs: Option<usize>,
    /// Most rows per step of adam, for many rows; never for survival [default: all rows]
    #[arg(long, value_name = "ROWS", value_parser = positive, help_heading = "Solver")]
    pub batch_size: Option<usize>,
    /// Order of the lambdas and what each starts from
    #[arg(long, value_parser = named::<Direction>(), default_value = usual().direction.name(), help_heading = "Solver")]
    pub path: Direction,
    /// Start from this model's weights (same columns) instead of random ones
    #[arg(long, value_name = "MODEL", help_heading = "Solver")]
    pub init: Option<PathBuf>,

    /// Seed of splits and starts: same seed, same bits on the same instruction set
    #[arg(long, default_value_t = 0, help_heading = "Run and output")]
    pub seed: u64,
    /// Threads; does not change the result [default: all cores]
    #[arg(long, value_parser = positive, help_heading = "Run and output")]
    pub jobs: Option<usize>,
    /// Folder for the report, the model, the selection and the path [default: summary on stdout
    /// only]
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Run and output")]
    pub out: Option<PathBuf>,
    /// Write the report's figures as SVG files too
    #[arg(long, requires = "out", help_heading = "Run and output")]
    pub svg: bool,
    /// No progress bar
    #[arg(long, help_heading = "Run and output")]
    pub quiet: bool,
    /// The summary as JSON on stdout
    #[arg(long, help_heading = "Run and output")]
    pub json: bool,
}

#[derive(Args)]
pub struct PredictArgs {
    /// Folder that `fit --out` wrote, or its model.json
    pub model: PathBuf,
    /// File with at least the selected columns, in any order; read a few rows at a time
    pub data: PathBuf,
    #[command(flatten)]
    pub names: NamesArgs,
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
    pub censoring: CensoringArgs,
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
    pub censoring: CensoringArgs,
}

/// What Uno's C-index and the time-dependent AUC need.
#[derive(Args)]
pub struct CensoringArgs {
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
    #[arg(value_enum)]
    pub name: StudyName,
    /// Replicates of every cell and method [default: the paper's number; in quality 40, in control 200,
    /// in real 20]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub reps: Option<u64>,
    /// Seed: a replicate's data depend on it and on the replicate's number alone
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads, each with a fit of its own [default: all cores]
    #[arg(long, value_parser = positive)]
    pub jobs: Option<usize>,
    /// Run what matches every one of these: a model, a method, a size such as 300x20, a
    /// censoring such as c0.2, a variant (`plain` for none), a replicate such as r7; `!nn` is all
    /// but nn
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Folder of the public files of mnist, survival-real and real (see docs/reproduction.md), or
    /// a CSV file for survival-real with --time and --event
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

/// What a fit is asked where no flag says otherwise.
fn usual() -> Request {
    Request::default()
}

/// A table or figure of the paper, or a study of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StudyName {
    /// Figure 1: solution paths cold, forward and backward
    Path,
    /// A product of two signs, against the number of columns
    Xor,
    /// A sign and its product with another, against the number of columns
    Hierarchical,
    /// Table 1 and its box plots
    Table1,
    /// Table 2: correlated columns
    Table2,
    /// GSCADNet under other thresholds, rates and networks
    Sensitivity,
    /// relaxed-GLASSONet on the product of two signs
    Relaxed,
    /// Digits 7 and 8 under noise
    Mnist,
    /// Random splits of real survival data
    SurvivalReal,
    /// Beyond the paper: ways to select, on its designs and others
    Candidates,
    /// Beyond the paper: the default beside the paper's protocol, on its designs and others
    Quality,
    /// Beyond the paper: whether `--fdr` and `--max-false` keep what they promise
    Control,
    /// Beyond the paper: the default and other packages on random splits of six real data sets
    Real,
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
