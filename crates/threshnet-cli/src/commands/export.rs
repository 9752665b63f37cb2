//! `threshnet export`: a model for other programs.

use super::{beyond, check_times, load_model, tell};
use crate::args::ExportArgs;
use crate::failure::Usage;
use anyhow::{Result, anyhow};
use threshnet::format::number;
use threshnet::onnx::{Curve, export};
use threshnet_io::write_whole;

pub fn run(args: &ExportArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    check_times(&args.survival.times, model.task)?;
    let curves: Vec<Curve> = (args.survival.times.iter())
        .map(|&time| Curve {
            name: format!("survival_{}", number(time)),
            time,
        })
        .collect();
    if let Some((_, twice)) = (curves.iter().enumerate())
        .find(|(at, curve)| curves[..*at].iter().any(|c| c.name == curve.name))
    {
        return Err(Usage(format!("--times: {} is given twice", number(twice.time))).into());
    }
    let bytes =
        export(&model, &curves).map_err(|error| anyhow!("{}: {error}", args.model.display()))?;
    write_whole(&args.onnx, &bytes)?;
    tell(&beyond(&model, &args.survival.times));
    Ok(())
}
