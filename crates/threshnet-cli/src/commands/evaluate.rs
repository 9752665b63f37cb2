//! `threshnet evaluate`: metrics of a model on a file that has the outcome.

use super::scores::{Scored, asked, check_flags, labelled, outcome_columns, print_scores};
use super::{load_ensemble, load_model, recalibrated};
use crate::args::EvaluateArgs;
use anyhow::Result;

pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = match args.ensemble {
        true => load_ensemble(&args.model)?,
        false => load_model(&args.model)?,
    };
    let model = recalibrated(model, &args.model, args.recalibrate)?;
    let columns = outcome_columns(&args.outcome, &model)?;
    check_flags(&args.scoring, model.task)?;
    let rows = labelled(&model, &args.data, &args.beside, &columns, &args.scoring)?;
    let of = Scored {
        input: &rows.input,
        columns: &columns,
    };
    let asked = asked(&args.scoring, of)?;
    print_scores(&rows.predicted, &rows.response, &asked)
}
