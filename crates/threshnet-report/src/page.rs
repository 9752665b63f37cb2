//! The page: what the template is filled with.

use super::checks::{Check, checks, warnings};
use super::figure::{Figure, Layer};
use super::figures::{self, validation::chosen_ridge};
use super::files::{Cell, Files};
use super::record::{RiskGroup, Shown};
use super::table::{self, Table};
use super::{plotly, svg, words};
use anyhow::Result;
use askama::Template;
use serde_json::json;
use std::collections::BTreeMap;
use threshnet::format::short;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    files: &'a Files,
    outcome: String,
    answer: String,
    facts: Vec<(&'static str, String)>,
    columns: Vec<Column>,
    swing_explained: String,
    near: Vec<String>,
    models: Table,
    interactions: Table,
    scores: Vec<(String, String)>,
    seconds: String,
    more_columns: usize,
    checks: Vec<Check>,
    warnings: Vec<String>,
    path: Vec<Drawn>,
    path_of: String,
    validation: Vec<Drawn>,
    effects: Vec<Drawn>,
    joint: Vec<Drawn>,
    held_out: Vec<Drawn>,
    held_out_means: String,
    confusion: Option<Table>,
    at_risk: Option<Table>,
    log_rank: Option<String>,
    certificate: String,
    command: String,
    style: &'static str,
    script: &'static str,
    plotly: String,
    /// Data of figures and of the path, as JSON that is safe in a page.
    data: String,
}

/// A selected column, as a row of the table.
struct Column {
    name: String,
    /// Its norm, as a share of the largest.
    bar: String,
    norm: String,
    frequency: Option<String>,
    direction: String,
    swing: String,
    curve: String,
}

/// A figure on the page.
struct Drawn {
    id: String,
    title: String,
    table: Table,
}

/// The text of `report.html`.
pub fn html(files: &Files) -> Result<String> {
    let all = figures::all(files);
    let of = |ids: &[&str]| -> Vec<Drawn> {
        let belongs = |figure: &&Figure| ids.iter().any(|id| figure.id.starts_with(id));
        all.iter().filter(belongs).map(drawn).collect()
    };
    let shown = files.record.held_out.as_ref().map(|of| &of.shown);
    let page = Page {
        outcome: words::outcome(files),
        answer: words::answer(files),
        facts: facts(files),
        columns: columns(files),
        swing_explained: words::swing_explained(files),
        near: (files.record.near.iter())
            .map(|near| format!("{} ({})", near.name, words::percent(near.frequency)))
            .collect(),
        models: models(files),
        interactions: interactions(files),
        scores: (files.record.held_out.iter().flat_map(|of| &of.scores))
            .map(|score| (score.name.clone(), words::with_interval(score)))
            .collect(),
        seconds: format!("{:.1}", files.summary.seconds),
        more_columns: files
            .summary
            .selected
            .len()
            .saturating_sub(files.record.effects.len()),
        checks: checks(files),
        warnings: warnings(files),
        path: of(&["path", "sizes"]),
        path_of: path_of(files),
        validation: of(&["surface", "validation"]),
        effects: of(&["effect-"]),
        joint: of(&["joint"]),
        held_out: of(&[
            "predicted-observed",
            "roc",
            "precision-recall",
            "calibration",
            "kaplan-meier",
            "time-auc",
        ]),
        held_out_means: words::held_out_means(files),
        confusion: shown.and_then(|shown| confusion(files, shown)),
        at_risk: shown.and_then(|shown| at_risk(files, shown)),
        log_rank: shown.and_then(log_rank),
        certificate: words::certificate(files),
        command: shlex::try_join(files.record.command.iter().map(|word| &word[..]))
            .unwrap_or_else(|_| files.record.command.join(" ")),
        style: include_str!("page/report.css"),
        script: include_str!("page/report.js"),
        plotly: plotly::script(),
        data: data(files, &all)?,
        files,
    };
    Ok(page.render()?)
}

fn drawn(figure: &Figure) -> Drawn {
    Drawn {
        id: figure.id.clone(),
        title: figure.title.clone(),
        table: table::of(figure),
    }
}

