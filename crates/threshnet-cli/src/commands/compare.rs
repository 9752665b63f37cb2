//! `threshnet compare`: every figure of two models on the same rows, and how sure their differences
//! are.

use super::load_model;
use super::scores::{
    Scored, asked, bootstrap, check_flags, labelled, outcome_columns, print_with_notes,
};
use crate::args::CompareArgs;
use crate::failure::Usage;
use anyhow::{Result, bail};
use threshnet::metrics::Comparison;
use threshnet::threads;

pub fn run(args: &CompareArgs) -> Result<()> {
    if args.scoring.samples == 0 {
        return Err(Usage("--samples: a comparison needs 100 samples or more".into()).into());
    }
    let (a, b) = (load_model(&args.a)?, load_model(&args.b)?);
    let (of_a, of_b) = (args.a.display(), args.b.display());
    if a.task != b.task {
        let (first, second) = (a.task.name(), b.task.name());
        bail!("{of_a} is a {first} model, {of_b} a {second} model; compare models of one outcome");
    }
    if a.classes != b.classes {
        let (first, second) = (a.classes.join(", "), b.classes.join(", "));
        bail!("{of_a} has the classes {first}, {of_b} {second}; compare models of one outcome");
    }
    let columns = outcome_columns(&args.outcome, &a)?;
    let others = outcome_columns(&args.outcome, &b)?;
    if columns != others {
        let (first, second) = (columns.names().join(", "), others.names().join(", "));
        bail!(
            "{of_a} predicts {first}, {of_b} {second}; compare models of one outcome, or name its \
             columns if the same one is meant"
        );
    }
    check_flags(&args.scoring, a.task)?;
    let first = labelled(&a, &args.data, &args.beside, &columns, &args.scoring)?;
    let second = labelled(&b, &args.data, &args.beside, &columns, &args.scoring)?;
    let of = Scored {
        input: &first.input,
        columns: &columns,
    };
    let asked = asked(&args.scoring, of)?;
    let found = threads::pool(None)?.install(|| {
        let both = [&first.predicted, &second.predicted];
        Comparison::new(both, &first.response, &asked, &bootstrap(&args.scoring))
    })?;
    print_with_notes(&serde_json::to_value(&found)?, &found.notes)
}
