//! `threshnet report`: page and methods section of a fit, made again from its `report.json`.

use crate::args::ReportArgs;
use crate::output::folder::METHODS;
use crate::output::show;
use anyhow::{Context, Result, anyhow};
use std::fs;
use threshnet::report::FitReport;
use threshnet_io::write_whole;

pub fn run(args: &ReportArgs) -> Result<()> {
    let source = args.folder.join("report.json");
    let text = fs::read_to_string(&source).with_context(|| {
        format!(
            "{}: cannot read; give a folder that `threshnet fit --out` of this version wrote",
            source.display()
        )
    })?;
    let report =
        FitReport::from_json(&text).map_err(|error| anyhow!("{}: {error}", source.display()))?;
    let page = args.folder.join("report.html");
    write_whole(&page, threshnet_report::html(&report)?.as_bytes())?;
    let methods = args.folder.join(METHODS);
    write_whole(&methods, threshnet_report::methods(&report).as_bytes())?;
    if args.svg {
        for (name, drawing) in threshnet_report::drawings(&report)? {
            write_whole(&args.folder.join(name), drawing.as_bytes())?;
        }
    }
    Ok(show(&format!(
        "written: {}, {}\n",
        page.display(),
        methods.display()
    ))?)
}
