//! What leaves the program: models for other programs, and its own manuals.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Args)]
pub struct ExportArgs {
    /// Folder that `fit --out` wrote, or its model.json
    pub model: PathBuf,
    /// ONNX file to write: raw columns in, the columns of `predict` out
    #[arg(long, value_name = "FILE")]
    pub onnx: PathBuf,
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
pub struct ManArgs {
    /// Folder for the pages, such as ~/.local/share/man/man1; made if need be
    pub folder: PathBuf,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// Shell to complete in
    #[arg(value_enum)]
    pub shell: Shell,
}
