//! `threshnet inspect`: what is in a file, and the fit it suggests.

use crate::args::InspectArgs;
use crate::output::show;
use crate::progress;
use anyhow::Result;
use std::io::{self, BufWriter, Write, stdout};
use threshnet_io::{Columns, Inspection};

pub fn run(args: &InspectArgs) -> Result<()> {
    let columns = Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        ..Columns::default()
    };
    let input = args.beside.input(&args.data);
    let found = progress::reading(args.quiet, |reached| {
        Inspection::read(&input, &columns, reached)
    })?;
    if !args.json {
        return Ok(show(&found.to_string())?);
    }
    let mut out = BufWriter::new(stdout().lock());
    found.write_json(&mut out).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
