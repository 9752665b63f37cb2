//! `threshnet inspect`: what is in a file, and the fit it suggests.

use crate::args::InspectArgs;
use crate::data::{Columns, Inspection};
use crate::output::print;
use anyhow::Result;
use std::io::{self, BufWriter, Write, stdout};

pub fn run(args: &InspectArgs) -> Result<()> {
    let columns = Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        ..Columns::default()
    };
    let found = Inspection::read(&args.beside.input(&args.data, args.quiet), &columns)?;
    if !args.json {
        return Ok(print(&found.to_string())?);
    }
    let mut out = BufWriter::new(stdout().lock());
    found.write_json(&mut out).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
