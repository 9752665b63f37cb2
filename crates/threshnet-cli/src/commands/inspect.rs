//! `threshnet inspect`: what is in a file, and the fit it suggests.

use crate::args::InspectArgs;
use crate::data::{Columns, Inspection};
use crate::output::print;
use anyhow::Result;

pub fn run(args: &InspectArgs) -> Result<()> {
    let columns = Columns {
        target: args.target.clone(),
        time: args.time.clone(),
        event: args.event.clone(),
        ..Columns::default()
    };
    let found = Inspection::read(&args.beside.input(&args.data, args.quiet), &columns)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&found.to_json())? + "\n",
        false => found.to_string(),
    };
    Ok(print(&text)?)
}
