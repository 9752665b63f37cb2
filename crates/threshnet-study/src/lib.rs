//! The paper's tables and figures, and studies of our own, replicate by replicate.
//!
//! [`run`] does what [`Options`] ask for and tells a [`Watch`] how far it is. A stopped study
//! goes on where it was.
//!
//! # Map
//!
//! | module | what it does |
//! | --- | --- |
//! | `name`, `options`, `error` | the studies there are, what can be asked of them, how they fail |
//! | `plan` | the cells, methods and replicates of a study |
//! | `sample` | draws a replicate: simulated, or of `cohort`s and `digits` |
//! | `known` | the public data sets, read by `raw` and `bed`; a `feature` fills gaps and encodes texts |
//! | `method` | the paper's settings; `quality`, `control`, `battery` are our own studies |
//! | `run`, [`workers`] | the fits, each on a thread of its own |
//! | `metric`, `norms` | what a fit is judged by |
//! | `results`, `merge` | `results.csv`, a row per fit; shares of a study joined |
//! | `table`, `statistics`, `published` | `table.md`, the paper's figures beside ours |
//! | `export` | replicates for other programs |

mod battery;
mod bed;
mod cohort;
mod control;
mod digits;
mod error;
mod export;
mod feature;
mod known;
mod merge;
mod method;
mod metric;
mod name;
mod norms;
mod options;
mod plan;
mod published;
mod quality;
mod raw;
mod results;
mod run;
mod sample;
mod source_file;
mod statistics;
mod table;
pub mod workers;

pub use error::Error;
pub use name::StudyName;
pub use options::{Options, Shard, Watch, Work};

use anyhow::{Result, bail};
use cohort::Cohort;
use digits::Digits;
use plan::{Only, plan};
use results::{Results, Row};
use run::Job;
use sample::{Replicate, Source};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use threshnet::settings::Named;
use threshnet_io::{load_folds, write_whole};

/// Replicate r of a study with seed S has seed S · 10⁶ + r.
const SEED_STRIDE: u64 = 1_000_000;

/// Does what is asked, and gives what is to be printed.
pub fn run(options: &Options, watch: &dyn Watch) -> Result<String, Error> {
    check(options)?;
    if let Work::Table(out) = &options.work {
        let mut results = Results::open(out, options.name.name())?;
        return Ok(write_table(options, &mut results, out)?);
    }
    let mut source = source(options)?;
    let folds = folds(options, &mut source)?;
    let plan = plan(options.name, source.cells());
    let only = Only::new(&options.only, &plan)?;
    let replicates = only.replicates(options.reps.or(folds).unwrap_or(plan.reps));
    let draws = || export::draws(options, (&plan, &only), &replicates);
    let out = match &options.work {
        Work::Fit(out) | Work::Table(out) | Work::Merge { out, .. } => out,
        Work::List => return Ok(export::list(&source, &draws())?),
        Work::Export(folder) => {
            export::write_all(folder, &source, &draws())?;
            return Ok(String::new());
        }
    };
    let mut results = Results::open(out, options.name.name())?;
    companions(&source, out)?;
    if options.name == StudyName::Path {
        norms::check(&out.join("norms.csv"), &mut results, options.seed)?;
    }
    if let Work::Merge { shares, .. } = &options.work {
        merge::merge(options, shares, &mut results, out)?;
    }
    // Replicate by replicate, so that a stopped study is equally far everywhere.
    let tasks = || plan.tasks.iter().filter(|task| only.keeps(task));
    let of_replicate = |&replicate: &u64| {
        tasks().map(move |task| Job {
            options,
            task,
            replicate,
        })
    };
    let mut jobs: Vec<Job> = replicates.iter().flat_map(of_replicate).collect();
    if let Some(shard) = options.shard {
        let mut number = 0..;
        jobs.retain(|_| number.next().is_some_and(|number| shard.has(number)));
    }
    let total = jobs.len();
    jobs.retain(|job| !job.known(&results));
    if let Work::Merge { .. } = &options.work {
        let table = write_table(options, &mut results, out)?;
        return Ok(merge::told(&table, out, total - jobs.len(), total));
    }
    watch.begin(total - jobs.len(), total)?;
    let shared = Mutex::new(&mut results);
    // False if it was interrupted: then the rows of the fits that had ended are kept.
    let finished = workers::each(&jobs, options.threads, watch, |job| {
        job.run(&source, out, &shared, watch)
    });
    watch.finish();
    let table = write_table(options, &mut results, out)?;
    let rows = out.join("results.csv");
    if !finished? {
        return Err(Error::Interrupted(interrupted(out)));
    }
    Ok(format!("{table}\n{total} fits in {}\n", rows.display()))
}

