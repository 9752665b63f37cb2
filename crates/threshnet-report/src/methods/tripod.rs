//! The items of TRIPOD+AI (Collins et al. 2024, BMJ 385:e078378), in short and in our words, filled with
//! what a fit knows.

use crate::words::{self, count, percent};
use threshnet::dataset::Task;
use threshnet::report::{FitReport, Note, OutcomeKind};

/// An item of the checklist.
pub struct Item {
    pub number: &'static str,
    pub what: &'static str,
    /// What the fit knows.
    pub known: Option<String>,
    /// What it cannot know.
    pub add: Option<&'static str>,
}

/// What the fit knows of an item, and what the authors must add.
fn item(
    number: &'static str,
    what: &'static str,
    known: impl Into<Option<String>>,
    add: impl Into<Option<&'static str>>,
) -> Item {
    Item {
        number,
        what,
        known: known.into(),
        add: add.into(),
    }
}

/// All items that concern the development of a model.
pub fn items(report: &FitReport) -> Vec<Item> {
    let section = |name: &str| Some(format!("See “{name}” of the methods."));
    let clusters = report.data.clusters;
    let events = events(report);
    let estimate = report.main_estimate();
    let nothing = || None::<String>;
    vec![
        item(
            "1",
            "title: development of a model, for whom, for which outcome",
            nothing(),
            "a title",
        ),
        item(
            "2",
            "abstract",
            nothing(),
            "an abstract, by TRIPOD+AI for abstracts",
        ),
        item(
            "3a",
            "context, and why a model",
            nothing(),
            "the clinical question; models that exist",
        ),
        item(
            "3b",
            "for whom, by whom, where in the care pathway",
            nothing(),
            "intended use and users",
        ),
        item(
            "3c",
            "known inequalities in health care",
            nothing(),
            "for the groups that the model concerns",
        ),
        item(
            "4",
            "aims",
            format!("To develop a model of {}.", words::outcome(report)),
            "the aims in full",
        ),
        item(
            "5a",
            "sources of data",
            file(report),
            "source, and how far it represents the intended patients",
        ),
        item("5b", "dates", nothing(), "accrual and end of follow-up"),
        item(
            "6a",
            "setting",
            clusters.map(|k| format!("{} clusters.", count(k))),
            "setting, centres and where",
        ),
        item("6b", "who was eligible", dropped(report), "criteria"),
        item(
            "6c",
            "treatments received",
            nothing(),
            "which, and how they were dealt with",
        ),
        item(
            "7",
            "preparation of the data",
            section("Data and outcome"),
            "checks and changes before the fit, the \
             same in all groups",
        ),
        item(
            "8a",
            "the outcome",
            outcome(report),
            "its definition, time horizon and how it was assessed",
        ),
        item(
            "8b",
            "assessors, if the outcome takes judgement",
            nothing(),
            "who they were",
        ),
        item(
            "8c",
            "blinding of the outcome's assessment",
            nothing(),
            "to what",
        ),
        item(
            "9a",
            "which predictors to begin with",
            format!("{} candidates.", count(report.data.d)),
            "why these; \
             any selection before the fit",
        ),
        item(
            "9b",
            "definition and measurement of predictors",
            nothing(),
            "how and when, blinded to what",
        ),
        item(
            "9c",
            "assessors, if predictors take judgement",
            nothing(),
            "who they were",
        ),
        item(
            "10",
            "size of the study",
            size(report, events),
            "why this size; was it planned?",
        ),
        item(
            "11",
            "missing data",
            section("Missing values"),
            "why cells are missing",
        ),
        item("12a", "how data were used", section("Validation"), None),
        item(
            "12b",
            "how predictors were handled",
            section("Data and outcome"),
            None,
        ),
        item(
            "12c",
            "type of model, building, tuning, validation",
            section("Model, Selection and tuning"),
            None,
        ),
        item(
            "12d",
            "differences between clusters",
            clusters.map(|_| "No split divides a cluster.".into()),
            "how estimates differ between places or groups, if they may",
        ),
        item(
            "12e",
            "measures of performance",
            section("Performance measures"),
            None,
        ),
        item(
            "12f",
            "updating of the model",
            "Not recalibrated.".to_string(),
            None,
        ),
        item(
            "12g",
            "how predictions are calculated",
            "By model.json, `threshnet predict` or the exported ONNX \
             file."
                .to_string(),
            None,
        ),
        item("13", "class imbalance", imbalance(report), None),
        item(
            "14",
            "fairness",
            nothing(),
            "what was done about it, and why",
        ),
        item(
            "15",
            "output of the model",
            output(report),
            "the threshold, if one is to be used, and why",
        ),
        item(
            "16",
            "development against evaluation data",
            "Both are splits of the same rows: the same setting, \
             criteria, outcome and predictors."
                .to_string(),
            None,
        ),
        item("17", "ethics", nothing(), "approval and consent"),
        item("18a", "funding", nothing(), "sources and roles"),
        item("18b", "conflicts of interest", nothing(), "of all authors"),
        item(
            "18c",
            "protocol",
            nothing(),
            "where it is, or that there is none",
        ),
        item(
            "18d",
            "registration",
            nothing(),
            "where, or that there is none",
        ),
        item(
            "18e",
            "data sharing",
            nothing(),
            "where the data are, or why not",
        ),
        item(
            "18f",
            "code sharing",
            code(report),
            "where the code for preparing the data is",
        ),
        item(
            "19",
            "patients and public",
            nothing(),
            "how they were involved, or that they were not",
        ),
        item(
            "20a",
            "participants and follow-up",
            participants(report),
            "a flow diagram; follow-up",
        ),
        item(
            "20b",
            "characteristics",
            nothing(),
            "a table of predictors and outcome, with missing cells",
        ),
        item(
            "20c",
            "development against evaluation: predictors",
            "The same rows.".to_string(),
            None,
        ),
        item(
            "21",
            "participants and events in each analysis",
            Some(words::rows(report) + &of_events(events)),
            None,
        ),
        item(
            "22",
            "the model in full",
            specification(report),
            "where it can be had",
        ),
        item(
            "23a",
            "performance with intervals",
            estimate.map(|(metric, of)| {
                format!(
                    "{} {}. Calibration and net benefit: see the report.",
                    metric.title(),
                    words::with_interval(metric, of)
                )
            }),
            "in key subgroups",
        ),
        item(
            "23b",
            "performance between clusters",
            nothing(),
            "if there are clusters",
        ),
        item(
            "24",
            "results of updating",
            "None was made.".to_string(),
            None,
        ),
        item(
            "25",
            "interpretation",
            nothing(),
            "fairness and earlier studies among it",
        ),
        item("26", "limitations", limits(report), "those of the data"),
        item(
            "27a",
            "poor or missing input",
            input(report),
            "what a user should do then",
        ),
        item(
            "27b",
            "how users interact with it",
            nothing(),
            "which expertise it takes",
        ),
        item(
            "27c",
            "next steps",
            nothing(),
            "evaluation elsewhere among them",
        ),
    ]
}

