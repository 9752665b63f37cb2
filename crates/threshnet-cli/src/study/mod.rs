//! `threshnet study`: the paper's tables and figures, and studies of our own, replicate by
//! replicate.
//!
//! [`plan`] says what a study consists of, [`sample`] draws a replicate, [`method`] has the
//! paper's settings, [`metric`] the scores, [`results`] keeps the rows, [`table`] puts them
//! beside the paper's.

mod candidates;
mod cells;
mod cohort;
mod control;
mod digits;
mod export;
mod known;
mod method;
mod metric;
mod norms;
mod plan;
mod published;
mod quality;
mod real;
mod results;
mod run;
mod sample;
mod source_file;
mod statistics;
mod table;

use crate::args::{StudyArgs, StudyName};
use crate::data::Columns;
use crate::failure::{Interrupted, Usage};
use crate::output::print;
use anyhow::{Context, Result, bail};
use cohort::Cohort;
use digits::Digits;
use plan::{Only, plan, study_name};
use results::{Results, Row};
use run::Job;
use sample::Source;
use std::path::Path;
use std::{fs, io};

/// Replicate r of a study with seed S has seed S · 10⁶ + r.
const SEED_STRIDE: u64 = 1_000_000;

pub fn run(args: &StudyArgs) -> Result<()> {
    check_flags(args)?;
    if let (true, Some(out)) = (args.table, &args.out) {
        let mut results = Results::open(out, &study_name(args.name))?;
        return Ok(print(&write_table(args, &mut results, out)?)?);
    }
    let source = source(args)?;
    let plan = plan(args.name, source.cells());
    let only = Only::new(&args.only, &plan)?;
    let replicates = only.replicates(args.reps.unwrap_or(plan.reps));
    if args.list || args.export.is_some() {
        let draws = export::draws(args, (&plan, &only), &replicates);
        return match &args.export {
            Some(folder) => export::write_all(folder, &source, &draws),
            None => export::list(&draws),
        };
    }
    let out = args.out.as_deref().expect("clap asks for it");
    let mut results = Results::open(out, &study_name(args.name))?;
    companions(&source, out)?;
    if args.name == StudyName::Path {
        norms::check(&out.join("norms.csv"), &mut results, args.seed)?;
    }
    // Replicate by replicate, so that a stopped study is equally far everywhere.
    let jobs: Vec<Job> = (replicates.iter())
        .flat_map(|&number| plan.tasks.iter().map(move |task| (number, task)))
        .filter(|(_, task)| only.keeps(task))
        .map(|(number, task)| Job::new(args, task, (number, seed(args.seed, number))))
        .collect();
    let total = jobs.len();
    let left: Vec<Job> = (jobs.into_iter())
        .filter(|job| !job.known(&results))
        .collect();
    let finished = run::all(args, &source, (&left, total), &mut results);
    let table = write_table(args, &mut results, out)?;
    if !finished? {
        return Err(Interrupted(format!(
            "interrupted; the rows so far are in {}, and the same command goes on from there",
            out.join("results.csv").display()
        ))
        .into());
    }
    print(&table)?;
    Ok(print(&format!(
        "\n{total} fits in {}\n",
        out.join("results.csv").display()
    ))?)
}

/// Makes `table.md` of the rows of this seed; those of candidates and quality, which compare
/// fits of the same data, of all.
fn write_table(args: &StudyArgs, results: &mut Results, out: &Path) -> Result<String> {
    let of_all = matches!(args.name, StudyName::Candidates | StudyName::Quality);
    let mine = |row: &Row| of_all || row.seed == seed(args.seed, row.replicate);
    let rows: Vec<Row> = results.rows()?.into_iter().filter(mine).collect();
    let mut table = table::markdown(args.name, &rows);
    if args.name == StudyName::Path && !rows.is_empty() {
        table.insert_str(0, &norms::table(&out.join("norms.csv"))?);
    }
    write_whole(&out.join("table.md"), table.as_bytes())
        .with_context(|| format!("{}: cannot write table.md", out.display()))?;
    Ok(table)
}

/// Refuses flags that mean nothing in a study.
fn check_flags(args: &StudyArgs) -> Result<(), Usage> {
    let real = args.name == StudyName::SurvivalReal;
    let only_there = [
        ("time", args.time.is_some()),
        ("ridges", args.ridges.is_some()),
    ];
    if let Some((flag, _)) = only_there.iter().find(|(_, given)| *given && !real) {
        return Err(Usage(format!(
            "--{flag}: only survival-real has it; leave it out"
        )));
    }
    if args.name == StudyName::Path && args.reps.is_some_and(|reps| reps != 1) {
        return Err(Usage(
            "--reps: figure 1 has one replicate; leave it out".into(),
        ));
    }
    Ok(())
}

/// Where the data of a study come from.
fn source(args: &StudyArgs) -> Result<Source> {
    let folder = || {
        args.data.as_deref().ok_or_else(|| {
            Usage(format!(
                "--data: say where the files of {} are; docs/reproduction.md says where to get them",
                study_name(args.name)
            ))
        })
    };
    Ok(match args.name {
        StudyName::Mnist => Source::Digits(Digits::read(folder()?)?),
        StudyName::SurvivalReal if args.time.is_some() => {
            let file = folder()?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let name = name.split('.').next().unwrap_or_default();
            let columns = Columns {
                time: args.time.clone(),
                event: args.event.clone(),
                features: args.features.clone(),
                drop: args.drop.clone(),
                ..Columns::default()
            };
            Source::Cohorts(vec![Cohort::read(file, name, &columns)?])
        }
        StudyName::SurvivalReal | StudyName::Real => {
            Source::Cohorts(Cohort::known(folder()?, args.name, &args.only)?)
        }
        _ => Source::Simulated,
    })
}

fn seed(of_study: u64, replicate: u64) -> u64 {
    of_study.wrapping_mul(SEED_STRIDE).wrapping_add(replicate)
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
        write_whole(&path, bytes).with_context(|| format!("{}: cannot write", path.display()))
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

/// Writes a file that is whole or as it was.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = path.with_extension("partial");
    fs::write(&partial, bytes)?;
    fs::rename(&partial, path)
}