/// What is said of a study that was interrupted.
pub fn interrupted(out: &Path) -> String {
    format!(
        "interrupted; the rows so far are in {}, and the same command goes on from there",
        out.join("results.csv").display()
    )
}

/// Makes `table.md` of the rows of this seed; those of quality, which compares fits of the
/// same data, of all.
fn write_table(options: &Options, results: &mut Results, out: &Path) -> Result<String> {
    let of_all = options.name == StudyName::Quality;
    let mine = |row: &Row| of_all || row.seed == replicate(options.seed, row.replicate).seed;
    let rows: Vec<Row> = results.rows()?.into_iter().filter(mine).collect();
    let mut table = table::markdown(options.name, &rows);
    if options.name == StudyName::Path && !rows.is_empty() {
        table.insert_str(0, &norms::table(&out.join("norms.csv"))?);
    }
    if options.name == StudyName::Battery {
        write_whole(&out.join("sets.csv"), &battery::sets()?)?;
    }
    write_whole(&out.join("table.md"), table.as_bytes())?;
    Ok(table)
}

/// Refuses what means nothing in a study.
fn check(options: &Options) -> Result<(), Error> {
    let real = options.name == StudyName::SurvivalReal;
    let only_there = [
        ("time", options.columns.is_some()),
        ("ridges", options.ridges.is_some()),
    ];
    if options.folds.is_some() && options.name != StudyName::Battery {
        return Err(Error::Usage(
            "--folds: only battery has it; leave it out".into(),
        ));
    }
    if let Some((flag, _)) = only_there.iter().find(|(_, given)| *given && !real) {
        return Err(Error::Usage(format!(
            "--{flag}: only survival-real has it; leave it out"
        )));
    }
    if options.name == StudyName::Path && options.reps.is_some_and(|reps| reps != 1) {
        return Err(Error::Usage(
            "--reps: figure 1 has one replicate; leave it out".into(),
        ));
    }
    Ok(())
}

/// Where the data of a study come from.
fn source(options: &Options) -> Result<Source, Error> {
    let page = match options.name {
        StudyName::Battery => "battery.md",
        _ => "reproduction.md",
    };
    let folder = || {
        options.data.as_deref().ok_or_else(|| {
            Error::Usage(format!(
                "--data: say where the files of {} are; docs/{page} says where to get them",
                options.name.name()
            ))
        })
    };
    Ok(match (options.name, &options.columns) {
        (StudyName::Mnist, _) => Source::Digits(Digits::read(folder()?)?),
        (StudyName::SurvivalReal, Some(columns)) => {
            let file = folder()?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let name = name.split('.').next().unwrap_or_default();
            Source::Cohorts(vec![Cohort::read(file, name, columns)?])
        }
        (StudyName::SurvivalReal | StudyName::Battery, _) => {
            Source::Cohorts(Cohort::known(folder()?, options.name, &options.only)?)
        }
        _ => Source::Simulated,
    })
}

/// Gives the one data set that is asked for the folds of `--folds`, if there are any, and says how
/// many these are.
fn folds(options: &Options, source: &mut Source) -> Result<Option<u64>, Error> {
    let Some(path) = &options.folds else {
        return Ok(None);
    };
    let Source::Cohorts(cohorts) = source else {
        unreachable!("it has been refused in studies without cohorts")
    };
    let [cohort] = &mut cohorts[..] else {
        return Err(Error::Usage(
            "--folds: folds are of one data set; name it, as in --only colon".into(),
        ));
    };
    let folds = load_folds(path)?;
    cohort.fold(&folds)?;
    Ok(folds.iter().max().map(|&last| last as u64))
}

fn replicate(of_study: u64, number: u64) -> Replicate {
    Replicate {
        number,
        seed: of_study.wrapping_mul(SEED_STRIDE).wrapping_add(number),
    }
}

/// What figures need beside the rows.
fn companions(source: &Source, out: &Path) -> Result<()> {
    let put = |name: String, bytes: &[u8]| {
        let path = out.join(name);
        // Rows that are there would be read by these names.
        if fs::read(&path).is_ok_and(|before| before != bytes) {
            bail!(
                "{}: the rows there are of other columns or images; choose another --out",
                path.display()
            );
        }
        write_whole(&path, bytes)
    };
    match source {
        Source::Simulated => Ok(()),
        Source::Digits(digits) => put("mean_image.csv".into(), digits.mean_image().as_bytes()),
        Source::Cohorts(cohorts) => cohorts.iter().try_for_each(|cohort| {
            put(
                format!("columns-{}.csv", cohort.name),
                &cohort.column_names()?,
            )
        }),
    }
}