/// How many events, or rows of the rarest class.
fn events(report: &FitReport) -> Option<(usize, &'static str)> {
    match &report.outcome.kind {
        OutcomeKind::Survival { events, .. } => Some((*events, "events")),
        OutcomeKind::Classes { classes } => {
            let rarest = classes.iter().map(|class| class.rows).min()?;
            Some((rarest, "rows of the rarest class"))
        }
        OutcomeKind::Number { .. } => None,
    }
}

fn of_events(events: Option<(usize, &str)>) -> String {
    events.map_or(".".into(), |(scarce, what)| {
        format!(", {} {what}.", count(scarce))
    })
}

fn file(report: &FitReport) -> Option<String> {
    let file = report.origin.as_ref()?.file.as_ref()?;
    Some(format!("File {}, SHA-256 {}.", file.name, file.sha256))
}

fn dropped(report: &FitReport) -> Option<String> {
    report.notes.iter().find_map(|note| match note {
        Note::Dropped { rows, of } => {
            Some(format!("{rows} of {of} rows left out for a missing cell."))
        }
        _ => None,
    })
}

fn outcome(report: &FitReport) -> String {
    let kind = match report.task {
        Task::Regression => "a number",
        Task::Binary => "two classes",
        Task::Multiclass => "several classes",
        Task::Cox => "a censored time",
    };
    format!("Columns {}: {kind}.", report.outcome.columns.join(", "))
}