/// The question: data, outcome, settings.
fn facts(files: &Files) -> Vec<(&'static str, String)> {
    let (summary, record) = (&files.summary, &files.record);
    let outcome = &record.outcome;
    let mut facts = Vec::new();
    if let Some(data) = &record.data {
        facts.push(("Data", data.file.clone()));
    }
    facts.push((
        "Size",
        format!(
            "{} rows, {} columns to choose from",
            words::count(summary.n),
            words::count(summary.d)
        ),
    ));
    let kind = match &summary.task[..] {
        "regression" => {
            let moments = outcome.moments.map_or(String::new(), |(mean, sd)| {
                format!("; mean {}, standard deviation {}", short(mean), short(sd))
            });
            format!("{}, a number{moments}", words::outcome(files))
        }
        "cox" => format!(
            "time to {} (column {}); {} events in {} rows, the others censored; longest time {}",
            outcome.columns.get(1).map_or("event", |name| name),
            words::time_name(files),
            words::count(outcome.events.unwrap_or(0)),
            words::count(summary.n),
            short(outcome.longest.unwrap_or(0.0))
        ),
        _ => {
            let classes: Vec<String> = (outcome.classes.iter())
                .map(|(name, rows)| format!("{name} ({} rows)", words::count(*rows)))
                .collect();
            format!("{}: {}", words::outcome(files), classes.join(", "))
        }
    };
    facts.push(("Outcome", kind));
    if let Some(positive) = &summary.positive_class {
        facts.push(("Predicted", format!("the probability of {positive}")));
    }
    let widths: Vec<String> = record.model.hidden.iter().map(usize::to_string).collect();
    facts.push((
        "Model",
        match (record.model.networks, &widths[..]) {
            (1, []) => "a linear model".into(),
            (many, []) => format!("the mean of {many} linear models"),
            (1, widths) => format!("a network with hidden layers {}", widths.join(", ")),
            (many, widths) => {
                format!(
                    "the mean of {many} networks with hidden layers {}",
                    widths.join(", ")
                )
            }
        } + &format!("; penalty {}", summary.penalty),
    ));
    let count = record.validation.count;
    facts.push((
        "Chosen by",
        match &record.validation.kind[..] {
            "draws" => format!(
                "{count} repeated fits (draws), each with rows held out and starts of its own; a column is \
                 selected if {} of them select it, each weighted by how well it predicts",
                summary.threshold.map_or("enough".into(), words::percent)
            ),
            "folds" => format!("cross-validation in {count} folds, rule {}", summary.rule),
            "holdout" => format!("one hold-out, rule {}", summary.rule),
            _ => "nothing: λ and ridge were given".into(),
        },
    ));
    facts.push((
        "λ and ridge",
        format!("{} and {}", short(summary.lambda), short(summary.ridge)),
    ));
    if let Some((value, se)) = (summary.validation.as_ref()).and_then(|of| Some((of.value?, of.se)))
    {
        let se = se.map_or(String::new(), |se| {
            format!(" (standard error {})", short(se))
        });
        let name = words::loss_name(&summary.task);
        facts.push(("Held-out loss", format!("{name} {}{se}", short(value))));
    }
    facts
}

fn columns(files: &Files) -> Vec<Column> {
    let strongest = files
        .summary
        .selected
        .first()
        .map_or(1.0, |column| column.norm);
    let drawn = figures::effects::small(&files.record.effects);
    let curve = |name: &str| drawn.iter().find(|figure| figure.id == name);
    let effect = |name: &str| {
        files
            .record
            .effects
            .iter()
            .find(|effect| effect.name == name)
    };
    (files.summary.selected.iter())
        .map(|column| {
            let effect = effect(&column.name);
            Column {
                name: column.name.clone(),
                bar: format!("{:.0}", 100.0 * column.norm / strongest),
                norm: format!("{:.3}", column.norm),
                frequency: column.frequency.map(words::percent),
                direction: effect.map_or(String::new(), |of| words::direction(files, of)),
                swing: effect.map_or(String::new(), |of| words::swing(files, of)),
                curve: curve(&column.name).map_or(String::new(), svg::sparkline),
            }
        })
        .collect()
}

/// The network and the linear models beside it.
fn models(files: &Files) -> Table {
    let known = |value: Option<f64>| value.map_or("–".into(), short);
    let head = [
        "model",
        "penalty",
        "columns",
        "held-out loss",
        "standard error",
        "more than the network",
    ];
    let rows = files.summary.models.iter().map(|of| {
        let behind = match (of.behind, of.behind_se) {
            (Some(mean), Some(se)) => format!("{} ± {}", short(mean), short(se)),
            (mean, _) => known(mean),
        };
        vec![
            format!(
                "{}{}",
                of.model,
                if of.chosen { " – the model" } else { "" }
            ),
            of.penalty.clone(),
            of.size.to_string(),
            known(of.value),
            known(of.se),
            behind,
        ]
    });
    Table {
        head: head.map(String::from).to_vec(),
        rows: rows.collect(),
    }
}

