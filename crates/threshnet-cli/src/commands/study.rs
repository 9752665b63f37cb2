//! `threshnet study`: a table or figure of the paper, or a study of our own.

use crate::args::StudyArgs;
use crate::failure::{Interrupted, Usage};
use crate::output::{log, print};
use crate::progress::StudyBar;
use crate::signals;
use anyhow::Result;
use threshnet_io::Columns;
use threshnet_study::{Error, Options, Work, interrupted};

pub fn run(args: &StudyArgs) -> Result<()> {
    log::open(args.log.as_deref())?;
    if let Some(out) = args.out.clone() {
        signals::set_last_words(move || interrupted(&out));
    }
    let done = threshnet_study::run(&options(args), &StudyBar::new(args.quiet));
    let text = done.map_err(|error| match error {
        Error::Usage(problem) => Usage(problem).into(),
        Error::Interrupted(text) => Interrupted(text).into(),
        Error::Failed(error) => error,
    })?;
    Ok(print(&text)?)
}

/// What the flags ask for.
fn options(args: &StudyArgs) -> Options {
    Options {
        name: args.name,
        reps: args.reps,
        seed: args.seed,
        threads: args.jobs,
        only: args.only.clone(),
        data: args.data.clone(),
        columns: args.time.is_some().then(|| Columns {
            time: args.time.clone(),
            event: args.event.clone(),
            features: args.features.clone(),
            drop: args.drop.clone(),
            ..Columns::default()
        }),
        ridges: args.ridges,
        folds: args.folds.clone(),
        shard: args.shard,
        // (clap asks for one of the folders, unless there is to be a list)
        work: match (&args.out, &args.export) {
            (Some(out), _) if args.table => Work::Table(out.clone()),
            (Some(out), _) if !args.merge.is_empty() => Work::Merge {
                shares: args.merge.clone(),
                out: out.clone(),
            },
            (Some(out), _) => Work::Fit(out.clone()),
            (None, Some(folder)) => Work::Export(folder.clone()),
            (None, None) => Work::List,
        },
    }
}
