//! `threshnet report`: the page of a fit, made again from its folder.

use crate::args::ReportArgs;
use crate::output::print;
use anyhow::{Context, Result};
use std::fs;
use threshnet_report::{self as report, Files};

pub fn run(args: &ReportArgs) -> Result<()> {
    let files = Files::read(&args.folder)?;
    let write = |name: &str, text: &str| {
        let path = args.folder.join(name);
        // Beside its place first, so that an earlier one is not lost to a full disk.
        let partial = args.folder.join(format!(".{name}.partial"));
        fs::write(&partial, text)
            .and_then(|()| fs::rename(&partial, &path))
            .with_context(|| format!("{}: cannot write", path.display()))
    };
    write("report.html", &report::html(&files)?)?;
    if args.svg {
        for (name, drawing) in report::drawings(&files)? {
            write(&name, &drawing)?;
        }
    }
    let page = args.folder.join("report.html");
    Ok(print(&format!("written: {}\n", page.display()))?)
}