fn interactions(files: &Files) -> Table {
    let rows = files.record.interactions.iter().map(|pair| {
        vec![
            format!("{} × {}", pair.first, pair.second),
            short(pair.strength),
            words::percent(pair.h2),
        ]
    });
    Table {
        head: ["columns", "strength", "share H²"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// Which path it is that is shown.
fn path_of(files: &Files) -> String {
    let (path, count) = (&files.record.path, files.record.validation.count);
    let most = path.sizes.first().copied().unwrap_or(0);
    let least = match path.sizes.last() {
        Some(0) | None => "until none is left".into(),
        Some(left) => format!("until {} are left", words::count(*left)),
    };
    let story = format!(
        "At the smallest penalty λ there are {} columns in the model. As λ grows, those that do not pay \
         for themselves leave, {least}.",
        words::count(most)
    );
    match &files.record.validation.kind[..] {
        "draws" => format!(
            "{story} Shown is the path of the first of {count} repeated fits, and the λ that this one \
             chose. Fits differ, so a column may be selected in the end that this one drops, or the other \
             way round."
        ),
        _ => format!("{story} Shown is the path that the model is on."),
    }
}

fn confusion(files: &Files, shown: &Shown) -> Option<Table> {
    let (Shown::Binary { confusion, .. } | Shown::Multiclass { confusion }) = shown else {
        return None;
    };
    let classes = words::classes(files);
    let mut head = vec!["truth \\ predicted".to_string()];
    head.extend(classes.iter().cloned());
    let rows = classes.iter().zip(confusion).map(|(class, counts)| {
        let mut row = vec![class.clone()];
        row.extend(counts.iter().map(|&rows| words::count(rows)));
        row
    });
    Some(Table {
        head,
        rows: rows.collect(),
    })
}

fn at_risk(files: &Files, shown: &Shown) -> Option<Table> {
    let Shown::Cox {
        groups, risk_times, ..
    } = shown
    else {
        return None;
    };
    let mut head = vec![format!("at risk at {} =", words::time_name(files))];
    head.extend(risk_times.iter().map(|&time| format!("{time:.0}")));
    head.push("events in all".into());
    let row = |group: &RiskGroup| {
        let mut row = vec![group.name.clone()];
        row.extend(group.at_risk.iter().map(|&rows| words::count(rows)));
        row.push(words::count(group.events));
        row
    };
    Some(Table {
        head,
        rows: groups.iter().map(row).collect(),
    })
}

fn log_rank(shown: &Shown) -> Option<String> {
    let Shown::Cox {
        log_rank,
        time_auc_mean,
        ..
    } = shown
    else {
        return None;
    };
    let test = log_rank.as_ref().map(|test| {
        let p = match test.p {
            p if p < 1e-4 => "p < 0.0001".to_string(),
            p => format!("p = {}", short(p)),
        };
        format!(
            "Do the groups differ? Log-rank test: χ² = {:.1} with {} degrees of freedom, {p}.",
            test.chi_squared, test.degrees
        )
    });
    let mean = time_auc_mean.map(|mean| format!("Mean AUC over time: {mean:.2}."));
    let said: Vec<String> = [test, mean].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// What the page's script reads.
fn data(files: &Files, all: &[Figure]) -> Result<String> {
    let mut figures = BTreeMap::new();
    for figure in all {
        let drawn: serde_json::Value = serde_json::from_str(&plotly::json(figure))?;
        figures.insert(&figure.id[..], drawn);
    }
    let path = &files.record.path;
    let ridge = chosen_ridge(files);
    let loss = |lambda: f64| {
        let cell = |cell: &&Cell| Some(cell.ridge) == ridge && cell.lambda == lambda;
        files
            .cells
            .iter()
            .find(cell)
            .and_then(|cell| cell.validation_loss)
    };
    let traces: Vec<&str> = (all.iter().filter(|figure| figure.id == "path"))
        .flat_map(|figure| &figure.layers)
        .map(|layer| match layer {
            Layer::Line { name, .. } => &name[..],
            _ => "",
        })
        .collect();
    let text = json!({
        "figures": figures,
        "path": {
            "lambdas": path.lambdas,
            "sizes": path.sizes,
            "chosen": path.chosen,
            "columns": path.columns,
            "losses": path.lambdas.iter().map(|&lambda| loss(lambda)).collect::<Vec<_>>(),
            "loss": words::loss_name(&files.summary.task),
            "traces": traces,
        },
    });
    // No text can end the element it is in.
    Ok(serde_json::to_string(&text)?.replace('<', "\\u003c"))
}
