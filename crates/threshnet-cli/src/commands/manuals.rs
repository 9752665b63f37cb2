//! `threshnet man` and `threshnet completions`: made of the definitions of the flags.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::print;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::fs;

/// A page per command, `threshnet.1`, `threshnet-fit.1` and so on.
pub fn man(args: &ManArgs) -> Result<()> {
    let folder = args.folder.display();
    fs::create_dir_all(&args.folder)
        .with_context(|| format!("{folder}: cannot make the folder"))?;
    clap_mangen::generate_to(Cli::command(), &args.folder)
        .with_context(|| format!("{folder}: cannot write the manual pages"))
}

/// The script of a shell, on stdout.
pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "threshnet", &mut script);
    Ok(print(&String::from_utf8(script)?)?)
}
