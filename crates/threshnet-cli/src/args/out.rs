//! What leaves the program: models for other programs, and its own manuals.

use super::TimesArgs;
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
    #[command(flatten)]
    pub survival: TimesArgs,
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