fn size(report: &FitReport, events: Option<(usize, &str)>) -> String {
    let (scarce, what) = events.unwrap_or((report.data.n, "rows"));
    let per = scarce as f64 / report.data.d.max(1) as f64;
    format!(
        "{} rows{} {} {what} per candidate predictor.",
        count(report.data.n),
        of_events(events),
        words::rounded(per)
    )
}

fn imbalance(report: &FitReport) -> Option<String> {
    match report.task {
        Task::Binary | Task::Multiclass => {
            let told = report.classes().iter();
            let told: Vec<String> = told
                .map(|class| format!("{} {}", class.name, percent(class.share)))
                .collect();
            let weights = match report.data.weight {
                None => "Rows were neither weighted nor resampled",
                Some(_) => "Rows counted with their weights, and were not resampled",
            };
            Some(format!("{}. {weights}.", told.join(", ")))
        }
        Task::Regression | Task::Cox => Some("No classes.".into()),
    }
}

fn output(report: &FitReport) -> String {
    match report.task {
        Task::Regression => format!("The expected {}.", words::outcome(report)),
        Task::Binary => format!("The probability of {}.", words::positive(report)),
        Task::Multiclass => "The probability of every class.".into(),
        Task::Cox => "A log-risk, and the probability to outlive any time.".into(),
    }
}

fn code(report: &FitReport) -> String {
    let command = report.origin.as_ref().map(|of| of.command.join(" "));
    let command = command.map_or(String::new(), |command| format!(", command: {command}"));
    format!(
        "threshnet {} (open source), seed {}{command}.",
        report.version, report.run.seed
    )
}

fn participants(report: &FitReport) -> String {
    match &report.outcome.kind {
        OutcomeKind::Survival { events, longest } => format!(
            "{} with the event, {} without; longest time {}.",
            count(*events),
            count(report.data.n.saturating_sub(*events)),
            threshnet::format::number(*longest)
        ),
        OutcomeKind::Classes { classes } => {
            let told = classes
                .iter()
                .map(|class| format!("{} {}", count(class.rows), class.name));
            format!("{}.", told.collect::<Vec<_>>().join(", "))
        }
        OutcomeKind::Number { .. } => format!("{}.", words::rows(report)),
    }
}

fn specification(report: &FitReport) -> String {
    match &report.coefficients {
        Some(_) => {
            "Coefficients in the report and in coefficients.csv; the whole model in model.json."
                .into()
        }
        None => "The whole model in model.json, which docs/files.md of threshnet describes.".into(),
    }
}

fn limits(report: &FitReport) -> String {
    let mut told = vec!["No evaluation on other data."];
    if report.nested.is_none() {
        told.push("Performance was not estimated by nested validation.");
    }
    if report.control.is_none() {
        told.push("Nothing bounds how many of the predictors are false.");
    }
    told.join(" ")
}

fn input(report: &FitReport) -> String {
    let imputes = report
        .notes
        .iter()
        .any(|note| matches!(note, Note::Imputed { .. }));
    match imputes {
        true => "Missing input is imputed as in the fit.".into(),
        false => "Missing input is refused.".into(),
    }
}
