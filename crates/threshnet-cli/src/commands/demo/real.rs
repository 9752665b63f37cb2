//! The demo on real data: a small file is written, and fitted by the command that is shown.

use crate::args::{Cli, Command, DemoArgs, DemoTask};
use crate::commands::fit;
use crate::output::folder;
use crate::output::print;
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::fs;
use std::path::Path;
use threshnet_io::{shell, write_whole};

/// A small public data set. Sources and licences are in `data/README.md`.
struct Example {
    file: &'static str,
    text: &'static str,
    /// What the rows are, and what is predicted.
    story: &'static str,
    /// Who made the data, and under which licence.
    source: &'static str,
    /// The flags that say what is predicted.
    outcome: &'static [&'static str],
}

fn example(task: DemoTask) -> Example {
    match task {
        DemoTask::Survival => Example {
            file: "heart-failure.csv",
            text: include_str!("../../../data/heart-failure.csv"),
            story: "299 patients with heart failure, followed for up to 285 days; 96 of them died.\n\
                    Which of 11 findings at the first visit tell who is at risk?",
            source: "Ahmad and others (2017), Chicco and Jurman (2020); CC BY 4.0",
            outcome: &["--time", "time", "--event", "DEATH_EVENT"],
        },
        DemoTask::Binary => Example {
            file: "breast-cancer.csv",
            text: include_str!("../../../data/breast-cancer.csv"),
            story: "569 breast tumours, 212 of them malignant, each described by 30 measures of cell nuclei.\n\
                    Which few measures tell malignant from benign?",
            source: "Wolberg, Mangasarian, Street and Street (1993); CC BY 4.0",
            outcome: &["--target", "diagnosis"],
        },
        DemoTask::Regression => Example {
            file: "cars.csv",
            text: include_str!("../../../data/cars.csv"),
            story: "392 cars of 1970 to 1982. What decides how far one goes on a gallon, and how?",
            source: "Quinlan (1993); CC BY 4.0",
            outcome: &["--target", "mpg"],
        },
    }
}

pub fn run(task: DemoTask, args: &DemoArgs) -> Result<()> {
    folder::check(&args.out)?;
    let example = example(task);
    let data = args.out.with_file_name(example.file);
    write_once(&data, example.text)?;
    let (data, out) = (data.display().to_string(), args.out.display().to_string());
    let mut words = vec!["threshnet", "fit", &data];
    words.extend(example.outcome);
    let seed = args.seed.map(|seed| seed.to_string());
    let jobs = args.jobs.map(|jobs| jobs.to_string());
    if let Some(seed) = &seed {
        words.extend(["--seed", seed]);
    }
    words.extend(["--out", &out]);
    let command = words
        .iter()
        .map(|word| shell(word))
        .collect::<Vec<_>>()
        .join(" ");
    if let Some(jobs) = &jobs {
        words.extend(["--jobs", jobs]);
    }
    if args.quiet {
        words.push("--quiet");
    }
    print(&format!(
        "{}\n({}; written to {data})\n\n$ {command}\n\n",
        example.story, example.source
    ))?;
    // The very command that is shown, so that it gives the same when it is typed.
    let Command::Fit(fit) = Cli::try_parse_from(&words)?.command else {
        bail!("the demo's command is no fit");
    };
    fit::run(&fit)?;
    let survival = matches!(task, DemoTask::Survival);
    let times = if survival { " --times 30,90,180" } else { "" };
    let (data, out) = (shell(&data), shell(&out));
    print(&format!(
        "\nNext:\n\n  \
         threshnet predict {out} {data}{times}\n  \
         threshnet inspect YOUR-FILE.csv        # what is in it, and the fit it suggests\n  \
         threshnet fit --help\n"
    ))?;
    Ok(())
}

/// Writes the data, unless they are there; another file of this name is left alone.
fn write_once(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    match fs::read_to_string(path) {
        Ok(there) if there == text => Ok(()),
        Ok(_) => bail!(
            "{shown}: the demo's data would go here, but another file is there; rename it, or choose \
             another folder with --out DIR/threshnet-demo"
        ),
        Err(_) => {
            let folder = path.parent().unwrap_or(path);
            fs::create_dir_all(folder)
                .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
            write_whole(path, text.as_bytes())
        }
    }
}
